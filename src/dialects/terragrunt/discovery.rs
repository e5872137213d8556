//! Finds units and stacks.

use super::load::{STACK, UNIT, UNIT_JSON};
use super::stacks::FOLDER;
use crate::hcl::ast::SyntaxError;
use crate::hcl::parse::{Layout, parse_body};
use crate::paths;
use crate::source::{Entry, Source};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// Folders that Terragrunt and git fill.
const SKIPPED: [&str; 3] = [".terragrunt-cache", ".terraform", ".git"];

/// The file of a folder of templates of Boilerplate: what lies beside and below it is text until somebody generates files from it.
const TEMPLATES: &str = "boilerplate.yml";

/// The folders of units, and the paths of stack files.
#[derive(Debug, Default)]
pub(super) struct Found<'s> {
    /// The folders of units, with the files that count.
    pub units: BTreeMap<&'s str, &'s str>,
    /// The paths of stack files.
    pub stacks: Vec<String>,
}

/// The files of units and stacks below a folder.
fn files<'s>(source: &'s dyn Source, folder: &str) -> impl Iterator<Item = &'s Entry> {
    let is_named = |path: &str| {
        let name = paths::name(path);
        matches!(name, UNIT | UNIT_JSON | STACK)
            && !path.split('/').any(|part| part.starts_with('.') && SKIPPED.contains(&part))
    };
    let templates = folders_of_templates(source);
    let is_read = move |entry: &&Entry| is_named(&entry.path) && !is_template(source, &templates, &entry.path);
    source.listing().under(folder).iter().filter(is_read)
}

/// The folders with a file that makes them folders of templates.
fn folders_of_templates(source: &dyn Source) -> BTreeSet<&str> {
    let listing = source.listing();
    let named = listing.iter().map(|entry| &*entry.path).filter(|path| paths::name(path) == TEMPLATES);
    named.filter(|path| listing.resolve(path).is_ok()).map(paths::parent).collect()
}

/// Whether a file is a template: no configuration by its syntax, in a folder of templates. What Terragrunt can read it runs, whatever
/// lies beside it. In the root of the repository there may be units beside templates, too.
fn is_template(source: &dyn Source, templates: &BTreeSet<&str>, path: &str) -> bool {
    if templates.is_empty() {
        return false;
    }
    let folders = std::iter::successors(Some(paths::parent(path)), |folder| Some(paths::parent(folder)));
    let mut folders = folders.take_while(|folder| !folder.is_empty());
    folders.any(|folder| templates.contains(folder)) && !is_configuration(source, path)
}

/// Whether a file has the syntax of configuration, as far as it can be read.
fn is_configuration(source: &dyn Source, path: &str) -> bool {
    let Ok(bytes) = source.listing().resolve(path).map_err(drop).and_then(|entry| source.read(entry).map_err(drop))
    else {
        return true;
    };
    let is_native = paths::name(path) != UNIT_JSON;
    // Limits are of stacklint alone.
    let is_limit = |error: &SyntaxError| error.summary.starts_with("Too ");
    let parses = |text: &str| parse_body(text, Layout::Lenient).errors.iter().all(is_limit);
    !is_native || std::str::from_utf8(&bytes).is_ok_and(parses)
}

/// Whether there is a unit or a stack below a folder.
pub(super) fn has_any(source: &dyn Source, folder: &str) -> bool {
    files(source, folder).next().is_some()
}

/// All units and stacks of a revision.
pub(super) fn all(source: &dyn Source) -> Found<'_> {
    let listing = source.listing();
    let is_stack = |entry: &&Entry| paths::name(&entry.path) == STACK;
    let (stacks, units): (Vec<&Entry>, Vec<&Entry>) = files(source, "").partition(is_stack);
    let is_there = |entry: &&Entry| entry.is_file() || listing.resolve(&entry.path).is_ok();
    let units = units.into_iter().filter(is_there);
    Found {
        // The one in JSON comes last, and wins.
        units: units.map(|entry| (paths::parent(&entry.path), &*entry.path)).collect(),
        stacks: stacks.into_iter().map(|entry| entry.path.to_string()).collect(),
    }
}

/// Whether a path leads into the folder of a unit, but for one in the root of the repository.
pub(super) fn is_in(units: &BTreeMap<&str, &str>, path: &str) -> bool {
    let folders = std::iter::successors(Some(paths::parent(path)), |folder| Some(paths::parent(folder)));
    folders.take_while(|folder| !folder.is_empty()).any(|folder| units.contains_key(folder))
}

/// The name of a folder as a stack.
pub(super) fn stack_name(folder: &str) -> Text {
    if folder.is_empty() { ".".into() } else { folder.into() }
}

/// Stack and name of the unit of a folder. The units of a stack file are named by their way below its folder.
pub(super) fn address(folder: &str) -> (Text, Text) {
    let parts: Vec<&str> = folder.split('/').collect();
    if let Some(at) = parts.iter().position(|part| *part == FOLDER) {
        let below: Vec<&str> = parts[at + 1..].iter().copied().filter(|part| *part != FOLDER).collect();
        return (stack_name(&parts[..at].join("/")), below.join("/").into());
    }
    match folder {
        "" => (".".into(), ".".into()),
        folder => (stack_name(paths::parent(folder)), paths::name(folder).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn units_are_named_by_their_folders() {
        let shown = |folder: &str| {
            let (stack, name) = address(folder);
            format!("{stack} {name}")
        };
        assert_eq!(["", "a", "x/y/a"].map(shown), [". .", ". a", "x/y a"]);
        assert_eq!(shown("live/.terragrunt-stack/dev/.terragrunt-stack/app"), "live dev/app");
        assert_eq!(shown(".terragrunt-stack/app"), ". app");
    }
}
