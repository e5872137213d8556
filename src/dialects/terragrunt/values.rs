//! Values of the language as values of a resolution, with what unknown ones are made of.

use crate::hcl::ast::{Call, Expr, ExprKind, Span, walk};
use crate::hcl::val::Val;
use crate::hcl::val::export::export;
use crate::text::Text;
use crate::value::{Data, Entry, FileId, Flags, Key, Map, Origin, Prov, Read, Unknown, Value};
use std::cell::LazyCell;
use std::collections::HashMap;
use std::sync::Arc;

/// The key of the object that an unknown value is printed as.
const UNKNOWN: &str = "$unknown";
/// The bytes of a text that is repeated for each unknown part of its value, at most.
const MAX_REPEATED: usize = 1_000;

/// What an expression is made of: its text in the file, and what it reads.
pub(super) trait Origins {
    /// The file of the expression.
    fn file(&self) -> FileId;

    /// The text of an expression.
    fn text(&self, expr: &Expr) -> Text;

    /// What it reads of the repository, besides its text, and where that is written.
    fn reads(&self, expr: &Expr) -> (Vec<Read>, Vec<Prov>);

    /// The value that the expression stands for, where it is nothing but a name, or reads a file of configuration: its own unknown
    /// parts are those of that.
    fn referred(&self, expr: &Expr) -> Option<Value>;

    /// The value of an expression by itself, with what its unknown parts are made of.
    fn value(&self, expr: &Expr) -> Value;
}

/// The value of an expression, with what its unknown parts are made of.
pub(super) fn exported(origins: &dyn Origins, expr: &Expr, value: &Val) -> Value {
    let plain = placed(origins.file(), expr, export(value));
    if plain.holds(Flags::UNKNOWN) { detailed(origins, expr, plain) } else { plain }
}

/// The value with the entries of written objects at their places, with their keys.
fn placed(file: FileId, expr: &Expr, value: Value) -> Value {
    let (Data::Map(map), ExprKind::Object(entries)) = (&value.data, &walk::unwrapped(expr).kind) else { return value };
    let entries = by_key(entries);
    let one = |key: &Key, value: &Value| match entries.get(&**key) {
        Some((name, written)) => {
            let value = placed(file, written, value.clone());
            (key.clone(), at_key(file, name.span, written.span, value))
        }
        None => (key.clone(), value.clone()),
    };
    let map = map.iter().map(|entry| one(&entry.key, &entry.value)).collect();
    Value { data: Data::Map(Arc::new(map)), prov: value.prov.clone() }
}

/// A value that is written behind a key. What it was computed from is written elsewhere.
pub(super) fn at_key(file: FileId, key: Span, written: Span, mut value: Value) -> Value {
    let here = Origin { file, key: key.start, start: written.start, end: written.end };
    match &mut value.prov.origin {
        Some(origin) if origin.file == file && origin.start == written.start => origin.key = key.start,
        Some(_) => value.prov = Prov::at(here).with_inputs([value.prov]),
        None => value.prov.origin = Some(here),
    }
    value
}

/// Looks for the part of the expression that each unknown part of the value comes from.
fn detailed(origins: &dyn Origins, expr: &Expr, value: Value) -> Value {
    let rebuilt = match (&expr.kind, &value.data) {
        _ if !value.holds(Flags::UNKNOWN) => return value,
        (ExprKind::Paren(inner) | ExprKind::Wrapped(inner), _) => return detailed(origins, inner, value),
        (ExprKind::Object(entries), Data::Map(map)) => {
            let entries = by_key(entries);
            let one = |key: &Key, value: &Value| {
                let written = entries.get(&**key);
                let expr = written.map_or(expr, |(_, value)| value);
                (key.clone(), whole_or_part(origins, expr, written.is_some(), value))
            };
            Data::Map(Arc::new(map.iter().map(|entry| one(&entry.key, &entry.value)).collect()))
        }
        (ExprKind::Tuple(exprs), Data::List(items)) if exprs.len() == items.len() => {
            let parts = exprs.iter().zip(items.iter());
            Data::List(Arc::new(parts.map(|(expr, value)| detailed(origins, expr, value.clone())).collect()))
        }
        (ExprKind::Call(call), Data::Map(map)) if is_merge(call) => {
            Data::Map(Arc::new(merged(origins, expr, call, (&value, map))))
        }
        (ExprKind::Traversal(..) | ExprKind::Call(_), _) => match origins.referred(expr) {
            Some(known) if known.holds(Flags::UNKNOWN) => return known.with_prov(value.prov),
            _ => return made_of(origins, expr, &value),
        },
        _ => return made_of(origins, expr, &value),
    };
    Value { data: rebuilt, prov: value.prov }
}

