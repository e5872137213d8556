//! Terragrunt: units (`terragrunt.hcl`) and stacks (`terragrunt.stack.hcl`). The folder above a unit is a stack, the unit a component.
//!
//! `discovery` finds the files, `load` and `json` parse them, `schema` says what they may hold. `stacks` expands stack files. `unit`
//! resolves one unit: `config` evaluates a `file` (with `names` and `functions` in its `place`), `merge` puts included files below it,
//! `object` shows a configuration to others (`evaluate` to functions), `component` is the result, with its resources. `touched` says which units an
//! edit can reach.

mod affected;
mod authoring;
mod checks;
mod claims;
mod component;
mod config;
mod discovery;
mod elsewhere;
mod evaluate;
mod file;
mod functions;
mod generated;
mod json;
mod load;
mod merge;
mod mocks;
mod names;
mod object;
mod place;
mod rules;
mod schema;
mod session;
mod stacks;
#[cfg(test)]
mod tests;
mod touched;
mod unit;
mod values;
mod vocabulary;

use super::{Candidates, Dialect, EvalError, EvalMode, Evaluated, Presence, Project, Reach, Scope, hcl_eval};
use crate::affected::{Affected, Request};
use crate::code::Runs;
use crate::diagnostic::rules::MISSING_COMPONENT_DIRECTORY;
use crate::diagnostic::{self, Diagnostic, Diagnostics, Label, Rule};
use crate::files::Files;
use crate::limits::{Limits, Piece, count_steps, take};
use crate::reads::{Answers, PossibleFiles, Table};
use crate::resolution::authoring::Authoring;
use crate::resolution::{Component, Resolution, State, Unit};
use crate::source::{Linked, Source};
use crate::terraform::module::modules::Modules;
use crate::text::Text;
use crate::threads;
use crate::value::{FileId, Value, Vocabulary};
use load::{Cache, Loader};
use stacks::Expansion;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use touched::Touched;
use unit::Resolved;

/// The most values that the configurations of all units have together.
const MOST_VALUES: usize = 3_200_000;
/// How many units are resolved before those are counted.
const TOGETHER: usize = 64;

/// The dialect. It keeps what it has parsed, so that a second revision costs what is new in it.
#[derive(Default)]
pub(crate) struct Terragrunt {
    cache: Cache,
    /// Units by their folder.
    units: Table<Text, Known>,
    /// Whether only the units themselves are resolved, and not the code that they run.
    leaves_code: bool,
}

/// A unit that was resolved, and what the user gave to it.
struct Known {
    resolved: Resolved,
    env: Arc<BTreeMap<String, String>>,
    /// Whether another repository gives it values.
    is_open: bool,
}

impl Known {
    /// A unit that no edit reaches: only its name.
    fn untouched(folder: &str, file: FileId, may_read_more: bool) -> Self {
        let unit = Unit { state: State::OutOfScope, may_read_more, ..Unit::broken(unit::id(folder), file) };
        Known { resolved: Resolved::of(unit, Vec::new()), env: Arc::default(), is_open: false }
    }
}

impl Terragrunt {
    /// The dialect, with empty caches and these limits.
    pub(crate) fn with_limits(limits: Limits) -> Self {
        Terragrunt { cache: Cache::new(limits), ..Terragrunt::default() }
    }

    fn loader<'a>(&'a self, source: &'a dyn Source, files: &'a Files, possible: &'a PossibleFiles) -> Loader<'a> {
        let (modules, cache) = (self.cache.modules(source, files), &self.cache);
        Loader { modules, cache, possible, leaves_code: self.leaves_code }
    }

    /// Resolves the unit of a folder, or returns it if all that it read is the same.
    fn unit(
        &self,
        loader: &Loader<'_>,
        answers: &Answers<'_>,
        env: &Arc<BTreeMap<String, String>>,
        expansion: &Expansion,
        folder: &str,
    ) -> Arc<Known> {
        let key = Text::from(folder);
        let is_open = expansion.generated.values_elsewhere(folder).is_some();
        let is_same = |known: &Arc<Known>| known.env == *env && known.is_open == is_open;
        if let Some(known) = self.units.get(&key, answers).filter(is_same) {
            return known;
        }
        let files = loader.modules.loader.reader.files;
        let diagnostics = Diagnostics::default();
        let file = || files.add(&crate::paths::join(folder, load::UNIT), "", || Text::from(""));
        let work = || unit::resolve(loader, env, &expansion.generated, folder);
        let resolved = diagnostics.guard(&format!("unit {folder}"), file, work);
        let broken = || Resolved::of(Unit::broken(key.clone(), file()), diagnostics.into_findings());
        let resolved = resolved.unwrap_or_else(broken);
        take(resolved.unit.components.len(), Piece::Component);
        let mut reads = loader.modules.loader.reader.take();
        if let Some(made) = expansion.generated.units.get(folder) {
            reads.add(&made.reads);
        }
        let known = Arc::new(Known { resolved, env: Arc::clone(env), is_open });
        self.units.insert(key, Arc::new(reads), Arc::clone(&known));
        known
    }
}

