//! Finds root modules: folders that no other module calls, and that have what only a root module has: a backend, providers,
//! encryption, imports, a lock file, automatically loaded values. One with a backend is one also if another one calls it. A folder
//! that calls local modules, or moves or removes resources, is one as well, unless it is below `modules` or, if it moves, needs
//! values that nothing sets: such a folder is a module that others call from elsewhere. What is one in another compared state is
//! one as long as nothing calls it.

pub(crate) mod detected;
pub(crate) mod variants;

use crate::dialects::{Presence, Project, RootSettings, and_around};
use crate::paths::{name, parent};
use crate::resolution::{Extent, Gap};
use crate::source::{EntryKind, Source};
use crate::terraform::failure::Failure;
use crate::terraform::load::names::configuration;
use crate::terraform::load::names::{LOCK, is_automatic};
use crate::terraform::module::modules::{Callee, Modules};
use crate::terraform::module::outline::Outline;
use crate::text::Text;
use crate::threads;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A folder that may be a root module.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The folder as it was found, from the root of the repository.
    pub dir: String,
    /// The content that is visible without parsing it completely.
    pub outline: Arc<Outline>,
}

/// Returns the folders with configuration below a folder, by their paths. Submodules are other repositories.
fn folders(source: &dyn Source, start: &str) -> BTreeSet<String> {
    let is_hidden = |dir: &str| dir.split('/').any(|part| part.starts_with('.') && part != ".");
    let mut found = BTreeSet::new();
    let listing = source.listing();
    let repository = listing.submodule_of(start);
    for entry in listing.under(start) {
        let dir = parent(&entry.path);
        if configuration(name(&entry.path)).is_some() && !is_hidden(dir) && listing.submodule_of(dir) == repository {
            found.insert(dir.to_owned());
        }
    }
    found
}

/// Whether there is any configuration below a folder.
pub(crate) fn has_configuration(source: &dyn Source, start: &str) -> bool {
    source.listing().under(start).iter().any(|entry| configuration(name(&entry.path)).is_some())
}

/// The root modules below a folder, and why there may be more: whether a folder is one is unknown if the relevant file
/// cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    /// The folders, sorted by path.
    pub candidates: Vec<Candidate>,
    /// Why some may be missing: folders that no other one calls, with what hides their declarations.
    pub hidden: Vec<(String, Failure)>,
}

impl Roots {
    /// Returns the parts of the project that are missing in the roots.
    pub(crate) fn gap(&self) -> Option<Gap> {
        self.hidden.first().map(|(_, failure)| {
            let reason = format!("what it declares is not known: {}", failure.message);
            Gap { extent: Extent::Units, reason, file: failure.place.map(|(file, _)| file) }
        })
    }
}

/// Returns the root modules below a folder. The folder itself is one if it contains configuration, because it is the
/// start folder, unless the settings list the root modules. Code of components of another system's project is none.
pub(crate) fn roots(modules: &Modules<'_>, project: &Project) -> Roots {
    let (start, settings) = (&project.start, &project.roots);
    let Outlines { mut all, called } = outlines(modules, start);
    all.retain(|dir, _| !is_claimed(dir, project));
    if !settings.roots.is_empty() {
        all.retain(|dir, _| is_named(dir, settings));
        let candidates = all.into_iter().map(|(dir, outline)| Candidate { dir, outline }).collect();
        return Roots { candidates, hidden: Vec::new() };
    }
    let is_root = |dir: &str, outline: &Outline| {
        let is_certain = || outline.is_root || has_values(modules.loader.reader.source(), dir);
        let is_likely = || {
            let callees = modules.callees(&outline.dir, &outline.leads);
            let calls = callees.iter().any(|callee| matches!(callee, Callee::Local { dir: Some(_), .. }));
            !dir.split('/').any(|part| part == "modules") && (calls || outline.has_moves && !outline.has_required)
        };
        let is_kept = || project.kept.iter().any(|kept| kept == dir);
        let is_one = || outline.has_own_file && (is_certain() || is_likely());
        let is_open = !called.contains(dir) || outline.has_backend;
        *dir == **start || (is_open && (is_one() || is_kept()))
    };
    let (found, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(dir, outline)| is_root(dir, outline));
    let uncalled = others.into_iter().filter(|(dir, _)| !called.contains(&**dir));
    let hidden = uncalled.filter_map(|(dir, _)| {
        let failure = modules.module(&dir)?.failures.iter().find(|failure| failure.hides).cloned()?;
        Some((dir, failure))
    });
    let hidden = hidden.collect();
    Roots { candidates: found.into_iter().map(|(dir, outline)| Candidate { dir, outline }).collect(), hidden }
}

