//! HCL in its native syntax.

mod blocks;
mod entries;
mod names;
mod tokens;

use super::Comment;
use super::secrets::Masks;
use crate::hcl::parse::{Layout, parse_body};
use crate::text::Text;
use crate::threads::with_deep_stack;
pub(crate) use blocks::{argument_at, blocks_at, outline};
pub(crate) use entries::{Entry, HclEntryKind, Literal};
pub(crate) use names::{NameUse, Names, Subject, names, values};
use std::ops::Range;
use std::sync::OnceLock;

/// The structure of a text in HCL, as far as it could be read.
#[derive(Debug)]
pub(crate) struct Source {
    text: Text,
    tokens: tokens::Tokens,
    /// Blocks, arguments, keys and list items in the order of the text, parents before children.
    pub(super) entries: Vec<Entry>,
    /// Text and numbers that values are made of, in the order of the text.
    pub(super) literals: Vec<Literal>,
    /// Whether there is text that could not be read.
    pub(super) is_broken: bool,
    masks: OnceLock<Masks>,
}

impl Source {
    pub(super) fn read(text: &Text) -> Self {
        let read = || {
            let parsed = parse_body(text, Layout::Lenient);
            (entries::collect(text, &parsed.body), !parsed.errors.is_empty())
        };
        let ((entries, literals), is_broken) = with_deep_stack(read);
        let tokens = tokens::tokens(text);
        Source { text: Text::clone(text), tokens, entries, literals, is_broken, masks: OnceLock::new() }
    }

    /// Returns the innermost entry at a byte offset.
    fn entry_at(&self, offset: u32) -> Option<&Entry> {
        let before = self.entries.partition_point(|entry| entry.key.start <= offset);
        let mut at = before.checked_sub(1).map(|last| &self.entries[last]);
        while let Some(entry) = at.filter(|entry| entry.value.end <= offset) {
            at = entry.parent.map(|parent| &self.entries[parent]);
        }
        at
    }

    pub(super) fn path_at(&self, offset: u32) -> String {
        let mut names = Vec::new();
        let mut at = self.entry_at(offset);
        while let Some(entry) = at {
            names.push(&*entry.name);
            at = entry.parent.map(|parent| &self.entries[parent]);
        }
        names.reverse();
        names.join(".")
    }

    /// Comments that begin with a mark. One inside of a comment of one line counts as well: `# words # mark`.
    pub(super) fn comments_with(&self, mark: &str) -> Vec<Comment> {
        self.tokens.comments.iter().filter_map(|comment| self.marked(comment, mark)).collect()
    }

    fn marked(&self, comment: &Comment, mark: &str) -> Option<Comment> {
        let body = &self.text[comment.body.clone()];
        if body.trim_start().starts_with(mark) {
            return Some(comment.clone());
        }
        let is_block = self.text[comment.span.clone()].starts_with("/*");
        let inner = body.match_indices(mark).filter(|_| !is_block).find_map(|(at, _)| {
            let before = body[..at].trim_end();
            let sign = ["#", "//"].into_iter().find(|sign| before.ends_with(sign))?;
            let start = before.len() - sign.len();
            before[..start].ends_with(char::is_whitespace).then_some((start, start + sign.len()))
        });
        let end = comment.span.end;
        inner.map(|(start, body)| Comment {
            span: comment.body.start + start..end,
            body: comment.body.start + body..end,
        })
    }

    pub(super) fn content_lines(&self) -> Vec<u32> {
        let mut lines = Vec::new();
        let (mut start, mut first) = (0, 0);
        for (number, line) in (1..).zip(self.text.split_inclusive('\n')) {
            let end = start + line.len();
            let mut at = start;
            let mut has_content = false;
            while let Some(comment) = self.tokens.comments.get(first).filter(|c| c.span.start < end) {
                has_content |= !blank(&self.text[at..comment.span.start.max(at)]);
                at = comment.span.end.min(end).max(at);
                if comment.span.end > end {
                    break;
                }
                first += 1;
            }
            if has_content || !blank(&self.text[at..end]) {
                lines.push(number);
            }
            start = end;
        }
        lines
    }

