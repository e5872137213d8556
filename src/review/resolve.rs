//! Which projects are analyzed, and what they resolve to.

use super::paths::with_folders;
use super::{Error, Workspace, phase};
use crate::code::Runs;
use crate::code::made::Evaluator;
use crate::diagnostic::rules::INVALID_CONFIG;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::{self, Dialects, FoundProjects, Missing, Project, Scope, Selection, combine};
use crate::files::Files;
use crate::resolution::{Address, Component, Resolution, State, Unit};
use crate::settings::Settings;
use crate::source::{Source, Supplied, Without};
use crate::terraform::module::modules::Cache;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many configuration files are named that may be meant.
const MAX_CANDIDATES: usize = 5;

/// One state, resolved.
pub(crate) struct Resolved {
    pub files: Files,
    pub resolution: Resolution,
    /// The systems of its projects, with what they keep.
    pub dialects: Dialects,
}

/// Resolves one state, within a scope.
///
/// # Errors
/// There is no project in it.
pub(crate) fn resolve(
    source: &dyn Source,
    workspace: &Workspace<'_>,
    settings: &Settings,
    files: Files,
    scope: Scope<'_>,
) -> Result<Resolved, Error> {
    workspace.host.limits(&settings.work);
    let dialects = workspace.dialects(settings);
    let found = workspace.find(&dialects, &[source], settings)?;
    let each: Vec<(&str, Resolution)> = phase(workspace.host, "resolve", || {
        let each = found.outer().into_iter();
        each.filter_map(|part| Some((part.folder(), part.resolve(source, &files, scope)?))).collect()
    });
    no_name_twice(&each)?;
    let mut resolution = combine(each.into_iter().map(|(_, resolution)| resolution).collect());
    report_empty(&mut resolution);
    Ok(Resolved { files, resolution, dialects })
}

impl Resolved {
    /// The same state without one of its files. What that cannot touch is named only.
    pub(crate) fn without(
        &self,
        path: &str,
        source: &dyn Source,
        workspace: &Workspace<'_>,
        settings: &Settings,
    ) -> Resolution {
        let supplied = Supplied::new(source, &settings.inputs);
        let source = supplied.as_ref().map_or(source, |supplied| supplied);
        let without = Without::new(source, path);
        let Ok(found) = workspace.find(&self.dialects, &[source], settings) else { return Resolution::default() };
        let changes = [without.change(path)];
        phase(workspace.host, "resolve", || found.resolve(&without, &self.files, Scope::Touched(&changes)))
    }
}

impl Resolved {
    /// The code that the projects of the same state run.
    ///
    /// # Errors
    /// There is no project in it.
    pub(crate) fn runs(
        &self,
        source: &dyn Source,
        workspace: &Workspace<'_>,
        settings: &Settings,
    ) -> Result<Vec<Runs>, Error> {
        let supplied = Supplied::new(source, &settings.inputs);
        let source = supplied.as_ref().map_or(source, |supplied| supplied);
        let found = workspace.find(&self.dialects, &[source], settings)?;
        let cache = Cache::new(settings.work);
        let state = dialects::State { source, files: &self.files, cache: &cache };
        Ok(found.parts().iter().map(|part| part.runs(&self.resolution, state)).collect())
    }
}

