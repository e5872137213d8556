//! Shares parts of a component with the same component of the previously resolved revision: parts that are equal in
//! every respect, including history, become identical, so that two revisions need memory only for their differences and
//! are compared by identity.

use crate::resolution::{Component, Unit};
use crate::text::{FastMap, Text, order};
use crate::threads::PerThread;
use crate::value::{Contribution, Data, Map, Prov, Value};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

/// How deep values, and the histories of values, are looked into.
const MAX_DEPTH: usize = 64;
const MAX_HISTORY: usize = 8;

/// The units resolved so far, by name, and the merged manifests that they were made of.
#[derive(Default)]
pub(super) struct PreviousRevision {
    known: Mutex<HashMap<Text, Arc<Unit>>>,
    manifests: Mutex<HashMap<Text, Arc<Map>>>,
    compared: PerThread<ComparedMaps>,
}

/// Maps with several owners that were compared, by their addresses: most manifests have the same parts.
type ComparedMaps = FastMap<(usize, usize), Compared>;

/// Two maps, whose addresses stay valid because they are kept alive.
struct Compared {
    _maps: [Arc<Map>; 2],
    result: SharedMap,
}

/// Whether a map is equal to another one in every respect, and the map with parts of the other one, unless these are the same in memory.
type SharedMap = (bool, Option<Arc<Map>>);

impl PreviousRevision {
    fn lock(&self) -> MutexGuard<'_, HashMap<Text, Arc<Unit>>> {
        self.known.lock()
    }

    /// Remembers units for the next revision.
    pub(super) fn keep(&self, units: &[Arc<Unit>]) {
        let filled = units.iter().filter(|unit| !unit.components.is_empty());
        *self.lock() = filled.map(|unit| (Text::clone(&unit.name), Arc::clone(unit))).collect();
        self.compared.clear();
    }

    /// Shares the merged manifest of a unit with the previous one, and stores it for the next one.
    pub(super) fn manifest(&self, unit: &Text, merged: &Arc<Map>) -> Arc<Map> {
        let previous = self.manifests.lock().remove(unit);
        let Some(previous) = previous else {
            self.manifests.lock().insert(Text::clone(unit), Arc::clone(merged));
            return Arc::clone(merged);
        };
        let share = |compared: &mut ComparedMaps| shared_map(merged, &previous, MAX_DEPTH, compared).1;
        let shared = self.compared.with(share).unwrap_or_else(|| share(&mut ComparedMaps::default()));
        shared.unwrap_or_else(|| Arc::clone(merged))
    }

    /// Lets the components of a unit, sorted by address, share what they can with those of its previous.
    pub(super) fn share(&self, unit: &str, components: &mut [Arc<Component>]) {
        let Some(previous) = self.lock().get(unit).cloned() else { return };
        let mut theirs = previous.components.iter().peekable();
        for mine in components {
            let is_before = |c: &&Arc<Component>| (&c.stack, &c.kind, &c.name) < (&mine.stack, &mine.kind, &mine.name);
            while theirs.next_if(is_before).is_some() {}
            let same = |c: &&Arc<Component>| c.stack == mine.stack && c.kind == mine.kind && c.name == mine.name;
            let Some(other) = theirs.next_if(same) else { continue };
            let Some(own) = Arc::get_mut(mine) else { continue };
            share(&mut own.value, &other.value, MAX_DEPTH);
        }
    }
}

/// Replaces parts by equal ones of the other value, and returns whether everything is equal. Maps with other owners are replaced as a
/// whole or not at all: a copy would need more memory.
fn share(mine: &mut Value, other: &Value, depth: usize) -> bool {
    let same = match (&mut mine.data, &other.data) {
        (Data::Map(a), Data::Map(b)) if !Arc::ptr_eq(a, b) && depth > 0 => match Arc::get_mut(a) {
            Some(own) => {
                let mut same = own.len() == b.len() && own.is_mixed() == b.is_mixed();
                let mut theirs = b.iter().peekable();
                for (key, value) in own.entries_mut() {
                    while theirs.next_if(|e| order(&e.key, key).is_lt()).is_some() {}
                    match theirs.next_if(|e| order(&e.key, key).is_eq()) {
                        Some(other) => same &= share(value, &other.value, depth - 1),
                        None => same = false,
                    }
                }
                same
            }
            None => is_same_data(&mine.data, &other.data, depth),
        },
        _ => is_same_data(&mine.data, &other.data, depth),
    };
    if same {
        mine.data = other.data.clone();
    }
    let same_history = is_same_history(&mine.prov, &other.prov, MAX_HISTORY);
    if same_history {
        mine.prov = other.prov.clone();
    }
    same && same_history
}

