//! Which projects of a repository are analyzed: the one that a folder lies in, and all below it, of every system. Each state is
//! searched by itself, so that nothing that a change adds hides what the other state has.

use super::registry::{FoundProjects, ProjectHandle};
use super::{Dialect, Dialects, Presence, Project};
use crate::paths;
use crate::source::Source;
use crate::source::glob::Glob;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of projects of one run.
const MAX_PROJECTS: usize = 500;
/// Folders of code that others wrote.
const VENDORED: [&str; 4] = ["node_modules", "vendor", "third_party", "site-packages"];

/// Hidden folders of what tools fetch and make.
const MADE: [&str; 4] = [".git", ".terraform", ".terragrunt-cache", ".cache"];

/// The projects below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Below {
    /// The folders of projects, from the root of the repository.
    pub projects: BTreeSet<String>,
    /// Configuration files in folders that are not searched, by the folder around them that they are meant for.
    pub elsewhere: BTreeMap<String, BTreeSet<String>>,
}

/// The selected projects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Folders, from the root of the repository: the projects that they lie in, or those below them. These alone count if
    /// there are any.
    pub folders: Vec<String>,
    /// Patterns that folders of projects match, wherever the run starts.
    pub patterns: Vec<Glob>,
}

/// Why nothing is analyzed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// There is no project.
    Nothing,
    /// Several configuration files in folders that are not searched are meant for one folder.
    Several(BTreeSet<String>),
    /// There is none in or below this selected folder.
    Folder(String),
    /// None matches the patterns; the folders of those that there are.
    Patterns(Vec<String>),
    /// There are so many.
    TooMany(usize),
}

/// Whether a path below a folder leads through folders of code that others wrote, or that a tool fetched or made.
pub(crate) fn is_others(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| MADE.contains(&folder) || VENDORED.contains(&folder))
}

/// Whether a path below a folder leads through hidden or vendored folders.
pub(crate) fn is_vendored(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| folder.starts_with('.') || VENDORED.contains(&folder))
}

/// The paths of files below a folder that have a name of configuration, except those in hidden or vendored folders, and those of
/// other repositories: submodules.
pub(crate) fn configurations_below<'s>(
    source: &'s dyn Source,
    folder: &'s str,
    is_named: impl Fn(&str) -> bool + 's,
) -> impl Iterator<Item = &'s str> {
    let listing = source.listing();
    let repository = listing.submodule_of(folder);
    let paths = listing.under(folder).iter().map(|entry| &*entry.path);
    paths.filter(move |path| {
        paths::relative(path, folder).is_some()
            && is_named(paths::name(path))
            && !is_vendored(path)
            && listing.submodule_of(path) == repository
    })
}

/// A project in one state.
struct FoundPlace {
    /// Which of the states it is in.
    side: usize,
    presence: Presence,
    project: Project,
}

