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
        _ => high.clone(),
    }
}
