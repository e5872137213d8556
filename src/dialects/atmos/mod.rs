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

use crate::affected::{Affected, Request};
use crate::diagnostic::Rule;
use crate::text::Text;
use crate::value::Vocabulary;
pub use merge::ListStrategy;

use super::{Below, Dialect, EvalError, EvalMode, Evaluated, Presence, Project, Scope, Variables};
use crate::diagnostic::{self, Diagnostic, Label};
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::{self, Component, Extent, Gap, Resolution, State, Unit};
use crate::source::Source;
use crate::template::MissingKey;
use crate::threads;
use crate::value::{FileId, Value};
use checks::locals as locals_rules;
use checks::stack_names::{self, Done};
use checks::{
    component_validation::Validations, dependency_paths, disabled_templates, unreached_manifests, vendor, workflows,
};
use component::bases::InheritanceCache;
use component::inheritance;
use config::Config;
use config::projects;
use config::search::{self, Trouble};
use findings::{Sink, label, name_stacks};
use functions::calls;
use imports::reach::Reach;
use imports::{likely_stacks, stack_files};
use locals::scopes::{FileLocals, LocalCache};
use manifest::import_graph;
use manifest::{Manifests, Processed};
use reader::{Cache, Deps, Reader};
use resolve::sharing::Twins;
use schema::Schema;
use schema::manifest_checks::Checks;
use shapes::export::to_json_schema;
use stack::components::{Name, Resolved, Stacks};
use stack::errors::{anchor, report};
use stack::evaluation::World;
use stack::referenced::Targets;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use templates::engine::Templates;
use templates::{eval, host};

/// What the manifests of a revision come to.
#[derive(Default)]
struct ProjectResolution {
    units: Vec<Arc<Unit>>,
    locals: resolution::Locals,
    imports: resolution::Imports,
    mentions: Vec<resolution::Mention>,
    fetched: Vec<resolution::FetchedFolder>,
    gap: Option<Gap>,
}

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub struct Atmos {
    cache: Cache,
    templates: Templates,
    locals: LocalCache,
    /// InheritanceCache of bases, by the configuration that they were made with.
    sums: Mutex<Vec<(Value, Arc<InheritanceCache>)>>,
    /// What was resolved last.
    twins: Twins,
    /// What that was made of. To take it apart takes a while, which the end of the process saves.
    leftovers: Mutex<Vec<Arc<Processed>>>,
}

impl Atmos {
    /// The dialect, with nothing parsed yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The dialect, with nothing parsed yet, which takes on so much.
    pub fn with_limits(limits: Limits) -> Self {
        Atmos { cache: Cache::new(limits), templates: Templates::new(limits), ..Self::default() }
    }

    /// What stack manifests must look like, as a JSON Schema (draft 2020-12).
    pub fn manifest_schema() -> serde_json::Value {
        to_json_schema("Atmos stack manifest", schema::MANIFEST)
    }

    /// What `atmos.yaml` may hold, as a JSON Schema (draft 2020-12). Other keys are allowed, because Atmos passes over them.
    pub fn configuration_schema() -> serde_json::Value {
        to_json_schema("Atmos configuration", Config::SHAPE)
    }

