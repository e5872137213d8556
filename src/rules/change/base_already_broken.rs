//! `base-already-broken`: parts of the older state could not be resolved, so they are not compared.

use super::Changes;
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::resolution::Unit;
use crate::rules::rule;
use crate::text::{FastSet, Text};
use crate::value::FileId;
use std::collections::BTreeSet;
use std::sync::Arc;

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
    let broken: Vec<&Arc<Unit>> =
        changes.base.units.iter().filter(|u| u.is_broken() && head.contains(&*u.id)).collect();
    let Some(first) = first_reason(changes, &broken).filter(|_| !broken.is_empty()) else { return Vec::new() };
    let message = match &broken[..] {
        [only] => format!("`{}` cannot be resolved in the older revision, so it is not compared", only.name),
        all => format!("{} manifests cannot be resolved in the older revision, so they are not compared", all.len()),
    };
    let finding = Diagnostic::new(&BASE_ALREADY_BROKEN, message, first.primary.clone())
        .note(format!("the first reason is: {}", first.message))
        .token("base");
    vec![finding]
}

/// The first reason by its place, of those in files of these units if there is one: other units may be broken for other reasons.
/// Files have their numbers in the order in which threads read them.
fn first_reason<'a>(changes: &Changes<'a>, broken: &[&Arc<Unit>]) -> Option<&'a Diagnostic> {
    let own: FastSet<FileId> = broken.iter().flat_map(|unit| unit.files.iter().chain([&unit.file]).copied()).collect();
    let reasons = changes.base.findings.iter().filter(|finding| finding.is_breaking);
    reasons.min_by_key(|finding| {
        let Label { file, start, .. } = finding.primary;
        (!own.contains(&file), Text::clone(&changes.context.files.get(file).path), start)
    })
}
