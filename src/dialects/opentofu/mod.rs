//! OpenTofu (and Terraform) root modules: what `init` sees of them. Each root module is a stack; its components are the calls
//! of modules at all depths, its backend, the instances of its providers and its encryption.
//!
//! `load` and `json` (the text of files) → `module`, `variable`, `schema` (what a folder declares) → `discover` (which folders
//! are root modules) → `inputs` (what variables are given) → `evaluate` (static evaluation) with `tree`, `backend`, `provider`
//! and `encryption` (where it is asked for) → `root` (the components).

mod address;
mod backend;
mod diag;
mod discover;
mod encryption;
mod eval;
mod evaluate;
mod inputs;
mod json;
mod load;
mod module;
mod provider;
mod reference;
mod root;
mod rules;
mod schema;
mod tree;
mod variable;
mod version;

use super::{Dialect, EvalError, Evaluated, Presence, Project, Scope};
use crate::diagnostic::{self, Diagnostic, Rule};
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::{Resolution, Unit};
use crate::source::Source;
use crate::text::Text;
use crate::threads;
use crate::value::Value;
use discover::{Candidate, Roots};
use load::Cache;
use root::Resolved;
use std::sync::Arc;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub struct OpenTofu {
    cache: Cache,
}

impl OpenTofu {
    /// The dialect, with nothing parsed yet, which takes on so much.
    pub fn with_limits(limits: Limits) -> Self {
        OpenTofu { cache: Cache::new(limits) }
    }

    /// The root modules that are asked for.
    fn roots(&self, source: &dyn Source, project: &Project, files: &Files) -> Roots {
        match project.config.as_slice() {
            [] => discover::roots(source, files, &self.cache, &project.start),
            named => {
                let start = |path: &String| match source.listing().is_dir(path) {
                    true => path.clone(),
                    false => path.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned(),
                };
                let mut all = Roots::default();
                for found in named.iter().map(|path| discover::roots(source, files, &self.cache, &start(path))) {
                    all.candidates.extend(found.candidates);
                    all.hidden = all.hidden.or(found.hidden);
                }
                all
            }
        }
    }
}

impl Dialect for OpenTofu {
    fn name(&self) -> &'static str {
        "opentofu"
    }

    fn known_by(&self) -> &'static str {
        "a folder of .tf or .tofu files with a backend, a provider or values"
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::OWN
    }

    fn claims(&self, source: &dyn Source, config: &str) -> bool {
        let name = config.rsplit('/').next().unwrap_or_default();
        module::configuration(name).is_some()
            || (source.listing().is_dir(config) && discover::has_configuration(source, config))
    }

    fn detect(&self, source: &dyn Source, project: &Project) -> Presence {
        if !discover::has_configuration(source, &project.start) {
            return Presence::Absent;
        }
        // Code of another system's project looks the same: that project is certain, this one is not.
        match discover::roots(source, &Files::default(), &self.cache, &project.start).candidates.is_empty() {
            true => Presence::Absent,
            false => Presence::Likely,
        }
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, _: Scope<'_>) -> Resolution {
        let roots = self.roots(source, project, files);
        let one = |candidate: &Candidate| {
            let work = || root::resolve(candidate, source, files, &self.cache, project);
            threads::guarded(&format!("root module {}", root::stack_name(&candidate.dir)), work).unwrap_or_else(
                |defect| {
                    let file = files.add(&candidate.dir, "", || Text::from(""));
                    Resolved {
                        unit: Arc::new(Unit::broken(root::stack_name(&candidate.dir), file)),
                        scopes: Vec::new(),
                        findings: vec![Diagnostic::defect(&defect, file)],
                        reached: Default::default(),
                    }
                },
            )
        };
        let found: Vec<Resolved> = threads::map(&roots.candidates, one);
        let is_called = |dir: &str, index: usize| {
            found.iter().enumerate().any(|(other, r)| other != index && r.reached.contains(dir))
        };
        let mut resolution = Resolution { gap: roots.gap(), units_are_stacks: true, ..Resolution::default() };
        if let Some((failure, place)) = roots.hidden.as_ref().and_then(|failure| Some((failure, failure.place?))) {
            resolution.findings.push(failure.finding(place, files).breaking());
        }
        for (index, (candidate, resolved)) in roots.candidates.iter().zip(&found).enumerate() {
            // What another root module calls is one only where somebody started in it.
            if candidate.dir != project.start && is_called(&candidate.dir, index) {
                continue;
            }
            resolution.units.push(Arc::clone(&resolved.unit));
            resolution.config.push(resolved.unit.file);
            resolution.findings.extend(resolved.findings.iter().cloned());
            resolution.locals.scopes.extend(resolved.scopes.iter().cloned());
            resolution.locals.stacks.insert(resolved.unit.file, resolved.unit.name.clone());
        }
        resolution
            .locals
            .scopes
            .sort_by(|a, b| (&*files.get(a.file).path, &a.level).cmp(&(&*files.get(b.file).path, &b.level)));
        diagnostic::unite(&mut resolution.findings);
        resolution
    }

    fn eval(&self, template: &Value, context: &Value, partial: bool) -> Result<Evaluated, EvalError> {
        eval::eval(template, context, partial)
    }
}
