//! Secrets in lines of YAML that cannot be parsed, like templates: recognized by the line, and by those around it.

use super::keys::{is_named_by, is_naming, is_no_secret, is_secret_key};
use super::{MAX_ABOVE, is_in_private_key, tokens};
use crate::files::File;
use std::ops::Range;

/// Where the secret parts of a line of YAML are: byte ranges that do not overlap. With `all`, the value of its first key
/// counts as one whatever the key is, and so does a line without a key.
pub(super) fn secret_ranges(line: &str, all: bool) -> Vec<Range<usize>> {
    let mut ranges = keyed_range(line, all);
    if ranges.is_empty() {
        // A value masked because of its key extends to the end of the line.
        ranges = tokens::shown(line);
    } else if let Some(first) = ranges.first().cloned() {
        ranges.splice(0..0, tokens::shown(line).into_iter().filter(|t| t.end <= first.start));
    }
    ranges
}

/// The part of a line that is secret because of its key.
fn keyed_range(line: &str, all: bool) -> Vec<Range<usize>> {
    let content = line.trim_end();
    let colons = content.match_indices(':').map(|(i, _)| i).filter(|i| {
        content[i + 1..].chars().next().is_none_or(char::is_whitespace) || content[..*i].ends_with(['"', '\''])
    });
    let mut first = true;
    let in_pair = line_names_secret(content);
    for colon in colons {
        let key = content[..colon].trim_end().trim_end_matches(['"', '\'']);
        let start = key
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')))
            .map_or(0, |i| i + key[i..].chars().next().map_or(1, char::len_utf8));
        if is_secret_key(&key[start..]) || (all && first) || (in_pair && is_named_by(&key[start..])) {
            let value = &content[colon + 1..];
            let from = content.len() - value.trim_start().len();
            let plain = value.trim().trim_matches(['"', '\'']);
            // The start of a block, an anchor, an alias or a boolean is not a secret.
            let harmless = is_no_secret(plain)
                || matches!(plain, "|" | ">" | "|-" | ">-" | "|+" | ">+" | "true" | "false" | "null" | "~")
                || plain.starts_with(['#', '*']);
            return if harmless { Vec::new() } else { std::iter::once(from..content.len()).collect() };
        }
        first = false;
    }
    if all && first && !content.is_empty() {
        let from = content.find(|c: char| !(c.is_whitespace() || c == '-')).unwrap_or(content.len());
        return std::iter::once(from..content.len()).collect();
    }
    Vec::new()
}

/// Whether a line of YAML has a key like `name` with the name of a secret: `{name: DB_PASSWORD, …`.
fn line_names_secret(line: &str) -> bool {
    let parts = line.split(['{', ',', '}']).map(|part| part.trim().trim_start_matches("- "));
    parts.filter_map(|part| part.split_once(':')).any(|(key, value)| {
        let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        is_naming(&plain(key)) && is_secret_key(&plain(value))
    })
}

/// Whether a line of YAML has a value that a neighboring line names as a secret: `- name: DB_PASSWORD` and `  value:
/// …`.
fn is_named_beside(file: &File, line: u32) -> bool {
    /// Lines of one entry of a list.
    const NEAR: u32 = 8;
    let text = |line: u32| file.line_text(line);
    let content = |line: u32| text(line).trim_start().trim_start_matches("- ").trim_start();
    let column = |line: u32| text(line).len() - content(line).len();
    let key = content(line).split(':').next().unwrap_or_default().trim_matches(['"', '\'']);
    if !is_named_by(key) {
        return false;
    }
    let is_entry = |l: &u32| !text(*l).trim().is_empty() && column(*l) >= column(line);
    let starts = |l: u32| text(l).trim_start().starts_with("- ") && column(l) == column(line);
    let above = (line.saturating_sub(NEAR).max(1)..line).rev();
    let own = |l: &u32| column(*l) == column(line) && line_names_secret(text(*l));
    let mut is_done = starts(line);
    for l in above.take_while(is_entry) {
        if is_done {
            break;
        }
        if own(&l) {
            return true;
        }
        is_done = starts(l);
    }
    (line + 1..=line + NEAR).take_while(|l| is_entry(l) && !starts(*l)).any(|l| own(&l))
}

/// Whether a line of YAML is in a block below a secret key, like the lines of a private key.
pub(super) fn is_inside_secret(file: &File, line: u32) -> bool {
    let indentation = |text: &str| text.len() - text.trim_start().len();
    if is_named_beside(file, line) || is_in_private_key(file, line) {
        return true;
    }
    let own = file.line_text(line);
    let mut least = if own.trim().is_empty() { usize::MAX } else { indentation(own) };
    for above in (line.saturating_sub(MAX_ABOVE).max(1)..line).rev() {
        let text = file.line_text(above);
        if text.trim().is_empty() || indentation(text) >= least {
            continue;
        }
        least = indentation(text);
        let key = text.trim_start_matches([' ', '-']).split(':').next().unwrap_or_default();
        if is_secret_key(key.trim().trim_matches(['"', '\''])) {
            return true;
        }
        if least == 0 {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_below_a_secret() {
        let files = crate::files::Files::default();
        let text = "vars:\n  private_key: |\n    MIIE\n\n    abcd\n  name: x\n  credentials:\n    - user: y\n";
        let file = files.get(files.add("a.yaml", "1", || text.into()));
        let inside: Vec<u32> = (1..=9).filter(|line| is_inside_secret(&file, *line)).collect();
        assert_eq!(inside, [3, 4, 5, 8, 9]);
    }

    #[test]
    fn values_that_are_named_beside() {
        let files = crate::files::Files::default();
        let text = "env:\n  - name: DB_PASSWORD\n    value: hunter2\n  - name: LEVEL\n    value: debug\n  - value: hunter3\n    name: API_KEY\n";
        let file = files.get(files.add("a.yaml", "1", || text.into()));
        let inside: Vec<u32> = (1..=7).filter(|line| is_inside_secret(&file, *line)).collect();
        assert_eq!(inside, [3, 6]);
    }

    #[test]
    fn lines() {
        for (line, all, shown) in [
            ("  password: hunter2", false, "  password: *"),
            ("  - \"db-password\": 'x' # note", false, "  - \"db-password\": *"),
            ("  a: {name: x, token: abc}", false, "  a: {name: x, token: *"),
            ("  {\"token\":\"abc\"}", false, "  {\"token\":*"),
            ("  password: !store prod x", false, "  password: !store prod x"),
            ("  password: '{{ .locals.p }}'", false, "  password: '{{ .locals.p }}'"),
            ("  password: |", false, "  password: |"),
            ("  url: http://x:y@z", false, "  url: http://x:*@z"),
            ("  - {name: DB_PASSWORD, value: hunter2}", false, "  - {name: DB_PASSWORD, value: *"),
            ("  - {value: hunter2, name: DB_PASSWORD}", false, "  - {value: *"),
            ("  - {name: LEVEL, value: debug}", false, "  - {name: LEVEL, value: debug}"),
            ("  name: value", true, "  name: *"),
            ("    - value", true, "    - *"),
            ("  secret:", true, "  secret:"),
            ("", true, ""),
            ("é: ü", true, "é: *"),
        ] {
            let mut text = line.to_owned();
            for range in secret_ranges(line, all).into_iter().rev() {
                text.replace_range(range, "*");
            }
            assert_eq!(text, shown, "{line}");
        }
    }
}