/// Returns the folders that are root modules if they are no code of components of another system's project, and those that may be.
/// Those that the settings name are, whatever they are there.
pub(super) fn candidates(modules: &Modules<'_>, project: &Project) -> Vec<(Presence, String)> {
    if !project.roots.roots.is_empty() {
        return Vec::new();
    }
    let found = roots(modules, project);
    let others = found.hidden.into_iter().map(|(dir, _)| (Presence::Likely, dir));
    found.candidates.into_iter().map(|candidate| (Presence::Certain, candidate.dir)).chain(others).collect()
}

/// The outlines of the folders below one.
struct Outlines {
    /// By their paths.
    all: BTreeMap<String, Arc<Outline>>,
    /// Those that another one calls.
    called: BTreeSet<Text>,
}

fn outlines(modules: &Modules<'_>, start: &str) -> Outlines {
    let (mut all, mut called) = (BTreeMap::new(), BTreeSet::new());
    let dirs: Vec<String> = folders(modules.loader.reader.source(), start).into_iter().collect();
    let read = threads::map(&dirs, |dir| modules.outline(dir));
    for (dir, found) in dirs.into_iter().zip(read) {
        if let Some(found) = found {
            called.extend(called_by(modules, &found));
            all.insert(dir, found);
        }
    }
    Outlines { all, called }
}

/// Returns a number that identifies the configuration below a folder in different revisions; `None` if there is no
/// configuration.
pub(crate) fn content(source: &dyn Source, project: &Project) -> Option<u64> {
    let (start, settings) = (&project.start, &project.roots);
    let mut hasher = DefaultHasher::new();
    let mut is_there = false;
    for entry in source.listing().under(start) {
        let name = entry.path.rsplit('/').next().unwrap_or_default();
        let is_read = configuration(name).is_some();
        is_there |= is_read;
        if is_read || is_automatic(name) || name == LOCK || entry.kind == EntryKind::Symlink {
            (&*entry.path, entry.id).hash(&mut hasher);
        }
    }
    settings.roots.iter().for_each(|pattern| pattern.as_str().hash(&mut hasher));
    (start, &project.claimed, &project.kept).hash(&mut hasher);
    is_there.then(|| hasher.finish())
}

/// Whether the settings name a folder as a root module.
pub(crate) fn is_named(dir: &str, settings: &RootSettings) -> bool {
    let name = if dir.is_empty() { "." } else { dir };
    settings.roots.iter().any(|pattern| pattern.matches(name))
}

/// Returns the folders that a module calls by a literal path, except its own.
fn called_by(modules: &Modules<'_>, module: &Outline) -> Vec<Text> {
    let callees = modules.callees(&module.dir, &module.leads);
    let dirs =
        callees.iter().filter_map(|callee| if let Callee::Local { dir, .. } = callee { dir.clone() } else { None });
    dirs.filter(|dir| *dir != module.dir).collect()
}

/// Whether there are root modules below a folder: the same as whether [`roots`] finds one.
pub(crate) fn has_roots(modules: &Modules<'_>, project: &Project) -> bool {
    let (start, settings) = (&project.start, &project.roots);
    let mut dirs = folders(modules.loader.reader.source(), start);
    dirs.retain(|dir| !is_claimed(dir, project));
    if !settings.roots.is_empty() {
        return dirs.iter().any(|dir| is_named(dir, settings) && modules.is_there(dir));
    }
    dirs.contains(start) && modules.is_there(start) || !roots(modules, project).candidates.is_empty()
}

/// Whether the code in a folder is that of components of another system's project. A folder that the settings name is not.
fn is_claimed(dir: &str, project: &Project) -> bool {
    let is_claim = |folder: &str| project.claimed.binary_search_by(|claim| claim.as_str().cmp(folder)).is_ok();
    and_around(dir).any(is_claim) && !is_named(dir, &project.roots)
}

/// Whether a folder has automatically loaded variable files, or locks versions of providers.
fn has_values(source: &dyn Source, dir: &str) -> bool {
    source.listing().children(dir).iter().any(|(name, _)| is_automatic(name) || *name == LOCK)
}
