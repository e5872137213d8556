//! The outline of a file, and the stacks and components of the workspace.

use crate::lsp::position::Lines;
use crate::lsp::view::{Cursor, View};
use crate::resolution::Component;
use crate::syntax::{Language, hcl};
use crate::text::Text;
use crate::value::Origin;
use crate::yaml::{Document, NodeId, NodeKind};
use ls_types::{DocumentSymbol, Location, OneOf, Range, SymbolKind, WorkspaceSymbol};
use std::collections::BTreeSet;

/// How deep keys of an outline nest.
const MAX_DEPTH: usize = 6;
/// The maximum number of keys of an outline.
const MAX_KEYS: usize = 10_000;
/// The maximum number of symbols of the workspace in an answer.
const MOST: usize = 500;

/// The keys of a YAML file, or the blocks of one in HCL, nested.
pub(super) fn of_file(place: &Cursor<'_>) -> Vec<DocumentSymbol> {
    let lines = Lines::new(place.text, place.view.encoding);
    if Language::of(place.path) == Language::Hcl {
        return blocks(&hcl::outline(&Text::from(place.text)), &lines);
    }
    if !place.view.is_read(place.path) {
        return Vec::new();
    }
    let mut left = MAX_KEYS;
    let documents = place.documents();
    let roots = documents.iter().filter_map(|document| Some((document, document.root()?)));
    roots.flat_map(|(document, root)| keys(document, root, &lines, MAX_DEPTH, &mut left)).collect()
}

/// The blocks and arguments of a file in HCL, nested.
fn blocks(entries: &[hcl::Entry], lines: &Lines<'_>) -> Vec<DocumentSymbol> {
    let entries = &entries[..entries.len().min(MAX_KEYS)];
    let mut found: Vec<DocumentSymbol> = Vec::new();
    let mut below: Vec<Vec<DocumentSymbol>> = entries.iter().map(|_| Vec::new()).collect();
    let mut depths: Vec<usize> = Vec::with_capacity(entries.len());
    for entry in entries {
        depths.push(entry.parent.map_or(0, |parent| depths[parent] + 1));
    }
    // Parents come before their children, so that from the end on all children are there.
    for (i, entry) in entries.iter().enumerate().rev() {
        let kind = match entry.kind {
            _ if depths[i] >= MAX_DEPTH => continue,
            hcl::HclEntryKind::Block { .. } => SymbolKind::NAMESPACE,
            hcl::HclEntryKind::Key => SymbolKind::KEY,
            hcl::HclEntryKind::Item => continue,
        };
        let mut children = std::mem::take(&mut below[i]);
        children.reverse();
        let (start, end) = (entry.key.start, entry.value.end.max(entry.key.end));
        let name = entry.name.chars().take(200).collect();
        let symbol = symbol(name, kind, (lines.range(start, end), lines.range(start, entry.key.end)), children);
        match entry.parent {
            None => found.push(symbol),
            Some(parent) => below[parent].push(symbol),
        }
    }
    found.reverse();
    found
}

fn symbol(
    name: String,
    kind: SymbolKind,
    (range, selection_range): (Range, Range),
    children: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    #[allow(deprecated, reason = "the field has no default")]
    DocumentSymbol {
        name: if name.is_empty() { "\"\"".to_owned() } else { name },
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: Some(children).filter(|all| !all.is_empty()),
    }
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
        let ranges = (lines.range(key.span.start, end), lines.range(key.span.start, key.span.end));
        let children = keys(document, *value, lines, depth - 1, left);
        found.push(symbol(name, kind, ranges, children));
    }
    found
}

fn lines_text(document: &Document, start: u32, end: u32) -> String {
    document.text().get(start as usize..end as usize).unwrap_or_default().chars().take(200).collect()
}

fn defined_at(component: &Component) -> Option<Origin> {
    component.value.prov.origin.or_else(|| component.shaping_origins.own.first().copied())
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
                    && let Some(location) = defined_at(component).and_then(|origin| view.key(origin))
                {
                    found.push(symbol(&component.name, SymbolKind::OBJECT, Some(&component.stack), location));
                }
            }
        }
    }
    found
}
