//! OpenTofu (and Terraform) root modules, as `init` sees them. Each root module is a stack; its components are the
//! module calls at all depths, its backend, the instances of its providers and its encryption.
//!
//! Each folder imports only those above it:
//!
//! - `discovery`: which folders are root modules, and with which values each of them is resolved.
//! - `checks`: valid configuration that is probably a mistake.
//! - `components`: the resolution of a root module.
//! - `affected`: which root modules a change reaches.

mod affected;
mod authoring;
mod checks;
mod components;
mod discovery;
mod locked;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod random;
mod rules;

use super::{Dialect, EvalError, EvalMode, Evaluated, Presence, Project, ProjectInputs, Reach, Scope, State, hcl_eval};
use crate::affected::{Affected, Request};
use crate::code::Runs;
use crate::diagnostic::{self, Diagnostics, Rule};
use crate::files::Files;
use crate::limits::{Limits, Piece, count_steps, take};
use crate::paths;
use crate::reads::{Answers, Table};
use crate::resolution::authoring::Authoring;
use crate::resolution::{Address, Component, Resolution, Unit};
use crate::source::Source;
use crate::terraform::components::DECLARATIONS;
use crate::terraform::load::names;
use crate::terraform::module::modules::{Cache, Modules};
use crate::text::Text;
use crate::threads;
use crate::value::{Value, Vocabulary};
use affected::touched::Touched;
use components::Resolved;
use discovery::detected::Detected;
use discovery::variants::{self, Variant};
use discovery::{Candidate, Roots};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub(crate) struct OpenTofu {
    cache: Cache,
    detected: Detected,
    /// Root modules by their stack.
    roots: Table<Text, ResolvedRoot>,
}

/// A root module that was resolved, and what was given to it.
struct ResolvedRoot {
    resolved: Resolved,
    inputs: ProjectInputs,
}

impl OpenTofu {
    /// The dialect, with empty caches and these limits.
    pub(crate) fn with_limits(limits: Limits) -> Self {
        OpenTofu { cache: Cache::new(limits), ..OpenTofu::default() }
    }

    fn modules<'a>(&'a self, source: &'a dyn Source, files: &'a Files, project: &Project) -> Modules<'a> {
        Modules::new(source, files, &self.cache, project.runner())
    }

    /// Returns the selected root modules.
    fn roots(&self, modules: &Modules<'_>, project: &Project) -> Roots {
        match project.config.as_slice() {
            [] => discovery::roots(modules, project),
            named => {
                let start = |path: &String| match modules.loader.reader.source().listing().is_dir(path) {
                    true => path.clone(),
                    false => paths::parent(path).to_owned(),
                };
                let at = |start| Project { start, ..Project::default() };
                let mut all = Roots::default();
                for found in named.iter().map(|path| discovery::roots(modules, &at(start(path)))) {
                    all.candidates.extend(found.candidates);
                    all.hidden.extend(found.hidden);
                }
                all
            }
        }
    }

    /// Resolves one root module in one way, or only names it where no change reaches it.
    fn root(
        &self,
        (candidate, variant): &(Candidate, Variant),
        (modules, answers): (&Modules<'_>, &Answers<'_>),
        touched: &Touched<'_>,
    ) -> Arc<ResolvedRoot> {
        let root = |resolved| Arc::new(ResolvedRoot { resolved, inputs: variant.inputs.clone() });
        let reach = touched.reach(candidate, variant.given());
        if reach != Reach::Reached {
            return root(components::untouched(candidate, variant, modules, reach == Reach::Open));
        }
        let known = self.roots.get(&variant.stack, answers).filter(|known| known.inputs == variant.inputs);
        if let Some(known) = known {
            return known;
        }
        // What it reads is recorded apart from that of other root modules.
        let own = modules.fork();
        let file = || modules.loader.reader.files.add(&candidate.dir, "", || Text::from(""));
        let (work, diagnostics) = (|| components::resolve(candidate, variant, &own), Diagnostics::default());
        let resolve = || {
            let resolved = diagnostics.guard(&format!("root module {}", variant.stack), file, work);
            take(resolved.as_ref().map_or(0, |resolved| resolved.unit.components.len()), Piece::Component);
            resolved
        };
        let resolved = count_steps(|| variant.stack.to_string(), resolve);
        let resolved = root(resolved.unwrap_or_else(|| Resolved {
            unit: Arc::new(Unit::broken(variant.stack.clone(), file())),
            scopes: Vec::new(),
            findings: diagnostics.into_findings(),
            reached: Default::default(),
        }));
        self.roots.insert(variant.stack.clone(), Arc::new(own.loader.reader.take()), Arc::clone(&resolved));
        resolved
    }
}

