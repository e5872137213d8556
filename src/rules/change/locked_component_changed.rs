//! `locked-component-changed`: a component that is locked changes all the same.

use super::{Changed, Changes, Phrase};
use crate::diagnostic::Diagnostic;
use crate::diff::Status;
use crate::rules::rule;

rule!(
    LOCKED_COMPONENT_CHANGED,
    "locked-component-changed",
    Change,
    "0.1.0",
    "the configuration of a locked component changes"
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&LOCKED_COMPONENT_CHANGED, &changes.components, |changed| {
        let removed = changed.change.status == Status::Removed;
        // A change that only locks the component is intended.
        let lock = changed.vocabulary().lock;
        let only_lock = !lock.is_empty() && changed.change.changes.iter().all(|c| c.path.starts_with(lock));
        if !was_locked(changed) || (only_lock && !removed) {
            return Vec::new();
        }
        let text = match removed {
            true => Phrase::new("is locked, and is removed", "are locked, and are removed", ""),
            false => Phrase::new(
                "is locked, and its configuration changes",
                "are locked, and their configuration changes",
                "",
            ),
        };
        vec![(&changed.change.causes[..], text)]
    });
    let note = "the lock keeps it from being applied, so what is deployed and what is written drift apart";
    found.into_iter().map(|f| f.note(note)).collect()
}

fn was_locked(changed: &Changed<'_>) -> bool {
    changed.before.is_some_and(|c| c.metadata.is_locked)
}