/// The entries of merged objects: each comes from the last argument that has its key, whatever the others say.
fn merged(origins: &dyn Origins, expr: &Expr, call: &Call, (value, map): (&Value, &Map)) -> Map {
    let arguments: Vec<Value> = call.arguments.iter().map(|argument| argument_of_merge(origins, argument)).collect();
    let whole = LazyCell::new(|| made_of(origins, expr, value));
    let one = |Entry { key, value, .. }: &Entry| {
        let given = arguments.iter().rev().find_map(|argument| match &argument.data {
            Data::Map(_) => argument.get(key).map(Some),
            Data::Null => None,
            // It may have the key.
            _ => Some(None),
        });
        let part = match given.flatten() {
            _ if !value.holds(Flags::UNKNOWN) => value.clone(),
            Some(given) if given.holds(Flags::UNKNOWN) => given.clone().with_prov(value.prov.clone()),
            _ => whole.get(key).unwrap_or(value).clone(),
        };
        (key.clone(), part)
    };
    map.iter().map(one).collect()
}

/// The value of an argument of `merge`. A call in a call is put together of its own arguments: each is evaluated once.
fn argument_of_merge(origins: &dyn Origins, expr: &Expr) -> Value {
    let call = match &walk::unwrapped(expr).kind {
        ExprKind::Call(call) if is_merge(call) => call,
        _ => return origins.value(expr),
    };
    let mut all = Map::new();
    for argument in &call.arguments {
        let value = argument_of_merge(origins, argument);
        match &value.data {
            Data::Map(map) => map.iter().for_each(|entry| all.set(entry.key.clone(), entry.value.clone())),
            Data::Null => {}
            _ => return value,
        }
    }
    Value::map(all)
}

fn is_merge(call: &Call) -> bool {
    &*call.name.text == "merge" && !call.expands
}

fn whole_or_part(origins: &dyn Origins, expr: &Expr, is_part: bool, value: &Value) -> Value {
    if is_part { detailed(origins, expr, value.clone()) } else { made_of(origins, expr, value) }
}

/// The entries of an object by the keys that are written out; the last one of a key counts.
fn by_key(entries: &[(Expr, Expr)]) -> HashMap<&str, &(Expr, Expr)> {
    entries.iter().filter_map(|entry| Some((walk::name(&entry.0)?, entry))).collect()
}

/// The value, all unknown parts of which come from one expression. Each says which part of that it is: another one is not the
/// same.
fn made_of(origins: &dyn Origins, expr: &Expr, value: &Value) -> Value {
    if !value.holds(Flags::UNKNOWN) {
        return value.clone();
    }
    let (text, (reads, sources)) = (origins.text(expr), origins.reads(expr));
    let text = match &expr.kind {
        ExprKind::Conditional(..) | ExprKind::Binary(..) | ExprKind::Unary(..)
            if !matches!(value.data, Data::Unknown(_)) =>
        {
            format!("({text})").into()
        }
        _ => text,
    };
    Parts { text: &text, reads: &reads, sources: &sources }.filled(value, &mut String::new())
}

/// What the unknown parts of the value of an expression have in common.
struct Parts<'a> {
    text: &'a Text,
    reads: &'a [Read],
    sources: &'a [Prov],
}

impl Parts<'_> {
    /// The value; `steps` lead to it from that of the expression.
    fn filled(&self, value: &Value, steps: &mut String) -> Value {
        let data = match &value.data {
            Data::Unknown(unknown) => {
                let reason = unknown.reasons.first().cloned().unwrap_or_default();
                let data = self.unknown(&reason, steps);
                return Value { data, prov: value.prov.with_inputs(self.sources.iter().cloned()) };
            }
            Data::List(items) => {
                let one = |(index, item)| self.below(item, steps, &format!("[{index}]"));
                Data::List(Arc::new(items.iter().enumerate().map(one).collect()))
            }
            Data::Map(map) => {
                let one = |entry: &Entry| (entry.key.clone(), self.below(&entry.value, steps, &step(&entry.key)));
                Data::Map(Arc::new(map.iter().map(one).collect()))
            }
            other => other.clone(),
        };
        Value { data, prov: value.prov.clone() }
    }

    fn below(&self, value: &Value, steps: &mut String, step: &str) -> Value {
        if !value.holds(Flags::UNKNOWN) {
            return value.clone();
        }
        let above = steps.len();
        steps.push_str(step);
        let value = self.filled(value, steps);
        steps.truncate(above);
        value
    }

    fn unknown(&self, reason: &str, steps: &str) -> Data {
        if steps.is_empty() {
            return unknown_data(Text::clone(self.text), reason, self.reads);
        }
        if self.text.len() <= MAX_REPEATED {
            return unknown_data(format!("{}{steps}", self.text).into(), reason, self.reads);
        }
        let part = Read { name: "which part of it".into(), content: Some(steps.into()) };
        unknown_data(Text::clone(self.text), reason, &[self.reads, &[part]].concat())
    }
}

/// The step to an entry of an object.
fn step(key: &str) -> String {
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_name { format!(".{key}") } else { format!("[{key:?}]") }
}

/// Something unknown: its text, why, and what it is made of. It is printed as an object with the reason.
pub(super) fn unknown_data(text: Text, reason: &str, reads: &[Read]) -> Data {
    let shown = Value::map([(Key::from(UNKNOWN), Value::str(reason))].into_iter().collect::<Map>());
    let mut unknown = Unknown { assumed: Some(Box::new(shown)), ..Unknown::new(text, reason) };
    unknown.add_reads(reads.iter().cloned());
    Data::Unknown(Arc::new(unknown))
}
