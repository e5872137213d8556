//! Atmos: `atmos.yaml`, stack manifests, components. The stages in the order in which Atmos runs them:
//!
//! `config` (the configuration) → `discover` (which files are stacks) → `manifest` (`content`, `document`,
//! `locals`, `render`, `imports`: one file with all it imports, merged) → `stack` (`layers`, `bases`, `component`,
//! `backend`, `names`, `pass`, `finish`: the components of its stacks; `targets` and `host`: what their templates ask
//! for) → `validation` (what the repository itself demands of them) → `validate` (`schema`) and `duplicates` (what else
//! Atmos refuses) → the resolution. What is wrong with locals is noted on the way (`local_met`) and told at the end
//! (`locals::rules` and its siblings).

mod affected;
mod checks;
mod component;
mod config;
mod document;
mod findings;
mod functions;
mod imports;
mod include;
mod locals;
mod manifest;
mod merge;
mod names;
mod paths;
mod reader;
mod resolve;
mod rules;
mod schema;
mod shapes;
mod stack;
mod templates;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use merge::ListStrategy;

use super::{Below, Dialect, EvalError, EvalMode, Evaluated, Presence, Project, Scope, Variables};
use crate::affected::{Affected, Request};
use crate::diagnostic::Rule;
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::{Component, Resolution};
use crate::source::Source;
use crate::value::{Value, Vocabulary};
use config::{Config, projects, search};
use imports::likely_stacks;
use reader::Deps;
use resolve::Resolver;
use shapes::export::to_json_schema;
use templates::eval::eval;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub struct Atmos {
    resolver: Resolver,
}

impl Atmos {
    /// The dialect, with empty caches.
    pub fn new() -> Self {
        Self::default()
    }

    /// The dialect, with empty caches and these limits.
    pub fn with_limits(limits: Limits) -> Self {
        Atmos { resolver: Resolver::with_limits(limits) }
    }

    /// What stack manifests must look like, as a JSON Schema (draft 2020-12).
    pub fn manifest_schema() -> serde_json::Value {
        to_json_schema("Atmos stack manifest", schema::MANIFEST)
    }

    /// What `atmos.yaml` may hold, as a JSON Schema (draft 2020-12). Other keys are allowed, because Atmos passes over them.
    pub fn configuration_schema() -> serde_json::Value {
        to_json_schema("Atmos configuration", Config::SHAPE)
    }
}

impl Dialect for Atmos {
    fn name(&self) -> &'static str {
        "atmos"
    }

    fn known_by(&self) -> &'static str {
        "an atmos.yaml or a folder `stacks`"
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::OWN
    }

    fn vocabulary(&self) -> &'static Vocabulary {
        &vocabulary::VOCABULARY
    }

    fn variables(&self) -> Variables {
        Variables { prefixes: &["ATMOS_"], paths: &["ATMOS_CLI_CONFIG_PATH"] }
    }

    fn claims(&self, _: &dyn Source, config: &str) -> bool {
        projects::is_config(config)
    }

    fn detect(&self, source: &dyn Source, project: &Project) -> Presence {
        projects::enclosing(source, project).map_or(Presence::Absent, |(presence, _)| presence)
    }

    fn root(&self, source: &dyn Source, project: &Project) -> Option<String> {
        projects::enclosing(source, project).map(|(_, folder)| folder)
    }

    fn below(&self, source: &dyn Source, folder: &str) -> Below {
        projects::below(source, folder)
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution {
        self.resolver.resolve(source, project, files, scope)
    }

    fn likely_units(&self, source: &dyn Source, project: &Project, files: &Files, stack: &str) -> Vec<String> {
        let reader = self.resolver.reader(source, files);
        let config = search::load(&reader, project, &mut Deps::default());
        config.map_or_else(|_| Vec::new(), |config| likely_stacks::manifests(&reader, &config, stack))
    }

    fn affected(&self, request: &Request<'_>, project: &Project) -> Option<Affected> {
        Some(affected::list(&self.resolver, request, project))
    }

    fn eval(&self, template: &Value, context: &Value, mode: EvalMode) -> Result<Evaluated, EvalError> {
        eval(&self.resolver.templates, template, context, mode.partial)
    }

    fn context(&self, component: &Component) -> Option<Value> {
        Some(component.value.clone())
    }
}
