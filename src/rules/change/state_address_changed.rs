//! `state-address-changed`: Terraform will look for the state of a component in another place.

use super::{Changed, Changes, FindingGroup, Phrase, is_deployed, nouns, transition};
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::{Cause, Change, Status};
use crate::resolution::{Address, Component, RemovalEffect, Resolution, StatePlace};
use crate::rules::rule;
use crate::terraform::state;
use crate::text::Text;
use crate::value::{Flags, Value};
use std::collections::{HashMap, HashSet};

rule!(
    STATE_ADDRESS_CHANGED,
    "state-address-changed",
    Change,
    "0.1.0",
    "the address of a component's state changes",
    Some(Level::Danger)
);

const ONE: &str = "will use another state";
const SEVERAL: &str = "will use another state";
const MAY: &str = "may use another state";

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&STATE_ADDRESS_CHANGED, &changes.components, |changed| match changed.change.status {
        Status::Modified => moved(changed),
        Status::Removed | Status::Added => replaced(changes, changed),
    });
    let help = "move the state first (`terraform init -migrate-state`, `terraform state push`), or keep the old place";
    let note = "Terraform finds no state in the new place and plans to create everything again";
    let of_code = moved_by_code(changes, &found);
    found.into_iter().chain(of_code).map(|f| f.note(note).help(help)).collect()
}

/// The components whose code alone says that their states are somewhere else, apart from those of other findings.
fn moved_by_code(changes: &Changes<'_>, others: &[Diagnostic]) -> Vec<Diagnostic> {
    let placed = deployed(changes.base).filter_map(|component| {
        let (old, paths) = (component.metadata.state.as_ref()?, component.language.vocabulary.state.as_ref()?);
        (!shows(component, paths.backend)).then(|| (component.address(), old))
    });
    let mut placed: HashMap<Address, &StatePlace> = placed.collect();
    let told: HashSet<_> = others.iter().flat_map(|other| &other.subjects).map(|s| (&s.stack, &s.component)).collect();
    placed.retain(|(stack, _, name), _| !told.contains(&(stack, name)));
    if placed.is_empty() {
        return Vec::new();
    }
    let found = deployed(changes.context.resolution).filter_map(|after| {
        let (old, new) = (placed.get(&after.address())?, after.metadata.state.as_ref());
        let (verb, details) = match new {
            Some(new) => (ONE, differences(old, new).0.join(", ")),
            None if lacks_backend(changes, after) => (MAY, gone(old).unwrap_or_default()),
            None => return None,
        };
        let origin = new.and_then(|new| new.origin).or(after.value.prov.origin).filter(|_| !details.is_empty())?;
        let message = format!("`{}` in `{}` {verb}: {details}", after.name, after.stack);
        let label = Label::new(origin.file, origin.key, origin.end, "");
        let mut finding = Diagnostic::new(&STATE_ADDRESS_CHANGED, message, label).token(&*details);
        finding = finding.subject(&after.stack, &after.name).address(format!("{}/{}", after.stack, after.name));
        let nouns = after.language.vocabulary.counted.unwrap_or(nouns(&[]));
        let (one, several) = (format!("{verb}: {details}"), format!("{verb}: {details}"));
        finding.together = Some(FindingGroup::Components { one, several, nouns });
        finding.stacks = vec![Text::clone(&after.stack)];
        Some(finding)
    });
    found.collect()
}

/// Whether the code of a component of the newer state can be read, and has no backend.
fn lacks_backend(changes: &Changes<'_>, component: &Component) -> bool {
    let module = component.metadata.code.as_ref().and_then(|code| changes.modules[1].get(&code.folder));
    module.is_some_and(|module| module.backend.is_none())
}

fn deployed(resolution: &Resolution) -> impl Iterator<Item = &Component> {
    let components = resolution.units.iter().flat_map(|unit| &unit.components);
    components.map(|component| &**component).filter(|component| is_deployed(component))
}

/// Whether the settings of a backend are a part of a component.
fn shows(component: &Component, backend: &str) -> bool {
    backend.split('/').skip(1).try_fold(&component.value, |value, key| value.get(key)).is_some()
}

/// The settings of a backend that locate the state.
fn moved<'a>(changed: &Changed<'a>) -> Vec<(&'a [Cause], Phrase)> {
    // If nothing was deployed, there is no state to lose.
    if !changed.before.is_some_and(is_deployed) || !changed.after.is_some_and(is_deployed) {
        return Vec::new();
    }
    let Some(state) = &changed.vocabulary().state else { return Vec::new() };
    let sides = [changed.before, changed.after];
    let unplaced = || unplaced(changed, state.backend);
    let is_shown = |side: Option<&Component>| side.is_some_and(|component| shows(component, state.backend));
    if let [Some(old), Some(new)] = sides.map(|side| side.and_then(|component| component.metadata.state.as_ref()))
        && !sides.iter().all(|side| is_shown(*side))
    {
        return elsewhere(changed, old, new);
    }
    if ![state.backend, state.workspace, state.backend_type].iter().any(|path| changed.has(path)) {
        return unplaced();
    }
    // A component that is nothing but a backend holds the settings itself, others do not.
    if state.backend.is_empty() && changed.after.is_none_or(|c| c.metadata.state.is_none()) {
        return Vec::new();
    }
    let is_unknown = |value: &Option<Value>| value.as_ref().is_some_and(|v| v.holds(Flags::UNKNOWN));
    let attributes = changed.at_keys(state.backend, &state::ADDRESS);
    let others = changed.at(state.workspace).chain(changed.at(state.backend_type));
    let all = others.chain(attributes).filter(|c| state.backend.is_empty() || c.before.is_some());
    let moved: Vec<&Change> = all.filter(|c| !is_unknown(&c.before) && !is_unknown(&c.after)).collect();
    let Some(first) = moved.first() else { return unplaced() };
    let part = |c: &&Change| {
        let name = c.path.trim_start_matches('/').replace('/', ".");
        format!("`{name}` {}", transition(c.before.as_ref(), c.after.as_ref()))
    };
    let parts: Vec<String> = moved.iter().map(part).collect();
    // What a backend block leaves out, `init` can get from elsewhere.
    let is_left_out = state.backend.is_empty() && moved.iter().all(|change| change.after.is_none());
    let (one, several) = if is_left_out { (MAY, MAY) } else { (ONE, SEVERAL) };
    vec![(&first.causes[..], Phrase::new(one, several, parts.join(", ")))]
}

