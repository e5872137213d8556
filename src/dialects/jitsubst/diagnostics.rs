//! Collects the findings of all stages. `diagnostic::unite` makes one finding of a mistake that shows in several environments.

use crate::diagnostic::{Diagnostic, Label};
use crate::text::Text;
use crate::value::{FileId, Prov};

/// Collects findings.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    found: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a finding that prevents something from being resolved.
    pub(crate) fn push(&mut self, finding: Diagnostic) {
        self.report(finding.breaking());
    }

    /// Adds a finding that does not prevent anything from being resolved.
    pub(crate) fn report(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    /// Adds a finding about one environment.
    pub(crate) fn report_in(&mut self, stack: &Text, mut finding: Diagnostic) {
        finding.stacks.push(Text::clone(stack));
        self.report(finding);
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

/// A label where a value was written, or at the start of `file` if that is unknown.
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
