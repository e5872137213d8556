//! The merge of maps as Atmos computes it (`reference: atmos.md` section 5): the later input wins whatever the kinds,
//! maps merge deeply, lists by the strategy in force, `!append` markers resolve against what lies below them.

use crate::value::{Data, Entry, Flags, Map, MapBuilder, Value};
use std::sync::Arc;

/// The key of the marker map that an `!append` list is kept in until a merge uses it up.
pub(crate) const APPEND_KEY: &str = "__atmos_append__";

/// What happens when a list meets a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListStrategy {
    /// The later list wins.
    #[default]
    Replace,
    /// The later items follow the earlier ones.
    Append,
    /// Index by index; maps merge deeply, of two other items the *earlier* stays.
    Merge,
}

impl ListStrategy {
    /// The strategy of a name in the configuration; `None` for an unknown name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "" | "replace" => Some(ListStrategy::Replace),
            "append" => Some(ListStrategy::Append),
            "merge" => Some(ListStrategy::Merge),
            _ => None,
        }
    }
}

/// Merges inputs, the lowest first. Empty inputs have no part in it.
pub(crate) fn merge<'a>(strategy: ListStrategy, inputs: impl IntoIterator<Item = &'a Arc<Map>>) -> Arc<Map> {
    let mut inputs = inputs.into_iter().filter(|m| !m.is_empty());
    let Some(first) = inputs.next() else { return Arc::default() };
    let mut merged = settle_map(first, strategy);
    for input in inputs {
        merged = merge_maps(&merged, input, Mode { strategy, markers: true });
    }
    merged
}

/// Merges what manifests hand to each other, the lowest first. A lone input keeps its `!append` markers for a later
/// merge; that is why they work in one file and not in another.
pub(crate) fn merge_imports<'a>(strategy: ListStrategy, inputs: impl IntoIterator<Item = &'a Arc<Map>>) -> Arc<Map> {
    let inputs: Vec<&Arc<Map>> = inputs.into_iter().filter(|m| !m.is_empty()).collect();
    match inputs.as_slice() {
        [only] if only.flags().has(Flags::TIME) => {
            Arc::new(only.iter().map(|e| (Arc::clone(&e.key), settle_item(&e.value))).collect())
        }
        [only] => Arc::clone(only),
        several => merge(strategy, several.iter().copied()),
    }
}

/// Merges two values as if they stood under one key.
pub(crate) fn merge_values(strategy: ListStrategy, lower: &Value, upper: &Value) -> Value {
    let key = Arc::from("");
    let pair = |v: &Value| Arc::new(Map::from_iter([(Arc::clone(&key), v.clone())]));
    let merged = merge(strategy, [&pair(lower), &pair(upper)]);
    merged.get("").cloned().unwrap_or_default()
}

/// How two maps meet.
#[derive(Clone, Copy)]
struct Mode {
    strategy: ListStrategy,
    /// Whether `!append` markers are resolved: as values of maps, but not below a list.
    markers: bool,
}

fn merge_maps(lower: &Arc<Map>, upper: &Arc<Map>, mode: Mode) -> Arc<Map> {
    if Arc::ptr_eq(lower, upper) && mode.strategy == ListStrategy::Replace && !upper.flags().has(Flags::MARKER) {
        return Arc::clone(lower);
    }
    let mut out = MapBuilder::with_capacity(lower.len().max(upper.len()));
    let (mut l, mut u) = (lower.iter().peekable(), upper.iter().peekable());
    loop {
        match (l.peek(), u.peek()) {
            (Some(a), Some(b)) => match a.key.cmp(&b.key) {
                std::cmp::Ordering::Less => copy(&mut out, l.next()),
                std::cmp::Ordering::Greater => {
                    out.push(Arc::clone(&b.key), fresh(&b.value, mode));
                    u.next();
                }
                std::cmp::Ordering::Equal => {
                    out.push(Arc::clone(&a.key), merge_pair(&a.value, &b.value, mode));
                    l.next();
                    u.next();
                }
            },
            (Some(_), None) => copy(&mut out, l.next()),
            (None, Some(b)) => {
                out.push(Arc::clone(&b.key), fresh(&b.value, mode));
                u.next();
            }
            (None, None) => return Arc::new(out.finish()),
        }
    }
}

