//! `deferred-merge-conflict`.

use super::walk::{Gathered, Seen, at, call_kind, each_overridden, is_empty, source, written_kind};
use crate::diagnostic::Diagnostic;
use crate::resolution::Unit;
use crate::rules::edit::replacement;
use crate::rules::{Context, by_unit, rule};
use crate::value::{Call, Value, ValueKind};
use std::sync::Arc;

rule!(
    DEFERRED_MERGE_CONFLICT,
    "deferred-merge-conflict",
    Suspicious,
    "0.1.0",
    "a YAML function and a value of another layer do not merge as expected"
);

/// One side of a pair.
struct Side<'a> {
    value: &'a Value,
    call: Option<Call>,
    kind: Option<ValueKind>,
}

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let units = &context.resolution.units;
    let found = by_unit(context.results, &DEFERRED_MERGE_CONFLICT, units, |units| conflicts(context, units));
    Gathered::together(found.iter().map(|found| &**found)).finish()
}

fn conflicts(context: &Context<'_>, units: &[Arc<Unit>]) -> Gathered {
    let mut found = Gathered::default();
    each_overridden(units, |seen| {
        let history = seen.history();
        let is_call = |v: &Value| v.as_str().is_some_and(|s| (seen.component.language.read)(s).is_some());
        if !history.iter().any(|(_, v)| is_call(v)) {
            return;
        }
        if let Some(((Some(_), top), rest)) = history.split_first()
            && top.is_null()
            && let Some((_, call)) = rest.iter().find(|(_, v)| !v.is_null()).filter(|(_, v)| is_call(v))
            && let (Some(here), Some(below)) = (top.prov.origin, call.prov.origin)
        {
            found.add((here, below), seen.component, true, || {
                let message =
                    format!("null has no effect here: `{}` keeps the value of the YAML function", seen.dotted());
                Diagnostic::new(&DEFERRED_MERGE_CONFLICT, message, at(context.files, here, ""))
                    .related(at(context.files, below, "the function"))
                    .note("in the last merge of a component, null does not override a function")
                    .help(format!(
                        "write the value that is meant, or `{}` to remove the key",
                        seen.component.language.vocabulary.unset
                    ))
                    .token(seen.dotted())
            });
        }
        for (i, pair) in history.windows(2).enumerate() {
            let ((upper_layer, upper), (lower_layer, lower)) = (pair[0], pair[1]);
            let (Some(here), Some(below)) = (upper.prov.origin, lower.prov.origin) else { continue };
            // Only the layers of the last merge wait for functions; within one layer, functions were merged as text.
            let waits = upper_layer.is_some() && upper_layer != lower_layer;
            let (upper, lower) = (side(context, seen, upper), side(context, seen, lower));
            let Some(conflict) = conflict(&upper, &lower, waits, seen.component.language.promised_merge) else {
                continue;
            };
            found.add((here, below), seen.component, i == 0, || {
                let mut finding = Diagnostic::new(
                    &DEFERRED_MERGE_CONFLICT,
                    conflict.message(&seen.dotted(), &upper, &lower),
                    at(context.files, here, ""),
                )
                .related(at(context.files, below, lower.words()))
                .note(conflict.note(waits))
                .token(seen.dotted());
                if upper.kind == Some(ValueKind::Map) && lower.kind == Some(ValueKind::List) && is_empty(upper.value) {
                    finding = finding.help("write `[]` for an empty list");
                    if source(context.files, here) == "{}" {
                        finding = finding.fix(replacement(here, "[]", "write `[]`"));
                    }
                }
                finding
            });
        }
    });
    found
}

fn side<'a>(context: &Context<'_>, seen: &Seen<'_, '_>, value: &'a Value) -> Side<'a> {
    match seen.component.language.call(value) {
        Some(call) => {
            let kind = call_kind(context, seen.component, &call);
            Side { value, call: Some(call), kind }
        }
        None => Side { value, call: None, kind: written_kind(context, seen.component, value) },
    }
}

impl Side<'_> {
    fn words(&self) -> String {
        match (&self.call, self.kind) {
            (Some(call), Some(kind)) => format!("`{}` gives {}", call.function, kind.name()),
            (Some(call), None) => format!("`{}`", call.function),
            (None, kind) => kind.map_or("a value", ValueKind::name).to_owned(),
        }
    }
}

/// The problem of a pair with at least one call.
#[derive(Clone, Copy)]
enum Conflict {
    /// The kinds cannot be merged.
    Kinds,
    /// Both are maps, and would be merged if one were not a call.
    Replaced,
    /// It would be another value if merging waited for calls everywhere.
    Promised,
}

fn conflict(upper: &Side<'_>, lower: &Side<'_>, waits: bool, promised: bool) -> Option<Conflict> {
    if upper.call.is_none() && lower.call.is_none() {
        return None;
    }
    if upper.value.is_null() {
        // Over a function whose merge waits, null would count for nothing.
        return (promised && !waits && lower.call.is_some()).then_some(Conflict::Promised);
    }
    let class = |kind: ValueKind| (kind == ValueKind::List, kind == ValueKind::Map);
    let (new, old) = (upper.kind?, lower.kind?);
    if new == ValueKind::Null || old == ValueKind::Null {
        return None;
    }
    if class(new) != class(old) {
        let is_loss = lower.call.is_some() || !is_empty(lower.value);
        return is_loss.then_some(Conflict::Kinds);
    }
    if new != ValueKind::Map || waits {
        return None;
    }
    match (&upper.call, &lower.call) {
        // A map that is not merged with the result of a function, although maps merge everywhere else.
        (None, Some(_)) => Some(Conflict::Replaced),
        _ => (promised && !is_empty(lower.value)).then_some(Conflict::Promised),
    }
}

impl Conflict {
    fn message(self, path: &str, upper: &Side<'_>, lower: &Side<'_>) -> String {
        match self {
            Conflict::Kinds => {
                let (new, old) = (upper.kind.map_or("", ValueKind::name), lower.kind.map_or("", ValueKind::name));
                let who = |side: &Side<'_>| side.call.as_ref().map(|c| Box::<str>::from(&*c.function));
                match (who(upper), who(lower)) {
                    (Some(function), _) => format!("`{path}` is {old} below, but `{function}` gives {new} here"),
                    (None, Some(function)) => format!("`{path}` is {new} here, but `{function}` below returns {old}"),
                    (None, None) => format!("`{path}` is {old} below, but {new} here"),
                }
            }
            Conflict::Replaced => {
                let function = lower.call.as_ref().map_or("", |c| &c.function);
                format!("the map at `{path}` is not merged with the result of `{function}`: the function is lost")
            }
            Conflict::Promised if upper.value.is_null() => {
                let function = lower.call.as_ref().map_or("", |c| &c.function);
                format!(
                    "null replaces `{function}` at `{path}`; if the merge of functions spanned files, it would have no effect"
                )
            }
            Conflict::Promised => format!(
                "the map at `{path}` is replaced by the result of a function; if the merge of functions spanned files, both would be merged"
            ),
        }
    }

    fn note(self, waits: bool) -> &'static str {
        match self {
            Conflict::Kinds if waits => "only maps merge with maps and lists with lists: otherwise one value is lost",
            Conflict::Kinds => "values of different kinds do not merge: the later one wins",
            Conflict::Replaced | Conflict::Promised => {
                "between imported files and between base components a function is plain text; its merge waits for its \
                 value only where the last layers of a component meet"
            }
        }
    }
}
