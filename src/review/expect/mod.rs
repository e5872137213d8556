//! What a change is expected to do, and whether it does: a certificate, or what contradicts it.
//!
//! An expectation is proved only if everything that could have an effect was compared. What is not known, was not resolved or was
//! not read leaves it open; what differs and is known refutes it.

mod files;
mod moved_folder;
mod renaming;

pub(crate) use renaming::{Renaming, Subject, Unkept};

pub(super) use files::{ComparedProject, Unseen, run_settings};

use super::outcome::Outcome;
use super::{Comparison, Coverage};
use crate::diff::renames::Rename;
use crate::diff::{Change, ChangeKind, ComponentChange, structural};
use crate::reads::made_of;
use crate::resolution::{Address, Component, Resolution, State};
use crate::source::glob::Glob;
use crate::text::Text;
use crate::threads;
use crate::value::{Data, Flags, Value, is_call};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// What a change is expected to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// It has no effect.
    Nothing,
    /// Components and resources get other addresses, and keep their state. Nothing else.
    Moves,
    /// A component gets another name, and everything else follows from that or stays as it is.
    Renamed(Arc<Renaming>),
    /// It has an effect in what matches only.
    Only(Glob),
}

impl Expectation {
    /// Reads `none`, `moves` or `only=GLOB`.
    ///
    /// # Errors
    /// It is none of these, or not a pattern.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("only=")) {
            ("none", _) => Ok(Expectation::Nothing),
            ("moves", _) => Ok(Expectation::Moves),
            (_, Some(glob)) if !glob.is_empty() => {
                Glob::new(glob).map(Expectation::Only).map_err(|e| format!("`{glob}` is not a valid pattern: {e}"))
            }
            _ => Err("expected `none`, `moves` or `only=GLOB`".to_owned()),
        }
    }

    /// Whether an effect in a component is expected: the pattern matches its stack, its name, or `STACK/NAME`.
    fn allows(&self, (stack, _, name): &Address) -> bool {
        match self {
            Expectation::Only(glob) => {
                glob.matches(stack) || glob.matches(name) || glob.matches(&format!("{stack}/{name}"))
            }
            Expectation::Nothing | Expectation::Moves | Expectation::Renamed(_) => false,
        }
    }

    /// Whether addresses may change.
    fn is_about_names(&self) -> bool {
        matches!(self, Expectation::Moves | Expectation::Renamed(_))
    }

    /// What gets another name, if that is what is expected.
    fn renaming(&self) -> Option<&Renaming> {
        match self {
            Expectation::Renamed(renaming) => Some(renaming),
            _ => None,
        }
    }

    /// Whether all of a stack may have an effect.
    pub(super) fn allows_stack(&self, stack: &str) -> bool {
        matches!(self, Expectation::Only(glob) if glob.matches(stack))
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expectation::Nothing => f.write_str("none"),
            Expectation::Moves => f.write_str("moves"),
            Expectation::Renamed(renaming) => write!(f, "{} becomes {}", renaming.old, renaming.new),
            Expectation::Only(glob) => write!(f, "only={}", glob.as_str()),
        }
    }
}

/// Whether a change does what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proved,
    /// Something differs that must not.
    Refuted,
    /// Nothing refutes it, and something is not known.
    NotProvable,
}

impl Verdict {
    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Refuted => "refuted",
            Verdict::NotProvable => "not-provable",
        }
    }
}

/// What was found about an expectation.
#[derive(Clone, Debug)]
pub(crate) struct Proof {
    pub expectation: Expectation,
    /// What differs and must not, the smallest first.
    pub refuting: Vec<Counterexample>,
    /// What is not known.
    pub open: Vec<Open>,
    /// What differs and is only there to be inherited from: indexes into [`crate::diff::Diff::components`].
    pub bases: Vec<usize>,
    /// What does not stay the same under its new name.
    pub unkept: Vec<Unkept>,
    /// The files that differ and can have no effect, sorted.
    pub harmless: Vec<Text>,
    /// The number of stacks and components that were resolved, and of resources that were evaluated.
    pub resolved: [usize; 3],
    /// The number of stacks that were not resolved, because they read nothing that differs: they are the same on both sides.
    pub untouched: usize,
    /// The number of values that are known only at run time, and are made of the same on both sides.
    pub unknown: usize,
    /// The number of components and resources that get another address and keep their state.
    pub moved: usize,
    /// The components that can be deployed, of base and head; `None` unless all are wanted.
    deployable: Option<[Vec<Arc<Component>>; 2]>,
}

/// Something that differs and must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counterexample {
    /// An index into [`crate::diff::Diff::components`].
    pub component: usize,
    /// An index into its changes; `None` if all of it is added or removed.
    pub change: Option<usize>,
}

/// Something that may differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Open {
    /// A value that is not known: indexes as in [`Counterexample`].
    Value { component: usize, change: usize },
    /// A part that could not be resolved, or a folder that was not analyzed.
    Part(String),
    /// Files of code that differ in what is not evaluated, and the number of components that run it.
    Code { files: Vec<Text>, components: usize },
    /// A setting of the system, whose effect the values of components do not show: file and path in it.
    Setting { file: Text, path: String },
    /// A file that differs and that nothing compares.
    File(Text),
}

