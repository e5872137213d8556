//! The text to remove with an entry of a map or an item of a list.

use super::{Syntax, hcl};
use crate::files::File;
use std::ops::Range;

/// A key with its value: the first byte of the key, the first of the value, and one past the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryPlace {
    pub(crate) key: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Returns the lines of a key and its value in a map in block style. `None` if removing them would leave the map empty,
/// remove a comment or anything else, or if the key shares its lines.
pub(crate) fn entry(file: &File, place: EntryPlace) -> Option<Range<usize>> {
    let (text, key) = (&*file.text, place.key);
    let source = Syntax::source(file);
    let end = trimmed_end(text, key, place.end);
    let start = text.get(..key)?.rfind('\n').map_or(0, |i| i + 1);
    let stop = text.get(end..)?.find('\n').map_or(text.len(), |i| end + i + 1);
    if !text[start..key].bytes().all(|b| b == b' ')
        || key == place.start
        || holds_more(source.as_deref(), text, key..stop)
    {
        return None;
    }
    match source {
        None if !text[end..stop].trim().is_empty() => None,
        None => has_sibling(text, start, key - start, stop).then_some(start..stop),
        Some(source) => {
            let entry = source.entry_of(key)?;
            let is_alone = matches!(text[end..stop].trim(), "" | ",");
            // An entry on the line of the surrounding brace has no lines of its own.
            let has_lines = entry.parent.is_none_or(|p| (source.entries[p].key.start as usize) < start);
            (is_alone && has_lines && source.has_sibling(entry)).then_some(start..stop)
        }
    }
}

/// An item of a list: its lines in one with dashes, its text and a comma in one in brackets. `None` where removing it would
/// leave the list empty or take a comment along.
pub(crate) fn item(file: &File, place: EntryPlace) -> Option<Range<usize>> {
    let (text, first) = (&*file.text, place.start);
    let source = Syntax::source(file);
    let end = trimmed_end(text, first, place.end);
    let line = text.get(..first)?.rfind('\n').map_or(0, |i| i + 1);
    let before = &text[line..first];
    text.get(first..end)?;
    if holds_more(source.as_deref(), text, first..end) {
        return None;
    }
    if source.is_none() && before.trim() == "-" {
        return dashed_item(text, line..end, before);
    }
    let behind = text[end..].find(|c: char| !c.is_whitespace()).map(|i| end + i)?;
    let ahead = text[..first].rfind(|c: char| !c.is_whitespace())?;
    match (text.as_bytes()[ahead], text.as_bytes()[behind]) {
        (b'[' | b',', b',') => {
            let next = text[behind + 1..].find(|c: char| !c.is_whitespace()).map(|i| behind + 1 + i)?;
            Some(first..next)
        }
        (b',', b']') => Some(ahead..end),
        _ => None,
    }
}

fn dashed_item(text: &str, lines: Range<usize>, before: &str) -> Option<Range<usize>> {
    let (line, end) = (lines.start, lines.end);
    let indent = before.len() - before.trim_start().len();
    let stop = text[end..].find('\n').map_or(text.len(), |i| end + i + 1);
    let is_item = |line: &str| {
        line.len() - line.trim_start().len() == indent && (line.trim() == "-" || line.trim_start().starts_with("- "))
    };
    let inner = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#') || line.starts_with(' ');
    let above = text[..line].lines().rev().take_while(|l| inner(l) || is_item(l)).any(is_item);
    let below = text[stop..].lines().take_while(|l| inner(l) || is_item(l)).any(is_item);
    (text[end..stop].trim().is_empty() && (above || below)).then_some(line..stop)
}

/// The end of a range without the white space that it ends with.
fn trimmed_end(text: &str, start: usize, end: usize) -> usize {
    let mut end = end;
    while end > start && text.as_bytes().get(end - 1).is_some_and(u8::is_ascii_whitespace) {
        end -= 1;
    }
    end
}

/// Whether a range has a comment in it, or an anchor that others refer to.
fn holds_more(source: Option<&hcl::Source>, text: &str, range: Range<usize>) -> bool {
    match source {
        None => text.get(range).is_none_or(|text| text.contains(['&', '#'])),
        Some(source) => source.has_comment(range),
    }
}

