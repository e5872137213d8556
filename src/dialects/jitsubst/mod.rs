//! jitsubst: the `infra.yaml` of GoCodeAlone/workflow. The stages in the order in which `wfctl` runs them:
//!
//! `config` and `imports` (the content of files) → `overlay` (each module in each environment) → `expand` and
//! `defer` (variables when the plan is made; deferred references) → `order` (the whole plan) → the resolution. An
//! environment is a stack, a resource a component. `reference` and `substitute` are the substitution itself, which
//! `eval` runs with all values known; `checks` are the rules.

mod authoring;
mod checks;
mod config;
mod context;
mod defer;
mod expand;
mod imports;
mod order;
mod overlay;
mod reference;
mod rules;
mod substitute;
#[cfg(test)]
mod tests;
mod vocabulary;

use super::yaml_file::{YamlCache, YamlLoader};
use super::{Below, Dialect, EvalError, EvalMode, Evaluated, Presence, Project, Scope, configurations_below, texts};
use crate::diagnostic::rules::LIMIT_EXCEEDED;
use crate::diagnostic::{Diagnostic, Diagnostics, Label, Rule};
use crate::files::Files;
use crate::graph::Graph;
use crate::limits::Limits;
use crate::paths;
use crate::reads::{Answers, Reads, Table};
use crate::resolution::authoring::Authoring;
use crate::resolution::{Component, ComponentMetadata, RemovalEffect, Resolution, State, Unit};
use crate::source::Source;
use crate::text::Text;
use crate::threads;
use crate::value::{FileId, Prov, Value};
use checks::Subject;
use config::Config;
use defer::Planned;
use imports::Imported;
use overlay::{Placement, Resource};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use substitute::Mode;

/// The names that a configuration has in its folder, the first one first.
const NAMES: [&str; 2] = ["infra.yaml", "config/infra.yaml"];
/// The name of the only stack of a project without environments.
const NO_ENVIRONMENT: &str = "default";
/// The type and the name of the component that shows the plan of an environment as a whole.
const PLAN: &str = "plan";

/// The most resources of all environments together, and values and references in them.
const MOST_RESOURCES: usize = 50_000;
const MOST_VALUES: usize = 1_000_000;
/// How many environments are resolved before those are counted.
const TOGETHER: usize = 8;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub(crate) struct Jitsubst {
    cache: YamlCache,
    /// Units with their findings, by the path of the configuration.
    units: Table<Text, (Arc<Unit>, Diagnostics)>,
}

/// An environment, resolved.
pub(crate) struct Stack {
    name: Text,
    /// Its resources in the order of their declaration, the first of each name.
    resources: Vec<Planned>,
    /// Where they are in that list, by name.
    index: BTreeMap<Text, usize>,
    /// Resources whose name another one has already.
    duplicates: Vec<Resource>,
    /// Excluded modules, with the null that excludes them.
    skipped: Vec<(Text, Prov)>,
    /// What is no resource and steers those, by type and name: providers, states, accounts, secrets.
    settings: BTreeMap<(Text, Text), Value>,
    /// The name of the one among them that says where states are.
    state: Option<Text>,
    /// Who depends on whom.
    depends: Graph<String, checks::Edge>,
    /// The same with references.
    needs: Graph<String, checks::Edge>,
}

impl Stack {
    fn new(config: &Config, files: &Files, name: &Text, environment: Option<&str>) -> Self {
        let (mut resources, mut duplicates, mut skipped) = (Vec::<Planned>::new(), Vec::new(), Vec::new());
        let mut index: BTreeMap<Text, usize> = BTreeMap::new();
        for module in config.modules.iter().filter(|m| m.is_resource()) {
            match overlay::place(config, module, environment) {
                Placement::Skipped(site) => skipped.push((Text::clone(&module.name), site)),
                Placement::Present(r) if index.contains_key(&r.name) => duplicates.push(r),
                Placement::Present(r) => {
                    index.insert(Text::clone(&r.name), resources.len());
                    resources.push(defer::plan(config, r));
                }
            }
        }
        let depends = checks::depends(&resources);
        let needs = checks::needs(&resources, &depends, files);
        let (settings, state) = (config.settings(environment), config.state(environment).cloned());
        Stack { name: Text::clone(name), resources, index, duplicates, skipped, settings, state, depends, needs }
    }

