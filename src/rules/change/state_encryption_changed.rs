//! `state-encryption-changed`: the backend no longer encrypts the state, or encrypts it with a different key.

use super::{Changes, Phrase, transition};
use crate::diagnostic::{Diagnostic, Level};
use crate::rules::rule;
use crate::terraform::state;
use crate::value::Value;

rule!(
    STATE_ENCRYPTION_CHANGED,
    "state-encryption-changed",
    Change,
    "0.1.0",
    "the backend no longer encrypts the state of a component, or encrypts it with a different key",
    Some(Level::Danger)
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    changes.by_cause(&STATE_ENCRYPTION_CHANGED, &changes.components, |changed| {
        if changed.before.is_none() || changed.after.is_none() || !changed.was_or_is_deployed() {
            return Vec::new();
        }
        // Another type of backend keeps the state in another place, which `state-address-changed` reports.
        let Some(state) = &changed.vocabulary().state else { return Vec::new() };
        if !changed.has(state.backend) || changed.at(state.backend_type).next().is_some() {
            return Vec::new();
        }
        let is_on = |value: &Option<Value>| value.as_ref().and_then(Value::as_bool) == Some(true);
        let switch = format!("{}/{}", state.backend, state::ENCRYPTION);
        let disabled = changed.at(&switch).filter(|c| is_on(&c.before) && !is_on(&c.after)).map(|c| {
            (&c.causes[..], Phrase::new("no longer encrypts its state", "no longer encrypt their states", ""))
        });
        let key = format!("{}/{}", state.backend, state::ENCRYPTION_KEY);
        let rekeyed = changed.at(&key).map(|c| {
            let details = format!("`{}` {}", state::ENCRYPTION_KEY, transition(c.before.as_ref(), c.after.as_ref()));
            let phrase = Phrase::new(
                "encrypts its state with a different key",
                "encrypt their states with a different key",
                details,
            );
            (&c.causes[..], phrase)
        });
        disabled.chain(rekeyed).collect()
    })
}
