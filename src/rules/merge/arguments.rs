//! `invalid-function-arguments`.

use super::walk::{Gathered, at, components, each_where};
use crate::diagnostic::Diagnostic;
use crate::resolution::Unit;
use crate::rules::{Context, by_unit, rule};
use crate::text::{FastMap, Text};
use crate::value::{Data, Flags, Reading, Value, is_call};
use std::sync::Arc;

rule!(
    INVALID_FUNCTION_ARGUMENTS,
    "invalid-function-arguments",
    Correctness,
    "0.1.0",
    "a YAML function is called with invalid arguments"
);

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let units = &context.resolution.units;
    let found = by_unit(context.results, &INVALID_FUNCTION_ARGUMENTS, units, |units| refused(context, units));
    Gathered::together(found.iter().map(|found| &**found)).finish()
}

/// The calls in some units that are refused.
fn refused(context: &Context<'_>, units: &[Arc<Unit>]) -> Gathered {
    let mut found = Gathered::default();
    // The same text comes from one line into many components.
    let mut known: FastMap<Text, bool> = FastMap::default();
    let refusal = |value: &Value, read: fn(&str) -> Option<Reading>| match value.as_str().and_then(read) {
        Some(Reading::Refused(reason)) => Some(reason),
        _ => None,
    };
    // If a template could not be evaluated, the arguments are unknown.
    let is_open = |value: &Value| value.as_str().is_some_and(|s| s.contains("<no value>") || s.contains("{{"));
    each_where(
        components(units).filter(|component| !component.metadata.has_valid_calls),
        |map| map.flags().has(Flags::CALL),
        |v| v.as_str().is_some_and(is_call),
        |seen| {
            let Data::Str(text) = &seen.value.data else { return };
            let is_refused = || refusal(seen.value, seen.component.language.read).is_some() && !is_open(seen.value);
            if !*known.entry(Text::clone(text)).or_insert_with(is_refused) {
                return;
            }
            let Some(here) = seen.value.prov.origin else { return };
            let Some(reason) = refusal(seen.value, seen.component.language.read) else { return };
            found.add((here, here), seen.component, true, || {
                Diagnostic::new(&INVALID_FUNCTION_ARGUMENTS, reason, at(context.files, here, "")).token(seen.dotted())
            });
        },
    );
    found
}
