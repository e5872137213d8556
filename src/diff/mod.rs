//! The changes between two resolutions, and the lines that cause them.
//!
//! Components are matched by address. What both sides share is skipped by identity, so the work grows with what changed.

pub(crate) mod causes;
mod defined;
pub(crate) mod edits;
pub(crate) mod group;
mod imports;
pub(crate) mod inline;
pub(crate) mod locals;
pub(crate) mod mask;
pub(crate) mod merged;
mod pairs;
pub(crate) mod pointer;
pub(crate) mod renames;
pub(crate) mod rewrite;
pub(crate) mod same;
pub(crate) mod structural;

use crate::files::Files;
use crate::limits::count_steps;
use crate::resolution::{Address, Component, ComponentMetadata, Repetition, Resolution, State};
use crate::text::Text;
use crate::threads;
use crate::value::{Data, FileId, Value};
use pairs::{Components, Located, Pair, candidates, pairs};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use structural::DiffStep;

/// One of the two revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    /// The older one.
    Base,
    /// The newer one.
    Head,
}

impl Side {
    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Base => "base",
            Side::Head => "head",
        }
    }
}

/// The change of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Status {
    /// It is new.
    Added,
    Removed,
    /// Its configuration differs.
    Modified,
}

impl Status {
    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Status::Added => "added",
            Status::Removed => "removed",
            Status::Modified => "modified",
        }
    }
}

/// The kind of change at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ChangeKind {
    /// There is a value where none was.
    Added,
    /// The value is removed.
    Removed,
    /// The value is another one.
    Changed,
}

impl ChangeKind {
    /// Whether one is that something comes, and the other one that something goes.
    pub(crate) fn is_reverse_of(self, other: Self) -> bool {
        matches!((self, other), (ChangeKind::Added, ChangeKind::Removed) | (ChangeKind::Removed, ChangeKind::Added))
    }

    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
        }
    }

    /// The mark in front of a line of text.
    pub(crate) fn sign(self) -> char {
        match self {
            ChangeKind::Added => '+',
            ChangeKind::Removed => '-',
            ChangeKind::Changed => '~',
        }
    }
}

/// An edited line that made a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cause {
    /// The revision whose line it is: a removed line is in the base, an added one in the head.
    pub side: Side,
    pub file: FileId,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// One difference of a component.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// JSON Pointer into the component, as it is while the changes are applied in order.
    pub path: String,
    pub kind: ChangeKind,
    /// The value before; `None` if it was added.
    pub before: Option<Value>,
    /// The value after; `None` if it was removed.
    pub after: Option<Value>,
    /// The lines that made the difference, sorted by place.
    pub causes: Vec<Cause>,
    /// Whether it looks like a secret by the keys on its path, or by a sibling.
    pub is_secret: bool,
    /// Whether both values are the same call, spelled differently: the text changes, the result does not.
    pub is_same_call: bool,
    /// Whether it is an input that the code of the component is known not to read.
    pub is_idle: bool,
    /// For an item that moves within its list: the move that this change is a half of. The other half is the other kind
    /// (one of `Added` and `Removed`) of the same list.
    pub moved: Option<Moved>,
    /// For a removed list item that does not move: its index in the list of the base.
    pub base_index: Option<usize>,
}

impl Change {
    /// The names of what an unknown value reads that differs, if it is unknown on both sides: files and values.
    pub(crate) fn edited_reads(&self) -> Vec<&Text> {
        match (self.before.as_ref().map(|value| &value.data), self.after.as_ref().map(|value| &value.data)) {
            (Some(Data::Unknown(before)), Some(Data::Unknown(after))) => before.reads_that_differ(after),
            _ => Vec::new(),
        }
    }
}

/// The indexes of a list item that moves and keeps its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Moved {
    /// The index in the list of the base.
    pub from: usize,
    /// The index in the list of the head.
    pub to: usize,
}

