//! What differs between two environments: stacks, folders or components that should be alike.
//!
//! Components are paired by their names and by where they are within their environment. What follows from the names of the
//! environments and from the inputs that say where they are ([`Names`]) is folded: the left value is the right one, with other names.

mod declared;
mod made;
mod names;
mod select;

pub(crate) use declared::{Declared, DeclaredDifference};
pub(crate) use names::{Named, is_name};
use select::select;
pub(crate) use select::{Member, may_select};

use crate::diff::structural;
use crate::diff::{ChangeKind, mask, pointer, same::same};
use crate::files::Files;
use crate::resolution::{Component, Resolution};
use crate::text::Text;
use crate::value::{Data, Flags, Map, Value, Vocabulary, is_call};
use made::{Given, Makers};
use names::Names;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A side of a comparison.
pub(crate) struct Environment<'a> {
    /// What the user calls it.
    pub name: &'a str,
    pub members: Vec<Member<'a>>,
}

impl<'a> Environment<'a> {
    /// What a name means in a state.
    pub(crate) fn of(name: &'a str, resolution: &'a Resolution) -> Self {
        Environment { name, members: select(resolution, name) }
    }
}

/// Where a component is: the place in its environment, and its name.
pub(crate) type Place = (Text, Text);

/// A component as it is named beside others: `vpc in use1`.
pub(crate) fn named((place, name): &Place) -> String {
    if place.is_empty() { name.to_string() } else { format!("{name} in {place}") }
}

/// What differs between two environments.
#[derive(Debug, Default)]
pub(crate) struct EnvironmentDiff {
    /// The components that only the left one, or only the right one has.
    pub only: [Vec<Place>; 2],
    /// What differs and does not follow from names: versions first, then what most components have.
    pub differences: Vec<Difference>,
    /// The number of components of both.
    pub compared: usize,
    /// The number of values that differ and follow from names.
    pub folded: usize,
    /// The number of values that code makes, and that differ as an input of its component does.
    pub made: usize,
    /// The number of values that are known only at run time on both sides, and are written alike.
    pub unknown: usize,
    /// The number of differences that settings declare.
    pub declared: usize,
    /// What the environments are called.
    pub names: Vec<Named>,
}

/// One difference, of one component or of several.
#[derive(Debug)]
pub(crate) struct Difference {
    /// JSON Pointer into the components.
    pub path: String,
    pub kind: ChangeKind,
    /// The value of the left one, and of the right one.
    pub values: [Option<Value>; 2],
    pub is_secret: bool,
    /// Whether it is about a version or the source of code.
    pub is_version: bool,
    /// Whether a value is known only at run time: then they may be the same.
    pub is_unknown: bool,
    /// The components.
    pub places: Vec<Place>,
}

/// A component of both environments.
struct Pair<'a> {
    place: Place,
    sides: [&'a Component; 2],
}

/// Compares two environments.
pub(crate) fn compare(environments: [&Environment<'_>; 2], declared: &Declared) -> EnvironmentDiff {
    let (mut pairs, mut only) = pair(environments);
    let mut names = Names::of(environments, &pairs);
    // Names of components may have those of environments in them.
    let late = names.pair(&mut only);
    if !late.is_empty() {
        pairs.extend(late);
        names = Names::of(environments, &pairs);
    }
    only.iter_mut().for_each(made::leave_out);
    let place = |member: &Member<'_>| (Text::clone(&member.place), Text::clone(&member.component.name));
    let mut found = EnvironmentDiff {
        only: only.each_ref().map(|members| members.iter().map(place).collect()),
        compared: pairs.len(),
        ..EnvironmentDiff::default()
    };
    let mut differences: BTreeMap<String, Vec<Difference>> = BTreeMap::new();
    let makers = Makers::of(pairs.iter().map(|pair| pair.sides[1]));
    let (made, own): (Vec<&Pair<'_>>, Vec<&Pair<'_>>) = pairs.iter().partition(|pair| makers.make(pair.sides[1]));
    let mut given = Given::default();
    for pair in own.into_iter().chain(made) {
        let [left, right] = values(pair);
        let left_as_right = names.explain(&left, &right, &mut found);
        let language = &pair.sides[1].language;
        let calls = pair.sides.map(|component| &*component.metadata.calls);
        for step in structural::compare(&left_as_right, &right, language, calls) {
            if step.is_same_call || step.moved.is_some_and(|_| step.kind == ChangeKind::Removed) {
                continue;
            }
            let values = [step.before.cloned(), step.after.cloned()];
            if !values.iter().flatten().any(is_open) {
                if given.explain(pair.sides[1], &values) {
                    found.made += 1;
                    continue;
                }
                given.add(pair.sides[1], values.clone());
            }
            if declared.covers(&step.path, &pair.place.1) {
                found.declared += 1;
                continue;
            }
            let known = differences.entry(step.path.clone()).or_default();
            match known.iter_mut().find(|other| is_same(&other.values, &values)) {
                Some(other) => other.places.push(pair.place.clone()),
                None => known.push(Difference::of(step.path, step.kind, values, pair)),
            }
        }
    }
    found.differences = differences.into_values().flatten().collect();
    found.differences.sort_by_key(|one| (!one.is_version, std::cmp::Reverse(one.places.len())));
    found.names = names.into_named();
    found
}

impl EnvironmentDiff {
    /// Masks the values that come from places of secrets.
    pub(crate) fn mask(&mut self, files: &Files) {
        let mut sources = mask::Sources::new(files);
        self.differences.iter_mut().flat_map(|one| &mut one.values).flatten().for_each(|value| sources.mask(value));
    }
}

fn is_same(one: &[Option<Value>; 2], other: &[Option<Value>; 2]) -> bool {
    one.iter().zip(other).all(|(a, b)| match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    })
}

