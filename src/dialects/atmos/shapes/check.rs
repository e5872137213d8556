//! Validates a manifest against its description. Every cause is one finding, at the innermost wrong place.

use super::shape::{Condition, Group, Key, List, Map, Range, Rest, Shape};
use crate::value::{self, Data, Value};
use std::fmt::Write as _;

/// Something that does not suit the description.
#[derive(Debug)]
pub(crate) struct Violation<'v> {
    /// The way to `value`, as in `components.terraform.vpc.vars` or `import[0]`; empty for the whole.
    pub path: String,
    /// The value at fault.
    pub value: &'v Value,
    /// The problem.
    pub wrong: Wrong<'v>,
}

/// The problem of a value.
#[derive(Debug)]
pub(crate) enum Wrong<'v> {
    /// It is of another kind than these.
    Kind(Vec<&'static str>),
    /// It is none of these words.
    Word(&'static [&'static str]),
    /// It begins with `!include` where that is rejected.
    Call,
    /// It is outside of the range.
    Range(&'static Range),
    /// It is an empty list, and there must be an item.
    Empty,
    /// It is there already, in the same list.
    Repeated(&'v Value),
    /// Its key is not allowed in its map.
    Key(&'v str, &'static Map),
    /// Its name is not allowed.
    Name(&'v str, &'static str),
    /// It lacks a key.
    Lacks(&'static str),
    /// It must have exactly one of these keys and has others.
    ExactlyOne(&'static [&'static str], usize),
    /// It has all keys of none of these groups.
    OneGroup(&'static [Group]),
    /// It must have this word under this key, because of the value of another key.
    Demands(&'static str, &'static str, &'static str),
    /// Its key has no meaning, but resembles one that has.
    Typo(&'v str, &'static str),
    /// Its key is replaced by another one.
    Deprecated(&'v str, &'static str),
}

/// All that does not suit.
pub(crate) fn check<'v>(shape: &'static Shape, value: &'v Value) -> Vec<Violation<'v>> {
    let mut run = ShapeCheck { path: String::new(), found: Vec::new() };
    run.shape(shape, value);
    run.found
}

/// The kinds of values that a shape takes, as people call them.
pub(crate) fn kinds(shape: &'static Shape) -> Vec<&'static str> {
    match shape {
        Shape::Any => Vec::new(),
        Shape::Text | Shape::OwnText | Shape::Call | Shape::Words(_) | Shape::AnyCase(_) => vec!["string"],
        Shape::Flag => vec!["boolean"],
        Shape::Number(_) => vec!["number"],
        Shape::List(_) => vec!["list"],
        Shape::Map(_) => vec!["map"],
        Shape::Included(inner) | Shape::Named(_, inner) => kinds(inner),
        Shape::Either(all) => {
            let mut out: Vec<&'static str> = Vec::new();
            for kind in all.iter().flat_map(|s| kinds(s)) {
                if !out.contains(&kind) {
                    out.push(kind);
                }
            }
            out
        }
    }
}

/// Whether a shape takes values of a kind; one that takes all names none.
fn takes(shape: &'static Shape, kind: &str) -> bool {
    match shape {
        Shape::Any => false,
        Shape::Text | Shape::OwnText | Shape::Call | Shape::Words(_) | Shape::AnyCase(_) => kind == "string",
        Shape::Flag => kind == "boolean",
        Shape::Number(_) => kind == "number",
        Shape::List(_) => kind == "list",
        Shape::Map(_) => kind == "map",
        Shape::Included(inner) | Shape::Named(_, inner) => takes(inner, kind),
        Shape::Either(all) => all.iter().any(|s| takes(s, kind)),
    }
}

/// The kind of a value; Atmos holds manifests against the schema as JSON, where a date is text.
fn kind(value: &Value) -> &'static str {
    match value.data {
        Data::Time(_) => "string",
        _ => value.kind(),
    }
}

/// Whether text is a call of `!include` that was quoted.
fn is_call(value: &Value) -> bool {
    value.as_str().is_some_and(|s| s.starts_with("!include"))
}

struct ShapeCheck<'v> {
    path: String,
    found: Vec<Violation<'v>>,
}

impl<'v> ShapeCheck<'v> {
    fn wrong(&mut self, value: &'v Value, wrong: Wrong<'v>) {
        self.found.push(Violation { path: self.path.clone(), value, wrong });
    }

    /// Examines a value one step further in.
    fn inside(&mut self, key: &str, f: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(key);
        f(self);
        self.path.truncate(length);
    }

    fn shape(&mut self, shape: &'static Shape, value: &'v Value) {
        if matches!(value.data, Data::Unknown(_)) {
            return;
        }
        match shape {
            Shape::Any => {}
            Shape::Named(_, inner) => self.shape(inner, value),
            Shape::Included(_) if is_call(value) => {}
            Shape::Included(inner) => self.shape(inner, value),
            Shape::Either(all) => match all.iter().find(|s| takes(s, kind(value))) {
                Some(fitting) => self.shape(fitting, value),
                None => self.wrong(value, Wrong::Kind(kinds(shape))),
            },
            _ if !takes(shape, kind(value)) => self.wrong(value, Wrong::Kind(kinds(shape))),
            Shape::Text | Shape::Flag => {}
            Shape::OwnText if is_call(value) => self.wrong(value, Wrong::Call),
            Shape::OwnText => {}
            Shape::Call if is_call(value) => {}
            Shape::Call => self.wrong(value, Wrong::Kind(vec!["map"])),
            Shape::Words(words) => {
                if !value.as_str().is_some_and(|s| words.contains(&s)) {
                    self.wrong(value, Wrong::Word(words));
                }
            }
            Shape::AnyCase(words) => {
                let is_word = |text: &str| text.is_empty() || words.iter().any(|word| word.eq_ignore_ascii_case(text));
                if !value.as_str().is_some_and(is_word) {
                    self.wrong(value, Wrong::Word(words));
                }
            }
            Shape::Number(range) => {
                if !within(range, value) {
                    self.wrong(value, Wrong::Range(range));
                }
            }
            Shape::List(list) => self.list(list, value),
            Shape::Map(map) => self.map(map, value),
        }
    }

    fn list(&mut self, list: &'static List, value: &'v Value) {
        let Some(items) = value.as_list() else { return };
        if list.filled && items.is_empty() {
            self.wrong(value, Wrong::Empty);
        }
        for (i, item) in items.iter().enumerate() {
            let length = self.path.len();
            let _ = write!(self.path, "[{i}]");
            let before = self.found.len();
            self.shape(list.item, item);
            let unknown = matches!(item.data, Data::Unknown(_));
            let first = items[..i].iter().find(|other| list.unique && !unknown && *other == item);
            if let Some(first) = first.filter(|_| self.found.len() == before) {
                self.wrong(item, Wrong::Repeated(first));
            }
            self.path.truncate(length);
        }
    }

    fn map(&mut self, shape: &'static Map, value: &'v Value) {
        let Some(map) = value.as_map() else { return };
        for value::Entry { key, value } in map.iter() {
            let known = shape.keys.iter().find(|k| k.name == &**key);
            match (known, &shape.rest) {
                (Some(Key { shape: inner, replacement, .. }), _) => {
                    self.inside(key, |run| {
                        if let Some(replacement) = replacement {
                            run.wrong(value, Wrong::Deprecated(key, replacement));
                        }
                        run.shape(inner, value);
                    });
                }
                (None, Rest::Free) => {}
                (None, Rest::Ignored) => {
                    if let Some(near) = near(key, shape) {
                        self.inside(key, |run| run.wrong(value, Wrong::Typo(key, near)));
                    }
                }
                (None, Rest::Closed) => self.inside(key, |run| run.wrong(value, Wrong::Key(key, shape))),
                (None, Rest::Each(inner)) => self.inside(key, |run| run.shape(inner, value)),
                (None, Rest::Entries(names, inner)) => self.inside(key, |run| match names.allow(key) {
                    true => run.shape(inner, value),
                    false => run.wrong(value, Wrong::Name(key, names.signs.unwrap_or_default())),
                }),
            }
        }
        for condition in shape.conditions {
            if let Some(wrong) = violation(condition, map) {
                self.wrong(value, wrong);
            }
        }
    }
}

/// The key with a meaning that a key nearly is.
pub(crate) fn near(key: &str, shape: &'static Map) -> Option<&'static str> {
    if !key.starts_with(|c: char| c.is_ascii_alphabetic()) || key.starts_with("x-") {
        return None;
    }
    crate::text::nearest(key, shape.keys.iter().map(|k| k.name))
}

fn violation<'v>(condition: &'static Condition, map: &value::Map) -> Option<Wrong<'v>> {
    match condition {
        Condition::Needs(key) => (!map.has(key)).then_some(Wrong::Lacks(key)),
        Condition::ExactlyOne(keys) => {
            let count = keys.iter().filter(|k| map.has(k)).count();
            (count != 1).then_some(Wrong::ExactlyOne(keys, count))
        }
        Condition::OneGroup(groups) => {
            let fits = |(key, words): &(&str, &[&str])| {
                map.get(key).is_some_and(|v| {
                    let unknown = matches!(v.data, Data::Unknown(_));
                    words.is_empty() || unknown || v.as_str().is_some_and(|s| words.contains(&s))
                })
            };
            (!groups.iter().any(|g| g.iter().all(fits))).then_some(Wrong::OneGroup(groups))
        }
        Condition::MapDemands(key, other, word) => {
            let applies = map.get(key).is_some_and(|v| v.as_map().is_some());
            let found = map.get(other);
            let met = found.is_some_and(|v| v.as_str() == Some(word) || matches!(v.data, Data::Unknown(_)));
            (applies && !met).then_some(Wrong::Demands(key, other, word))
        }
    }
}

fn within(range: &Range, value: &Value) -> bool {
    let number = match value.data {
        Data::Int(i) => i as f64,
        Data::Uint(u) => u as f64,
        Data::Float(f) => f,
        _ => return false,
    };
    let bound = |b: Option<i64>| b.map(|b| b as f64);
    (!range.whole || number.fract() == 0.0)
        && bound(range.min).is_none_or(|b| number >= b)
        && bound(range.max).is_none_or(|b| number <= b)
        && bound(range.above).is_none_or(|b| number > b)
}
