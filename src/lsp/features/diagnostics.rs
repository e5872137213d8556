//! Findings of a review as diagnostics of the protocol.

use crate::diagnostic::{Finding, Level};
use crate::lsp::position::Lines;
use crate::lsp::view::View;
use crate::report::links;
use crate::value::FileId;
use ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString,
};
use std::collections::BTreeMap;

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
    let mut all: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
    for (id, mut findings) in by_file {
        let file = view.file(id);
        let lines = Lines::new(&file.text, view.encoding);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        let found = findings.into_iter().take(MAX_OF_FILE).map(|finding| diagnostic(finding, &lines, view));
        all.entry(file.path.to_string()).or_default().extend(found);
    }
    all
}

pub(super) fn diagnostic(finding: &Finding, lines: &Lines<'_>, view: &View<'_>) -> Diagnostic {
    let found = &finding.diagnostic;
    let end = view.file(found.primary.file).trimmed_end(found.primary.start, found.primary.end);
    let mut message = found.message.clone();
    let help = found.help.iter().map(|help| format!("help: {help}"));
    for more in found.notes.iter().map(|note| format!("note: {note}")).chain(help) {
        message.push('\n');
        message.push_str(&more);
    }
    let related = found.related.iter().take(MAX_RELATED).filter_map(|label| {
        let location = view.location(label.file, label.start, label.end)?;
        Some(DiagnosticRelatedInformation { location, message: label.message.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: lines.range(found.primary.start, end),
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
