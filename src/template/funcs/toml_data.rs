//! TOML text as gomplate reads it and writes it (`data.TOML`, `data.ToTOML`).

use crate::template::Val;
use crate::value::{Data, Key, Map, Value};
use std::sync::Arc;
use toml::Value as Toml;

/// The table of a TOML text.
///
/// # Errors
/// The text is no TOML.
pub(super) fn read(text: &str) -> Result<Val, String> {
    let table: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| format!("unable to unmarshal object {text}: toml: {}", e.message().trim()))?;
    Ok(match value(&Toml::Table(table)) {
        Some(value) => Val::Data(value),
        None => Val::unknown("data.TOML", "stacklint does not evaluate dates of TOML"),
    })
}

/// The value of one of TOML; nothing for dates and times, which Go prints in its own ways.
fn value(toml: &Toml) -> Option<Value> {
    let data = match toml {
        Toml::String(text) => Data::Str(text.as_str().into()),
        Toml::Integer(number) => Data::Int(*number),
        Toml::Float(number) => Data::Float(*number),
        Toml::Boolean(truth) => Data::Bool(*truth),
        Toml::Datetime(_) => return None,
        Toml::Array(items) => Data::List(Arc::new(items.iter().map(value).collect::<Option<_>>()?)),
        Toml::Table(entries) => {
            let pairs = entries.iter().map(|(key, item)| Some((Key::from(key.as_str()), value(item)?)));
            Data::Map(Arc::new(pairs.collect::<Option<Map>>()?))
        }
    };
    Some(Value::new(data))
}

/// The TOML text of a map of texts, whole numbers and truth values; nothing for others, which Go writes in its own ways.
pub(super) fn write(value: &Value) -> Option<String> {
    let line = |key: &str, value: &Value| {
        let is_bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        let is_plain = |text: &str| text.chars().all(|c| !c.is_control() && c != '"' && c != '\\');
        match &value.data {
            _ if !is_bare => None,
            Data::Str(text) => is_plain(text).then(|| format!("{key} = \"{text}\"\n")),
            Data::Int(number) => Some(format!("{key} = {number}\n")),
            Data::Bool(truth) => Some(format!("{key} = {truth}\n")),
            _ => None,
        }
    };
    value.as_map()?.iter().map(|e| line(&e.key, &e.value)).collect()
}
