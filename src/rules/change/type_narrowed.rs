//! `type-narrowed`: a variable rejects values that it accepted before.

use super::{Changes, Phrase, transition};
use crate::diagnostic::Diagnostic;
use crate::rules::rule;
use crate::terraform::Type;
use crate::value::{Data, Value};

rule!(TYPE_NARROWED, "type-narrowed", Change, "0.1.0", "a variable rejects values that it accepted before");

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&TYPE_NARROWED, &changes.components, |changed| {
        let path = changed.vocabulary().type_constraint;
        let of_type = changed.at(path).filter_map(|change| {
            let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
            let (old, new) = (Type::of_text(before.as_str()?)?, Type::of_text(after.as_str()?)?);
            let details = format!("type {}", transition(Some(before), Some(after)));
            let text = Phrase::new("accepts fewer values", "accept fewer values", details);
            (!new.takes_all_of(&old)).then_some((&change.causes[..], text))
        });
        let nullable = if path.is_empty() { "" } else { "/nullable" };
        let of_null = changed.at(nullable).filter_map(|change| {
            let is_refused = is_false(change.after.as_ref()) && !is_false(change.before.as_ref());
            is_refused.then(|| {
                (
                    &change.causes[..],
                    Phrase::new("accepts fewer values", "accept fewer values", "null is no longer accepted"),
                )
            })
        });
        of_type.chain(of_null).collect()
    });
    let help = "callers that set such a value fail: check them before merging this";
    found.into_iter().map(|f| f.help(help)).collect()
}

fn is_false(value: Option<&Value>) -> bool {
    matches!(value.map(|v| &v.data), Some(Data::Bool(false)))
}
