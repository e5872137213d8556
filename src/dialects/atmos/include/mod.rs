//! Files that the tags `!include` and `!include.raw` bring into a manifest: their formats, and queries on them.
//!
//! This module reads no files and knows no paths: its input is bytes, its output values without provenance.

mod dotenv;
mod embed;
mod hcl;
mod query;

pub(super) use query::{QueryError, query};

use crate::dialects::atmos::functions::arguments;
use crate::go::json;
use crate::text::Text;
use crate::value::{Map, Value};
use embed::embed;

/// How the content of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Format {
    Json,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.hcl`, `.tf`, `.tfvars`
    Hcl,
    /// `.env`, `.env.*`, `*.env`
    Dotenv,
    /// Everything else: the text itself.
    Text,
}

/// The format of a file by its name, whatever the case. A `?` or `#` in the path ends it, as in an address.
pub(super) fn format_of(path: &str) -> Format {
    let path = path.split(['#', '?']).next().unwrap_or_default().trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    if name.starts_with(".env.") {
        return Format::Dotenv;
    }
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("json") => Format::Json,
        Some("yaml" | "yml") => Format::Yaml,
        Some("hcl" | "tf" | "tfvars") => Format::Hcl,
        Some("env") => Format::Dotenv,
        _ => Format::Text,
    }
}

/// Deeper JSON is rejected; the reference stops much later, at 10,000.
pub(super) const MAX_JSON_DEPTH: usize = 256;

/// Decodes a file. `yaml` decodes one YAML document (custom tags dropped). What goes into a manifest without a query has
/// to pass [`embed`] first.
///
/// # Errors
/// The content does not fit the format.
pub(super) fn decode(
    format: Format,
    bytes: &[u8],
    yaml: &dyn Fn(&str) -> Result<Value, String>,
) -> Result<Value, String> {
    match format {
        Format::Json => json::decode(&String::from_utf8_lossy(bytes), MAX_JSON_DEPTH).map(Value::from),
        Format::Yaml => match std::str::from_utf8(bytes) {
            Ok(text) => yaml(text),
            Err(_) => Err("yaml: invalid leading UTF-8 octet".to_owned()),
        },
        Format::Hcl => hcl::parse(bytes),
        Format::Dotenv => {
            let values = dotenv::parse(bytes)?;
            let map: Map = values.into_iter().map(|(key, value)| (Text::from(key), Value::str(value))).collect();
            Ok(Value::map(map))
        }
        Format::Text => Ok(Value::str(String::from_utf8_lossy(bytes))),
    }
}

/// Returns the value of an include tag for the content of the file: all of it, or the result of the query on it. `yaml` decodes a
/// document like a manifest, and `left` is how many steps the query may take; those that it took are gone afterwards.
///
/// # Errors
/// The content does not fit into a manifest, or the query fails.
pub(super) fn included(
    content: &Value,
    expression: Option<&str>,
    yaml: &dyn Fn(&str) -> Result<Value, String>,
    left: &mut u64,
) -> Result<Value, QueryError> {
    let value = match expression {
        Some(expression) => query(content, expression, yaml, left)?,
        None => content.clone(),
    };
    match value.as_str() {
        // Written in quotes, so nothing happens to it.
        Some(text) if text.starts_with('#') => Ok(value),
        _ => embed(&value).map_err(QueryError::Bad),
    }
}

/// The arguments of an include tag: the path, then the query if there is one.
///
/// # Errors
/// No argument, or an open quote; the text names the place.
pub(super) fn parse_arguments(text: &str) -> Result<Vec<String>, String> {
    let (path, query) = arguments::parse_include(text).map_err(|e| e.to_string())?;
    Ok(std::iter::once(path).chain(query).collect())
}

#[cfg(test)]
mod tests;
