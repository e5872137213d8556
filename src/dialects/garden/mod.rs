//! Garden (`garden.io`): projects of actions, resolved per environment. The stages in the order in which Garden runs them:
//!
//! `project` (the files and their content) → `environment` (variables in layers, providers, workflows) → `actions`
//! (templates that render configs, built-in fields, the graph, specs) → the resolution. An environment is a stack; the
//! project, its providers, actions and workflows are components. `template` is the language of all strings; `lints`
//! checks the configuration as written.

mod actions;
mod affected;
mod authoring;
mod diagnostics;
mod document;
mod environment;
mod eval;
mod lints;
mod project;
mod rules;
pub(crate) mod template;
#[cfg(test)]
mod tests;
mod vocabulary;

use super::{
    Below, Candidates, Dialect, EvalError, EvalMode, Evaluated, LookedUp, Presence, Project, Scope,
    configurations_below,
};
use crate::affected::{Affected, Request};
use crate::code::Runs;
use crate::diagnostic::{self, Diagnostic, Rule};
use crate::files::Files;
use crate::limits::{Limits, count_steps};
use crate::paths;
use crate::reads::{Answers, Reads, Table};
use crate::resolution::authoring::Authoring;
use crate::resolution::{Address, Component, Extent, Gap, Open, OpenPart, Resolution, State, Unit};
use crate::source::Source;
use crate::text::Text;
use crate::threads;
use crate::value::{FileId, Origin, Prov, Unknown, Value};
use actions::ActionFiles;
use diagnostics::Diagnostics;
use environment::{Environment, Input};
use project::load::{Cache, Loader};
use project::{EnvironmentConfig, Ignores, Loaded, ProjectConfig, discover};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub(crate) struct Garden {
    cache: Cache,
    limits: Limits,
    /// Environments by the folder of their project, their stack, and whether files of the project are not known.
    environments: Table<(Text, Text, bool), ResolvedEnvironment>,
}

/// An environment that was resolved.
struct ResolvedEnvironment {
    environment: Environment,
    findings: Vec<Diagnostic>,
    /// The files of variables whose content is not known.
    lacks: Vec<Arc<Unknown>>,
    /// All that it was made from.
    reads: Arc<Reads>,
}

impl ResolvedEnvironment {
    /// Whether one of some changes can reach it.
    fn is_in(&self, scope: Scope<'_>) -> bool {
        let Scope::Touched(changes) = scope else { return true };
        let reaches = |path: &str| self.reads.concern(path) || discover::is_config_name(paths::name(path));
        changes.iter().any(|change| reaches(&change.path))
    }
}

impl Garden {
    /// The dialect, with empty caches and these limits.
    pub(crate) fn with_limits(limits: Limits) -> Self {
        Garden { cache: Cache::new(limits), limits, ..Garden::default() }
    }

    /// Returns the folders of the selected projects.
    fn folders(&self, source: &dyn Source, project: &Project) -> BTreeSet<String> {
        match project.config.is_empty() {
            true => discover::find(source, &project.start).into_iter().collect(),
            false => project.config.iter().map(|path| paths::parent(path).to_owned()).collect(),
        }
    }

    /// Returns the ignore files of the project in a folder; `None` if there is no project.
    fn ignores(&self, (source, files): (&dyn Source, &Files), dir: &str) -> Ignores {
        let loader = &Loader::new(source, files, &self.cache, discover::era_of(source, &project_file(source, dir)));
        let diagnostics = Diagnostics::new(files.add(dir, "", || Text::from("")));
        project::ignores(loader, dir, &diagnostics).unwrap_or_default()
    }