    /// How many values there are in what is no resource, where the environment has other ones than the rest.
    fn own_values(&self, config: &Config) -> usize {
        let own = config.modules.iter().filter(|module| module.environment(&self.name).is_some());
        let own = own.filter_map(|module| self.settings.get(&(Text::clone(&module.kind), Text::clone(&module.name))));
        own.map(|value| value.count(MOST_VALUES).unwrap_or(MOST_VALUES)).sum()
    }

    fn resource(&self, name: &str) -> Option<&Planned> {
        self.resources.get(*self.index.get(name)?)
    }

    fn components(&self) -> Vec<Arc<Component>> {
        let of = |planned: &Planned| {
            let Resource { name, kind, module, .. } = &planned.resource;
            Component {
                shaping_origins: planned.resource.shaping_origins.clone().into(),
                declared: (name != module).then(|| Text::clone(module)),
                removal: RemovalEffect::Destroyed,
                metadata: ComponentMetadata {
                    needed: checks::needed(self, name).into(),
                    protection: planned.resource.config.get("protected").cloned().unwrap_or_default(),
                    ..ComponentMetadata::default()
                },
                language: vocabulary::language(kind),
                ..Component::new((Text::clone(&self.name), Text::clone(kind), Text::clone(name)), planned.value())
            }
        };
        let mut all: Vec<Arc<Component>> = self.resources.iter().map(|p| Arc::new(of(p))).collect();
        if !self.resources.is_empty() {
            let depends_on = self.resources.iter().filter_map(|p| p.resource.config.get("depends_on"));
            all.push(Arc::new(Component {
                shaping_origins: depends_on.filter_map(|v| v.prov.origin).collect(),
                removal: RemovalEffect::Nothing,
                ..Component::new((Text::clone(&self.name), PLAN.into(), PLAN.into()), order::plan(&self.resources))
            }));
        }
        all.extend(self.settings.iter().map(|((kind, name), value)| {
            let address = (Text::clone(&self.name), Text::clone(kind), Text::clone(name));
            let is_state = **kind == *vocabulary::STATE && self.state.as_ref() == Some(name);
            let state = is_state.then(|| vocabulary::state(value));
            Arc::new(Component {
                removal: if is_state { RemovalEffect::Relocated } else { RemovalEffect::Nothing },
                metadata: ComponentMetadata { state, ..ComponentMetadata::default() },
                language: vocabulary::language(kind),
                ..Component::new(address, value.clone())
            })
        }));
        all.sort_by_key(|c| c.address());
        all
    }
}

impl Jitsubst {
    /// The dialect, with empty caches.
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The dialect, with empty caches and these limits.
    pub(crate) fn with_limits(limits: Limits) -> Self {
        Jitsubst { cache: YamlCache::new(limits), ..Jitsubst::default() }
    }

    /// The unit of one configuration and what is wrong in it.
    fn unit(
        &self,
        loader: &YamlLoader<'_>,
        path: &str,
        project: &Project,
        scope: Scope<'_>,
        diagnostics: &Diagnostics,
    ) -> Arc<Unit> {
        let Imported { config, files } = imports::load(loader, path, diagnostics);
        let touched = is_reached(scope, |path| loader.reader.is_concerned_by(path));
        let file = files.first().map_or_else(|| loader.reader.files.add(path, "", || Text::from("")), |l| l.file);
        let ids: BTreeSet<_> = files.iter().map(|l| l.file).collect();
        let mut unit = Unit { files: ids.into_iter().collect(), ..Unit::broken(path.into(), file) };
        if let Some(config) = config.filter(|_| !diagnostics.is_broken()) {
            unit.state = if touched { State::Resolved } else { State::OutOfScope };
            if touched {
                let (stacks, failed) = stacks(&config, path, loader.reader.files, (diagnostics, file));
                unit.failed = failed;
                let is_whole = unit.failed.is_empty();
                unit.components = stacks.iter().flat_map(Stack::components).collect();
                unit.components.sort_by_key(|c| c.address());
                let (loaded, files) = (&files, loader.reader.files);
                let variables = project.variables.as_ref();
                let modules = config.modules.iter().map(|m| &*m.name).collect();
                let subject = Subject { config: &config, modules, stacks: &stacks, is_whole, loaded, files, variables };
                checks::run(&subject, diagnostics);
            }
        }
        Arc::new(unit)
    }
}

