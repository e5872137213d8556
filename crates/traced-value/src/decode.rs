//! From scalars and merge keys of YAML to values, as Go's yaml.v3 decodes them into `any`.

use crate::{Data, Key, Value};
use shared_text::Text;
use spanned_yaml::{Scalar, Style, resolve};
use std::collections::HashSet;
use std::sync::Arc;

/// Returns the entries that merge keys contribute to a map: of several maps the earlier one wins, and a key of the map
/// itself overrides them, so they come before its own.
pub fn below(merged: &[Value]) -> Vec<(Key, Value)> {
    let lists = merged.iter().flat_map(|value| value.as_list().map_or(std::slice::from_ref(value), |l| l.as_slice()));
    let mut known = HashSet::new();
    let entries = lists.filter_map(Value::as_map).flat_map(|map| map.iter());
    let new = entries.filter(|entry| known.insert(Text::clone(&entry.key)));
    new.map(|entry| (Text::clone(&entry.key), entry.value.clone())).collect()
}

/// The data of a scalar: its text, its style, its core tag (`!!int`). A tag that does not suit the text makes it text.
pub fn scalar(text: &Text, style: Style, core: Option<&str>) -> Data {
    match resolve(text, style, core) {
        Ok(Scalar::Null) => Data::Null,
        Ok(Scalar::Bool(b)) => Data::Bool(b),
        Ok(Scalar::Int(i)) => Data::Int(i),
        Ok(Scalar::Uint(u)) => Data::Uint(u),
        Ok(Scalar::Float(f)) => Data::Float(f),
        Ok(Scalar::Time(t)) => Data::Time(Arc::new(t)),
        Ok(Scalar::Binary(b)) => Data::Str(String::from_utf8_lossy(&b).into()),
        Ok(Scalar::Str | Scalar::Merge) | Err(_) => Data::Str(Text::clone(text)),
    }
}