    /// The project in a folder, each of its environments as a unit.
    fn project(
        &self,
        (source, files): (&dyn Source, &Files),
        dir: &str,
        project: &Project,
        scope: Scope<'_>,
    ) -> Resolved {
        let path = project_file(source, dir);
        let loader = &Loader::new(source, files, &self.cache, discover::era_of(source, &path));
        let file = loader.reader.files.add(&path, "", || Text::from(""));
        let diagnostics = Diagnostics::new(file);
        let loaded = project::load(loader, dir, &diagnostics);
        lints::check(&loaded, &diagnostics);
        let is_broken = diagnostics.is_broken();
        let mut out = Resolved {
            units: Vec::new(),
            findings: diagnostics.into_findings(),
            config: loaded.config.as_ref().map(|config| config.file).or(loaded.file).unwrap_or(file),
            is_partial: is_broken || loaded.config.is_none(),
            files: BTreeMap::new(),
            ignores: Ignores::default(),
            modules: loaded.resources.iter().filter(|one| one.is_hidden()).map(|one| one.dir().to_owned()).collect(),
        };
        let Some(config) = &loaded.config else { return out };
        let diagnostics = Diagnostics::new(config.file);
        out.ignores = Ignores::read(loader, config, &diagnostics);
        let files: BTreeSet<FileId> =
            loaded.resources.iter().map(|resource| resource.file).chain([config.file]).collect();
        let unit = |stack: &str| {
            let broken = Unit::broken(paths::join(dir, stack).into(), config.file);
            let origin = config.tree.prov.origin.unwrap_or(Origin { file: config.file, key: 0, start: 0, end: 0 });
            let open = loaded.may_lack.then(|| Open { stack: stack.into(), part: OpenPart::Lacking { origin } });
            Unit { files: files.iter().copied().collect(), open: open.into_iter().collect(), ..broken }
        };
        if is_broken {
            out.units = config.environments.iter().map(|environment| unit(&environment.name)).collect();
            return out;
        }
        let named = named_environment(config, project);
        let all: Vec<RequestedEnvironment<'_>> =
            config.environments.iter().map(RequestedEnvironment::whole).chain(named).collect();
        let (shared, answers) = (loader.reader.take(), Answers::new(source));
        let one = |requested: &RequestedEnvironment<'_>| {
            let key = (Text::from(dir), Text::clone(&requested.stack), loaded.may_lack);
            if let Some(known) = self.environments.get(&key, &answers) {
                return known;
            }
            let own = loader.fork();
            let resolve = || environment_of(&own, &loaded, (config, requested), project);
            let (environment, (findings, lacks)) = count_steps(|| requested.stack.to_string(), resolve);
            let mut reads = own.reader.take();
            reads.add(&shared);
            let reads = Arc::new(reads);
            let resolved = Arc::new(ResolvedEnvironment { environment, findings, lacks, reads: Arc::clone(&reads) });
            self.environments.insert(key, reads, Arc::clone(&resolved));
            resolved
        };
        let mut components = 0;
        let mut left = all.iter();
        while components <= MOST_COMPONENTS && !left.as_slice().is_empty() {
            let (some, rest) = left.as_slice().split_at(left.len().min(TOGETHER));
            for (resolved, requested) in threads::map(some, one).into_iter().zip(some) {
                components += resolved.environment.components.len();
                out.add(unit(&requested.stack), &resolved, scope);
            }
            left = rest.iter();
        }
        if let Some(first) = left.as_slice().first() {
            let message = format!(
                "the environments have more than {MOST_COMPONENTS} components together: those from `{}` on are not resolved",
                first.stack
            );
            let place = Prov::at(Origin { file: config.file, key: 0, start: 0, end: 0 });
            diagnostics.error(&diagnostic::rules::LIMIT_EXCEEDED, message, &place);
            out.units.extend(left.map(|requested| unit(&requested.stack)));
        }
        out.findings.extend(diagnostics.into_findings());
        out
    }
}

/// The most components of all environments of a project together.
const MOST_COMPONENTS: usize = 100_000;
/// How many environments are resolved before their components are counted.
const TOGETHER: usize = 8;

