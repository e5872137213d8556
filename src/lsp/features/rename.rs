//! A new name for a local of a file, at its definition and at all uses. Only names that no other file sees are renamed.

use super::navigation::{definitions, local_at, uses};
use crate::lsp::position::Lines;
use crate::lsp::view::Cursor;
use crate::resolution::{Local, LocalLevel, LocalScope};
use crate::syntax::Language;
use ls_types::{PrepareRenameResponse, Range, TextEdit, WorkspaceEdit};
use std::collections::HashMap;
use std::sync::Arc;

/// Returns the range and the name at a place that can be renamed; `None` if there is none.
pub(super) fn prepare(place: &Cursor<'_>) -> Option<PrepareRenameResponse> {
    let (start, name) = local_at(place)?;
    edited(place, name).ok()?;
    let range = Lines::new(place.text, place.view.encoding).range(start as u32, (start + name.len()) as u32);
    Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: name.to_owned() })
}

/// Returns the edits that rename the local at a place.
///
/// # Errors
/// Why it cannot have that name.
pub(super) fn rename(place: &Cursor<'_>, new: &str) -> Result<WorkspaceEdit, String> {
    let (_, name) = local_at(place).ok_or("only locals can be renamed")?;
    let is_letter = |c: char| c == '_' || c.is_alphabetic();
    if !new.starts_with(is_letter) || !new.chars().all(|c| is_letter(c) || c.is_numeric()) {
        return Err(format!(
            "`{new}` cannot be the name of a local: use letters, digits and `_`, and no digit at the start"
        ));
    }
    if scopes(place).any(|scope| scope.locals.iter().any(|local| *local.name == *new)) {
        return Err(format!("`{new}` is already defined in {}", place.path));
    }
    let edit = |range| TextEdit { range, new_text: new.to_owned() };
    let edits = edited(place, name)?.into_iter().map(edit).collect();
    let uri = place.view.uri(place.path).ok_or("the file has no address")?;
    Ok(WorkspaceEdit { changes: Some(HashMap::from([(uri, edits)])), ..WorkspaceEdit::default() })
}

/// The scopes of locals of the file, of all stacks.
fn scopes<'a>(place: &Cursor<'a>) -> impl Iterator<Item = &'a Arc<LocalScope>> {
    let (view, path) = (place.view, place.path);
    let all = view.resolutions().into_iter().flat_map(|resolution| &resolution.locals.scopes);
    all.filter(move |scope| *view.file(scope.file).path == *path)
}

/// The places of a name in the file, once each and in their order: its definitions and its uses.
fn edited(place: &Cursor<'_>, name: &str) -> Result<Vec<Range>, String> {
    let is_defined = |scope: &&Arc<LocalScope>| scope.locals.iter().any(|local: &Local| *local.name == *name);
    let mut defining = scopes(place).filter(is_defined).peekable();
    if defining.peek().is_none() {
        return Err(format!("`{name}` is not defined in {}", place.path));
    }
    if Language::of(place.path) != Language::Yaml {
        return Err(format!("other files may use `{name}`"));
    }
    if defining.any(|scope| matches!(scope.level, LocalLevel::Component(..))) {
        return Err(format!("`{name}` belongs to a component, and components of other files may inherit it"));
    }
    // `index .locals "name"` and its like are not found as uses.
    if ['"', '\''].iter().any(|quote| is_indexed(place.text, &format!("{quote}{name}{quote}"))) {
        return Err(format!("a template may read `{name}` by its quoted name"));
    }
    let lines = Lines::new(place.text, place.view.encoding);
    let mut found: Vec<Range> = uses(place, name).map(|location| location.range).collect();
    for origin in definitions(&place.view, place.path, name) {
        let key = origin.key as usize;
        let quote = usize::from(place.text.get(key..).is_some_and(|text| text.starts_with(['"', '\''])));
        let start = key + quote;
        if place.text.get(start..start + name.len()) != Some(name) {
            return Err(format!("the key that defines `{name}` is not written literally"));
        }
        found.push(lines.range(start as u32, (start + name.len()) as u32));
    }
    found.sort_by_key(|range| range.start);
    found.dedup();
    Ok(found)
}

/// Whether a template action holds a quoted name.
fn is_indexed(text: &str, quoted: &str) -> bool {
    let actions = text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next());
    actions.into_iter().any(|action| action.contains(quoted))
}
