//! What depends on affected components, as lists in lists.

use super::jobs::Needs;
use super::{Dependent, Item, slug};
use crate::resolution::Address;
use std::collections::{BTreeMap, BTreeSet};

/// How deep the dependents of dependents are nested.
const DEEPEST: usize = 64;
/// The maximum number of dependents that are listed below all items together.
const MAX_DEPENDENTS: usize = 100_000;

/// Which components need each component.
pub(crate) type NeededBy<'a> = BTreeMap<&'a Address, BTreeSet<&'a Address>>;

/// The components that need each other one, from what each one needs.
pub(crate) fn needed_by(needs: &Needs) -> NeededBy<'_> {
    let mut found = NeededBy::new();
    for (address, needed) in needs {
        needed.iter().for_each(|one| _ = found.entry(one).or_default().insert(address));
    }
    found
}

/// Adds their dependents to the items that have none yet; what is removed has none. Returns a sentence if not all are listed.
pub(crate) fn add<'i>(
    items: impl Iterator<Item = &'i mut Item>,
    needed_by: &NeededBy<'_>,
    make: &dyn Fn(&Address) -> Dependent,
) -> Option<String> {
    let mut nesting = Nesting { needed_by, make, left: MAX_DEPENDENTS, is_cut: false, listed: BTreeSet::new() };
    let mut items: Vec<&mut Item> = items.filter(|item| item.dependents.is_none()).collect();
    for item in &mut items {
        item.dependents = Some(if item.deleted { Vec::new() } else { nesting.below(&item.address()) });
    }
    for item in items {
        item.included_in_dependents = nesting.listed.contains(&item.address());
    }
    nesting.is_cut.then(|| format!("dependents: only {MAX_DEPENDENTS} are listed, {DEEPEST} levels deep"))
}

struct Nesting<'a> {
    needed_by: &'a NeededBy<'a>,
    make: &'a dyn Fn(&Address) -> Dependent,
    /// How many more may be listed.
    left: usize,
    is_cut: bool,
    /// What is a dependent of something.
    listed: BTreeSet<&'a Address>,
}

impl<'a> Nesting<'a> {
    /// The dependents of a component, each once, as near as possible, with their own dependents.
    fn below(&mut self, of: &Address) -> Vec<Dependent> {
        let mut seen = BTreeSet::from([of]);
        let mut levels: Vec<Vec<(&Address, usize)>> = vec![vec![(of, 0)]];
        while let Some(last) = levels.last() {
            let mut next: Vec<(&'a Address, usize)> = Vec::new();
            for (index, (address, _)) in last.iter().enumerate() {
                let dependents = self.needed_by.get(*address).into_iter().flatten().copied();
                next.extend(dependents.filter(|one| seen.insert(one)).map(|one| (one, index)));
            }
            self.is_cut |= !next.is_empty() && levels.len() > DEEPEST || next.len() > self.left;
            if levels.len() > DEEPEST {
                break;
            }
            next.truncate(self.left);
            if next.is_empty() {
                break;
            }
            self.left -= next.len();
            self.listed.extend(next.iter().map(|(address, _)| *address));
            levels.push(next);
        }
        // From the deepest level up: the collected dependents are added to their parents.
        let mut collected: BTreeMap<usize, Vec<Dependent>> = BTreeMap::new();
        for level in levels.into_iter().skip(1).rev() {
            let mut above: BTreeMap<usize, Vec<Dependent>> = BTreeMap::new();
            for (index, (address, parent)) in level.into_iter().enumerate() {
                let dependents = collected.remove(&index).unwrap_or_default();
                above.entry(parent).or_default().push(Dependent { dependents, ..(self.make)(address) });
            }
            collected = above;
        }
        collected.remove(&0).unwrap_or_default()
    }
}

impl Dependent {
    /// A component of which only the address is known.
    pub(crate) fn new((stack, kind, name): &Address) -> Self {
        Dependent {
            stack_slug: slug(stack, name),
            component: name.clone(),
            component_type: kind.clone(),
            stack: stack.clone(),
            ..Dependent::default()
        }
    }
}
