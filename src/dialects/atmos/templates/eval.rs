//! Evaluates standalone templates with a given context, for `eval`.

use super::engine::{Engine, Templates};
use super::function_sets;
use crate::dialects::atmos::functions::NO_ENV;
use crate::dialects::{EvalError, Evaluated, texts};
use crate::template::MissingKey;
use crate::text::Text;
use crate::value::{Data, Key, Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Renders a value as the section of a component is rendered, with all functions.
pub(in crate::dialects::atmos) fn eval(
    templates: &Templates,
    template: &Value,
    context: &Value,
    partial: bool,
) -> Result<Evaluated, EvalError> {
    let functions = function_sets::ALL;
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
    let failed = |message: &str| located(&engine, template, context).unwrap_or_else(|| EvalError::new(message));
    let rendered = engine.map_in_parts(&input, context, 1).map_err(|e| failed(e.parts().0))?;
    let value = rendered.get(&key).cloned().unwrap_or_default();
    let (mut texts, mut reasons) = (BTreeSet::new(), Vec::new());
    collect(&value, &mut texts, &mut reasons);
    if !partial && let Some(text) = texts.first() {
        return Err(EvalError { reasons, ..EvalError::new(format!("cannot resolve `{text}`")) });
    }
    Ok(Evaluated { value: as_written(&value), unresolved: texts.into_iter().collect(), reasons })
}

/// Returns the error of the first text that fails by itself, with its place; `None` if only all of them together fail.
fn located(engine: &Engine<'_>, template: &Value, context: &Value) -> Option<EvalError> {
    texts(template).iter().find_map(|text| {
        let error = engine.text(text, context).err()?;
        let mut message = error.message.clone();
        let named = message.strip_prefix("function \"").and_then(|rest| rest.strip_suffix("\" not defined"));
        let Some(name) = named.map(str::to_owned) else {
            let end = error.offset + word(text.get(error.offset..).unwrap_or_default());
            return Some(EvalError::new(message).at(text, error.offset..end));
        };
        if let Some(near) = crate::text::nearest(&name, function_sets::ALL.names()) {
            message.push_str(&format!("; did you mean `{near}`?"));
        }
        // Go names the line alone.
        let start = function(text, &name).unwrap_or(error.offset);
        Some(EvalError::new(message).at(text, start..start + name.len()))
    })
}

/// The length of the word that a text begins with, in bytes.
fn word(text: &str) -> usize {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    text.find(|c| !is_inside(c)).unwrap_or(text.len()).max(text.chars().next().map_or(0, char::len_utf8))
}

/// Where a function is called within an action of a text.
fn function(text: &str, name: &str) -> Option<usize> {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    let first = text.find("{{")?;
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let (before, after) = (&text[..*at], &text[at + name.len()..]);
        *at > first && !before.ends_with(is_inside) && !after.starts_with(is_inside)
    })
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
