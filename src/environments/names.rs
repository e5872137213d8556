//! What two environments are called, and which values follow from that.

use super::{Environment, EnvironmentDiff, Member, Pair, is_open};
use crate::diff::rewrite::Rewrite;
use crate::diff::same::same;
use crate::text::Text;
use crate::value::{Data, Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Words in the names of inputs that say which environment it is, and where.
const WORDS: [&str; 14] = [
    "account",
    "accounts",
    "domain",
    "env",
    "environment",
    "location",
    "namespace",
    "organization",
    "project",
    "region",
    "stage",
    "subscription",
    "tenant",
    "workspace",
];
/// What names of stacks are called.
const STACK: &str = "stack";
/// Numbers of at least this many digits are names: those of accounts and projects.
const DIGITS: usize = 6;
/// The most values of one pair that are compared by names.
const MAX_VALUES: usize = 1_000_000;

/// What differs between the names of two environments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named {
    /// The input that says so; `stack` for the names themselves.
    pub by: String,
    pub left: String,
    pub right: String,
}

/// The names of two environments.
pub(super) struct Names {
    named: Vec<Named>,
    rewrite: Rewrite,
}

impl Names {
    /// The names of the stacks, and the inputs that most components have with the same values.
    pub(super) fn of([left, right]: [&Environment<'_>; 2], pairs: &[Pair<'_>]) -> Self {
        let stack =
            |left: &str, right: &str| Named { by: STACK.to_owned(), left: left.to_owned(), right: right.to_owned() };
        let mut named: BTreeSet<Named> = BTreeSet::from([stack(left.name, right.name)]);
        let mut inputs: BTreeMap<Named, usize> = BTreeMap::new();
        for pair in pairs {
            let [a, b] = pair.sides;
            named.insert(stack(&a.stack, &b.stack));
            let [old, new] = pair.sides.map(|component| &component.metadata.inputs.all);
            for entry in old.iter().filter(|entry| is_name(&entry.key, a.language.vocabulary.stack_inputs)) {
                let texts = text(&entry.value).zip(new.get(&entry.key).and_then(text));
                if let Some((left, right)) = texts.filter(|(left, right)| left != right) {
                    *inputs.entry(Named { by: entry.key.to_string(), left, right }).or_default() += 1;
                }
            }
        }
        named.extend(inputs.into_iter().filter(|(_, number)| number * 4 >= pairs.len()).map(|(one, _)| one));
        named.retain(|one| one.left != one.right);
        let rewrite = Rewrite::between_environments(named.iter().map(|one| (&*one.left, &*one.right)));
        // Most names of stacks follow from what the user calls both.
        let called = Rewrite::between_environments([(left.name, right.name)]);
        let is_told = |one: &Named| one.by != STACK || one.left == left.name || !called.text(&one.left, &one.right);
        Names { named: named.into_iter().filter(is_told).collect(), rewrite }
    }

    pub(super) fn into_named(self) -> Vec<Named> {
        self.named
    }

    /// Takes the components whose names follow from each other.
    pub(super) fn pair<'a>(&self, [left, right]: &mut [Vec<Member<'a>>; 2]) -> Vec<Pair<'a>> {
        let mut found = Vec::new();
        left.retain(|old| {
            let is_same = |new: &Member<'_>| {
                old.component.kind == new.component.kind
                    && self.rewrite.text(&old.component.name, &new.component.name)
                    && self.rewrite.text(&old.place, &new.place)
            };
            let Some(at) = right.iter().position(is_same) else { return true };
            let new = right.remove(at);
            let place = (Text::clone(&new.place), Text::clone(&new.component.name));
            found.push(Pair { place, sides: [&**old.component, &**new.component] });
            false
        });
        found
    }

    /// The left value with everything that follows from names as the right one has it. Counts these values in `found`.
    pub(super) fn explain(&self, left: &Value, right: &Value, found: &mut EnvironmentDiff) -> Value {
        match (&left.data, &right.data) {
            (Data::Map(a), Data::Map(b)) => {
                let other = |key: &Text| match b.get(key) {
                    Some(value) => Some((Text::clone(key), value)),
                    None => b
                        .iter()
                        .find(|entry| a.get(&entry.key).is_none() && self.rewrite.text(key, &entry.key))
                        .map(|entry| (Text::clone(&entry.key), &entry.value)),
                };
                let entries = a.iter().map(|entry| match other(&entry.key) {
                    Some((key, value)) => (key, self.explain(&entry.value, value, found)),
                    None => (Text::clone(&entry.key), entry.value.clone()),
                });
                let map: Map = entries.collect();
                Value { data: Data::Map(Arc::new(map)), prov: left.prov.clone() }
            }
            (Data::List(a), Data::List(b)) => {
                let mut open: Vec<Option<&Value>> = b.iter().map(Some).collect();
                let items = a.iter().enumerate().map(|(index, item)| {
                    // The item at the same place is tried first.
                    let order = [index].into_iter().chain(0..b.len()).filter(|at| *at < b.len());
                    let at = order.into_iter().find(|at| open[*at].is_some_and(|other| self.follows(item, other)));
                    match at.and_then(|at| open[at].take()) {
                        Some(other) => self.explain(item, other, found),
                        None => match b.get(index).filter(|_| a.len() == b.len()) {
                            Some(other) => self.explain(item, other, found),
                            None => item.clone(),
                        },
                    }
                });
                let items: Vec<Value> = items.collect();
                Value { data: Data::List(Arc::new(items)), prov: left.prov.clone() }
            }
            _ if same(left, right) || self.follows(left, right) => {
                match is_open(left) {
                    true => found.unknown += 1,
                    false => found.folded += usize::from(!same(left, right)),
                }
                right.clone()
            }
            _ => left.clone(),
        }
    }

    /// Whether a value is another one with other names.
    fn follows(&self, left: &Value, right: &Value) -> bool {
        match (number(left), number(right)) {
            (Some(left), Some(right)) => self.rewrite.text(&left, &right),
            _ => {
                let mut budget = MAX_VALUES;
                self.rewrite.value(left, right, &mut budget)
            }
        }
    }
}

/// Whether an input says which environment it is, or where.
pub(crate) fn is_name(key: &str, stack_inputs: &[&str]) -> bool {
    stack_inputs.contains(&key) || key.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// A value that can be a name, as text.
fn text(value: &Value) -> Option<String> {
    match &value.data {
        Data::Str(text) if !text.is_empty() => Some(text.to_string()),
        _ => number(value),
    }
}

/// A number that is long enough to be a name, as text.
fn number(value: &Value) -> Option<String> {
    match &value.data {
        Data::Int(number) => Some(number.to_string()).filter(|text| text.len() >= DIGITS),
        _ => None,
    }
}