impl Difference {
    fn of(path: String, kind: ChangeKind, values: [Option<Value>; 2], pair: &Pair<'_>) -> Self {
        let vocabulary = pair.sides[1].language.vocabulary;
        let places = vocabulary.versions.iter().chain(vocabulary.sources);
        let is_below =
            |place: &&str| path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        Difference {
            is_secret: mask::is_secret_pointer(&path)
                || pair.sides.iter().any(|component| mask::is_secret_beside(&component.value, &path)),
            is_version: places.into_iter().any(is_below),
            is_unknown: values.iter().flatten().any(is_open),
            path,
            kind,
            values,
            places: vec![pair.place.clone()],
        }
    }

    /// The keys that lead to it, separated by dots.
    pub(crate) fn dotted(&self) -> String {
        pointer::keys(&self.path).collect::<Vec<_>>().join(".")
    }
}

/// Whether a value is known only at run time, or has parts that are.
fn is_open(value: &Value) -> bool {
    value.holds(Flags::UNKNOWN) || value.holds(Flags::CALL) || value.as_str().is_some_and(is_call)
}

/// The components of two environments in pairs, and those that are alone.
fn pair<'a>(environments: [&Environment<'a>; 2]) -> (Vec<Pair<'a>>, [Vec<Member<'a>>; 2]) {
    let [left, right] = environments.map(|environment| environment.members.clone());
    if let ([one], [other]) = (&left[..], &right[..]) {
        let place = (Text::default(), Text::clone(&other.component.name));
        return (vec![Pair { place, sides: [one.component, other.component] }], Default::default());
    }
    // Components of different systems have different types.
    let types =
        |members: &[Member<'a>]| members.iter().map(|one| Text::clone(&one.component.kind)).collect::<BTreeSet<_>>();
    let is_typed = !types(&left).is_disjoint(&types(&right));
    let key = |member: &Member<'a>| {
        let kind = if is_typed { Text::clone(&member.component.kind) } else { Text::default() };
        (Text::clone(&member.place), kind, Text::clone(&member.component.name))
    };
    let mut open: BTreeMap<_, Member<'a>> = right.into_iter().map(|member| (key(&member), member)).collect();
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for member in left {
        match open.remove(&key(&member)) {
            Some(other) => {
                let place = (Text::clone(&other.place), Text::clone(&other.component.name));
                pairs.push(Pair { place, sides: [member.component, other.component] });
            }
            None => alone.push(member),
        }
    }
    (pairs, [alone, open.into_values().collect()])
}

/// What is compared of a pair: its configuration without what only says what it is called; of two systems, what their code gets.
fn values<'a>(pair: &Pair<'a>) -> [Cow<'a, Value>; 2] {
    let [left, right] = pair.sides;
    if left.language.vocabulary != right.language.vocabulary {
        return pair
            .sides
            .map(|component| Cow::Owned(Value::new(Data::Map(Arc::clone(&component.metadata.inputs.all)))));
    }
    let is_copy = |component: &Component, (copy, other): &(&str, &str)| {
        component.value.get(copy).zip(component.value.get(other)).is_some_and(|(copy, other)| same(copy, other))
    };
    let copies = left.language.vocabulary.copies.iter();
    let copies = copies.filter(|copy| pair.sides.iter().all(|component| is_copy(component, copy)));
    let copies: Vec<&str> = copies.map(|(copy, _)| *copy).collect();
    pair.sides.map(|component| match component.value.as_map() {
        Some(map) => Cow::Owned(Value::map(without_names(map, component.language.vocabulary, &copies))),
        None => Cow::Borrowed(&component.value),
    })
}

/// A configuration without its sections that repeat others, among them some copies, or say what it is called.
fn without_names(map: &Arc<Map>, vocabulary: &Vocabulary, copies: &[&str]) -> Map {
    let names = vocabulary.named_after.iter().chain(vocabulary.repeated).chain([&vocabulary.locals]);
    let left_out: BTreeSet<&str> = names.chain(copies).copied().collect();
    let kept = map.iter().filter(|entry| !left_out.contains(&*entry.key));
    kept.map(|entry| (Text::clone(&entry.key), entry.value.clone())).collect()
}
