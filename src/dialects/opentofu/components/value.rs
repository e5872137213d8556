//! Values of components.

pub(crate) use crate::terraform::evaluation::shown::{at, exported, origin};
use crate::value::{Key, Map, Value};

/// A map with the entries that have a value.
pub(crate) fn map_of(entries: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Map {
    entries.into_iter().filter_map(|(key, value)| Some((Key::from(key), value?))).collect()
}
