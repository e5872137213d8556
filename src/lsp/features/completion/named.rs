//! Completion of names of components, stacks, outputs, inputs and files.

use super::keys::with_colon;
use super::{Found, components};
use crate::lsp::features::links;
use crate::lsp::view::Cursor;
use crate::paths::parent;
use crate::resolution::Component;
use crate::resolution::authoring::Names;
use crate::source::Source;
use crate::syntax::place::{self, beside};
use crate::terraform::{Cache, Module, Modules, Variable};
use crate::text::Text;
use crate::value::Origin;
use ls_types::CompletionItemKind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Whether names of a kind are keys of a map.
pub(super) fn are_keys(names: &Names) -> bool {
    matches!(names, Names::Inputs(..))
}

/// Adds names of a kind; `of` is the component in the preceding argument.
pub(super) fn add(place: &Cursor<'_>, names: &Names, of: Option<&str>, found: &mut Found<'_, '_>) {
    match names {
        Names::Components(kind) => {
            for component in everywhere(place).filter(|c| kind.is_none_or(|kind| *c.kind == *kind)) {
                found.add(&component.name, CompletionItemKind::REFERENCE, Some(component.kind.to_string()));
            }
        }
        Names::Addresses => {
            for component in everywhere(place) {
                let label = format!("{}.{}", component.kind, component.name);
                found.add(&label, CompletionItemKind::REFERENCE, None);
            }
        }
        Names::Stacks => {
            let stacks: BTreeSet<&Text> = everywhere(place).map(|component| &component.stack).collect();
            stacks.into_iter().for_each(|stack| found.add(stack, CompletionItemKind::MODULE, Some("stack".to_owned())));
        }
        Names::Outputs => outputs(place, of.unwrap_or_default(), found),
        Names::Imports => imports(place, found),
        Names::Files => files(place, found),
        Names::Inputs(kind, name) => inputs(place, kind.as_ref(), name.as_ref(), found),
    }
}

/// Returns all components of the workspace, including those that are broken now.
fn everywhere<'a>(place: &Cursor<'a>) -> impl Iterator<Item = &'a Component> {
    let remembered = place.view.remembered.components(place.path);
    place.view.components().map(|(_, component)| &**component).chain(remembered)
}

/// Adds the components of the same type, if the name of one is at the place.
pub(super) fn references(place: &Cursor<'_>, found: &mut Found<'_, '_>) {
    let is_here = |origin: Option<Origin>| origin.is_some_and(|o| place.view.is_at(o, place.path, place.offset));
    let names = |component: &Component| {
        let metadata = &component.metadata;
        metadata.bases.iter().any(|base| is_here(base.origin))
            || metadata.links.iter().any(|link| is_here(*link.origin))
    };
    let Some((_, here)) = place.view.components().find(|(_, component)| names(component)) else { return };
    let kind = here.kind.clone();
    for component in everywhere(place).filter(|component| component.kind == kind) {
        found.add(&component.name, CompletionItemKind::REFERENCE, Some(component.kind.to_string()));
    }
}

/// Calls `with` for the code of components, once for each folder.
fn modules(place: &Cursor<'_>, components: &[&Component], mut with: impl FnMut(&Component, &Module)) {
    let (analysis, cache) = (place.view.analysis, Cache::default());
    let modules = Modules::new(&analysis.source, &analysis.review.files, &cache);
    let mut seen = BTreeSet::new();
    for component in components {
        let Some(code) = component.metadata.code.as_ref().filter(|code| seen.insert(Text::clone(&code.folder))) else {
            continue;
        };
        let module: Option<Arc<Module>> = modules.get(&code.folder);
        if let Some(module) = module {
            with(component, &module);
        }
    }
}

fn outputs(place: &Cursor<'_>, of: &str, found: &mut Found<'_, '_>) {
    let named: Vec<&Component> = everywhere(place).filter(|component| *component.name == *of).collect();
    modules(place, &named, |_, module| {
        for name in module.outputs.keys() {
            found.add(name, CompletionItemKind::FIELD, Some(format!("output of {}", module.folder)));
        }
    });
}

