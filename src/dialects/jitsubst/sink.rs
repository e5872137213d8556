//! Where the stages put what they find. A mistake that shows in several environments is one finding.

use crate::diagnostic::{Diagnostic, Label};
use crate::text::Text;
use crate::value::{FileId, Prov};

/// Collects findings.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    found: Vec<Diagnostic>,
}

impl Sink {
    /// Takes a finding that keeps something from being resolved.
    pub(crate) fn push(&mut self, finding: Diagnostic) {
        self.report(finding.breaking());
    }

    /// Takes a finding in spite of which everything is resolved.
    pub(crate) fn report(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    /// Takes a finding about one environment. What another environment has said already at the same place in the same
    /// words gets this one, and its related places, too.
    pub(crate) fn in_stack(&mut self, stack: &Text, finding: Diagnostic) {
        let same = |d: &&mut Diagnostic| {
            d.rule == finding.rule && d.primary == finding.primary && d.message == finding.message
        };
        match self.found.iter_mut().find(same) {
            Some(known) => {
                known.stacks.push(Text::clone(stack));
                for label in finding.related {
                    if !known.related.contains(&label) {
                        known.related.push(label);
                    }
                }
            }
            None => {
                let mut finding = finding;
                finding.stacks.push(Text::clone(stack));
                self.found.push(finding);
            }
        }
    }

    /// Whether something so far keeps the whole from being resolved.
    pub(crate) fn is_broken(&self) -> bool {
        self.found.iter().any(|d| d.is_breaking)
    }

    /// All that was found.
    pub(crate) fn into_findings(self) -> Vec<Diagnostic> {
        self.found
    }
}

/// A label where a value was written, or at the start of `file` where nobody knows.
pub(crate) fn label(site: &Prov, file: FileId, words: &str) -> Label {
    match site.origin {
        Some(origin) => Label::new(origin.file, origin.start, origin.end, words),
        None => Label::new(file, 0, 0, words),
    }
}

/// A label at the key of a value.
pub(crate) fn key_label(site: &Prov, file: FileId, words: &str) -> Label {
    match site.origin {
        Some(origin) => Label::new(origin.file, origin.key, origin.end, words),
        None => Label::new(file, 0, 0, words),
    }
}
