//! `component-disabled`, `component-enabled` and `became-abstract`: one word decides whether a component is deployed.

use super::{Changed, Changes, Phrase, dotted, is_within};
use crate::diagnostic::{Diagnostic, Level};
use crate::diff::{Cause, Change};
use crate::resolution::Component;
use crate::rules::rule;
use crate::value::{Flags, Value};

rule!(COMPONENT_DISABLED, "component-disabled", Change, "0.1.0", "a component is disabled");
rule!(COMPONENT_ENABLED, "component-enabled", Change, "0.1.0", "a component is enabled");
rule!(
    BECAME_ABSTRACT,
    "became-abstract",
    Change,
    "0.1.0",
    "a component became abstract and is no longer deployed",
    Some(Level::Danger)
);

pub(super) fn disabled(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&COMPONENT_DISABLED, &changes.components, |changed| {
        let phrase = |turn: &Turn<'_>| match turn.states {
            [_, State::Off] => Some(Phrase::new("is disabled", "are disabled", turn.in_words())),
            // A value that was known before, and is not any more, is reported as such.
            [State::Unset, State::Unknown] => {
                Some(Phrase::new("may be disabled", "may be disabled", format!("`{}` is not known", turn.name)))
            }
            _ => None,
        };
        turns(changed).iter().filter_map(|turn| Some((turn.causes, phrase(turn)?))).collect()
    });
    let note = "deployed resources stay until they are destroyed; where the code itself reads the value, the next apply destroys them";
    found.into_iter().map(|f| f.note(note)).collect()
}

pub(super) fn enabled(changes: &Changes<'_>) -> Vec<Diagnostic> {
    changes.by_cause(&COMPONENT_ENABLED, &changes.components, |changed| {
        let phrase = |turn: &Turn<'_>| match turn.states {
            [State::Off, State::Unknown] => {
                Phrase::new("may be enabled", "may be enabled", format!("`{}` is not known", turn.name))
            }
            _ => Phrase::new("is enabled", "are enabled", turn.in_words()),
        };
        let turns = turns(changed);
        let switched = turns.iter().filter(|turn| turn.states[0] == State::Off).map(|turn| (turn.causes, phrase(turn)));
        let real = turned(changed, [true, false]).into_iter().map(|c| {
            (&c.causes[..], Phrase::new("is no longer abstract", "are no longer abstract", "will be deployed"))
        });
        switched.chain(real).collect()
    })
}

/// What a switch says of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is not written: the component is on.
    Unset,
    On,
    Off,
    Unknown,
}

impl State {
    fn of(side: Option<&Component>, (path, off): (&str, bool)) -> State {
        match side.and_then(|component| component.value.at_path(path.split('/').skip(1))) {
            None => State::Unset,
            Some(value) if value.holds(Flags::UNKNOWN) => State::Unknown,
            Some(value) if value.as_bool() == Some(off) => State::Off,
            Some(_) => State::On,
        }
    }
}

/// A switch that says something else than before.
struct Turn<'a> {
    /// The path of the switch, with dots.
    name: String,
    off: bool,
    states: [State; 2],
    causes: &'a [Cause],
}

impl Turn<'_> {
    fn in_words(&self) -> String {
        let (name, off) = (&self.name, self.off);
        if self.states[1] == State::Off {
            format!("`{name}` is now {off}")
        } else {
            format!("`{name}` is no longer {off}")
        }
    }
}

/// The switches of a component that say something else than before.
fn turns<'a>(changed: &Changed<'a>) -> Vec<Turn<'a>> {
    let turn = |&(path, off): &(&str, bool)| {
        let is_about = |change: &&Change| is_within(path, &change.path) || is_within(&change.path, path);
        let cause = changed.change.changes.iter().find(|change| !change.path.is_empty() && is_about(change))?;
        let states = [changed.before, changed.after].map(|side| State::of(side, (path, off)));
        (states[0] != states[1]).then(|| Turn { name: dotted(path), off, states, causes: &cause.causes })
    };
    changed.vocabulary().switches.iter().filter_map(turn).collect()
}

pub(super) fn became_abstract(changes: &Changes<'_>) -> Vec<Diagnostic> {
    changes.by_cause(&BECAME_ABSTRACT, &changes.components, |changed| {
        let text = || Phrase::new("is now abstract", "are now abstract", "no longer deployed; its resources stay");
        turned(changed, [false, true]).into_iter().map(|c| (&c.causes[..], text())).collect()
    })
}

/// The changes after which a component is abstract or not, given whether it is before and after.
fn turned<'a>(changed: &Changed<'a>, abstract_in: [bool; 2]) -> Vec<&'a Change> {
    let Some((path, marker)) = changed.vocabulary().abstract_marker else { return Vec::new() };
    let is_abstract = |v: &Option<Value>| v.as_ref().and_then(Value::as_str) == Some(marker);
    changed.at(path).filter(|c| [is_abstract(&c.before), is_abstract(&c.after)] == abstract_in).collect()
}
