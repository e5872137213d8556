//! The keys around a place of a YAML file, derived from its indentation alone, so that completion works in a file that
//! cannot be parsed.

use std::borrow::Cow;

/// Stands for an item of a list in a key path.
pub(crate) const ITEM: &str = "[]";
/// The maximum number of lines that are examined above and below a place.
const MAX_LINES: usize = 100_000;
/// The maximum depth of keys.
const MAX_KEYS: usize = 64;

/// A place in a YAML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place<'t> {
    /// The enclosing keys, outermost first, including the key of a value; [`ITEM`] stands for an item of a list.
    pub keys: Vec<Cow<'t, str>>,
    /// Whether a key can be written here.
    pub is_key: bool,
    /// Whether a value can be written here.
    pub is_value: bool,
    /// The text from the start of the key or value to the place.
    pub typed: &'t str,
}

/// A key or an item, with its column.
type Step<'t> = (usize, Cow<'t, str>);

/// Returns the place at a byte offset.
pub(crate) fn place(text: &str, offset: usize) -> Place<'_> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..offset];
    let (steps, rest) = steps_of(line);
    let indent = steps.first().map_or(line.len() - line.trim_start().len(), |(column, _)| *column);
    let mut keys = parents(&text[..start], indent, steps.first().is_some_and(|(_, key)| key == ITEM));
    let has_key = steps.last().is_some_and(|(_, key)| key != ITEM);
    let is_item = steps.last().is_some_and(|(_, key)| key == ITEM);
    keys.extend(steps.into_iter().map(|(_, key)| key));
    let mut place = match has_key {
        true => Place { keys, is_key: false, is_value: true, typed: rest.trim_start() },
        false => Place { keys, is_key: true, is_value: is_item, typed: rest.trim_start() },
    };
    if place.is_value {
        flow(&mut place);
    }
    place.keys.truncate(MAX_KEYS);
    place
}

/// Returns the keys of the block map around a byte offset, without the one at the offset.
pub(crate) fn beside(text: &str, offset: usize) -> Vec<&str> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let (steps, rest) = steps_of(&text[start..offset]);
    let column = match steps.last() {
        Some((column, key)) if key != ITEM => *column,
        _ => offset - start - rest.trim_start().len(),
    };
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let own = |line: &'_ str| -> (bool, Option<(usize, usize)>) {
        let (steps, _) = steps_of(line);
        let indent = line.len() - line.trim_start_matches(' ').len();
        let key = steps.iter().find(|(at, key)| *at == column && key != ITEM);
        // An item that begins before the column starts a different map.
        let begins = indent < column;
        (begins, key.map(|(at, key)| (*at, key.len())))
    };
    let mut found = Vec::new();
    for line in text[..start].lines().rev().take(MAX_LINES).filter(|line| !is_blank(line)) {
        let (begins, key) = own(line);
        found.extend(key.and_then(|(at, length)| line.get(at..at + length)));
        if begins {
            break;
        }
    }
    let next = text[offset..].find('\n').map_or(text.len(), |at| offset + at + 1);
    for line in text[next..].lines().take(MAX_LINES).filter(|line| !is_blank(line)) {
        let (begins, key) = own(line);
        if begins {
            break;
        }
        found.extend(key.and_then(|(at, length)| line.get(at..at + length)));
    }
    found
}

/// Returns the scalar fields at the top level of the document around a byte offset.
pub(crate) fn fields(text: &str, offset: usize) -> Vec<(&str, &str)> {
    let is_end = |line: &str| line.trim_end() == "---";
    let start = text[..offset].rfind("\n---").map_or(0, |at| at + 1);
    let lines = text[start..].lines().enumerate().take_while(|(i, line)| *i == 0 || !is_end(line));
    let field = |line: &'_ str| -> Option<(usize, usize)> {
        let colon = line.find(": ").filter(|_| line.starts_with(|c: char| c.is_alphanumeric()))?;
        Some((colon, colon + 2))
    };
    let found = lines.filter_map(|(_, line)| {
        let (end, value) = field(line)?;
        let value = line[value..].split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        Some((&line[..end], value))
    });
    found.take(MAX_KEYS).collect()
}

/// Returns the items and the key at the start of a line, and the rest of the line.
fn steps_of(line: &str) -> (Vec<Step<'_>>, &str) {
    let (mut steps, mut at) = (Vec::new(), line.len() - line.trim_start_matches(' ').len());
    while let Some(rest) = line[at..].strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
        if steps.len() >= MAX_KEYS {
            break;
        }
        steps.push((at, Cow::Borrowed(ITEM)));
        at = line.len() - rest.trim_start_matches(' ').len();
    }
    match key_of(&line[at..]) {
        Some((key, end)) => {
            steps.push((at, key));
            (steps, &line[at + end..])
        }
        None => (steps, &line[at..]),
    }
}

/// Returns the key at the start of a text, and its length including the colon.
fn key_of(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        let end = text[1..].find(quote)? + 1;
        return text[end + 1..].starts_with(':').then(|| (Cow::Borrowed(&text[1..end]), end + 2));
    }
    if text.starts_with(['{', '[', '#', '!', '&', '*', '|', '>', '%', '@']) {
        return None;
    }
    let is_end = |at: &usize| text[at + 1..].is_empty() || text[at + 1..].starts_with([' ', '\r', '\n']);
    let end = text.match_indices(':').map(|(at, _)| at).find(is_end)?;
    (!text[..end].contains(" #")).then(|| (Cow::Borrowed(text[..end].trim_end()), end + 1))
}

