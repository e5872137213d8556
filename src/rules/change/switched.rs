//! `component-disabled`, `component-enabled` and `became-abstract`: one word decides whether a component is deployed.

use super::{Changes, Phrase};
use crate::diagnostic::Diagnostic;
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
    "a component became abstract and is no longer deployed, or became a real component"
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
        changed
            .vocabulary()
            .switches
            .iter()
            .flat_map(|path| changed.at(path).filter(on))
            .map(|c| {
                (
                    &c.causes[..],
                    Phrase::new("is enabled", "are enabled", format!("`{}` is no longer false", dotted(&c.path))),
                )
            })
            .collect()
    })
}

pub(super) fn became_abstract(changes: &Changes<'_>) -> Vec<Diagnostic> {
    changes.by_cause(&BECAME_ABSTRACT, &changes.components, |changed| {
        let Some((path, marker)) = changed.vocabulary().abstract_marker else { return Vec::new() };
        let is_abstract = |v: &Option<Value>| v.as_ref().and_then(Value::as_str) == Some(marker);
        let turned = changed.at(path).filter_map(|c| {
            let text = match (is_abstract(&c.before), is_abstract(&c.after)) {
                (false, true) => {
                    Phrase::new("is now abstract", "are now abstract", "no longer deployed; its resources stay")
                }
                (true, false) => Phrase::new("is no longer abstract", "are no longer abstract", "will be deployed"),
                _ => return None,
            };
            Some((&c.causes[..], text))
        });
        turned.collect()
    })
}

fn bool_of(value: &Option<Value>) -> Option<bool> {
    value.as_ref().and_then(Value::as_bool)
}

fn dotted(path: &str) -> String {
    path.trim_start_matches('/').replace('/', ".")
}
