//! The output of a template, and its relation to the template and its data.

use super::val::NOT_UTF8;
use shared_text::{ByAddress, Text};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use traced_value::{Origin, Prov, Trail, Unknown};

/// The result of running a template.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The output.
    pub text: String,
    /// Where the output comes from, ascending by `out`; together they cover `text`.
    pub segments: Vec<Segment>,
    /// The provenance of every data value that was read, each once.
    pub inputs: Vec<Prov>,
    /// The parts of `text` that are template source left as written, and why.
    pub unknowns: Vec<(Range<usize>, Arc<Unknown>)>,
    /// The words of the template that read a key which is not there, in the order in which they ran, each once.
    pub missing: Vec<Range<usize>>,
    /// The steps that the run took, as [`Limits`](crate::Limits) counts them.
    pub steps: u64,
}

/// From the output offset `out` on, the text comes from the template offset `src`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// An offset in the output, in bytes.
    pub out: usize,
    /// An offset in the template, in bytes.
    pub src: usize,
    /// Copied text: the template offset advances with the output offset. Otherwise all of it is what the action at
    /// `src` printed.
    pub literal: bool,
}

/// A place in the output that it can be cut back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    text: usize,
    segments: usize,
    unknowns: usize,
}

impl Rendered {
    pub(super) fn push(&mut self, text: &str, src: usize, literal: bool) {
        if !text.is_empty() {
            self.segments.push(Segment { out: self.text.len(), src, literal });
            self.text.push_str(text);
        }
    }

    /// The start of the first text that is not valid UTF-8, which YAML rejects. It is among the unknown parts.
    pub fn not_utf8(&self) -> Option<usize> {
        let is_broken = |reason: &Text| **reason == *NOT_UTF8;
        self.unknowns.iter().find(|(_, unknown)| unknown.reasons.iter().any(is_broken)).map(|(range, _)| range.start)
    }

    pub(super) fn push_unknown(&mut self, source: Text, src: usize, of: &Unknown) {
        let start = self.text.len();
        self.push(&source, src, false);
        let (reasons, reads) = (of.reasons.clone(), of.reads.clone());
        let unknown = Unknown { text: source, reasons, reads, ..Unknown::default() };
        self.unknowns.push((start..self.text.len(), Arc::new(unknown)));
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { text: self.text.len(), segments: self.segments.len(), unknowns: self.unknowns.len() }
    }

    pub(super) fn cut(&mut self, mark: Mark) {
        self.text.truncate(mark.text);
        self.segments.truncate(mark.segments);
        self.unknowns.truncate(mark.unknowns);
    }
}

/// Collects provenance without repetition.
#[derive(Default)]
pub(super) struct Inputs {
    list: Vec<Prov>,
    /// Filled only when a scan of the list would take too long.
    seen: HashSet<Id>,
}

/// An origin with a history, as in [`Prov::identity`].
type Id = (Option<Origin>, Option<ByAddress<Arc<Trail>>>);

const SCAN: usize = 16;

fn id(prov: &Prov) -> Id {
    (prov.origin, prov.trail.clone().map(ByAddress))
}

impl Inputs {
    pub(super) fn add(&mut self, prov: &Prov) {
        if prov.identity() == (None, None) {
            return;
        }
        if self.list.len() < SCAN {
            if self.list.iter().any(|p| p.is_identical(prov)) {
                return;
            }
        } else {
            if self.seen.is_empty() {
                self.seen = self.list.iter().map(id).collect();
            }
            if !self.seen.insert(id(prov)) {
                return;
            }
        }
        if self.list.capacity() == 0 {
            // Most templates read one value.
            self.list.reserve_exact(1);
        }
        self.list.push(prov.clone());
    }

    pub(super) fn finish(self) -> Vec<Prov> {
        self.list
    }
}