    /// Returns the keys that lead to the first entry on a line, and the text before its value.
    pub(super) fn subject(&self, offset: u32, line: &str) -> String {
        let (from, to) = (offset as usize, offset as usize + line.len());
        let next = self.tokens.comments.partition_point(|comment| comment.span.end <= from);
        let comments = self.tokens.comments[next..].iter().take_while(|c| c.span.start < to).map(|c| c.span.clone());
        let (mut at, mut first, mut code) = (from, None, String::new());
        for comment in comments.chain(std::iter::once(to..to)) {
            let part = self.text.get(at..comment.start).unwrap_or_default();
            if first.is_none() && !blank(part) {
                first = Some(at + part.len() - part.trim_start().len());
            }
            code.push_str(part);
            at = comment.end;
        }
        let path = first.map_or_else(String::new, |first| self.path_at(first as u32));
        format!("{path}: {}", code.split('=').next().unwrap_or_default().trim())
    }

    pub(super) fn is_within_text(&self, offset: u32) -> bool {
        let offset = offset as usize;
        let comments = self.tokens.comments.iter().map(|comment| &comment.span);
        self.tokens.strings.iter().chain(comments).any(|span| span.start < offset && offset < span.end)
    }

    /// Returns the ranges that may have to be masked.
    pub(super) fn masks(&self) -> &Masks {
        self.masks.get_or_init(|| Masks::of(&self.text, &self.entries, &self.literals))
    }

    /// The entry that some keys lead to: blocks without labels, arguments, and keys of objects. `None` if there are several.
    pub(crate) fn entry(&self, keys: &[String]) -> Option<&Entry> {
        let (mut at, mut found) = (None, None);
        for key in keys {
            let is_it = |(_, entry): &(usize, &Entry)| entry.parent == at && entry.is_named(key);
            let mut all = self.entries.iter().enumerate().filter(is_it);
            let (index, entry) = all.next()?;
            if all.next().is_some() {
                return None;
            }
            (at, found) = (Some(index), Some(entry));
        }
        found
    }

    /// The keys that lead to the innermost entry at a byte offset; `None` if a block with labels or an item of a list is one of
    /// those around it.
    pub(crate) fn keys_at(&self, offset: u32) -> Option<Vec<String>> {
        let (mut keys, mut at) = (Vec::new(), self.entry_at(offset));
        while let Some(entry) = at {
            keys.push(entry.is_named(&entry.name).then(|| entry.name.clone())?);
            at = self.parent(entry);
        }
        keys.reverse();
        Some(keys)
    }

    /// Text and numbers that values are made of, in the order of the text.
    pub(crate) fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// The entry around an entry.
    pub(crate) fn parent(&self, entry: &Entry) -> Option<&Entry> {
        entry.parent.map(|parent| &self.entries[parent])
    }

    /// The first and the last entry directly in an entry.
    pub(crate) fn ends_of(&self, entry: &Entry) -> Option<(&Entry, &Entry)> {
        let index = self.entries.partition_point(|other| other.key.start < entry.key.start);
        let mut inner = self.entries[index..].iter().filter(|other| other.parent == Some(index));
        let first = inner.next()?;
        Some((first, inner.next_back().unwrap_or(first)))
    }

    /// The first comment in a range.
    pub(crate) fn comment_in(&self, range: &Range<usize>) -> Option<&Comment> {
        let next = self.tokens.comments.partition_point(|comment| comment.span.start < range.start);
        self.tokens.comments.get(next).filter(|comment| comment.span.start < range.end)
    }

    /// The entry whose key begins at a byte offset.
    pub(crate) fn entry_of(&self, key: usize) -> Option<&Entry> {
        let found = self.entries.binary_search_by_key(&key, |entry| entry.key.start as usize);
        found.ok().map(|index| &self.entries[index])
    }

    /// Whether an entry is not the only one in what is around it.
    pub(crate) fn has_sibling(&self, entry: &Entry) -> bool {
        let end = entry.value.end;
        let first = self.entries.partition_point(|other| other.key.start < entry.key.start);
        // The one before is the entry around it, or a sibling or something in that.
        let is_first = first.checked_sub(1) == entry.parent;
        let next = self.entries.partition_point(|other| other.key.start < end);
        !is_first || self.entries.get(next).is_some_and(|other| other.parent == entry.parent)
    }