/// A project that was resolved.
struct Resolved {
    /// Its environments.
    units: Vec<Unit>,
    findings: Vec<Diagnostic>,
    /// The file that configures it.
    config: FileId,
    /// Whether there may be more environments than are known.
    is_partial: bool,
    /// The source files of its actions.
    files: BTreeMap<Address, ActionFiles>,
    /// Its ignore files.
    ignores: Ignores,
    /// The folders of modules whose actions are not known.
    modules: BTreeSet<String>,
}

impl Resolved {
    /// Adds an environment with its findings. It is only named if it is not in the scope.
    fn add(&mut self, mut unit: Unit, resolved: &ResolvedEnvironment, scope: Scope<'_>) {
        let ResolvedEnvironment { environment, findings, lacks, .. } = resolved;
        self.findings.extend(findings.iter().cloned());
        if !resolved.is_in(scope) {
            unit.state = State::OutOfScope;
            unit.may_read_more = environment.is_broken || !environment.broken.is_empty() || !lacks.is_empty();
        } else if !environment.is_broken {
            unit.state = State::Resolved;
            unit.lacks.clone_from(lacks);
            (unit.components, unit.broken) = (environment.components.clone(), environment.broken.clone());
            unit.broken.sort();
            unit.broken.dedup();
        }
        let address =
            |(kind, name): &(Text, Text)| (Text::clone(&environment.name), Text::clone(kind), Text::clone(name));
        self.files.extend(environment.files.iter().map(|(of, files)| (address(of), files.clone())));
        self.units.push(unit);
    }
}

/// The file that holds the project of a folder, or could hold it.
fn project_file(source: &dyn Source, dir: &str) -> String {
    let named = discover::config_files(source, dir).into_iter().find(|path| discover::is_project_file(source, path));
    named.unwrap_or_else(|| paths::join(dir, "garden.yml"))
}

/// An environment that is resolved, maybe in a namespace that the user names.
struct RequestedEnvironment<'a> {
    environment: &'a EnvironmentConfig,
    namespace: Option<&'a str>,
    /// The name of the stack.
    stack: Text,
}

impl<'a> RequestedEnvironment<'a> {
    /// An environment in its default namespace.
    fn whole(environment: &'a EnvironmentConfig) -> Self {
        RequestedEnvironment { environment, namespace: None, stack: Text::clone(&environment.name) }
    }
}

/// Returns the environment of a stack `NAMESPACE.ENVIRONMENT` that the user names. Any namespace is possible, so such a
/// stack does not exist before it is named.
fn named_environment<'a>(config: &'a ProjectConfig, project: &'a Project) -> Option<RequestedEnvironment<'a>> {
    let stack = project.inputs.stack.as_deref()?;
    let (namespace, name) = stack.split_once('.')?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if namespace.is_empty() || !namespace.chars().all(is_name) {
        return None;
    }
    let environment = config.environments.iter().find(|environment| *environment.name == *name)?;
    Some(RequestedEnvironment { environment, namespace: Some(namespace), stack: stack.into() })
}

