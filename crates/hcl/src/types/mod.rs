//! Types of values, their names in messages, and the type that several of them have in common.

pub mod convert;
pub mod typeexpr;
mod unify;

pub use unify::unify;

use crate::val::{Data, Val};
use shared_text::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A type, or a constraint that types are converted to.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Type {
    /// Any type.
    #[default]
    Dynamic,
    /// A truth value.
    Bool,
    /// A number.
    Number,
    /// Text.
    Str,
    /// A list of one type.
    List(Arc<Type>),
    /// A set of one type.
    Set(Arc<Type>),
    /// A map of one type.
    Map(Arc<Type>),
    /// A sequence with a type for each element.
    Tuple(Arc<Vec<Type>>),
    /// Named attributes with a type for each.
    Object(Arc<BTreeMap<Text, Attribute>>),
    /// A reference of the dialect.
    Reference,
}

/// An attribute of an object type.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The type that values of the attribute are converted to.
    pub ty: Type,
    /// Whether it may be omitted.
    pub is_optional: bool,
}

impl Type {
    /// The type of a value.
    pub fn of(value: &Val) -> Type {
        match &value.data {
            Data::Null(ty) | Data::Unknown(ty, _) => ty.clone(),
            Data::Bool(_) => Type::Bool,
            Data::Number(_) => Type::Number,
            Data::Str(_) => Type::Str,
            Data::List(ty, _) => Type::List(Arc::new(ty.clone())),
            Data::Set(ty, _) => Type::Set(Arc::new(ty.clone())),
            Data::Map(ty, _) => Type::Map(Arc::new(ty.clone())),
            Data::Tuple(items) => Type::Tuple(Arc::new(items.iter().map(Type::of).collect())),
            Data::Object(entries) => {
                let attribute = |v: &Val| Attribute { ty: Type::of(v), is_optional: false };
                Type::Object(Arc::new(entries.iter().map(|(k, v)| (Text::clone(k), attribute(v))).collect()))
            }
            Data::Partial(..) => Type::Dynamic,
            Data::Reference(_) => Type::Reference,
        }
    }

    /// A list of a type.
    pub fn list(element: Type) -> Self {
        Type::List(Arc::new(element))
    }

    /// A set of a type.
    pub fn set(element: Type) -> Self {
        Type::Set(Arc::new(element))
    }

    /// A map of a type.
    pub fn map(element: Type) -> Self {
        Type::Map(Arc::new(element))
    }

    /// Whether it is text, a number or a truth value.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Type::Bool | Type::Number | Type::Str)
    }

    /// Whether some part of it is any type.
    pub fn has_dynamic(&self) -> bool {
        match self {
            Type::Dynamic => true,
            Type::List(ty) | Type::Set(ty) | Type::Map(ty) => ty.has_dynamic(),
            Type::Tuple(types) => types.iter().any(Type::has_dynamic),
            Type::Object(attributes) => attributes.values().any(|a| a.ty.has_dynamic()),
            _ => false,
        }
    }

    /// Its name in messages: `list of string`.
    pub fn name(&self) -> String {
        match self {
            Type::List(ty) => format!("list of {}", ty.name()),
            Type::Set(ty) => format!("set of {}", ty.name()),
            Type::Map(ty) => format!("map of {}", ty.name()),
            other => other.short_name().to_owned(),
        }
    }

    /// Its name without the types of elements.
    pub fn short_name(&self) -> &'static str {
        match self {
            Type::Dynamic => "dynamic",
            Type::Bool => "bool",
            Type::Number => "number",
            Type::Str => "string",
            Type::List(_) => "list",
            Type::Set(_) => "set",
            Type::Map(_) => "map",
            Type::Tuple(_) => "tuple",
            Type::Object(_) => "object",
            Type::Reference => "reference",
        }
    }
}