impl Dialect for Terragrunt {
    fn name(&self) -> &'static str {
        "terragrunt"
    }

    fn known_by(&self) -> &'static str {
        "a terragrunt.hcl or terragrunt.stack.hcl"
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::OWN
    }

    fn vocabulary(&self) -> &'static Vocabulary {
        &vocabulary::VOCABULARY
    }

    fn authoring(&self) -> Option<&'static dyn Authoring> {
        Some(&authoring::Terragrunt)
    }

    fn claims(&self, source: &dyn Source, config: &str) -> bool {
        matches!(crate::paths::name(config), load::UNIT | load::UNIT_JSON | load::STACK)
            || (source.listing().is_dir(config) && discovery::has_any(source, config))
    }

    fn find(&self, source: &dyn Source, _project: &Project) -> Option<(Presence, String)> {
        discovery::has_any(source, "").then(|| (Presence::Certain, String::new()))
    }

    fn code_folders(&self, source: &dyn Source, project: &Project, candidates: Candidates<'_>) -> Vec<String> {
        claims::folders(source, project, candidates)
    }

    fn forget(&self, source: &dyn Source) {
        self.units.retain(&Answers::new(source));
        self.cache.forget();
    }

    fn resolve(&self, source: &dyn Source, project: &Project, files: &Files, scope: Scope<'_>) -> Resolution {
        let mut env = project.inputs.env.clone();
        if !project.inputs.experiments.is_empty() {
            env.insert(session::EXPERIMENTS.to_owned(), project.inputs.experiments.join(","));
        }
        let env = Arc::new(env);
        let found = discovery::all(source);
        let of_stacks = PossibleFiles::default();
        let loader = || self.loader(source, files, &of_stacks);
        let expansion = stacks::expand(source, &found.stacks, &env, evaluate::object_at, &loader);
        let linked = (!expansion.links.is_empty()).then(|| Linked::new(source, &expansion.links));
        let source = linked.as_ref().map_or(source, |linked| linked as &dyn Source);
        // There are more files than stacks see.
        let possible = PossibleFiles::default();
        let own = found.units.keys().copied().filter(|folder| !expansion.templates.contains(*folder));
        let folders: BTreeSet<&str> = own.chain(expansion.generated.units.keys().map(String::as_str)).collect();
        let folders: Vec<&str> = folders.into_iter().collect();
        let answers = Answers::new(source);
        let loader = || self.loader(source, files, &possible);
        let touched = Touched::new(&loader(), scope);
        // A unit that no edit reaches is only named.
        let untouched = |folder: &&str| {
            let (touched, path) = (touched.as_ref()?, found.units.get(folder)?);
            let reach = touched.reach(path);
            let file = touched.file(path).filter(|_| reach != Reach::Reached)?;
            Some(Arc::new(Known::untouched(folder, file, reach == Reach::Open)))
        };
        let resolve = |folder: &str| {
            count_steps(|| folder.to_owned(), || self.unit(&loader(), &answers, &env, &expansion, folder))
        };
        let mut known: Vec<Option<Arc<Known>>> = folders.iter().map(untouched).collect();
        let reached: Vec<usize> = (0..folders.len()).filter(|index| known[*index].is_none()).collect();
        let is_all = reached.len() == folders.len();
        let mut resolution = Resolution { is_all, ..Resolution::default() };
        let (mut values, mut left) = (0, &reached[..]);
        while values <= MOST_VALUES && !left.is_empty() {
            let (some, rest) = left.split_at(left.len().min(TOGETHER));
            let resolved = threads::map(some, |index| resolve(folders[*index]));
            values += resolved.iter().map(|unit| unit.resolved.values).sum::<usize>();
            some.iter().zip(resolved).for_each(|(index, unit)| known[*index] = Some(unit));
            left = rest;
        }
        for index in left {
            let folder = folders[*index];
            let path = loader().unit_file(folder).unwrap_or_else(|| crate::paths::join(folder, load::UNIT));
            let loaded = loader().load(&path, true).map(|loaded| loaded.file);
            let file = loaded.unwrap_or_else(|_| files.add(&path, "", || Text::from("")));
            if Some(index) == left.first() {
                let name = unit::id(folder);
                let message = format!(
                    "the units have more than {MOST_VALUES} values together: those from `{name}` on are not resolved"
                );
                let finding = Diagnostic::new(&rules::LIMIT_EXCEEDED, message, Label::new(file, 0, 0, ""));
                resolution.findings.push(finding);
            }
            let resolved = Resolved::of(Unit::broken(unit::id(folder), file), Vec::new());
            known[*index] = Some(Arc::new(Known { resolved, env: Arc::clone(&env), is_open: false }));
        }
        let known: Vec<Arc<Known>> = known.into_iter().flatten().collect();
        let included: BTreeSet<FileId> =
            known.iter().flat_map(|known| &known.resolved.imports).flat_map(|i| i.targets.iter().copied()).collect();
        for Known { resolved, .. } in known.iter().map(|known| &**known) {
            resolution.config.push(resolved.unit.file);
            if !resolved.has_code && included.contains(&resolved.unit.file) {
                resolution.units.extend(resolved.as_parent().map(Arc::new));
                continue;
            }
            resolution.units.push(Arc::clone(&resolved.unit));
            // What others include counts the path of its code from them.
            let is_included = included.contains(&resolved.unit.file);
            let counts = |finding: &&Diagnostic| !is_included || finding.rule != &MISSING_COMPONENT_DIRECTORY;
            resolution.findings.extend(resolved.findings.iter().filter(counts).cloned());
        }
        resolution.findings.extend(unused(&known));
        let other = |folder: &str| {
            let known = known.get(folders.binary_search(&folder).ok()?)?;
            Some(match known.resolved.unit.state {
                State::OutOfScope => {
                    let whole = self.unit(&loader(), &answers, &env, &expansion, folder);
                    Arc::clone(&whole.resolved.unit)
                }
                _ => Arc::clone(&known.resolved.unit),
            })
        };
        let mocks = threads::map(&known, |known| mocks::check(&known.resolved.unit, other));
        resolution.findings.extend(mocks.into_iter().flatten());
        let mut seen = BTreeSet::new();
        for known in &known {
            let resolved = &known.resolved;
            resolution.imports.items.extend(resolved.imports.iter().filter(|i| seen.insert(i.item)).cloned());
            if let (Some(scope), Some(component)) =
                (&resolved.locals, resolved.unit.components.iter().find(|component| *component.kind == *unit::KIND))
                && resolution.locals.stacks.insert(scope.file, component.stack.clone()).is_none()
            {
                resolution.locals.scopes.push(Arc::clone(scope));
            }
        }
        resolution.imports.items.sort_by_key(|import| import.item);
        resolution.locals.scopes.sort_by_cached_key(|scope| (files.get(scope.file).path.clone(), scope.level.clone()));
        for (path, file, is_broken) in &expansion.files {
            let state = if *is_broken { State::Broken } else { State::Resolved };
            resolution.units.push(Arc::new(Unit { state, ..Unit::of_path(path, path.as_str().into(), *file) }));
            resolution.config.push(*file);
        }
        resolution.findings.extend(expansion.findings);
        diagnostic::unite(&mut resolution.findings);
        resolution
    }

    fn run_folder(&self, component: &Component, unit: &Unit) -> Option<Text> {
        unit::is_run(&component.kind).then(|| Text::clone(&unit.id))
    }

    fn folder_key(&self) -> Option<&'static str> {
        Some(affected::FOLDER)
    }

    fn runs(&self, resolution: &Resolution, state: super::State<'_>, project: &Project) -> Runs {
        let modules = Modules::new(state.source, state.files, state.cache, project.runner());
        component::runs(resolution, state, &modules)
    }

    fn affected(&self, request: &Request<'_>, _project: &Project) -> Option<Affected> {
        Some(affected::list(request))
    }

    fn eval(&self, template: &Value, context: &Value, mode: EvalMode) -> Result<Evaluated, EvalError> {
        hcl_eval::eval(template, context, mode.partial)
    }
}

/// What is unused in files of units that no other unit reads.
fn unused(known: &[Arc<Known>]) -> Vec<Diagnostic> {
    let mut readers: BTreeMap<FileId, usize> = BTreeMap::new();
    for unit in known.iter().map(|known| &known.resolved.unit) {
        unit.files.iter().for_each(|file| *readers.entry(*file).or_default() += 1);
    }
    let is_alone = |finding: &&Diagnostic| readers.get(&finding.primary.file).is_none_or(|number| *number <= 1);
    known.iter().flat_map(|known| known.resolved.unused.iter().filter(is_alone).cloned()).collect()
}
