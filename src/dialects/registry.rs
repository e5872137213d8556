//! Which dialects a project has, and what they resolve to together.

use super::search::lies_below;
use super::{Dialect, Presence, Project, Scope, State, Variables, all};
use crate::affected::{self, Affected, Item, Request};
use crate::code::Runs;
use crate::diagnostic;
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::{Address, Component, Resolution};
use crate::source::Source;
use crate::terraform::evaluation::given::RunInputs;
use crate::terraform::module::modules::Modules;
use std::collections::BTreeSet;

/// The dialects that a run examines. They keep what they have parsed, so that a second revision costs what is new in it.
pub(crate) struct Dialects {
    all: Vec<Box<dyn Dialect>>,
}

impl Dialects {
    /// The dialect of a name (see [`names`](Self::names)), or all of them, with these limits.
    pub(crate) fn new(only: Option<&str>, limits: Limits) -> Self {
        let mut all = all(limits);
        all.retain(|d| only.is_none_or(|name| d.name() == name));
        Dialects { all }
    }

    /// Drops what the dialects have parsed, and what they have resolved of other revisions; see [`Dialect::forget`].
    pub(crate) fn forget(&self, source: &dyn Source) {
        self.all.iter().for_each(|dialect| dialect.forget(source));
    }

    /// The names of all dialects.
    pub(crate) fn names() -> Vec<&'static str> {
        all(Limits::default()).iter().map(|d| d.name()).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Dialect> {
        self.all.iter().map(|d| &**d)
    }

    /// The environment variables that one of them honours.
    pub(crate) fn variables(&self) -> impl Iterator<Item = Variables> {
        self.iter().map(Dialect::variables)
    }

    /// Describes how projects are recognized: "an `x.yaml`, or a folder `y`".
    pub(crate) fn known_by(&self) -> String {
        self.iter().map(Dialect::known_by).collect::<Vec<_>>().join(", or ")
    }

    /// The dialects of what the user named.
    pub(super) fn configured(&self, sources: &[&dyn Source], project: &Project) -> FoundProjects<'_> {
        let mut parts: Vec<ProjectHandle<'_>> = Vec::new();
        for (index, dialect) in self.iter().enumerate() {
            let claims = |d: &dyn Dialect, path: &str| sources.iter().any(|s| d.claims(*s, path));
            let own = |path: &&String| match claims(dialect, path) {
                true => !self.iter().take(index).any(|earlier| claims(earlier, path)),
                false => index == 0 && !self.iter().any(|other| claims(other, path)),
            };
            let config: Vec<String> = project.config.iter().filter(own).cloned().collect();
            if !config.is_empty() {
                parts.push(ProjectHandle { dialect, projects: vec![(None, Project { config, ..project.clone() })] });
            }
        }
        FoundProjects::new(parts)
    }
}

/// The projects that a run analyzes.
#[derive(Default)]
pub(crate) struct FoundProjects<'a> {
    parts: Vec<ProjectHandle<'a>>,
}

pub(crate) struct ProjectHandle<'a> {
    dialect: &'a dyn Dialect,
    /// Where it is in the newest state that has it; then where it was before it moved. With how certain that is; `None` if the
    /// user named it, so that every state has it.
    projects: Vec<(Option<Presence>, Project)>,
}

impl<'a> ProjectHandle<'a> {
    /// A project that was found: a state may lack it.
    pub(super) fn searched(dialect: &'a dyn Dialect, places: Vec<(Presence, Project)>) -> Self {
        ProjectHandle {
            dialect,
            projects: places.into_iter().map(|(presence, project)| (Some(presence), project)).collect(),
        }
    }

    /// Its system.
    pub(crate) fn dialect(&self) -> &dyn Dialect {
        self.dialect
    }

    /// Its folder from the root of the repository; empty for the root.
    pub(crate) fn folder(&self) -> &str {
        self.projects.first().map_or("", |(_, project)| &project.start)
    }

    /// The project as one state has it.
    fn project(&self, source: &dyn Source) -> Option<&Project> {
        let is_there = |(presence, project): &&(Option<Presence>, Project)| match presence {
            None => true,
            Some(_) if !project.config.is_empty() => {
                project.config.iter().all(|path| source.listing().resolve(path).is_ok())
            }
            Some(presence) => {
                let found = self.dialect.find(source, project);
                found.is_some_and(|(found, folder)| found >= *presence && folder == project.start)
            }
        };
        self.projects.iter().find(is_there).map(|(_, project)| project)
    }

