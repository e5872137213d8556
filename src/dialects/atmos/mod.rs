//! Atmos: `atmos.yaml`, stack manifests, components. The stages in the order in which Atmos runs them:
//!
//! `search` and `config` (the configuration) → `discover` (which files are stacks) → `manifest` (`content`, `document`,
//! `locals`, `render`, `imports`: one file with all it imports, merged) → `stack` (`layers`, `bases`, `component`,
//! `backend`, `names`: the components of its stacks) → the estate. What is wrong with locals is noted on the way
//! (`local_met`) and told at the end (`local_rules` and what stands beside it).

mod backend;
mod bases;
mod component;
mod config;
mod content;
mod custom;
mod deferred;
mod discover;
mod document;
mod functions;
mod imports;
mod include;
mod layers;
mod local_blame;
mod local_graph;
mod local_met;
mod local_misses;
mod local_refs;
mod local_rules;
mod local_scopes;
mod local_traces;
mod local_uses;
mod locals;
mod manifest;
mod merge;
mod names;
mod paths;
mod reader;
mod render;
mod search;
mod sink;
mod stack;
mod tags;
#[cfg(test)]
mod tests;

pub use merge::ListStrategy;

use super::{Dialect, Project, Scope};
use crate::diagnostic::{self, Diagnostic, Label};
use crate::estate::{self, Estate, State, Unit};
use crate::files::Files;
use crate::source::Source;
use crate::value::FileId;
use config::Config;
use local_scopes::{FileLocals, LocalCache};
use manifest::Manifests;
use reader::{Cache, Deps, Reader};
use render::Templates;
use search::Trouble;
use sink::Sink;
use stack::{Resolved, Stacks};
use std::sync::Arc;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub struct Atmos {
    cache: Cache,
    templates: Templates,
    locals: LocalCache,
}

impl Atmos {
    /// The dialect, with nothing parsed yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn units(
        &self,
        reader: &Reader<'_>,
        config: &Config,
        shared: &Deps,
        scope: Scope<'_>,
        sink: &Sink,
    ) -> (Vec<Arc<Unit>>, estate::Locals) {
        let strategy = match &config.strategy {
            Ok(strategy) => *strategy,
            Err(name) => {
                let site =
                    config.all.at_path(["settings", "list_merge_strategy"]).map(|v| v.prov.clone()).unwrap_or_default();
                let file = anchor(reader.files, shared);
                let message = format!("`{name}` is no list merge strategy: use `replace`, `append` or `merge`");
                sink.error("invalid-config", message, &site, file);
                return Default::default();
            }
        };
        let mut found = shared.clone();
        let manifests = discover::manifests(reader, config, sink, &mut found);
        if manifests.is_empty() || !discover::has_plain_manifest(reader, config) {
            let file = anchor(reader.files, shared);
            let wanted = config.included.join("`, `");
            let message = format!("no stack manifests found below {} for `{wanted}`", config.stacks);
            let site = config.all.at_path(["stacks", "included_paths"]).map(|v| v.prov.clone()).unwrap_or_default();
            sink.error("invalid-config", message, &site, file);
        }
        let loader = Manifests::new(reader, config, strategy, &self.templates, sink, &self.locals);
        let stacks = Stacks { reader, config, strategy, templates: &self.templates, sink, met: &loader.met };
        let config_touched = match scope {
            Scope::All => true,
            Scope::Touched(changes) => changes.iter().any(|c| shared.touched(&c.path, c.kind)),
        };
        let one = |path: &String| self.unit(path, &loader, &stacks, shared, scope, config_touched);
        let units: Vec<Arc<Unit>> = crate::threads::map(&manifests, one).into_iter().flatten().collect();
        loader.report_locals();
        let locals = self.local_scopes(&loader, &units);
        (units, locals)
    }

    fn local_scopes(&self, loader: &Manifests<'_>, units: &[Arc<Unit>]) -> estate::Locals {
        let met = loader.met.records().locals;
        let path = |f: &&Arc<FileLocals>| Arc::clone(&f.loaded.path);
        let mut files: Vec<&Arc<FileLocals>> = met.values().collect();
        files.sort_by_cached_key(path);
        let scopes = files.iter().flat_map(|f| f.view(&self.templates)).cloned().collect();
        let named = |unit: &Arc<Unit>| {
            let found = met.get(&unit.file)?;
            Some((unit.file, loader.own_stack_name(&found.loaded.path, found)?))
        };
        estate::Locals { scopes, stacks: units.iter().filter_map(named).collect() }
    }

    fn unit(
        &self,
        path: &str,
        loader: &Manifests<'_>,
        stacks: &Stacks<'_>,
        shared: &Deps,
        scope: Scope<'_>,
        config_touched: bool,
    ) -> Option<Arc<Unit>> {
        let mut deps = Deps::default();
        let file = loader.reader.load(path, &mut deps).ok()??.file;
        let name = discover::key(path, &loader.config.stacks);
        let processed = loader.top(path, &mut deps);
        let touched = match scope {
            Scope::All => true,
            Scope::Touched(changes) => config_touched || changes.iter().any(|c| deps.touched(&c.path, c.kind)),
        };
        let built = match &processed {
            Ok(processed) if touched => stacks.components(&name, file, processed, &mut deps),
            Ok(_) => Ok(Resolved::default()),
            Err(poisoned) => Err(*poisoned),
        };
        let state = match (touched, &built) {
            (false, _) => State::OutOfScope,
            (true, Ok(_)) => State::Resolved,
            (true, Err(_)) => State::Broken,
        };
        let Resolved { components, broken } = built.unwrap_or_default();
        deps.files.extend(&shared.files);
        let files = deps.files.into_iter().collect();
        Some(Arc::new(Unit { name, file, files, components, state, broken }))
    }
}