/// Adds the variables of the code of components, except for those that are already set in the map.
fn inputs(place: &Cursor<'_>, kind: Option<&Text>, name: Option<&Text>, found: &mut Found<'_, '_>) {
    let there: BTreeSet<&str> = beside(place.text, place.offset).into_iter().collect();
    let written = place::place(place.text, place.offset);
    let keys: Vec<&str> = written.keys.iter().map(|key| &**key).collect();
    let is_meant = |c: &&Component| kind.is_none_or(|kind| c.kind == *kind) && name.is_none_or(|name| c.name == *name);
    let mut of: Vec<&Component> = components(place, &keys).into_iter().filter(is_meant).collect();
    if of.is_empty() {
        of = everywhere(place).filter(is_meant).collect();
    }
    modules(place, &of, |_, module| {
        for (name, variable) in module.variables.iter().filter(|(name, _)| !there.contains(name.as_str())) {
            let text = with_colon(place, name, false);
            found.add_text(name, text, CompletionItemKind::PROPERTY, Some(detail(variable, &module.folder)));
            if let Some(description) = &variable.description {
                found.describe(name, description);
            }
        }
    });
}

/// Returns the description of a variable: "required string, of components/vpc".
pub(super) fn detail(variable: &Variable, folder: &str) -> String {
    let needed = if variable.has_default { "optional" } else { "required" };
    format!("{needed} {}, of {folder}", variable.ty)
}

/// Adds the files below the folder of the file, by their relative paths.
fn files(place: &Cursor<'_>, found: &mut Found<'_, '_>) {
    let folder = parent(place.path);
    for entry in Source::listing(&place.view.analysis.source).under(folder) {
        let path = entry.path.strip_prefix(folder).unwrap_or(&entry.path).trim_start_matches('/');
        if *entry.path != *place.path {
            found.add(path, CompletionItemKind::FILE, None);
        }
    }
}

/// Adds the files that can be imported. The relation between paths and the text of imports is inferred from existing
/// imports, or from the names of units, which are formed in the same way.
fn imports(place: &Cursor<'_>, found: &mut Found<'_, '_>) {
    let mut shapes: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut learn = |text: &str, path: &str, weight: usize| {
        if let Some(at) = path.find(text).filter(|_| !text.is_empty() && !text.starts_with('.')) {
            let shape = (path[..at].to_owned(), path[at + text.len()..].to_owned());
            *shapes.entry(shape).or_default() += weight;
        }
    };
    for resolution in place.view.projects_of(place.path) {
        let plain = |import: &&crate::resolution::Import| {
            !import.is_pattern && !import.is_computed && import.targets.len() == 1
        };
        for import in resolution.imports.items.iter().filter(plain) {
            let file = place.view.file(import.path.file);
            let text = file.text.get(import.path.start as usize..import.path.end as usize).unwrap_or_default();
            learn(text.trim().trim_matches(['"', '\'']), &place.view.file(import.targets[0]).path, 1_000);
        }
        for unit in &resolution.units {
            learn(&unit.name, &place.view.file(unit.file).path, 1);
        }
    }
    let Some(((before, after), _)) = shapes.into_iter().max_by_key(|(_, n)| *n) else { return };
    // An import with a file extension can name files of any kind; prefer the usual one.
    let end = if after.is_empty() { ".yaml" } else { &after };
    let typed = links::import_at(place).map(|import| import.path.start as usize);
    if let Some(start) = typed.filter(|start| place.text.get(*start..place.offset).is_some()) {
        let quote = usize::from(place.text[start..].starts_with(['"', '\'']));
        found.replace(start + quote);
    }
    for entry in Source::listing(&place.view.analysis.source).under(before.trim_end_matches('/')) {
        let Some(text) = entry.path.strip_prefix(&before).filter(|_| entry.path.ends_with(end)) else { continue };
        if *entry.path != *place.path {
            found.add(text.strip_suffix(&after).unwrap_or(text), CompletionItemKind::FILE, None);
        }
    }
}
