//! A new name for a local of a file, at its definition and at all uses.

use super::navigation::local_at;
use crate::lsp::position::Lines;
use crate::lsp::view::Cursor;
use crate::refactor::rename::LocalNames;
use ls_types::{PrepareRenameResponse, Range, TextEdit, WorkspaceEdit};
use std::collections::HashMap;

/// Returns the range and the name at a place that can be renamed; `None` if there is none.
pub(super) fn prepare(place: &Cursor<'_>) -> Option<PrepareRenameResponse> {
    let (start, name) = local_at(place)?;
    with_names(place, |names| names.places(name)).ok()?;
    let range = Lines::new(place.text, place.view.encoding).range(start as u32, (start + name.len()) as u32);
    Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: name.to_owned() })
}

/// Returns the edits that rename the local at a place.
///
/// # Errors
/// Why it cannot have that name.
pub(super) fn rename(place: &Cursor<'_>, new: &str) -> Result<WorkspaceEdit, String> {
    let (_, name) = local_at(place).ok_or("only locals can be renamed")?;
    let places = with_names(place, |names| {
        names.takes(new)?;
        names.places(name)
    })?;
    let lines = Lines::new(place.text, place.view.encoding);
    let range = |at: std::ops::Range<usize>| -> Range { lines.range(at.start as u32, at.end as u32) };
    let edits = places.into_iter().map(|at| TextEdit { range: range(at), new_text: new.to_owned() }).collect();
    let uri = place.view.uri(place.path).ok_or("the file has no address")?;
    Ok(WorkspaceEdit { changes: Some(HashMap::from([(uri, edits)])), ..WorkspaceEdit::default() })
}

/// Asks the locals of the file.
fn with_names<T>(place: &Cursor<'_>, ask: impl FnOnce(&LocalNames<'_>) -> Result<T, String>) -> Result<T, String> {
    let resolutions = place.view.resolutions();
    let all = resolutions.iter().flat_map(|resolution| &resolution.locals.scopes);
    let scopes = all.filter(|scope| *place.view.file(scope.file).path == *place.path);
    let scopes = scopes.map(|scope| &**scope).collect();
    let sections = super::navigation::local_sections(&place.view);
    ask(&LocalNames { path: place.path, text: place.text, scopes, sections })
}