impl Dialect for Atmos {
    fn name(&self) -> &'static str {
        "atmos"
    }

    fn detect(&self, source: &dyn Source, project: &Project) -> bool {
        !project.config.is_empty()
            || source.listing().iter().any(|e| {
                let name = e.path.rsplit('/').next().unwrap_or_default();
                matches!(name, "atmos.yaml" | "atmos.yml")
            })
            || source.listing().is_dir("stacks")
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Estate {
        let reader = Reader::new(source, files, &self.cache);
        let sink = Sink::default();
        let mut shared = Deps::default();
        let (units, locals) = match search::load(&reader, project, &mut shared) {
            Ok(config) => self.units(&reader, &config, &shared, scope, &sink),
            Err(trouble) => {
                report(trouble, &sink, files);
                Default::default()
            }
        };
        let mut findings = sink.into_findings();
        for finding in &mut findings {
            let reached = units.iter().filter(|u| u.files.binary_search(&finding.primary.file).is_ok());
            if finding.stacks.is_empty() {
                finding.stacks = reached.flat_map(|u| u.components.iter().map(|c| Arc::clone(&c.stack))).collect();
            }
        }
        diagnostic::unite(&mut findings);
        Estate { units, findings, locals, documents: reader.documents() }
    }
}

/// A file to hang a finding on that is about the configuration as a whole.
fn anchor(files: &Files, shared: &Deps) -> FileId {
    shared.files.first().copied().unwrap_or_else(|| files.add("atmos.yaml", "", || Arc::from("")))
}

fn report(trouble: Trouble, sink: &Sink, files: &Files) {
    match trouble {
        Trouble::File(loaded, issues) => {
            for issue in issues {
                let label = Label::new(loaded.file, issue.span.start, issue.span.end, "");
                let rule = if issue.rule == "unknown-function" { issue.rule } else { "invalid-config" };
                sink.push(Diagnostic::new(rule, issue.message, label));
            }
        }
        Trouble::Message(message, main) => {
            let file = main.map_or_else(|| anchor(files, &Deps::default()), |m| m.file);
            sink.push(Diagnostic::new("invalid-config", message, Label::new(file, 0, 0, "")));
        }
    }
}
