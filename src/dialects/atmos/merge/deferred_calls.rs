//! Function strings that do not take part in the ordinary merge (`reference: atmos.md` section 8.4).

use crate::text::{Text, order};
use crate::value::{Data, Entry, Flags, Key, Map, MapBuilder, Value, is_call};
use std::cmp::Ordering;
use std::sync::Arc;

/// Prefixes of the deferred function strings; a plain `starts_with`, as in Atmos.
const HELD_BACK: [&str; 9] =
    ["!template", "!terraform.output", "!terraform.state", "!store.get", "!store", "!exec", "!env", "!labels", "!tags"];

/// Whether a string is deferred when merging.
pub(crate) fn is_held_back(text: &str) -> bool {
    is_call(text) && HELD_BACK.iter().any(|p| text.starts_with(p))
}

/// The deferred functions of a layer.
pub(super) struct DeferredCalls {
    /// Their paths and texts, in the order of [`path_order`].
    calls: Vec<(Vec<Key>, Value)>,
    /// The layer with null in the place of each of them.
    rest: Arc<Map>,
}

impl DeferredCalls {
    /// Those of a layer.
    pub(super) fn of(layer: &Arc<Map>) -> Self {
        let mut calls = Vec::new();
        each_call(layer, &mut Vec::new(), &mut |path, call| calls.push((path.to_vec(), call.clone())));
        calls.sort_by(|(a, _), (b, _)| path_order(a, b));
        let rest = if calls.is_empty() { Arc::clone(layer) } else { without_calls(layer) };
        DeferredCalls { calls, rest }
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The layer without them.
    pub(super) fn rest(&self) -> &Arc<Map> {
        &self.rest
    }

    /// The paths of all, in the order of [`path_order`].
    pub(super) fn paths(&self) -> impl Iterator<Item = &[Key]> {
        self.calls.iter().map(|(path, _)| path.as_slice())
    }

    /// The function at a path.
    pub(super) fn at(&self, path: &[Key]) -> Option<&Value> {
        let found = self.calls.binary_search_by(|(other, _)| path_order(other, path)).ok()?;
        Some(&self.calls[found].1)
    }
}

/// Orders shorter paths before longer ones, and those of one length by their keys.
pub(super) fn path_order(a: &[Key], b: &[Key]) -> Ordering {
    let by_keys = || a.iter().zip(b).map(|(a, b)| order(a, b)).find(|order| order.is_ne());
    a.len().cmp(&b.len()).then_with(|| by_keys().unwrap_or(Ordering::Equal))
}

/// Calls `found` for every deferred function in a map.
fn each_call(map: &Map, path: &mut Vec<Key>, found: &mut impl FnMut(&[Key], &Value)) {
    for Entry { key, value } in map.iter() {
        match &value.data {
            Data::Str(text) if is_held_back(text) => {
                path.push(Text::clone(key));
                found(path, value);
                path.pop();
            }
            Data::Map(inner) if inner.flags().has(Flags::CALL) => {
                path.push(Text::clone(key));
                each_call(inner, path, found);
                path.pop();
            }
            _ => {}
        }
    }
}

/// The map with null in the place of every deferred function.
fn without_calls(map: &Arc<Map>) -> Arc<Map> {
    if !map.flags().has(Flags::CALL) {
        return Arc::clone(map);
    }
    let mut out = MapBuilder::with_capacity(map.len());
    for Entry { key, value } in map.iter() {
        let data = match &value.data {
            Data::Str(s) if is_held_back(s) => Data::Null,
            Data::Map(inner) => Data::Map(without_calls(inner)),
            other => other.clone(),
        };
        out.push_next(Text::clone(key), Value { data, prov: value.prov.clone() });
    }
    // It holds nothing new, and functions elsewhere may be left.
    Arc::new(out.finish_with(map.flags()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;
    use crate::value::key;

    fn map(pairs: Vec<(&'static str, Value)>) -> Arc<Map> {
        Arc::new(pairs.into_iter().map(|(name, value)| (key(name), value)).collect())
    }

    #[test]
    fn functions_are_found_below_maps_and_replaced_by_null() {
        let inner = map(vec![("b", Value::str("!env B")), ("c", Value::str("!include x"))]);
        let layer =
            map(vec![("a", Value { data: Data::Map(inner), ..Value::default() }), ("z", Value::str("!exec ls"))]);
        let found = DeferredCalls::of(&layer);
        let paths: Vec<Vec<&str>> = found.paths().map(|path| path.iter().map(|key| &**key).collect()).collect();
        assert_eq!(paths, [vec!["z"], vec!["a", "b"]]);
        assert_eq!(found.at(&[key("a"), key("b")]).unwrap().as_str(), Some("!env B"));
        assert!(found.at(&[key("a"), key("c")]).is_none());
        let rest = found.rest();
        assert!(rest.get("z").unwrap().is_null());
        let inner = rest.get("a").unwrap();
        assert!(inner.get("b").unwrap().is_null());
        assert_eq!(inner.get("c").unwrap().as_str(), Some("!include x"));
    }

    #[test]
    fn a_layer_without_functions_is_the_rest() {
        let layer = map(vec![("a", Value::str("!include x")), ("b", Value::str("plain"))]);
        let found = DeferredCalls::of(&layer);
        assert!(found.is_empty());
        assert!(Arc::ptr_eq(found.rest(), &layer));
    }
}
