//! Findings of a review as diagnostics of the protocol.

use crate::diagnostic::{Finding, Label, Level};
use crate::files::File;
use crate::lsp::position::Lines;
use crate::lsp::view::View;
use crate::report::links;
use crate::value::FileId;
use ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Range,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of findings that are sent for one file; the most severe ones come first.
const MAX_OF_FILE: usize = 1_000;
/// The most related places of a finding.
const MAX_RELATED: usize = 20;

/// All findings by path of the file, the most severe ones of a file first.
pub(in crate::lsp) fn all(view: &View<'_>) -> BTreeMap<String, Vec<Diagnostic>> {
    let mut by_file: BTreeMap<FileId, Vec<&Finding>> = BTreeMap::new();
    for finding in &view.analysis.review.findings {
        by_file.entry(finding.diagnostic.primary.file).or_default().push(finding);
    }
    for findings in by_file.values_mut() {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        findings.truncate(MAX_OF_FILE);
    }
    let files = files(view, by_file.values().flatten().copied());
    let places = Places::new(view, &files);
    let mut all: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
    for (id, findings) in by_file {
        let found = findings.into_iter().map(|finding| diagnostic(finding, &places));
        all.entry(view.file(id).path.to_string()).or_default().extend(found);
    }
    all
}

/// The files that some findings are about.
pub(super) fn files<'f>(view: &View<'_>, findings: impl Iterator<Item = &'f Finding>) -> BTreeMap<FileId, Arc<File>> {
    let labels = findings.flat_map(|finding| {
        let found = &finding.diagnostic;
        std::iter::once(&found.primary).chain(found.related.iter().take(MAX_RELATED))
    });
    labels.map(|label| (label.file, view.file(label.file))).collect()
}

/// Places in some files, of which the lines are counted once.
pub(super) struct Places<'a> {
    view: &'a View<'a>,
    files: BTreeMap<FileId, (&'a File, Lines<'a>)>,
}

impl<'a> Places<'a> {
    pub(super) fn new(view: &'a View<'a>, files: &'a BTreeMap<FileId, Arc<File>>) -> Self {
        let of = |(id, file): (&FileId, &'a Arc<File>)| (*id, (&**file, Lines::new(&file.text, view.encoding)));
        Places { view, files: files.iter().map(of).collect() }
    }

    fn range(&self, label: &Label) -> Range {
        let range =
            |(file, lines): &(&File, Lines<'_>)| lines.range(label.start, file.trimmed_end(label.start, label.end));
        self.files.get(&label.file).map(range).unwrap_or_default()
    }

    fn of(&self, label: &Label) -> Option<Location> {
        let (file, _) = self.files.get(&label.file)?;
        Some(Location { uri: self.view.uri(&file.path)?, range: self.range(label) })
    }
}

pub(super) fn diagnostic(finding: &Finding, places: &Places<'_>) -> Diagnostic {
    let found = &finding.diagnostic;
    let mut message = found.message.clone();
    let help = found.help.iter().map(|help| format!("help: {help}"));
    for more in found.notes.iter().map(|note| format!("note: {note}")).chain(help) {
        message.push('\n');
        message.push_str(&more);
    }
    let related = found.related.iter().take(MAX_RELATED).filter_map(|label| {
        Some(DiagnosticRelatedInformation { location: places.of(label)?, message: label.message.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: places.range(&found.primary),
        severity: Some(match finding.level {
            Level::Danger | Level::Error => DiagnosticSeverity::ERROR,
            Level::Warning => DiagnosticSeverity::WARNING,
            Level::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(found.rule.id().to_owned())),
        code_description: links::rule_page(&found.rule).parse().ok().map(|href| CodeDescription { href }),
        source: Some("stacklint".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: tag(found.rule.id()).map(|tag| vec![tag]),
        data: None,
    }
}

/// How editors show what a rule finds, by the words that ids of rules begin with.
fn tag(id: &str) -> Option<DiagnosticTag> {
    match id.split('-').next() {
        Some("unused" | "unreachable") => Some(DiagnosticTag::UNNECESSARY),
        Some("deprecated") => Some(DiagnosticTag::DEPRECATED),
        _ => None,
    }
}
