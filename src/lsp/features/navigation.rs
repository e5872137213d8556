//! Definitions and references: imports, base components, components that others name, local names, variables of code.

use super::{code, completion, hover, links};
use crate::lsp::view::{Cursor, View};
use crate::refactor::rename;
use crate::resolution::{Component, StackSelector};
use crate::syntax;
use crate::syntax::template::inside;
use crate::terraform::{Cache, Modules};
use crate::text::Text;
use crate::value::Origin;
use ls_types::{Location, Range};
use std::collections::BTreeSet;

/// The maximum number of places of an answer.
const MOST: usize = 2_000;

/// A reference to a component: its place and its target; the stack is `None` if it is known only at run time.
struct Reference<'a> {
    origin: Origin,
    stack: Option<&'a Text>,
    kind: &'a Text,
    name: &'a Text,
}

/// Where what is at a place is defined.
pub(super) fn definition(place: &Cursor<'_>) -> Vec<Location> {
    if let Some(import) = links::import_at(place) {
        return import.targets.iter().take(MOST).filter_map(|id| place.view.top(*id)).collect();
    }
    let is_here = |(_, start, end): &(String, u32, u32)| (*start as usize..=*end as usize).contains(&place.offset);
    if let Some((path, ..)) = links::paths(place).into_iter().find(is_here) {
        let uri = place.view.uri(&path);
        return uri.map(|uri| Location { uri, range: Range::default() }).into_iter().collect();
    }
    let found = code::definition(place);
    if !found.is_empty() {
        return unique(found.into_iter().take(MOST));
    }
    if let Some((_, name)) = local(place) {
        return definitions(&place.view, place.path, name)
            .into_iter()
            .filter_map(|origin| place.view.key(origin))
            .collect();
    }
    let mut found = mentioned(place);
    if found.is_empty() {
        found = members(place);
    }
    if found.is_empty() {
        found = variables(place);
    }
    unique(found)
}

/// Where what is at a place is used; with its definition if `all`.
pub(super) fn references(place: &Cursor<'_>, all: bool) -> Vec<Location> {
    if let Some(import) = links::import_at(place) {
        let items = place.view.resolutions().into_iter().flat_map(|resolution| &resolution.imports.items);
        let same = items.filter(|item| item.targets.iter().any(|target| import.targets.contains(target)));
        return unique(place.view.keys(same.map(|item| item.path)));
    }
    let found = code::references(place, all);
    if !found.is_empty() {
        return unique(found.into_iter().take(MOST));
    }
    if let Some((_, name)) = local_at(place) {
        let mut found: Vec<Location> = uses(place, name).collect();
        if all {
            let origins = definitions(&place.view, place.path, name);
            found.extend(origins.into_iter().filter_map(|origin| place.view.key(origin)));
        }
        return unique(found);
    }
    let named = named(place);
    let refers = |r: &Reference<'_>| named.contains(&(Text::clone(r.kind), Text::clone(r.name)));
    let all_references = place.view.components().flat_map(|(_, component)| of_component(component));
    let mut found: Vec<Origin> = all_references.filter(refers).map(|r| r.origin).collect();
    if all {
        let is_named = |c: &&Component| named.contains(&(Text::clone(&c.kind), Text::clone(&c.name)));
        let components = place.view.components().map(|(_, c)| &**c).filter(is_named);
        found.extend(components.filter_map(|component| component.value.prov.origin));
    }
    found.sort();
    found.dedup();
    unique(place.view.keys(found.into_iter().take(MOST)))
}

/// The components that a component names: its bases, and those that it needs.
fn of_component(component: &Component) -> Vec<Reference<'_>> {
    let (stack, kind) = (Some(&component.stack), &component.kind);
    let bases = component.metadata.bases.iter();
    let bases = bases.filter_map(|base| Some(Reference { origin: base.origin?, stack, kind, name: &base.name }));
    let links = component.metadata.links.iter().filter_map(|link| {
        let stack = match &link.stack {
            StackSelector::Here => Some(&component.stack),
            StackSelector::Stack(name) => Some(name),
            StackSelector::Having(_) | StackSelector::Unknown => None,
        };
        Some(Reference {
            origin: (*link.origin)?,
            stack,
            kind: link.kind.as_ref().unwrap_or(kind),
            name: &link.component,
        })
    });
    let needed = component.metadata.needed.iter();
    let needed = needed.filter_map(|n| Some(Reference { origin: n.origin?, stack, kind: &n.kind, name: &n.name }));
    bases.chain(links).chain(needed).collect()
}

/// The definitions of the components that are named at a place.
fn mentioned(place: &Cursor<'_>) -> Vec<Location> {
    let all = place.view.components().flat_map(|(_, component)| of_component(component));
    let here: Vec<Reference<'_>> = all.filter(|r| place.view.is_at(r.origin, place.path, place.offset)).collect();
    let is_meant = |c: &Component, r: &Reference<'_>| {
        *r.kind == c.kind && *r.name == c.name && r.stack.is_none_or(|stack| *stack == c.stack)
    };
    let mentions = place.view.resolutions().into_iter().flat_map(|resolution| &resolution.mentions);
    let names: BTreeSet<&Text> = mentions
        .filter_map(|mention| mention.component.as_ref())
        .filter(|name| place.view.is_at(name.origin, place.path, place.offset))
        .map(|name| &name.name)
        .collect();
    let components = place.view.components().map(|(_, component)| component);
    let meant = components.filter(|c| names.contains(&c.name) || here.iter().any(|r| is_meant(c, r)));
    place.view.keys(meant.filter_map(|c| c.value.prov.origin))
}

