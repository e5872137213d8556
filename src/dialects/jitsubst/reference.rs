//! The grammar of references (`reference: jitsubst.md` section 2): `${` + anything except `}` + `}`, verbatim. There is
//! no escape and no nesting.

use crate::value::{Data, Value};
use std::collections::HashMap;

/// A reference in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    /// The offset of its `$`.
    pub start: usize,
    /// One past its `}`.
    pub end: usize,
    /// The text between the braces.
    pub body: &'a str,
}

/// The target of a reference's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body<'a> {
    /// Nothing: `${}`.
    Empty,
    /// A module or a field without a name: `${.x}`, `${x.}`.
    HalfEmpty,
    /// A field of a module; it may hold dots itself.
    Module {
        /// The text before the first dot.
        module: &'a str,
        /// The text after it.
        field: &'a str,
    },
    /// An environment variable.
    Variable(&'a str),
}

impl<'a> Body<'a> {
    /// Parses a body.
    pub(crate) fn of(body: &'a str) -> Self {
        match body.split_once('.') {
            _ if body.is_empty() => Body::Empty,
            None => Body::Variable(body),
            Some(("", _) | (_, "")) => Body::HalfEmpty,
            Some((module, field)) => Body::Module { module, field },
        }
    }
}

/// The references of a text, from left to right.
pub(crate) fn references(text: &str) -> impl Iterator<Item = Reference<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find("${")?;
        let end = start + text[start..].find('}')? + 1;
        from = end;
        Some(Reference { start, end, body: &text[start + 2..end - 1] })
    })
}

/// The numbers of equal references of one text.
#[derive(Debug, Default)]
pub(crate) struct Seen<'a>(HashMap<&'a str, usize>);

impl<'a> Seen<'a> {
    /// Adds the next reference of the text, and returns the number of equal ones before it.
    pub(crate) fn add(&mut self, written: &'a str) -> usize {
        let count = self.0.entry(written).or_default();
        *count += 1;
        *count - 1
    }
}

/// Whether a string in a value (map keys do not count) has a reference to a module: then a plan needs substitution when it
/// is applied, and cannot be saved.
pub(crate) fn has_module_references(value: &Value) -> bool {
    match &value.data {
        Data::Str(text) => has_module_reference(text),
        Data::Unknown(unknown) => has_module_reference(&unknown.text),
        Data::List(items) => items.iter().any(has_module_references),
        Data::Map(map) => !map.is_mixed() && map.iter().any(|e| has_module_references(&e.value)),
        _ => false,
    }
}

fn has_module_reference(text: &str) -> bool {
    // Unlike in `references`, a later `${` inside of an invalid body is also considered.
    text.split_inclusive('}').filter_map(|part| part.strip_suffix('}')).any(|part| {
        // A dot has a field after it, unless it is the last sign. Its module is all between it and a `${` before it.
        let mut names = part.strip_suffix('.').unwrap_or(part).split('.');
        names.next_back();
        names.any(|before| before.find("${").is_some_and(|at| at + 2 < before.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Map;

    fn bodies(text: &str) -> Vec<&str> {
        references(text).map(|r| r.body).collect()
    }

    #[test]
    fn references_are_verbatim() {
        for (text, expected) in [
            ("", vec![]),
            ("$A ${B} ${C", vec!["B"]),
            ("${ A }${}${a/b-c}", vec![" A ", "", "a/b-c"]),
            ("$${A}", vec!["A"]),
            ("${${A}}", vec!["${A"]),
            ("${a\nb}", vec!["a\nb"]),
            ("é${ü}", vec!["ü"]),
        ] {
            assert_eq!(bodies(text), expected, "{text}");
        }
        let one = references("x${A}y").next();
        assert_eq!(one, Some(Reference { start: 1, end: 5, body: "A" }));
    }

    #[test]
    fn bodies_are_split_at_the_first_dot() {
        for (body, expected) in [
            ("", Body::Empty),
            (".", Body::HalfEmpty),
            (".x", Body::HalfEmpty),
            ("x.", Body::HalfEmpty),
            ("A", Body::Variable("A")),
            ("a.b.c", Body::Module { module: "a", field: "b.c" }),
            ("a..b", Body::Module { module: "a", field: ".b" }),
            ("a.b.", Body::Module { module: "a", field: "b." }),
        ] {
            assert_eq!(Body::of(body), expected, "{body}");
        }
    }

    #[test]
    fn module_references_anywhere_but_in_keys() {
        let text = |t: &str| Value::str(t);
        let map = |k: &str, v: Value| Value::map(Map::from_iter([(k.into(), v)]));
        for (value, expected) in [
            (text("${a.b}"), true),
            (text("${a.b.c}"), true),
            (text("${a..b}"), true),
            (text("postgres://${USER}@${pg.host}/x"), true),
            (text("${.x${a.b}"), true),
            (text("${A}"), false),
            (text("${.}"), false),
            (text("${.x}"), false),
            (text("${x.}"), false),
            (text("${a.b"), false),
            (text(""), false),
            (Value::default(), false),
            (map("${a.b}", text("x")), false),
            (map("args", Value::list(vec![text("--net=${vpc.id}")])), true),
            (map("port", Value::new(Data::Int(1))), false),
        ] {
            assert_eq!(has_module_references(&value), expected, "{value:?}");
        }
    }
}
