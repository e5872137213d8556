//! `merge-type-conflict`.

use super::walk::{self, Gathered, Seen, at, each_overridden, is_empty, written_kind};
use crate::diagnostic::Diagnostic;
use crate::resolution::Unit;
use crate::rules::code::types::VARIABLE_TYPE_MISMATCH;
use crate::rules::edit::replacement;
use crate::rules::{Context, by_unit, rule};
use crate::value::{Data, Mark, Origin, Value, ValueKind};
use std::sync::Arc;

rule!(
    MERGE_TYPE_CONFLICT,
    "merge-type-conflict",
    Correctness,
    "0.1.0",
    "a value of another type replaces a list or a map"
);

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let units = &context.resolution.units;
    let found = by_unit(context.results, &MERGE_TYPE_CONFLICT, units, |units| conflicts(context, units));
    Gathered::together(found.iter().map(|found| &**found)).finish()
}

fn conflicts(context: &Context<'_>, units: &[Arc<Unit>]) -> Gathered {
    let mut found = Gathered::default();
    each_overridden(units, |seen| {
        if takes_several_kinds(seen) {
            return;
        }
        let history = seen.history();
        for (i, pair) in history.windows(2).enumerate() {
            let ((_, upper), (_, lower)) = (pair[0], pair[1]);
            let Some((places, kinds)) = conflict(context, seen, upper, lower) else { continue };
            found.add(places, seen.component, i == 0, || {
                let finding = diagnostic(context, seen, places, (upper, kinds));
                history[..i]
                    .iter()
                    .rev()
                    .filter_map(|(_, v)| v.prov.origin)
                    .fold(finding, |finding, origin| finding.related(at(context.files, origin, "replaced again here")))
            });
        }
    });
    found
}

/// Whether the dialect allows values of several kinds there.
fn takes_several_kinds(seen: &Seen<'_, '_>) -> bool {
    let vocabulary = seen.component.language.vocabulary;
    match seen.path {
        [section] => vocabulary.several_kinds.contains(&&**section),
        [section, _] if vocabulary.several_kinds.iter().any(|kind| kind.strip_suffix(".*") == Some(&**section)) => {
            let kinds = || seen.history().into_iter().filter_map(|(_, value)| ValueKind::of(value));
            kinds().all(|kind| !kind.is_scalar())
        }
        [section, ..] => **section == *vocabulary.generated,
        [] => true,
    }
}

type Places = (Origin, Origin);

/// The places and kinds of two values that cannot both be meant.
fn conflict(
    context: &Context<'_>,
    seen: &Seen<'_, '_>,
    upper: &Value,
    lower: &Value,
) -> Option<(Places, (ValueKind, ValueKind))> {
    let places = (upper.prov.origin?, lower.prov.origin?);
    // A list that should append to another one has its own rule.
    if (seen.component.language.mark)(&walk::source(context.files, places.0)) == Some(Mark::Append) {
        return None;
    }
    let kinds = (written_kind(context, seen.component, upper)?, written_kind(context, seen.component, lower)?);
    if kinds.0 == ValueKind::Null || kinds.1 == ValueKind::Null || kinds.0 == kinds.1 {
        return None;
    }
    if kinds.0.is_scalar() && kinds.1.is_scalar() {
        return None;
    }
    // Replacing an empty value loses nothing, but an empty map is not an empty list.
    if is_empty(lower) && !(kinds == (ValueKind::Map, ValueKind::List) && is_empty(upper)) {
        return None;
    }
    // Outside of variables, which have a type, `false` in the place of settings switches them off.
    if seen.section() != seen.component.language.vocabulary.inputs && matches!(upper.data, Data::Bool(false)) {
        return None;
    }
    Some((places, kinds))
}

fn diagnostic(
    context: &Context<'_>,
    seen: &Seen<'_, '_>,
    (here, below): Places,
    (upper, (new, old)): (&Value, (ValueKind, ValueKind)),
) -> Diagnostic {
    let path = seen.dotted();
    let is_empty_map = new == ValueKind::Map && old == ValueKind::List && is_empty(upper);
    let message = if is_empty_map {
        format!("`{{}}` is an empty map, but `{path}` is a list")
    } else {
        format!("`{path}` is {} that {} replaces here", old.name(), new.name())
    };
    let finding = Diagnostic::new(&MERGE_TYPE_CONFLICT, message, at(context.files, here, ""))
        .related(at(context.files, below, format!("{} here", old.name())))
        .token(path.clone())
        .follows(&VARIABLE_TYPE_MISMATCH);
    if is_empty_map {
        let finding = finding.help("write `[]` for an empty list");
        return match walk::source(context.files, here).as_str() {
            "{}" => finding.fix(replacement(here, "[]", "write `[]`")),
            _ => finding,
        };
    }
    finding
        .note("values of different types do not merge: the later one replaces the earlier one")
        .help(format!("write {} here, or set the key to null in between to change its type", old.name()))
}