impl Proof {
    /// Judges a comparison. `unseen` is what it leaves out, `sides` are the resolutions of base and head. Whoever is strict had
    /// everything resolved, and may ask for digests.
    pub(super) fn of(
        expectation: &Expectation,
        comparison: &Comparison,
        coverage: &Coverage,
        unseen: Unseen,
        ([before, after], is_strict): ([&[&Resolution]; 2], bool),
    ) -> Proof {
        let diff = &comparison.diff;
        let same = expectation.renaming().map(|renaming| renaming.same_reads(&diff.components)).unwrap_or_default();
        let (kept, unkept) = match expectation {
            Expectation::Moves => {
                let kept = diff.renames.iter().filter(|one| keeps_all(one, &diff.components));
                (kept.map(|rename| [rename.from, rename.to]).collect(), Vec::new())
            }
            Expectation::Renamed(renaming) => renaming.judge(&diff.components, &same),
            Expectation::Nothing | Expectation::Only(_) => (Vec::new(), Vec::new()),
        };
        let moved: BTreeSet<usize> = kept.iter().flatten().copied().collect();
        let (mut refuting, mut open, mut bases) = (Vec::new(), unseen.open, Vec::new());
        for (component, change) in diff.components.iter().enumerate() {
            let is_moved = |one: &Change| {
                let Some(after) = &change.after else { return false };
                let is_new_name =
                    || Some(expectation.renaming()?.explains(one, [change.before.as_ref()?, after], &same));
                expectation.is_about_names() && (is_name(&one.path, after) || is_new_name() == Some(true))
            };
            let is_base = is_base(change, expectation);
            if moved.contains(&component) || expectation.allows(&owner(change)) {
                continue;
            }
            if is_base {
                if expectation.renaming().is_some_and(|renaming| renaming.is_about(change)) {
                    continue;
                }
                let is_kept = |one: &Change| expectation.renaming().is_some_and(|all| all.added.contains(&one.path));
                let is_same = |one: &Change| is_moved(one) || is_kept(one);
                bases.extend((change.changes.is_empty() || !change.changes.iter().all(is_same)).then_some(component));
                continue;
            }
            if change.changes.is_empty() {
                refuting.push(Counterexample { component, change: None });
            }
            let differing = change.changes.iter().enumerate();
            let is_kept = |one: &Change| one.is_same_call || is_moved(one) || is_local(change, one);
            for (index, one) in differing.filter(|(_, one)| !is_kept(one)) {
                match is_uncertain(one) {
                    true => open.push(Open::Value { component, change: index }),
                    false => refuting.push(Counterexample { component, change: Some(index) }),
                }
            }
        }
        refuting.sort_by_cached_key(|one| size(&diff.components[one.component], one.change));
        let lacking = coverage.lacking();
        let is_allowed = |stack: &Option<Text>| stack.as_ref().is_some_and(|stack| expectation.allows_stack(stack));
        let parts = lacking.iter().filter(|(_, one)| !is_allowed(&one.stack)).map(|(_, one)| one.name());
        open.extend(parts.chain(coverage.not_analyzed.iter().cloned()).map(Open::Part));
        if coverage.has_empty_project() {
            open.push(Open::Part("a project without a stack that could be analyzed".to_owned()));
        }
        let is_named = |path: &Text| expectation.renaming().is_some_and(|renaming| renaming.files.contains(path));
        open.extend(unseen.files.into_iter().filter(|path| !is_named(path)).map(Open::File));
        open.sort();
        open.dedup();
        let ((stacks, components), untouched) = (coverage.totals(), coverage.untouched());
        Proof {
            expectation: expectation.clone(),
            refuting,
            open,
            bases,
            unkept,
            harmless: unseen.harmless.into_iter().collect(),
            resolved: [stacks.saturating_sub(untouched), components, unseen.resources],
            untouched,
            unknown: deployed(after).map(|component| unknown_parts(&component.value)).sum(),
            moved: kept.len(),
            deployable: is_strict.then(|| [before, after].map(deployable)),
        }
    }

    /// Digests of the configuration of all components that can be deployed, of base and head: `sha256:…`. Equal configurations have
    /// equal digests. `None` unless all components were asked for.
    pub(crate) fn digests(&self) -> Option<[String; 2]> {
        Some(self.deployable.as_ref()?.each_ref().map(|components| digest(components)))
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match (self.refuting.is_empty(), self.open.is_empty()) {
            (false, _) => Verdict::Refuted,
            (true, false) => Verdict::NotProvable,
            (true, true) => Verdict::Proved,
        }
    }

    /// How a run ends that only asks for it.
    pub(super) fn outcome(&self) -> Outcome {
        match self.verdict() {
            Verdict::Proved => Outcome::Clean,
            Verdict::Refuted => Outcome::Changes,
            Verdict::NotProvable => Outcome::Fails(format!("`{}` is not provable", self.expectation)),
        }
    }
}

