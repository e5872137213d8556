//! `state-address-changed`: Terraform will look for the state of a component in another place.

use super::{Changed, Changes, FindingGroup, Phrase, dotted, is_deployed, is_within, nouns, transition};
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::{Cause, Change, Status};
use crate::resolution::{Component, RemovalEffect, Resolution, StatePlace};
use crate::rules::rule;
use crate::terraform::state;
use crate::text::Text;
use crate::value::{Flags, StatePaths, Value};
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
    let paths = |changed: &Changed<'_>| changed.vocabulary().state.as_ref();
    let all = changes.components.iter().filter(|_| !found.is_empty());
    let help = all.filter_map(|c| Some(((&c.change.stack, &c.change.name), paths(c)?.help)));
    let help: HashMap<_, _> = help.collect();
    let help = |finding: &Diagnostic| {
        finding.subjects.first().and_then(|s| help.get(&(&s.stack, &s.component))).copied().unwrap_or(state::MOVE)
    };
    let note = "no state is found in the new place, so a plan creates everything again";
    let of_code = moved_by_code(changes, &found);
    let with_help = |finding: Diagnostic| {
        let help = help(&finding);
        finding.note(note).help(help)
    };
    found.into_iter().chain(of_code).map(with_help).collect()
}

/// The components whose states are somewhere else though no setting of their backends differs, apart from those of other findings:
/// their code, a generated file, or what decides whether the settings count says so.
fn moved_by_code(changes: &Changes<'_>, others: &[Diagnostic]) -> Vec<Diagnostic> {
    let told: HashSet<_> = others.iter().flat_map(|other| &other.subjects).map(|s| (&s.stack, &s.component)).collect();
    let placed = deployed(changes.base).filter_map(|component| {
        // Only what has code can have a backend there.
        let vocabulary = component.language.vocabulary;
        vocabulary.state.as_ref().filter(|_| !vocabulary.inputs.is_empty())?;
        (!told.contains(&(&component.stack, &component.name))).then_some((address(component), component))
    });
    let placed: HashMap<_, &Component> = placed.collect();
    if placed.is_empty() {
        return Vec::new();
    }
    let found = deployed(changes.context.resolution).filter_map(|after| {
        let before = *placed.get(&address(after))?;
        let paths = after.language.vocabulary.state.as_ref()?;
        let is_written = [before, after].iter().all(|side| shows(side, paths.backend));
        let (verb, details) = match (&before.metadata.state, &after.metadata.state) {
            (Some(old), Some(new)) if !is_written => differences(old, new)?.in_words(),
            (Some(old), None) => (
                MAY,
                match of_code(changes, 1, after) {
                    Some(None) => gone(old, paths)?,
                    Some(Some(new)) => format!("backend `{}` is gone, and its code has `{new}`", old.backend),
                    None => format!("backend `{}` is gone, and its code is not known", old.backend),
                },
            ),
            (None, Some(new)) => match of_code(changes, 0, before) {
                Some(None) => (ONE, first(new, paths)?),
                Some(Some(old)) => (MAY, format!("backend `{}` is new, and its code had `{old}`", new.backend)),
                None => (MAY, format!("backend `{}` is new, and its code is not known", new.backend)),
            },
            _ => return None,
        };
        let origin = after.metadata.state.as_ref().and_then(|new| new.origin).or(after.value.prov.origin)?;
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

fn address(component: &Component) -> [&Text; 3] {
    [&component.stack, &component.kind, &component.name]
}

/// The type of the backend in the code that a component has on one side; `None` if the code cannot be read.
fn of_code(changes: &Changes<'_>, side: usize, component: &Component) -> Option<Option<Text>> {
    let module = changes.modules[side].get(&component.metadata.code.as_ref()?.folder)?;
    Some(module.backend.as_ref().map(|(kind, _)| Text::clone(kind)))
}

fn deployed(resolution: &Resolution) -> impl Iterator<Item = &Component> {
    let components = resolution.units.iter().flat_map(|unit| &unit.components);
    components.map(|component| &**component).filter(|component| may_have_state(component))
}

/// Whether a run may have deployed it: if nothing was deployed, there is no state to lose. That code is gone is told as such.
fn may_have_state(component: &Component) -> bool {
    is_deployed(component) && !component.metadata.lacks_code
}

/// Whether the settings of a backend are a part of a component.
fn shows(component: &Component, backend: &str) -> bool {
    backend.split('/').skip(1).try_fold(&component.value, |value, key| value.get(key)).is_some()
}

/// The settings of a backend that locate the state.
fn moved<'a>(changed: &Changed<'a>) -> Vec<(&'a [Cause], Phrase)> {
    if !changed.before.is_some_and(may_have_state) || !changed.after.is_some_and(may_have_state) {
        return Vec::new();
    }
    let Some(state) = &changed.vocabulary().state else { return Vec::new() };
    let sides = [changed.before, changed.after];
    let unplaced = || unplaced(changed, state);
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
    let attributes = changed.at_keys(state.backend, &state::ADDRESS);
    let others = changed.at(state.workspace).chain(changed.at(state.backend_type));
    // All settings of another type of backend are new.
    let is_other_type = changed.at(state.backend_type).next().is_some();
    let all = others.chain(attributes).filter(|c| !c.is_same_call && (!is_other_type || c.before.is_some()));
    let moved: Vec<&Change> = all.collect();
    let Some(first) = moved.first() else { return unplaced() };
    let part = |c: &&Change| setting(&dotted(&c.path), c.before.as_ref(), c.after.as_ref());
    let parts: Vec<String> = moved.iter().map(part).collect();
    // What a backend leaves out, `init` can get from elsewhere.
    let is_known = |side: &Option<Value>| side.as_ref().is_some_and(|value| !is_unknown(value));
    let is_certain = moved.iter().any(|change| is_known(&change.before) && is_known(&change.after));
    let (one, several) = if is_certain { (ONE, SEVERAL) } else { (MAY, MAY) };
    vec![(&first.causes[..], Phrase::new(one, several, parts.join(", ")))]
}

/// A component of which the settings that locate its state are there or not known on one side only, or differ and are not known as
/// a whole. Without such settings the state is kept beside the code, unless the code says something.
fn unplaced<'a>(changed: &Changed<'a>, paths: &StatePaths) -> Vec<(&'a [Cause], Phrase)> {
    let mut of_state =
        changed.change.changes.iter().filter(|c| !c.path.is_empty() && is_within(paths.backend, &c.path));
    let Some(cause) = of_state.find(|change| !change.is_same_call) else { return Vec::new() };
    let [old, new] = [changed.before, changed.after].map(|side| side?.metadata.state.as_ref());
    let is_open = |side: &Option<Value>| side.as_ref().is_some_and(is_unknown);
    let name = dotted(&cause.path);
    let text = match (old, new) {
        (_, None) if is_open(&cause.after) => Some(format!("`{name}` is not known")),
        (None, _) if is_open(&cause.before) => Some(format!("`{name}` was not known")),
        (Some(old), None) => gone(old, paths),
        (None, Some(new)) => first(new, paths),
        _ => None,
    };
    text.into_iter().map(|text| (&cause.causes[..], Phrase::new(MAY, MAY, text))).collect()
}

/// Whether something of a value is known only at run time.
fn is_unknown(value: &Value) -> bool {
    value.holds(Flags::UNKNOWN) || value.holds(Flags::CALL)
}

/// What it means that a backend is gone.
fn gone(old: &StatePlace, paths: &StatePaths) -> Option<String> {
    is_elsewhere(old).then(|| format!("backend `{}` is gone, so the state is {}", old.backend, paths.without))
}

/// What it means that a component has a backend for the first time.
fn first(new: &StatePlace, paths: &StatePaths) -> Option<String> {
    is_elsewhere(new).then(|| format!("backend `{}` is new; the state was {}", new.backend, paths.without))
}

/// Whether a state is elsewhere than beside the code, where a local state without settings is.
fn is_elsewhere(place: &StatePlace) -> bool {
    place.backend != *"local" || state::ADDRESS.iter().any(|name| place.settings.get(name).is_some())
}

/// A place that something else says than the settings of a backend, such as a generated file.
fn elsewhere<'a>(changed: &Changed<'a>, old: &StatePlace, new: &StatePlace) -> Vec<(&'a [Cause], Phrase)> {
    let Some(difference) = differences(old, new) else { return Vec::new() };
    let texts: Vec<&str> = difference.values.iter().filter_map(|value| value.as_str()).collect();
    let says = |value: &Option<Value>| {
        value.as_ref().and_then(Value::as_str).is_some_and(|text| texts.iter().any(|part| text.contains(part)))
    };
    let changes = &changed.change.changes;
    let cause = changes.iter().find(|change| says(&change.before) || says(&change.after)).or_else(|| changes.first());
    let (verb, details) = difference.in_words();
    cause.into_iter().map(|cause| (&cause.causes[..], Phrase::new(verb, verb, &*details))).collect()
}

