//! The effect on a value that Atmos writes as YAML text and reads back before it uses it.

use crate::go::strconv::yaml_float;
use crate::value::{Data, MapBuilder, Value};
use crate::yaml::analyze;

/// The value after a trip through YAML text: a float without a fraction below a million becomes an integer, text loses a
/// line break at its start.
///
/// # Errors
/// Text of several lines that starts with a tab; the written form cannot be read.
pub(super) fn embed(value: &Value) -> Result<Value, String> {
    let data = match &value.data {
        Data::Float(f) => match yaml_float(*f).parse::<i64>() {
            Ok(n) => Data::Int(n),
            Err(_) => return Ok(value.clone()),
        },
        Data::Str(text) => match round_trip(text)? {
            Some(text) => Data::Str(text.into()),
            None => return Ok(value.clone()),
        },
        Data::List(items) => Data::List(items.iter().map(embed).collect::<Result<Vec<_>, _>>()?.into()),
        Data::Map(map) => {
            let mut built = MapBuilder::with_capacity(map.len());
            for entry in map.iter() {
                built.push(entry.key.clone(), embed(&entry.value)?);
            }
            Data::Map(built.finish().into())
        }
        _ => return Ok(value.clone()),
    };
    Ok(Value { data, prov: value.prov.clone() })
}

/// The text that comes back, if it is another one.
fn round_trip(text: &str) -> Result<Option<&str>, String> {
    let Some(first) = text.chars().next() else { return Ok(None) };
    // Only text written as a block literal is at risk.
    if !matches!(first, '\n' | '\t' | '\u{2028}' | '\u{2029}') || !text.contains('\n') || analyze(text).no_block {
        return Ok(None);
    }
    match first {
        '\t' => Err("yaml: found a tab character where an indentation space is expected".to_owned()),
        _ => Ok(Some(&text[first.len_utf8()..])),
    }
}
