//! What can get a new name at a place: a local of the file, a component, a stack.

use super::navigation::local_at;
use crate::lsp::position::Lines;
use crate::lsp::view::Cursor;
use crate::refactor::rename::LocalNames;
use crate::refactor::{self, Named};
use ls_types::PrepareRenameResponse;
use std::ops::Range;

/// Returns the range and the name at a place that can be renamed; `None` if there is none.
pub(super) fn prepare(place: &Cursor<'_>) -> Option<PrepareRenameResponse> {
    let local = local_at(place).filter(|(_, name)| is_local(place, name));
    let range = match local {
        Some((start, name)) => start..start + name.len(),
        None => named(place)?.0,
    };
    let placeholder = place.text[range.clone()].to_owned();
    let range = Lines::new(place.text, place.view.encoding).range(range.start as u32, range.end as u32);
    Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder })
}

/// The component or the stack whose name stands at a place.
pub(super) fn named(place: &Cursor<'_>) -> Option<(Range<usize>, Named)> {
    let mut resolutions = place.view.projects_of(place.path).into_iter();
    let files = &place.view.analysis.review.files;
    resolutions.find_map(|resolution| refactor::named_at(place.path, place.offset, resolution, files))
}

/// Whether a local of the file can get another name.
fn is_local(place: &Cursor<'_>, name: &str) -> bool {
    let resolutions = place.view.resolutions();
    let all = resolutions.iter().flat_map(|resolution| &resolution.locals.scopes);
    let scopes = all.filter(|scope| *place.view.file(scope.file).path == *place.path);
    let scopes = scopes.map(|scope| &**scope).collect();
    let sections = super::navigation::local_sections(&place.view);
    LocalNames { path: place.path, text: place.text, scopes, sections }.places(name).is_ok()
}
