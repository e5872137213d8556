//! The outline of a file, and the stacks and components of the workspace.

use crate::lsp::position::Lines;
use crate::lsp::view::{Place, View};
use crate::text::Text;
use crate::yaml::{Document, NodeId, NodeKind, document_of};
use ls_types::{DocumentSymbol, Location, OneOf, SymbolKind, WorkspaceSymbol};
use std::collections::BTreeSet;

/// How deep keys of an outline nest.
const MAX_DEPTH: usize = 6;
/// The maximum number of keys of an outline.
const MAX_KEYS: usize = 10_000;
/// The maximum number of symbols of the workspace in an answer.
const MOST: usize = 500;

/// The keys of a YAML file, nested.
pub(super) fn of_file(place: &Place<'_>) -> Vec<DocumentSymbol> {
    let is_read = |resolution| !place.view.ids(resolution, place.path).is_empty();
    if !place.view.resolutions().into_iter().any(is_read) {
        return Vec::new();
    }
    let Ok(document) = document_of(Text::from(place.text)) else { return Vec::new() };
    let lines = Lines::new(place.text, place.view.encoding);
    let mut left = MAX_KEYS;
    document.root().map(|root| keys(&document, root, &lines, MAX_DEPTH, &mut left)).unwrap_or_default()
}

fn keys(document: &Document, id: NodeId, lines: &Lines<'_>, depth: usize, left: &mut usize) -> Vec<DocumentSymbol> {
    let NodeKind::Mapping(pairs) = &document.node(id).kind else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in pairs.iter().filter(|_| depth > 0) {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let (key, node) = (document.node(*key), document.node(*value));
        let name = lines_text(document, key.span.start, key.span.end);
        let kind = match &node.kind {
            NodeKind::Mapping(_) => SymbolKind::NAMESPACE,
            NodeKind::Sequence(_) => SymbolKind::ARRAY,
            _ => SymbolKind::KEY,
        };
        let end = node.span.end.max(key.span.end);
        #[allow(deprecated, reason = "the field has no default")]
        found.push(DocumentSymbol {
            name: if name.is_empty() { "\"\"".to_owned() } else { name },
            detail: None,
            kind,
            tags: None,
            deprecated: None,
            range: lines.range(key.span.start, end),
            selection_range: lines.range(key.span.start, key.span.end),
            children: Some(keys(document, *value, lines, depth - 1, left)).filter(|all| !all.is_empty()),
        });
    }
    found
}

fn lines_text(document: &Document, start: u32, end: u32) -> String {
    document.text().get(start as usize..end as usize).unwrap_or_default().chars().take(200).collect()
}

/// The stacks and components whose names hold a text.
pub(super) fn of_workspace(view: &View<'_>, query: &str) -> Vec<WorkspaceSymbol> {
    let query = query.to_lowercase();
    let fits = |name: &str| name.to_lowercase().contains(&query);
    let symbol = |name: &Text, kind, container: Option<&Text>, location: Location| WorkspaceSymbol {
        name: name.to_string(),
        kind,
        tags: None,
        container_name: container.map(ToString::to_string),
        location: OneOf::Left(location),
        data: None,
    };
    let (mut found, mut stacks) = (Vec::new(), BTreeSet::new());
    for resolution in view.resolutions() {
        for unit in &resolution.units {
            for component in &unit.components {
                if found.len() >= MOST {
                    return found;
                }
                if fits(&component.stack)
                    && stacks.insert(&component.stack)
                    && let Some(top) = view.top(unit.file)
                {
                    found.push(symbol(&component.stack, SymbolKind::NAMESPACE, None, top));
                }
                if fits(&component.name)
                    && let Some(location) = component.value.prov.origin.and_then(|origin| view.key(origin))
                {
                    found.push(symbol(&component.name, SymbolKind::OBJECT, Some(&component.stack), location));
                }
            }
        }
    }
    found
}