/// Returns all environments of a configuration; if there are none, a single one without a name. Then those that failed:
/// an internal error affects only one environment, and is reported in `file`. So are more environments than are resolved.
fn stacks(
    config: &Config,
    path: &str,
    files: &Files,
    (diagnostics, file): (&Diagnostics, FileId),
) -> (Vec<Stack>, Vec<Text>) {
    let mut names: Vec<Text> = config.environment_names().into_iter().collect();
    let is_named = !names.is_empty();
    if !is_named {
        names.push(NO_ENVIRONMENT.into());
    }
    let one = |name: &Text| {
        let stack = || Stack::new(config, files, name, is_named.then_some(&**name));
        diagnostics.guard(&format!("environment {name} of {path}"), || file, stack).ok_or_else(|| Text::clone(name))
    };
    let (mut stacks, mut failed) = (Vec::<Stack>::new(), Vec::new());
    let (mut resources, mut values) = (0, 0);
    let mut left = &names[..];
    while resources <= MOST_RESOURCES && values <= MOST_VALUES && !left.is_empty() {
        let (some, rest) = left.split_at(left.len().min(TOGETHER));
        for done in threads::map(some, one) {
            match done {
                Ok(stack) => {
                    resources += stack.resources.len();
                    values += stack.resources.iter().map(|planned| planned.size).sum::<usize>();
                    values += stack.own_values(config);
                    stacks.push(stack);
                }
                Err(name) => failed.push(name),
            }
        }
        left = rest;
    }
    if let Some(first) = left.first() {
        let message = format!(
            "the environments have more than {MOST_RESOURCES} resources, or {MOST_VALUES} values and references, together: those \
             from `{first}` on are not resolved"
        );
        diagnostics.push(Diagnostic::new(&LIMIT_EXCEEDED, message, Label::new(file, 0, 0, "")));
        failed.extend_from_slice(left);
    }
    (stacks, failed)
}

/// Whether a scope is about what reads the paths for which `reads` returns `true`.
fn is_reached(scope: Scope<'_>, reads: impl Fn(&str) -> bool) -> bool {
    match scope {
        Scope::All | Scope::Stacks(_) => true,
        Scope::Touched(changes) => changes.iter().any(|change| reads(&change.path)),
    }
}

