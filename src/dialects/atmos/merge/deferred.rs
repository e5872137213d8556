//! The merge of the last four layers of a component, around YAML functions whose value is known only at run time
//! (`reference: atmos.md` section 8.4): a function string does not take part in the ordinary merge; afterwards the
//! value that wins at its place is inserted.

use crate::dialects::atmos::merge::{ListStrategy, Merger, WITHOUT_CALLS, merge};
use crate::text::Text;
use crate::value::{Contribution, Data, Entry, Flags, Key, Map, MapBuilder, Prov, Value, is_call};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Prefixes of the deferred function strings; a plain `starts_with`, as in Atmos.
const HELD_BACK: [&str; 9] =
    ["!template", "!terraform.output", "!terraform.state", "!store.get", "!store", "!exec", "!env", "!labels", "!tags"];

/// A map that holds a function was replaced by something that is not a map: Atmos cannot put the function back.
#[derive(Debug)]
pub(crate) struct LostPath {
    /// The path of the function.
    pub path: Vec<Key>,
    /// The value in the way.
    pub blocker: Prov,
    /// The function.
    pub call: Prov,
}

/// A place whose value is known only when its functions are evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Deferral {
    /// The path of the place.
    pub path: Vec<Key>,
    /// The contributions of the layers, the lowest first; nulls, which do not count, are omitted.
    pub values: Vec<Value>,
    /// The list strategy in force.
    pub strategy: ListStrategy,
}

/// Whether a string is deferred when merging.
pub(crate) fn is_held_back(text: &str) -> bool {
    is_call(text) && HELD_BACK.iter().any(|p| text.starts_with(p))
}

/// Merges layers of a section, the lowest first, around functions. The places where functions were are added to `deferrals`,
/// shorter paths first, each with the name of the section, if there is one, at the start.
///
/// # Errors
/// A function that Atmos cannot put back, by its path in the section.
pub(crate) fn merge_deferred<'m>(
    merger: impl Into<Merger<'m>>,
    section: Option<Key>,
    layers: &[&Arc<Map>],
    deferrals: &mut Vec<Deferral>,
) -> Result<Arc<Map>, LostPath> {
    let merger = merger.into();
    let strategy = merger.strategy;
    if !layers.iter().any(|l| l.flags().has(Flags::CALL) && holds_call(l)) {
        return Ok(merge(merger, layers.iter().copied()));
    }
    let mut calls: BTreeMap<Vec<Key>, Vec<Contribution>> = BTreeMap::new();
    let mut path: Vec<Key> = section.into_iter().collect();
    let start = path.len();
    let stripped: Vec<Arc<Map>> = layers
        .iter()
        .enumerate()
        .map(|(i, layer)| {
            if !layer.flags().has(Flags::CALL) {
                return Arc::clone(layer);
            }
            let mut has_calls = false;
            each_call(layer, &mut path, &mut |path, call| {
                has_calls = true;
                calls.entry(path.to_vec()).or_default().push(Contribution { value: call.clone(), layer: i });
            });
            match has_calls {
                // Many components have the same layers.
                true => merger.cached(WITHOUT_CALLS, &[layer], || strip(layer)),
                false => Arc::clone(layer),
            }
        })
        .collect();
    for (path, values) in &mut calls {
        for (layer, map) in stripped.iter().enumerate() {
            if let Some(value) = value_at(map, &path[start..]).filter(|_| values.iter().all(|c| c.layer != layer)) {
                values.push(Contribution { value: value.clone(), layer });
            }
        }
        values.sort_by_key(|c| c.layer);
    }
    let mut merged = merge(merger, &stripped);
    let mut paths: Vec<_> = calls.into_iter().collect();
    paths.sort_by_key(|(path, _)| path.len());
    for (path, layers) in paths {
        // Nulls count for nothing here, but they were written.
        let values: Vec<Value> = layers.iter().map(|c| &c.value).filter(|v| !v.is_null()).cloned().collect();
        let call = values.iter().find(|v| v.as_str().is_some_and(is_held_back));
        let call = call.map_or_else(Prov::default, |v| v.prov.clone());
        let mut winner = winner(&values, strategy);
        if layers.len() > 1 {
            winner.prov = winner.prov.with_layers(layers);
        }
        let inside = &path[start..];
        put(&mut merged, inside, winner).map_err(|blocker| LostPath { path: inside.to_vec(), blocker, call })?;
        deferrals.push(Deferral { path, values, strategy });
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
fn strip(map: &Arc<Map>) -> Arc<Map> {
    if !map.flags().has(Flags::CALL) || !holds_call(map) {
        return Arc::clone(map);
    }
    let mut out = MapBuilder::with_capacity(map.len());
    for Entry { key, value } in map.iter() {
        let data = match &value.data {
            Data::Str(s) if is_held_back(s) => Data::Null,
            Data::Map(inner) => Data::Map(strip(inner)),
            other => other.clone(),
        };
        out.push_next(Text::clone(key), Value { data, prov: value.prov.clone() });
    }
    // It holds nothing new, and functions elsewhere may be left.
    Arc::new(out.finish_with(map.flags()))
}

fn value_at<'a>(map: &'a Map, path: &[Key]) -> Option<&'a Value> {
    let (last, parents) = path.split_last()?;
    let map = parents.iter().try_fold(map, |m, key| m.get(key)?.as_map().map(|m| &**m))?;
    map.get(last)
}