/// Returns the keys and items in the lines above that enclose a column, outermost first.
fn parents(above: &str, column: usize, is_item: bool) -> Vec<Cow<'_, str>> {
    let (mut limit, mut is_item) = (column, is_item);
    let mut found: Vec<Cow<'_, str>> = Vec::new();
    for line in above.lines().rev().take(MAX_LINES) {
        if line.trim_start().starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        if line == "---" || found.len() >= MAX_KEYS || limit == 0 && !is_item {
            break;
        }
        if indent > limit {
            continue;
        }
        let is_above = |(at, key): &&Step<'_>| *at < limit || is_item && *at == limit && key != ITEM;
        let steps = steps_of(line).0;
        let own: Vec<&Step<'_>> = steps.iter().filter(is_above).collect();
        if let Some((at, key)) = own.first() {
            (limit, is_item) = (*at, key == ITEM);
            found.extend(own.iter().rev().map(|(_, key)| key.clone()));
        }
    }
    found.reverse();
    found
}

/// Extends the path into `{…}` and `[…]` on the line of a place.
fn flow(place: &mut Place<'_>) {
    let text = place.typed;
    if !text.starts_with(['{', '[']) {
        return;
    }
    // The open brackets (whether each is a map), and the start of the last key or item.
    let (mut open, mut start, mut quote): (Vec<bool>, usize, Option<char>) = (Vec::new(), 0, None);
    let mut has_key = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), _) => quote = (c != q).then_some(q),
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[') if open.len() < MAX_KEYS => {
                open.push(c == '{');
                if c == '[' {
                    place.keys.push(Cow::Borrowed(ITEM));
                }
                (start, has_key) = (at + 1, false);
            }
            (None, '}' | ']') => {
                let closes_key = open.pop() == Some(true) && has_key || c == ']';
                if closes_key {
                    place.keys.pop();
                }
                has_key = open.last() == Some(&true);
                start = at + 1;
            }
            (None, ',') => {
                if has_key && open.last() == Some(&true) {
                    place.keys.pop();
                }
                (start, has_key) = (at + 1, false);
            }
            (None, ':') if open.last() == Some(&true) && !has_key => {
                let key = text[start..at].trim().trim_matches(['"', '\'']);
                place.keys.push(Cow::Borrowed(key));
                (start, has_key) = (at + 1, true);
            }
            _ => {}
        }
    }
    place.typed = text[start..].trim_start();
    place.is_key = open.last() == Some(&true) && !has_key;
    place.is_value = !place.is_key;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The keys, whether a key and a value can be written, and the typed text, at `|`.
    fn at(text: &str) -> (String, bool, bool, String) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let place = place(&text, offset);
        (place.keys.join("/"), place.is_key, place.is_value, place.typed.to_owned())
    }

    #[test]
    fn keys_lead_to_a_place() {
        for (text, keys, is_key, is_value, typed) in [
            ("va|", "", true, false, "va"),
            ("a:\n  b:\n    c: 1\n    d|\n", "a/b", true, false, "d"),
            ("a:\n  b:\n\n    # x:\n    |\n", "a/b", true, false, ""),
            ("a:\n  b:\n    c: x|\n", "a/b/c", false, true, "x"),
            ("a:\n  b: {c: [1]}\n  d: 'x|", "a/d", false, true, "'x"),
            ("import:\n- a\n- b|", "import/[]", true, true, "b"),
            ("import:\n  - a\n  - path: x\n    con|", "import/[]", true, false, "con"),
            ("import:\n- path: x\n  context:\n    a: 1\n    b|", "import/[]/context", true, false, "b"),
            ("a: [x, y|", "a/[]", false, true, "y"),
            ("a: {b: 1, c|", "a", true, false, "c"),
            ("a: {b: {c: 1}, d: e|", "a/d", false, true, "e"),
            ("a: {b: [{c: 1}, {d|", "a/b/[]", true, false, "d"),
            ("\"a b\":\n  'c': |", "a b/c", false, true, ""),
            ("a: 1\n---\nb|", "", true, false, "b"),
            ("a:\r\n  b:\r\n    c|\r\n", "a/b", true, false, "c"),
            ("a:\n  - b:\n      c: 1\n    d:\n      e|", "a/[]/d", true, false, "e"),
            ("- - |", "[]/[]", true, true, ""),
        ] {
            assert_eq!(at(text), (keys.to_owned(), is_key, is_value, typed.to_owned()), "{text}");
        }
    }

    #[test]
    fn keys_beside_a_place() {
        let at = |text: &str| {
            let offset = text.find('|').unwrap();
            beside(&text.replacen('|', "", 1), offset).join(" ")
        };
        assert_eq!(at("a:\n  b: 1\n  c:\n    d: 1\n  e|\n  f: 1\ng: 1\n"), "c b f");
        assert_eq!(at("a:\n- b: 1\n  c|\n- d: 1\n"), "b");
        assert_eq!(at("x|: 1\ny: 2\n"), "y");
    }

    #[test]
    fn fields_of_the_document_around_a_place() {
        let text = "kind: Project\n---\nkind: \"Build\" # x\nname: a\nspec:\n  kind: c\n---\nkind: Run\n";
        assert_eq!(fields(text, text.find("spec").unwrap()), [("kind", "Build"), ("name", "a")]);
        assert_eq!(fields(text, 0), [("kind", "Project")]);
        assert_eq!(fields(text, text.len()), [("kind", "Run")]);
    }

    proptest! {
        #[test]
        fn any_text_has_an_answer(text in "[-a:é{}\\[\\], '\"#|\r\n]{0,60}") {
            for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let place = place(&text, offset);
                prop_assert!(text[..offset].ends_with(place.typed));
                fields(&text, offset);
                beside(&text, offset);
            }
        }
    }
}
