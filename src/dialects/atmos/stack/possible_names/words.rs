//! The values that a manifest writes for a key, found in its text without reading it as YAML: at least those that it can give to the
//! key, with or without templates. Where the text may say more than it shows, the answer is that it is not known.

use std::collections::BTreeSet;

/// The text of a manifest, of which values can be told.
pub(super) struct Words<'t> {
    text: &'t str,
    /// Whether it may be a template.
    has_templates: bool,
    /// What keys with templates in them begin and end with.
    computed: Vec<(&'t str, &'t str)>,
}

/// Actions of templates that print nothing themselves.
const CONTROL: [&str; 8] = ["if", "else", "end", "range", "with", "/*", "$", "break"];
/// Characters that would hide keys: other line breaks of YAML, and what was no text before it was decoded.
const STRANGE: [char; 5] = ['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}', '\u{fffd}'];
/// Words that are no texts in YAML.
const NO_TEXTS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];

impl<'t> Words<'t> {
    /// `None` if keys may be written in a way that the text does not show: by including a file, with escapes, as complex keys, or by
    /// a template that prints them.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let is_hidden = ["!include", "\\x", "\\u", "\\U"].iter().any(|word| text.contains(word))
            || text.bytes().any(|byte| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r'))
            || !text.is_ascii() && text.contains(STRANGE)
            || text.match_indices('\r').any(|(at, _)| !text[at..].starts_with("\r\n"))
            || text.contains('?') && text.lines().any(is_complex_key);
        if is_hidden {
            return None;
        }
        let has_templates = text.contains("{{");
        let (mut computed, mut rest) = (Vec::new(), text);
        while let Some(at) = rest.find("{{") {
            let start = rest[..at].rfind('\n').map_or(0, |end| end + 1);
            let (line, below) = rest[start..].split_once('\n').unwrap_or((&rest[start..], ""));
            computed.extend(computed_key(line.trim_end_matches('\r'))?);
            rest = below;
        }
        Some(Words { text, has_templates, computed })
    }

    /// The values of a key at any depth; `None` if it may have others.
    pub(super) fn values(&self, key: &str) -> Option<BTreeSet<&'t str>> {
        self.found(key, usize::MAX)
    }

    /// The values of a key at the top of the file; `None` if it may have others.
    pub(super) fn top_values(&self, key: &str) -> Option<BTreeSet<&'t str>> {
        let begins = |line: &&str| !matches!(line.trim(), "" | "---") && !line.trim_start().starts_with(['#', '%']);
        let lines = || self.text.lines().filter(begins).filter(|line| !line.trim_start().starts_with("{{"));
        let is_plain = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        // A template may take the blanks before a key away.
        let is_moved = self.text.contains("-}}");
        let is_block = !is_moved && lines().next().is_none_or(|first| is_plain(&first));
        let first = lines().map(indent).min().filter(|_| is_block);
        self.found(key, first.unwrap_or(usize::MAX))
    }

    /// The values of a key that stands in one of the first columns.
    fn found(&self, key: &str, last_column: usize) -> Option<BTreeSet<&'t str>> {
        let is_it = |(start, end): &(&str, &str)| key.starts_with(start) && key.ends_with(end);
        if self.computed.iter().any(is_it) {
            return None;
        }
        let mut values = BTreeSet::new();
        for (at, _) in self.text.match_indices(key) {
            let line_start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            let (before, rest) = (&self.text[line_start..at], &self.text[at + key.len()..]);
            if before.ends_with(is_of_key) || rest.starts_with(is_of_key) {
                continue;
            }
            let quote = before.chars().next_back().filter(|quote| matches!(quote, '"' | '\'' | '`'));
            let rest = match quote {
                Some(quote) => rest.strip_prefix(quote),
                None => Some(rest),
            };
            let Some(rest) = rest else { continue };
            let is_quoted = quote.is_some();
            let Some(value) = rest.trim_start_matches([' ', '\t']).strip_prefix(':') else {
                let is_named = before.split_whitespace().next_back().is_some_and(|word| word.starts_with('&'));
                let may_be_key = is_quoted && self.has_templates || is_named || rest.trim_start().starts_with(':');
                if may_be_key {
                    return None;
                }
                continue;
            };
            let column = before.chars().count() - usize::from(is_quoted);
            let is_key = is_quoted || value.is_empty() || value.starts_with([' ', '\t', '\n', '\r']);
            if is_key && column <= last_column {
                values.extend(scalar(value, column, before)?);
            }
        }
        Some(values)
    }
}

