//! The content of values, as policies see it.

use super::input::is_open;
use crate::value::{Data, Language, Value};
use std::hash::{Hash, Hasher};

/// How deep values are compared. What is deeper is the same as nothing.
const MAX_DEPTH: usize = 200;

/// Hashes what [`is_same`] compares.
pub(super) fn hash(value: &Value, hasher: &mut impl Hasher) {
    hash_at(value, hasher, 0);
}

fn hash_at(value: &Value, hasher: &mut impl Hasher, depth: usize) {
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
            items.iter().for_each(|item| hash_at(item, hasher, depth + 1));
        }
        Data::Map(map) => {
            map.len().hash(hasher);
            for entry in map.iter() {
                entry.key.hash(hasher);
                hash_at(&entry.value, hasher, depth + 1);
            }
        }
    }
}

/// Whether two values have the same content for policies, and the same of them is not known. Where they were written does not
/// matter.
pub(super) fn is_same(a: &Value, b: &Value, language: &Language) -> bool {
    is_same_at(a, b, language, 0)
}

fn is_same_at(a: &Value, b: &Value, language: &Language, depth: usize) -> bool {
    let inside = |a: &Value, b: &Value| is_same_at(a, b, language, depth + 1);
    match (&a.data, &b.data) {
        _ if depth > MAX_DEPTH => false,
        (Data::Float(a), Data::Float(b)) => a.to_bits() == b.to_bits(),
        (Data::List(items), Data::List(others)) => {
            is_open(a, language) == is_open(b, language)
                && items.len() == others.len()
                && items.iter().zip(others.iter()).all(|(a, b)| inside(a, b))
        }
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
    fn values_that_are_passed_on_as_the_same() {
        let language = Language::default();
        let same = |a: &Value, b: &Value| is_same(a, b, &language);
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