/// What the code of some components of a state makes, see [`Evaluator`].
///
/// # Errors
/// There is no project in it.
pub(crate) fn make(
    (source, files, dialects): (&dyn Source, &Files, &Dialects),
    resolution: &Resolution,
    wanted: &BTreeSet<Address>,
    (workspace, settings): (&Workspace<'_>, &Settings),
) -> Result<Vec<Arc<Unit>>, Error> {
    let supplied = Supplied::new(source, &settings.inputs);
    let source = supplied.as_ref().map_or(source, |supplied| supplied);
    let found = workspace.find(dialects, &[source], settings)?;
    let cache = Cache::new(settings.work);
    let mut units = Vec::new();
    for part in found.outer() {
        let modules = part.modules(dialects::State { source, files, cache: &cache });
        let run_inputs = |component: &Component| part.run_inputs(component);
        units.extend(Evaluator { modules: &modules, run_inputs: &run_inputs }.units(resolution, wanted));
    }
    // Two projects of a system can both evaluate what one of them configures.
    let mut seen = BTreeSet::new();
    units.retain(|unit| seen.insert(Text::clone(&unit.id)));
    Ok(units)
}

impl Workspace<'_> {
    /// The systems whose projects are analyzed, with nothing parsed yet. What they parse belongs to one table of files.
    pub(crate) fn dialects(&self, settings: &Settings) -> Dialects {
        Dialects::new(self.dialect, settings.work)
    }

    /// Returns where projects are searched, including the settings.
    pub(super) fn project(&self, settings: &Settings) -> Project {
        let (variables, roots) = (settings.variables.value.clone(), settings.roots.clone());
        Project { variables, roots, ..self.project.clone() }
    }

    /// The projects to analyze, in some states of a repository; of two the newer one comes last.
    ///
    /// # Errors
    /// There is none, or there are too many.
    pub(crate) fn find<'d>(
        &self,
        dialects: &'d Dialects,
        sources: &[&dyn Source],
        settings: &Settings,
    ) -> Result<FoundProjects<'d>, Error> {
        let is_there = |folder: &str| {
            folder.is_empty()
                || sources.iter().any(|s| s.listing().is_dir(folder) || s.listing().resolve(folder).is_ok())
        };
        if let Some(folder) = self.folders.iter().find(|folder| !is_there(folder)) {
            return Err(self.no_folder(folder, sources));
        }
        let selection = Selection { folders: self.folders.to_vec(), patterns: settings.projects.value.clone() };
        dialects
            .find(sources, &self.project(settings), &selection)
            .map_err(|missing| self.missing(missing, dialects, sources))
    }

    /// A folder that is named is on no side.
    fn no_folder(&self, folder: &str, sources: &[&dyn Source]) -> Error {
        let paths = sources.iter().flat_map(|source| source.listing().iter()).map(|entry| &*entry.path);
        let folders: BTreeSet<&str> = paths.flat_map(|path| with_folders(path).skip(1)).collect();
        let near = crate::text::nearest(folder, folders);
        let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let names: Vec<&str> = sources.iter().map(|source| source.name()).collect();
        Error::Message(format!("there is no folder `{folder}`, which --project names, in {}{hint}", names.join(" or ")))
    }

    fn missing(&self, missing: Missing, dialects: &Dialects, sources: &[&dyn Source]) -> Error {
        let name = sources.last().map_or("the repository", |s| s.name());
        let known_by = dialects.known_by();
        match missing {
            Missing::Nothing => {
                let start = if self.project.start.is_empty() { "its root" } else { &self.project.start };
                Error::NoProject(format!(
                    "no project found in {name}: stacklint looks for {known_by} in {start}, the folders above it and those below it; -C DIR starts elsewhere, --config PATH selects the configuration"
                ))
            }
            Missing::Several(files) => {
                let files: Vec<String> = files.into_iter().collect();
                let shown = files[..files.len().min(MAX_CANDIDATES)].join(", ");
                let more = files.len().saturating_sub(MAX_CANDIDATES);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                Error::Message(format!(
                    "several configuration files in folders that are not searched are meant for the same stacks: {shown}{more}; select one with --config PATH, or put the one that counts beside the stacks"
                ))
            }
            Missing::Folder(folder) => Error::Message(format!(
                "no project found in {name} in or below {folder}, named by --project; stacklint looks for {known_by}"
            )),
            Missing::Patterns(others) => {
                let others = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
                Error::Message(format!("no project matches `projects` in stacklint.toml; available projects: {others}"))
            }
            Missing::TooMany(number) => Error::Message(format!(
                "{name} has {number} projects, too many for one run: select some with --project or `projects` in stacklint.toml"
            )),
        }
    }
}

/// A stack that several projects have cannot be shown by its name.
fn no_name_twice(resolutions: &[(&str, Resolution)]) -> Result<(), Error> {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (folder, resolution) in resolutions {
        for component in resolution.units.iter().flat_map(|unit| &unit.components) {
            let owner = *owners.entry(&component.stack).or_insert(folder);
            if owner != *folder {
                let name = |folder: &str| if folder.is_empty() { ".".to_owned() } else { folder.to_owned() };
                return Err(Error::Message(format!(
                    "stack `{}` is in the projects {} and {}: select one with --project",
                    component.stack,
                    name(owner),
                    name(folder)
                )));
            }
        }
    }
    Ok(())
}

/// Reports a project in which there is nothing to analyze.
pub(super) fn report_empty(resolution: &mut Resolution) {
    let is_empty = |unit: &Arc<Unit>| {
        unit.state == State::Resolved && !unit.is_incomplete() && unit.components.is_empty() && unit.unlisted.is_empty()
    };
    let is_known = resolution.gap.is_some() || resolution.findings.iter().any(|f| f.is_breaking);
    let anchor = resolution.config.first().copied().or_else(|| resolution.units.first().map(|unit| unit.file));
    if let Some(file) = anchor
        && !is_known
        && resolution.empty_stacks().next().is_none()
        && resolution.units.iter().all(is_empty)
    {
        let message = "this project has no stack with a component, so there is nothing to analyze";
        let finding = Diagnostic::new(&INVALID_CONFIG, message, Label::new(file, 0, 0, ""));
        resolution.findings.push(finding.breaking());
    }
}
