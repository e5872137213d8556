//! Values whose places become others.

use super::map::Map;
use super::provenance::{Origin, Prov, Trail};
use super::{Data, Value};
use shared_text::{ByAddress, FastMap};
use std::cmp::Ordering;
use std::sync::Arc;

impl Value {
    /// The same value with other places where `place` gives one; what has none of these stays shared.
    #[must_use]
    pub fn with_places(&self, place: &dyn Fn(Origin) -> Option<Origin>) -> Self {
        Places { place, done: FastMap::default() }.value(self).unwrap_or_else(|| self.clone())
    }
}

/// Gives histories other places, each once: values that are computed from one another share them many times over. Nothing is made for
/// what stays as it is.
struct Places<'a> {
    place: &'a dyn Fn(Origin) -> Option<Origin>,
    done: FastMap<ByAddress<&'a Arc<Trail>>, Option<Arc<Trail>>>,
}

impl<'a> Places<'a> {
    fn value(&mut self, value: &'a Value) -> Option<Value> {
        let data = match &value.data {
            Data::List(items) => {
                let found = self.first(items.iter());
                found.map(|found| Data::List(Arc::new(self.rest(items.iter(), found).collect())))
            }
            Data::Map(map) => {
                let found = self.first(map.iter().map(|entry| &entry.value));
                found.map(|found| {
                    let keys = map.iter().map(|entry| entry.key.clone());
                    let values = self.rest(map.iter().map(|entry| &entry.value), found);
                    Data::Map(Arc::new(keys.zip(values).collect::<Map>()))
                })
            }
            _ => None,
        };
        let prov = self.prov(&value.prov);
        (data.is_some() || prov.is_some()).then(|| Value {
            data: data.unwrap_or_else(|| value.data.clone()),
            prov: prov.unwrap_or_else(|| value.prov.clone()),
        })
    }

    /// The first value that gets another place, with its number.
    fn first(&mut self, mut values: impl Iterator<Item = &'a Value>) -> Option<(usize, Value)> {
        let mut number = 0;
        values.find_map(|value| {
            number += 1;
            Some((number - 1, self.value(value)?))
        })
    }

    /// All values, of which the first one that gets another place is known.
    fn rest(
        &mut self,
        values: impl Iterator<Item = &'a Value>,
        (first, changed): (usize, Value),
    ) -> impl Iterator<Item = Value> {
        let mut changed = Some(changed);
        values.enumerate().map(move |(number, value)| match number.cmp(&first) {
            Ordering::Less => value.clone(),
            Ordering::Equal => changed.take().unwrap_or_default(),
            Ordering::Greater => self.value(value).unwrap_or_else(|| value.clone()),
        })
    }

    fn prov(&mut self, prov: &'a Prov) -> Option<Prov> {
        let origin = prov.origin.and_then(self.place);
        let trail = prov.trail.as_ref().and_then(|trail| self.trail(trail));
        (origin.is_some() || trail.is_some())
            .then(|| Prov { origin: origin.or(prov.origin), trail: trail.or_else(|| prov.trail.clone()) })
    }

    /// A history, after all that it is made of: they can be too long for recursion.
    fn trail(&mut self, trail: &'a Arc<Trail>) -> Option<Arc<Trail>> {
        let mut waiting = vec![trail];
        while let Some(next) = waiting.last().copied() {
            if self.done.contains_key(&ByAddress(next)) {
                waiting.pop();
                continue;
            }
            let known = waiting.len();
            waiting.extend(inside(next).into_iter().filter(|inner| !self.done.contains_key(&ByAddress(*inner))));
            if waiting.len() == known {
                let changed = self.trail_of_known(next);
                self.done.insert(ByAddress(next), changed);
            }
        }
        self.done[&ByAddress(trail)].clone()
    }

    /// A history that is made of known ones.
    fn trail_of_known(&mut self, trail: &'a Arc<Trail>) -> Option<Arc<Trail>> {
        let overrode = trail.overrode().map(|value| (value, self.value(value)));
        let inputs: Vec<_> = trail.inputs().iter().map(|input| (input, self.prov(input))).collect();
        let is_same = overrode.iter().all(|(_, changed)| changed.is_none())
            && inputs.iter().all(|(_, changed)| changed.is_none());
        (!is_same).then(|| {
            let overrode = overrode.map(|(value, changed)| changed.unwrap_or_else(|| value.clone()));
            let inputs = inputs.into_iter().map(|(input, changed)| changed.unwrap_or_else(|| input.clone()));
            Arc::new(trail.with_parts(overrode, inputs.collect()))
        })
    }
}

/// The histories that a history consists of: those of what was computed with, and of all values in what was replaced.
fn inside(trail: &Trail) -> Vec<&Arc<Trail>> {
    let mut found: Vec<_> = trail.inputs().iter().filter_map(|input| input.trail.as_ref()).collect();
    let mut waiting: Vec<&Value> = trail.overrode().into_iter().collect();
    while let Some(value) = waiting.pop() {
        found.extend(&value.prov.trail);
        match &value.data {
            Data::List(items) => waiting.extend(items.iter()),
            Data::Map(map) => waiting.extend(map.iter().map(|entry| &entry.value)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    fn at(file: u32) -> Prov {
        Prov::at(Origin { file: FileId::new(file), key: 1, start: 1, end: 2 })
    }

    fn files(value: &Value) -> Vec<usize> {
        let mut found = Vec::new();
        value.prov.for_each_input(&mut |origin| found.push(origin.file.index()));
        found
    }

    #[test]
    fn all_places_become_others() {
        let lower = Value::list(vec![Value::str("x").with_prov(at(1).with_inputs([at(2)]))]).with_prov(at(3));
        let value = Value::str("y").with_prov(at(4).sensitive().overriding(&lower).with_inputs([at(5)]));
        let moved =
            value.with_places(&|origin| Some(Origin { file: FileId::new(origin.file.index() as u32 + 10), ..origin }));
        assert_eq!((files(&moved), moved.is_sensitive()), (vec![14, 15], true));
        let lower = moved.prov.overrode().expect("what it replaced");
        assert_eq!(files(lower), [13]);
        assert_eq!(files(&lower.as_list().expect("a list")[0]), [11, 12]);
    }

    #[test]
    fn long_histories_and_shared_ones_take_no_time() {
        let mut prov = at(0);
        for _ in 0..100_000 {
            prov = at(0).with_inputs([prov.clone(), prov]);
        }
        let moved =
            Value::str("x").with_prov(prov).with_places(&|origin| Some(Origin { file: FileId::new(1), ..origin }));
        assert!(files(&moved).into_iter().all(|file| file == 1));
    }

    #[test]
    fn what_has_no_other_place_stays_shared() {
        let [same, other] =
            [1, 2].map(|file| Value::list(vec![Value::str("x").with_prov(at(3).with_inputs([at(file)]))]));
        let value = Value::list(vec![same, other]);
        let moved =
            value.with_places(&|origin| (origin.file.index() == 2).then(|| Origin { file: FileId::new(9), ..origin }));
        let items = |value: &Value| value.as_list().expect("a list").clone();
        let inner = |index: usize| [&value, &moved].map(|value| items(&items(value)[index]));
        let [before, after] = inner(0);
        assert!(Arc::ptr_eq(&before, &after));
        let [_, after] = inner(1);
        assert_eq!(files(&after[0]), [3, 9]);
    }
}
