//! Completion at a place: rules in comments, local names, files to import, components, inputs of code.

use super::{links, navigation};
use crate::lsp::view::Place;
use crate::resolution::Component;
use crate::terraform::{Cache, Modules};
use crate::text::Text;
use crate::value::Origin;
use crate::yaml::{Document, NodeKind, document_of};
use ls_types::{CompletionItem, CompletionItemKind};
use std::collections::BTreeMap;

/// The maximum number of items of an answer.
const MOST: usize = 1_000;

/// Returns the candidates at a place, sorted, without duplicates.
pub(super) fn completions(place: &Place<'_>) -> Vec<CompletionItem> {
    let before = place.around().0;
    let typed = &place.text[place.word().0..place.offset];
    let above = &before[..before.len() - typed.len()];
    let found = if above.contains("stacklint: ignore") {
        rules(place)
    } else if let Some(found) = locals(place) {
        found
    } else if let Some(found) = imports(place) {
        found
    } else {
        components(place).or_else(|| inputs(place)).unwrap_or_default()
    };
    found.into_values().take(MOST).collect()
}

type Found = BTreeMap<String, CompletionItem>;

fn add(found: &mut Found, label: &str, kind: CompletionItemKind, detail: Option<String>) {
    let item = || CompletionItem { label: label.to_owned(), kind: Some(kind), detail, ..CompletionItem::default() };
    found.entry(label.to_owned()).or_insert_with(item);
}

fn rules(place: &Place<'_>) -> Found {
    let mut found = Found::new();
    for rule in place.view.analysis.review.settings.all_rules() {
        add(&mut found, rule.id, CompletionItemKind::VALUE, Some(rule.summary.to_owned()));
    }
    found
}

fn locals(place: &Place<'_>) -> Option<Found> {
    navigation::local(place)?;
    let mut found = Found::new();
    let scopes = place.view.resolutions().into_iter().flat_map(|resolution| &resolution.locals.scopes);
    for scope in scopes.filter(|scope| *place.view.file(scope.file).path == *place.path) {
        for local in &scope.locals {
            let value = local.value.as_ref().map(|value| crate::diff::inline::inline(value, false, false));
            add(&mut found, &local.name, CompletionItemKind::VARIABLE, value);
        }
    }
    Some(found)
}

/// The files that an import may name. How a path becomes the text of an import is learned from the imports that are there.
fn imports(place: &Place<'_>) -> Option<Found> {
    links::import_at(place)?;
    let mut shapes: BTreeMap<(String, String), usize> = BTreeMap::new();
    for resolution in place.view.resolutions() {
        for import in
            resolution.imports.items.iter().filter(|i| !i.is_pattern && !i.is_computed && i.targets.len() == 1)
        {
            let file = place.view.file(import.path.file);
            let text = file.text.get(import.path.start as usize..import.path.end as usize).unwrap_or_default();
            let text = text.trim().trim_matches(['"', '\'']);
            let target = place.view.file(import.targets[0]);
            if let Some(at) = target.path.find(text).filter(|_| !text.is_empty() && !text.starts_with('.')) {
                let (before, after) = (&target.path[..at], &target.path[at + text.len()..]);
                *shapes.entry((before.to_owned(), after.to_owned())).or_default() += 1;
            }
        }
    }
    let ((before, after), _) = shapes.into_iter().max_by_key(|(_, n)| *n)?;
    // A text with its ending can name files of all kinds; those like the others are meant.
    let end = if after.is_empty() { ".yaml" } else { &after };
    let mut found = Found::new();
    for entry in crate::source::Source::listing(&place.view.analysis.source).under(before.trim_end_matches('/')) {
        let Some(text) = entry.path.strip_prefix(&before).filter(|_| entry.path.ends_with(end)) else { continue };
        let text = text.strip_suffix(&after).unwrap_or(text);
        add(&mut found, text, CompletionItemKind::FILE, None);
    }
    Some(found)
}

/// The names of components, where one is named.
fn components(place: &Place<'_>) -> Option<Found> {
    let is_here = |origin: Option<Origin>| origin.is_some_and(|o| place.view.is_at(o, place.path, place.offset));
    let names = |component: &Component| {
        let metadata = &component.metadata;
        metadata.bases.iter().any(|base| is_here(base.origin)) || metadata.links.iter().any(|link| is_here(link.origin))
    };
    let (_, here) = place.view.components().find(|(_, component)| names(component))?;
    let mut found = Found::new();
    for (_, component) in place.view.components().filter(|(_, component)| component.kind == here.kind) {
        add(&mut found, &component.name, CompletionItemKind::REFERENCE, Some(component.kind.to_string()));
    }
    Some(found)
}

/// Returns the variables of a component's code that it does not set yet, if one of its inputs is in the same map.
fn inputs(place: &Place<'_>) -> Option<Found> {
    let document = document_of(Text::from(place.text)).ok()?;
    let beside = keys_beside(&document, place);
    let (analysis, cache) = (place.view.analysis, Cache::default());
    let modules = Modules::new(&analysis.source, &analysis.review.files, &cache);
    let mut found = Found::new();
    for (_, component) in place.view.components() {
        let Some(code) = &component.metadata.code else { continue };
        let is_beside = |origin: Option<Origin>| {
            origin.is_some_and(|o| beside.contains(&o.key) && *place.view.file(o.file).path == *place.path)
        };
        let mut authored = component.metadata.inputs.authored.iter().flat_map(|map| map.iter());
        if !authored.any(|input| is_beside(input.value.prov.origin)) {
            continue;
        }
        let Some(module) = modules.get(&code.folder) else { continue };
        for (name, variable) in &module.variables {
            if !component.metadata.inputs.has(name) {
                let needed = if variable.has_default { "optional" } else { "required" };
                add(
                    &mut found,
                    name,
                    CompletionItemKind::PROPERTY,
                    Some(format!("{needed} variable of {}", code.folder)),
                );
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The byte offsets of the keys of the innermost map around a place, by the indentation of its line.
fn keys_beside(document: &Document, place: &Place<'_>) -> Vec<u32> {
    let line_start = place.offset - place.around().0.len();
    let indent = place.around().0.len() - place.around().0.trim_start().len();
    let column = |offset: u32| {
        let before = &place.text[..(offset as usize).min(place.text.len())];
        before.len() - before.rfind('\n').map_or(0, |at| at + 1)
    };
    let mut nearest: Option<(u32, Vec<u32>)> = None;
    for (_, node) in document.nodes() {
        let NodeKind::Mapping(pairs) = &node.kind else { continue };
        let keys: Vec<u32> = pairs.iter().map(|(key, _)| document.node(*key).span.start).collect();
        let Some(first) = keys.first().filter(|first| column(**first) == indent) else { continue };
        let is_around = (*first as usize) <= line_start + indent && line_start <= node.span.end as usize + 1;
        if is_around && nearest.as_ref().is_none_or(|(start, _)| start < first) {
            nearest = Some((*first, keys));
        }
    }
    nearest.map(|(_, keys)| keys).unwrap_or_default()
}