/// The same as [`shared_map`] for values.
fn shared(mine: &Value, other: &Value, depth: usize, compared: &mut ComparedMaps) -> (bool, Option<Value>) {
    let (same, data) = match (&mine.data, &other.data) {
        (Data::Map(a), Data::Map(b)) => {
            let (same, map) = shared_map(a, b, depth, compared);
            (same, map.map(Data::Map))
        }
        (a, b) => {
            let same = is_same_data(a, b, depth);
            (same, (same && !a.is_identical(b)).then(|| b.clone()))
        }
    };
    let same_history = is_same_history(&mine.prov, &other.prov, MAX_HISTORY);
    let prov = (same_history && !mine.prov.is_identical(&other.prov)).then(|| other.prov.clone());
    let new = (data.is_some() || prov.is_some()).then(|| Value {
        data: data.unwrap_or_else(|| mine.data.clone()),
        prov: prov.unwrap_or_else(|| mine.prov.clone()),
    });
    (same && same_history, new)
}

/// Compares a map with another one, and shares what is equal.
fn shared_map(mine: &Arc<Map>, other: &Arc<Map>, depth: usize, compared: &mut ComparedMaps) -> SharedMap {
    let Some(below) = depth.checked_sub(1) else { return (Arc::ptr_eq(mine, other), None) };
    if Arc::ptr_eq(mine, other) {
        return (true, None);
    }
    let key = (Arc::as_ptr(mine).addr(), Arc::as_ptr(other).addr());
    let is_common = Arc::strong_count(mine) > 1 && Arc::strong_count(other) > 1;
    if is_common && let Some(known) = compared.get(&key) {
        return known.result.clone();
    }
    let mut same = mine.len() == other.len() && mine.is_mixed() == other.is_mixed();
    let (mut keys, mut theirs) = (mine.keys(), other.iter().peekable());
    let replace = |value: &Value| -> Result<Option<Value>, Infallible> {
        let Some(key) = keys.next() else { return Ok(None) };
        while theirs.next_if(|e| order(&e.key, key).is_lt()).is_some() {}
        let Some(other) = theirs.next_if(|e| order(&e.key, key).is_eq()) else {
            same = false;
            return Ok(None);
        };
        let (is_same, new) = shared(value, &other.value, below, compared);
        same &= is_same;
        Ok(new)
    };
    let Ok(new) = mine.with_values(replace);
    let result = if same { (true, Some(Arc::clone(other))) } else { (false, new.map(Arc::new)) };
    if is_common {
        let kept = Compared { _maps: [Arc::clone(mine), Arc::clone(other)], result: result.clone() };
        compared.insert(key, kept);
    }
    result
}

fn is_same(a: &Value, b: &Value, depth: usize, history: usize) -> bool {
    is_same_history(&a.prov, &b.prov, history) && is_same_data(&a.data, &b.data, depth)
}

