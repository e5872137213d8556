//! Which lines of a file were edited between the revisions.

use super::Side;
use crate::files::{File, Files};
use crate::resolution::Resolution;
use crate::text::{FastMap, FastSet, Text};
use crate::value::FileId;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Above this many pairs of differing lines, a line counts as edited if it occurs more often than on the other side.
const MAX_CELLS: usize = 25_000_000;

/// The edits of one file on one side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FileEdits {
    /// The other side has it with the same content.
    Untouched,
    /// Only this side has it.
    Whole {
        /// Whether that is known, or only that the other side does not use it.
        certain: bool,
    },
    /// These lines (from 1, sorted) are on this side only.
    Lines(Vec<u32>),
}

/// A file with what happened to it.
#[derive(Debug)]
pub(crate) struct Edited {
    pub file: Arc<File>,
    pub edits: FileEdits,
    /// The file at its path on the other side, if its content differs.
    pub counterpart: Option<FileId>,
    /// Edited lines with the line that took their place (or whose place they took) in the counterpart, sorted.
    replaced: Vec<(u32, u32)>,
    /// The stretches of lines that differ, with what the counterpart has in their place, sorted.
    hunks: Vec<Hunk>,
}

/// Lines of one text and the lines of another one in their place.
type Hunk = (Range<u32>, Range<u32>);

impl Edited {
    /// Returns the corresponding line of the counterpart: where a line is, was before it was removed, or would be inserted.
    pub(crate) fn nearest(&self, line: u32) -> u32 {
        match self.hunks.iter().rev().find(|(own, _)| own.start <= line) {
            Some((own, other)) if line < own.end => other.start.max(1),
            Some((own, other)) => line - own.end + other.end,
            None => line,
        }
    }

    /// The line of the counterpart that an edited line replaces or is replaced by.
    pub(crate) fn counterpart(&self, line: u32) -> Option<u32> {
        self.replaced.binary_search_by_key(&line, |pair| pair.0).ok().map(|i| self.replaced[i].1)
    }

    /// The edited lines between two lines (both included), at most `limit`, with whether they are certain.
    pub(crate) fn lines(&self, first: u32, last: u32, limit: usize) -> (&[u32], Option<(u32, bool)>) {
        match &self.edits {
            FileEdits::Untouched => (&[], None),
            FileEdits::Whole { certain } => (&[], Some((first, *certain))),
            FileEdits::Lines(lines) => {
                let from = lines.partition_point(|l| *l < first);
                let to = lines.partition_point(|l| *l <= last);
                (&lines[from..to.min(from + limit).max(from)], None)
            }
        }
    }
}

/// The edits of all files; each pair of files is compared once, on demand.
pub(crate) struct Edits<'a> {
    files: &'a Files,
    touched: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
    used: [FastSet<FileId>; 2],
    known: [FastMap<FileId, Arc<Edited>>; 2],
}

impl<'a> Edits<'a> {
    /// The edits between the files of two resolutions.
    pub(crate) fn new(
        base: &Resolution,
        head: &Resolution,
        files: &'a Files,
        touched: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
    ) -> Self {
        let used = [base, head].map(|resolution| {
            let own = resolution.units.iter().flat_map(|u| u.files.iter().chain([&u.file]));
            own.copied().collect::<FastSet<_>>()
        });
        Edits { files, touched, used, known: Default::default() }
    }

    /// Whether a side uses this content.
    pub(crate) fn has(&self, side: Side, id: FileId) -> bool {
        self.used[side as usize].contains(&id)
    }

    /// Returns the edits of a file on a side.
    pub(crate) fn of(&mut self, side: Side, id: FileId) -> Arc<Edited> {
        if let Some(known) = self.known[side as usize].get(&id) {
            return Arc::clone(known);
        }
        let other = 1 - side as usize;
        let file = self.files.get(id);
        let unedited = |edits| Edited {
            file: Arc::clone(&file),
            edits,
            counterpart: None,
            replaced: Vec::new(),
            hunks: Vec::new(),
        };
        // One path has one content on a side; should it have several, the choice is at least always the same.
        let there = || self.files.versions(&file.path).into_iter().filter(|id| self.used[other].contains(id)).max();
        let edited = if self.used[other].contains(&id) {
            unedited(FileEdits::Untouched)
        } else if let Some(counterpart) = there() {
            let text = Text::clone(&self.files.get(counterpart).text);
            let (lines, replaced, hunks) = match side {
                Side::Base => {
                    let edits = line_edits(&file.text, &text);
                    (edits.removed, edits.replaced, edits.hunks)
                }
                Side::Head => {
                    let edits = line_edits(&text, &file.text);
                    let replaced = edits.replaced.into_iter().map(|(old, new)| (new, old)).collect();
                    (edits.added, replaced, edits.hunks.into_iter().map(|(old, new)| (new, old)).collect())
                }
            };
            let edits = if lines.is_empty() { FileEdits::Untouched } else { FileEdits::Lines(lines) };
            Edited { file: Arc::clone(&file), edits, counterpart: Some(counterpart), replaced, hunks }
        } else {
            match self.touched {
                Some(touched) if !touched(&file.path) => unedited(FileEdits::Untouched),
                touched => unedited(FileEdits::Whole { certain: touched.is_some() }),
            }
        };
        let edited = Arc::new(edited);
        self.known[side as usize].insert(id, Arc::clone(&edited));
        edited
    }
}