/// A component of which nothing says any more where its state is: it is kept beside the code, unless the code says something.
fn unplaced<'a>(changed: &Changed<'a>, backend: &str) -> Vec<(&'a [Cause], Phrase)> {
    let [old, new] = [changed.before, changed.after].map(|side| side?.metadata.state.as_ref());
    let (Some(old), None) = (old, new) else { return Vec::new() };
    let is_of_state = |change: &&Change| !change.path.is_empty() && backend.starts_with(&*change.path);
    match (changed.change.changes.iter().find(is_of_state), gone(old)) {
        (Some(cause), Some(text)) => vec![(&cause.causes[..], Phrase::new(MAY, MAY, text))],
        _ => Vec::new(),
    }
}

/// What it means that a backend is gone. Without settings a local state is beside the code already.
fn gone(old: &StatePlace) -> Option<String> {
    let is_placed = old.backend != *"local" || state::ADDRESS.iter().any(|name| old.settings.get(name).is_some());
    is_placed.then(|| format!("backend `{}` is gone, so the state is kept beside the code", old.backend))
}

/// A place that something else says than the settings of a backend, such as a generated file.
fn elsewhere<'a>(changed: &Changed<'a>, old: &StatePlace, new: &StatePlace) -> Vec<(&'a [Cause], Phrase)> {
    let (parts, values) = differences(old, new);
    let texts: Vec<&str> = values.into_iter().filter_map(Value::as_str).collect();
    let says = |value: &Option<Value>| {
        value.as_ref().and_then(Value::as_str).is_some_and(|text| texts.iter().any(|part| text.contains(part)))
    };
    let changes = &changed.change.changes;
    let cause = changes.iter().find(|change| says(&change.before) || says(&change.after)).or_else(|| changes.first());
    match cause {
        Some(cause) if !parts.is_empty() => vec![(&cause.causes[..], Phrase::new(ONE, SEVERAL, parts.join(", ")))],
        _ => Vec::new(),
    }
}

/// How two places differ, in words, and with which values.
fn differences<'p>(old: &'p StatePlace, new: &'p StatePlace) -> (Vec<String>, Vec<&'p Value>) {
    let both = |key: &'static str| (key, old.settings.get(key), new.settings.get(key));
    let is_moved = |(_, old, new): &(&str, Option<&Value>, Option<&Value>)| {
        old != new && ![old, new].into_iter().flatten().any(|value| value.holds(Flags::UNKNOWN))
    };
    let moved: Vec<_> = state::ADDRESS.into_iter().map(both).filter(is_moved).collect();
    let kind = (old.backend != new.backend).then(|| format!("backend `{}` → `{}`", old.backend, new.backend));
    let parts = moved.iter().map(|(key, old, new)| format!("`{key}` {}", transition(*old, *new)));
    let values = moved.iter().flat_map(|(_, old, new)| [*old, *new]).flatten().collect();
    (kind.into_iter().chain(parts).collect(), values)
}

/// A component that only configures where the state of its stack is, and is added or removed.
fn replaced<'a>(changes: &Changes<'a>, changed: &Changed<'a>) -> Vec<(&'a [Cause], Phrase)> {
    let is_place =
        |component: &Component| component.removal == RemovalEffect::Relocated && component.metadata.state.is_some();
    let stack = &changed.change.stack;
    if !changed.before.or(changed.after).is_some_and(is_place) || !changes.stays(stack) {
        return Vec::new();
    }
    let is_removed = changed.change.status == Status::Removed;
    let other = changes.components.iter().find(|other| {
        let component = if is_removed { other.after.filter(|_| other.before.is_none()) } else { other.before };
        other.change.stack == *stack && component.is_some_and(is_place)
    });
    let text = match (is_removed, other) {
        (true, Some(other)) => format!("it is now in `{}`", other.change.name),
        (true, None) => "no backend says where it is any more, so it is kept beside the code".to_owned(),
        // The removed component reports it.
        (false, Some(_)) => return Vec::new(),
        (false, None) => "it was kept beside the code".to_owned(),
    };
    vec![(
        &changed.change.causes[..],
        Phrase::new("changes where the state is kept", "change where the state is kept", text),
    )]
}
