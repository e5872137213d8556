//! Links of imports, and of other values that name files, to their files.

use super::code;
use crate::files::File;
use crate::lsp::position::Lines;
use crate::lsp::view::{Cursor, View};
use crate::resolution::Import;
use crate::resolution::authoring::{Authoring, Names, WrittenPlace};
use crate::source::Source;
use crate::syntax::Language;
use crate::syntax::place::ITEM;
use crate::text::Text;
use crate::yaml::{Document, NodeId, NodeKind};
use ls_types::DocumentLink;

/// The links of a file.
pub(super) fn links(place: &Cursor<'_>) -> Vec<DocumentLink> {
    let of = |import: &Import, file: &File, lines: &Lines<'_>| {
        let range = lines.range(import.path.start, file.trimmed_end(import.path.start, import.path.end));
        let target = place.view.file(*import.targets.first()?);
        let more = import.targets.len() - 1;
        let tooltip = (more > 0).then(|| format!("{} and {more} more", target.path));
        Some(DocumentLink { range, target: place.view.uri(&target.path), tooltip, data: None })
    };
    let mut found: Vec<DocumentLink> = Vec::new();
    for same in imports(&place.view, place.path).chunk_by(|a, b| a.path.file == b.path.file) {
        let Some(first) = same.first() else { continue };
        let file = place.view.file(first.path.file);
        let lines = Lines::new(&file.text, place.view.encoding);
        found.extend(same.iter().filter_map(|import| of(import, &file, &lines)));
    }
    found.extend(code::links(place));
    let lines = Lines::new(place.text, place.view.encoding);
    found.extend(paths(place).into_iter().map(|(path, start, end)| {
        let (range, target) = (lines.range(start, end), place.view.uri(&path));
        DocumentLink { range, target, tooltip: None, data: None }
    }));
    found
}

/// The files of the repository that values of a file name as the dialect says, with their places.
pub(super) fn paths(place: &Cursor<'_>) -> Vec<(String, u32, u32)> {
    let authoring = place.view.authoring(place.path);
    if Language::of(place.path) != Language::Yaml || !authoring.iter().any(|authoring| authoring.names_files()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for document in &place.documents() {
        let Some(root) = document.root() else { continue };
        let fields = fields_of(document, root);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(key, value)| (&**key, &**value)).collect();
        let mut walk = PathWalk { place, document, fields: &fields, authoring: &authoring, found: &mut found };
        walk.node(root, &mut Vec::new());
    }
    found
}

/// The keys of a document that have plain text as values.
fn fields_of(document: &Document, root: NodeId) -> Vec<(Text, Text)> {
    let NodeKind::Mapping(pairs) = &document.node(root).kind else { return Vec::new() };
    let field = |(key, value): &(NodeId, NodeId)| {
        Some((document.scalar(*key)?.to_string().into(), document.scalar(*value)?.to_string().into()))
    };
    pairs.iter().filter_map(field).take(MAX_FIELDS).collect()
}

/// The maximum number of keys of a document that say what kind it is of.
const MAX_FIELDS: usize = 64;
/// How deep values that name files nest.
const MAX_DEPTH: usize = 6;

struct PathWalk<'w, 'a> {
    place: &'w Cursor<'a>,
    document: &'w Document,
    fields: &'w [(&'w str, &'w str)],
    authoring: &'w [&'static dyn Authoring],
    found: &'w mut Vec<(String, u32, u32)>,
}

impl PathWalk<'_, '_> {
    fn node(&mut self, id: NodeId, keys: &mut Vec<String>) {
        if keys.len() > MAX_DEPTH {
            return;
        }
        let node = self.document.node(id);
        match &node.kind {
            NodeKind::Mapping(pairs) => {
                for (key, value) in pairs {
                    let Some(key) = self.document.scalar(*key) else { continue };
                    keys.push(key.to_string());
                    self.node(*value, keys);
                    keys.pop();
                }
            }
            NodeKind::Sequence(items) => {
                keys.push(ITEM.to_owned());
                items.iter().for_each(|item| self.node(*item, keys));
                keys.pop();
            }
            NodeKind::Scalar { .. } => self.scalar(id, keys),
            NodeKind::Alias { .. } => {}
        }
    }

    fn scalar(&mut self, id: NodeId, keys: &[String]) {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let written = WrittenPlace { path: self.place.path, keys: &keys, fields: self.fields };
        let names_file = |authoring: &&dyn Authoring| authoring.expected(&written).names == Some(Names::Files);
        let Some(text) = self.document.scalar(id).filter(|_| self.authoring.iter().any(names_file)) else { return };
        let listing = self.place.view.analysis.source.listing();
        let Some(path) = relative(self.place.path, text) else { return };
        if listing.resolve(&path).is_ok() {
            let span = self.document.node(id).span;
            self.found.push((path, span.start, span.end));
        }
    }
}

/// The path that a text names in a file, from the root of the repository.
fn relative(file: &str, text: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!text.starts_with('/')).then(|| parts.join("/"))
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
pub(super) fn import_at<'a>(place: &Cursor<'a>) -> Option<&'a Import> {
    let is_here = |import: &&Import| (import.path.start as usize..=import.path.end as usize).contains(&place.offset);
    imports(&place.view, place.path).into_iter().find(is_here)
}
