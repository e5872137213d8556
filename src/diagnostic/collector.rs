//! Collects the findings of a resolution from all of its stages and threads.

use super::{Diagnostic, Label, Rule, unite};
use crate::limits::{Piece, take};
use crate::text::Text;
use crate::threads;
use crate::value::{FileId, Prov};
use parking_lot::Mutex;
use std::collections::HashSet;

/// A result that cannot be had; why has been reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ErrorReported;

/// Collects findings. Those of one stack name it.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    found: Mutex<Vec<Diagnostic>>,
    stack: Option<Text>,
}

impl Diagnostics {
    /// Creates a collector for findings of one stack.
    pub(crate) fn of_stack(stack: &Text) -> Self {
        Diagnostics { found: Mutex::default(), stack: Some(Text::clone(stack)) }
    }

    /// Adds a finding that prevents something from being resolved.
    pub(crate) fn push(&self, finding: Diagnostic) -> ErrorReported {
        self.report(finding.breaking());
        ErrorReported
    }

    /// Adds a finding as it is.
    pub(crate) fn report(&self, mut finding: Diagnostic) {
        take(1, Piece::Finding);
        finding.stacks.extend(self.stack.clone());
        self.found.lock().push(finding);
    }

    /// Adds a finding about one stack.
    pub(crate) fn report_in(&self, stack: &Text, mut finding: Diagnostic) {
        finding.stacks.push(Text::clone(stack));
        self.report(finding);
    }

    /// Adds findings, except those of `rules` at places where one of these rules has reported something already.
    pub(crate) fn report_unless_reported(&self, findings: Vec<Diagnostic>, rules: &[&Rule]) {
        let place = |d: &Diagnostic| (d.primary.file, d.primary.start);
        let is_of_rules = |d: &&Diagnostic| rules.contains(&&*d.rule);
        let mut found = self.found.lock();
        let places: HashSet<_> = found.iter().filter(is_of_rules).map(place).collect();
        found.extend(findings.into_iter().filter(|d| !is_of_rules(&d) || !places.contains(&place(d))));
    }

    /// Adds an error where a value was written, or at the start of `file` if that is unknown.
    pub(crate) fn error(
        &self,
        rule: &'static Rule,
        message: impl Into<String>,
        site: &Prov,
        file: FileId,
    ) -> ErrorReported {
        self.push(Diagnostic::new(rule, message, entry_label(site, file, "")))
    }

    /// Runs a piece of work. `None` if it fails by a defect of stacklint, which is reported in a file.
    pub(crate) fn guard<R>(&self, work: &str, file: impl FnOnce() -> FileId, run: impl FnOnce() -> R) -> Option<R> {
        let done = threads::catch_panic(work, run);
        done.map_err(|defect| self.extend([Diagnostic::defect(&defect, file())])).ok()
    }

    /// Adds findings of others as they are.
    pub(crate) fn extend(&self, findings: impl IntoIterator<Item = Diagnostic>) {
        self.found.lock().extend(findings);
    }

    /// Adds what another collector has found.
    pub(crate) fn add(&self, other: &Diagnostics) {
        self.extend(other.found.lock().iter().cloned());
    }

    /// Removes the findings of a rule at places where a finding of another rule prevents something from being resolved.
    pub(crate) fn remove_explained(&self, rule: &Rule, by: &Rule) {
        let place = |d: &Diagnostic| (d.primary.file, d.primary.start);
        let mut found = self.found.lock();
        let places: HashSet<_> = found.iter().filter(|d| d.rule == by && d.is_breaking).map(place).collect();
        found.retain(|d| d.rule != rule || !places.contains(&place(d)));
    }

    /// Whether a rule reported something at a place.
    pub(crate) fn has(&self, rule: &Rule, place: &Label) -> bool {
        self.found.lock().iter().any(|d| d.rule == rule && d.primary == *place)
    }

    /// Whether something so far prevents something from being resolved.
    pub(crate) fn is_broken(&self) -> bool {
        self.found.lock().iter().any(|d| d.is_breaking)
    }

    /// The number of findings so far that prevent something from being resolved.
    pub(crate) fn breaking(&self) -> usize {
        self.found.lock().iter().filter(|d| d.is_breaking).count()
    }

    /// Sorts the findings by place, and unites those that are equal but for their stacks and related places.
    pub(crate) fn unite(&self) {
        unite(&mut self.found.lock());
    }

    /// Returns the findings, in the order in which they were added unless they are united.
    pub(crate) fn into_findings(self) -> Vec<Diagnostic> {
        self.found.into_inner()
    }
}

/// A label where a value was written, without its key, or at the start of `file` if that is unknown.
pub(crate) fn value_label(site: &Prov, file: FileId, words: &str) -> Label {
    match site.origin {
        Some(origin) => Label::new(origin.file, origin.start, origin.end, words),
        None => Label::new(file, 0, 0, words),
    }
}

/// A label where a value was written, with its key, or at the start of `file` if that is unknown.
pub(crate) fn entry_label(site: &Prov, file: FileId, words: &str) -> Label {
    match site.origin {
        Some(origin) => Label::at(origin, words),
        None => Label::new(file, 0, 0, words),
    }
}
