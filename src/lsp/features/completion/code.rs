//! Completion in HCL: arguments and blocks, inputs of modules, names declared in the folder, functions.

use super::{Found, named};
use crate::lsp::features::code::{CodeFile, files, sources};
use crate::lsp::view::Cursor;
use crate::paths::parent;
use crate::resolution::authoring::WrittenPlace;
use crate::syntax::hcl::{Subject, argument_at, blocks_at};
use crate::terraform::{self, Cache, Module, Modules};
use ls_types::CompletionItemKind;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Root names of references that are always available.
const ROOTS: [&str; 7] = ["data", "each", "local", "module", "path", "terraform", "var"];

/// What the addresses of declarations begin with that are no resources.
const OTHER_ROOTS: [&str; 5] = ["data", "local", "module", "output", "var"];

/// Adds the candidates at a place.
pub(super) fn add(place: &Cursor<'_>, found: &mut Found<'_, '_>) {
    let (start, _) = place.word();
    found.replace(start);
    let before = &place.text[line_start(place)..start];
    if is_in_text(before) {
        return;
    }
    let own = files(&place.view, parent(place.path));
    if let Some(before) = before.strip_suffix('.') {
        return members(place, &own, &path_of(before), found);
    }
    let typed = place.offset - start;
    let argument = argument_at(place.text, place.offset, typed);
    match argument.as_deref() {
        Some("depends_on") => addresses(&own, &["data", "module"], found),
        Some("replace_triggered_by") => addresses(&own, &[], found),
        Some("provider" | "providers") => providers(place, found),
        Some("ignore_changes") => found.add("all", CompletionItemKind::KEYWORD, None),
        None if before.trim().is_empty() => arguments(place, &own, typed, found),
        _ => expression(place, &own, found),
    }
}

/// Adds what addresses of resources begin with, and these words.
fn addresses(own: &[CodeFile], words: &[&str], found: &mut Found<'_, '_>) {
    for name in own.iter().flat_map(|file| &file.names.uses).filter(|name| name.is_declaration) {
        let Subject::Own(address) = &name.subject else { continue };
        match address.split_once('.') {
            Some((first, _)) if words.contains(&first) => found.add(first, CompletionItemKind::KEYWORD, None),
            Some((first, _)) if !OTHER_ROOTS.contains(&first) => found.add(first, CompletionItemKind::STRUCT, None),
            _ => {}
        }
    }
}

/// Adds the local names of the providers of the folder.
fn providers(place: &Cursor<'_>, found: &mut Found<'_, '_>) {
    let (analysis, cache) = (place.view.analysis, Cache::default());
    let module = Modules::new(&analysis.source, &analysis.review.files, &cache).get(parent(place.path));
    for name in module.iter().flat_map(|module| &module.required_providers) {
        found.add(name, CompletionItemKind::MODULE, None);
    }
}

/// Whether a line ends in a comment, or inside of quoted text and not in a sequence `${…}` of it.
fn is_in_text(line: &str) -> bool {
    // The quotes and braces that are open.
    let mut open: Vec<char> = Vec::new();
    let mut rest = line.char_indices();
    while let Some((at, c)) = rest.next() {
        let is_text = open.last() == Some(&'"');
        let starts_sequence = || line[at..].starts_with("${") || line[at..].starts_with("%{");
        match c {
            '\\' if is_text => drop(rest.next()),
            '"' if is_text => drop(open.pop()),
            '"' => open.push('"'),
            '$' | '%' if is_text && starts_sequence() && !line[..at].ends_with(c) => {
                rest.next();
                open.push('{');
            }
            '{' if !is_text => open.push('{'),
            '}' if !is_text => drop(open.pop()),
            '#' if !is_text => return true,
            '/' if !is_text && line[at..].starts_with("//") => return true,
            _ => {}
        }
    }
    open.last() == Some(&'"')
}

fn line_start(place: &Cursor<'_>) -> usize {
    place.offset - place.around().0.len()
}

