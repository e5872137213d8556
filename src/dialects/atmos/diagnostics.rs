//! Where the stages put what they find wrong.

use crate::diagnostic::{self, Rule};
use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label};
use crate::dialects::atmos::document::Issue;
use crate::dialects::atmos::reader::Loaded;
use crate::dialects::atmos::rules;
use crate::resolution::Unit;
use crate::text::Text;
use crate::value::{FileId, Origin, Prov};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A result that cannot be had; why has been reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ErrorReported;

/// Collects findings of all threads.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    found: Mutex<Vec<Diagnostic>>,
}

impl Diagnostics {
    /// Adds a finding that prevents something from being resolved.
    pub(super) fn push(&self, finding: Diagnostic) -> ErrorReported {
        self.report(finding.breaking());
        ErrorReported
    }

    /// Adds a finding that does not prevent anything from being resolved.
    pub(super) fn report(&self, finding: Diagnostic) {
        self.found.lock().push(finding);
    }

    /// Adds findings about the shape of manifests, except where the resolution itself reported an error.
    pub(super) fn report_unless_reported(&self, findings: Vec<Diagnostic>) {
        let place = |d: &Diagnostic| (d.primary.file, d.primary.start);
        const SHAPE: [&Rule; 3] = [&rules::SCHEMA_VIOLATION, &rules::INEFFECTIVE_METADATA, &rules::NON_MAPPING_SECTION];
        let is_about_shape = |d: &&Diagnostic| SHAPE.contains(&&*d.rule);
        let mut found = self.found.lock();
        let places: HashSet<_> = found.iter().filter(is_about_shape).map(place).collect();
        found.extend(findings.into_iter().filter(|d| !is_about_shape(&d) || !places.contains(&place(d))));
    }

    /// Adds an error where a value was written, or at the start of `file` if that is unknown; the requested result is
    /// poisoned.
    pub(super) fn error(
        &self,
        rule: &'static Rule,
        message: impl Into<String>,
        site: &Prov,
        file: FileId,
    ) -> ErrorReported {
        self.push(Diagnostic::new(rule, message, label(site, file, "")))
    }

    /// Adds the issues that prevent a file from being decoded.
    pub(super) fn issues(&self, loaded: &Loaded, issues: &[Issue]) -> ErrorReported {
        for issue in issues {
            // Something missing at the end of a file is reported after its last byte.
            let length = loaded.text.len() as u32;
            let at = |span: crate::yaml::Span, words: &str| {
                Label::new(loaded.file, span.start.min(length), span.end.min(length), words)
            };
            let mut finding = Diagnostic::new(issue.rule, issue.message.as_str(), at(issue.span, ""));
            if let Some((span, words)) = &issue.related {
                finding = finding.related(at(*span, words));
            }
            finding.related.extend(issue.elsewhere.clone());
            finding.help = issue.help.clone();
            if let Some((old, new)) = &issue.rename {
                let (key, start, end) = (issue.span.start, issue.span.start, issue.span.end);
                finding.fix = rename(Origin { file: loaded.file, key, start, end }, &loaded.text, old, new);
                finding.token = Some(old.clone());
            }
            self.push(finding);
        }
        ErrorReported
    }

    /// Whether a rule reported something at a place.
    pub(super) fn has(&self, rule: &Rule, place: &Label) -> bool {
        let found = self.found.lock();
        found.iter().any(|d| d.rule == rule && d.primary == *place)
    }

    /// Adds the findings of others.
    pub(super) fn add(&self, other: &Diagnostics) {
        self.found.lock().extend(other.found.lock().iter().cloned());
    }

    /// Unites findings that are equal but for their stacks and related places.
    pub(super) fn unite(&self) {
        diagnostic::unite(&mut self.found.lock());
    }

    /// All that was found.
    pub(super) fn into_findings(self) -> Vec<Diagnostic> {
        self.found.into_inner()
    }
}

/// A label at the origin of a value, or at the start of `file`.
pub(super) fn label(site: &Prov, file: FileId, words: &str) -> Label {
    match site.origin {
        Some(origin) => Label::at(origin, words),
        None => Label::new(file, 0, 0, words),
    }
}

/// Returns the fix that replaces the text `old` of a value by `new`, within its quotes if it has some; `text` is that
/// of the file. `None` if the file has another text there, for example if the value is the result of a template.
pub(super) fn rename(origin: Origin, text: &str, old: &str, new: &str) -> Option<Fix> {
    let written = text.get(origin.start as usize..origin.end as usize)?;
    let inner = |quote: char| written.strip_prefix(quote).and_then(|w| w.strip_suffix(quote));
    let quotes = match () {
        () if written == old => 0,
        () if inner('"') == Some(old) || inner('\'') == Some(old) => 1,
        () => return None,
    };
    let edit = Edit { file: origin.file, start: origin.start + quotes, end: origin.end - quotes, text: new.to_owned() };
    Some(Fix::one(format!("rename to `{new}`"), edit, Applicability::Unsafe))
}

/// Adds the affected stacks to findings without stacks: those that contain the file.
pub(super) fn name_stacks(findings: &mut [Diagnostic], units: &[Arc<Unit>]) {
    let names = |unit: &Arc<Unit>| {
        let stacks = unit.components.chunk_by(|a, b| a.stack == b.stack);
        stacks.map(|components| Text::clone(&components[0].stack)).collect()
    };
    let mut of_units: Option<Vec<Vec<Text>>> = None;
    let mut of_files: HashMap<FileId, Vec<Text>> = HashMap::new();
    for finding in findings.iter_mut().filter(|f| f.stacks.is_empty()) {
        let file = finding.primary.file;
        let reached = of_files.entry(file).or_insert_with(|| {
            let of_units = of_units.get_or_insert_with(|| units.iter().map(names).collect());
            let reached = units.iter().zip(of_units).filter(|(u, _)| u.files.binary_search(&file).is_ok());
            let mut all: Vec<Text> = reached.flat_map(|(_, names)| names.iter().cloned()).collect();
            all.sort();
            all.dedup();
            all
        });
        finding.stacks.clone_from(reached);
    }
}