impl Dialect for OpenTofu {
    fn name(&self) -> &'static str {
        "opentofu"
    }

    fn authoring(&self) -> Option<&'static dyn Authoring> {
        Some(&authoring::OpenTofu)
    }

    fn known_by(&self) -> &'static str {
        "a folder of .tf or .tofu files with a backend, a provider or values"
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::OWN
    }

    fn vocabulary(&self) -> &'static Vocabulary {
        &DECLARATIONS
    }

    fn claims(&self, source: &dyn Source, config: &str) -> bool {
        names::configuration(paths::name(config)).is_some()
            || (source.listing().is_dir(config) && discovery::has_configuration(source, config))
    }

    fn find(&self, source: &dyn Source, project: &Project) -> Option<(Presence, String)> {
        let content = discovery::content(source, project)?;
        let is_project = self.detected.has_roots(content, || {
            let files = self.detected.files();
            discovery::has_roots(&self.modules(source, &files, project), project)
        });
        is_project.then(|| (Presence::Certain, project.start.clone()))
    }

    fn candidates(&self, source: &dyn Source, project: &Project) -> Vec<(Presence, String)> {
        let files = self.detected.files();
        discovery::candidates(&self.modules(source, &files, project), project)
    }

    fn forget(&self, source: &dyn Source) {
        self.roots.retain(&Answers::new(source));
        self.cache.forget();
        self.detected.forget();
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution {
        let modules = self.modules(source, files, project);
        let roots = self.roots(&modules, project);
        let variants: Vec<(Candidate, Variant)> = roots
            .candidates
            .iter()
            .flat_map(|candidate| {
                variants::of(&modules.loader, &candidate.dir, project).into_iter().map(|v| (candidate.clone(), v))
            })
            .collect();
        let (touched, answers) = (Touched::new(&modules, scope), Answers::new(source));
        let found = threads::map(&variants, |variant| self.root(variant, (&modules, &answers), &touched));
        let found: Vec<&Resolved> = found.iter().map(|root| &root.resolved).collect();
        let mut called: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for ((candidate, _), resolved) in variants.iter().zip(&found) {
            for dir in &resolved.reached {
                called.entry(dir).or_default().insert(&candidate.dir);
            }
        }
        let is_called = |dir: &str| called.get(dir).is_some_and(|by| by.iter().any(|other| *other != dir));
        let mut resolution = Resolution { gap: roots.gap(), units_are_stacks: true, ..Resolution::default() };
        if let Some((failure, place)) = roots.hidden.first().and_then(|(_, failure)| Some((failure, failure.place?))) {
            resolution.findings.push(failure.finding(place, files).breaking());
        }
        for ((candidate, variant), resolved) in variants.iter().zip(&found) {
            // A module that another root module calls is one itself only if it has a backend, stacklint was started in it, or the
            // settings say so.
            let (dir, has_backend) = (&candidate.dir, candidate.outline.has_backend);
            if *dir != project.start && !has_backend && is_called(dir) && !discovery::is_named(dir, &project.roots) {
                continue;
            }
            resolution.units.push(Arc::clone(&resolved.unit));
            resolution.config.push(resolved.unit.file);
            resolution.findings.extend(resolved.findings.iter().cloned());
            resolution.locals.scopes.extend(resolved.scopes.iter().cloned());
            if !variant.is_named {
                resolution.locals.stacks.insert(resolved.unit.file, resolved.unit.name.clone());
            }
        }
        resolution
            .locals
            .scopes
            .sort_by_cached_key(|s| (files.get(s.file).path.clone(), s.stack.clone(), s.level.clone()));
        diagnostic::unite(&mut resolution.findings);
        resolution
    }

    fn runs(&self, _resolution: &Resolution, state: State<'_>, project: &Project) -> Runs {
        let modules = self.modules(state.source, state.files, project);
        affected::runs(&modules, &self.roots(&modules, project), project)
    }

    fn run_folder(&self, _component: &Component, _unit: &Unit) -> Option<Text> {
        None
    }

    fn order(&self, resolution: &Resolution) -> Vec<(Address, Address)> {
        affected::order::of(resolution)
    }

    fn affected(&self, request: &Request<'_>, _project: &Project) -> Option<Affected> {
        Some(self.list_affected(request))
    }

    fn eval(&self, template: &Value, context: &Value, mode: EvalMode) -> Result<Evaluated, EvalError> {
        hcl_eval::eval(template, context, mode.partial)
    }
}