/// Whether a line may begin a key that is no scalar.
fn is_complex_key(line: &str) -> bool {
    matches!(line.trim_start().as_bytes(), [b'?'] | [b'?', b' ' | b'\t', ..])
}

/// Whether a character belongs to the same key.
fn is_of_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// What a key with templates in it begins and ends with, if a line has one; `None` if templates in it may print others.
fn computed_key(line: &str) -> Option<Option<(&str, &str)>> {
    let Some((before, action)) = line.split_once("{{") else { return Some(None) };
    if before.trim_start().is_empty() {
        let action = action.trim_start_matches('-').trim_start();
        let is_control =
            |word: &&&str| action.strip_prefix(**word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        let is_only = action.split_once("}}").is_some_and(|(_, rest)| !rest.contains("{{"));
        return (is_only && CONTROL.iter().any(|word| is_control(&word))).then_some(None);
    }
    if before.contains(": ") && !before.contains('{') {
        return Some(None);
    }
    // After one of the actions, a key may end.
    let mut ends = action.split("}}").skip(1).filter_map(|after| {
        let after = after.split("{{").next().unwrap_or_default();
        let rest = after.trim_start_matches(is_of_key);
        let end = &after[..after.len() - rest.len()];
        let rest = rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
        (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(end)
    });
    let Some(end) = ends.next() else { return Some(None) };
    let start = before.trim_end_matches(is_of_key);
    Some(Some((&before[start.len()..], if ends.next().is_none() { end } else { "" })))
}

/// The scalar after a key in some column; nothing if the value is a collection. `None` if it is not shown as it is.
fn scalar<'t>(value: &'t str, column: usize, before: &str) -> Option<Option<&'t str>> {
    let (line, below) = value.split_once('\n').unwrap_or((value, ""));
    let line = line.strip_suffix('\r').unwrap_or(line);
    let text = line.trim_start_matches([' ', '\t']);
    let next = below.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let is_flow = before.contains(['{', '[']);
    match text.chars().next() {
        None | Some('#') => {
            let next = next?;
            let inner = next.trim();
            let is_collection = inner.starts_with("- ") || inner == "-" || inner.contains(": ") || inner.ends_with(':');
            let is_plain = inner.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            (is_collection && is_plain && (indent(next) > column || inner.starts_with('-'))).then_some(None)
        }
        Some('[') => text.contains(']').then_some(None),
        Some('{') => (text.contains('}') && !text.starts_with("{{")).then_some(None),
        Some(quote @ ('"' | '\'')) => {
            let (inner, rest) = text[1..].split_once(quote)?;
            let is_whole = !inner.contains("{{") && !inner.contains('\\');
            (is_whole && ends(rest, true)).then_some(Some(inner))
        }
        Some(c) if c.is_ascii_alphabetic() || c == '_' => {
            let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-')));
            let (word, rest) = text.split_at(end.unwrap_or(text.len()));
            let is_text = !NO_TEXTS.iter().any(|other| word.eq_ignore_ascii_case(other));
            let goes_on = !is_flow && next.is_some_and(|next| indent(next) > column);
            (is_text && ends(rest, is_flow) && !goes_on).then_some(Some(word))
        }
        Some(_) => None,
    }
}