/// How two places differ.
struct Difference<'p> {
    parts: Vec<String>,
    /// The settings that differ, of both sides.
    values: Vec<&'p Value>,
    /// Whether one of the parts is known to differ.
    is_certain: bool,
}

impl Difference<'_> {
    /// What it means for a component, and its parts.
    fn in_words(&self) -> (&'static str, String) {
        (if self.is_certain { ONE } else { MAY }, self.parts.join(", "))
    }
}

/// How two places differ, or may; `None` if they do not.
fn differences<'p>(old: &'p StatePlace, new: &'p StatePlace) -> Option<Difference<'p>> {
    let both = |key: &'static str| (key, old.settings.get(key), new.settings.get(key));
    let moved: Vec<_> = state::ADDRESS.into_iter().map(both).filter(|(_, old, new)| old != new).collect();
    let is_other_kind = old.backend != new.backend;
    if moved.is_empty() && !is_other_kind {
        return None;
    }
    let kind = is_other_kind.then(|| format!("backend `{}` → `{}`", old.backend, new.backend));
    let parts = moved.iter().map(|(key, old, new)| setting(key, *old, *new));
    let is_known = |(_, old, new): &(_, Option<&Value>, Option<&Value>)| {
        ![old, new].into_iter().copied().flatten().any(is_unknown)
    };
    Some(Difference {
        parts: kind.into_iter().chain(parts).collect(),
        values: moved.iter().flat_map(|(_, old, new)| [*old, *new]).flatten().collect(),
        is_certain: is_other_kind || moved.iter().any(is_known),
    })
}

/// A setting that differs, in words.
fn setting(name: &str, before: Option<&Value>, after: Option<&Value>) -> String {
    let last = name.rsplit('.').next().unwrap_or_default();
    match state::SECRET_ADDRESS.contains(&last) {
        true => format!("`{name}` is another one"),
        false => format!("`{name}` {}", transition(before, after)),
    }
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
    let without = changed.vocabulary().state.as_ref().map_or("", |paths| paths.without);
    let states = [changed.before, other.and_then(|other| other.after)].map(|side| side?.metadata.state.as_ref());
    if let [Some(old), Some(new)] = states
        && differences(old, new).is_none()
    {
        return Vec::new();
    }
    let text = match (is_removed, other) {
        (true, Some(other)) => format!("it is now in `{}`", other.change.name),
        (true, None) => format!("no backend says where it is any more, so it is {without}"),
        // The removed component reports it.
        (false, Some(_)) => return Vec::new(),
        (false, None) => format!("it was {without}"),
    };
    vec![(
        &changed.change.causes[..],
        Phrase::new("changes where the state is kept", "change where the state is kept", text),
    )]
}
