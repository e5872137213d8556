//! Parameters of functions, and the checks of their arguments.

use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::syntax::number::text_number;

pub(super) struct Parameter {
    /// Its name in messages.
    pub name: &'static str,
    /// The accepted type.
    pub kind: Type,
    /// Whether it must be there.
    pub is_required: bool,
}

impl Parameter {
    pub(super) const fn required(name: &'static str, kind: Type) -> Self {
        Parameter { name, kind, is_required: true }
    }

    pub(super) const fn optional(name: &'static str, kind: Type) -> Self {
        Parameter { name, kind, is_required: false }
    }
}

/// The type of a parameter.
#[derive(Clone, Copy)]
pub(super) enum Type {
    /// Anything.
    Any,
    /// Text with something in it.
    Text,
    TextOrEmpty,
    Word(&'static [&'static str]),
    /// A number, or text that is one.
    Number,
    /// The same without a fraction.
    Integer,
    /// A truth value, or text that is one.
    Bool,
    /// A list.
    Array,
    /// A list without collections in it.
    Primitives,
    /// A mapping.
    Object,
    Null,
    /// One of several types.
    OneOf(&'static [Type]),
}

impl Type {
    /// Returns the argument as the function gets it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check(self, node: &Node) -> Result<Node, String> {
        let refuse = |message: &str| Err(message.to_owned());
        let same = || Ok(node.clone());
        match (self, &node.data) {
            (Type::Any, _)
            | (Type::TextOrEmpty, Data::Text(_))
            | (Type::Array, Data::List(_))
            | (Type::Object, Data::Map(_))
            | (Type::Null, Data::Null)
            | (Type::Bool, Data::Bool(_)) => same(),
            (Type::Text | Type::Word(_), Data::Text(text)) if text.is_empty() => {
                refuse("value is not allowed to be empty")
            }
            (Type::Text, Data::Text(_)) => same(),
            (Type::Word(words), Data::Text(text)) if words.contains(&text.as_str()) => same(),
            (Type::Word(words), _) => Err(format!("value must be one of [{}]", words.join(", "))),
            (Type::Text | Type::TextOrEmpty, _) => refuse("value must be a string"),
            (Type::Number | Type::Integer, _) => {
                let number = match &node.data {
                    Data::Number(n) => Some(*n),
                    Data::Text(text) => text_number(text),
                    _ => None,
                };
                match number {
                    Some(n) if !n.is_finite() => refuse("value cannot be infinity"),
                    Some(n) if matches!(self, Type::Integer) && n.fract() != 0.0 => refuse("value must be an integer"),
                    Some(n) => Ok(Node::at(Data::Number(n), node.prov.clone())),
                    None => refuse("value must be a number"),
                }
            }
            (Type::Bool, Data::Text(text)) if text.eq_ignore_ascii_case("true") => Ok(Node::bool(true)),
            (Type::Bool, Data::Text(text)) if text.eq_ignore_ascii_case("false") => Ok(Node::bool(false)),
            (Type::Bool, _) => refuse("value must be a boolean"),
            (Type::Primitives, Data::List(items)) => match items.iter().position(Node::is_collection) {
                None => same(),
                Some(i) => Err(format!("[{i}] must be one of [number, string, boolean, null]")),
            },
            (Type::Array | Type::Primitives, _) => refuse("value must be an array"),
            (Type::Object, _) => refuse("value must be of type object"),
            (Type::Null, _) => refuse("value must be [null]"),
            (Type::OneOf(types), _) => one_of(types, node),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Type::Text | Type::TextOrEmpty | Type::Word(_) => "string",
            Type::Number | Type::Integer => "number",
            Type::Bool => "boolean",
            Type::Array | Type::Primitives => "array",
            Type::Object => "object",
            Type::Null => "null",
            Type::Any | Type::OneOf(_) => "any",
        }
    }
}

fn one_of(types: &[Type], node: &Node) -> Result<Node, String> {
    if let Some(found) = types.iter().find_map(|t| t.check(node).ok()) {
        return Ok(found);
    }
    if matches!(&node.data, Data::Text(text) if text.is_empty()) {
        return Err("value is not allowed to be empty".to_owned());
    }
    let names: Vec<&str> = types.iter().filter(|t| !matches!(t, Type::Null)).map(|t| t.name()).collect();
    Err(format!("value must be one of [{}]", names.join(", ")))
}
