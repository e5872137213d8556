//! Links of imports to their files.

use crate::lsp::view::{Place, View};
use crate::resolution::Import;
use ls_types::DocumentLink;

/// The links of a file.
pub(super) fn links(place: &Place<'_>) -> Vec<DocumentLink> {
    let of = |import: &Import| {
        let location = place.view.location(import.path.file, import.path.start, import.path.end)?;
        let target = place.view.file(*import.targets.first()?);
        let more = import.targets.len() - 1;
        let tooltip = (more > 0).then(|| format!("{} and {more} more", target.path));
        Some(DocumentLink { range: location.range, target: place.view.uri(&target.path), tooltip, data: None })
    };
    imports(&place.view, place.path).into_iter().filter_map(of).collect()
}

/// The imports of the file at a path, in the order of the text.
pub(super) fn imports<'a>(view: &View<'a>, path: &str) -> Vec<&'a Import> {
    let all = view.resolutions().into_iter().flat_map(|resolution| &resolution.imports.items);
    let mut found: Vec<&Import> = all.filter(|import| *view.file(import.path.file).path == *path).collect();
    found.sort_by_key(|import| import.path.key);
    found.dedup_by_key(|import| import.path);
    found
}

/// The import whose path is at a place.
pub(super) fn import_at<'a>(place: &Place<'a>) -> Option<&'a Import> {
    let is_here = |import: &&Import| (import.path.start as usize..=import.path.end as usize).contains(&place.offset);
    imports(&place.view, place.path).into_iter().find(is_here)
}
