//! The changes between two resolutions, and the lines that cause them.
//!
//! Components are matched by address. What both sides share is skipped by identity, so the work grows with what changed.

pub(crate) mod causes;
pub(crate) mod edits;
pub(crate) mod group;
mod imports;
pub(crate) mod inline;
pub(crate) mod locals;
pub(crate) mod mask;
pub(crate) mod pointer;
pub(crate) mod renames;
mod rewrite;
pub(crate) mod same;
pub(crate) mod structural;

use crate::files::Files;
use crate::resolution::{Address, Component, Resolution, State, Unit};
use crate::text::{FastSet, Text, order};
use crate::threads;
use crate::value::{FileId, Value};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};
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
    /// It is removed.
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
    /// The file.
    pub file: FileId,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// One difference of a component.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// JSON Pointer into the component, as it is while the changes are applied in order.
    pub path: String,
    /// The kind of change.
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
    /// For an item that moves within its list: the move that this change is a half of. The other half is the other kind
    /// (one of `Added` and `Removed`) of the same list.
    pub moved: Option<Moved>,
    /// For a removed list item that does not move: its index in the list of the base.
    pub base_index: Option<usize>,
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
    /// Its stack.
    pub stack: Text,
    /// Its type.
    pub kind: Text,
    /// Its name.
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

/// Compares two resolutions whose files are all in `files`. Units that one side only lists (see [`Unit::state`]) are
/// skipped, because their components are unknown.
pub(crate) fn diff(base: &Resolution, head: &Resolution, files: &Files, options: &DiffOptions) -> Diff {
    let (old, new) = candidates(base, head, options);
    let mut finder = causes::Finder::new(base, head, files, options.touched);
    let mut reach = locals::Reach::new(base, head, files, options.touched);
    let (mut components, mut secrets) = (Vec::new(), mask::Secrets::default());
    for batch in pairs(&old, &new).chunks(BATCH) {
        let parts: Vec<&[Pair<'_>]> = batch.chunks(PART).collect();
        let differing = threads::map(&parts, |part| part.iter().filter_map(Pair::compare).collect::<Vec<_>>());
        for Differing { pair, steps, change } in differing.into_iter().flatten() {
            let change = with_causes(change, pair, steps, &mut finder, &mut secrets);
            reach.note(&change, pair.old, pair.new);
            components.push(change);
        }
    }
    let renames = renames::find(&components, [&old, &new], [base, head], &mut finder);
    let removed_stacks = removed_stacks(&components, base, head);
    let locals = reach.finish([base, head], files, options);
    Diff { components, renames, locals, removed_stacks, unresolved: unresolved(base, head) }
}

/// A component of one side, with its unit.
#[derive(Clone, Copy)]
pub(crate) struct Located<'a> {
    component: &'a Arc<Component>,
    unit: &'a Arc<Unit>,
}

/// A component of both sides, or of one.
#[derive(Clone, Copy)]
struct Pair<'a> {
    old: Option<Located<'a>>,
    new: Option<Located<'a>>,
}

/// How many components are compared before their causes are searched: what differs in them is in memory at once.
const BATCH: usize = 8192;
/// How many components a thread compares at a time.
const PART: usize = 64;

/// A component that differs, before its causes are known.
struct Differing<'a> {
    pair: Pair<'a>,
    /// The differences; none if only one side has the component.
    steps: Vec<DiffStep<'a>>,
    /// The change without differences and causes.
    change: ComponentChange,
}

impl<'a> Pair<'a> {
    /// Compares the sides; `None` if nothing differs.
    fn compare(&self) -> Option<Differing<'a>> {
        let steps = self.steps();
        let (status, located) = match (self.old, self.new) {
            (Some(_), Some(_)) if steps.is_empty() => return None,
            (Some(_), Some(new)) => (Status::Modified, new),
            (Some(old), None) => (Status::Removed, old),
            (None, Some(new)) => (Status::Added, new),
            (None, None) => return None,
        };
        let (stack, kind, name) = located.component.address();
        let of = |side: Option<Located<'_>>| side.map(|located| Arc::clone(located.component));
        let change = ComponentChange {
            project: Text::from(""),
            stack,
            kind,
            name,
            status,
            changes: Vec::new(),
            causes: Vec::new(),
            before: of(self.old),
            after: of(self.new),
        };
        Some(Differing { pair: *self, steps, change })
    }

    /// The differences of a component of both sides; none if it is of one.
    fn steps(&self) -> Vec<DiffStep<'a>> {
        match (self.old, self.new) {
            (Some(old), Some(new)) if !Arc::ptr_eq(old.component, new.component) => {
                let (old, new) = (&**old.component, &**new.component);
                match new.differing_from(old) {
                    Some(parts) => structural::compare_parts((&old.value, &new.value), parts, &new.language),
                    None => structural::compare(&old.value, &new.value, &new.language),
                }
            }
            _ => Vec::new(),
        }
    }
}

/// The components of two sides, in the order of their addresses.
fn pairs<'a>(old: &Components<'a>, new: &Components<'a>) -> Vec<Pair<'a>> {
    let (mut a, mut b) = (old.0.iter().copied().peekable(), new.0.iter().copied().peekable());
    let next = || {
        let order = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => by_address(x.component, y.component),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        let old = if order.is_le() { a.next() } else { None };
        let new = if order.is_ge() { b.next() } else { None };
        Some(Pair { old, new })
    };
    std::iter::from_fn(next).collect()
}

