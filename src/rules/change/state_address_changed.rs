//! `state-address-changed`: Terraform will look for the state of a component in another place.

use super::{Changes, is_deployed, shown};
use crate::diagnostic::Diagnostic;
use crate::diff::Change;
use crate::rules::rule;
use crate::terraform::state;

rule!(
    STATE_ADDRESS_CHANGED,
    "state-address-changed",
    Change,
    "0.1.0",
    "the state of a component is looked for in another place"
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&STATE_ADDRESS_CHANGED, |changed| {
        // Where nothing was deployed there is no state to lose.
        if !changed.before.is_some_and(is_deployed) || !changed.after.is_some_and(is_deployed) {
            return Vec::new();
        }
        let Some(state) = &changed.vocabulary().state else { return Vec::new() };
        let attributes = state::ADDRESS.iter().flat_map(|name| changed.at(&format!("{}/{name}", state.backend)));
        let others = changed.at(state.workspace).chain(changed.at(state.backend_type));
        let moved: Vec<&Change> = others.chain(attributes).filter(|c| c.before.is_some()).collect();
        let Some(first) = moved.first() else { return Vec::new() };
        let part = |c: &&Change| {
            let name = c.path.trim_start_matches('/').replace('/', ".");
            format!("`{name}` was {} and is {}", shown(c.before.as_ref()), shown(c.after.as_ref()))
        };
        let parts: Vec<String> = moved.iter().map(part).collect();
        vec![(&first.causes[..], format!("will look for its state elsewhere: {}", parts.join(", ")))]
    });
    let help = "move the state first (`terraform init -migrate-state`, `terraform state push`), or keep the old place";
    let note = "Terraform finds no state in the new place and plans to create everything again";
    found.into_iter().map(|f| f.note(note).help(help)).collect()
}
