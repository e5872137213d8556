//! Templates on their own, with a context that the caller knows: what `eval` runs.

use super::functions::NO_ENV;
use super::render::{Engine, Templates};
use crate::dialects::atmos::template_functions;
use crate::dialects::{EvalError, Evaluated};
use crate::template::MissingKey;
use crate::text::Text;
use crate::value::{Data, Key, Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Renders a value as the section of a component is rendered, with all functions.
pub(super) fn eval(
    templates: &Templates,
    template: &Value,
    context: &Value,
    partial: bool,
) -> Result<Evaluated, EvalError> {
    let functions = template_functions::ALL;
    // The slot of the component pass with both libraries.
    let (slot, missing) = (5, MissingKey::Default);
    let engine = Engine {
        templates,
        slot,
        delimiters: ("{{", "}}"),
        functions: &functions,
        missing,
        env: &NO_ENV,
        assume: false,
        host: None,
        misses: None,
    };
    let key = Key::from("value");
    let input = Arc::new(Map::from_iter([(Text::clone(&key), template.clone())]));
    let rendered = engine.map_in_parts(&input, context, 1).map_err(|e| EvalError::new(e.parts().0))?;
    let value = rendered.get(&key).cloned().unwrap_or_default();
    let (mut texts, mut reasons) = (BTreeSet::new(), Vec::new());
    collect(&value, &mut texts, &mut reasons);
    if !partial && let Some(text) = texts.first() {
        return Err(EvalError { message: format!("cannot resolve `{text}`"), reasons });
    }
    Ok(Evaluated { value: as_written(&value), unresolved: texts.into_iter().collect(), reasons })
}

fn collect(value: &Value, texts: &mut BTreeSet<String>, reasons: &mut Vec<String>) {
    match &value.data {
        Data::Unknown(unknown) => {
            texts.insert(unknown.text.to_string());
            for reason in &unknown.reasons {
                if !reasons.iter().any(|r| **r == **reason) {
                    reasons.push(reason.to_string());
                }
            }
        }
        Data::List(items) => items.iter().for_each(|v| collect(v, texts, reasons)),
        Data::Map(map) => map.iter().for_each(|e| collect(&e.value, texts, reasons)),
        _ => {}
    }
}

/// The value with what is unknown as it is written, whatever may be assumed of it.
fn as_written(value: &Value) -> Value {
    let data = match &value.data {
        Data::Unknown(unknown) => Data::Str(Text::clone(&unknown.text)),
        Data::List(items) => Data::List(Arc::new(items.iter().map(as_written).collect())),
        Data::Map(map) => {
            Data::Map(Arc::new(map.iter().map(|e| (Text::clone(&e.key), as_written(&e.value))).collect()))
        }
        other => other.clone(),
    };
    Value { data, prov: value.prov.clone() }
}