/// Returns the names before a dot, without indexes: `module`, `a` for `module.a[0]`.
fn path_of(before: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | '"');
    let start =
        before.rfind(|c| !is_part(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let names = before[start..].split('.').map(|name| name.split('[').next().unwrap_or_default());
    names.filter(|name| !name.is_empty()).collect()
}

/// Returns the called module.
fn module(place: &Cursor<'_>, own: &[CodeFile], call: &str) -> Option<Arc<Module>> {
    let folder = terraform::called_folder(parent(place.path), sources(own).get(call)?)?;
    let (analysis, cache) = (place.view.analysis, Cache::default());
    Modules::new(&analysis.source, &analysis.review.files, &cache).get(&folder)
}

/// Adds the candidates after a dot.
fn members(place: &Cursor<'_>, own: &[CodeFile], names: &[&str], found: &mut Found<'_, '_>) {
    let kind = CompletionItemKind::FIELD;
    let declared = own.iter().flat_map(|file| &file.names.uses).filter(|name| name.is_declaration);
    let addresses: BTreeSet<&str> = declared
        .filter_map(|name| match &name.subject {
            Subject::Own(address) => Some(address.as_str()),
            _ => None,
        })
        .collect();
    match names {
        ["module", call] => {
            if let Some(module) = module(place, own, call) {
                let of = |name: &str| Some(format!("output of {}", if name.is_empty() { "." } else { name }));
                module.outputs.keys().for_each(|name| found.add(name, kind, of(&module.folder)));
            }
        }
        ["path"] => ["cwd", "module", "root"].iter().for_each(|name| found.add(name, kind, None)),
        ["each"] => ["key", "value"].iter().for_each(|name| found.add(name, kind, None)),
        ["terraform"] => found.add("workspace", kind, None),
        ["var"] => variables(place, addresses.iter().copied(), found),
        names => {
            let prefix = format!("{}.", names.join("."));
            let below = addresses.iter().filter_map(|address| address.strip_prefix(prefix.as_str()));
            below.for_each(|rest| found.add(rest.split('.').next().unwrap_or_default(), kind, None));
        }
    }
}

/// Adds the variables of the folder.
fn variables<'n>(place: &Cursor<'_>, addresses: impl Iterator<Item = &'n str>, found: &mut Found<'_, '_>) {
    let (analysis, cache) = (place.view.analysis, Cache::default());
    let module = Modules::new(&analysis.source, &analysis.review.files, &cache).get(parent(place.path));
    for name in addresses.filter_map(|address| address.strip_prefix("var.")) {
        let variable = module.as_ref().and_then(|module| module.variables.get(name));
        let detail = variable.map(|variable| named::detail(variable, parent(place.path)));
        found.add(name, CompletionItemKind::VARIABLE, detail);
        if let Some(description) = variable.and_then(|variable| variable.description.as_ref()) {
            found.describe(name, description);
        }
    }
}

/// Adds the arguments and blocks at the start of a line.
fn arguments(place: &Cursor<'_>, own: &[CodeFile], typed: usize, found: &mut Found<'_, '_>) {
    if place.path.ends_with(".tfvars") {
        let addresses = own.iter().flat_map(|file| &file.names.uses).filter_map(|name| match &name.subject {
            Subject::Own(address) if name.is_declaration => Some(address.as_str()),
            _ => None,
        });
        return variables(place, addresses, found);
    }
    let blocks = blocks_at(place.text, place.offset, typed);
    let keys: Vec<&str> = blocks.iter().map(String::as_str).collect();
    for authoring in place.view.authoring(place.path) {
        let expected = authoring.expected(&WrittenPlace { path: place.path, keys: &keys, fields: &[] });
        for key in expected.keys {
            let detail = Some(key.kind.to_owned()).filter(|kind| !kind.is_empty());
            found.add(key.name, CompletionItemKind::PROPERTY, detail);
        }
    }
    if let ["module", call] = keys.as_slice()
        && let Some(module) = module(place, own, call)
    {
        for (name, variable) in &module.variables {
            found.add(name, CompletionItemKind::PROPERTY, Some(named::detail(variable, &module.folder)));
            if let Some(description) = &variable.description {
                found.describe(name, description);
            }
        }
    }
}

/// Adds the candidates at the start of an expression.
fn expression(place: &Cursor<'_>, own: &[CodeFile], found: &mut Found<'_, '_>) {
    for root in ROOTS {
        found.add(root, CompletionItemKind::KEYWORD, None);
    }
    for name in own.iter().flat_map(|file| &file.names.uses).filter(|name| name.is_declaration) {
        if let Subject::Own(address) = &name.subject
            && let Some((first, _)) = address.split_once('.').filter(|(first, _)| *first != "output")
        {
            found.add(first, CompletionItemKind::STRUCT, None);
        }
    }
    for function in place.view.authoring(place.path).into_iter().flat_map(|authoring| authoring.template_functions()) {
        let detail = Some(format!("({})", function.parameters));
        found.add(&function.name, CompletionItemKind::FUNCTION, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_quotes_and_sequences() {
        for line in [
            r#"  source = "./m"#,
            r#"x = "${a}b"#,
            r#"x = "$${a"#,
            r#"x = "a\" b"#,
            r#"x = "${f("a"#,
            "  # u",
            "x = 1 // u",
        ] {
            assert!(is_in_text(line), "{line}");
        }
        for line in
            ["  size = u", r#"x = "${a"#, r#"x = "a" + b"#, r#"x = "${f({a = b}"#, r#"x = "%{ if a"#, "x = 4 / u"]
        {
            assert!(!is_in_text(line), "{line}");
        }
    }
}
