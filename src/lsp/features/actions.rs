//! Fixes of findings, and comments that silence them.

use super::diagnostics::{self, Places, diagnostic};
use crate::diagnostic::{Applicability, Finding, Fix};
use crate::lsp::position::Lines;
use crate::lsp::view::Cursor;
use crate::syntax::{Syntax, takes_comments};
use crate::text::Text;
use ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, Uri, WorkspaceEdit};
use std::cell::OnceCell;
use std::collections::HashMap;

/// The maximum number of findings for which actions are offered.
const MOST: usize = 100;

/// Returns the fixes for findings between a place and a byte offset.
pub(super) fn actions(place: &Cursor<'_>, end: usize) -> Vec<CodeActionOrCommand> {
    let view = place.view;
    let is_here = |finding: &&Finding| {
        let at = &finding.diagnostic.primary;
        at.start as usize <= end && place.offset <= at.end as usize && *view.file(at.file).path == *place.path
    };
    let lines = Lines::new(place.text, view.encoding);
    let syntax = OnceCell::new();
    let mut found = Vec::new();
    let here: Vec<&Finding> = view.analysis.review.findings.iter().filter(is_here).take(MOST).collect();
    let files = diagnostics::files(&view, here.iter().copied());
    let places = Places::new(&view, &files);
    for finding in here {
        let shown = diagnostic(finding, &places);
        let fix = finding.diagnostic.fix.as_ref().filter(|fix| fix.applicability != Applicability::DisplayOnly);
        if let Some((fix, edit)) = fix.and_then(|fix| Some((fix, edits(place, fix)?))) {
            let title = match fix.applicability {
                Applicability::Unsafe => format!("{} (changes the result)", fix.title),
                _ => fix.title.clone(),
            };
            let is_preferred = Some(fix.applicability == Applicability::Safe);
            let (diagnostics, edit) = (Some(vec![shown.clone()]), Some(edit));
            let kind = Some(CodeActionKind::QUICKFIX);
            found.push(CodeAction { title, kind, diagnostics, edit, is_preferred, ..CodeAction::default() });
        }
        let comment =
            (!finding.diagnostic.is_unsuppressible()).then(|| comment(place, finding, &lines, &syntax)).flatten();
        if let Some(edit) = comment {
            let title = format!("Ignore `{}` here, with a reason", finding.diagnostic.rule.id());
            let (diagnostics, edit) = (Some(vec![shown]), Some(edit));
            let kind = Some(CodeActionKind::QUICKFIX);
            found.push(CodeAction { title, kind, diagnostics, edit, ..CodeAction::default() });
        }
    }
    found.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// The edits of a fix, all of them or none.
fn edits(place: &Cursor<'_>, fix: &Fix) -> Option<WorkspaceEdit> {
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for edit in &fix.edits {
        let file = place.view.file(edit.file);
        let range = Lines::new(&file.text, place.view.encoding).range(edit.start, edit.end);
        changes.entry(place.view.uri(&file.path)?).or_default().push(TextEdit { range, new_text: edit.text.clone() });
    }
    Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

/// A comment above the line of a finding. `None` where a line above would be part of a text, or comments begin in another way.
fn comment(
    place: &Cursor<'_>,
    finding: &Finding,
    lines: &Lines<'_>,
    syntax: &OnceCell<Syntax>,
) -> Option<WorkspaceEdit> {
    if !takes_comments(place.path) {
        return None;
    }
    let number = lines.position(finding.diagnostic.primary.start).line;
    let (start, line) = (lines.start(number), lines.line(number)?);
    let syntax = syntax.get_or_init(|| Syntax::read(place.path, &Text::from(place.text)));
    if syntax.is_within_text(start as u32) {
        return None;
    }
    let indent = &line[..line.len() - line.trim_start().len()];
    let end = if place.text.contains("\r\n") { "\r\n" } else { "\n" };
    let new_text = format!("{indent}# stacklint: ignore[{}] reason{end}", finding.diagnostic.rule.id());
    let at = lines.position(start as u32);
    let edit = TextEdit { range: Range { start: at, end: at }, new_text };
    let changes = HashMap::from([(place.view.uri(place.path)?, vec![edit])]);
    Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}