/// A component that differs.
#[derive(Clone, Debug)]
pub(crate) struct ComponentChange {
    /// The folder of its project, where several projects were compared; else empty.
    pub project: Text,
    pub stack: Text,
    pub kind: Text,
    pub name: Text,
    /// The change of the component.
    pub status: Status,
    /// The differences of a modified component, to be applied in order as RFC 6902 has it; else none.
    pub changes: Vec<Change>,
    /// The lines behind all of it, sorted by place; of a component that is new or gone, the files that decide it come first.
    pub causes: Vec<Cause>,
    /// The component before; `None` if it is added.
    pub before: Option<Arc<Component>>,
    /// The component after; `None` if it is removed.
    pub after: Option<Arc<Component>>,
}

impl ComponentChange {
    /// Whether it is the same change of the same files, of a project that shares these with another one.
    pub(crate) fn is_same(&self, other: &ComponentChange) -> bool {
        let own = |c: &ComponentChange| (c.address(), c.status, c.causes.clone());
        let values = |c: &ComponentChange| [&c.before, &c.after].map(|side| side.as_ref().map(|c| c.value.clone()));
        !self.causes.is_empty()
            && own(self) == own(other)
            && self.changes == other.changes
            && values(self) == values(other)
    }

    /// The component whose code makes it, if it is no component itself.
    pub(crate) fn made_by(&self) -> Option<&Arc<Address>> {
        self.after.as_ref().or(self.before.as_ref())?.metadata.made_by.as_ref()
    }

    /// The stack that is deployed: that of the component whose code makes it.
    pub(crate) fn deployed_stack(&self) -> &Text {
        self.made_by().map_or(&self.stack, |owner| &owner.0)
    }

    /// Whether all that is said of it is that values are not known, because they read what changes.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.status == Status::Modified && self.changes.iter().all(|change| !change.edited_reads().is_empty())
    }

    /// Whether the code of a component makes it.
    pub(crate) fn is_made(&self) -> bool {
        self.made_by().is_some()
    }

    /// The address of the component.
    pub(crate) fn address(&self) -> Address {
        (Text::clone(&self.stack), Text::clone(&self.kind), Text::clone(&self.name))
    }
}

/// All that differs, sorted by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Diff {
    /// The components that differ.
    pub components: Vec<ComponentChange>,
    /// Removed components whose configuration an added one has.
    pub renames: Vec<renames::Rename>,
    /// The local names that differ, sorted by file, scope and name.
    pub locals: Vec<locals::LocalChange>,
    /// Parts that could not be compared because one side could not be resolved: units, and components as `unit: name`.
    /// Sorted.
    pub unresolved: Vec<String>,
    /// The stacks of removed components that the head has no component of any more.
    pub removed_stacks: BTreeSet<Text>,
}

impl Diff {
    /// Keeps the components for which `keep` returns `true`. A rename that loses one side is dropped.
    pub(crate) fn retain(&mut self, keep: impl Fn(&ComponentChange) -> bool) {
        let mut places: Vec<Option<usize>> = Vec::with_capacity(self.components.len());
        let mut kept = 0;
        for component in &self.components {
            let is_kept = keep(component);
            places.push(is_kept.then_some(kept));
            kept += usize::from(is_kept);
        }
        self.components.retain(|component| keep(component));
        let place = |i: usize| places.get(i).copied().flatten();
        self.renames.retain_mut(|rename| match (place(rename.from), place(rename.to)) {
            (Some(from), Some(to)) => {
                (rename.from, rename.to) = (from, to);
                true
            }
            _ => false,
        });
    }

    /// Adds the components of another comparison, with their renames.
    pub(crate) fn extend_components(&mut self, other: &Diff) {
        let offset = self.components.len();
        self.components.extend(other.components.iter().cloned());
        let moved = |rename: &renames::Rename| renames::Rename {
            from: rename.from + offset,
            to: rename.to + offset,
            ..rename.clone()
        };
        self.renames.extend(other.renames.iter().map(moved));
    }
}

/// Options of a comparison.
#[derive(Clone, Copy, Default)]
pub(crate) struct DiffOptions<'a> {
    /// Which components are examined; all of them if this is `None`.
    pub filter: Option<&'a (dyn Fn(&Address) -> bool + Sync)>,
    /// Whether the file at a path differs between the revisions (or is in only one of them), if the caller knows.
    /// Without it, a file that only one side *uses* is treated as a cause if there is no better one.
    pub touched: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
}

