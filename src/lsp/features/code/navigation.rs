//! Definitions, references and links of names in HCL.

use super::{CodeFile, Target, declarations, files, is_code, sources, target, target_at, text};
use crate::lsp::position::Lines;
use crate::lsp::view::{Cursor, View};
use crate::paths::parent;
use crate::source::Source;
use crate::syntax::hcl::Subject;
use crate::terraform;
use ls_types::{DocumentLink, Location, Uri};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of files that are searched for module calls.
const MAX_SEARCHED: usize = 20_000;
/// The maximum number of links of an answer.
const MOST_LINKS: usize = 2_000;

/// Returns the declaration of the name at a place. For the declaration of a module call, this is the called module.
pub(in crate::lsp::features) fn definition(place: &Cursor<'_>) -> Vec<Location> {
    let Some((target, is_declaration)) = target_at(place) else { return Vec::new() };
    if let Some(call) = target.1.strip_prefix("module.").filter(|_| is_declaration) {
        return called(place, &target.0, call);
    }
    let found = declarations(&place.view, &target);
    found.into_iter().flat_map(|(file, start, end)| file.locations(&place.view, [(start, end)])).collect()
}

/// Returns the files of a called module.
fn called(place: &Cursor<'_>, folder: &str, call: &str) -> Vec<Location> {
    let own = files(&place.view, folder);
    let called = sources(&own).get(call).and_then(|source| terraform::called_folder(folder, source));
    let files = called.map(|folder| files(&place.view, &folder)).unwrap_or_default();
    let code = files.iter().filter(|file| is_code(&file.path));
    code.flat_map(|file| file.locations(&place.view, [(0, 0)])).collect()
}

/// Returns the uses of the name at a place, including its declaration if `all` is set.
pub(in crate::lsp::features) fn references(place: &Cursor<'_>, all: bool) -> Vec<Location> {
    let Some((wanted, _)) = target_at(place) else { return Vec::new() };
    let view = &place.view;
    let mut found = Vec::new();
    for file in files(view, &wanted.0) {
        let own = Subject::Own(wanted.1.clone());
        let uses = file.names.uses.iter().filter(|name| name.subject == own && (all || !name.is_declaration));
        found.extend(file.locations(view, uses.map(|name| (name.span.start, name.span.end))));
    }
    if let Some((kind @ ("var" | "output"), name)) = wanted.1.split_once('.') {
        found.extend(of_callers(view, &wanted, name));
        if kind == "var" {
            found.extend(of_components(view, &wanted.0, name));
        }
    }
    found
}

/// Returns the uses of a variable or an output in folders that call the module.
fn of_callers(view: &View<'_>, wanted: &Target, name: &str) -> Vec<Location> {
    let paths = view.analysis.source.listing().iter().map(|entry| &*entry.path);
    let names_it = |path: &&str| text(view, path).is_some_and(|text| text.contains(name));
    let code = paths.filter(|path| is_code(path)).take(MAX_SEARCHED);
    let folders: BTreeSet<&str> = code.filter(names_it).map(parent).collect();
    let mut found = Vec::new();
    for folder in folders {
        let around = files(view, folder);
        let sources = sources(&around);
        for file in &around {
            let uses = file.names.uses.iter().filter(|used| match &used.subject {
                Subject::Output(_, of) | Subject::Input(_, of) => of == name,
                Subject::Own(_) => false,
            });
            let meant = uses.filter(|used| target(folder, &sources, &used.subject).as_ref() == Some(wanted));
            found.extend(file.locations(view, meant.map(|used| (used.span.start, used.span.end))));
        }
    }
    found
}

/// Returns the locations where components set a variable of their code.
fn of_components(view: &View<'_>, folder: &str, name: &str) -> Vec<Location> {
    let mut origins = BTreeSet::new();
    for (_, component) in view.components() {
        let is_code = component.metadata.code.as_ref().is_some_and(|code| *code.folder == *folder);
        let inputs = component.metadata.inputs.authored.iter().filter(|_| is_code);
        origins.extend(inputs.filter_map(|map| map.get(name)?.prov.origin));
    }
    view.keys(origins)
}

/// Returns links from the sources of module calls to the modules.
pub(in crate::lsp::features) fn links(place: &Cursor<'_>) -> Vec<DocumentLink> {
    let Some(own) = CodeFile::read(place.path, place.text) else { return Vec::new() };
    let folder = parent(place.path);
    let lines = Lines::new(place.text, place.view.encoding);
    // By source: many calls may refer to one module.
    let mut targets: BTreeMap<&str, Option<Uri>> = BTreeMap::new();
    let mut found = Vec::new();
    for (source, span) in own.names.sources.values().take(MOST_LINKS) {
        let target = targets.entry(source).or_insert_with(|| {
            let files = files(&place.view, &terraform::called_folder(folder, source)?);
            let main = files.iter().find(|file| file.path.ends_with("/main.tf")).or(files.first());
            main.and_then(|main| place.view.uri(&main.path))
        });
        if let Some(target) = target.clone() {
            let range = lines.range(span.start + 1, span.end.saturating_sub(1));
            found.push(DocumentLink { range, target: Some(target), tooltip: None, data: None });
        }
    }
    found.sort_by_key(|link| link.range.start);
    found
}
