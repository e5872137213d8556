//! Equality and order, with values that are not known: two values differ as soon as something known in them does.

use super::outcome::{Failure, Outcome, Steps};
use super::value::{Blank, Val};
use cel::common::ast::operators;
use std::cmp::Ordering;

/// Whether two values are equal, if that is known.
pub(super) type Equal<'a> = Result<bool, Blank<'a>>;

/// Whether two values are equal.
pub(super) fn equal<'a>(a: &Val<'a>, b: &Val<'a>, steps: &mut Steps) -> Result<Equal<'a>, Failure> {
    steps.take(1)?;
    Ok(match (a, b) {
        (Val::Unknown(blank) | Val::Perhaps(_, blank), _) | (_, Val::Unknown(blank) | Val::Perhaps(_, blank)) => {
            Err(blank.clone())
        }
        (Val::Null, Val::Null) => Ok(true),
        (Val::Bool(a), Val::Bool(b)) => Ok(a == b),
        (Val::Type(a), Val::Type(b)) => Ok(a == b),
        (Val::Component(a), Val::Component(b)) => Ok(std::ptr::eq(*a, *b)),
        (Val::Int(a), Val::Int(b)) => Ok(a == b),
        (Val::Uint(a), Val::Uint(b)) => Ok(a == b),
        (Val::Int(a), Val::Uint(b)) | (Val::Uint(b), Val::Int(a)) => Ok(u64::try_from(*a).is_ok_and(|a| a == *b)),
        _ => match (a.as_str(), b.as_str(), a.number(), b.number()) {
            (Some(a), Some(b), ..) => {
                steps.take_bytes(a.len().min(b.len()))?;
                Ok(a == b)
            }
            (_, _, Some(a), Some(b)) => Ok(a == b),
            _ => return containers(a, b, steps),
        },
    })
}

fn containers<'a>(a: &Val<'a>, b: &Val<'a>, steps: &mut Steps) -> Result<Equal<'a>, Failure> {
    if a.type_name() != b.type_name() || a.len() != b.len() {
        // A collection that may have further entries may be as long as the other.
        let open = a.open().or_else(|| b.open()).filter(|_| a.type_name() == b.type_name());
        return Ok(open.map_or(Ok(false), Err));
    }
    // What may not be there moves what follows.
    let moved = a.open().or_else(|| b.open()).filter(|_| a.type_name() == "list");
    if let Some(blank) = moved {
        return Ok(Err(blank));
    }
    let (pairs, mut unknown) = match (a.items(), b.items(), a.entries()) {
        (Some(a), Some(b), _) => (a.into_iter().zip(b).collect::<Vec<_>>(), None),
        (.., Some(entries)) => {
            let mut pairs = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                match lookup(b, &key, steps)? {
                    Found::Value(other) => pairs.push((value, other)),
                    Found::Missing => return Ok(Ok(false)),
                    Found::Unknown(blank) => return Ok(Err(blank)),
                }
            }
            (pairs, a.open().or_else(|| b.open()))
        }
        _ => return Ok(Ok(false)),
    };
    for (a, b) in pairs {
        match equal(&a, &b, steps)? {
            Ok(true) => {}
            Ok(false) => return Ok(Ok(false)),
            Err(blank) => drop(unknown.get_or_insert(blank)),
        }
    }
    Ok(unknown.map_or(Ok(true), Err))
}

/// The entry of a map for a key.
pub(super) enum Found<'a> {
    Value(Val<'a>),
    /// Nothing.
    Missing,
    Unknown(Blank<'a>),
}

impl<'a> Found<'a> {
    /// What a key that is written stands for: it may be nothing.
    pub(super) fn entry(value: Val<'a>) -> Self {
        match value {
            Val::Unknown(blank) if blank.may_be_absent() => Found::Unknown(blank),
            value => Found::Value(value),
        }
    }
}

/// Looks up a key of a map.
pub(super) fn lookup<'a>(map: &Val<'a>, key: &Val<'a>, steps: &mut Steps) -> Result<Found<'a>, Failure> {
    steps.take(1)?;
    match map {
        Val::Map(entries) => {
            let mut unknown = None;
            for (k, v) in entries.iter() {
                match equal(k, key, steps)? {
                    Ok(true) => return Ok(Found::Value(v.clone())),
                    Ok(false) => {}
                    Err(blank) => unknown = Some(blank),
                }
            }
            Ok(unknown.map_or(Found::Missing, Found::Unknown))
        }
        Val::Node(node) => {
            let found = node.value.as_map().zip(key.as_str()).and_then(|(map, key)| node.key(map, key));
            Ok(match found {
                Some(value) => Found::entry(value),
                None if node.is_open() => Found::Unknown(node.blank()),
                None => Found::Missing,
            })
        }
        Val::Unknown(blank) => Ok(Found::Unknown(blank.clone())),
        _ => Ok(Found::Missing),
    }
}

/// Returns the order of two known values of the same kind; `None` if they have none.
pub(super) fn order(a: &Val<'_>, b: &Val<'_>) -> Option<Ordering> {
    match (a, b) {
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
        (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
        (Val::Uint(a), Val::Uint(b)) => Some(a.cmp(b)),
        (Val::Int(a), Val::Uint(b)) => Some(u64::try_from(*a).map_or(Ordering::Less, |a| a.cmp(b))),
        (Val::Uint(a), Val::Int(b)) => Some(u64::try_from(*b).map_or(Ordering::Greater, |b| a.cmp(&b))),
        _ => match (a.as_str(), b.as_str()) {
            (Some(a), Some(b)) => Some(a.cmp(b)),
            _ => a.number()?.partial_cmp(&b.number()?),
        },
    }
}

/// Compares two values by an operator.
pub(super) fn compare<'a>(name: &str, a: &Val<'a>, b: &Val<'a>) -> Outcome<'a> {
    let order = match order(a, b) {
        Some(order) => order,
        // Not a number: nothing is above or below it.
        None if a.number().is_some() && b.number().is_some() => return Ok(Val::Bool(false)),
        None => {
            let (a, b) = (a.type_name(), b.type_name());
            return Err(Failure::Wrong(format!("{a} cannot be compared with {b}")));
        }
    };
    Ok(Val::Bool(match name {
        operators::LESS => order.is_lt(),
        operators::LESS_EQUALS => order.is_le(),
        operators::GREATER => order.is_gt(),
        _ => order.is_ge(),
    }))
}