impl DiffOptions<'_> {
    /// Whether a component is examined.
    fn examines(&self, component: &Component) -> bool {
        self.filter.is_none_or(|filter| filter(&component.address()))
    }
}

/// Compares two resolutions whose files are all in `files`. Units that one side only lists
/// ([`State::OutOfScope`]) are skipped, because their components are unknown.
pub(crate) fn diff(base: &Resolution, head: &Resolution, files: &Files, options: &DiffOptions) -> Diff {
    let (old, new) = candidates(base, head, options);
    let mut finder = causes::Finder::new(base, head, files, options.touched);
    let mut reach = locals::Reach::new(base, head, files, options.touched);
    let (mut components, mut secrets) = (Vec::new(), mask::Secrets::default());
    for batch in pairs(&old, &new).chunks(BATCH) {
        let parts: Vec<&[Pair<'_>]> = batch.chunks(PART).collect();
        let differing = threads::map(&parts, |part| part.iter().filter_map(compare).collect::<Vec<_>>());
        for mut found in differing.into_iter().flatten() {
            found.find_causes(&mut finder, &mut secrets);
            reach.note(&found.change, found.pair.old, found.pair.new);
            components.push(found.change);
        }
    }
    let renames = renames::find(&components, [&old, &new], [base, head], &mut finder);
    let removed_stacks = removed_stacks(&components, base, head);
    let locals = reach.finish([base, head], files, options);
    Diff { components, renames, locals, removed_stacks, unresolved: unresolved(base, head) }
}

/// Removes from the components of two units what is the same in both.
pub(crate) fn keep_differing([old, new]: [&mut Vec<Arc<Component>>; 2]) {
    let known: HashMap<Address, &Arc<Component>> =
        old.iter().map(|component| (component.address(), component)).collect();
    let is_same = |after: &&Arc<Component>| {
        let is_same = |before: &Component| {
            difference(before, after).is_empty() && same::same(&before.metadata.protection, &after.metadata.protection)
        };
        known.get(&after.address()).is_some_and(|before| is_same(before))
    };
    let same: HashSet<Address> = new.iter().filter(is_same).map(|component| component.address()).collect();
    [old, new].into_iter().for_each(|side| side.retain(|component| !same.contains(&component.address())));
}

/// How many components are compared before their causes are searched: what differs in them is in memory at once.
const BATCH: usize = 8192;
/// How many components a thread compares at a time.
const PART: usize = 64;

/// A component that differs, before its causes are known.
struct Differing<'a> {
    pair: Pair<'a>,
    /// The differences, without their paths; none if only one side has the component.
    steps: Vec<DiffStep<'a>>,
    /// The change, without causes.
    change: ComponentChange,
}

/// Compares the sides of a component; `None` if nothing differs.
fn compare<'a>(pair: &Pair<'a>) -> Option<Differing<'a>> {
    let name = || {
        pair.new.or(pair.old).map_or_else(String::new, |one| format!("{}/{}", one.component.stack, one.component.name))
    };
    let mut steps = count_steps(name, || steps(pair));
    let (status, located) = match (pair.old, pair.new) {
        (Some(_), Some(_)) if steps.is_empty() => return None,
        (Some(old), Some(new)) if new.component.metadata.is_open() => (Status::Modified, old),
        (Some(_), Some(new)) => (Status::Modified, new),
        (Some(old), None) => (Status::Removed, old),
        (None, Some(new)) => (Status::Added, new),
        (None, None) => return None,
    };
    let (stack, kind, name) = located.component.address();
    let of = |side: Option<Located<'_>>| side.map(|located| Arc::clone(located.component));
    let change = |step: &mut DiffStep<'_>| Change {
        path: std::mem::take(&mut step.path),
        kind: step.kind,
        before: step.before.cloned(),
        after: step.after.cloned(),
        causes: Vec::new(),
        is_secret: false,
        is_same_call: step.is_same_call,
        is_idle: false,
        moved: step.moved,
        base_index: step.base_index,
    };
    let change = ComponentChange {
        project: Text::from(""),
        stack,
        kind,
        name,
        status,
        changes: steps.iter_mut().map(change).collect(),
        causes: Vec::new(),
        before: of(pair.old),
        after: of(pair.new),
    };
    Some(Differing { pair: *pair, steps, change })
}

