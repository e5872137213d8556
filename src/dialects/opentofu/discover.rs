//! Finds root modules: folders that configure something that only a root module has, and that no other module calls.

use super::address::{self, Address};
use super::diag::Failure;
use super::load::{Cache, Loader, join};
use super::module::{Module, configuration, module};
use crate::files::Files;
use crate::hcl::walk;
use crate::resolution::{Extent, Gap};
use crate::source::{Kind, Node, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A folder that may be a root module.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The folder as it was found, from the root of the repository.
    pub dir: String,
    /// What it declares.
    pub module: Arc<Module>,
}

/// The folders with configuration below a folder, by the path that they lie at.
fn folders(source: &dyn Source, start: &str) -> BTreeSet<String> {
    let is_hidden = |dir: &str| dir.split('/').any(|part| part.starts_with('.') && part != ".");
    let mut found = BTreeSet::new();
    for entry in source.listing().under(start) {
        let (dir, name) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        if configuration(name).is_some() && !is_hidden(dir) {
            found.insert(dir.to_owned());
        }
    }
    found
}

/// Whether there is any configuration below a folder.
pub(super) fn has_configuration(source: &dyn Source, start: &str) -> bool {
    source.listing().under(start).iter().any(|entry| {
        let name = entry.path.rsplit('/').next().unwrap_or_default();
        configuration(name).is_some()
    })
}

/// The files that links lead to.
fn linked_files(source: &dyn Source) -> BTreeSet<String> {
    let listing = source.listing();
    let links = listing.iter().filter(|e| e.kind == Kind::Symlink);
    let targets = links.filter_map(|link| match listing.lookup(&link.path) {
        Ok(Node::File(entry)) => Some(entry.path.to_string()),
        _ => None,
    });
    targets.collect()
}

/// The root modules below a folder, and why there may be more: a folder is not known to be one if the file that would say
/// it cannot be read.
#[derive(Debug, Default)]
pub(super) struct Roots {
    /// The folders, sorted by path.
    pub candidates: Vec<Candidate>,
    /// Why some may be missing: what hides the declarations of a folder that no other one calls.
    pub hidden: Option<Failure>,
}

impl Roots {
    /// What the roots lack of the project.
    pub(super) fn gap(&self) -> Option<Gap> {
        self.hidden.as_ref().map(|failure| {
            let reason = format!("what it declares is not known: {}", failure.message);
            Gap { extent: Extent::Units, reason, file: failure.place.map(|(file, _)| file) }
        })
    }
}

/// The root modules below a folder. The folder itself is one wherever it has configuration, because somebody started there.
pub(super) fn roots(source: &dyn Source, files: &Files, cache: &Cache, start: &str) -> Roots {
    let loader = Loader::new(source, files, cache, "");
    let linked = linked_files(source);
    let mut all: BTreeMap<String, Arc<Module>> = BTreeMap::new();
    let mut called: BTreeSet<String> = BTreeSet::new();
    for dir in folders(source, start) {
        if let Some(found) = module(&loader, &dir, &linked) {
            called.extend(callees(&loader, &found));
            all.insert(dir, Arc::new(found));
        }
    }
    let is_root = |dir: &str, module: &Module| {
        let has_values = || has_values(source, dir);
        dir == start || (!called.contains(dir) && module.has_own_file && (module.is_root || has_values()))
    };
    let (found, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(dir, module)| is_root(dir, module));
    let uncalled = others.iter().filter(|(dir, _)| !called.contains(dir));
    let hidden = uncalled.flat_map(|(_, module)| &module.failures).find(|failure| failure.hides).cloned();
    Roots { candidates: found.into_iter().map(|(dir, module)| Candidate { dir, module }).collect(), hidden }
}

/// The folders that a module calls by a literal path.
fn callees(loader: &Loader<'_>, module: &Module) -> Vec<String> {
    let sources = module.calls.values().filter_map(|call| call.arguments.get("source"));
    let paths =
        sources.filter_map(|written| walk::constant_text(&written.expr)).filter_map(|text| {
            match address::parse(text) {
                Ok(Address::Local(path)) => Some(join(&module.dir, &path)),
                _ => None,
            }
        });
    paths.filter_map(|path| loader.folder_at(&path).ok().flatten()).filter(|dir| *dir != module.dir).collect()
}

/// Whether a folder has values that are read without being asked for.
fn has_values(source: &dyn Source, dir: &str) -> bool {
    source.listing().children(dir).iter().any(|(name, _)| {
        *name == "terraform.tfvars"
            || *name == "terraform.tfvars.json"
            || name.ends_with(".auto.tfvars")
            || name.ends_with(".auto.tfvars.json")
    })
}
