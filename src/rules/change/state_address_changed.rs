//! `state-address-changed`: Terraform will look for the state of a component in another place.

use super::{Changes, is_deployed, shown};
use crate::diagnostic::Diagnostic;
use crate::diff::Change;
use crate::rules::rule;

rule!(
    STATE_ADDRESS_CHANGED,
    "state-address-changed",
    Change,
    "0.1.0",
    "the state of a component is looked for in another place"
);

/// What the place of a state is made of.
const PARTS: [&str; 17] = [
    "/workspace",
    "/backend_type",
    "/backend/address",
    "/backend/bucket",
    "/backend/container_name",
    "/backend/hostname",
    "/backend/key",
    "/backend/namespace",
    "/backend/organization",
    "/backend/path",
    "/backend/prefix",
    "/backend/region",
    "/backend/resource_group_name",
    "/backend/secret_suffix",
    "/backend/storage_account_name",
    "/backend/workspace_key_prefix",
    "/backend/workspaces",
];

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&STATE_ADDRESS_CHANGED, |changed| {
        // Where nothing was deployed there is no state to lose.
        if !changed.before.is_some_and(is_deployed) || !changed.after.is_some_and(is_deployed) {
            return Vec::new();
        }
        let moved: Vec<&Change> =
            PARTS.iter().flat_map(|path| changed.at(path)).filter(|c| c.before.is_some()).collect();
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
