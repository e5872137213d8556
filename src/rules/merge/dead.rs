//! `dead-override`.

use super::authored::{has_computed_imports, uses};
use super::walk::at;
use crate::diagnostic::Diagnostic;
use crate::rules::{Context, rule};

rule!(DEAD_OVERRIDE, "dead-override", Hygiene, "0.1.0", "an override is itself overridden in every stack");

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if has_computed_imports(context) {
        return Vec::new();
    }
    let dead = uses(context, &DEAD_OVERRIDE, |u| !u.wins && !u.is_first && !u.is_open && !u.is_repeated);
    dead.into_iter()
        .map(|(origin, used)| {
            let message = format!("`{}` never has this value: every stack overrides it again", used.path);
            let mut finding = Diagnostic::new(&DEAD_OVERRIDE, message, at(context.files, origin, ""));
            for (place, words) in [(used.above, "for example here"), (used.below, "it overrides this value")] {
                if let Some(place) = place {
                    finding = finding.related(at(context.files, place, words));
                }
            }
            finding.stacks = used.stacks.into_iter().collect();
            finding.token = Some(used.path);
            finding
        })
        .collect()
}
