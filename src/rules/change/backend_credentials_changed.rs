//! `backend-credentials-changed`: the state is read and written with other rights.

use super::{Changes, Phrase, dotted, transition};
use crate::diagnostic::{Diagnostic, Level};
use crate::resolution::Component;
use crate::rules::rule;
use crate::terraform::state;

rule!(
    BACKEND_CREDENTIALS_CHANGED,
    "backend-credentials-changed",
    Change,
    "0.1.0",
    "a component reads and writes its state with different credentials",
    Some(Level::Danger)
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    changes.by_cause(&BACKEND_CREDENTIALS_CHANGED, &changes.components, |changed| {
        if changed.before.is_none() || changed.after.is_none() || !changed.was_or_is_deployed() {
            return Vec::new();
        }
        // With another type of backend the state moves, which is reported; its credentials naturally differ.
        let Some(state) = &changed.vocabulary().state else { return Vec::new() };
        if !changed.has(state.backend) || changed.at(state.backend_type).next().is_some() {
            return Vec::new();
        }
        let role = |side: Option<&Component>| state::role(&side?.metadata.state.as_ref()?.settings);
        let is_same_role = role(changed.before).is_some_and(|old| role(changed.after) == Some(old));
        let changes = changed.at_keys(state.backend, &state::ACCESS).into_iter();
        let rights = changes.filter(|c| !(is_same_role && state::is_role(&c.path))).map(|c| {
            let name = dotted(&c.path);
            let details = format!("`{name}` {}", transition(c.before.as_ref(), c.after.as_ref()));
            (
                &c.causes[..],
                Phrase::new(
                    "uses different credentials for its state",
                    "use different credentials for their states",
                    details,
                ),
            )
        });
        rights.collect()
    })
}
