//! From values of a resolution to values of the language.

use crate::types::Type;
use crate::val::number::Number;
use crate::val::{self, Val};
use shared_text::Text;
use traced_value::{Data, Value};

/// Converts a value of a resolution: lists become tuples, maps objects. What is not known stays so, with its first reason.
pub fn import(value: &Value) -> Val {
    let number = |text: String| Val::number(Number::parse(&text).unwrap_or_else(Number::zero));
    let val = match &value.data {
        Data::Null => Val::null(),
        Data::Bool(b) => Val::bool(*b),
        Data::Int(i) => Val::number(*i),
        Data::Uint(u) => number(u.to_string()),
        Data::Float(f) => number(f.to_string()),
        Data::Str(text) => Val::str(text.clone()),
        Data::Time(time) => Val::str(time.rfc3339()),
        Data::List(items) => Val::tuple(items.iter().map(import).collect()),
        Data::Map(map) => Val::object(map.iter().map(|e| (Text::clone(&e.key), import(&e.value))).collect()),
        Data::Unknown(unknown) => {
            let reason = unknown.reasons.first().unwrap_or(&unknown.text);
            val::Data::Unknown(Type::Dynamic, Text::clone(reason).into()).into()
        }
    };
    val.with_prov(value.prov.clone())
}
