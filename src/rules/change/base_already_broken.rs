//! `base-already-broken`: parts of the older state could not be resolved, so they are not compared.

use super::Changes;
use crate::diagnostic::{Diagnostic, Level};
use crate::rules::rule;
use std::collections::BTreeSet;

rule!(
    BASE_ALREADY_BROKEN,
    "base-already-broken",
    Change,
    "0.1.0",
    "parts of the older revision cannot be resolved and are not compared",
    Some(Level::Note)
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let head: BTreeSet<&str> =
        changes.context.resolution.units.iter().filter(|u| !u.is_broken()).map(|u| &*u.id).collect();
    // If it is broken in both revisions, another finding says so.
    let broken = changes.base.units.iter().filter(|u| u.is_broken() && head.contains(&*u.id));
    let broken: Vec<&str> = broken.map(|u| &*u.name).collect();
    let Some(first) = changes.base.findings.iter().find(|f| f.is_breaking) else { return Vec::new() };
    if broken.is_empty() {
        return Vec::new();
    }
    let message = match &broken[..] {
        [only] => format!("`{only}` cannot be resolved in the older revision, so it is not compared"),
        all => format!("{} manifests cannot be resolved in the older revision, so they are not compared", all.len()),
    };
    let finding = Diagnostic::new(&BASE_ALREADY_BROKEN, message, first.primary.clone())
        .note(format!("the first reason is: {}", first.message))
        .token("base");
    vec![finding]
}