impl Dialects {
    /// Finds the selected projects in some states of a repository.
    ///
    /// # Errors
    /// There is none, or there are too many, or their configuration is ambiguous.
    pub(crate) fn find(
        &self,
        sources: &[&dyn Source],
        project: &Project,
        selection: &Selection,
    ) -> Result<FoundProjects<'_>, Missing> {
        if !project.config.is_empty() {
            return Ok(self.configured(sources, project));
        }
        let is_by_pattern =
            selection.folders.is_empty() && !selection.patterns.is_empty() && self.is_above(sources, project);
        let starts: Vec<Project> = match (&selection.folders[..], is_by_pattern) {
            ([], true) => vec![at(project, "")],
            ([], false) => vec![project.clone()],
            (folders, _) => folders.iter().map(|folder| at(project, folder)).collect(),
        };
        let mut found: Vec<(&dyn Dialect, Vec<FoundPlace>)> = Vec::new();
        let mut claims: Vec<BTreeSet<String>> = vec![BTreeSet::new(); sources.len()];
        let mut is_used = vec![false; starts.len()];
        let found_in = |source: &&dyn Source| -> BTreeMap<String, Presence> {
            let of_start = starts.iter().flat_map(|start| self.iter().map(move |dialect| (start, dialect)));
            let all = of_start.flat_map(|(start, dialect)| dialect.candidates(*source, start));
            all.map(|(presence, folder)| (folder, presence)).collect()
        };
        let by_state = LazyCell::new(|| sources.iter().map(found_in).collect::<Vec<_>>());
        // A claim has to hold in every state.
        let candidates = || by_state.iter().flat_map(|found| found.keys().cloned()).collect();
        let kept = if sources.len() > 1 { kept(&by_state, sources) } else { Vec::new() };
        for dialect in self.iter() {
            let mut places: Vec<FoundPlace> = Vec::new();
            let claimed = held(&claims, sources);
            for (start, is_used) in starts.iter().zip(&mut is_used) {
                let start = Project { claimed: claimed.clone(), kept: kept.clone(), ..start.clone() };
                for (side, source) in sources.iter().enumerate() {
                    let own = from(dialect, *source, &start)?;
                    *is_used |= !own.is_empty();
                    places.extend(own.into_iter().map(|(presence, project)| FoundPlace { side, presence, project }));
                }
            }
            for place in places.iter().filter(|place| place.presence > Presence::Likely) {
                let own = dialect.code_folders(sources[place.side], &place.project, &candidates);
                claims[place.side].extend(own);
            }
            found.push((dialect, places));
        }
        if let Some((folder, _)) = selection.folders.iter().zip(&is_used).find(|(_, is_used)| !**is_used) {
            return Err(Missing::Folder(folder.clone()));
        }
        // What may be a project counts only where nothing certainly is one.
        let is_certain = |side: usize| {
            found.iter().flat_map(|(_, places)| places).any(|p| p.side == side && p.presence > Presence::Likely)
        };
        let certain: Vec<bool> = (0..sources.len()).map(is_certain).collect();
        let mut parts: Vec<ProjectHandle<'_>> = Vec::new();
        for (dialect, mut places) in found {
            places.retain(|place| place.presence > Presence::Likely || !certain[place.side]);
            parts.extend(united(dialect, places, sources));
        }
        if is_by_pattern {
            parts = matching(parts, &selection.patterns)?;
        }
        parts.sort_by(|a, b| a.folder().cmp(b.folder()));
        match parts.len() {
            0 => Err(Missing::Nothing),
            n if n > MAX_PROJECTS => Err(Missing::TooMany(n)),
            _ => Ok(FoundProjects::new(parts)),
        }
    }

    /// Whether a folder lies in no project, but for one that starts at the root of the repository.
    fn is_above(&self, sources: &[&dyn Source], project: &Project) -> bool {
        let lies_in = |dialect: &dyn Dialect| sources.iter().any(|source| dialect.find(*source, project).is_some());
        project.start.is_empty() || !self.iter().any(lies_in)
    }
}

/// The projects of a system in one state: the one that a folder lies in, and those below that; else those below the folder.
///
/// # Errors
/// Several configuration files are meant for one folder.
fn from(dialect: &dyn Dialect, source: &dyn Source, project: &Project) -> Result<Vec<(Presence, Project)>, Missing> {
    let here = dialect.find(source, project);
    let around = here.as_ref().map_or(&project.start, |(_, folder)| folder);
    let Below { mut projects, mut elsewhere } = dialect.below(source, &at(project, around));
    let is_own = |folder: &str| {
        let below = folder.strip_prefix(around.as_str()).unwrap_or(folder);
        lies_below(folder, around) && !is_vendored(&format!("{below}/"))
    };
    projects.retain(|folder| is_own(folder));
    let mut found = Vec::new();
    match here {
        Some((Presence::Certain, folder)) => drop(projects.insert(folder)),
        Some((presence, folder)) if !elsewhere.contains_key(&folder) => found.push((presence, at(project, &folder))),
        _ => {}
    }
    elsewhere.retain(|folder, _| !projects.contains(folder));
    for (folder, files) in elsewhere {
        if files.len() > 1 {
            return Err(Missing::Several(files));
        }
        let config = files.into_iter().collect();
        found.push((Presence::Certain, Project { config, is_elsewhere: true, ..at(project, &folder) }));
    }
    found.extend(projects.into_iter().map(|folder| (Presence::Certain, at(project, &folder))));
    Ok(found)
}

