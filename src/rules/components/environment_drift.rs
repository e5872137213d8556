//! `environment-drift`: environments that the settings declare to be alike, and that differ.

use crate::diagnostic::{Diagnostic, Label};
use crate::environments::{Difference, Environment, Place, compare, named};
use crate::resolution::Component;
use crate::rules::places::at_key;
use crate::rules::{Context, is_whole, rule};
use crate::text::{Text, count};
use crate::value::{Origin, Value};
use std::collections::BTreeSet;

rule!(
    ENVIRONMENT_DRIFT,
    "environment-drift",
    Hygiene,
    "0.1.0",
    "two environments that should be alike differ without a reason"
);

/// The most components that a message names.
const MAX_NAMES: usize = 3;

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let declared = &context.limits.environments;
    let mut found = Vec::new();
    for [left, right] in &declared.alike {
        let both = [left, right].map(|name| Environment::of(name, context.resolution));
        // They may belong to another project. What is not resolved may be a part of them.
        if both.iter().any(|environment| environment.members.is_empty()) {
            continue;
        }
        if !is_whole(context.resolution) {
            context.withheld.record(&ENVIRONMENT_DRIFT);
            continue;
        }
        let diff = compare(both.each_ref(), declared);
        found.extend(diff.differences.iter().filter_map(|one| differing(context, &both, one)));
        for (side, places) in diff.only.iter().enumerate() {
            found.extend(places.iter().filter_map(|place| alone(context, &both, side, place)));
        }
    }
    found
}

/// A value that differs, at the right one if it is there.
fn differing(context: &Context<'_>, both: &[Environment<'_>; 2], one: &Difference) -> Option<Diagnostic> {
    let [left, right] = both.each_ref().map(|environment| environment.name);
    let path = one.dotted();
    let names: Vec<&str> = one.places.iter().map(|(_, name)| &**name).collect();
    let of = match &one.places[..] {
        places if places.len() <= MAX_NAMES => places.iter().map(named).collect::<Vec<_>>().join(", "),
        places => count(places.len(), "component"),
    };
    let message = format!("`{path}` of {of} differs between {left} and {right}");
    let [there, here] = one.values.each_ref().map(|value| value.as_ref().and_then(origin));
    let first = one.places.first();
    let at = |origin: Origin, words: String| at_key(context.files, origin, words);
    let primary = match here.or(there) {
        Some(place) => at(place, String::new()),
        None => component(context, first.and_then(|place| member(&both[1], place))?)?,
    };
    let mut finding = Diagnostic::new(&ENVIRONMENT_DRIFT, message, primary)
        .token(format!("{left} {right} {path} {}", names.join(" ")))
        .help("make them alike, or declare the difference in `stacklint.toml`");
    if let (Some(_), Some(there)) = (here, there) {
        finding = finding.related(at(there, format!("the value of {left}")));
    }
    let members = one.places.iter().flat_map(|place| both.iter().filter_map(|of| member(of, place)));
    let stacks: BTreeSet<&Text> = members.map(|component| &component.stack).collect();
    finding.stacks = stacks.into_iter().cloned().collect();
    Some(finding)
}

/// A component that only one of them has.
fn alone(context: &Context<'_>, both: &[Environment<'_>; 2], side: usize, place: &Place) -> Option<Diagnostic> {
    let one = member(&both[side], place)?;
    let (own, other) = (both[side].name, both[1 - side].name);
    let of = if place.0.is_empty() { String::new() } else { format!(" of {}", place.0) };
    let message = format!("`{}`{of} is in {own}, and not in {other}", one.name);
    let mut finding = Diagnostic::new(&ENVIRONMENT_DRIFT, message, component(context, one)?)
        .token(format!("{own} {other} {} {}", place.0, one.name));
    finding.stacks.push(Text::clone(&one.stack));
    Some(finding)
}

/// The component of an environment at a place.
fn member<'a>(environment: &Environment<'a>, (place, name): &Place) -> Option<&'a Component> {
    let mut members = environment.members.iter();
    members.find(|one| one.place == *place && one.component.name == *name).map(|one| &**one.component)
}

/// Where a component is configured: the first of its values that is written somewhere, or else its unit.
fn component(context: &Context<'_>, component: &Component) -> Option<Label> {
    if let Some(origin) = origin(&component.value) {
        return Some(at_key(context.files, origin, ""));
    }
    let mut units = context.resolution.units.iter();
    let unit = units.find(|unit| unit.components.iter().any(|one| one.address() == component.address()))?;
    Some(Label::new(unit.file, 0, 0, ""))
}

/// Where a value is written, or the first of its parts that is.
fn origin(value: &Value) -> Option<Origin> {
    let below = || value.as_map()?.iter().find_map(|entry| origin(&entry.value));
    value.prov.origin.or_else(below)
}
