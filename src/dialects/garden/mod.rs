//! Garden (`garden.io`): projects of actions, resolved per environment. The stages in the order in which Garden runs them:
//!
//! `project` (which files there are and what they say) → `environment` (variables in layers, providers, workflows) →
//! `actions` (templates that render configs, built-in fields, the graph, specs) → the resolution. An environment is a stack;
//! the project, its providers, actions and workflows are components. `template` is the language of all strings.

mod actions;
mod document;
mod environment;
mod eval;
mod project;
mod sink;
pub(crate) mod template;
#[cfg(test)]
mod tests;

use super::{Dialect, EvalError, Evaluated, Presence, Project, Scope};
use crate::diagnostic::{self, Diagnostic};
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

    /// The units of the project in a folder: one for each environment.
    fn project(&self, loader: &Loader<'_>, dir: &str, project: &Project, scope: Scope<'_>, out: &mut Resolution) {
        let named = discover::config_files(loader.source, dir).into_iter().find(|path| {
            discover::is_project_file(loader.source, path)
        });
        let path = named.unwrap_or_else(|| discover::join(dir, "garden.yml"));
        let file = loader.files.add(&path, "", || Text::from(""));
        let mut sink = Sink::new(file);
        let loaded = project::load(loader, dir, &mut sink);
        let is_broken = sink.is_broken();
        out.findings.extend(sink.into_findings());
        let Some(config) = &loaded.config else {
            out.units.push(Arc::new(Unit::broken(path.as_str().into(), file)));
            return;
        };
        let one = |environment: &EnvironmentConfig| {
            self.environment(loader, &loaded, (config, environment), project, is_broken)
        };
        for (unit, findings) in threads::map(&config.environments, one) {
            let is_touched = is_touched(&unit, loader, scope);
            out.findings.extend(findings);
            out.units.push(Arc::new(match is_touched {
                true => unit,
                false => Unit { components: Vec::new(), state: State::OutOfScope, ..unit },
            }));
        }
    }

    /// The unit of one environment, and what is wrong with it.
    fn environment(
        &self,
        loader: &Loader<'_>,
        loaded: &Loaded,
        (config, environment): (&ProjectConfig, &EnvironmentConfig),
        project: &Project,
        is_broken: bool,
    ) -> (Unit, Vec<Diagnostic>) {
        let stack = Text::clone(&environment.name);
        let name = Text::from(format!("{}:{stack}", config.path));
        let mut unit = Unit::broken(name, config.file);
        if is_broken {
            return (unit, Vec::new());
        }
        let resolved = threads::guarded(&format!("environment {stack} of {}", config.path), || {
            let mut sink = Sink::of_stack(config.file, &stack);
            let input =
                Input { loader, loaded, project: config, environment, namespace: None, inputs: &project.inputs };
            (environment::resolve(&input, &stack, &mut sink), sink.into_findings())
        });
        match resolved {
            Ok((environment, findings)) => {
                let ids: BTreeSet<FileId> =
                    loaded.resources.iter().map(|resource| resource.file).chain([config.file]).collect();
                unit.files = ids.into_iter().collect();
                let Environment { components, is_broken, mut broken, .. } = environment;
                broken.sort();
                unit.state = if is_broken { State::Broken } else { State::Resolved };
                unit.components = components;
                unit.broken = broken;
                (unit, findings)
            }
            Err(defect) => {
                let finding = Diagnostic::defect(&defect, config.file);
                (unit, vec![finding])
            }
        }
    }
}

/// Whether a change reaches a unit.
fn is_touched(_unit: &Unit, loader: &Loader<'_>, scope: Scope<'_>) -> bool {
    match scope {
        Scope::All => true,
        Scope::Touched(changes) => {
            let asked = loader.asked();
            let concerns = |path: &str| {
                let name = path.rsplit('/').next().unwrap_or_default();
                asked.contains(path) || discover::is_config_name(name)
            };
            changes.iter().any(|change| concerns(&change.path))
        }
    }
}

impl Dialect for Garden {
    fn name(&self) -> &'static str {
        "garden"
    }

    fn known_by(&self) -> &'static str {
        "a garden.yml with `kind: Project`"
    }

    fn claims(&self, source: &dyn Source, config: &str) -> bool {
        discover::is_config_name(config.rsplit('/').next().unwrap_or_default())
            && discover::is_project_file(source, config)
    }

    fn detect(&self, source: &dyn Source, project: &Project) -> Presence {
        if discover::find(source, &project.start).is_some() { Presence::Certain } else { Presence::Absent }
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution {
        let dirs: BTreeSet<String> = match project.config.is_empty() {
            true => discover::find(source, &project.start).into_iter().collect(),
            false => project.config.iter().map(|path| discover::parent(path).to_owned()).collect(),
        };
        let mut resolution = Resolution::default();
        for dir in &dirs {
            let loader = Loader::new(source, files, &self.cache);
            self.project(&loader, dir, project, scope, &mut resolution);
        }
        resolution.units.sort_by(|a, b| a.name.cmp(&b.name));
        diagnostic::unite(&mut resolution.findings);
        resolution
    }

    fn eval(&self, template: &Value, context: &Value, partial: bool) -> Result<Evaluated, EvalError> {
        eval::eval(template, context, partial, self.limits)
    }
}