fn copy(out: &mut MapBuilder, entry: Option<&Entry>) {
    if let Some(Entry { key, value }) = entry {
        out.push(Arc::clone(key), value.clone());
    }
}

/// `lower` is settled already, `upper` is as authored.
fn merge_pair(lower: &Value, upper: &Value, mode: Mode) -> Value {
    if let Some(items) = appended(upper).filter(|_| mode.markers) {
        let mut list = match &lower.data {
            Data::List(list) => list.to_vec(),
            _ => Vec::new(),
        };
        list.extend(items.iter().map(settle_item));
        return Value { data: Data::List(Arc::new(list)), prov: upper.prov.overriding(lower) };
    }
    match (&lower.data, &upper.data) {
        (Data::Map(a), Data::Map(b)) => {
            let prov = if lower.prov.origin.is_some() { lower.prov.clone() } else { upper.prov.clone() };
            Value { data: Data::Map(merge_maps(a, b, mode)), prov }
        }
        // A date is a structure without readable fields: as a map it is empty, and changes nothing here.
        (Data::Map(_), Data::Time(_)) => lower.clone(),
        (Data::List(a), Data::List(b)) if mode.strategy != ListStrategy::Replace => {
            let list = match mode.strategy {
                ListStrategy::Append => a.iter().cloned().chain(b.iter().map(settle_item)).collect(),
                _ => merge_lists(a, b, mode.strategy),
            };
            Value { data: Data::List(Arc::new(list)), prov: upper.prov.overriding(lower) }
        }
        _ => {
            let mut value = fresh(upper, mode);
            value.prov = value.prov.overriding(lower);
            value
        }
    }
}

fn merge_lists(lower: &[Value], upper: &[Value], strategy: ListStrategy) -> Vec<Value> {
    let overlap = lower.iter().zip(upper).map(|(a, b)| match (&a.data, &b.data) {
        (Data::Map(x), Data::Map(y)) => {
            Value { data: Data::Map(merge_maps(x, y, Mode { strategy, markers: false })), prov: a.prov.overriding(b) }
        }
        _ => a.clone(),
    });
    let tail = if lower.len() > upper.len() { &lower[upper.len()..] } else { &upper[lower.len()..] };
    overlap.chain(tail.iter().map(settle_item)).collect()
}

/// A value that meets nothing below it.
fn fresh(value: &Value, mode: Mode) -> Value {
    if mode.markers { settle(value, mode.strategy) } else { settle_item(value) }
}

/// The items of an `!append` marker.
fn appended(value: &Value) -> Option<&Arc<Vec<Value>>> {
    let map = value.as_map()?;
    if !map.flags().has(Flags::MARKER) {
        return None;
    }
    map.get(APPEND_KEY)?.as_list()
}

/// A value as it comes out of a merge that found nothing below it: dates are lost, `!append` markers are plain lists.
pub(crate) fn settle(value: &Value, strategy: ListStrategy) -> Value {
    if let Some(items) = appended(value) {
        let list = items.iter().map(settle_item).collect();
        return Value { data: Data::List(Arc::new(list)), prov: value.prov.clone() };
    }
    match &value.data {
        Data::Map(map) => Value { data: Data::Map(settle_map(map, strategy)), prov: value.prov.clone() },
        _ => settle_item(value),
    }
}

fn settle_map(map: &Arc<Map>, strategy: ListStrategy) -> Arc<Map> {
    let flags = map.flags();
    if !flags.has(Flags::TIME) && !flags.has(Flags::MARKER) {
        return Arc::clone(map);
    }
    let mut out = MapBuilder::with_capacity(map.len());
    for Entry { key, value } in map.iter() {
        out.push(Arc::clone(key), settle(value, strategy));
    }
    Arc::new(out.finish())
}

/// Inside a list, markers stay as they are (Atmos resolves them as map values only); dates are lost there too.
fn settle_item(value: &Value) -> Value {
    if !value.flags().has(Flags::TIME) {
        return value.clone();
    }
    let data = match &value.data {
        Data::Time(_) => Data::Map(Arc::default()),
        Data::List(list) => Data::List(Arc::new(list.iter().map(settle_item).collect())),
        Data::Map(map) => {
            Data::Map(Arc::new(map.iter().map(|e| (Arc::clone(&e.key), settle_item(&e.value))).collect()))
        }
        other => other.clone(),
    };
    Value { data, prov: value.prov.clone() }
}
