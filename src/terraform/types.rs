//! Type constraints of variables, and whether a value can be converted to one, as Terraform converts values.
//!
//! Unknown values match every type: a mismatch is reported only if the conversion must fail.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Call, Expr, ExprKind};
use crate::hcl::parse::parse_expression;
use crate::value::{Data, Prov, Value};
use std::fmt;

/// Types nested deeper than this are treated as any type.
const MAX_DEPTH: usize = 32;
/// Mismatches of one value that are reported.
const MAX_FOUND: usize = 20;

/// A type constraint.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Type {
    /// Anything, or what cannot be understood.
    #[default]
    Any,
    String,
    Number,
    Bool,
    /// `list(T)`.
    List(Box<Type>),
    /// `set(T)`.
    Set(Box<Type>),
    /// `map(T)`.
    Map(Box<Type>),
    /// `tuple([A, B])`.
    Tuple(Vec<Type>),
    /// `object({a = A, b = optional(B)})`, in the order of the text.
    Object(Vec<Attribute>),
}

/// An attribute of an object type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Attribute {
    pub name: String,
    pub ty: Type,
    /// Whether it may be omitted.
    pub is_optional: bool,
}

/// Why a value cannot be converted.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    /// Where inside of the value: keys and indexes, outermost first.
    pub path: Vec<String>,
    /// The reason: "a string is not a list of string".
    pub reason: String,
    /// The place of the part that is wrong.
    pub prov: Prov,
}

impl Type {
    /// Parses a type expression. Invalid and unsupported types are [`Type::Any`].
    pub(super) fn parse(expression: &Expr) -> Type {
        parse(expression, 0)
    }

    /// Reads the text of a type; `None` if it is not an expression, or holds what is not a type.
    pub(crate) fn of_text(text: &str) -> Option<Type> {
        let expression = parse_expression(text).ok()?;
        let ty = parse(&expression, 0);
        (ty != Type::Any || text.trim() == "any").then_some(ty)
    }

    /// Whether every value of another type is also accepted by this one, possibly after conversion. Conversions that
    /// succeed only for some values (strings that are numbers) do not count.
    pub(crate) fn takes_all_of(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Any, _) | (Type::String, Type::String | Type::Number | Type::Bool) => true,
            (Type::Number, Type::Number) | (Type::Bool, Type::Bool) => true,
            (Type::List(a) | Type::Set(a), Type::List(b) | Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
                a.takes_all_of(b)
            }
            (Type::List(a) | Type::Set(a), Type::Tuple(items)) => items.iter().all(|item| a.takes_all_of(item)),
            (Type::Map(a), Type::Object(attributes)) => attributes.iter().all(|b| a.takes_all_of(&b.ty)),
            (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.takes_all_of(b)),
            (Type::Object(a), Type::Object(b)) => a.iter().all(|new| match b.iter().find(|old| old.name == new.name) {
                Some(old) => new.ty.takes_all_of(&old.ty) && (new.is_optional || !old.is_optional),
                None => new.is_optional,
            }),
            (Type::Object(a), Type::Map(b)) => a.iter().all(|new| new.is_optional && new.ty.takes_all_of(b)),
            _ => false,
        }
    }

    /// Whether a simple value is of this very type, as nearly all of them are.
    fn is_exactly(&self, value: &Value) -> bool {
        match self {
            Type::String => matches!(value.data, Data::Str(_)),
            Type::Number => matches!(value.data, Data::Int(_) | Data::Float(_)),
            Type::Bool => matches!(value.data, Data::Bool(_)),
            _ => false,
        }
    }

    /// Whether a value that comes as text, JSON of what is not text, can be of this type although the value itself is not.
    pub(crate) fn takes_text(&self, value: &Value) -> bool {
        match (self, &value.data) {
            (Type::String, Data::List(_) | Data::Map(_)) => true,
            (Type::String | Type::Number | Type::Bool, _) => false,
            (_, Data::Str(text)) => text.trim_start().starts_with(['[', '{']),
            _ => false,
        }
    }

    /// Why a value cannot be converted to this type, by the parts that cannot; empty if it can, or if that is not known.
    pub(crate) fn mismatches(&self, value: &Value) -> Vec<Mismatch> {
        let mut found = Vec::new();
        if !self.is_exactly(value) {
            check(self, value, &mut Vec::new(), &mut found);
        }
        found
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("any"),
            Type::String => f.write_str("string"),
            Type::Number => f.write_str("number"),
            Type::Bool => f.write_str("bool"),
            Type::List(t) => write!(f, "list({t})"),
            Type::Set(t) => write!(f, "set({t})"),
            Type::Map(t) => write!(f, "map({t})"),
            Type::Tuple(_) => f.write_str("tuple"),
            Type::Object(_) => f.write_str("object"),
        }
    }
}

