//! Files of values that differ and that no root module loads by itself: variables may be given to those that declare their names, and
//! arguments of a backend to those that leave them out.

use super::content::{Content, Contents};
use super::runs::{Run, Runs};
use crate::hcl::items::{Item, items};
use crate::paths::join;
use crate::source::Source;
use crate::terraform::load::backend_arguments;
use crate::terraform::load::names::{Syntax, configuration};
use crate::terraform::module::paths::is_within;
use crate::terraform::state::ADDRESS;
use std::collections::BTreeSet;

/// A file of values that nothing loads by itself.
pub(super) struct Unloaded<'a> {
    pub path: &'a str,
    /// What takes something that it sets to another value: the closest ones if it is in their folder, else all.
    pub declaring: Vec<&'a Run>,
}

/// Whether a file may have arguments of a backend: `prod.s3.tfbackend`, `backend-prod.hcl`, `backend/prod.hcl`.
pub(crate) fn is_backend_file(path: &str) -> bool {
    is_named_backend(path)
        || crate::paths::name(crate::paths::parent(path)).contains("backend") && path.ends_with(".hcl")
}

/// Whether the name of a file says so, and not only that of its folder, which an application may have.
fn is_named_backend(path: &str) -> bool {
    let name = crate::paths::name(path);
    name.ends_with(".tfbackend") || name.contains("backend") && [".hcl", ".conf"].iter().any(|end| name.ends_with(end))
}

/// Returns the files of values that differ and that no stack of base or head loads.
pub(super) fn find<'a>(contents: &Contents<'a>, head: &dyn Source, runs: [&'a Runs; 2]) -> Vec<Unloaded<'a>> {
    let is_variables = |path: &str| path.ends_with(".tfvars") || path.ends_with(".tfvars.json");
    let is_values = |path: &&str| is_variables(path) || is_backend_file(path);
    let is_loaded = |path: &&str| runs.iter().any(|side| side.touched_by(path).next().is_some());
    let one = |path: &'a str| {
        let mut set = set_differently(contents.of(path));
        let is_backend = is_backend_file(path);
        if is_backend && !is_named_backend(path) {
            set.retain(|name| ADDRESS.contains(&&**name));
        }
        let declares = |run: &&Run| match is_backend {
            true => set_by_backend(head, &run.folder).is_some_and(|own| set.iter().any(|name| !own.contains(name))),
            false => declared(head, &run.folder).iter().any(|name| set.contains(name)),
        };
        let all: Vec<&Run> = runs[1].all.iter().filter(declares).collect();
        let depth = all.iter().filter(|run| is_within(path, &run.folder)).map(|run| run.folder.len()).max();
        let is_close = |run: &&Run| depth.is_none_or(|depth| run.folder.len() == depth && is_within(path, &run.folder));
        Unloaded { path, declaring: all.into_iter().filter(is_close).collect() }
    };
    let found = contents.differing().filter(is_values).filter(|path| !is_loaded(path)).map(one);
    // Other systems have files of such names.
    let is_meant = |one: &Unloaded<'_>| !is_backend_file(one.path) || !one.declaring.is_empty();
    found.filter(is_meant).collect()
}

/// The names of the arguments that the sides of a file set to different values.
fn set_differently([before, after]: [Content; 2]) -> BTreeSet<String> {
    let [before, after] = [before, after].map(|content| match content {
        Content::Items(items) => {
            let arguments = items.into_iter().filter(|item| item.head.words().nth(1) == Some("="));
            arguments.map(|item| (item.head.first().to_owned(), item.head.text)).collect()
        }
        Content::Json(serde_json::Value::Object(map)) => {
            map.into_iter().map(|(name, value)| (name, value.to_string())).collect()
        }
        _ => BTreeSet::new(),
    });
    before.symmetric_difference(&after).map(|(name, _)| name.clone()).collect()
}

/// The files of code in a folder, with their syntax.
fn texts(source: &dyn Source, folder: &str) -> Vec<(Syntax, String)> {
    let mut found = Vec::new();
    for (child, _) in source.listing().children(folder) {
        let Some((.., syntax)) = configuration(child) else { continue };
        let entry = source.listing().resolve(&join(folder, child)).ok();
        let bytes = entry.and_then(|entry| source.read(entry).ok());
        let text = bytes.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
        found.extend(text.map(|text| (syntax, text)));
    }
    found
}

/// The arguments that the backend of the code in a folder sets; `None` without a backend.
fn set_by_backend(source: &dyn Source, folder: &str) -> Option<BTreeSet<String>> {
    let texts = texts(source, folder);
    let native = texts.iter().filter(|(syntax, _)| *syntax == Syntax::Native);
    native.filter_map(|(_, text)| backend_arguments(text)).reduce(|all, more| &all | &more)
}

/// The names of the variables that the code of a folder declares.
fn declared(source: &dyn Source, folder: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (syntax, text) in texts(source, folder) {
        match syntax {
            Syntax::Native => names.extend(items(&text).iter().filter_map(variable)),
            _ => {
                let json: Option<serde_json::Value> = serde_json::from_str(&text).ok();
                let variables = json.as_ref().and_then(|json| json.get("variable")?.as_object());
                names.extend(variables.into_iter().flat_map(|map| map.keys().cloned()));
            }
        }
    }
    names
}

/// The name of the variable that a block declares.
fn variable(item: &Item) -> Option<String> {
    let mut words = item.head.words();
    (words.next() == Some("variable")).then(|| words.next().map(|name| name.trim_matches('"').to_owned())).flatten()
}