fn is_same_data(a: &Data, b: &Data, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else { return false };
    match (a, b) {
        (Data::Map(a), Data::Map(b)) => {
            Arc::ptr_eq(a, b)
                || a.len() == b.len()
                    && a.is_mixed() == b.is_mixed()
                    && a.iter()
                        .zip(b.iter())
                        .all(|(a, b)| a.key == b.key && is_same(&a.value, &b.value, below, MAX_HISTORY))
        }
        (Data::List(a), Data::List(b)) => {
            Arc::ptr_eq(a, b)
                || a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b, below, MAX_HISTORY))
        }
        (Data::Unknown(a), Data::Unknown(b)) => {
            let same_guess = match (&a.assumed, &b.assumed) {
                (None, None) => true,
                (Some(a), Some(b)) => is_same(a, b, below, MAX_HISTORY),
                _ => false,
            };
            Arc::ptr_eq(a, b) || a.text == b.text && a.reasons == b.reasons && same_guess
        }
        (Data::Float(a), Data::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn is_same_history(a: &Prov, b: &Prov, history: usize) -> bool {
    if a.origin != b.origin {
        return false;
    }
    match (&a.trail, &b.trail) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            if Arc::ptr_eq(a, b) {
                return true;
            }
            let Some(below) = history.checked_sub(1) else { return false };
            let same_overrode = match (a.overrode(), b.overrode()) {
                (None, None) => true,
                (Some(a), Some(b)) => is_same(a, b, below, below),
                _ => false,
            };
            let same_layer = |(a, b): (&Contribution, &Contribution)| {
                a.layer == b.layer && is_same(&a.value, &b.value, below, below)
            };
            same_overrode
                && a.layers().len() == b.layers().len()
                && a.layers().iter().zip(b.layers()).all(same_layer)
                && a.inputs().len() == b.inputs().len()
                && a.inputs().iter().zip(b.inputs()).all(|(a, b)| is_same_history(a, b, below))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{FileId, Map, Origin};

    fn at(n: u32, data: Data) -> Value {
        Value::at(data, Origin { file: FileId::new(0), key: n, start: n, end: n + 1 })
    }

    fn tree(changed: i64, line: u32) -> Value {
        let pair = |key: &str, value| (Text::from(key), value);
        let inner = Value::map(Map::from_iter([pair("same", at(1, Data::Int(1))), pair("other", at(2, Data::Int(2)))]));
        let vars = Map::from_iter([pair("inner", inner.clone()), pair("changed", at(3, Data::Int(changed)))]);
        Value::map(Map::from_iter([pair("vars", Value::map(vars)), pair("moved", at(line, Data::Int(4)))]))
    }

    fn map<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Arc<Map>> {
        value.at_path(path.iter().copied())?.as_map()
    }

    #[test]
    fn what_is_the_same_is_shared() {
        let (base, mut head) = (tree(1, 9), tree(2, 9));
        let before = head.clone();
        drop(head);
        head = tree(2, 9);
        assert!(!share(&mut head, &base, MAX_DEPTH));
        assert_eq!(head, before);
        let inner = |v| map(v, &["vars", "inner"]).cloned();
        assert!(inner(&base).zip(inner(&head)).is_some_and(|(a, b)| Arc::ptr_eq(&a, &b)));
    }

    #[test]
    fn what_is_the_same_in_maps_with_other_owners_is_shared() {
        let (base, mut compared) = (tree(1, 9), ComparedMaps::default());
        let is_one = |a: Option<&Arc<Map>>, b: Option<&Arc<Map>>| a.zip(b).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
        let equal = tree(1, 9);
        // What is known of two maps is the same again.
        for _ in 0..2 {
            let (same, new) = shared(&equal, &base, MAX_DEPTH, &mut compared);
            assert!(same && is_one(new.as_ref().and_then(Value::as_map), base.as_map()));
        }
        let other = tree(2, 9);
        for _ in 0..2 {
            let (same, new) = shared(&other, &base, MAX_DEPTH, &mut compared);
            assert!(!same && new.as_ref() == Some(&other));
            let inner = ["vars", "inner"];
            assert!(is_one(new.as_ref().and_then(|new| map(new, &inner)), map(&base, &inner)));
        }
    }

    #[test]
    fn another_place_is_another_value() {
        let (base, mut head) = (tree(1, 9), tree(1, 10));
        assert!(!share(&mut head, &base, MAX_DEPTH));
        assert_eq!(head.get("moved").and_then(|v| v.prov.origin).map(|o| o.key), Some(10));
    }

    #[test]
    fn a_value_that_replaced_another_one_keeps_its_own_history() {
        let with = |n| at(5, Data::Int(7)).with_prov(at(5, Data::Null).prov.overriding(&at(6, Data::Int(n))));
        let (base, mut head) = (with(1), with(2));
        assert!(!share(&mut head, &base, MAX_DEPTH));
        let below = head.prov.overrode().cloned();
        assert_eq!(below, Some(Value::new(Data::Int(2))));
        assert!(share(&mut with(1), &base, MAX_DEPTH));
    }
}