/// Whether a map of YAML has a key at the same indentation above or below some lines.
fn has_sibling(text: &str, start: usize, indent: usize, stop: usize) -> bool {
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let is_sibling = |line: &str| indent_of(line) == indent && !line.trim_start().starts_with("- ");
    let after = text[stop..].lines().find(is_content).is_some_and(is_sibling);
    let before =
        text[..start].lines().rev().filter(is_content).find(|l| indent_of(l) <= indent).is_some_and(is_sibling);
    before || after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use std::sync::Arc;

    fn file(path: &str, text: &str) -> Arc<File> {
        let files = Files::default();
        files.get(files.add(path, "1", || text.into()))
    }

    fn without(text: &str, range: Range<usize>) -> String {
        format!("{}{}", &text[..range.start], &text[range.end..])
    }

    /// The text after the key at `key` with its value `value` was removed.
    fn removed(path: &str, text: &str, key: &str, value: &str) -> Option<String> {
        let key = text.find(key).unwrap();
        let start = key + text[key..].find(value).unwrap();
        let place = EntryPlace { key, start, end: start + value.len() };
        entry(&file(path, text), place).map(|range| without(text, range))
    }

    fn removed_item(path: &str, text: &str, value: &str) -> Option<String> {
        let start = text.find(value).unwrap();
        let place = EntryPlace { key: start, start, end: start + value.len() };
        item(&file(path, text), place).map(|range| without(text, range))
    }

    #[test]
    fn keys_go_with_their_lines() {
        let removed = |text: &str, key: &str, value: &str| removed("a.yaml", text, key, value);
        let text = "vars:\n  a: 1\n  b:\n    - x\n    - y\n  c: 3\n";
        assert_eq!(removed(text, "a: ", "1").unwrap(), "vars:\n  b:\n    - x\n    - y\n  c: 3\n");
        assert_eq!(removed(text, "b:", "- x\n    - y\n").unwrap(), "vars:\n  a: 1\n  c: 3\n");
        assert_eq!(removed(text, "c: ", "3").unwrap(), "vars:\n  a: 1\n  b:\n    - x\n    - y\n");
        assert_eq!(removed("vars:\n  a: 1\n", "a: ", "1"), None, "the only key");
        assert_eq!(removed("vars: {a: 1, b: 2}\n", "a: 1", "1"), None, "a flow map");
        assert_eq!(removed("l:\n  - a: 1\n    b: 2\n", "a: ", "1"), None, "behind a dash");
        assert_eq!(removed("v:\n  a: 1 # why\n  b: 2\n", "a: ", "1"), None, "a comment");
        assert_eq!(removed("v:\n  a: &x 1\n  b: *x\n", "a: &", "&x 1"), None, "an anchor");
    }

    #[test]
    fn arguments_go_with_their_lines() {
        let removed = |text: &str, key: &str, value: &str| removed("a.tfvars", text, key, value);
        let text = "a = 1\nb = {\n  c = \"#\",\n  d = <<E\nx\nE\n}\n";
        assert_eq!(removed(text, "a =", "1").unwrap(), "b = {\n  c = \"#\",\n  d = <<E\nx\nE\n}\n");
        assert_eq!(removed(text, "c =", "\"#\"").unwrap(), "a = 1\nb = {\n  d = <<E\nx\nE\n}\n");
        assert_eq!(removed(text, "d =", "<<E\nx\nE").unwrap(), "a = 1\nb = {\n  c = \"#\",\n}\n");
        assert_eq!(removed("a = 1 // why\nb = 2\n", "a =", "1"), None, "a comment");
        assert_eq!(removed("a { b = 1 }\nc = 1\n", "b =", "1"), None, "a line of others");
        assert_eq!(removed("a = {\n  b = 1\n}\n", "b =", "1"), None, "the only key");
        assert_eq!(removed_item("a.tf", "l = [\"one\", \"two\"]\n", "\"one\"").unwrap(), "l = [\"two\"]\n");
        assert_eq!(
            removed_item("a.tf", "l = [\n  \"one\",\n  \"two\"\n]\n", "\"two\"").unwrap(),
            "l = [\n  \"one\"\n]\n"
        );
    }

    #[test]
    fn items_go_with_their_lines_or_commas() {
        let removed = |text: &str, item: &str| removed_item("a.yaml", text, item);
        assert_eq!(removed("l:\n  - one\n  - two\n", "one").unwrap(), "l:\n  - two\n");
        assert_eq!(removed("l:\n- one\n- two\nm: 1\n", "two").unwrap(), "l:\n- one\nm: 1\n");
        assert_eq!(removed("l:\n- path: one\n  x: 1\n- two\n", "path: one\n  x: 1\n").unwrap(), "l:\n- two\n");
        assert_eq!(removed("l: [one, two, three]\n", "one").unwrap(), "l: [two, three]\n");
        assert_eq!(removed("l: [one, two, three]\n", "two").unwrap(), "l: [one, three]\n");
        assert_eq!(removed("l: [one, two]\n", "two").unwrap(), "l: [one]\n");
        assert_eq!(removed("l: [one]\n", "one"), None, "the only one");
        assert_eq!(removed("l:\n- one\nm:\n- two\n", "one"), None, "the only one, beside another list");
        assert_eq!(removed("l:\n- one # why\n- two\n", "one"), None, "a comment");
    }
}
