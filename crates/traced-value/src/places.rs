//! Values whose places become others.

use super::provenance::{Origin, Prov, Trail};
use super::{Data, Value};
use shared_text::ByAddress;
use std::collections::HashMap;
use std::sync::Arc;

impl Value {
    /// The same value with other places.
    #[must_use]
    pub fn with_places(&self, place: &dyn Fn(Origin) -> Origin) -> Self {
        Places { place, done: HashMap::new() }.value(self)
    }
}

/// Gives histories other places, each once: values that are computed from one another share them many times over.
struct Places<'a> {
    place: &'a dyn Fn(Origin) -> Origin,
    done: HashMap<ByAddress<&'a Arc<Trail>>, Arc<Trail>>,
}

impl<'a> Places<'a> {
    fn value(&mut self, value: &'a Value) -> Value {
        let data = match &value.data {
            Data::List(items) => Data::List(Arc::new(items.iter().map(|item| self.value(item)).collect())),
            Data::Map(map) => {
                let entries = map.iter().map(|entry| (entry.key.clone(), self.value(&entry.value)));
                Data::Map(Arc::new(entries.collect()))
            }
            other => other.clone(),
        };
        Value { data, prov: self.prov(&value.prov) }
    }

    fn prov(&mut self, prov: &'a Prov) -> Prov {
        let trail = prov.trail.as_ref().map(|trail| self.trail(trail));
        Prov { origin: prov.origin.map(self.place), trail }
    }

    /// A history, after all that it is made of: they can be too long for recursion.
    fn trail(&mut self, trail: &'a Arc<Trail>) -> Arc<Trail> {
        let mut waiting = vec![trail];
        while let Some(next) = waiting.last().copied() {
            if self.done.contains_key(&ByAddress(next)) {
                waiting.pop();
                continue;
            }
            let known = waiting.len();
            waiting.extend(inside(next).into_iter().filter(|inner| !self.done.contains_key(&ByAddress(*inner))));
            if waiting.len() == known {
                let inputs = next.inputs().iter().map(|input| self.prov(input)).collect();
                let overrode = next.overrode().map(|value| self.value(value));
                self.done.insert(ByAddress(next), Arc::new(next.with_parts(overrode, inputs)));
            }
        }
        Arc::clone(&self.done[&ByAddress(trail)])
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
            value.with_places(&|origin| Origin { file: FileId::new(origin.file.index() as u32 + 10), ..origin });
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
        let moved = Value::str("x").with_prov(prov).with_places(&|origin| Origin { file: FileId::new(1), ..origin });
        assert!(files(&moved).into_iter().all(|file| file == 1));
    }
}