    /// Whether a range has a comment in it.
    pub(super) fn has_comment(&self, range: Range<usize>) -> bool {
        let next = self.tokens.comments.partition_point(|comment| comment.span.end <= range.start);
        self.tokens.comments.get(next).is_some_and(|comment| comment.span.start < range.end)
    }

    #[cfg(test)]
    pub(super) fn tokens(&self) -> (Vec<Range<usize>>, &[Range<usize>]) {
        (self.tokens.comments.iter().map(|comment| comment.span.clone()).collect(), &self.tokens.strings)
    }
}

fn blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

/// Returns the length of the key at the start of a text: a quoted string, or the text before `=` or `:`.
pub(super) fn key_length(text: &str) -> usize {
    let quoted = text.strip_prefix('"').and_then(|rest| {
        let mut is_escaped = false;
        rest.bytes().position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        })
    });
    quoted.map_or_else(|| text.find(['\n', '=', ':']).unwrap_or(text.len()), |length| length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# words
locals {
  name = \"a-${var.b}\" // more
  tags = merge({ Team = \"x\", \"full name\" : \"y\" }, var.tags)
  list = [{ name = \"one\", n = 1 }, \"two\", [3]]
}
terraform {
  backend \"s3\" {
    bucket = \"b\"
  }
}
/* a
   b */ module \"vpc\" {
  source = \"./vpc\" /* c
*/
}
";

    #[test]
    fn paths_are_made_of_blocks_keys_and_names() {
        let source = Source::read(&TEXT.into());
        for (at, expected) in [
            ("locals", "locals"),
            ("name =", "locals.name"),
            ("var.b", "locals.name"),
            ("Team", "locals.tags.Team"),
            ("\"y\"", "locals.tags.full name"),
            ("var.tags", "locals.tags"),
            ("n = 1", "locals.list.[one].n"),
            ("\"two\"", "locals.list.[two]"),
            ("3]", "locals.list.[2].[0]"),
            ("s3", "terraform.backend.s3"),
            ("bucket", "terraform.backend.s3.bucket"),
            ("\"./vpc", "module.vpc.source"),
            ("words", ""),
        ] {
            assert_eq!(source.path_at(TEXT.find(at).unwrap() as u32), expected, "at {at}");
        }
        assert_eq!(source.path_at(9999), "");
    }

    #[test]
    fn lines_with_content() {
        assert_eq!(Source::read(&TEXT.into()).content_lines(), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 16]);
        assert_eq!(Source::read(&"/* a */ /* b\n*/ # c\n\n/**/ d = 1\n".into()).content_lines(), [4]);
    }

    #[test]
    fn what_a_line_is_about() {
        let source = Source::read(&"a {\n  /* x */ b = 1\n  b = 2 # y\n}\n".into());
        assert_eq!(source.subject(4, "  /* x */ b = 1"), "a.b: b");
        assert_eq!(source.subject(20, "  b = 2 # y"), "a.b: b");
    }

    #[test]
    fn no_line_goes_into_a_string_or_a_comment() {
        let text = "a = <<E\n  b\nE\n/* c\n   d */\ne = [\n  \"f\",\n]\n";
        let source = Source::read(&text.into());
        let inside: Vec<usize> = (1..=8)
            .filter(|line| {
                let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
                source.is_within_text(start as u32)
            })
            .collect();
        assert_eq!(inside, [2, 3, 5]);
    }

    #[test]
    fn keys_end_before_their_values() {
        for (text, key) in [("a = ", "a "), ("\"a = \\\" b\" : ", "\"a = \\\" b\""), ("a", "a"), ("\"a", "\"a")] {
            assert_eq!(&text[..key_length(text)], key);
        }
    }

    #[test]
    fn a_broken_file_has_what_could_be_read() {
        let text = "a {\n  b = (\n}\nc \"d\" {\n  e = 1\n";
        let source = Source::read(&text.into());
        assert!(source.is_broken);
        assert_eq!(source.path_at(text.find("b =").unwrap() as u32), "a");
    }
}
