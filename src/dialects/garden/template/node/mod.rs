//! The value that templates are evaluated on: data as JavaScript has it, in the order in which it is written, with parts that
//! wait for a context.

pub(crate) mod convert;
pub(crate) mod json;
mod lazy;
pub(crate) mod merge;
mod object;
mod values;

pub(crate) use lazy::{ContextId, Lazy, Operator, OperatorKind, keys};
pub(crate) use object::{Object, array_index};
pub(crate) use values::Values;

use crate::text::Text;
use crate::value::{self, Prov, Unknown, Value};
use std::sync::Arc;

/// Where Garden has nothing but texts.
const TEXTS: [&str; 3] = ["git.", "local.env.", "secrets."];

/// A value with its provenance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub data: Data,
    /// Where it was written, and what it was computed from.
    pub prov: Prov,
}

/// The data of a [`Node`]. Collections may hold lazy nodes.
#[derive(Clone, Debug, Default)]
pub(crate) enum Data {
    /// JavaScript's `undefined`: a key or an item without a value.
    #[default]
    Undefined,
    Null,
    /// A truth value.
    Bool(bool),
    /// A number; there are no integers.
    Number(f64),
    Text(Text),
    List(Arc<Vec<Node>>),
    /// A mapping.
    Map(Arc<Object>),
    /// A mapping with further keys that are known only at run time: the value of these.
    Open(Arc<Object>, Arc<Unknown>),
    /// A value that needs a context to be evaluated in.
    Lazy(Arc<Lazy>),
    /// A context as a part of another one (`var`).
    Context(ContextId),
    /// A value known only at run time. The text is empty if that of the reading expression is better.
    Unknown(Arc<Unknown>),
}

impl Node {
    /// Data without provenance.
    pub(crate) fn new(data: Data) -> Node {
        Node { data, prov: Prov::default() }
    }

    /// Data written somewhere.
    pub(crate) fn at(data: Data, prov: Prov) -> Node {
        Node { data, prov }
    }

    /// Text without provenance.
    pub(crate) fn text(text: impl Into<Text>) -> Node {
        Node::new(Data::Text(text.into()))
    }

    /// A truth value without provenance.
    pub(crate) fn bool(value: bool) -> Node {
        Node::new(Data::Bool(value))
    }

    /// A list without provenance.
    pub(crate) fn list(items: Vec<Node>) -> Node {
        Node::new(Data::List(Arc::new(items)))
    }

    /// A mapping without provenance.
    pub(crate) fn map(entries: impl IntoIterator<Item = (Text, Node)>) -> Node {
        Node::new(Data::Map(Arc::new(entries.into_iter().collect())))
    }

    /// A mapping without provenance. The keys are few words, each once.
    pub(crate) fn record(entries: Vec<(Text, Node)>) -> Node {
        Node::new(Data::Map(Arc::new(Object::record(entries))))
    }

    /// A value that waits for a context.
    pub(crate) fn lazy(lazy: Lazy, prov: Prov) -> Node {
        Node { data: Data::Lazy(Arc::new(lazy)), prov }
    }

    /// A value known only at run time, with one reason.
    pub(crate) fn unknown(reason: impl Into<Text>) -> Node {
        Node::new(Data::Unknown(Arc::new(Unknown::new("", reason))))
    }

    /// The same with its text.
    pub(crate) fn unknown_text(text: impl Into<Text>, reason: impl Into<Text>) -> Node {
        Node::new(Data::Unknown(Arc::new(Unknown::new(text, reason))))
    }

