//! Findings about files that cannot be decoded, and what findings have in common.

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label};
pub(super) use crate::diagnostic::{Diagnostics, ErrorReported, entry_label as label};
use crate::dialects::atmos::document::Issue;
use crate::dialects::atmos::reader::Loaded;
use crate::resolution::Unit;
use crate::text::Text;
use crate::value::{FileId, Origin};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Adds the issues that prevent a file from being decoded.
pub(super) fn report_issues(diagnostics: &Diagnostics, loaded: &Loaded, issues: &[Issue]) -> ErrorReported {
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
        diagnostics.push(finding);
    }
    ErrorReported
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
    let open = || findings.iter().filter(|finding| finding.stacks.is_empty());
    let mut of_files: HashMap<FileId, BTreeSet<Text>> = open().map(|f| (f.primary.file, BTreeSet::new())).collect();
    if of_files.is_empty() {
        return;
    }
    for unit in units {
        let names: Vec<Text> = names(unit);
        for file in &unit.files {
            if let Some(reached) = of_files.get_mut(file) {
                reached.extend(names.iter().cloned());
            }
        }
    }
    for finding in findings.iter_mut().filter(|finding| finding.stacks.is_empty()) {
        finding.stacks.extend(of_files[&finding.primary.file].iter().cloned());
    }
}