fn parse(expression: &Expr, depth: usize) -> Type {
    if depth > MAX_DEPTH {
        return Type::Any;
    }
    if let Some(name) = walk::keyword(expression) {
        return keyword(name);
    }
    match &expression.kind {
        ExprKind::Paren(inner) => parse(inner, depth + 1),
        ExprKind::Call(call) => constructor(call, depth),
        // The notation before Terraform 0.12.
        _ => match walk::constant_text(expression) {
            Some("list") => Type::List(Box::new(Type::Any)),
            Some("map") => Type::Map(Box::new(Type::Any)),
            Some("string") => Type::String,
            _ => Type::Any,
        },
    }
}

fn keyword(name: &str) -> Type {
    match name {
        "string" => Type::String,
        "number" => Type::Number,
        "bool" => Type::Bool,
        "list" => Type::List(Box::new(Type::Any)),
        "set" => Type::Set(Box::new(Type::Any)),
        "map" => Type::Map(Box::new(Type::Any)),
        _ => Type::Any,
    }
}

fn constructor(call: &Call, depth: usize) -> Type {
    let Some(first) = call.arguments.first() else { return Type::Any };
    let inner = || Box::new(parse(first, depth + 1));
    match (&*call.name.text, &first.kind) {
        ("list", _) => Type::List(inner()),
        ("set", _) => Type::Set(inner()),
        ("map", _) => Type::Map(inner()),
        ("optional", _) => *inner(),
        ("tuple", ExprKind::Tuple(items)) => Type::Tuple(items.iter().map(|i| parse(i, depth + 1)).collect()),
        ("object", ExprKind::Object(entries)) => {
            let mut attributes = Vec::new();
            for (key, value) in entries {
                let Some(name) = walk::name(key) else { return Type::Any };
                let is_optional = matches!(&value.kind, ExprKind::Call(c) if *c.name.text == *"optional");
                attributes.push(Attribute { name: name.to_owned(), ty: parse(value, depth + 1), is_optional });
            }
            Type::Object(attributes)
        }
        _ => Type::Any,
    }
}

/// Text that templates or functions may still change.
fn is_open(text: &str) -> bool {
    // Most text contains none of these characters, which is faster to check.
    let has = |byte: u8| text.as_bytes().contains(&byte);
    has(b'{') && text.contains("{{") || has(b'<') && text.contains("<no value>")
}

/// A step into a value.
#[derive(Clone, Copy)]
enum PathStep<'a> {
    Key(&'a str),
    Index(usize),
}

fn check<'a>(ty: &'a Type, value: &'a Value, path: &mut Vec<PathStep<'a>>, found: &mut Vec<Mismatch>) {
    if found.len() >= MAX_FOUND {
        return;
    }
    let mut wrong = |reason: String| {
        let step = |step: &PathStep<'_>| match step {
            PathStep::Key(key) => (*key).to_owned(),
            PathStep::Index(i) => i.to_string(),
        };
        found.push(Mismatch { path: path.iter().map(step).collect(), reason, prov: value.prov.clone() });
    };
    match (&value.data, ty) {
        (_, Type::Any) | (Data::Unknown(_) | Data::Null | Data::Time(_), _) => {}
        (Data::Str(text), _) if is_open(text) => {}
        (Data::Str(_) | Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_), Type::String) => {}
        (Data::Int(_) | Data::Uint(_) | Data::Float(_), Type::Number) | (Data::Bool(_), Type::Bool) => {}
        (Data::Str(text), Type::Number) if is_number(text) => {}
        (Data::Str(text), Type::Bool) if matches!(&**text, "true" | "false" | "1" | "0") => {}
        (Data::Str(text), Type::Number | Type::Bool) => {
            wrong(format!("the string `{}` is not {}", shortened(text), noun(ty)));
        }
        (Data::List(items), Type::List(inner) | Type::Set(inner)) => {
            for (i, item) in items.iter().enumerate() {
                inside(inner, item, PathStep::Index(i), path, found);
            }
        }
        (Data::List(items), Type::Tuple(types)) if items.len() == types.len() => {
            for (i, (ty, item)) in types.iter().zip(items.iter()).enumerate() {
                inside(ty, item, PathStep::Index(i), path, found);
            }
        }
        (Data::List(items), Type::Tuple(_)) => wrong(format!("a list of {} is not {}", items.len(), noun(ty))),
        (Data::Map(map), Type::Map(inner)) => {
            for entry in map.iter() {
                inside(inner, &entry.value, PathStep::Key(&entry.key), path, found);
            }
        }
        (Data::Map(map), Type::Object(attributes)) => {
            for attribute in attributes.iter().filter(|a| !a.is_optional && !map.has(&a.name)) {
                wrong(format!("the attribute `{}` is missing", attribute.name));
            }
            for attribute in attributes {
                if let Some(value) = map.get(&attribute.name) {
                    inside(&attribute.ty, value, PathStep::Key(&attribute.name), path, found);
                }
            }
        }
        _ => wrong(format!("a {} is not {}", value.kind(), noun(ty))),
    }
}

fn inside<'a>(
    ty: &'a Type,
    value: &'a Value,
    step: PathStep<'a>,
    path: &mut Vec<PathStep<'a>>,
    found: &mut Vec<Mismatch>,
) {
    path.push(step);
    check(ty, value, path, found);
    path.pop();
}

