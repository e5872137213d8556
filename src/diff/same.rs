//! Equality of values as they are printed: two known values are the same if their JSON is the same, so that `1` equals
//! `1.0`.
//!
//! An unknown value never equals a known one, and another unknown one only if both have the same text and are made of the
//! same: `{{ env "A" }}` and `{{ env "B" }}` print nothing, but are not the same. Shared sub-trees are compared by identity
//! first, and nothing here recurses, however deep a value is.

use crate::value::{Data, Value, json};
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Whether both values are the same.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (&a.data, &b.data) {
        (Data::Str(x), Data::Str(y)) => return x == y,
        (Data::Bool(x), Data::Bool(y)) => return x == y,
        (Data::Int(x), Data::Int(y)) => return x == y,
        _ => {}
    }
    let mut todo = vec![(a, b)];
    while let Some((a, b)) = todo.pop() {
        if a.data.is_identical(&b.data) {
            continue;
        }
        match (&a.data, &b.data) {
            (Data::Map(x), Data::Map(y)) => {
                if x.len() != y.len() {
                    return false;
                }
                for (x, y) in x.iter().zip(y.iter()) {
                    if x.key != y.key {
                        return false;
                    }
                    todo.push((&x.value, &y.value));
                }
            }
            (Data::List(x), Data::List(y)) => {
                if x.len() != y.len() {
                    return false;
                }
                todo.extend(x.iter().zip(y.iter()));
            }
            (Data::Unknown(x), Data::Unknown(y)) => {
                if x.meaning() != y.meaning() || x.reads != y.reads {
                    return false;
                }
                match (&x.assumed, &y.assumed) {
                    (Some(x), Some(y)) => todo.push((x, y)),
                    (None, None) => {}
                    _ => return false,
                }
            }
            (Data::Unknown(_), _) | (_, Data::Unknown(_)) => return false,
            (Data::Str(x), Data::Str(y)) => {
                if x != y {
                    return false;
                }
            }
            _ => match (Scalar::of(a), Scalar::of(b)) {
                (Some(x), Some(y)) if x == y => {}
                _ => return false,
            },
        }
    }
    true
}

/// A hash that is equal for values that are the same, the same in every run.
pub(crate) fn digest(value: &Value) -> u64 {
    // A fixed key on purpose: the hash only finds candidates, `same` decides.
    let mut hasher = DefaultHasher::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match &value.data {
            Data::Map(map) => {
                (1u8, map.len()).hash(&mut hasher);
                for entry in map.iter() {
                    entry.key.hash(&mut hasher);
                    todo.push(&entry.value);
                }
            }
            Data::List(items) => {
                (2u8, items.len()).hash(&mut hasher);
                todo.extend(items.iter());
            }
            _ => Scalar::of(value).hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// A scalar as it is printed.
#[derive(PartialEq, Eq, Hash)]
enum Scalar<'a> {
    Null,
    Bool(bool),
    Whole(i128),
    /// The bits of a float with a fraction or an exponent.
    Fraction(u64),
    Text(Cow<'a, str>),
    Unknown(&'a str),
}

impl<'a> Scalar<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        Some(match &value.data {
            Data::Null => Scalar::Null,
            Data::Bool(b) => Scalar::Bool(*b),
            Data::Int(i) => Scalar::Whole(i128::from(*i)),
            Data::Uint(u) => Scalar::Whole(i128::from(*u)),
            Data::Float(f) => match json::Number::of(*f) {
                json::Number::Whole(i) => Scalar::Whole(i),
                json::Number::Fraction(f) => Scalar::Fraction(f.to_bits()),
                json::Number::Word(word) => Scalar::Text(Cow::Borrowed(word)),
            },
            Data::Str(s) => Scalar::Text(Cow::Borrowed(s)),
            Data::Time(t) => Scalar::Text(Cow::Owned(t.rfc3339())),
            Data::Unknown(u) => Scalar::Unknown(u.meaning()),
            Data::List(_) | Data::Map(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Read, Unknown};
    use std::sync::Arc;

    #[test]
    fn printed_equality() {
        let equal = [
            (Data::Int(1), Data::Float(1.0)),
            (Data::Uint(10_000_000_000_000_000_000), Data::Float(1e19)),
            (Data::Float(f64::NAN), Data::Str(".nan".into())),
        ];
        for (a, b) in equal {
            let (a, b) = (Value::new(a), Value::new(b));
            assert!(same(&a, &b), "{a:?} {b:?}");
            assert_eq!(digest(&a), digest(&b));
        }
        let different = [
            (Data::Int(1), Data::Bool(true)),
            (Data::Null, Data::Str("null".into())),
            (Data::Int(1), Data::Str("1".into())),
            (Data::Float(0.1), Data::Float(0.2)),
            (Data::List(Arc::default()), Data::Map(Arc::default())),
            (Data::Unknown(Arc::new(Unknown::new("x", ""))), Data::Str("x".into())),
        ];
        for (a, b) in different {
            assert!(!same(&Value::new(a), &Value::new(b)));
        }
    }

    #[test]
    fn what_is_assumed_does_not_hide_what_is_written() {
        let unknown = |text: &str, assumed: &str| {
            let assumed = Some(Box::new(Value::str(assumed)));
            Value::new(Data::Unknown(Arc::new(Unknown { assumed, ..Unknown::new(text, "") })))
        };
        assert!(same(&unknown("{{ env `A` }}", ""), &unknown("{{ env `A` }}", "")));
        assert!(!same(&unknown("{{ env `A` }}", ""), &unknown("{{ env `B` }}", "")));
        assert!(!same(&unknown("{{ env `A` | default .x }}", "1"), &unknown("{{ env `A` | default .x }}", "2")));
        assert!(!same(&unknown("{{ env `A` }}", "x"), &Value::str("x")));
        let reading = |content: &str| {
            let mut unknown = Unknown::new("{{ file.Read `f` }}", "");
            unknown.add_reads([Read { name: "f".into(), content: Some(content.into()) }]);
            Value::new(Data::Unknown(Arc::new(unknown)))
        };
        assert!(same(&reading("1"), &reading("1")) && !same(&reading("1"), &reading("2")));
        assert_eq!(digest(&reading("1")), digest(&reading("1")));
    }
}