/// One environment, and what is wrong with it.
fn environment_of(
    loader: &Loader<'_>,
    loaded: &Loaded,
    (config, requested): (&ProjectConfig, &RequestedEnvironment<'_>),
    project: &Project,
) -> (Environment, (Vec<Diagnostic>, Vec<Arc<Unknown>>)) {
    let (stack, environment, namespace) = (&requested.stack, requested.environment, requested.namespace);
    let diagnostics = Diagnostics::of_stack(config.file, stack);
    let input = Input { loader, loaded, project: config, environment, namespace, inputs: &project.inputs };
    let work = format!("environment {stack} of {}", config.path);
    let resolved = diagnostics.guard(&work, || config.file, || environment::resolve(&input, stack, &diagnostics));
    (resolved.unwrap_or_else(|| Environment::broken(stack)), diagnostics.into_parts())
}

impl Dialect for Garden {
    fn name(&self) -> &'static str {
        "garden"
    }

    fn hides_settings(&self) -> bool {
        true
    }

    /// What selects files and sources, and how the program starts, is in no component.
    fn shows_setting(&self, path: &str) -> bool {
        const HIDDEN: [&str; 6] =
            ["apiVersion", "defaultEnvironment", "dotIgnoreFile", "dotIgnoreFiles", "proxy", "scan"];
        // The first step is the number of a document if there are several.
        let first = path.split('/').skip(1).find(|key| key.parse::<usize>().is_err());
        !first.is_some_and(|key| HIDDEN.contains(&key))
    }

    fn hidden_part(&self) -> Option<fn(&Value) -> Option<Value>> {
        Some(|document| project::is_hidden(document).then(|| document.clone()))
    }

    fn authoring(&self) -> Option<&'static dyn Authoring> {
        Some(&authoring::Garden)
    }

    fn known_by(&self) -> &'static str {
        "a garden.yml with `kind: Project`"
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::OWN
    }

    fn claims(&self, source: &dyn Source, config: &str) -> bool {
        discover::is_config_name(paths::name(config)) && discover::is_project_file(source, config)
    }

    fn find(&self, source: &dyn Source, project: &Project) -> Option<(Presence, String)> {
        Some((Presence::Certain, discover::find(source, &project.start)?))
    }

    fn below(&self, source: &dyn Source, project: &Project) -> Below {
        let named = configurations_below(source, &project.start, discover::is_config_name);
        let projects = named.filter(|path| discover::is_project_file(source, path));
        Below { projects: projects.map(|path| paths::parent(path).to_owned()).collect(), ..Below::default() }
    }

    fn code_folders(&self, source: &dyn Source, project: &Project, _: Candidates<'_>) -> Vec<String> {
        discover::terraform_folders(source, &project.start)
    }

    fn forget(&self, source: &dyn Source) {
        self.environments.retain(&Answers::new(source));
        self.cache.forget();
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution {
        let mut resolution = Resolution::default();
        let (found, mut lost) = (diagnostic::Diagnostics::default(), Vec::new());
        for dir in &self.folders(source, project) {
            let resolved = self.project((source, files), dir, project, scope);
            resolution.config.push(resolved.config);
            lost.extend(resolved.is_partial.then_some(resolved.config));
            resolution.units.extend(resolved.units.into_iter().map(Arc::new));
            found.extend(resolved.findings);
        }
        resolution.units.sort_by(|a, b| a.name.cmp(&b.name));
        // An item without a value is no mistake of its own if a schema rejects the item.
        found.remove_explained(&rules::GARDEN_UNDEFINED_ITEM, &diagnostic::rules::INVALID_CONFIG);
        found.unite();
        resolution.findings = found.into_findings();
        resolution.gap = lost.first().map(|file| gap(*file, &resolution));
        resolution
    }

    fn run_folder(&self, component: &Component, _unit: &Unit) -> Option<Text> {
        (!affected::SETTINGS.contains(&&*component.kind)).then(Text::default)
    }

    fn runs(&self, _resolution: &Resolution, state: super::State<'_>, project: &Project) -> Runs {
        self.source_runs(state, project)
    }

    fn affected(&self, request: &Request<'_>, project: &Project) -> Option<Affected> {
        Some(self.list_affected(request, project))
    }

    fn eval(&self, template: &Value, context: &Value, mode: EvalMode) -> Result<Evaluated, EvalError> {
        eval::eval(template, context, mode, self.limits)
    }

    fn references(&self, template: &Value, context: &Value) -> Option<Result<Vec<LookedUp>, EvalError>> {
        Some(eval::references(template, context, self.limits))
    }
}

/// Returns what is missing if the file of a project cannot be read.
fn gap(file: FileId, resolution: &Resolution) -> Gap {
    let reason = resolution.findings.iter().find(|finding| finding.is_breaking && finding.primary.file == file);
    let reason = reason.or_else(|| resolution.findings.iter().find(|finding| finding.is_breaking));
    let extent = if resolution.units.is_empty() { Extent::Everything } else { Extent::Units };
    let reason = reason.map_or_else(|| "the project cannot be read".to_owned(), |finding| finding.message.clone());
    Gap { extent, reason, file: Some(file) }
}