fn noun(ty: &Type) -> String {
    match ty {
        Type::String | Type::Number | Type::Bool | Type::Any => format!("a {ty}"),
        Type::Tuple(types) => format!("a list of {}", types.len()),
        Type::Object(_) => "an object".to_owned(),
        _ => format!("a `{ty}`"),
    }
}

/// Whether Terraform reads the text as a number: decimal digits with a fraction and an exponent.
fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'e' | b'E'))
        && text.parse::<f64>().is_ok()
}

fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Map;

    fn value_of(json: &serde_json::Value) -> Value {
        use serde_json::Value as Json;
        match json {
            Json::Null => Value::default(),
            Json::Bool(b) => Value::new(Data::Bool(*b)),
            Json::Number(n) => Value::new(Data::Int(n.as_i64().expect("a whole number"))),
            Json::String(s) => Value::str(s.as_str()),
            Json::Array(items) => Value::list(items.iter().map(value_of).collect()),
            Json::Object(map) => Value::map(map.iter().map(|(k, v)| (k.as_str().into(), value_of(v))).collect::<Map>()),
        }
    }

    fn ty(text: &str) -> Type {
        Type::parse(&crate::hcl::parse::parse_expression(text).expect("an expression"))
    }

    fn said(of: &str, value: serde_json::Value) -> Option<String> {
        let found = ty(of).mismatches(&value_of(&value));
        let all: Vec<String> = found.iter().map(|m| format!("{}: {}", m.path.join("."), m.reason)).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    #[test]
    fn types_are_read() {
        for text in ["string", "list(string)", "set(map(number))", "map(any)", "any"] {
            assert_eq!(ty(text).to_string(), text);
        }
        assert_eq!(ty("\"list\""), Type::List(Box::new(Type::Any)));
        assert_eq!(ty("map"), Type::Map(Box::new(Type::Any)));
        assert_eq!(ty("tuple([string, bool])"), Type::Tuple(vec![Type::String, Type::Bool]));
        let attribute = |name: &str, ty, is_optional| Attribute { name: name.to_owned(), ty, is_optional };
        assert_eq!(
            ty("object({\n a = string\n \"b\" = optional(number, 3), c = optional(list(string))\n})"),
            Type::Object(vec![
                attribute("a", Type::String, false),
                attribute("b", Type::Number, true),
                attribute("c", Type::List(Box::new(Type::String)), true)
            ])
        );
        for unknown in ["nothing", "list()", "object(x)", "1 + 2", "object({(x) = string})"] {
            assert!(matches!(ty(unknown), Type::Any), "{unknown}");
        }
    }

    #[test]
    fn values_are_converted_as_terraform_does() {
        use serde_json::json;
        for (of, value) in [
            ("string", json!(5)),
            ("string", json!(true)),
            ("number", json!("1.5e3")),
            ("bool", json!("true")),
            ("list(string)", json!(["a", 1, null])),
            ("set(number)", json!(["1"])),
            ("map(string)", json!({"a": 1})),
            ("object({a = string, b = optional(string)})", json!({"a": "x", "more": 1})),
            ("tuple([string, number])", json!(["a", 1])),
            ("number", json!("{{ .vars.size }}")),
            ("list(string)", json!("<no value>")),
            ("list(object({a = any}))", json!([{"a": {}}])),
            ("string", json!(null)),
        ] {
            assert_eq!(said(of, value.clone()), None, "{value} for {of}");
        }
        for (of, value, want) in [
            ("string", json!([]), ": a list is not a string"),
            ("string", json!({}), ": a map is not a string"),
            ("number", json!("five"), ": the string `five` is not a number"),
            ("number", json!(true), ": a boolean is not a number"),
            ("bool", json!("yes"), ": the string `yes` is not a bool"),
            ("bool", json!(1), ": a number is not a bool"),
            ("list(string)", json!("x"), ": a string is not a `list(string)`"),
            ("list(string)", json!({"a": 1}), ": a map is not a `list(string)`"),
            ("map(string)", json!(["a"]), ": a list is not a `map(string)`"),
            ("map(list(number))", json!({"a": [1, "x"]}), "a.1: the string `x` is not a number"),
            ("object({a = object({b = string})})", json!({"a": {}}), "a: the attribute `b` is missing"),
            ("object({a = string})", json!([]), ": a list is not an object"),
            ("tuple([string])", json!(["a", "b"]), ": a list of 2 is not a list of 1"),
            (
                "list(number)",
                json!(["a", 1, "b"]),
                "0: the string `a` is not a number; 2: the string `b` is not a number",
            ),
            (
                "map(object({a = string, b = bool}))",
                json!({"x": {"b": "no"}, "y": {"a": 1}}),
                "x: the attribute `a` is missing; x.b: the string `no` is not a bool; y: the attribute `b` is missing",
            ),
        ] {
            assert_eq!(said(of, value.clone()).as_deref(), Some(want), "{value} for {of}");
        }
    }
}
