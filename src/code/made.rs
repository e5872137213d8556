//! What the code of components makes of their inputs: resources, data sources, outputs, provider configurations, and calls of modules that
//! are elsewhere.
//!
//! A component whose code is in the repository is a root module with inputs. Its evaluation is a [`Made`]: components of a stack of
//! its own, `dev/vpc` for `vpc` of `dev`. A comparison evaluates the components that differ or whose code differs ([`compare`]), and
//! of code that is the same only what the inputs that differ reach.

use crate::code::{CodeChange, CodeChanges, Runs};
use crate::diagnostic::Diagnostic;
use crate::diff::same::same;
use crate::diff::{self, Diff, Status};
use crate::hcl::ast::Span;
use crate::limits::{Piece, take};
use crate::resolution::{Address, Code, CodeOrigin, Component, Inputs, Placed, Resolution, State, Unit, made_stack};
use crate::terraform::components::backend::Workspace;
use crate::terraform::configuration::Wanted;
use crate::terraform::configuration::reached::Reached;
use crate::terraform::evaluation::given::{Given, Overlay, RunInputs, VariableInput};
use crate::terraform::module::modules::Modules;
use crate::terraform::root::{self, Evaluated};
use crate::terraform::rules::FAILED_CONDITION;
use crate::text::Text;
use crate::threads;
use crate::value::{FileId, Flags, Map, Value};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What a system gives to the code of a component; `None` if that is not to be evaluated.
pub(crate) type RunInputsOf<'a> = dyn Fn(&Component) -> Option<RunInputs> + Sync + 'a;

/// One side: a resolution, the modules of its revision, and what the system gives to code.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'a> {
    /// The modules of the revision.
    pub modules: &'a Modules<'a>,
    pub run_inputs: &'a RunInputsOf<'a>,
}

/// The code of one component, evaluated.
struct Made {
    /// What it makes: a unit of its own. It has failed if the code hides what it makes.
    unit: Unit,
    findings: Vec<Diagnostic>,
    /// The variables and locals that the code reads: `var.size`. `None` if it has files that are not known.
    read: Option<BTreeSet<String>>,
}

/// The code of one component with its inputs, before it is evaluated.
struct EnteredCode<'a> {
    root: root::Entered<'a>,
    /// The inputs that the component has, as the code gets them.
    values: Map,
    /// What else sets variables.
    variables: Vec<VariableInput>,
    env: BTreeMap<String, String>,
}

/// What is wrong with the code of a component.
struct Failures {
    findings: Vec<Diagnostic>,
    /// Whether it hides what the code makes.
    is_hidden: bool,
}

