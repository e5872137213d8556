//! `component-disabled`, `component-enabled` and `became-abstract`: one word decides whether a component is deployed.

use super::{Changed, Changes, Phrase, dotted};
use crate::diagnostic::{Diagnostic, Level};
use crate::diff::Change;
use crate::rules::rule;
use crate::value::Value;

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
    let off = |c: &&Change| bool_of(&c.after) == Some(false) && bool_of(&c.before) != Some(false);
    let found = changes.by_cause(&COMPONENT_DISABLED, &changes.components, |changed| {
        changed
            .vocabulary()
            .switches
            .iter()
            .flat_map(|path| changed.at(path).filter(off))
            .map(|c| {
                (
                    &c.causes[..],
                    Phrase::new("is disabled", "are disabled", format!("`{}` is now false", dotted(&c.path))),
                )
            })
            .collect()
    });
    let note = "deployed resources stay until they are destroyed; where the module itself reads `enabled`, the next apply destroys \
                them";
    found.into_iter().map(|f| f.note(note)).collect()
}

pub(super) fn enabled(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let on = |c: &&Change| bool_of(&c.before) == Some(false) && bool_of(&c.after) != Some(false);
    changes.by_cause(&COMPONENT_ENABLED, &changes.components, |changed| {
        let words = changed.vocabulary();
        let switched = words.switches.iter().flat_map(|path| changed.at(path).filter(on)).map(|c| {
            let text = Phrase::new("is enabled", "are enabled", format!("`{}` is no longer false", dotted(&c.path)));
            (&c.causes[..], text)
        });
        let real = turned(changed, [true, false]).into_iter().map(|c| {
            (&c.causes[..], Phrase::new("is no longer abstract", "are no longer abstract", "will be deployed"))
        });
        switched.chain(real).collect()
    })
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

fn bool_of(value: &Option<Value>) -> Option<bool> {
    value.as_ref().and_then(Value::as_bool)
}