/// The projects of all states. One that only the older state has is one that only the newer one has if both configure the same
/// stacks: it moved.
fn united<'d>(dialect: &'d dyn Dialect, places: Vec<FoundPlace>, sources: &[&dyn Source]) -> Vec<ProjectHandle<'d>> {
    let key = |place: &FoundPlace| (place.project.start.clone(), place.project.config.clone());
    let mut by_folder: BTreeMap<_, (BTreeSet<usize>, (Presence, Project))> = BTreeMap::new();
    for place in places {
        let one = by_folder.entry(key(&place));
        let (sides, (least, _)) = one.or_insert((BTreeSet::new(), (place.presence, place.project)));
        sides.insert(place.side);
        *least = place.presence.min(*least);
    }
    let last = sources.len() - 1;
    let is_gone = |sides: &BTreeSet<usize>| last > 0 && !sides.contains(&last);
    let (gone, there): (Vec<_>, Vec<_>) = by_folder.into_values().partition(|(sides, _)| is_gone(sides));
    let mut gone: Vec<Option<(Presence, Project)>> = gone.into_iter().map(|(_, one)| Some(one)).collect();
    let mut parts = Vec::new();
    for (sides, one) in there {
        let mut all = vec![one];
        if last > 0 && !sides.contains(&0) {
            let stacks = dialect.stacks(sources[last], &all[0].1);
            let is_same = |old: &Option<(Presence, Project)>| {
                let old = old.as_ref().and_then(|(_, old)| dialect.stacks(sources[0], old));
                old.zip(stacks.as_ref()).is_some_and(|(old, new)| is_moved(sources, &old, new))
            };
            all.extend(gone.iter().position(is_same).and_then(|i| gone[i].take()));
        }
        parts.push(ProjectHandle::searched(dialect, all));
    }
    parts.extend(gone.into_iter().flatten().map(|one| ProjectHandle::searched(dialect, vec![one])));
    parts
}

/// Whether two folders of stacks, of the older and of the newer state, are the same one: by path, or by most of the files in them.
fn is_moved(sources: &[&dyn Source], old: &str, new: &str) -> bool {
    let files = |source: &dyn Source, folder: &str| -> BTreeSet<String> {
        let below = source.listing().under(folder).iter();
        below.map(|entry| crate::paths::seen_from(folder, &entry.path).to_owned()).collect()
    };
    let [base, .., head] = sources else { return false };
    old == new || {
        let (before, after) = (files(*base, old), files(*head, new));
        before.intersection(&after).count() * 2 > before.len().max(after.len())
    }
}

/// The folders that are certainly projects in some states, and that all states have: a project whose folder is still there is not
/// removed, also if what shows that it is one is gone.
fn kept(by_state: &[BTreeMap<String, Presence>], sources: &[&dyn Source]) -> Vec<String> {
    let is = |found: &BTreeMap<String, Presence>, folder: &String| found.get(folder) == Some(&Presence::Certain);
    let all: BTreeSet<&String> = by_state.iter().flat_map(BTreeMap::keys).collect();
    let is_kept = |folder: &&String| {
        by_state.iter().any(|found| is(found, folder))
            && !by_state.iter().all(|found| is(found, folder))
            && sources.iter().all(|source| source.listing().is_dir(folder))
    };
    all.into_iter().filter(is_kept).cloned().collect()
}

/// The claims of other systems' projects that hold in all states: a folder that a state has without a claim is no component
/// there, and stays what it is.
fn held(claims: &[BTreeSet<String>], sources: &[&dyn Source]) -> Vec<String> {
    let covers = |claims: &BTreeSet<String>, folder: &str| and_around(folder).any(|around| claims.contains(around));
    let holds = |folder: &&String| {
        sources.iter().zip(claims).all(|(source, own)| covers(own, folder) || !source.listing().is_dir(folder))
    };
    let all: BTreeSet<&String> = claims.iter().flatten().filter(holds).collect();
    all.into_iter().cloned().collect()
}

/// The projects whose folders match a pattern.
fn matching<'d>(parts: Vec<ProjectHandle<'d>>, patterns: &[Glob]) -> Result<Vec<ProjectHandle<'d>>, Missing> {
    let name =
        |part: &ProjectHandle<'_>| if part.folder().is_empty() { ".".to_owned() } else { part.folder().to_owned() };
    let others: BTreeSet<String> = parts.iter().map(name).collect();
    let is_meant = |part: &ProjectHandle<'_>| patterns.iter().any(|pattern| pattern.matches(&name(part)));
    let parts: Vec<ProjectHandle<'d>> = parts.into_iter().filter(is_meant).collect();
    if parts.is_empty() { Err(Missing::Patterns(others.into_iter().collect())) } else { Ok(parts) }
}

fn at(project: &Project, folder: &str) -> Project {
    Project { start: folder.to_owned(), ..project.clone() }
}

/// A folder and those around it, the root of the repository last.
pub(crate) fn and_around(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| paths::parent(folder)))
}

/// Whether a path leads below a folder; every path does below the root of the repository.
pub(crate) fn lies_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_others_are_passed_over() {
        for path in ["vendor/x/a.yaml", "a/node_modules/b/a.yaml", ".terraform/modules/x/a.yaml", "a/.cache/a.yaml"] {
            assert!(is_vendored(path), "{path}");
        }
        for path in ["a.yaml", "infra/a.yaml", "vendors/a.yaml", "a/.hidden.yaml"] {
            assert!(!is_vendored(path), "{path}");
        }
    }
}