impl Evaluator<'_> {
    /// The code of a component if it is in the repository and deployed.
    fn code<'c>(&self, component: &'c Component) -> Option<&'c Code> {
        let metadata = &component.metadata;
        let code = metadata.code.as_ref().filter(|code| metadata.is_module && code.supply != CodeOrigin::Fetched)?;
        (metadata.is_deployed() && self.modules.is_there(&code.folder)).then_some(code)
    }

    /// The code of a component with its inputs; `None` if it has no code in the repository, or is not deployed.
    fn enter(&self, component: &Component) -> Option<EnteredCode<'_>> {
        let (metadata, code) = (&component.metadata, self.code(component)?);
        let RunInputs { env, unknown, generated } = (self.run_inputs)(component)?;
        let over = Overlay { folder: None, generated };
        let values = values(&metadata.inputs);
        let mut variables = unknown;
        if metadata.inputs.is_open {
            let what = component.language.vocabulary.inputs.to_owned();
            variables.push(VariableInput::Unknown { name: None, what });
        }
        let given = Given {
            passed: None,
            values: Some(&values),
            over: (!over.generated.is_empty()).then_some(&over),
            variables: &variables,
            env: &env,
            workspace: metadata.workspace.as_deref(),
        };
        let root = root::enter(&code.folder, given, self.modules);
        Some(EnteredCode { root, values: values.into_owned(), variables, env })
    }

    /// Evaluates the code of a component of a unit, or of it what is reached, with its settings as components of a stack, and with what is
    /// wrong with that.
    fn evaluate<'e>(
        &self,
        code: EnteredCode<'e>,
        (component, unit, stack): (&Component, &Unit, &Text),
        wanted: Wanted,
        reached: Option<Arc<Reached>>,
    ) -> (Evaluated<'e>, Vec<Arc<Component>>, Failures) {
        let EnteredCode { root, values, .. } = code;
        let mut evaluated = root.evaluate(wanted, reached);
        let (name, mut failures) = (evaluated.statics.workspace.as_deref(), Vec::new());
        let workspace = Workspace { name, is_assumed: name.is_none() };
        let settings = evaluated.settings(stack, workspace, (wanted, true), &mut failures);
        let mut failures = evaluated.take_failures(failures);
        let is_hidden = failures.iter().any(|failure| failure.hides);
        if !failures.is_empty() {
            // Types of inputs are compared for all systems in one way.
            let origins = values.iter().filter_map(|input| input.value.prov.origin);
            let inputs: BTreeSet<(FileId, u32)> = origins.map(|origin| (origin.file, origin.start)).collect();
            failures.retain(|failure| {
                let is_input = failure.place.is_some_and(|(file, span)| inputs.contains(&(file, span.start)));
                !is_input || failure.rule == &FAILED_CONDITION
            });
        }
        let findings = failures.iter().map(|failure| {
            let mut finding = failure.finding((unit.file, Span::default()), self.modules.loader.reader.files);
            finding.stacks.push(Text::clone(&component.stack));
            if failure.hides || !is_hidden && !failure.is_lint { finding.breaking() } else { finding }
        });
        let findings = findings.collect();
        (evaluated, settings, Failures { findings, is_hidden })
    }

    /// Whether the code of a component comes from elsewhere, so that it is not evaluated.
    pub(crate) fn lacks_code(&self, component: &Component) -> bool {
        let metadata = &component.metadata;
        let code = metadata.code.as_ref().filter(|_| metadata.is_module && metadata.is_deployed());
        let is_elsewhere = |code: &Code| match code.supply {
            CodeOrigin::Fetched => true,
            CodeOrigin::Vendored => !self.modules.is_there(&code.folder),
            CodeOrigin::Repository => false,
        };
        code.is_some_and(is_elsewhere) && (self.run_inputs)(component).is_some()
    }

    /// What the code of a component of a unit makes, in a stack with the address that the component has in the newer state.
    fn of(
        &self,
        code: EnteredCode<'_>,
        (component, unit): (&Component, &Unit),
        address: &Address,
        reached: Option<Arc<Reached>>,
    ) -> Made {
        let stack = made_stack(address);
        let (evaluated, settings, Failures { findings, is_hidden }) =
            self.evaluate(code, (component, unit, &stack), Wanted::Values, reached);
        let files: BTreeSet<FileId> = evaluated.files().into_iter().chain(unit.files.iter().copied()).collect();
        let made = Unit {
            files: files.into_iter().collect(),
            components: if is_hidden {
                Vec::new()
            } else {
                evaluated.made(&stack, &Arc::new(address.clone()), settings)
            },
            absent: evaluated.absent(),
            open: evaluated.open(&stack, false),
            state: State::Resolved,
            failed: if is_hidden { vec![stack.clone()] } else { Vec::new() },
            ..Unit::broken(stack, unit.file)
        };
        let module = &evaluated.statics.nodes[0].module;
        let read = (!is_hidden && !module.is_open).then(|| module.read_by_code());
        Made { unit: made, findings, read }
    }

    /// What the code of some components makes.
    pub(crate) fn units(&self, resolution: &Resolution, wanted: &BTreeSet<Address>) -> Vec<Arc<Unit>> {
        let mut placed: Vec<Placed> = resolution.components().into_values().collect();
        placed.retain(|placed| wanted.contains(&placed.component.address()));
        threads::map(&placed, |placed| self.unit(placed)).into_iter().flatten().collect()
    }

    /// What the code of a component makes; `None` if it is not evaluated.
    pub(crate) fn unit(&self, Placed { component, unit }: &Placed) -> Option<Arc<Unit>> {
        let mut made = self.of(self.enter(component)?, (component, unit), &component.address(), None).unit;
        made.components.retain(|made| component.metadata.state.is_none() || made.metadata.state.is_none());
        take(made.components.len(), Piece::Made);
        Some(Arc::new(made))
    }

    /// Adds what the code of those components makes whose code was not evaluated yet.
    pub(crate) fn complete(&self, resolution: &mut Resolution) {
        let known: BTreeSet<&Text> = resolution.made.iter().map(|unit| &unit.name).collect();
        let all = resolution.components();
        let wanted = all.values().map(|placed| placed.component.address());
        let wanted: BTreeSet<Address> = wanted.filter(|address| !known.contains(&made_stack(address))).collect();
        let found = self.units(resolution, &wanted);
        resolution.made.extend(found);
    }

    /// Evaluates the code of all components of a resolution, and adds what is found. What it makes is not kept.
    pub(crate) fn check(&self, resolution: &mut Resolution) {
        let found = threads::map(&resolution.units, |unit| {
            unit.components.iter().flat_map(|component| self.failures(component, unit)).collect::<Vec<_>>()
        });
        add_findings(resolution, found.into_iter().flatten());
    }

    /// What is wrong with the code of a component of a unit, which is evaluated for that alone.
    fn failures(&self, component: &Component, unit: &Unit) -> Vec<Diagnostic> {
        let stack = made_stack(&component.address());
        let failures = |code| self.evaluate(code, (component, unit, &stack), Wanted::Failures, None).2;
        self.enter(component).map(|code| failures(code).findings).unwrap_or_default()
    }
}