/// The path of the change of what manages a component, which is no part of its configuration.
pub(crate) const MANAGED_BY: &str = "/provider";

/// The differences of a component of both sides; none if it is of one.
fn steps<'a>(pair: &Pair<'a>) -> Vec<DiffStep<'a>> {
    match (pair.old, pair.new) {
        (Some(old), Some(new)) => difference(old.component, new.component),
        _ => Vec::new(),
    }
}

/// The differences of two states of a component.
fn difference<'a>(old: &'a Component, new: &'a Component) -> Vec<DiffStep<'a>> {
    let [before, after] = [&old.metadata, &new.metadata];
    let mut steps = structural::compare(&old.value, &new.value, &new.language, [&*before.calls, &*after.calls]);
    steps.extend(repetitions(before, after));
    if before.managed_by != after.managed_by {
        steps.push(DiffStep::of_whole(MANAGED_BY, [&before.managed_by, &after.managed_by]));
    }
    steps
}

/// What repeats an instance, and differs, where it is not known which instances there are.
fn repetitions<'a>(before: &'a ComponentMetadata, after: &'a ComponentMetadata) -> Vec<DiffStep<'a>> {
    let levels = [before, after].map(|side| side.instance_of.iter().flat_map(|instance| &instance.levels));
    let [before, after] = levels;
    let differs = |(before, after): &(&Repetition, &Repetition)| {
        before.is_open != after.is_open || before.is_open && !same::same(&before.value, &after.value)
    };
    let differing = before.zip(after).filter(differs);
    let step = |(before, after): (&'a Repetition, &'a Repetition)| {
        let open = if after.is_open { after } else { before };
        DiffStep::of_whole(&format!("/{}", open.argument), [&before.value, &after.value])
    };
    differing.map(step).collect()
}

impl Differing<'_> {
    /// Finds the lines behind the change and its differences, and which of these are secrets.
    fn find_causes(&mut self, finder: &mut causes::Finder, secrets: &mut mask::Secrets) {
        let changes = &mut self.change.changes;
        self.change.causes = match (self.pair.old, self.pair.new) {
            (Some(old), Some(new)) => {
                for (step, change) in self.steps.iter().zip(changes.iter_mut()) {
                    change.causes = finder.of_step(step, &self.steps, old, new);
                    change.is_secret = secrets.has(&change.path, [&old.component.value, &new.component.value]);
                }
                match changes.as_slice() {
                    [only] if only.causes.len() < causes::MAX_CAUSES => only.causes.clone(),
                    all => finder.union(all.iter().flat_map(|c| c.causes.iter().copied())),
                }
            }
            (Some(old), None) => finder.of_component(Side::Base, old),
            (None, Some(new)) => finder.of_component(Side::Head, new),
            (None, None) => Vec::new(),
        };
    }
}

/// Stacks that nothing is left of, neither resolved nor broken.
fn removed_stacks(components: &[ComponentChange], base: &Resolution, head: &Resolution) -> BTreeSet<Text> {
    let removed = components.iter().filter(|c| c.status == Status::Removed);
    let mut removed_stacks: BTreeSet<Text> = removed.map(|c| Text::clone(&c.stack)).collect();
    if !removed_stacks.is_empty() {
        for component in head.units.iter().flat_map(|u| &u.components) {
            removed_stacks.remove(&component.stack);
        }
        for stack in head.empty_stacks() {
            removed_stacks.remove(stack);
        }
        let incomplete = head.incomplete_stacks(base);
        removed_stacks.retain(|stack| !incomplete.contains(stack));
    }
    removed_stacks
}

fn unresolved(base: &Resolution, head: &Resolution) -> Vec<String> {
    let units = [base, head].into_iter().flat_map(|e| &e.units);
    let names = units.flat_map(|unit| {
        let whole = (unit.state == State::Broken).then(|| unit.name.to_string());
        let parts = unit.failed.iter().chain(unit.broken.iter().map(|(_, name)| name));
        whole.into_iter().chain(parts.map(|name| format!("{}: {name}", unit.name)))
    });
    names.collect::<BTreeSet<String>>().into_iter().collect()
}

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
