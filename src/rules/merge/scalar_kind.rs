//! `scalar-kind-change`.

use super::walk::{Gathered, at, each, has_history, source, written_kind};
use crate::diagnostic::{Diagnostic, Fix};
use crate::rules::edit::replacement;
use crate::rules::source::ambiguous_scalar::AMBIGUOUS_SCALAR;
use crate::rules::{Context, rule};
use crate::value::{Origin, ValueKind};
use crate::yaml::{self, Scalar, Style};

rule!(
    SCALAR_KIND_CHANGE,
    "scalar-kind-change",
    Hygiene,
    "0.1.0",
    "a scalar of another type replaces a string, a number or a boolean"
);

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut found = Gathered::default();
    each(context.resolution, has_history, |seen| {
        if seen.component.language.vocabulary.texts.contains(&seen.section()) {
            return;
        }
        let history = seen.history();
        for (i, pair) in history.windows(2).enumerate() {
            let ((_, upper), (_, lower)) = (pair[0], pair[1]);
            let (Some(here), Some(below)) = (upper.prov.origin, lower.prov.origin) else { continue };
            let (Some(new), Some(old)) =
                (written_kind(context, seen.component, upper), written_kind(context, seen.component, lower))
            else {
                continue;
            };
            let is_scalar = |k: ValueKind| k.is_scalar() && k != ValueKind::Null;
            // An empty string stands for anything.
            if new == old
                || !is_scalar(new)
                || !is_scalar(old)
                || upper.as_str() == Some("")
                || lower.as_str() == Some("")
            {
                continue;
            }
            found.add((here, below), seen.component, i == 0, || {
                let message = format!("`{}` is {} below, but {} here", seen.dotted(), old.name(), new.name());
                let finding = Diagnostic::new(&SCALAR_KIND_CHANGE, message, at(context.files, here, ""))
                    .related(at(context.files, below, format!("{} here", old.name())))
                    .token(seen.dotted())
                    .follows(&AMBIGUOUS_SCALAR);
                match fix(context, here, old) {
                    Some(fix) => finding.fix(fix),
                    None => finding,
                }
            });
        }
    });
    found.finish()
}

/// Quotes put around a value, or taken away, where that makes it of the kind.
fn fix(context: &Context<'_>, here: Origin, kind: ValueKind) -> Option<Fix> {
    let text = source(context.files, here);
    if kind == ValueKind::String {
        let is_plain = !text.starts_with(['"', '\'', '!', '&', '*', '|', '>']) && !text.contains(['\n', '"', '\\']);
        return is_plain.then(|| replacement(here, &format!("\"{text}\""), "quote it"));
    }
    let inner = ['"', '\''].into_iter().find_map(|q| text.strip_prefix(q)?.strip_suffix(q))?;
    let is_kind = match yaml::resolve(inner, Style::Plain, None) {
        Ok(Scalar::Bool(_)) => kind == ValueKind::Bool,
        Ok(Scalar::Int(_) | Scalar::Uint(_) | Scalar::Float(_)) => kind == ValueKind::Number,
        _ => false,
    };
    is_kind.then(|| replacement(here, inner, "remove the quotes"))
}
