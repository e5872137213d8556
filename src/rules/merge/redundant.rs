//! `redundant-override`.

use super::authored::uses;
use super::walk::at;
use crate::diagnostic::{Applicability, Diagnostic};
use crate::rules::edit::removal;
use crate::rules::{Context, rule};

rule!(REDUNDANT_OVERRIDE, "redundant-override", Hygiene, "0.1.0", "a value repeats the inherited value in every stack");

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let redundant = uses(context, &REDUNDANT_OVERRIDE, |u| !u.is_first && !u.is_open && u.is_repeated);
    redundant
        .into_iter()
        .map(|(origin, used)| {
            let message = format!("`{}` has the same value without this line", used.path);
            let mut finding = Diagnostic::new(&REDUNDANT_OVERRIDE, message, at(context.files, origin, ""));
            if let Some(below) = used.below {
                finding = finding.related(at(context.files, below, "it comes from here"));
            }
            finding.stacks = used.stacks.into_iter().collect();
            finding.token = Some(used.path);
            match removal(context.files, origin, "remove it", Applicability::Safe) {
                Some(fix) => finding.fix(fix),
                None => finding,
            }
        })
        .collect()
}