impl Dialect for Jitsubst {
    fn name(&self) -> &'static str {
        "jitsubst"
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::OWN
    }

    fn authoring(&self) -> Option<&'static dyn Authoring> {
        Some(&authoring::Jitsubst)
    }

    fn known_by(&self) -> &'static str {
        "an infra.yaml with `modules`"
    }

    fn claims(&self, source: &dyn Source, config: &str) -> bool {
        is_configuration(source, config)
    }

    fn find(&self, source: &dyn Source, project: &Project) -> Option<(Presence, String)> {
        Some((Presence::Certain, folder_of(&find(source, &project.start)?).to_owned()))
    }

    fn below(&self, source: &dyn Source, project: &Project) -> Below {
        let named = configurations_below(source, &project.start, |name| name == NAMES[0]);
        let projects = named.filter(|path| is_configuration(source, path)).map(|path| folder_of(path).to_owned());
        Below { projects: projects.collect(), ..Below::default() }
    }

    fn forget(&self, source: &dyn Source) {
        self.units.retain(&Answers::new(source));
        self.cache.forget();
    }

    fn hidden_part(&self) -> Option<fn(&Value) -> Option<Value>> {
        Some(config::hidden)
    }

    fn run_folder(&self, component: &Component, _unit: &Unit) -> Option<Text> {
        config::is_resource(&component.kind).then(Text::default)
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution {
        let answers = Answers::new(source);
        let paths = match project.config.is_empty() {
            true => find(source, &project.start).into_iter().collect(),
            false => project.config.clone(),
        };
        let (mut resolution, found) = (Resolution::default(), Diagnostics::default());
        for path in &paths {
            let key = Text::from(path.as_str());
            // A configuration that no change reaches is only named, known or not.
            let is_wanted = |reads: &Reads| is_reached(scope, |path| reads.concern(path));
            let known = self.units.get_if(&key, &answers, is_wanted);
            let resolved = known.unwrap_or_else(|| {
                let (loader, own) = (YamlLoader::new(source, files, &self.cache), Diagnostics::default());
                let file = || files.add(path, "", || Text::from(""));
                let unit =
                    own.guard(&format!("project {path}"), file, || self.unit(&loader, path, project, scope, &own));
                let unit = unit.unwrap_or_else(|| Arc::new(Unit::broken(Text::clone(&key), file())));
                let is_whole = unit.state != State::OutOfScope;
                let resolved = Arc::new((unit, own));
                if is_whole {
                    self.units.insert(key, Arc::new(loader.reader.take()), Arc::clone(&resolved));
                }
                resolved
            });
            let (unit, own) = &*resolved;
            found.add(own);
            resolution.config.push(unit.file);
            resolution.units.push(Arc::clone(unit));
        }
        found.unite();
        resolution.findings = found.into_findings();
        resolution
    }

    fn eval(&self, template: &Value, context: &Value, mode: EvalMode) -> Result<Evaluated, EvalError> {
        let mode = if mode.partial { Mode::Lenient } else { Mode::Strict };
        let sources = context::read(context, mode).map_err(EvalError::new)?;
        let resolved = substitute::resolve(template, &sources, mode).map_err(|message| located(template, message))?;
        let (unresolved, reasons) =
            resolved.unresolved.into_iter().map(|(body, why)| (body.clone(), format!("`${{{body}}}`: {why}"))).unzip();
        Ok(Evaluated { value: resolved.value, unresolved, reasons })
    }
}

/// Locates an error at the first reference that the message names.
fn located(template: &Value, message: String) -> EvalError {
    let all = texts(template);
    let named = |text: &str| {
        let found = reference::references(text).find(|r| message.contains(&format!("${{{}}}", r.body)))?;
        Some(found.start..found.end)
    };
    let spot = all.iter().find_map(|text| Some((Text::clone(text), named(text)?)));
    let error = EvalError::new(message);
    spot.map_or_else(|| error.clone(), |(text, range)| error.clone().at(&text, range))
}

/// The configuration of the folder to start in, or of the nearest one around it.
fn find(source: &dyn Source, start: &str) -> Option<String> {
    let mut dir = start;
    loop {
        let paths = NAMES.iter().filter_map(|name| paths::resolve(dir, name));
        if let Some(found) = paths.into_iter().find(|p| is_configuration(source, p)) {
            return Some(found);
        }
        if dir.is_empty() {
            return None;
        }
        dir = paths::parent(dir);
    }
}

/// The folder whose configuration a path is.
fn folder_of(path: &str) -> &str {
    let own = NAMES.iter().rev().find_map(|name| path.strip_suffix(name));
    own.unwrap_or(path).trim_end_matches('/')
}

/// Whether a file looks like a configuration: it has modules, or imports of them. The name alone is not enough.
fn is_configuration(source: &dyn Source, path: &str) -> bool {
    let entry = source.listing().resolve(path).ok();
    let Some(bytes) = entry.and_then(|e| source.read(e).ok()) else { return false };
    let named = |key: &str| key == "modules" || key == "imports";
    match crate::yaml::parse(&bytes) {
        Ok(doc) => doc.root().is_some_and(|root| ["modules", "imports"].iter().any(|k| doc.get(root, k).is_some())),
        // A broken one is still one.
        Err(_) => String::from_utf8_lossy(&bytes)
            .lines()
            .any(|line| line.split_once(':').is_some_and(|(key, _)| named(key.trim_matches(['"', '\''])))),
    }
}
