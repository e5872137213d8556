//! Edits of manifests: a key taken away, a value written anew.

use crate::diagnostic::{Applicability, Edit, Fix};
use crate::files::Files;
use crate::value::Origin;

/// Takes the lines of a key and its value out of a block map. `None` where that would leave the map empty, take a comment
/// or something else along, or where the key has no lines of its own.
pub(super) fn removal(files: &Files, origin: Origin, title: &str, applicability: Applicability) -> Option<Fix> {
    let file = files.get(origin.file);
    let text = &*file.text;
    let (key, mut end) = (origin.key as usize, origin.end as usize);
    while end > key && text.as_bytes().get(end - 1).is_some_and(u8::is_ascii_whitespace) {
        end -= 1;
    }
    let start = text.get(..key)?.rfind('\n').map_or(0, |i| i + 1);
    let indent = key - start;
    let stop = text.get(end..)?.find('\n').map_or(text.len(), |i| end + i + 1);
    let has_lines = text[start..key].bytes().all(|b| b == b' ') && text[end..stop].trim().is_empty();
    let is_anchor = text[key..end].contains(['&', '#']);
    if !has_lines || is_anchor || origin.key == origin.start {
        return None;
    }
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let is_sibling = |line: &str| indent_of(line) == indent && !line.trim_start().starts_with("- ");
    let after = text[stop..].lines().find(is_content).is_some_and(is_sibling);
    let before =
        text[..start].lines().rev().filter(is_content).find(|l| indent_of(l) <= indent).is_some_and(is_sibling);
    if !before && !after {
        return None;
    }
    let edit = Edit { file: origin.file, start: start as u32, end: stop as u32, text: String::new() };
    Some(Fix::one(title, edit, applicability))
}

/// Takes an item out of a list: its lines out of one with dashes, its text and a comma out of one in brackets. `None` where
/// that would leave the list empty or take a comment along.
pub(super) fn item_removal(files: &Files, item: Origin, title: &str, applicability: Applicability) -> Option<Fix> {
    let file = files.get(item.file);
    let text = &*file.text;
    let (first, mut end) = (item.start as usize, item.end as usize);
    while end > first && text.as_bytes().get(end - 1).is_some_and(u8::is_ascii_whitespace) {
        end -= 1;
    }
    let line = text.get(..first)?.rfind('\n').map_or(0, |i| i + 1);
    let before = &text[line..first];
    if text.get(first..end)?.contains(['&', '#']) {
        return None;
    }
    let (start, stop) = if before.trim() == "-" {
        let indent = before.len() - before.trim_start().len();
        let stop = text[end..].find('\n').map_or(text.len(), |i| end + i + 1);
        let dash_at = |line: &str| {
            line.len() - line.trim_start().len() == indent
                && (line.trim() == "-" || line.trim_start().starts_with("- "))
        };
        let inner = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#') || line.starts_with(' ');
        let is_item = |line: &str| dash_at(line);
        let above = text[..line].lines().rev().take_while(|l| inner(l) || is_item(l)).any(is_item);
        let below = text[stop..].lines().take_while(|l| inner(l) || is_item(l)).any(is_item);
        if !text[end..stop].trim().is_empty() || !(above || below) {
            return None;
        }
        (line, stop)
    } else {
        let behind = text[end..].find(|c: char| !c.is_whitespace()).map(|i| end + i)?;
        let ahead = text[..first].rfind(|c: char| !c.is_whitespace())?;
        match (text.as_bytes()[ahead], text.as_bytes()[behind]) {
            (b'[' | b',', b',') => {
                let next = text[behind + 1..].find(|c: char| !c.is_whitespace()).map(|i| behind + 1 + i)?;
                (first, next)
            }
            (b',', b']') => (ahead, end),
            _ => return None,
        }
    };
    let edit = Edit { file: item.file, start: start as u32, end: stop as u32, text: String::new() };
    Some(Fix::one(title, edit, applicability))
}

/// Writes a value anew.
pub(super) fn replacement(origin: Origin, text: &str, title: &str) -> Fix {
    let edit = Edit { file: origin.file, start: origin.start, end: origin.end, text: text.to_owned() };
    Fix::one(title, edit, Applicability::Unsafe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::fix::apply;

    /// The text after the key at `key` with its value `value` was removed.
    fn removed(text: &str, key: &str, value: &str) -> Option<String> {
        let files = Files::default();
        let file = files.add("a", "1", || text.into());
        let key = text.find(key).unwrap();
        let start = key + text[key..].find(value).unwrap();
        let origin = Origin { file, key: key as u32, start: start as u32, end: (start + value.len()) as u32 };
        let fix = removal(&files, origin, "remove", Applicability::Safe)?;
        Some(apply([&fix], Applicability::Safe, &files).texts[&file].clone())
    }

    #[test]
    fn keys_go_with_their_lines() {
        let text = "vars:\n  a: 1\n  b:\n    - x\n    - y\n  c: 3\n";
        assert_eq!(removed(text, "a: ", "1").unwrap(), "vars:\n  b:\n    - x\n    - y\n  c: 3\n");
        assert_eq!(removed(text, "b:", "- x\n    - y\n").unwrap(), "vars:\n  a: 1\n  c: 3\n");
        assert_eq!(removed(text, "c: ", "3").unwrap(), "vars:\n  a: 1\n  b:\n    - x\n    - y\n");
    }

    #[test]
    fn items_go_with_their_lines_or_commas() {
        let removed = |text: &str, item: &str| {
            let files = Files::default();
            let file = files.add("a", "1", || text.into());
            let start = text.find(item).unwrap() as u32;
            let end = start + item.len() as u32;
            let fix = item_removal(&files, Origin { file, key: start, start, end }, "remove", Applicability::Safe)?;
            Some(apply([&fix], Applicability::Safe, &files).texts[&file].clone())
        };
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

    #[test]
    fn nothing_else_goes_with_them() {
        assert_eq!(removed("vars:\n  a: 1\n", "a: ", "1"), None, "the only key");
        assert_eq!(removed("vars: {a: 1, b: 2}\n", "a: 1", "1"), None, "a flow map");
        assert_eq!(removed("l:\n  - a: 1\n    b: 2\n", "a: ", "1"), None, "behind a dash");
        assert_eq!(removed("v:\n  a: 1 # why\n  b: 2\n", "a: ", "1"), None, "a comment");
        assert_eq!(removed("v:\n  a: &x 1\n  b: *x\n", "a: &", "&x 1"), None, "an anchor");
    }
}
