//! Completion in templates: local names, members of components, functions and their arguments.

use super::{Found, components, named};
use crate::diff::{inline, mask};
use crate::lsp::features::navigation;
use crate::lsp::view::Cursor;
use crate::resolution::LocalScope;
use crate::resolution::authoring::{Authoring, Function};
use crate::syntax::place;
use crate::syntax::template::{Inside, Notation, TokenKind, inside, tokens};
use ls_types::CompletionItemKind;

/// Adds the candidates in a template. Returns `false` if the place is not in a template.
pub(super) fn add(place: &Cursor<'_>, found: &mut Found<'_, '_>) -> bool {
    found.replace(place.word().0);
    if locals(place, found) {
        return true;
    }
    let mut is_inside = false;
    for authoring in place.view.authoring(place.path) {
        for notation in authoring.templates() {
            let Some(at) = inside(place.text, place.offset, notation) else { continue };
            is_inside = true;
            found.replace(place.offset - at.typed.len());
            match at.quoted {
                Some(_) => arguments(place, authoring, notation, &at, found),
                None => {
                    if at.is_rooted || !notation.words_are_functions {
                        members(place, authoring, &at, found);
                    }
                    if !at.is_rooted {
                        functions(&authoring.template_functions(), &at, found);
                    }
                }
            }
        }
    }
    is_inside
}

/// Adds the local names of the file, if one is referenced at the place.
fn locals(place: &Cursor<'_>, found: &mut Found<'_, '_>) -> bool {
    if navigation::local(place).is_none() {
        return false;
    }
    let scopes = place.view.resolutions().into_iter().flat_map(|resolution| &resolution.locals.scopes);
    for scope in scopes.filter(|scope| *place.view.file(scope.file).path == *place.path) {
        add_scope(scope, found);
    }
    place.view.remembered.scopes(place.path).for_each(|scope| add_scope(scope, found));
    true
}

fn add_scope(scope: &LocalScope, found: &mut Found<'_, '_>) {
    for local in &scope.locals {
        let is_secret = mask::is_secret_pointer(&format!("/{}", local.name));
        let value = local.value.as_ref().map(|value| inline::inline(value, is_secret, false));
        found.add(&local.name, CompletionItemKind::VARIABLE, value);
    }
}

fn members(place: &Cursor<'_>, authoring: &dyn Authoring, at: &Inside<'_>, found: &mut Found<'_, '_>) {
    let written = place::place(place.text, place.offset);
    let keys: Vec<&str> = written.keys.iter().map(|key| &**key).collect();
    for member in authoring.members(&components(place, &keys), &at.names) {
        let pointer = format!("/{}/{}", at.names.join("/"), member.name);
        let value = member.value.map(|value| inline::inline(&value, mask::is_secret_pointer(&pointer), false));
        found.add(&member.name, CompletionItemKind::FIELD, value);
    }
}

fn functions(all: &[Function], at: &Inside<'_>, found: &mut Found<'_, '_>) {
    let before: String = at.names.iter().map(|name| format!("{name}.")).collect();
    let mut namespaces: Vec<&str> = Vec::new();
    for function in all {
        let Some(name) = function.name.strip_prefix(&before) else { continue };
        match name.split_once('.') {
            Some((namespace, _)) => namespaces.push(namespace),
            None => {
                let detail = Some(function.parameters.clone()).filter(|parameters| !parameters.is_empty());
                found.add(name, CompletionItemKind::FUNCTION, detail);
            }
        }
    }
    namespaces.dedup();
    for namespace in namespaces {
        found.add(namespace, CompletionItemKind::MODULE, None);
    }
}

/// Adds the names that a quoted argument of a function can have.
fn arguments(
    place: &Cursor<'_>,
    authoring: &dyn Authoring,
    notation: &Notation,
    at: &Inside<'_>,
    found: &mut Found<'_, '_>,
) {
    let all = tokens(at.text, notation);
    let Some(last) = all.iter().rposition(|token| token.kind == TokenKind::Function) else { return };
    let start = match last.checked_sub(1).map(|before| all[before]) {
        Some(before) if before.kind == TokenKind::Namespace && before.end == all[last].start => before.start,
        _ => all[last].start,
    };
    let name = &at.text[start..all[last].end];
    // Complete arguments: tokens that are not joined to the preceding one.
    let rest = &all[last + 1..all.len().saturating_sub(1).max(last + 1)];
    let ends: Vec<usize> = std::iter::once(all[last].end).chain(rest.iter().map(|token| token.end)).collect();
    let begins = rest.iter().zip(&ends).filter(|(token, end)| token.start > **end);
    let complete: Vec<&str> =
        begins.map(|(token, _)| at.text[token.start..token.end].trim_matches(['"', '\\', '`'])).collect();
    let functions = authoring.template_functions();
    let function = functions.iter().find(|function| *function.name == *name);
    let names = function.and_then(|function| function.arguments.get(complete.len()));
    for names in names.into_iter().flat_map(|names| *names) {
        named::add(place, names, complete.first().copied(), found);
    }
}
