//! Keys that hold the delimiter of keys, and the maps that they expand to.

use crate::text::Text;
use crate::value::{Data, Entry, Key, Map, Value};
use crate::yaml;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn splits(key: &str, delimiter: &str) -> bool {
    !delimiter.is_empty() && key.contains(delimiter) && key.split(delimiter).all(|part| !part.is_empty())
}

/// A map after Atmos has written it and read it again: quotes that its keys do not need are lost by that, so that keys with the
/// delimiter are expanded whether they were quoted or not. Keys that would nest deeper than `depth` levels stay.
pub(crate) fn expand_keys(map: &Map, delimiter: &str, depth: usize) -> Map {
    let mut pairs = Pairs::with_capacity(map.len());
    for Entry { key, value } in map.iter() {
        let parts: Vec<Key> = match splits(key, delimiter) && !yaml::scalar_text(key, 0).starts_with(['"', '\'']) {
            true => key.split(delimiter).map(Key::from).collect(),
            false => vec![Text::clone(key)],
        };
        let Some(below) = depth.checked_sub(parts.len()) else {
            pairs.unite(Text::clone(key), value.clone());
            continue;
        };
        let value = Value { data: expand_data(&value.data, delimiter, below), prov: value.prov.clone() };
        match parts.len() {
            1 => pairs.unite(Text::clone(key), value),
            _ => pairs.expand(parts, value),
        }
    }
    Map::from_iter(pairs.list).mixed(map.is_mixed())
}

fn expand_data(data: &Data, delimiter: &str, depth: usize) -> Data {
    match data {
        Data::Map(map) => Data::Map(Arc::new(expand_keys(map, delimiter, depth))),
        Data::List(items) if depth > 0 => {
            let item = |v: &Value| Value { data: expand_data(&v.data, delimiter, depth - 1), prov: v.prov.clone() };
            Data::List(Arc::new(items.iter().map(item).collect()))
        }
        other => other.clone(),
    }
}

/// The pairs of a map in the order of the text, found by key.
pub(super) struct Pairs {
    pub(super) list: Vec<(Key, Value)>,
    /// Where keys are, of those that were put in by [`Pairs::unite`].
    index: HashMap<Key, usize>,
}

impl Pairs {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Pairs { list: Vec::with_capacity(capacity), index: HashMap::new() }
    }

    /// Puts `a.b.c: value` as nested maps, into maps that are there already.
    pub(super) fn expand(&mut self, mut parts: Vec<Key>, value: Value) {
        let first = parts.remove(0);
        let nested = parts.into_iter().rev().fold(value, |inner, key| {
            let prov = inner.prov.clone();
            Value { data: Data::Map(Arc::new(Map::from_iter([(key, inner)]))), prov }
        });
        self.unite(first, nested);
    }

    /// Sets a key; two maps under one key are united, the later entries winning.
    pub(super) fn unite(&mut self, key: Key, value: Value) {
        match self.index.get(&key) {
            Some(&at) => {
                let old = std::mem::take(&mut self.list[at].1);
                self.list[at].1 = unite(old, value);
            }
            None => {
                self.index.insert(Text::clone(&key), self.list.len());
                self.list.push((key, value));
            }
        }
    }
}

fn unite(old: Value, new: Value) -> Value {
    let Value { data: Data::Map(mut out), prov } = old else { return new };
    let Data::Map(more) = new.data else { return new };
    // A map just created from a key has no other owner, so nothing is copied.
    let into = Arc::make_mut(&mut out);
    for entry in more.iter() {
        let value = match into.remove(&entry.key) {
            Some(below) => unite(below, entry.value.clone()),
            None => entry.value.clone(),
        };
        into.set(Text::clone(&entry.key), value);
    }
    Value { data: Data::Map(out), prov }
}