/// How one text became another, in lines from 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LineEdits {
    /// Removed lines of the first text.
    pub removed: Vec<u32>,
    /// Lines of the second text that are new.
    pub added: Vec<u32>,
    /// Pairs of a removed line and its replacement, if as many lines were added as removed.
    pub replaced: Vec<(u32, u32)>,
    /// The stretches that differ: lines of the first text, and lines of the second in their place.
    pub hunks: Vec<(Range<u32>, Range<u32>)>,
}

/// How `base` became `head`.
pub(crate) fn line_edits(base: &str, head: &str) -> LineEdits {
    let mut numbers = HashMap::new();
    let mut intern = |text| {
        let lines = str::split(text, '\n');
        lines
            .map(|line| {
                let next = numbers.len() as u32;
                *numbers.entry(line).or_insert(next)
            })
            .collect::<Vec<u32>>()
    };
    let (old, new) = (intern(base), intern(head));
    let prefix = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[prefix..], &new[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    let mut edits = LineEdits::default();
    let first = prefix as u32 + 1;
    if a.len().saturating_mul(b.len()) > MAX_CELLS {
        let hunk = (first..first + a.len() as u32, first..first + b.len() as u32);
        let (removed, added) = (surplus(a, b, first), surplus(b, a, first));
        return LineEdits { removed, added, replaced: Vec::new(), hunks: vec![hunk] };
    }
    let lines = |start: usize, len: usize| (start as u32 + first)..((start + len) as u32 + first);
    for op in capture_diff_slices(Algorithm::Myers, a, b) {
        if op.tag() != DiffTag::Equal {
            let (old, new) = (op.old_range(), op.new_range());
            edits.hunks.push((lines(old.start, old.len()), lines(new.start, new.len())));
        }
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Delete { old_index, old_len, .. } => edits.removed.extend(lines(old_index, old_len)),
            DiffOp::Insert { new_index, new_len, .. } => edits.added.extend(lines(new_index, new_len)),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                edits.removed.extend(lines(old_index, old_len));
                edits.added.extend(lines(new_index, new_len));
                if old_len == new_len {
                    edits.replaced.extend(lines(old_index, old_len).zip(lines(new_index, new_len)));
                }
            }
        }
    }
    edits
}

/// The lines of `a` beyond as many equal ones as `b` has.
fn surplus(a: &[u32], b: &[u32], first: u32) -> Vec<u32> {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for line in b {
        *counts.entry(*line).or_default() += 1;
    }
    let mut own = (first..).zip(a);
    let mut found = Vec::new();
    for (number, line) in &mut own {
        match counts.get_mut(line) {
            Some(n) if *n > 0 => *n -= 1,
            _ => found.push(number),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edited_lines() {
        for (base, head, removed, added) in [
            ("a\nb\nc\n", "a\nb\nc\n", vec![], vec![]),
            ("a\nb\nc\n", "a\nx\nc\n", vec![2], vec![2]),
            ("a\nb\nc\n", "a\nc\n", vec![2], vec![]),
            ("a\nc", "a\nb\nc", vec![], vec![2]),
            ("a\nb\nc\nd\ne", "b\nc\nx\ne\nf", vec![1, 4], vec![3, 5]),
            ("", "a", vec![1], vec![1]),
            ("a\r\nb\u{85}c", "a\r\nb\u{85}d", vec![2], vec![2]),
        ] {
            let edits = line_edits(base, head);
            assert_eq!((edits.removed, edits.added), (removed, added), "{base:?} {head:?}");
        }
    }

    #[test]
    fn lines_in_the_place_of_others() {
        assert_eq!(line_edits("a\nb\nc\nd", "a\nx\ny\nd").replaced, [(2, 2), (3, 3)]);
        assert_eq!(line_edits("a\nb\nc\nd", "a\nx\nd").replaced, []);
    }

    #[test]
    fn lines_of_the_other_side() {
        let edits = line_edits("a\nb\nc\nd\n", "a\nd\nx\n");
        assert_eq!(edits.hunks, [(2..4, 2..2), (5..5, 3..4)]);
    }

    #[test]
    fn large_rewrites_are_bounded() {
        let text = |from: u32, to: u32| (from..to).map(|i| format!("{i}\n")).rev().collect::<String>();
        let edits = line_edits(&text(0, 12_000), &text(6_000, 18_001));
        assert_eq!((edits.removed.len(), edits.added.len()), (6_000, 6_001));
        assert_eq!(surplus(&[1, 2, 1, 3], &[1], 5), [6, 7, 8]);
    }
}
