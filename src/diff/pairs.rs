//! Which components of two sides are compared.

use super::DiffOptions;
use crate::resolution::{Address, Component, InstanceOf, OpenParts, Resolution, State, Unit};
use crate::text::{ByAddress, FastSet, Text, order};
use crate::threads;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A component of one side, with its unit.
#[derive(Clone, Copy)]
pub(super) struct Located<'a> {
    pub component: &'a Arc<Component>,
    pub unit: &'a Arc<Unit>,
}

/// A component of both sides, or of one.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub old: Option<Located<'a>>,
    pub new: Option<Located<'a>>,
}

/// The components of two sides, in the order of their addresses.
pub(super) fn pairs<'a>(old: &Components<'a>, new: &Components<'a>) -> Vec<Pair<'a>> {
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
    let mut pairs: Vec<Pair<'a>> = std::iter::from_fn(next).collect();
    pair_open(&mut pairs);
    pairs
}

/// Pairs instances that are only on one side with what stands for all instances on the other side: where it is not known which
/// ones there are, none is gone and none is new.
fn pair_open(pairs: &mut Vec<Pair<'_>>) {
    let is_single = |pair: &Pair<'_>| pair.old.is_some() != pair.new.is_some();
    let instance = |at: usize| {
        let located = pairs[at].old.or(pairs[at].new)?;
        Some((&located.component.stack, located.component.metadata.instance_of.as_ref()?))
    };
    let single = (0..pairs.len()).filter(|at| is_single(&pairs[*at]));
    let single: Vec<(usize, &Text, &InstanceOf)> =
        single.filter_map(|at| instance(at).map(|(stack, instance)| (at, stack, instance))).collect();
    let side = |at: usize| usize::from(pairs[at].old.is_none());
    let mut open: HashMap<_, Vec<_>> = HashMap::new();
    for (at, stack, instance) in single.iter().filter(|(.., instance)| instance.is_open()) {
        open.entry((side(*at), *stack, &instance.name)).or_default().push((*at, *instance));
    }
    if open.is_empty() {
        return;
    }
    // Two that are open in different places are one pair, whichever comes first.
    let (mut found, mut taken) = (BTreeMap::new(), HashSet::new());
    for (at, stack, instance) in single {
        let others = open.get(&(1 - side(at), stack, &instance.name)).into_iter().flatten();
        let mut others = others.filter(|(other, theirs)| !found.contains_key(other) && instance.may_be(theirs));
        if let Some((other, _)) = others.next().filter(|_| !taken.contains(&at)) {
            found.insert(at, *other);
            taken.insert(*other);
        }
    }
    for (at, other) in found {
        let Pair { old, new } = pairs[other];
        pairs[at] = Pair { old: pairs[at].old.or(old), new: pairs[at].new.or(new) };
    }
    let mut at = 0..;
    pairs.retain(|_| at.next().is_none_or(|at| !taken.contains(&at)));
}

/// Compares the addresses of components.
fn by_address(a: &Component, b: &Component) -> Ordering {
    order(&a.stack, &b.stack).then_with(|| order(&a.kind, &b.kind)).then_with(|| order(&a.name, &b.name))
}

/// Components of one side, sorted by address; each address once.
pub(super) struct Components<'a>(Vec<Located<'a>>);

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

    /// Returns the component of an address.
    pub(super) fn get(&self, (stack, kind, name): &Address) -> Option<Located<'a>> {
        let compare = |located: &Located<'_>| {
            let Component { stack: own, kind: own_kind, name: own_name, .. } = &**located.component;
            order(own, stack).then_with(|| order(own_kind, kind)).then_with(|| order(own_name, name))
        };
        self.0.binary_search_by(compare).ok().map(|place| self.0[place])
    }
}

/// The components of both sides whose address some unit has that is not shared.
pub(super) fn candidates<'a>(
    base: &'a Resolution,
    head: &'a Resolution,
    options: &DiffOptions,
) -> (Components<'a>, Components<'a>) {
    let [old, new] = [base, head].map(|side| side.units.iter().map(ByAddress).collect::<HashSet<_>>());
    let shared: HashSet<_> = old.intersection(&new).copied().collect();
    let units = || [base, head].into_iter().flat_map(|e| &e.units);
    let unresolved: HashSet<&str> = units().filter(|u| u.state != State::Resolved).map(|u| &*u.name).collect();
    let broken: HashSet<(&str, &str, &str)> =
        units().flat_map(|u| u.broken.iter().map(|(kind, name)| (&*u.name, &**kind, &**name))).collect();
    let failed: HashSet<(&str, &str)> = units().flat_map(|u| u.failed.iter().map(|s| (&*u.name, &**s))).collect();
    let relevant = |unit: &Unit| !unresolved.contains(&*unit.name);
    let is_whole = |unit: &Unit, c: &Component| {
        !broken.contains(&(&*unit.name, &*c.kind, &*c.name)) && !failed.contains(&(&*unit.name, &*c.stack))
    };
    let is_shared = |unit: &'a Arc<Unit>| shared.contains(&ByAddress(unit));

    // In units that are not shared, all components count; in others those that have an address of these.
    let mut addresses: FastSet<(&Text, &Text, &Text)> = FastSet::default();
    if !shared.is_empty() {
        for unit in units().filter(|unit| relevant(unit) && !is_shared(unit)) {
            let whole = unit.components.iter().filter(|c| is_whole(unit, c) && options.examines(c));
            addresses.extend(whole.map(|c| (&c.stack, &c.kind, &c.name)));
        }
    }
    let counts = |unit: &'a Arc<Unit>, c: &Component| match is_shared(unit) {
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
    let open: [HashMap<&str, OpenParts<'_>>; 2] = [(base, head), (head, base)].map(|(side, other)| {
        let units: Vec<&Arc<Unit>> = side.units.iter().filter(|unit| !unit.open.is_empty()).collect();
        let others: HashMap<&str, &Arc<Unit>> = match units.is_empty() {
            true => HashMap::new(),
            false => other.units.iter().map(|unit| (&*unit.name, unit)).collect(),
        };
        let parts = |unit: &'a Unit| OpenParts::of(unit, others.get(&*unit.name).map(|other| &***other));
        units.into_iter().map(|unit| (&*unit.name, parts(unit))).collect()
    });
    if open.iter().all(HashMap::is_empty) {
        return (old, new);
    }
    // What one side may have, too, is neither added nor removed.
    let closed = |own: &Components<'a>, other: &Components<'a>, open: &HashMap<&str, OpenParts<'_>>| {
        let is_known = |Located { component, unit }: &Located<'a>| {
            let part = open.get(&*unit.name).and_then(|parts| parts.find(component));
            part.is_none() || other.get(&component.address()).is_some()
        };
        Components(own.0.iter().filter(|located| is_known(located)).copied().collect())
    };
    (closed(&old, &new, &open[1]), closed(&new, &old, &open[0]))
}
