//! Which folders of a repository are projects: the one that a folder lies in, or those below it.

use super::registry::{FoundProjects, Part};
use super::{Dialect, Dialects, Presence, Project};
use crate::paths;
use crate::source::Source;
use crate::source::glob::Glob;
use std::collections::BTreeSet;

/// The maximum number of projects of one run.
const MAX_PROJECTS: usize = 100;
/// Folders of code that others wrote.
const VENDORED: [&str; 4] = ["node_modules", "vendor", "third_party", "site-packages"];

/// The projects below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Below {
    /// The folders of projects, from the root of the repository.
    pub projects: BTreeSet<String>,
    /// Configuration files that are not used because they are in folders that are not searched.
    pub candidates: BTreeSet<String>,
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
    /// There is no project; configuration files that may be meant.
    Nothing(BTreeSet<String>),
    /// There is none in or below this selected folder.
    Folder(String),
    /// None matches the patterns; the folders of those that there are.
    Patterns(Vec<String>),
    /// There are so many.
    TooMany(usize),
}

/// Whether a path below a folder leads through hidden or vendored folders.
pub(crate) fn is_vendored(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| folder.starts_with('.') || VENDORED.contains(&folder))
}

/// The paths of files below a folder that have a name of configuration, except those in hidden or vendored folders.
pub(crate) fn configurations_below<'s>(
    source: &'s dyn Source,
    folder: &'s str,
    is_named: impl Fn(&str) -> bool + 's,
) -> impl Iterator<Item = &'s str> {
    let paths = source.listing().under(folder).iter().map(|entry| &*entry.path);
    paths.filter(move |path| {
        paths::relative(path, folder).is_some() && is_named(paths::name(path)) && !is_vendored(path)
    })
}

impl Dialects {
    /// Finds the selected projects in some states of a repository.
    ///
    /// # Errors
    /// There is none, or there are too many.
    pub(crate) fn find(
        &self,
        sources: &[&dyn Source],
        project: &Project,
        selection: &Selection,
    ) -> Result<FoundProjects<'_>, Missing> {
        if !project.config.is_empty() {
            return Ok(self.detect(sources, project));
        }
        let mut parts: Vec<Part<'_>> = Vec::new();
        let mut candidates = BTreeSet::new();
        // Folders below which projects that are not analyzed are named: those that were not chosen as projects themselves.
        let mut above: Vec<&str> = Vec::new();
        if !selection.folders.is_empty() {
            for folder in &selection.folders {
                let found = self.from(sources, &at(project, folder), &mut BTreeSet::new());
                if found.is_empty() {
                    return Err(Missing::Folder(folder.clone()));
                }
                above.extend(found.iter().all(|part| part.folder() != folder).then_some(folder.as_str()));
                parts.extend(found);
            }
        } else if !selection.patterns.is_empty() && self.is_above(sources, project) {
            parts = self.matching(sources, project, &selection.patterns)?;
        } else {
            parts = self.from(sources, project, &mut candidates);
            above.push("");
        }
        parts.sort_by(|a, b| a.folder().cmp(b.folder()));
        let mut seen = BTreeSet::new();
        parts.retain(|part| seen.insert((part.folder().to_owned(), part.dialect().name())));
        match parts.len() {
            0 => Err(Missing::Nothing(candidates)),
            n if n > MAX_PROJECTS => Err(Missing::TooMany(n)),
            _ => {
                let mut inside = if above.is_empty() { BTreeSet::new() } else { inside(&parts, sources) };
                inside.retain(|folder| above.iter().any(|above| lies_below(folder, above)));
                Ok(FoundProjects::new(parts).with_inside(inside))
            }
        }
    }

    /// Whether a folder lies in no project, but for one that starts at the root of the repository.
    fn is_above(&self, sources: &[&dyn Source], project: &Project) -> bool {
        project.start.is_empty() || self.iter().all(|d| nearest(d, sources, project).is_none())
    }

    /// The project that a folder lies in, of each dialect, or those below it.
    fn from(&self, sources: &[&dyn Source], project: &Project, candidates: &mut BTreeSet<String>) -> Vec<Part<'_>> {
        let mut found: Vec<(Presence, Part<'_>)> = Vec::new();
        for dialect in self.iter() {
            let here = nearest(dialect, sources, project);
            if !matches!(here, Some((Presence::Certain, _))) {
                let below = below(dialect, sources, &project.start);
                candidates.extend(below.candidates);
                let folders = outermost(below.projects);
                found.extend(folders.iter().map(|f| (Presence::Certain, Part::searched(dialect, at(project, f)))));
            }
            found.extend(here.map(|(presence, folder)| (presence, Part::searched(dialect, at(project, &folder)))));
        }
        let best = found.iter().map(|(presence, _)| *presence).max();
        found.into_iter().filter(|(presence, _)| Some(*presence) == best).map(|(_, part)| part).collect()
    }

    /// The projects whose folders match a pattern.
    fn matching(
        &self,
        sources: &[&dyn Source],
        project: &Project,
        patterns: &[Glob],
    ) -> Result<Vec<Part<'_>>, Missing> {
        let root = at(project, "");
        let (mut parts, mut others) = (Vec::new(), BTreeSet::new());
        for dialect in self.iter() {
            let mut folders = below(dialect, sources, "").projects;
            folders.extend(nearest(dialect, sources, &root).map(|(_, folder)| folder));
            for folder in folders {
                let name = if folder.is_empty() { "." } else { &folder };
                match patterns.iter().any(|pattern| pattern.matches(name)) {
                    true => parts.push(Part::searched(dialect, at(project, &folder))),
                    false => {
                        others.insert(name.to_owned());
                    }
                }
            }
        }
        if parts.is_empty() { Err(Missing::Patterns(others.into_iter().collect())) } else { Ok(parts) }
    }
}