/// Where what a template reads at a place was set.
fn members(place: &Cursor<'_>) -> Vec<Location> {
    let (start, word) = place.word();
    let written = syntax::place::place(place.text, place.offset);
    let keys: Vec<&str> = written.keys.iter().map(|key| &**key).collect();
    let components = completion::components(place, &keys);
    let mut found = BTreeSet::new();
    for authoring in place.view.authoring(place.path) {
        let inside =
            authoring.templates().iter().filter_map(|notation| inside(place.text, start + word.len(), notation));
        for at in inside.filter(|at| at.quoted.is_none() && at.typed == word) {
            let members = authoring.members(&components, &at.names).into_iter().filter(|m| *m.name == *word);
            found.extend(members.filter_map(|member| member.value?.prov.origin));
        }
    }
    place.view.keys(found.into_iter().take(MOST))
}

/// Types and names of the components that are configured or named at a place: a component may be configured in several files.
fn named(place: &Cursor<'_>) -> BTreeSet<(Text, Text)> {
    let (_, word) = place.word();
    let reached = hover::reach(place).into_iter().flat_map(|(_, impact)| impact.components);
    let own = reached.map(|reached| reached.address).filter(|(_, _, name)| **name == *word);
    let mut found: BTreeSet<(Text, Text)> = own.map(|(_, kind, name)| (kind, name)).collect();
    for (_, component) in place.view.components() {
        let here = of_component(component).into_iter();
        let here = here.filter(|r| place.view.is_at(r.origin, place.path, place.offset));
        found.extend(here.map(|r| (Text::clone(r.kind), Text::clone(r.name))));
    }
    found
}

/// The declarations in code of the input whose key is at a place.
fn variables(place: &Cursor<'_>) -> Vec<Location> {
    let (analysis, cache) = (place.view.analysis, Cache::default());
    let modules = Modules::new(&analysis.source, &analysis.review.files, &cache);
    let mut found = BTreeSet::new();
    for (_, component) in place.view.components() {
        let Some(code) = &component.metadata.code else { continue };
        let inputs = component.metadata.inputs.authored.iter().flat_map(|map| map.iter());
        for input in inputs {
            let key = input.value.prov.origin.map(|origin| Origin { end: origin.start.max(origin.key), ..origin });
            if key.is_some_and(|key| place.view.is_at(key, place.path, place.offset)) {
                let module = modules.get(&code.folder);
                found.extend(module.and_then(|m| m.variables.get(&input.key).map(|variable| variable.origin)));
            }
        }
    }
    place.view.keys(found)
}

/// The local name that is used at a place, with its byte offset: `.locals.name`, `local.name`, as the system writes it.
pub(super) fn local<'a>(place: &Cursor<'a>) -> Option<(usize, &'a str)> {
    let (start, name) = place.word();
    rename::is_local(place.text.get(..start)?, &local_sections(&place.view)).then_some((start, name))
}

/// The sections that define locals.
pub(super) fn local_sections(view: &View<'_>) -> Vec<&'static str> {
    let sections = view.resolutions().into_iter().flat_map(|resolution| &resolution.vocabularies);
    sections.map(|vocabulary| vocabulary.locals).filter(|section| !section.is_empty()).collect()
}

/// The local name that is used or defined at a place, with its byte offset.
pub(super) fn local_at<'a>(place: &Cursor<'a>) -> Option<(usize, &'a str)> {
    local(place).or_else(|| declared_local(place))
}

/// The local name that is declared at a place.
fn declared_local<'a>(place: &Cursor<'a>) -> Option<(usize, &'a str)> {
    let (start, name) = place.word();
    let is_here = |origin: &Origin| {
        place.view.is_at(Origin { end: origin.start.max(origin.key), ..*origin }, place.path, place.offset)
    };
    definitions(&place.view, place.path, name).iter().any(is_here).then_some((start, name))
}

/// The definitions of a local name that a file sees.
pub(super) fn definitions(view: &View<'_>, path: &str, name: &str) -> Vec<Origin> {
    let scopes = view.resolutions().into_iter().flat_map(|resolution| &resolution.locals.scopes);
    let own = scopes.filter(|scope| *view.file(scope.file).path == *path).flat_map(|scope| &scope.locals);
    // Each stack of the file has the same names.
    let found: BTreeSet<Origin> = own.filter(|local| *local.name == *name).filter_map(|local| local.origin).collect();
    found.into_iter().collect()
}

/// The uses of a local name in the text of a file.
pub(super) fn uses<'a>(place: &'a Cursor<'_>, name: &'a str) -> impl Iterator<Item = Location> + 'a {
    let uri = place.view.uri(place.path);
    let lines = crate::lsp::position::Lines::new(place.text, place.view.encoding);
    let sections = local_sections(&place.view);
    let found: Vec<usize> = rename::occurrences(place.text, name, &sections).take(MOST).collect();
    found.into_iter().filter_map(move |at| {
        let range = lines.range(at as u32, (at + name.len()) as u32);
        Some(Location { uri: uri.clone()?, range })
    })
}

/// The places in their order, each once.
fn unique(found: impl IntoIterator<Item = Location>) -> Vec<Location> {
    let mut all: Vec<Location> = found.into_iter().collect();
    all.sort_by(|a, b| (&a.uri, a.range.start).cmp(&(&b.uri, b.range.start)));
    all.dedup();
    all
}