    /// The mapping, if it is one.
    pub(crate) fn as_map(&self) -> Option<&Arc<Object>> {
        match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&Arc<Vec<Node>>> {
        match &self.data {
            Data::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&Text> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value under a key of a mapping, unless that is `undefined`.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key).filter(|node| !node.is_undefined())
    }

    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self.data, Data::Undefined)
    }

    /// Whether it, as a whole, is known only at run time.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.data, Data::Unknown(_))
    }

    /// Whether it is unknown, and may be a list or a mapping. A text with an expression in it is none, nor is what is always a text.
    pub(crate) fn may_be_collection(&self) -> bool {
        let Data::Unknown(unknown) = &self.data else { return false };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let is_text = match unknown.text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
            Some(path) => TEXTS.iter().any(|root| path.starts_with(root)) && path.chars().all(is_name),
            None => unknown.text.contains("${") && !unknown.text.starts_with(['$', '{', '[']),
        };
        !is_text
    }

    /// Whether it is a list or a mapping.
    pub(crate) fn is_collection(&self) -> bool {
        matches!(self.data, Data::List(_) | Data::Map(_))
    }

    /// The lazy value, if it is one.
    pub(crate) fn as_lazy(&self) -> Option<&Lazy> {
        match &self.data {
            Data::Lazy(lazy) => Some(lazy),
            _ => None,
        }
    }

    /// JavaScript's truth: every collection is true.
    pub(crate) fn is_truthy(&self) -> bool {
        match &self.data {
            Data::Undefined | Data::Null => false,
            Data::Bool(b) => *b,
            Data::Number(n) => *n != 0.0 && !n.is_nan(),
            Data::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// The result of JavaScript's `typeof`.
    pub(crate) fn type_of(&self) -> &'static str {
        match self.data {
            Data::Undefined => "undefined",
            Data::Bool(_) => "boolean",
            Data::Number(_) => "number",
            Data::Text(_) => "string",
            _ => "object",
        }
    }

    /// The same, with `null` distinguished from objects.
    pub(crate) fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            _ => self.type_of(),
        }
    }

    /// The value for reports. What is still lazy is shown as it is written.
    pub(crate) fn to_value(&self) -> Value {
        Values::default().of(self)
    }

    /// The node of a value that is not a template: strings stay as they are. Entries are in the order of their origins.
    pub(crate) fn from_value(value: &Value) -> Node {
        let data = match &value.data {
            value::Data::Null => Data::Null,
            value::Data::Bool(b) => Data::Bool(*b),
            value::Data::Int(i) => Data::Number(*i as f64),
            value::Data::Uint(u) => Data::Number(*u as f64),
            value::Data::Float(f) => Data::Number(*f),
            value::Data::Str(text) => Data::Text(Text::clone(text)),
            value::Data::Time(time) => Data::Text(time.rfc3339().into()),
            value::Data::List(items) => Data::List(Arc::new(items.iter().map(Node::from_value).collect())),
            value::Data::Map(map) => {
                let mut entries: Vec<&value::Entry> = map.iter().collect();
                entries.sort_by_key(|e| e.value.prov.origin.map(|o| (o.file, o.key)));
                Data::Map(Arc::new(entries.iter().map(|e| (Text::clone(&e.key), Node::from_value(&e.value))).collect()))
            }
            value::Data::Unknown(unknown) => Data::Unknown(Arc::clone(unknown)),
        };
        Node { data, prov: value.prov.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_collection() {
        let may_be = |text: &str| Node::unknown_text(text, "a reason").may_be_collection();
        for text in ["${local.env.A}", "${git.branch}", "${secrets.a-b}", "x-${var.a}", "a ${if b}c${endif}"] {
            assert!(!may_be(text), "{text}");
        }
        for text in [
            "",
            "${var.a}",
            "${local.env.A || var.b}",
            "${jsonDecode(local.env.A)}",
            "${jsonDecode('{\"a\": 1}')}",
            "${if a}${var.b}${else}${var.c}${endif}",
            "$if: ${a}",
            "{\"a\":\"${b}\"}",
            "[\"${b}\"]",
        ] {
            assert!(may_be(text), "{text}");
        }
        assert!(!Node::text("x").may_be_collection() && !Node::list(Vec::new()).may_be_collection());
    }
}
