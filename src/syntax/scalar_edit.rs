//! Edits of a YAML file that replace one scalar.

use crate::text::Text;
use crate::yaml::{Document, Node, NodeId, NodeKind, Span, document_of};
use std::ops::Range;

/// One scalar that replaces another one, on the same line. The rest of the text is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScalarEdit {
    start: u32,
    end: u32,
    new_end: u32,
}

impl ScalarEdit {
    /// The edit that turns one text into the other; `None` if they differ in something else than one scalar that is the value of a
    /// key or an item of a list, in comments or white space too.
    pub(crate) fn between(old: &Text, new: &Text) -> Option<ScalarEdit> {
        let [old, new] = &[document_of(Text::clone(old)).ok()?, document_of(Text::clone(new)).ok()?];
        if old.extra_documents || new.extra_documents || old.len() != new.len() || old.root() != new.root() {
            return None;
        }
        let mut differing = old.nodes().zip(new.nodes()).filter(|((_, a), (_, b))| !is_same(a, b));
        let ((id, a), (_, b)) = differing.next().filter(|_| differing.next().is_none())?;
        let is_scalar = |node: &Node| matches!(node.kind, NodeKind::Scalar { .. }) && node.tag.is_none();
        if !is_scalar(a) || !is_scalar(b) || a.anchor != b.anchor || is_key(old, id) {
            return None;
        }
        let parts = |document: &Document, span: Span| -> Option<[String; 3]> {
            let part = |range: Range<usize>| document.text().get(range).map(str::to_owned);
            let (start, end) = (span.start as usize, span.end as usize);
            Some([part(0..start)?, part(start..end)?, part(end..document.text().len())?])
        };
        let ([before, old_text, after], [new_before, new_text, new_after]) = (parts(old, a.span)?, parts(new, b.span)?);
        let is_one_line = |text: &str| !text.contains(['\n', '\r']);
        let is_alone = before == new_before && after == new_after && is_one_line(&old_text) && is_one_line(&new_text);
        is_alone.then_some(ScalarEdit { start: a.span.start, end: a.span.end, new_end: b.span.end })
    }

    /// The first byte of the scalar.
    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    /// Where an offset of the old text is in the new one; `None` inside of the scalar.
    pub(crate) fn new_offset(&self, offset: u32) -> Option<u32> {
        match offset {
            offset if offset <= self.start => Some(offset),
            offset if offset >= self.end => Some(offset - self.end + self.new_end),
            _ => None,
        }
    }
}

/// Whether two nodes are the same but for their places.
fn is_same(a: &Node, b: &Node) -> bool {
    let tag = |node: &Node| node.tag.as_ref().map(|tag| tag.text.clone());
    a.kind == b.kind && tag(a) == tag(b) && a.anchor == b.anchor
}

fn is_key(document: &Document, id: NodeId) -> bool {
    document.nodes().any(|(_, node)| match &node.kind {
        NodeKind::Mapping(pairs) => pairs.iter().any(|(key, _)| *key == id),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> Option<ScalarEdit> {
        ScalarEdit::between(&old.into(), &new.into())
    }

    #[test]
    fn one_value_differs() {
        let at = |old, new| edit(old, new).map(|edit| (edit.start, edit.end, edit.new_end));
        assert_eq!(at("a: 1\nb: 2 # c\n", "a: 10\nb: 2 # c\n"), Some((3, 4, 5)));
        assert_eq!(at("a: [x, y]\n", "a: [x, 'yz']\n"), Some((7, 8, 11)));
        assert_eq!(at("a: &n x\nb: *n\n", "a: &n y\nb: *n\n"), Some((6, 7, 7)));
        // Quotes alone make another scalar.
        assert_eq!(at("a: 1\n", "a: '1'\n"), Some((3, 4, 6)));
        assert_eq!(at("a: é\nb: 1\n", "a: e\nb: 1\n"), Some((3, 5, 4)));
    }

    #[test]
    fn more_than_one_value_differs() {
        for (old, new) in [
            ("a: 1\n", "a: 1\n"),
            ("a: 1\n", "b: 1\n"),
            ("a: 1\nb: 1\n", "a: 2\nb: 2\n"),
            ("a: 1\n", "a: 2 # why\n"),
            ("a: 1 # why\n", "a: 2 # who\n"),
            ("a: 1\nb: 1\n", "a:  2\nb: 1\n"),
            ("a: 1\n", "a: [1]\n"),
            ("a: 1\n", "a: !env X\n"),
            ("a: !env X\n", "a: !env Y\n"),
            ("a: x\n", "a: &n y\n"),
            ("a: &n x\nb: *n\n", "a: &n x\nb: y\n"),
            ("a: |\n  x\n", "a: |\n  y\n"),
            ("a: 1\n", "a: 2\n---\n"),
            ("? 1\n: 2\n", "? 3\n: 2\n"),
            ("a: \n", "a: 1\n"),
        ] {
            assert_eq!(edit(old, new), None, "{old:?} {new:?}");
        }
    }

    #[test]
    fn places_around_the_scalar_move() {
        let edit = edit("a: 123\nb: 2\n", "a: 4\nb: 2\n").unwrap();
        let offsets = [0, 3, 4, 5, 6, 7, 12].map(|offset| edit.new_offset(offset));
        assert_eq!(offsets, [Some(0), Some(3), None, None, Some(4), Some(5), Some(10)]);
    }
}
