//! `invalid-function-arguments`.

use super::walk::{Gathered, at, each};
use crate::diagnostic::Diagnostic;
use crate::rules::{Context, rule};
use crate::value::{Flags, Reading, Value};

rule!(
    INVALID_FUNCTION_ARGUMENTS,
    "invalid-function-arguments",
    Correctness,
    "0.1.0",
    "a YAML function is called with arguments that it refuses",
    State(check)
);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut found = Gathered::default();
    let refusal = |value: &Value, read: fn(&str) -> Option<Reading>| match value.as_str().and_then(read) {
        Some(Reading::Refused(reason)) => Some(reason),
        _ => None,
    };
    // What a template left open is the template's fault.
    let is_open = |value: &Value| value.as_str().is_some_and(|s| s.contains("<no value>") || s.contains("{{"));
    each(
        context.estate,
        |v| v.as_str().is_some() && v.flags().has(Flags::CALL),
        |seen| {
            let Some(here) = seen.value.prov.origin.filter(|_| !is_open(seen.value)) else { return };
            let Some(reason) = refusal(seen.value, seen.component.language.read) else { return };
            found.add((here, here), seen.component, true, || {
                Diagnostic::new("invalid-function-arguments", reason, at(context.files, here, "")).token(seen.dotted())
            });
        },
    );
    found.finish()
}