/// Adds the differences of a component, and the lines behind them.
fn with_causes(
    mut change: ComponentChange,
    Pair { old, new }: Pair<'_>,
    steps: Vec<DiffStep<'_>>,
    finder: &mut causes::Finder,
    secrets: &mut mask::Secrets,
) -> ComponentChange {
    match (old, new) {
        (Some(old), Some(new)) => {
            for step in steps {
                let causes = finder.of_step(&step, old, new);
                let is_secret = secrets.has(&step.path, [&old.component.value, &new.component.value]);
                change.changes.push(Change {
                    is_same_call: step.is_same_call,
                    moved: step.moved,
                    base_index: step.base_index,
                    is_secret,
                    path: step.path,
                    kind: step.kind,
                    before: step.before.cloned(),
                    after: step.after.cloned(),
                    causes,
                });
            }
            change.causes = match change.changes.as_slice() {
                [only] if only.causes.len() < causes::MAX_CAUSES => only.causes.clone(),
                all => finder.union(all.iter().flat_map(|c| c.causes.iter().copied())),
            };
        }
        (Some(old), None) => change.causes = finder.of_component(Side::Base, old),
        (None, Some(new)) => change.causes = finder.of_component(Side::Head, new),
        (None, None) => {}
    }
    change
}

/// Stacks that nothing is left of, neither resolved nor broken.
fn removed_stacks(components: &[ComponentChange], base: &Resolution, head: &Resolution) -> BTreeSet<Text> {
    let removed = components.iter().filter(|c| c.status == Status::Removed);
    let mut removed_stacks: BTreeSet<Text> = removed.map(|c| Text::clone(&c.stack)).collect();
    if !removed_stacks.is_empty() {
        for component in head.units.iter().flat_map(|u| &u.components) {
            removed_stacks.remove(&component.stack);
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

/// Compares the addresses of components.
fn by_address(a: &Component, b: &Component) -> Ordering {
    order(&a.stack, &b.stack).then_with(|| order(&a.kind, &b.kind)).then_with(|| order(&a.name, &b.name))
}

/// Components of one side, sorted by address; each address once.
struct Components<'a>(Vec<Located<'a>>);

impl<'a> Components<'a> {
    /// Sorts components. Of several with one address the last one counts, as in [`Resolution::components`].
    fn new(all: impl Iterator<Item = Located<'a>>) -> Self {
        let mut all: Vec<Located<'_>> = all.collect();
        all.sort_by(|a, b| by_address(a.component, b.component));
        all.dedup_by(|later, earlier| {
            let is_same = by_address(later.component, earlier.component).is_eq();
            if is_same {
                *earlier = *later;
            }
            is_same
        });
        Components(all)
    }

    fn get(&self, (stack, kind, name): &Address) -> Option<Located<'a>> {
        let compare = |located: &Located<'_>| {
            let Component { stack: own, kind: own_kind, name: own_name, .. } = &**located.component;
            order(own, stack).then_with(|| order(own_kind, kind)).then_with(|| order(own_name, name))
        };
        self.0.binary_search_by(compare).ok().map(|place| self.0[place])
    }
}

/// The components of both sides whose address some unit has that is not shared.
fn candidates<'a>(
    base: &'a Resolution,
    head: &'a Resolution,
    options: &DiffOptions,
) -> (Components<'a>, Components<'a>) {
    let pointers = |side: &Resolution| side.units.iter().map(|unit| Arc::as_ptr(unit).addr()).collect::<HashSet<_>>();
    let shared: HashSet<usize> = pointers(base).intersection(&pointers(head)).copied().collect();
    let units = || [base, head].into_iter().flat_map(|e| &e.units);
    let unresolved: HashSet<&str> = units().filter(|u| u.state != State::Resolved).map(|u| &*u.name).collect();
    let broken: HashSet<(&str, &str, &str)> =
        units().flat_map(|u| u.broken.iter().map(|(kind, name)| (&*u.name, &**kind, &**name))).collect();
    let failed: HashSet<(&str, &str)> = units().flat_map(|u| u.failed.iter().map(|s| (&*u.name, &**s))).collect();
    let relevant = |unit: &Unit| !unresolved.contains(&*unit.name);
    let is_whole = |unit: &Unit, c: &Component| {
        !broken.contains(&(&*unit.name, &*c.kind, &*c.name)) && !failed.contains(&(&*unit.name, &*c.stack))
    };
    let is_shared = |unit: &Arc<Unit>| shared.contains(&Arc::as_ptr(unit).addr());

    // In units that are not shared, all components count; in others those that have an address of these.
    let mut addresses: FastSet<(&Text, &Text, &Text)> = FastSet::default();
    if !shared.is_empty() {
        for unit in units().filter(|unit| relevant(unit) && !is_shared(unit)) {
            let whole = unit.components.iter().filter(|c| is_whole(unit, c) && options.examines(c));
            addresses.extend(whole.map(|c| (&c.stack, &c.kind, &c.name)));
        }
    }
    let counts = |unit: &Arc<Unit>, c: &Component| match is_shared(unit) {
        true => !addresses.is_empty() && addresses.contains(&(&c.stack, &c.kind, &c.name)),
        false => options.examines(c),
    };
    let located = |unit: &'a Arc<Unit>| {
        let counting = unit.components.iter().filter(|c| is_whole(unit, c) && counts(unit, c));
        counting.map(|component| Located { component, unit }).collect::<Vec<_>>()
    };
    let select = |resolution: &'a Resolution| {
        let relevant: Vec<&Arc<Unit>> = resolution.units.iter().filter(|unit| relevant(unit)).collect();
        Components::new(relevant.into_iter().flat_map(located))
    };
    let (mut old, mut new) = (Components(Vec::new()), Components(Vec::new()));
    threads::join(|| old = select(base), || new = select(head));
    (old, new)
}

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
