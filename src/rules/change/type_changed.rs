//! `type-changed`: a variable is of another kind than before.

use super::{Changes, Phrase, dotted};
use crate::diagnostic::Diagnostic;
use crate::rules::rule;
use crate::value::{Data, Value};

rule!(TYPE_CHANGED, "type-changed", Change, "0.1.0", "the type of a variable changes");

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    changes.by_cause(&TYPE_CHANGED, &changes.components, |changed| {
        let inputs = changed.vocabulary().inputs;
        if inputs.is_empty() {
            return Vec::new();
        }
        let path = format!("/{inputs}");
        let differ = changed.at(&path).filter_map(|c| {
            let (before, after) = (kind(c.before.as_ref()?)?, kind(c.after.as_ref()?)?);
            let name = c.path.strip_prefix(&path).and_then(|rest| rest.split('/').nth(1)).unwrap_or_default();
            // The value follows its declaration.
            if before == after || changes.declares_differently(changed, name) {
                return None;
            }
            let path = dotted(&c.path);
            let details = format!("`{path}`: {before} → {after}");
            let text = Phrase::new("changes the type of a value", "change the type of a value", details);
            Some((&c.causes[..], text))
        });
        differ.collect()
    })
}

/// Returns the kind of a known, non-empty value; empty collections fit every kind that a module may require.
fn kind(value: &Value) -> Option<&'static str> {
    match &value.data {
        Data::Bool(_) => Some("boolean"),
        Data::Int(_) | Data::Uint(_) | Data::Float(_) => Some("number"),
        // A function that is evaluated later can return any type.
        Data::Str(text) if text.starts_with('!') || text.contains("{{") => None,
        Data::Str(_) => Some("string"),
        Data::List(_) => Some("list"),
        Data::Map(_) => Some("map"),
        Data::Null | Data::Time(_) | Data::Unknown(_) => None,
    }
}