fn at(project: &Project, folder: &str) -> Project {
    Project { start: folder.to_owned(), ..project.clone() }
}

/// The folder of the project that a folder lies in, in one of some states: the most certain one, then the nearest.
fn nearest(dialect: &dyn Dialect, sources: &[&dyn Source], project: &Project) -> Option<(Presence, String)> {
    let one = |source: &&dyn Source| {
        let presence = dialect.detect(*source, project);
        let folder = dialect.root(*source, project)?;
        (presence != Presence::Absent).then_some((presence, folder))
    };
    sources.iter().filter_map(one).max_by_key(|(presence, folder)| (*presence, folder.len()))
}

/// Whether a path leads below a folder; every path does below the root of the repository.
fn lies_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn below(dialect: &dyn Dialect, sources: &[&dyn Source], folder: &str) -> Below {
    let mut all = Below::default();
    for source in sources {
        let Below { projects, candidates } = dialect.below(*source, folder);
        all.projects.extend(projects);
        all.candidates.extend(candidates);
    }
    let own = |path: &str| is_vendored(&format!("{}/", path.strip_prefix(folder).unwrap_or(path)));
    all.projects.retain(|path| lies_below(path, folder) && !own(path));
    all
}

/// Returns the folders of projects inside of some projects of the same system, without these.
fn inside(parts: &[Part<'_>], sources: &[&dyn Source]) -> BTreeSet<String> {
    let mut folders = BTreeSet::new();
    for part in parts {
        let dialect = part.dialect();
        let is_part = |folder: &str| parts.iter().any(|p| p.dialect().name() == dialect.name() && p.folder() == folder);
        folders.extend(below(dialect, sources, part.folder()).projects.into_iter().filter(|folder| !is_part(folder)));
    }
    folders
}

/// Folders that lie in no other one.
fn outermost(folders: BTreeSet<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for folder in folders {
        let inside = |above: &String| folder.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if !kept.iter().any(inside) {
            kept.push(folder);
        }
    }
    kept
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

    #[test]
    fn a_project_inside_of_another_one_is_part_of_it() {
        let folders = ["a", "a/b", "a-b", "b/c", "b/c/d"].map(str::to_owned).into();
        assert_eq!(outermost(folders), ["a", "a-b", "b/c"]);
    }
}
