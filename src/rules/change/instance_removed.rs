//! `provider-instance-removed`: a provider instance is removed that deployed resources may still need.

use super::{Changed, Changes, Phrase, status};
use crate::diagnostic::{Diagnostic, Level};
use crate::diff::{Cause, Status};
use crate::resolution::Component;
use crate::rules::rule;
use crate::value::{Flags, Value};
use std::collections::BTreeSet;

rule!(
    PROVIDER_INSTANCE_REMOVED,
    "provider-instance-removed",
    Change,
    "0.1.0",
    "a provider instance is removed that resources may still use",
    Some(Level::Danger)
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&PROVIDER_INSTANCE_REMOVED, &changes.components, |changed| {
        let path = changed.vocabulary().instances;
        // If the whole stack is removed, that is intended.
        if path.is_empty() || changes.diff.removed_stacks.contains(&changed.change.stack) {
            return Vec::new();
        }
        let Some(removed_stacks) = removed_stacks(changed, path) else { return Vec::new() };
        let names: Vec<String> = removed_stacks.iter().map(|name| format!("`{name}`")).collect();
        let text = match names.len() {
            1 => Phrase::new("loses an instance", "lose an instance", names.join(", ")),
            _ => Phrase::new("loses instances", "lose instances", names.join(", ")),
        };
        match names.is_empty() {
            true => Vec::new(),
            false => vec![(causes(changed, path), text)],
        }
    });
    let note = "resources that belong to an instance can neither be changed nor destroyed without it";
    let help = "destroy what belongs to it first, and remove the instance in a later change";
    found.into_iter().map(|f| f.note(note).help(help)).collect()
}

/// Returns the names of removed instances; `None` if they are unknown.
fn removed_stacks<'a>(changed: &Changed<'a>, path: &str) -> Option<Vec<&'a str>> {
    let before = names(changed.before?, path)?;
    let after = match changed.after {
        Some(after) => names(after, path)?,
        None => BTreeSet::new(),
    };
    Some(before.difference(&after).copied().collect())
}

fn names<'a>(component: &'a Component, path: &str) -> Option<BTreeSet<&'a str>> {
    let list = component.value.at_path(path.split('/').skip(1))?;
    let items = list.as_list().filter(|_| !list.holds(Flags::UNKNOWN))?;
    items.iter().map(Value::as_str).collect()
}

fn causes<'a>(changed: &Changed<'a>, path: &str) -> &'a [Cause] {
    if status(changed, Status::Modified)
        && let Some(first) = changed.at(path).next()
    {
        return &first.causes;
    }
    &changed.change.causes
}
