//! `deep_merge`, which an experiment switches on.

use super::{Functions, Outcome, failed};
use crate::hcl::val::{Data, Entries, Val};
use crate::text::Text;
use std::sync::Arc;

pub(super) fn deep_merge(functions: &Functions<'_, '_>, arguments: &[Val]) -> Outcome {
    if !functions.session.has_experiment("deep-merge") {
        return Err(failed("the deep_merge function requires the experiment 'deep-merge'"));
    }
    let mut merged = Val::object(Entries::new());
    for argument in arguments {
        match &argument.data {
            Data::Null(_) => {}
            Data::Object(_) | Data::Map(..) => merged = merge(&merged, argument),
            Data::Unknown(..) => return Ok(argument.clone()),
            _ => return Err(failed("all arguments must be maps or objects")),
        }
    }
    Ok(merged)
}

fn merge(low: &Val, high: &Val) -> Val {
    match (low.as_entries(), high.as_entries(), low.as_items(), high.as_items()) {
        (Some(a), Some(b), ..) => {
            let mut entries: Entries = (**a).clone();
            for (key, value) in b.iter() {
                let known = entries.get(key);
                let value = known.map_or_else(|| value.clone(), |known| merge(known, value));
                entries.insert(Text::clone(key), value);
            }
            Val { data: Data::Object(Arc::new(entries)), ..high.clone() }
        }
        (_, _, Some(a), Some(b)) => {
            Val { data: Data::Tuple(Arc::new(a.iter().chain(b.iter()).cloned().collect())), ..high.clone() }
        }
        // What it is merged with is not known.
        (None, _, None, _) if high.as_entries().is_some() || high.as_items().is_some() => match &low.data {
            Data::Unknown(..) => low.clone(),
            _ => high.clone(),
        },
        _ => high.clone(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::hcl::types::Type;

    #[test]
    fn an_object_over_an_unknown_value_is_not_known() {
        let unknown = Val::unknown(Type::Dynamic, "a reason");
        let object = Val::object([(Text::from("a"), Val::str("1"))].into_iter().collect());
        assert!(merge(&unknown, &object).unknown_reason().is_some());
        assert!(merge(&object, &unknown).unknown_reason().is_some());
        assert!(merge(&unknown, &Val::str("1")).unknown_reason().is_none());
        let (low, high) = ([(Text::from("k"), unknown)], [(Text::from("k"), object)]);
        let merged = merge(&Val::object(low.into_iter().collect()), &Val::object(high.into_iter().collect()));
        assert!(merged.as_entries().unwrap().get("k").unwrap().unknown_reason().is_some());
    }
}
