//! Garden (`garden.io`): projects of actions, resolved per environment. The stages in the order in which Garden runs them:
//!
//! `project` (which files there are and what they say) → `environment` (variables in layers, providers, workflows) →
//! `actions` (templates that render configs, built-in fields, the graph, specs) → the resolution. An environment is a stack;
//! the project, its providers, actions and workflows are components. `template` is the language of all strings; `lints` looks at
//! what is written.

mod actions;
mod document;
mod environment;
mod eval;
mod lints;
mod project;
mod rules;
mod sink;
pub(crate) mod template;
#[cfg(test)]
mod tests;

use super::{Below, Dialect, EvalError, Evaluated, Presence, Project, Scope, is_vendored};
use crate::diagnostic::{self, Diagnostic, Rule};
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::{Resolution, State, Unit};
use crate::source::Source;
use crate::text::Text;
use crate::threads;
use crate::value::{FileId, Value};
use environment::{Environment, Input};
use project::load::{Cache, Loader};
use project::{EnvironmentConfig, Loaded, ProjectConfig, discover};
use sink::Sink;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub struct Garden {
    cache: Cache,
    limits: Limits,
}

impl Garden {
    /// The dialect, with nothing parsed yet, which takes on so much.
    pub fn with_limits(limits: Limits) -> Self {
        Garden { cache: Cache::new(limits), limits }
    }

    /// The unit of the project in a folder: all of its environments.
    fn project(
        &self,
        (source, files): (&dyn Source, &Files),
        dir: &str,
        project: &Project,
        scope: Scope<'_>,
    ) -> (Unit, Vec<Diagnostic>) {
        let beside = discover::config_files(source, dir);
        let named = beside.into_iter().find(|path| discover::is_project_file(source, path));
        let path = named.unwrap_or_else(|| discover::join(dir, "garden.yml"));
        let loader = &Loader::new(source, files, &self.cache, discover::era_of(source, &path));
        let file = loader.files.add(&path, "", || Text::from(""));
        let mut sink = Sink::new(file);
        let loaded = project::load(loader, dir, &mut sink);
        lints::check(&loaded, &mut sink);
        let is_broken = sink.is_broken();
        let mut findings = sink.into_findings();
        let mut unit = Unit::broken(path.as_str().into(), file);
        let Some(config) = &loaded.config else { return (unit, findings) };
        let ids: BTreeSet<FileId> =
            loaded.resources.iter().map(|resource| resource.file).chain([config.file]).collect();
        (unit.file, unit.files) = (config.file, ids.into_iter().collect());
        if is_broken {
            return (unit, findings);
        }
        let one = |environment: &EnvironmentConfig| environment_of(loader, &loaded, (config, environment), project);
        for (environment, more) in threads::map(&config.environments, one) {
            findings.extend(more);
            let Environment { name, components, is_broken, broken } = environment;
            unit.components.extend(components);
            unit.broken.extend(broken);
            unit.failed.extend(is_broken.then_some(name));
        }
        unit.broken.sort();
        unit.broken.dedup();
        unit.failed.sort();
        unit.components.sort_by_key(|component| component.address());
        unit.state = State::Resolved;
        if !is_touched(loader, scope) {
            unit.state = State::OutOfScope;
            unit.components.clear();
        }
        (unit, findings)
    }
}

/// One environment, and what is wrong with it.
fn environment_of(
    loader: &Loader<'_>,
    loaded: &Loaded,
    (config, environment): (&ProjectConfig, &EnvironmentConfig),
    project: &Project,
) -> (Environment, Vec<Diagnostic>) {
    let stack = &environment.name;
    let resolved = threads::guarded(&format!("environment {stack} of {}", config.path), || {
        let mut sink = Sink::of_stack(config.file, stack);
        let input = Input { loader, loaded, project: config, environment, namespace: None, inputs: &project.inputs };
        (environment::resolve(&input, stack, &mut sink), sink.into_findings())
    });
    resolved.unwrap_or_else(|defect| {
        let finding = Diagnostic::defect(&defect, config.file);
        let failed =
            Environment { name: Text::clone(stack), components: Vec::new(), is_broken: true, broken: Vec::new() };
        (failed, vec![finding])
    })
}

/// Whether a change reaches a project.
fn is_touched(loader: &Loader<'_>, scope: Scope<'_>) -> bool {
    let Scope::Touched(changes) = scope else { return true };
    let asked = loader.asked();
    let concerns =
        |path: &str| asked.contains(path) || discover::is_config_name(path.rsplit('/').next().unwrap_or(path));
    changes.iter().any(|change| concerns(&change.path))
}

impl Dialect for Garden {
    fn name(&self) -> &'static str {
        "garden"
    }

    fn known_by(&self) -> &'static str {
        "a garden.yml with `kind: Project`"
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::OWN
    }

    fn claims(&self, source: &dyn Source, config: &str) -> bool {
        discover::is_config_name(config.rsplit('/').next().unwrap_or_default())
            && discover::is_project_file(source, config)
    }

    fn detect(&self, source: &dyn Source, project: &Project) -> Presence {
        if discover::find(source, &project.start).is_some() { Presence::Certain } else { Presence::Absent }
    }

    fn root(&self, source: &dyn Source, project: &Project) -> Option<String> {
        discover::find(source, &project.start)
    }

    fn below(&self, source: &dyn Source, folder: &str) -> Below {
        let is_below = |path: &str| folder.is_empty() || path.strip_prefix(folder).is_some_and(|p| p.starts_with('/'));
        let paths = source.listing().iter().map(|e| &*e.path).filter(|path| is_below(path) && !is_vendored(path));
        let named = paths.filter(|path| discover::is_config_name(path.rsplit('/').next().unwrap_or_default()));
        let projects = named.filter(|path| discover::is_project_file(source, path));
        Below { projects: projects.map(|path| discover::parent(path).to_owned()).collect(), ..Below::default() }
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution {
        let dirs: BTreeSet<String> = match project.config.is_empty() {
            true => discover::find(source, &project.start).into_iter().collect(),
            false => project.config.iter().map(|path| discover::parent(path).to_owned()).collect(),
        };
        let mut resolution = Resolution::default();
        for dir in &dirs {
            let (unit, findings) = self.project((source, files), dir, project, scope);
            resolution.units.push(Arc::new(unit));
            resolution.findings.extend(findings);
        }
        resolution.units.sort_by(|a, b| a.name.cmp(&b.name));
        diagnostic::unite(&mut resolution.findings);
        resolution
    }

    fn eval(&self, template: &Value, context: &Value, partial: bool) -> Result<Evaluated, EvalError> {
        eval::eval(template, context, partial, self.limits)
    }
}
