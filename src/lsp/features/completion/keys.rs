//! Completion of keys and values of YAML files, from the descriptions of the dialects.

use super::{Found, named};
use crate::lsp::view::Cursor;
use crate::resolution::authoring::{Authoring, Expected, Function, WrittenPlace};
use crate::syntax::place::{self, ITEM, beside, fields};
use ls_types::CompletionItemKind;

/// Adds the candidates at a place.
pub(super) fn add(place: &Cursor<'_>, found: &mut Found<'_, '_>) {
    if !place.view.is_read(place.path) {
        return;
    }
    let written = place::place(place.text, place.offset);
    let keys: Vec<&str> = written.keys.iter().map(|key| &**key).collect();
    let fields = fields(place.text, place.offset);
    let (typed, quote) = match written.typed.strip_prefix(['"', '\'']) {
        Some(typed) => (typed, true),
        None => (written.typed, false),
    };
    found.replace(place.offset - typed.len());
    for authoring in place.view.authoring(place.path) {
        let expected = authoring.expected(&WrittenPlace { path: place.path, keys: &keys, fields: &fields });
        if written.is_value && typed.starts_with('!') {
            calls(place, authoring, typed, found);
            continue;
        }
        if written.is_key {
            add_keys(place, &expected, found);
        }
        let is_named_as_key = expected.names.as_ref().is_some_and(named::are_keys);
        if let Some(names) = expected.names.as_ref().filter(|_| written.is_value || is_named_as_key) {
            let takes_keys = is_named_as_key && !written.is_key;
            if !takes_keys {
                named::add(place, names, None, found);
            }
        }
        if written.is_value {
            for word in &expected.words {
                found.add(word, CompletionItemKind::ENUM_MEMBER, None);
            }
            if typed.is_empty() && !quote && keys.last() != Some(&ITEM) {
                functions(&authoring.functions(), found);
            }
        }
    }
    named::references(place, found);
}

fn add_keys(place: &Cursor<'_>, expected: &Expected, found: &mut Found<'_, '_>) {
    let there = beside(place.text, place.offset);
    for key in expected.keys.iter().filter(|key| !there.contains(&key.name)) {
        let detail = match key.replacement {
            Some(new) => Some(format!("deprecated: use {new}")),
            None => Some(key.kind.to_owned()).filter(|kind| !kind.is_empty()),
        };
        let is_block = matches!(key.kind, "map" | "list");
        found.add_text(key.name, with_colon(place, key.name, is_block), CompletionItemKind::PROPERTY, detail);
        if key.replacement.is_some() {
            found.deprecate(key.name);
        }
    }
}

/// Returns a key with a colon, unless the line continues.
pub(super) fn with_colon(place: &Cursor<'_>, key: &str, is_block: bool) -> String {
    let has_more = !place.around().1.trim().is_empty();
    match has_more {
        true => key.to_owned(),
        false if is_block => format!("{key}:"),
        false => format!("{key}: "),
    }
}

fn functions(all: &[Function], found: &mut Found<'_, '_>) {
    for function in all {
        let detail = Some(function.parameters.clone()).filter(|parameters| !parameters.is_empty());
        found.add(&function.name, CompletionItemKind::FUNCTION, detail);
    }
}

/// Adds the names of functions that form a whole value, or the arguments of one.
fn calls(place: &Cursor<'_>, authoring: &dyn Authoring, typed: &str, found: &mut Found<'_, '_>) {
    let all = authoring.functions();
    let Some((name, arguments)) = typed.split_once(' ') else {
        return functions(&all, found);
    };
    let Some(function) = all.iter().find(|function| *function.name == *name) else { return };
    let last = arguments.rsplit(' ').next().unwrap_or_default();
    let before: Vec<&str> = arguments[..arguments.len() - last.len()].split_whitespace().collect();
    found.replace(place.offset - last.len());
    for names in function.arguments.get(before.len()).into_iter().flat_map(|names| *names) {
        named::add(place, names, before.first().copied(), found);
    }
}
