//! Values that differ only by the names of the stack and of the component that have them.

use super::{Folded, Group};
use crate::diff::Change;
use crate::resolution::Address;
use crate::value::{Data, Value};
use std::borrow::Cow;

/// Shorter names are not looked for in values: they are found by chance.
const MIN_NAME: usize = 3;
/// What stands for the names of a stack and of a component.
const STACK: &str = "<stack>";
const COMPONENT: &str = "<component>";

/// Merges the values at one path that are the same but for the names of their stacks and components: `"dev/vpc.tfstate"` and
/// `"prod/vpc.tfstate"` become `"<stack>/<component>.tfstate"`.
pub(crate) fn fold(groups: &mut [Group<'_>]) {
    groups.iter_mut().flat_map(|group| &mut group.changes).filter(|folded| folded.variants.len() > 1).for_each(merge);
}

/// Which names differ among the components.
#[derive(Clone, Copy, Debug)]
struct Names {
    stack: bool,
    component: bool,
}

/// The texts before and after in which placeholders stand for names.
type Pattern = (Option<String>, Option<String>);

fn merge(folded: &mut Folded<'_>) {
    let all: Vec<&Address> = folded.holders.iter().flatten().collect();
    let Some(first) = all.first() else { return };
    // A name that all of them share explains no difference.
    let names = Names {
        stack: all.iter().any(|address| address.0 != first.0),
        component: all.iter().any(|address| address.2 != first.2),
    };
    let mut merged: Vec<(Cow<'_, Change>, Vec<Address>, Option<Pattern>)> = Vec::new();
    for (change, holders) in std::mem::take(&mut folded.variants).into_iter().zip(std::mem::take(&mut folded.holders)) {
        let pattern = pattern(&change, &holders, names);
        match merged.iter_mut().find(|(.., other)| pattern.is_some() && *other == pattern) {
            Some((change, all, Some((before, after)))) => {
                all.extend(holders);
                let text = |text: &Option<String>| text.as_ref().map(|text| Value::str(text.as_str()));
                let change = change.to_mut();
                (change.before, change.after) = (text(before), text(after));
            }
            _ => merged.push((change, holders, pattern)),
        }
    }
    for (change, mut holders, _) in merged {
        holders.sort();
        folded.variants.push(change);
        folded.holders.push(holders);
    }
}

/// The pattern that all holders of a pair of texts share; `None` without one.
fn pattern(change: &Change, holders: &[Address], names: Names) -> Option<Pattern> {
    let text = |value: &Option<Value>| match value.as_ref().map(|value| &value.data) {
        None => Some(None),
        Some(Data::Str(text)) => Some(Some(text.to_string())),
        Some(_) => None,
    };
    let (before, after) = (text(&change.before)?, text(&change.after)?);
    let of = |address: &Address| {
        let (stack, component) =
            (if names.stack { &*address.0 } else { "" }, if names.component { &*address.2 } else { "" });
        let named = |text: &Option<String>| text.as_deref().map(|text| named(text, stack, component));
        (named(&before), named(&after))
    };
    let first = of(holders.first()?);
    (first != (before.clone(), after.clone()) && holders.iter().all(|address| of(address) == first)).then_some(first)
}

/// A text with placeholders for the names in it, the longer name first.
fn named(text: &str, stack: &str, component: &str) -> String {
    let mut names = [(stack, STACK), (component, COMPONENT)];
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let [(longer, first), (shorter, second)] = names;
    let replaced =
        |text: &str, name: &str, by: &str| if name.len() < MIN_NAME { text.to_owned() } else { text.replace(name, by) };
    if longer.len() < MIN_NAME {
        return text.to_owned();
    }
    text.split(longer).map(|part| replaced(part, shorter, second)).collect::<Vec<_>>().join(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_once() {
        assert_eq!(named("dev/vpc.tfstate", "dev", "vpc"), "<stack>/<component>.tfstate");
        assert_eq!(named("plat-dev-vpc", "plat-dev", "dev"), "<stack>-vpc");
        assert_eq!(named("stack", "xxxx", "stack"), "<component>");
        assert_eq!(named("stack-a", "stack-a", "stack"), "<stack>");
        assert_eq!(named("data", "a", "t"), "data");
    }
}
