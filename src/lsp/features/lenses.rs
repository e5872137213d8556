//! Code lenses above maps of a YAML file and blocks of an HCL file with the number of affected components: "12 components in
//! 4 stacks".

use super::hover;
use crate::lsp::position::Lines;
use crate::lsp::view::Cursor;
use crate::syntax::{Language, hcl};
use crate::text::{Text, count};
use crate::yaml::{Document, NodeId, NodeKind};
use ls_types::{CodeLens, Command, Range, Uri};
use std::collections::BTreeSet;

/// How deep maps with a lens nest.
const MAX_DEPTH: usize = 3;
/// The maximum number of lenses of a file.
const MOST: usize = 500;

/// The lenses of a file, without titles: those that are seen are resolved.
pub(super) fn lenses(place: &Cursor<'_>, uri: &Uri) -> Vec<CodeLens> {
    let is_read = |resolution| !place.view.ids(resolution, place.path).is_empty();
    if !place.view.resolutions().into_iter().any(is_read) {
        return Vec::new();
    }
    let lines = Lines::new(place.text, place.view.encoding);
    let mut found = Vec::new();
    let mut add = |start, end| {
        let data = Some(serde_json::json!({ "uri": uri }));
        found.push(CodeLens { range: lines.range(start, end), command: None, data });
    };
    match Language::of(place.path) {
        Language::Hcl => {
            let entries = hcl::outline(&Text::from(place.text));
            let blocks =
                entries.iter().filter(|e| e.parent.is_none() && matches!(e.kind, hcl::HclEntryKind::Block { .. }));
            blocks.take(MOST).for_each(|block| add(block.key.start, block.key.end));
        }
        Language::Yaml => {
            for document in &place.documents() {
                document.root().into_iter().for_each(|root| maps(document, root, MAX_DEPTH, &mut add));
            }
        }
    }
    found.truncate(MOST);
    found
}

/// Calls `found` with the span of the key of each map.
fn maps(document: &Document, id: NodeId, depth: usize, found: &mut impl FnMut(u32, u32)) {
    let NodeKind::Mapping(pairs) = &document.node(id).kind else { return };
    for (key, value) in pairs.iter().filter(|_| depth > 0) {
        if matches!(document.node(*value).kind, NodeKind::Mapping(_)) {
            let span = document.node(*key).span;
            found(span.start, span.end);
            maps(document, *value, depth - 1, found);
        }
    }
}

/// The file that a lens belongs to.
pub(super) fn uri_of(lens: &CodeLens) -> Option<Uri> {
    lens.data.as_ref()?.get("uri")?.as_str()?.parse().ok()
}

/// Summarizes what depends on the line of a place.
pub(super) fn title(place: &Cursor<'_>) -> String {
    let found = hover::reach(place);
    let components = found.iter().flat_map(|(_, impact)| &impact.components);
    let stacks: BTreeSet<&Text> = components.clone().map(|component| &component.address.0).collect();
    match components.count() {
        0 => "reaches no component".to_owned(),
        n => format!("{} in {}", count(n, "component"), count(stacks.len(), "stack")),
    }
}

pub(super) fn resolved(lens: CodeLens, title: Option<String>) -> CodeLens {
    let command = Command { title: title.unwrap_or_default(), command: String::new(), arguments: None };
    CodeLens { range: Range { ..lens.range }, command: Some(command), data: lens.data }
}
