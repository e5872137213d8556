//! The merge of the last four layers of a component, around YAML functions whose value only the run time knows
//! (`reference: atmos.md` section 8.4): a function string takes no part in the ordinary merge; afterwards the place it
//! stood at gets the value that wins there.

use super::merge::{ListStrategy, merge};
use crate::value::{Data, Entry, Flags, Key, Map, MapBuilder, Prov, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Prefixes of the function strings that are held back; a mere `starts_with`, as in Atmos.
const HELD_BACK: [&str; 9] =
    ["!template", "!terraform.output", "!terraform.state", "!store.get", "!store", "!exec", "!env", "!labels", "!tags"];

/// A map that holds a function was replaced by something that is no map: Atmos cannot put the function back.
#[derive(Debug)]
pub(crate) struct LostPath {
    /// The path of the function.
    pub path: Vec<Key>,
    /// What stands in its way.
    pub blocker: Prov,
    /// The function.
    pub call: Prov,
}

/// Whether a string is held back from merging.
pub(crate) fn is_held_back(text: &str) -> bool {
    text.starts_with('!') && HELD_BACK.iter().any(|p| text.starts_with(p))
}

/// Merges layers, the lowest first, around functions.
pub(crate) fn merge_deferred(strategy: ListStrategy, layers: &[&Arc<Map>]) -> Result<Arc<Map>, LostPath> {
    if !layers.iter().any(|l| l.flags().has(Flags::CALL) && holds_call(l)) {
        return Ok(merge(strategy, layers.iter().copied()));
    }
    let mut calls: BTreeMap<Vec<Key>, Vec<(usize, Value)>> = BTreeMap::new();
    let stripped: Vec<Arc<Map>> = layers
        .iter()
        .enumerate()
        .map(|(i, layer)| {
            strip(layer, &mut Vec::new(), &mut |path, call| {
                calls.entry(path.to_vec()).or_default().push((i, call.clone()));
            })
        })
        .collect();
    for (path, values) in &mut calls {
        for (i, layer) in stripped.iter().enumerate() {
            let concrete = value_at(layer, path).filter(|v| !v.is_null());
            if let Some(value) = concrete.filter(|_| values.iter().all(|(at, _)| *at != i)) {
                values.push((i, value.clone()));
            }
        }
        values.sort_by_key(|(i, _)| *i);
    }
    let mut merged = merge(strategy, &stripped);
    let mut paths: Vec<_> = calls.into_iter().collect();
    paths.sort_by_key(|(path, _)| path.len());
    for (path, values) in paths {
        let winner = winner(&values, strategy);
        let call = values.iter().find(|(_, v)| v.as_str().is_some_and(is_held_back));
        let call = call.map_or_else(Prov::default, |(_, v)| v.prov.clone());
        merged = put(&merged, &path, winner).map_err(|blocker| LostPath { path, blocker, call })?;
    }
    Ok(merged)
}

fn holds_call(map: &Map) -> bool {
    map.iter().any(|e| match &e.value.data {
        Data::Str(s) => is_held_back(s),
        Data::Map(m) => m.flags().has(Flags::CALL) && holds_call(m),
        _ => false,
    })
}

/// The map with every held back function replaced by null, each told to `found`.
fn strip(map: &Arc<Map>, path: &mut Vec<Key>, found: &mut impl FnMut(&[Key], &Value)) -> Arc<Map> {
    if !map.flags().has(Flags::CALL) || !holds_call(map) {
        return Arc::clone(map);
    }
    let mut out = MapBuilder::with_capacity(map.len());
    for Entry { key, value } in map.iter() {
        path.push(Arc::clone(key));
        let value = match &value.data {
            Data::Str(s) if is_held_back(s) => {
                found(path, value);
                Value { data: Data::Null, prov: value.prov.clone() }
            }
            Data::Map(m) => Value { data: Data::Map(strip(m, path, found)), prov: value.prov.clone() },
            _ => value.clone(),
        };
        path.pop();
        out.push(Arc::clone(key), value);
    }
    Arc::new(out.finish())
}

fn value_at<'a>(map: &'a Map, path: &[Key]) -> Option<&'a Value> {
    let (last, parents) = path.split_last()?;
    let map = parents.iter().try_fold(map, |m, key| m.get(key)?.as_map().map(|m| &**m))?;
    map.get(last)
}

/// The value that wins at a path, given all contributions in the order of their layers: one of them is a function.
fn winner(values: &[(usize, Value)], strategy: ListStrategy) -> Value {
    let all = || values.iter().map(|(_, v)| v);
    let last = all().next_back();
    let chosen = match all().next().map(|v| &v.data) {
        Some(Data::Map(_)) => all().find(|v| v.as_map().is_none()).or(last),
        Some(Data::List(_)) => match strategy {
            ListStrategy::Replace => last,
            ListStrategy::Merge => all().find(|v| v.as_list().is_none()).or(last),
            ListStrategy::Append => {
                let items = all().filter_map(Value::as_list).flat_map(|l| l.iter().cloned()).collect();
                return Value { data: Data::List(Arc::new(items)), prov: history(values, last) };
            }
        },
        _ => last,
    };
    chosen.map_or_else(Value::default, |v| Value { data: v.data.clone(), prov: history(values, Some(v)) })
}

/// The provenance of the chosen value, having overridden the others.
fn history(values: &[(usize, Value)], chosen: Option<&Value>) -> Prov {
    let Some(chosen) = chosen else { return Prov::default() };
    let others = values.iter().rev().map(|(_, v)| v).filter(|v| v.prov.origin != chosen.prov.origin);
    others.fold(chosen.prov.clone(), |prov, other| prov.overriding(other))
}

/// Puts a value at a path; `Err` names what stands in the way.
fn put(map: &Arc<Map>, path: &[Key], value: Value) -> Result<Arc<Map>, Prov> {
    let Some((first, rest)) = path.split_first() else { return Ok(Arc::clone(map)) };
    let mut out = (**map).clone();
    if rest.is_empty() {
        out.set(Arc::clone(first), value);
        return Ok(Arc::new(out));
    }
    let (child, prov) = match map.get(first) {
        None => (Arc::default(), Prov::default()),
        Some(Value { data: Data::Map(m), prov }) => (Arc::clone(m), prov.clone()),
        Some(other) => return Err(other.prov.clone()),
    };
    let child = put(&child, rest, value)?;
    out.set(Arc::clone(first), Value { data: Data::Map(child), prov });
    Ok(Arc::new(out))
}