/// Adds findings to those of a resolution. Several components find the same in the code that they share.
fn add_findings(resolution: &mut Resolution, found: impl Iterator<Item = Diagnostic>) {
    let before = resolution.findings.len();
    resolution.findings.extend(found);
    if resolution.findings.len() > before {
        crate::diagnostic::unite(&mut resolution.findings);
    }
}

/// The inputs as the code gets them.
fn values(inputs: &Inputs) -> Cow<'_, Map> {
    if !inputs.all.flags().has(Flags::CALL) {
        return Cow::Borrowed(&inputs.all);
    }
    let passed = inputs.all.iter().filter_map(|entry| {
        let value: Cow<'_, Value> = inputs.evaluated(&entry.value)?;
        Some((Text::clone(&entry.key), value.into_owned()))
    });
    Cow::Owned(passed.collect())
}

/// The code of a component that was evaluated on both sides.
#[derive(Debug)]
pub(crate) struct ComparedCode {
    /// The variables and locals that it reads on one of them, if that is known: `var.size`.
    pub read: Option<BTreeSet<String>>,
    /// How many resources were evaluated on the newer one.
    pub resources: usize,
}

/// The components whose code was evaluated on both sides.
pub(crate) type Compared = BTreeMap<Address, ComparedCode>;

/// How much of the code is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What may differ; only what does is kept.
    Differing,
    /// Everything, and all of it is kept: policies read it.
    Whole,
}

