//! Files of variables that differ and that no root module loads by itself: they may be given to those that declare their names.

use super::content::{Content, Contents};
use super::runs::{Run, Runs};
use crate::hcl::items::{Item, items};
use crate::paths::join;
use crate::source::Source;
use crate::terraform::load::names::{Syntax, configuration};
use crate::terraform::module::paths::is_within;
use std::collections::BTreeSet;

/// A file of variables that nothing loads by itself.
pub(super) struct Unloaded<'a> {
    pub path: &'a str,
    /// What declares a variable that it sets to another value: the closest ones if it is in their folder, else all.
    pub declaring: Vec<&'a Run>,
}

/// Returns the files of variables below a folder that differ and that no stack of base or head loads.
pub(super) fn find<'a>(contents: &Contents<'a>, head: &dyn Source, runs: [&'a Runs; 2]) -> Vec<Unloaded<'a>> {
    let is_values = |path: &&str| path.ends_with(".tfvars") || path.ends_with(".tfvars.json");
    let is_loaded = |path: &&str| runs.iter().any(|side| side.touched_by(path).next().is_some());
    let one = |path: &'a str| {
        let set = set_differently(contents.of(path));
        let declares = |run: &&Run| declared(head, &run.folder).iter().any(|name| set.contains(name));
        let all: Vec<&Run> = runs[1].all.iter().filter(declares).collect();
        let depth = all.iter().filter(|run| is_within(path, &run.folder)).map(|run| run.folder.len()).max();
        let is_close = |run: &&Run| depth.is_none_or(|depth| run.folder.len() == depth && is_within(path, &run.folder));
        Unloaded { path, declaring: all.into_iter().filter(is_close).collect() }
    };
    contents.differing().filter(is_values).filter(|path| !is_loaded(path)).map(one).collect()
}

/// The names of the variables that the sides of a file set to different values.
fn set_differently([before, after]: [Content; 2]) -> BTreeSet<String> {
    let [before, after] = [before, after].map(|content| match content {
        Content::Items(items) => items.into_iter().map(|item| (item.head.first().to_owned(), item.head.text)).collect(),
        Content::Json(serde_json::Value::Object(map)) => {
            map.into_iter().map(|(name, value)| (name, value.to_string())).collect()
        }
        _ => BTreeSet::new(),
    });
    before.symmetric_difference(&after).map(|(name, _)| name.clone()).collect()
}

/// The names of the variables that the code of a folder declares.
fn declared(source: &dyn Source, folder: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (child, _) in source.listing().children(folder) {
        let Some((.., syntax)) = configuration(child) else { continue };
        let entry = source.listing().resolve(&join(folder, child)).ok();
        let bytes = entry.and_then(|entry| source.read(entry).ok());
        let Some(text) = bytes.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok()) else { continue };
        match syntax {
            Syntax::Native => names.extend(items(text).iter().filter_map(variable)),
            _ => {
                let json: Option<serde_json::Value> = serde_json::from_str(text).ok();
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
