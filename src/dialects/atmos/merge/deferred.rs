//! The merge of the last four layers of a component, around YAML functions whose value is known only at run time
//! (`reference: atmos.md` section 8.4): a function string does not take part in the ordinary merge; afterwards the
//! value that wins at its place is inserted.

use super::deferred_calls::{DeferredCalls, is_held_back, path_order};
use crate::dialects::atmos::merge::{ListStrategy, Merger, merge};
use crate::text::Text;
use crate::value::{Contribution, Data, Flags, Key, Map, Prov, Value, key};
use std::sync::Arc;

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

/// A place with several contributions, whose value is known only when its functions are evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Deferral {
    /// The path of the place.
    pub path: Vec<Key>,
    /// The contributions of the layers, the lowest first; nulls, which do not count, are omitted.
    pub values: Vec<Value>,
    /// The list strategy in force.
    pub strategy: ListStrategy,
}

/// Merges layers of a section, the lowest first, around functions. The places where a function meets other values are added to
/// `deferrals`, shorter paths first, each with the name of the section, if there is one, at the start.
///
/// # Errors
/// A function that Atmos cannot put back, by its path in the section.
pub(crate) fn merge_deferred<'m>(
    merger: impl Into<Merger<'m>>,
    section: Option<&'static str>,
    layers: &[&Arc<Map>],
    deferrals: &mut Vec<Deferral>,
) -> Result<Arc<Map>, LostPath> {
    let merger = merger.into();
    let strategy = merger.strategy;
    let plain = || merge(merger, layers.iter().copied());
    if !layers.iter().any(|layer| layer.flags().has(Flags::CALL)) {
        return Ok(plain());
    }
    let found = |layer: &&Arc<Map>| layer.flags().has(Flags::CALL).then(|| DeferredCalls::of(layer));
    let found: Vec<Option<DeferredCalls>> =
        layers.iter().map(|layer| found(layer).filter(|found| !found.is_empty())).collect();
    let mut with_calls = found.iter().flatten();
    let Some(first) = with_calls.next() else { return Ok(plain()) };
    let mut paths: Vec<&[Key]> = first.paths().collect();
    let in_one = paths.len();
    paths.extend(with_calls.flat_map(|found| found.paths()));
    if paths.len() > in_one {
        paths.sort_by(|a, b| path_order(a, b));
        paths.dedup();
    }
    let rests = || layers.iter().zip(&found).map(|(layer, found)| found.as_ref().map_or(*layer, |found| found.rest()));
    let mut merged = merge(merger, rests());
    let mut layers_at: Vec<(usize, &Value)> = Vec::with_capacity(layers.len());
    let lost = |inside: &[Key], blocker: Prov, call: Option<&Value>| LostPath {
        path: inside.to_vec(),
        blocker,
        call: call.map_or_else(Prov::default, |call| call.prov.clone()),
    };
    for inside in paths {
        layers_at.clear();
        for (number, (found, rest)) in found.iter().zip(rests()).enumerate() {
            let call = found.as_ref().and_then(|found| found.at(inside));
            layers_at.extend(call.or_else(|| value_at(rest, inside)).map(|value| (number, value)));
        }
        if let [(_, only)] = layers_at.as_slice()
            && !only.is_null()
        {
            put(&mut merged, inside, (*only).clone()).map_err(|blocker| lost(inside, blocker, Some(only)))?;
            continue;
        }
        // Nulls count for nothing here, but they were written.
        let values: Vec<Value> =
            layers_at.iter().filter(|(_, value)| !value.is_null()).map(|(_, value)| (*value).clone()).collect();
        let mut winner = winner(&values, strategy);
        if layers_at.len() > 1 {
            let contribution =
                |(layer, value): &(usize, &Value)| Contribution { value: (*value).clone(), layer: *layer };
            winner.prov = winner.prov.with_layers(layers_at.iter().map(contribution).collect());
        }
        put(&mut merged, inside, winner)
            .map_err(|blocker| lost(inside, blocker, values.iter().find(|v| v.as_str().is_some_and(is_held_back))))?;
        if values.len() < 2 {
            continue;
        }
        let mut path = Vec::with_capacity(1 + inside.len());
        path.extend(section.map(key));
        path.extend(inside.iter().cloned());
        deferrals.push(Deferral { path, values, strategy });
    }
    Ok(merged)
}

fn value_at<'a>(map: &'a Map, path: &[Key]) -> Option<&'a Value> {
    let (last, parents) = path.split_last()?;
    let map = parents.iter().try_fold(map, |m, key| m.value_of(key)?.as_map().map(|m| &**m))?;
    map.value_of(last)
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
    let map = Arc::make_mut(map);
    if rest.is_empty() {
        map.set(Text::clone(first), value);
        return Ok(());
    }
    if map.value_of(first).is_none() {
        map.set(Text::clone(first), Value::new(Data::Map(Map::none())));
    }
    map.change(first, |inner| match &mut inner.data {
        Data::Map(child) => put(child, rest, value),
        _ => Err(inner.prov.clone()),
    })
    .unwrap_or(Ok(()))
}