/// Evaluates the code of the components that both sides have and that differ, or whose code differs, and adds what it makes and what is
/// found to both resolutions. Of a renamed component the two sides are those of its names. Returns the components whose code was
/// evaluated on both sides.
pub(crate) fn compare(
    evaluators: [Evaluator<'_>; 2],
    resolutions: [&mut Resolution; 2],
    (diff, code): (&Diff, &CodeChanges),
    extent: Extent,
) -> Compared {
    let [base, head] = resolutions;
    let pairs = pairs([base, head], diff, code);
    find_new(evaluators, [&mut *base, &mut *head], diff, &pairs);
    let reaches = Reaches::default();
    let made = threads::map(&pairs, |(before, after)| {
        let address = after.component.address();
        let entered = [before, after].into_iter().zip(&evaluators).map(|(placed, side)| side.enter(&placed.component));
        let [old, new] = <[_; 2]>::try_from(entered.collect::<Option<Vec<_>>>()?).ok()?;
        let is_whole = extent == Extent::Whole || !has_same_surroundings(&before.component, &after.component);
        let reached = if is_whole { None } else { reaches.of(&old, &new) };
        let of = |side: usize, placed: &Placed, code| {
            evaluators[side].of(code, (&placed.component, &placed.unit), &address, reached.clone())
        };
        let is_placed = [before, after].iter().any(|placed| placed.component.metadata.state.is_some());
        let (mut before, mut after) = (of(0, before, old), of(1, after, new));
        if is_placed {
            // The settings of a component decide over the backend in its code.
            for side in [&mut before, &mut after] {
                side.unit.components.retain(|made| made.metadata.state.is_none());
            }
        }
        let resources = after.unit.components.iter().filter(|component| &*component.kind == "resource").count();
        if extent == Extent::Differing {
            diff::keep_differing([&mut before.unit.components, &mut after.unit.components]);
        }
        take(before.unit.components.len() + after.unit.components.len(), Piece::Made);
        Some((address, before, after, resources))
    });
    let (mut evaluated, mut found) = (Compared::new(), [Vec::new(), Vec::new()]);
    for (address, before, after, resources) in made.into_iter().flatten() {
        if before.unit.failed.is_empty() && after.unit.failed.is_empty() {
            let read = before.read.zip(after.read).map(|(before, after)| before.union(&after).cloned().collect());
            evaluated.insert(address, ComparedCode { read, resources });
        }
        base.made.push(Arc::new(before.unit));
        head.made.push(Arc::new(after.unit));
        found[0].extend(before.findings);
        found[1].extend(after.findings);
    }
    let [in_base, in_head] = found;
    add_findings(base, in_base.into_iter());
    add_findings(head, in_head.into_iter());
    evaluated
}

/// Evaluates the code of components that only the newer side has, deploys or has code for, and adds what is found. Components of the
/// older side may have found the same in that code.
fn find_new(
    evaluators: [Evaluator<'_>; 2],
    resolutions: [&mut Resolution; 2],
    diff: &Diff,
    pairs: &[(Placed, Placed)],
) {
    let [base, head] = resolutions;
    let is_renamed = |index: usize| diff.renames.iter().any(|rename| rename.to == index);
    let added = diff.components.iter().enumerate();
    let added = added.filter(|(index, change)| change.status == Status::Added && !is_renamed(*index));
    let added: BTreeSet<Address> = added.map(|(_, change)| change.address()).collect();
    let is_new = |(before, _): &&(Placed, Placed)| evaluators[0].code(&before.component).is_none();
    let mut new: Vec<Placed> = pairs.iter().filter(is_new).map(|(_, after)| after.clone()).collect();
    if !added.is_empty() {
        new.extend(head.components().into_values().filter(|placed| added.contains(&placed.component.address())));
    }
    let failures = |side: usize, placed: &Placed| evaluators[side].failures(&placed.component, &placed.unit);
    let found = threads::map(&new, |placed| failures(1, placed));
    let folder = |placed: &Placed| placed.component.metadata.code.as_ref().map(|code| code.folder.clone());
    let folders: BTreeSet<Text> = new
        .iter()
        .zip(&found)
        .filter(|(_, found)| !found.is_empty())
        .filter_map(|(placed, _)| folder(placed))
        .collect();
    if folders.is_empty() {
        return;
    }
    let mut known: Vec<Placed> = base.components().into_values().collect();
    known.retain(|placed| folder(placed).is_some_and(|folder| folders.contains(&folder)));
    let known = threads::map(&known, |placed| failures(0, placed));
    add_findings(base, known.into_iter().flatten());
    add_findings(head, found.into_iter().flatten());
}

/// Whether nothing but inputs can make the code of a component make something else: the workspace, and what calls in its values read.
fn has_same_surroundings(before: &Component, after: &Component) -> bool {
    let [before, after] = [before, after].map(|component| &component.metadata);
    let has_same_calls = before.calls.len() == after.calls.len()
        && before.calls.iter().zip(&*after.calls).all(|(before, after)| same(before, after));
    before.workspace == after.workspace && has_same_calls
}

/// What inputs that differ reach in code that is the same on both sides. `None` is everything.
#[derive(Default)]
struct Reaches(Mutex<HashMap<CodeEdit, Option<Arc<Reached>>>>);

/// The number of the code, and the names of the inputs that differ.
type CodeEdit = (u64, BTreeSet<Text>);

impl Reaches {
    /// What differs for the code of a component in two revisions; `None` if that may be everything.
    fn of(&self, before: &EnteredCode<'_>, after: &EnteredCode<'_>) -> Option<Arc<Reached>> {
        let number = before.root.number().filter(|number| after.root.number() == Some(*number))?;
        let is_same = before.env == after.env
            && before.variables == after.variables
            && before.root.files_of_values() == after.root.files_of_values();
        if !is_same {
            return None;
        }
        let [old, new] = [&before.values, &after.values];
        let differs = |name: &&Text| match (old.get(name), new.get(name)) {
            (Some(before), Some(after)) => !same(before, after),
            _ => true,
        };
        let names = old.iter().chain(new.iter()).map(|entry| &entry.key);
        let names: BTreeSet<Text> = names.filter(differs).cloned().collect();
        let key = (number, names);
        if let Some(known) = self.0.lock().get(&key) {
            return known.clone();
        }
        let reached = after.root.reached(&key.1).map(Arc::new);
        self.0.lock().entry(key).or_insert(reached).clone()
    }
}

/// The components of both sides whose code may make something else.
fn pairs(resolutions: [&Resolution; 2], diff: &Diff, code: &CodeChanges) -> Vec<(Placed, Placed)> {
    let renamed: BTreeMap<Address, Address> = diff
        .renames
        .iter()
        .map(|rename| (diff.components[rename.to].address(), diff.components[rename.from].address()))
        .collect();
    let modified = diff.components.iter().filter(|change| change.status == Status::Modified).map(|c| c.address());
    let wanted: BTreeSet<Address> =
        modified.chain(renamed.keys().cloned()).chain(code.touched.keys().cloned()).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let [base, head] = resolutions.map(Resolution::components);
    let pair = |address: &Address| {
        let before = base.get(renamed.get(address).unwrap_or(address))?;
        Some((before.clone(), head.get(address)?.clone()))
    };
    wanted.iter().filter_map(pair).collect()
}

/// Marks the inputs that differ and that no code reads, and the changed code that makes the same as before.
pub(crate) fn mark(code: &mut [CodeChange], diff: &mut Diff, evaluated: &Compared) {
    let owners: BTreeSet<Address> =
        diff.components.iter().filter_map(|change| Some(Address::clone(change.made_by()?))).collect();
    for change in code {
        let is_same = |address: &Address| evaluated.contains_key(address) && !owners.contains(address);
        change.makes_the_same = change.is_loaded && change.components.iter().all(is_same);
    }
    for component in diff.components.iter_mut().filter(|change| change.status == Status::Modified) {
        let Some(read) = evaluated.get(&component.address()).and_then(|code| code.read.as_ref()) else { continue };
        let Some(after) = &component.after else { continue };
        let inputs = format!("/{}/", after.language.vocabulary.inputs);
        for change in &mut component.changes {
            let name = change.path.strip_prefix(&inputs).and_then(|rest| rest.split('/').next());
            change.is_idle = name.is_some_and(|name| !read.contains(&format!("var.{name}")));
        }
    }
}

/// The components that differ, or whose code does, and of which nothing differs that a run would apply, as far as that is evaluated:
/// no argument of a resource, a provider or a call of a module, no output, nothing of the configuration but inputs that no code reads. And
/// of some others that are listed for their code alone those that run code on both sides that says the same.
pub(crate) fn equal(
    (diff, code): (&Diff, &CodeChanges),
    evaluated: &Compared,
    of_code: impl Iterator<Item = Address>,
    runs: [&Runs; 2],
) -> BTreeSet<Address> {
    let mut all: BTreeSet<Address> =
        evaluated.iter().filter(|(_, code)| code.read.is_some()).map(|(a, _)| a.clone()).collect();
    let runs_on_both = |address: &Address| runs.iter().all(|side| side.of(address).is_some());
    all.extend(of_code.filter(|address| runs_on_both(address) && !code.touched.contains_key(address)));
    for change in &diff.components {
        let is_idle = change.status == Status::Modified && change.changes.iter().all(|change| change.is_idle);
        match change.made_by() {
            Some(owner) => all.remove(&**owner),
            None => !is_idle && all.remove(&change.address()),
        };
    }
    let is_evaluated =
        |address: &Address| code.touched.get(address).is_none_or(|all| all.iter().all(|one| one.is_evaluated));
    all.retain(is_evaluated);
    all
}

/// A resolution of what the code makes alone.
pub(crate) fn alone(resolution: &Resolution) -> Resolution {
    Resolution { units: resolution.made.clone(), config: resolution.config.clone(), ..Resolution::default() }
}
