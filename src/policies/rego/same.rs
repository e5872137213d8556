//! Components that are the same to a policy in Rego: it reads the same of them, so it is asked once about all of them.

use crate::policies::input::{Part, Wanted, is_open};
use crate::policies::run::Asked;
use crate::text::Text;
use crate::value::{Data, Language, Value};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

/// How deep values are compared. What is deeper is the same as nothing.
const MAX_DEPTH: usize = 200;

/// What a policy reads of a component.
struct Reading<'a> {
    names: Vec<(&'static str, &'a Text)>,
    parts: Vec<Part<'a>>,
    /// The code of the component, if the policy reads it.
    code: Option<&'a Value>,
    language: &'a Language,
}

/// The components that were met, by what a policy reads of them.
pub(in crate::policies) struct Known<'a> {
    readings: Vec<Reading<'a>>,
    by_hash: HashMap<u64, Vec<usize>, RandomState>,
    hashes: RandomState,
}

impl<'a> Known<'a> {
    pub(in crate::policies) fn new() -> Self {
        Known { readings: Vec::new(), by_hash: HashMap::default(), hashes: RandomState::default() }
    }

    /// The number of the first component that is the same to a policy, and whether this is that one. Each change is one of its
    /// own.
    pub(in crate::policies) fn number(
        &mut self,
        asked: &Asked<'a>,
        wanted: &mut Wanted<'_>,
        reads_code: bool,
    ) -> (usize, bool) {
        let component = asked.owner.component;
        let reading = Reading {
            names: wanted.names(component),
            parts: wanted.of(component),
            code: Some(asked.code).filter(|_| reads_code),
            language: &component.language,
        };
        let mut hasher = self.hashes.build_hasher();
        reading.hash(&mut hasher);
        let alike = self.by_hash.entry(hasher.finish()).or_default();
        let known = alike.iter().find(|n| asked.change.is_none() && self.readings[**n].is_same(&reading));
        if let Some(known) = known {
            return (*known, false);
        }
        alike.push(self.readings.len());
        self.readings.push(reading);
        (self.readings.len() - 1, true)
    }
}

impl Reading<'_> {
    fn hash(&self, hasher: &mut impl Hasher) {
        for (_, name) in &self.names {
            name.hash(hasher);
        }
        for part in &self.parts {
            (part.section, part.entry).hash(hasher);
            hash(part.value, hasher, 0);
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let code = |reading: &Self| reading.code.map(std::ptr::from_ref);
        let is_same_part = |(a, b): (&Part<'_>, &Part<'_>)| {
            (a.section, a.entry) == (b.section, b.entry) && is_same(a.value, b.value, self.language, 0)
        };
        std::ptr::eq(self.language, other.language)
            && code(self) == code(other)
            && self.names == other.names
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(is_same_part)
    }
}

fn hash(value: &Value, hasher: &mut impl Hasher, depth: usize) {
    std::mem::discriminant(&value.data).hash(hasher);
    match &value.data {
        _ if depth > MAX_DEPTH => {}
        Data::Null | Data::Time(_) => {}
        Data::Bool(b) => b.hash(hasher),
        Data::Int(i) => i.hash(hasher),
        Data::Uint(u) => u.hash(hasher),
        Data::Float(f) => f.to_bits().hash(hasher),
        Data::Str(text) => text.hash(hasher),
        Data::Unknown(unknown) => unknown.text.hash(hasher),
        Data::List(items) => {
            items.len().hash(hasher);
            items.iter().for_each(|item| hash(item, hasher, depth + 1));
        }
        Data::Map(map) => {
            map.len().hash(hasher);
            for entry in map.iter() {
                entry.key.hash(hasher);
                hash(&entry.value, hasher, depth + 1);
            }
        }
    }
}

/// Whether two values are handed over as the same, and the same of them is not known.
fn is_same(a: &Value, b: &Value, language: &Language, depth: usize) -> bool {
    let inside = |a: &Value, b: &Value| is_same(a, b, language, depth + 1);
    match (&a.data, &b.data) {
        _ if depth > MAX_DEPTH => false,
        (Data::Float(a), Data::Float(b)) => a.to_bits() == b.to_bits(),
        (Data::List(a), Data::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| inside(a, b)),
        (Data::Map(maps), Data::Map(others)) => {
            is_open(a, language) == is_open(b, language)
                && maps.len() == others.len()
                && maps.iter().zip(others.iter()).all(|(a, b)| a.key == b.key && inside(&a.value, &b.value))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_handed_over_as_the_same() {
        let language = Language::default();
        let same = |a: &Value, b: &Value| is_same(a, b, &language, 0);
        let list = |items: Vec<Value>| Value::list(items);
        let float = |f: f64| Value::new(Data::Float(f));
        let one = list(vec![Value::str("a"), float(1.0)]);
        assert!(same(&one, &list(vec![Value::str("a"), float(1.0)])));
        for other in [
            list(vec![Value::str("a")]),
            list(vec![Value::str("b"), float(1.0)]),
            list(vec![Value::str("a"), Value::new(Data::Int(1))]),
            Value::str("a"),
        ] {
            assert!(!same(&one, &other), "{other:?}");
        }
        // Which JSON keeps apart.
        assert!(!same(&float(0.0), &float(-0.0)));
        let deep = |n: usize| (0..n).fold(Value::str("a"), |inner, _| Value::list(vec![inner]));
        assert!(same(&deep(MAX_DEPTH), &deep(MAX_DEPTH)) && !same(&deep(MAX_DEPTH + 1), &deep(MAX_DEPTH + 1)));
    }
}
