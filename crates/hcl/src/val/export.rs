//! From values of the language to values of a resolution.

use crate::val::number::Number;
use crate::val::{Data, Marks, Val};
use std::sync::Arc;
use traced_value::{self as value, Key, Prov, Unknown, Value};

/// Converts a value for a resolution: sets become lists, objects maps. Of the marks, the one that hides it from output stays.
pub fn export(value: &Val) -> Value {
    below(value, false)
}

/// The same in a collection; `is_sensitive` says whether that is hidden from output.
fn below(value: &Val, is_sensitive: bool) -> Value {
    let is_sensitive = is_sensitive || value.marks.has(Marks::SENSITIVE);
    let export = |value: &Val| below(value, is_sensitive);
    let data = match &value.data {
        Data::Null(_) => value::Data::Null,
        Data::Unknown(_, reason) => {
            let reason = if reason.is_empty() { "an error keeps it from being computed" } else { &**reason };
            value::Data::Unknown(Arc::new(Unknown::new("(not known)", reason)))
        }
        Data::Bool(b) => value::Data::Bool(*b),
        Data::Number(n) => number(n),
        Data::Str(text) => value::Data::Str(text.clone()),
        Data::List(_, items) | Data::Set(_, items) | Data::Tuple(items) => {
            value::Data::List(Arc::new(items.iter().map(export).collect()))
        }
        Data::Map(_, entries) | Data::Object(entries) | Data::Partial(entries, _) => {
            value::Data::Map(Arc::new(entries.iter().map(|(k, v)| (Key::from(&**k), export(v))).collect()))
        }
        Data::Reference(name) => {
            let entry = (Key::from("$ref"), Value::str(name.clone()));
            value::Data::Map(Arc::new([entry].into_iter().collect()))
        }
    };
    Value { data, prov: if is_sensitive { value.prov.sensitive() } else { value.prov.clone() } }
}

/// The same with one provenance for all that has none.
pub fn export_at(value: &Val, prov: &Prov) -> Value {
    let mut exported = export(value);
    if exported.prov.origin.is_none() {
        exported.prov = if exported.is_sensitive() { prov.sensitive() } else { prov.clone() };
    }
    exported
}

fn number(number: &Number) -> value::Data {
    match (number.as_i64(), number.as_u64()) {
        (Some(i), _) => value::Data::Int(i),
        (_, Some(u)) => value::Data::Uint(u),
        _ => value::Data::Float(number.to_f64()),
    }
}