    fn sums(&self, config: &Config) -> Arc<InheritanceCache> {
        let mut all = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sums)) = all.iter().find(|(known, _)| *known == config.all) {
            return Arc::clone(sums);
        }
        let sums = Arc::new(InheritanceCache::default());
        all.push((config.all.clone(), Arc::clone(&sums)));
        sums
    }

    fn units(
        &self,
        reader: &Reader<'_>,
        config: &Config,
        shared: &mut Deps,
        scope: Scope<'_>,
        sink: &Sink,
        world: World<'_>,
    ) -> ProjectResolution {
        let strategy = match &config.strategy {
            Ok(strategy) => *strategy,
            Err(name) => {
                let site =
                    config.all.at_path(["settings", "list_merge_strategy"]).map(|v| v.prov.clone()).unwrap_or_default();
                let file = anchor(reader.files, shared);
                let message = format!("`{name}` is no list merge strategy: use `replace`, `append` or `merge`");
                let gap = Gap { extent: Extent::Everything, reason: message.clone(), file: Some(file) };
                sink.error(&rules::INVALID_CONFIG, message, &site, file);
                return ProjectResolution { gap: Some(gap), ..Default::default() };
            }
        };
        let file = anchor(reader.files, shared);
        let schema = Schema::of(config, reader, shared, file, sink);
        let shared = &*shared;
        let mut found = shared.clone();
        let (manifests, mut gap) = stack_files::manifests(reader, config, sink, &mut found);
        if manifests.is_empty() || !stack_files::has_plain_manifest(reader, config) {
            let file = anchor(reader.files, shared);
            let wanted = config.included.join("`, `");
            let message = format!("no stack manifests found below {} for `{wanted}`", config.stacks);
            let site = config.all.at_path(["stacks", "included_paths"]).map(|v| v.prov.clone()).unwrap_or_default();
            gap = Some(Gap { extent: Extent::Units, reason: message.clone(), file: Some(file) });
            let mut finding = Diagnostic::new(&rules::INVALID_CONFIG, message, label(&site, file, ""));
            for path in &manifests {
                let Ok(Some(template)) = reader.load(path, &mut found) else { continue };
                finding = finding.related(Label::new(template.file, 0, 0, "only a template"));
            }
            if !manifests.is_empty() {
                finding =
                    finding.help("Atmos takes a folder for empty that holds nothing but templates: add a manifest");
            }
            sink.push(finding);
        }
        let config_touched = match scope {
            Scope::All | Scope::Units(_) => true,
            Scope::Touched(changes) => changes.iter().any(|c| shared.touched(&c.path, c.kind)),
        };
        let changes = match scope {
            Scope::Touched(changes) if !config_touched => Some(changes),
            _ => None,
        };
        let checks = Checks::new(schema, reader.files, changes);
        let loader = Manifests::new(reader, config, strategy, &self.templates, sink, Some(&checks), &self.locals);
        let loader = loader.with_env(world.env);
        let (met, vendored, sums) = (&loader.met, OnceLock::new(), self.sums(config));
        let templates = &self.templates;
        let targets = Targets::new(&loader, &manifests);
        let (targets, chain, describes) = (&targets, &[][..], false);
        let stacks = Stacks {
            reader,
            config,
            strategy,
            templates,
            sink,
            met,
            vendored,
            world,
            sums,
            targets,
            chain,
            describes,
            cycle: OnceLock::new(),
            depth: Default::default(),
        };
        let validations = Validations::new(reader, config, sink);
        let reach = changes.map(|changes| Reach::new(reader, config, changes, Some(&checks)));
        let looked_at = changes.map_or(Scope::All, Scope::Touched);
        let one = |path: &String| {
            let unit = || match reach.as_ref().and_then(|reach| reach.untouched(path)) {
                Some(files) => named_only(path, reader, config, files, shared),
                None => self.unit(path, &loader, &stacks, &validations, shared, looked_at),
            };
            threads::guarded(&format!("stack {path}"), unit).unwrap_or_else(|defect| {
                let file = reader.load(path, &mut Deps::default()).ok()??.file;
                sink.push(Diagnostic::defect(&defect, file));
                Some(Done::broken(paths::manifest_key(path, &config.stacks), file))
            })
        };
        if changes.is_none() {
            unreached_manifests::preload(reader, config);
        }
        let done: Vec<Done> = threads::map(&manifests, one).into_iter().flatten().collect();
        let unreached = unreached_manifests::manifests(&loader, &checks, &manifests, scope, sink);
        stack_names::check(&stacks, &done, anchor(reader.files, shared));
        let gap = gap.or_else(|| stack_names::doubtful_names(config, &done, anchor(reader.files, shared)));
        let (units, tops): (Vec<_>, Vec<_>) = done.into_iter().map(|d| (d.unit, d.processed)).unzip();
        let inherited = || {
            inheritance::check(&units, sink);
            disabled_templates::check(&units, config, &self.templates, sink);
        };
        threads::join(inherited, || locals_rules::report_locals(&loader, unreached.told));
        let locals = self.local_scopes(&loader, &units);
        let imports = import_graph::of(&loader, &unreached.manifests, &units);
        self.leftovers().extend(tops.into_iter().flatten().chain(loader.into_processed()));
        let mentions = workflows::mentions(reader, config, scope, sink);
        let fetched = vendor::check(reader, config, &self.templates, sink);
        ProjectResolution { units, locals, imports, mentions, fetched, gap }
    }

    /// Resolves a revision under a configuration, which need not be its own; `shared` is what that was read from.
    fn resolve_with(
        &self,
        reader: &Reader<'_>,
        config: Result<Config, Trouble>,
        project: &Project,
        files: &Files,
        shared: &mut Deps,
        scope: Scope<'_>,
    ) -> Resolution {
        self.leftovers().clear();
        let sink = Sink::default();
        let given = project.given.iter().flat_map(|given| &given.env);
        let env = given.map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect();
        let configuration: Vec<FileId> = shared.files.iter().copied().collect();
        let ProjectResolution { units, locals, imports, mentions, fetched, gap } = match config {
            Ok(config) => {
                let world = World {
                    given: project.given.as_ref(),
                    env: &env,
                    root: &project.root,
                    language: calls::language(project.promised_merge),
                    assumes_env: false,
                };
                let anchor = anchor(files, shared);
                config::check(&config.all, files, anchor).into_iter().for_each(|finding| sink.report(finding));
                self.units(reader, &config, shared, scope, &sink, world)
            }
            Err(trouble) => ProjectResolution { gap: Some(report(trouble, &sink, files)), ..Default::default() },
        };
        self.twins.keep(&units);
        let mut findings = sink.into_findings();
        diagnostic::unite(&mut findings);
        name_stacks(&mut findings, &units);
        let mut assumptions = Vec::new();
        if configuration.is_empty() && gap.as_ref().is_none_or(|gap| gap.extent != Extent::Everything) {
            let mut words = "no atmos.yaml is found, so the defaults of Atmos are assumed".to_owned();
            let candidates = projects::candidates(reader.source);
            if !candidates.is_empty() {
                words.push_str(&format!("; --config names one that lies elsewhere: {}", candidates.join(", ")));
            }
            assumptions.push(words);
        }
        let documents = reader.documents();
        Resolution {
            units,
            findings,
            locals,
            imports,
            mentions,
            fetched,
            documents,
            config: configuration,
            assumptions,
            gap,
            ..Resolution::default()
        }
    }

    fn leftovers(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Processed>>> {
        self.leftovers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn local_scopes(&self, loader: &Manifests<'_>, units: &[Arc<Unit>]) -> resolution::Locals {
        let met = loader.met.records().locals;
        let path = |f: &&Arc<FileLocals>| Text::clone(&f.loaded.path);
        let mut files: Vec<&Arc<FileLocals>> = met.values().collect();
        files.sort_by_cached_key(path);
        let scopes = files.iter().flat_map(|f| f.view(&self.templates)).cloned().collect();
        let named = |unit: &Arc<Unit>| {
            let found = met.get(&unit.file)?;
            Some((
                unit.file,
                found.own_stack_name(&found.loaded.path, loader.config, &loader.engine(MissingKey::Error))?,
            ))
        };
        resolution::Locals { scopes, stacks: units.iter().filter_map(named).collect() }
    }

    fn unit(
        &self,
        path: &str,
        loader: &Manifests<'_>,
        stacks: &Stacks<'_>,
        validations: &Validations<'_>,
        shared: &Deps,
        scope: Scope<'_>,
    ) -> Option<Done> {
        let mut deps = Deps::default();
        let name = paths::manifest_key(path, &loader.config.stacks);
        let file = match loader.reader.load(path, &mut deps) {
            Ok(loaded) => loaded?.file,
            // Why has been said where it was found.
            Err(_) => return Some(Done::broken(name, loader.reader.files.add(path, "", || Text::from("")))),
        };
        let processed = loader.top(path, &mut deps).map(|p| p.with(self.twins.manifest(&name, &p.merged)));
        if let (Scope::Touched(changes), Ok(processed)) = (scope, &processed) {
            validations.foresee(&processed.merged, changes, &mut deps);
        }
        let asks = host::foresee(&loader.mentions, &loader.lock_file, loader.reader.files, &mut deps);
        let touched = match scope {
            Scope::All | Scope::Units(_) => true,
            // What it asks for may change wherever it is defined.
            Scope::Touched(changes) => asks || changes.iter().any(|c| deps.touched(&c.path, c.kind)),
        };
        let built = match &processed {
            Ok(processed) if touched => stacks
                .components(&name, file, processed, &mut deps)
                .map(|resolved| stacks.within_limits(resolved, file)),
            Ok(_) => Ok(Resolved::default()),
            Err(poisoned) => Err(*poisoned),
        };
        let state = match (touched, &built) {
            (false, _) => State::OutOfScope,
            (true, Ok(_)) => State::Resolved,
            (true, Err(_)) => State::Broken,
        };
        let Resolved { mut components, broken, unlisted, named } = built.unwrap_or_default();
        for component in &components {
            validations.check(component, &mut deps);
            dependency_paths::check(component, loader.reader, loader.config, &mut deps, loader.sink);
        }
        self.twins.share(&name, &mut components);
        deps.files.extend(&shared.files);
        let files = deps.files.into_iter().collect();
        // Where the name of a stack cannot be computed, its components go by the name of the manifest.
        let is_unnamed = named.iter().any(|n| matches!(n.stack, Name::Lacks(_)));
        let failed = is_unnamed.then(|| Text::clone(&name)).into_iter().collect();
        let unit = Arc::new(Unit { name, file, files, components, state, broken, failed, unlisted });
        Some(Done { unit, processed: processed.ok(), named })
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
        let reader = Reader::new(source, files, &self.cache);
        let mut shared = Deps::default();
        let config = search::load(&reader, project, &mut shared);
        self.resolve_with(&reader, config, project, files, &mut shared, scope)
    }

    fn likely_units(&self, source: &dyn Source, project: &Project, files: &Files, stack: &str) -> Vec<String> {
        let reader = Reader::new(source, files, &self.cache);
        let config = search::load(&reader, project, &mut Deps::default());
        config.map_or_else(|_| Vec::new(), |config| likely_stacks::manifests(&reader, &config, stack))
    }

    fn affected(&self, request: &Request<'_>, project: &Project) -> Option<Affected> {
        Some(self.list_affected(request, project))
    }

    fn eval(&self, template: &Value, context: &Value, mode: EvalMode) -> Result<Evaluated, EvalError> {
        eval::eval(&self.templates, template, context, mode.partial)
    }

    fn context(&self, component: &Component) -> Option<Value> {
        Some(component.value.clone())
    }
}

/// A unit that no change reaches.
fn named_only(
    path: &str,
    reader: &Reader<'_>,
    config: &Config,
    mut files: BTreeSet<FileId>,
    shared: &Deps,
) -> Option<Done> {
    let file = reader.load(path, &mut Deps::default()).ok()??.file;
    files.extend(&shared.files);
    let (name, files) = (paths::manifest_key(path, &config.stacks), files.into_iter().collect());
    let (state, components, broken, unlisted) = (State::OutOfScope, Vec::new(), Vec::new(), Vec::new());
    let unit = Arc::new(Unit { name, file, files, components, state, broken, failed: Vec::new(), unlisted });
    Some(Done { unit, processed: None, named: Vec::new() })
}
