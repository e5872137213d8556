//! How many different components there are on both sides of a comparison.

use crate::resolution::Component;
use crate::text::{Text, order};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The number of components that differ in their stack, type or name.
pub(super) fn distinct(components: &[&Component]) -> usize {
    let mut stacks: BTreeMap<&Text, Vec<&[&Component]>> = BTreeMap::new();
    for part in components.chunk_by(|a, b| a.stack == b.stack) {
        stacks.entry(&part[0].stack).or_default().push(part);
    }
    let is_sorted = |part: &[&Component]| part.is_sorted_by(|a, b| by_name(a, b).is_lt());
    let of_stack = |parts: &Vec<&[&Component]>| match parts.as_slice() {
        [part] if is_sorted(part) => part.len(),
        [a, b] if is_sorted(a) && is_sorted(b) => a.len() + b.len() - common(a, b),
        parts => parts.iter().copied().flatten().map(|c| (&c.kind, &c.name)).collect::<BTreeSet<_>>().len(),
    };
    stacks.values().map(of_stack).sum()
}

/// Compares components of one stack by type and name.
fn by_name(a: &Component, b: &Component) -> Ordering {
    order(&a.kind, &b.kind).then_with(|| order(&a.name, &b.name))
}

/// The number of components of one stack that are in both parts, which are sorted.
fn common(a: &[&Component], b: &[&Component]) -> usize {
    let mut b = b.iter().peekable();
    let is_in_both = |component: &&&Component| {
        while b.next_if(|other| by_name(other, component).is_lt()).is_some() {}
        b.next_if(|other| by_name(other, component).is_eq()).is_some()
    };
    a.iter().filter(is_in_both).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;
    use proptest::prelude::*;

    fn component((stack, kind, name): (String, String, String)) -> Component {
        Component::new((stack.into(), kind.into(), name.into()), Value::default())
    }

    proptest! {
        #[test]
        fn components_of_two_sides_are_counted_once(
            sides in prop::collection::vec(prop::collection::vec(("[ab]", "[ab]", "[a-f]"), 0..12), 1..4),
            is_sorted in any::<bool>(),
        ) {
            let names: BTreeSet<_> = sides.iter().flatten().cloned().collect();
            let side = |mut side: Vec<_>| {
                if is_sorted {
                    side.sort();
                    side.dedup();
                }
                side
            };
            let components: Vec<Component> = sides.into_iter().flat_map(side).map(component).collect();
            prop_assert_eq!(distinct(&components.iter().collect::<Vec<_>>()), names.len());
        }
    }
}