/// Returns the value that wins at a path while functions are not evaluated, given all contributions in the order of
/// their layers: one of them is a function.
fn winner(values: &[Value], strategy: ListStrategy) -> Value {
    let last = values.last();
    let chosen = match values.first().map(|v| &v.data) {
        Some(Data::Map(_)) => values.iter().find(|v| v.as_map().is_none()).or(last),
        Some(Data::List(_)) => match strategy {
            ListStrategy::Replace => last,
            ListStrategy::Merge => values.iter().find(|v| v.as_list().is_none()).or(last),
            ListStrategy::Append => {
                let items = values.iter().filter_map(Value::as_list).flat_map(|l| l.iter().cloned()).collect();
                return Value { data: Data::List(Arc::new(items)), prov: history(values, last) };
            }
        },
        _ => last,
    };
    chosen.map_or_else(Value::default, |v| Value { data: v.data.clone(), prov: history(values, Some(v)) })
}

/// The value at a path once functions are evaluated (`reference: atmos.md` 8.4, step 4). `None` if it hangs on one that
/// is not known.
pub(crate) fn resolved(values: &[Value], strategy: ListStrategy) -> Option<Value> {
    let known = |v: &Value| !matches!(v.data, Data::Unknown(_));
    let (first, last) = (values.first()?, values.last()?);
    let chosen = |v: &Value| Value { data: v.data.clone(), prov: history(values, Some(v)) };
    match (&first.data, strategy) {
        (Data::Map(map), _) => {
            let mut sum = Arc::clone(map);
            for value in &values[1..] {
                match &value.data {
                    Data::Map(next) => sum = merge(strategy, [&sum, next]),
                    Data::Unknown(_) => return None,
                    // A value that is not a map ends it, whatever is above.
                    _ => return Some(chosen(value)),
                }
            }
            Some(Value { data: Data::Map(sum), prov: history(values, Some(first)) })
        }
        (Data::List(_), ListStrategy::Append) => {
            let items = values.iter().filter_map(Value::as_list).flat_map(|l| l.iter().cloned()).collect();
            let all = Value { data: Data::List(Arc::new(items)), prov: history(values, Some(last)) };
            values.iter().all(known).then_some(all)
        }
        (Data::List(list), ListStrategy::Merge) => {
            let mut sum: Vec<Value> = list.to_vec();
            for value in &values[1..] {
                match &value.data {
                    Data::List(next) => overlay(&mut sum, next, strategy),
                    Data::Unknown(_) => return None,
                    _ => return Some(chosen(value)),
                }
            }
            Some(Value { data: Data::List(Arc::new(sum)), prov: history(values, Some(last)) })
        }
        // It may be anything; only where that makes no difference the rest decides.
        (Data::Unknown(_), _) => {
            let rest = &values[1..];
            let hangs = |v: &Value| match v.data {
                Data::Map(_) | Data::Unknown(_) => true,
                Data::List(_) => strategy != ListStrategy::Replace,
                _ => strategy == ListStrategy::Append,
            };
            if rest.len() == 1 && rest.iter().all(|v| !hangs(v)) { Some(chosen(last)) } else { None }
        }
        _ => known(last).then(|| chosen(last)),
    }
}

/// Merges index by index; of two items that are not maps the later one wins, unlike in an ordinary merge.
fn overlay(sum: &mut Vec<Value>, next: &[Value], strategy: ListStrategy) {
    for (i, item) in next.iter().enumerate() {
        match sum.get_mut(i) {
            None => sum.push(item.clone()),
            Some(below) => {
                let data = match (&below.data, &item.data) {
                    (Data::Map(a), Data::Map(b)) => Data::Map(merge(strategy, [a, b])),
                    _ => item.data.clone(),
                };
                *below = Value { data, prov: item.prov.overriding(below) };
            }
        }
    }
}

/// The provenance of the chosen value, having overridden the others.
fn history(values: &[Value], chosen: Option<&Value>) -> Prov {
    let Some(chosen) = chosen else { return Prov::default() };
    let others = values.iter().rev().filter(|v| v.prov.origin != chosen.prov.origin);
    others.fold(chosen.prov.clone(), |prov, other| prov.overriding(other))
}

/// Inserts a value at a path; `Err` contains the value in the way.
pub(crate) fn put(map: &mut Arc<Map>, path: &[Key], value: Value) -> Result<(), Prov> {
    let Some((first, rest)) = path.split_first() else { return Ok(()) };
    if rest.is_empty() {
        Arc::make_mut(map).set(Text::clone(first), value);
        return Ok(());
    }
    let value = match map.get(first) {
        Some(Value { data: Data::Map(child), prov }) => {
            let (mut child, prov) = (Arc::clone(child), prov.clone());
            put(&mut child, rest, value)?;
            Value { data: Data::Map(child), prov }
        }
        Some(other) => return Err(other.prov.clone()),
        None => {
            let mut child = Arc::default();
            put(&mut child, rest, value)?;
            Value::new(Data::Map(child))
        }
    };
    Arc::make_mut(map).set(Text::clone(first), value);
    Ok(())
}