/// The component that is deployed with what differs.
fn owner(change: &ComponentChange) -> Address {
    change.made_by().map_or_else(|| change.address(), |owner| Address::clone(owner))
}

/// Whether it is only there to be inherited from, before and after, or to say how addresses change, where that is expected.
fn is_base(change: &ComponentChange, expectation: &Expectation) -> bool {
    let mut sides = change.before.iter().chain(&change.after);
    let says_moves = |component: &Component| component.kind == component.language.vocabulary.moves;
    let are_moves_expected = expectation.is_about_names();
    sides.all(|component| component.metadata.is_abstract || are_moves_expected && says_moves(component))
}

/// Whether a component gets another address, keeps its state, and everything else about it is the same.
fn keeps_all(rename: &Rename, components: &[ComponentChange]) -> bool {
    let (Some(before), Some(after)) = (&components[rename.from].before, &components[rename.to].after) else {
        return false;
    };
    let calls = [&*before.metadata.calls, &*after.metadata.calls];
    let steps = structural::compare(&before.value, &after.value, &after.language, calls);
    !rename.moves_state
        && !rename.is_replaced
        && before.metadata.managed_by == after.metadata.managed_by
        && steps.iter().all(|step| step.is_same_call || is_name(&step.path, after))
}

/// Whether a change is about a name that only files see: it has no effect but in what reads it, which is compared.
fn is_local(component: &ComponentChange, change: &Change) -> bool {
    let sides = [&component.before, &component.after];
    let is_section = |side: &Arc<Component>| {
        let locals = side.language.vocabulary.locals;
        !locals.is_empty() && change.path.split('/').nth(1) == Some(locals)
    };
    sides.into_iter().flatten().all(is_section)
}

/// Whether what is at a path only says what a component is called and where it is written, and not where its state is.
fn is_name(path: &str, component: &Component) -> bool {
    let vocabulary = component.language.vocabulary;
    let is_state = vocabulary.state.as_ref().is_some_and(|state| {
        [state.backend, state.backend_type, state.workspace].iter().any(|at| !at.is_empty() && path.starts_with(at))
    });
    let section = path.split('/').nth(1);
    !is_state && section.is_some_and(|section| vocabulary.named_after.contains(&section))
}

/// Whether it is not known what differs: a value of both sides, and one of them is known only at run time.
fn is_uncertain(change: &Change) -> bool {
    let is_open =
        |value: &Option<Value>| value.as_ref().is_some_and(|v| v.holds(Flags::UNKNOWN) || v.holds(Flags::CALL));
    change.kind == ChangeKind::Changed && (is_open(&change.before) || is_open(&change.after))
}

/// By what differences are sorted: those of the configuration first, then those with the least text.
fn size(component: &ComponentChange, change: Option<usize>) -> (bool, bool, usize, Address, String) {
    let text = |value: &Option<Value>| value.as_ref().map_or(0, |value| made_of::bytes(value).len());
    let (length, path) = match change.map(|index| &component.changes[index]) {
        Some(change) => (text(&change.before) + text(&change.after), change.path.clone()),
        None => (0, String::new()),
    };
    (component.is_made(), change.is_none(), length, component.address(), path)
}

/// The components that are not only there to be inherited from.
fn deployed<'a>(sides: &'a [&Resolution]) -> impl Iterator<Item = &'a Arc<Component>> {
    let units = sides.iter().flat_map(|side| &side.units).filter(|unit| unit.state == State::Resolved);
    units.flat_map(|unit| &unit.components).filter(|component| !component.metadata.is_abstract)
}

/// The same, by address.
fn deployable(sides: &[&Resolution]) -> Vec<Arc<Component>> {
    let mut all: Vec<Arc<Component>> = deployed(sides).cloned().collect();
    all.sort_by_cached_key(|component| component.address());
    all
}

/// The number of values within a value that are known only at run time.
fn unknown_parts(value: &Value) -> usize {
    match &value.data {
        Data::Unknown(_) => 1,
        Data::Str(text) => usize::from(is_call(text)),
        _ if !value.holds(Flags::UNKNOWN) && !value.holds(Flags::CALL) => 0,
        Data::List(items) => items.iter().map(unknown_parts).sum(),
        Data::Map(map) => map.iter().map(|entry| unknown_parts(&entry.value)).sum(),
        _ => 0,
    }
}

/// A digest of the configuration of all components, equal for equal configurations.
fn digest(components: &[Arc<Component>]) -> String {
    let one = |component: &Arc<Component>| {
        let (stack, kind, name) = component.address();
        let mut hash = Sha256::new();
        for part in [stack, kind, name] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        for value in [&component.value, &component.metadata.managed_by].into_iter().chain(&*component.metadata.calls) {
            let bytes = made_of::bytes(value);
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
        }
        hash.finalize()
    };
    let mut whole = Sha256::new();
    threads::map(components, one).iter().for_each(|part| whole.update(part));
    let hex: String = whole.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
