//! Types of values, their names in messages, and the type that several of them have in common.

pub(crate) mod convert;
pub(crate) mod typeexpr;

use crate::hcl::val::{Data, Val};
use crate::text::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A type, or a constraint that types are converted to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Type {
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
pub(crate) struct Attribute {
    /// Its type.
    pub ty: Type,
    /// Whether it may be left out.
    pub is_optional: bool,
}

impl Type {
    /// The type of a value.
    pub(crate) fn of(value: &Val) -> Type {
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
            Data::Reference(_) => Type::Reference,
        }
    }

    /// A list of a type.
    pub(crate) fn list(element: Type) -> Self {
        Type::List(Arc::new(element))
    }

    /// A set of a type.
    pub(crate) fn set(element: Type) -> Self {
        Type::Set(Arc::new(element))
    }

    /// A map of a type.
    pub(crate) fn map(element: Type) -> Self {
        Type::Map(Arc::new(element))
    }

    /// Whether it is text, a number or a truth value.
    pub(crate) fn is_primitive(&self) -> bool {
        matches!(self, Type::Bool | Type::Number | Type::Str)
    }

    /// Whether some part of it is any type.
    pub(crate) fn has_dynamic(&self) -> bool {
        match self {
            Type::Dynamic => true,
            Type::List(ty) | Type::Set(ty) | Type::Map(ty) => ty.has_dynamic(),
            Type::Tuple(types) => types.iter().any(Type::has_dynamic),
            Type::Object(attributes) => attributes.values().any(|a| a.ty.has_dynamic()),
            _ => false,
        }
    }

    /// Its name in messages: `list of string`.
    pub(crate) fn name(&self) -> String {
        match self {
            Type::List(ty) => format!("list of {}", ty.name()),
            Type::Set(ty) => format!("set of {}", ty.name()),
            Type::Map(ty) => format!("map of {}", ty.name()),
            other => other.short_name().to_owned(),
        }
    }

    /// Its name without the types of elements.
    pub(crate) fn short_name(&self) -> &'static str {
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

/// The type that values of all these types can be converted to; none if there is no such type.
pub(crate) fn unify(types: &[Type]) -> Option<Type> {
    let mut known: Vec<&Type> = Vec::new();
    for ty in types {
        if !known.contains(&ty) {
            known.push(ty);
        }
    }
    let (first, rest) = known.split_first()?;
    if rest.is_empty() {
        return Some((*first).clone());
    }
    if known.iter().any(|ty| **ty == Type::Dynamic) {
        return Some(Type::Dynamic);
    }
    if known.iter().all(|ty| ty.is_primitive()) {
        return match known.iter().any(|ty| **ty == Type::Str) {
            true => Some(Type::Str),
            // A number and a truth value have nothing in common but text, which neither of them is.
            false => None,
        };
    }
    unify_objects(&known)
        .or_else(|| unify_maps(&known))
        .or_else(|| unify_tuples(&known))
        .or_else(|| unify_lists(&known))
}

fn unify_objects(known: &[&Type]) -> Option<Type> {
    let all: Option<Vec<_>> = known.iter().map(|ty| if let Type::Object(a) = ty { Some(a) } else { None }).collect();
    let all = all?;
    let first = all.first()?;
    if !all.iter().all(|other| other.keys().eq(first.keys())) {
        return None;
    }
    let attribute = |name: &Text| {
        let types: Vec<Type> = all.iter().filter_map(|a| a.get(name)).map(|a| a.ty.clone()).collect();
        let is_optional = all.iter().filter_map(|a| a.get(name)).any(|a| a.is_optional);
        Some((Text::clone(name), Attribute { ty: unify(&types)?, is_optional }))
    };
    Some(Type::Object(Arc::new(first.keys().map(attribute).collect::<Option<_>>()?)))
}

fn unify_maps(known: &[&Type]) -> Option<Type> {
    let mut elements = Vec::new();
    for ty in known {
        match ty {
            Type::Map(element) => elements.push((**element).clone()),
            Type::Object(attributes) => elements.extend(attributes.values().map(|a| a.ty.clone())),
            _ => return None,
        }
    }
    if elements.is_empty() {
        return Some(Type::map(Type::Dynamic));
    }
    Some(Type::map(unify(&elements)?))
}

fn unify_tuples(known: &[&Type]) -> Option<Type> {
    let all: Option<Vec<_>> = known.iter().map(|ty| if let Type::Tuple(t) = ty { Some(t) } else { None }).collect();
    let all = all?;
    let length = all.first()?.len();
    if !all.iter().all(|other| other.len() == length) {
        return None;
    }
    let element = |i: usize| unify(&all.iter().filter_map(|t| t.get(i).cloned()).collect::<Vec<_>>());
    Some(Type::Tuple(Arc::new((0..length).map(element).collect::<Option<_>>()?)))
}

fn unify_lists(known: &[&Type]) -> Option<Type> {
    let (mut elements, mut is_list, mut is_set) = (Vec::new(), false, false);
    for ty in known {
        match ty {
            Type::List(element) => {
                is_list = true;
                elements.push((**element).clone());
            }
            Type::Set(element) => {
                is_set = true;
                elements.push((**element).clone());
            }
            Type::Tuple(types) => elements.extend(types.iter().cloned()),
            _ => return None,
        }
    }
    let element = if elements.is_empty() { Type::Dynamic } else { unify(&elements)? };
    Some(if is_set && !is_list { Type::set(element) } else { Type::list(element) })
}