/// Whether a value ends before the rest of its line.
fn ends(rest: &str, is_flow: bool) -> bool {
    let after = rest.trim_start_matches([' ', '\t']);
    after.is_empty()
        || after.len() < rest.len() && after.starts_with('#')
        || is_flow && after.starts_with([',', '}', ']'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Option<Vec<&str>> {
        Words::of(text)?.values("stage").map(|values| values.into_iter().collect())
    }

    #[test]
    fn values_are_found_where_they_are_plain() {
        for (text, expected) in [
            ("vars:\n  stage: dev\n", &["dev"][..]),
            ("vars: {stage: dev, x: 1}\nlocals: { stage : prod }\n", &["dev", "prod"]),
            ("vars:\n  'stage': \"dev\" # here\n", &["dev"]),
            ("{\"vars\": {\"stage\":\"dev\"}}", &["dev"]),
            ("- path: x\n  context: {stage: qa}\n", &["qa"]),
            ("- stage: dev\n  other: 1\n", &["dev"]),
            ("x: '{{ .vars.stage }}'\nmystage: a\nstage_name: b\nstage.x: c\n# stage\n", &[]),
            ("stage:\n  dev: 1\n", &[]),
            ("stage:\n- dev\n", &[]),
            ("stage: [dev]\nx: {stage: {dev: 1}}\n", &[]),
            ("{{ if .on }}\nstage: dev\n{{ else }}\nstage: prod\n{{ end }}\nx: {{ .y }}\n", &["dev", "prod"]),
            ("stage: dev\r\nx: 1\r\n", &["dev"]),
            ("text: |\n  echo {{ .x }}\n  stage: none\n", &["none"]),
            ("stage: \"10\"\n", &["10"]),
            ("a-{{ .key }}-b: dev\n\"queue-{{ .x }}\": {a: 1}\n  {{- range .x }}\n", &[]),
        ] {
            assert_eq!(values(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn what_the_text_does_not_show_is_not_known() {
        for text in [
            "stage: '{{ .x }}'\n",
            "stage: {{ .x }}\n",
            "stage: *x\n",
            "stage: &x dev\n",
            "stage: !env STAGE\n",
            "stage: 1\n",
            "stage: yes\n",
            "stage: dev prod\n",
            "stage: dev\n  prod\n",
            "stage: a,b\n",
            "stage: [x\n",
            "stage: {\n  a: b }\n",
            "stage: |\n  dev\n",
            "stage:\n  dev\n",
            "stage:\n",
            "stage: 'it''s'\n",
            "stage: \"a\\tb\"\n",
            "vars: !include x.yaml\n",
            "\"st\\u0061ge\": dev\n",
            "? stage\n: dev\n",
            "{\"stage\"\n: dev}\n",
            "- &k stage\n- *k : dev\n",
            "{{ .key }}: dev\n",
            "x: 1\r\nst{{ .key }}:\r\n  dev\r\n",
            "'{{ .key }}': dev\n",
            "st{{ .key }}ge: dev\n",
            "x: {a: 1, {{ .key }}: dev}\n",
            "{{ toYaml .vars }}\n",
            "vars: {{ dict \"stage\" .x | toJson }}\n",
            "{{ range $k, $v := .x }}{{ $k }}: {{ $v }}{{ end }}\n",
            "a: 1\u{85}stage: dev\n",
            "a: 1\rstage: dev\n",
            "s\0t\0a\0g\0e\0:\0 \0d\0e\0v\0",
            "vars: {\u{fffd}: 1}\n",
        ] {
            assert_eq!(values(text), None, "{text:?}");
        }
    }

    #[test]
    fn values_at_the_top() {
        for (text, expected) in [
            ("name: a\nvars:\n  name: b\n", &["a"][..]),
            ("  vars:\n    name: b\n  name: a\n", &["a"]),
            ("# c\n---\nvars: {name: b}\n", &[]),
            ("{vars: {name: b}, name: a}\n", &["a", "b"]),
            ("{{ if .x }}\nname: a\n{{ end }}\nvars:\n  name: '{{ .b }}'\n", &["a"]),
            ("{{ if .x -}}\n  name: a\n{{ end }}\nvars: {name: b}\n", &["a", "b"]),
        ] {
            let found = Words::of(text).and_then(|words| words.top_values("name"));
            assert_eq!(found, Some(expected.iter().copied().collect()), "{text:?}");
        }
    }
}