    /// Resolves one state; `None` where that does not have the project.
    pub(crate) fn resolve(&self, source: &dyn Source, files: &Files, scope: Scope<'_>) -> Option<Resolution> {
        let project = self.project(source)?;
        let vocabularies = vec![self.dialect.vocabulary()];
        let authoring = self.dialect.authoring().into_iter().collect();
        let found = self.dialect.resolve(source, project, files, scope);
        let is_all = found.is_all || matches!(scope, Scope::All);
        Some(Resolution { vocabularies, authoring, is_all, ..found })
    }

    /// The code that is run in one state; none where that does not have the project.
    pub(crate) fn runs(&self, resolution: &Resolution, state: State<'_>) -> Runs {
        let project = self.project(state.source);
        project.map_or_else(Runs::default, |project| self.dialect.runs(resolution, state, project))
    }

    /// What its system gives to the code of a component; `None` if that is not to be evaluated.
    pub(crate) fn run_inputs(&self, component: &Component) -> Option<RunInputs> {
        let leaves_code = self.projects.first().is_some_and(|(_, project)| project.leaves_code);
        if leaves_code { None } else { self.dialect.run_inputs(component) }
    }

    /// The modules of one state, as its tool loads them.
    pub(crate) fn modules<'s>(&self, state: State<'s>) -> Modules<'s> {
        let runner = self.project(state.source).map(Project::runner).unwrap_or_default();
        Modules::new(state.source, state.files, state.cache, runner)
    }

    /// The components that a change affects: the list of the dialect if it has one, else what differs.
    pub(crate) fn affected(&self, request: &Request<'_>) -> Affected {
        let own = self.project(request.head).and_then(|project| self.dialect.affected(request, project));
        let mut found = own.unwrap_or_else(|| {
            let mut items = affected::differing(request.diff, request.code, request.filter);
            let [base, head] = request.resolutions;
            let known: BTreeSet<Address> = items.iter().map(Item::address).collect();
            let lost = affected::lost(base, head, request.filter).filter(|(address, _)| !known.contains(address));
            items.extend(lost.map(|(_, item)| item));
            items.sort_by_key(Item::address);
            Affected { items, ..Affected::default() }
        });
        let sides = request.resolutions.map(Resolution::components);
        for item in &mut found.items {
            let placed = sides.iter().rev().find_map(|side| side.get(&item.address()));
            item.is_job &= placed.is_none_or(|one| self.dialect.run_folder(&one.component, &one.unit).is_some());
        }
        found
    }
}

impl<'a> FoundProjects<'a> {
    pub(super) fn new(parts: Vec<ProjectHandle<'a>>) -> Self {
        FoundProjects { parts }
    }

    /// The projects, those of one dialect together.
    pub(crate) fn parts(&self) -> &[ProjectHandle<'a>] {
        &self.parts
    }

    /// The projects that lie in no other one of the same system: what a question is about, unless it names another project.
    pub(crate) fn outer(&self) -> Vec<&ProjectHandle<'a>> {
        let is_inside = |part: &ProjectHandle<'_>| {
            let around = self.parts.iter().filter(|other| other.dialect.name() == part.dialect.name());
            around.into_iter().any(|other| other.folder() != part.folder() && lies_below(part.folder(), other.folder()))
        };
        self.parts.iter().filter(|part| !is_inside(part)).collect()
    }

    /// Resolves one state, its outer projects as one. A project that it does not have is an empty one there.
    pub(crate) fn resolve(&self, source: &dyn Source, files: &Files, scope: Scope<'_>) -> Resolution {
        combine(self.outer().iter().filter_map(|part| part.resolve(source, files, scope)).collect())
    }
}

/// Resolutions of several projects as one. Units stay in the order of the projects, and of their names within one.
pub(crate) fn combine(mut resolutions: Vec<Resolution>) -> Resolution {
    if resolutions.len() <= 1 {
        return resolutions.pop().unwrap_or_default();
    }
    let mut whole = Resolution::default();
    for resolution in resolutions {
        whole.units.extend(resolution.units);
        whole.findings.extend(resolution.findings);
        whole.documents.extend(resolution.documents);
        whole.locals.scopes.extend(resolution.locals.scopes);
        whole.locals.stacks.extend(resolution.locals.stacks);
        whole.imports.items.extend(resolution.imports.items);
        whole.imports.unreached.extend(resolution.imports.unreached);
        whole.mentions.extend(resolution.mentions);
        whole.fetched.extend(resolution.fetched);
        whole.vocabularies.extend(resolution.vocabularies);
        whole.authoring.extend(resolution.authoring);
        whole.config.extend(resolution.config);
        whole.assumptions.extend(resolution.assumptions);
        whole.remote_config.extend(resolution.remote_config);
        whole.gap = whole.gap.or(resolution.gap);
    }
    diagnostic::unite(&mut whole.findings);
    whole.documents.sort_by_key(|(file, _)| *file);
    whole.documents.dedup_by_key(|(file, _)| *file);
    whole
}
