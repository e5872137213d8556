//! A value during evaluation, borrowed from the data if possible, with the type information of Go's reflection.

use super::val::{Object, Val};
use shared_text::Text;
use std::sync::Arc;
use traced_value::{Data, Flags, Unknown, Value};

/// A value that an expression gave.
#[derive(Clone, Debug)]
pub(super) struct Operand<'d> {
    pub(super) content: Content<'d>,
    /// Go's static type of it is `interface {}` (an element of a map or list); a pipeline strips that.
    pub(super) iface: bool,
    /// For something unknown: its truth, where that is known all the same (`and .unknown false`).
    pub(super) truth: Option<bool>,
}

/// The content of an [`Operand`].
#[derive(Clone, Debug)]
pub(super) enum Content<'d> {
    /// Go's invalid value.
    Missing,
    /// A part of the data.
    Ref(&'d Value),
    /// A computed value.
    Own(Value),
    /// Something with methods.
    Object(Arc<dyn Object>),
}

impl<'d> Operand<'d> {
    pub(super) const MISSING: Operand<'static> = Operand { content: Content::Missing, iface: false, truth: None };

    /// An element of a map or list.
    pub(super) fn element(value: &'d Value) -> Self {
        Operand { content: Content::Ref(value), iface: true, truth: None }
    }

    /// A computed element of a map or list.
    pub(super) fn owned_element(value: Value) -> Self {
        Operand { content: Content::Own(value), iface: true, truth: None }
    }

    /// Creates a computed value of its own type.
    pub(super) fn of(data: Data) -> Self {
        Operand { iface: matches!(data, Data::Null), content: Content::Own(Value::new(data)), truth: None }
    }

    pub(super) fn string(text: impl Into<Text>) -> Self {
        Self::of(Data::Str(text.into()))
    }

    pub(super) fn unknown(unknown: Arc<Unknown>) -> Self {
        Self::of(Data::Unknown(unknown))
    }

    /// Converts the result of a function; an object from a namespace function has Go's type `interface {}`.
    pub(super) fn from_val(val: Val) -> Self {
        match val {
            Val::Missing => Self::MISSING,
            Val::Data(value) => Operand { iface: value.is_null(), content: Content::Own(value), truth: None },
            Val::Object(object) => Operand { content: Content::Object(object), iface: false, truth: None },
        }
    }

    /// The value, if there is one.
    pub(super) fn value(&self) -> Option<&Value> {
        match &self.content {
            Content::Ref(value) => Some(value),
            Content::Own(value) => Some(value),
            Content::Missing | Content::Object(_) => None,
        }
    }

    pub(super) fn data(&self) -> Option<&Data> {
        self.value().map(|v| &v.data)
    }

    pub(super) fn as_unknown(&self) -> Option<&Arc<Unknown>> {
        match self.data() {
            Some(Data::Unknown(unknown)) => Some(unknown),
            _ => None,
        }
    }

    /// Neither a value nor something in an interface.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self.content, Content::Missing) || matches!(self.data(), Some(Data::Null))
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self.content, Content::Missing)
    }

    /// Without the static type `interface {}`: nil becomes the invalid value.
    pub(super) fn stripped(mut self) -> Self {
        if self.iface {
            self.iface = false;
            if matches!(self.data(), Some(Data::Null)) {
                self.content = Content::Missing;
            }
        }
        self
    }

    /// As an argument of a table function.
    pub(super) fn to_val(&self) -> Val {
        match &self.content {
            Content::Missing => Val::Missing,
            Content::Ref(value) => Val::Data((*value).clone()),
            Content::Own(value) => Val::Data(value.clone()),
            Content::Object(object) => Val::Object(object.clone()),
        }
    }

    /// Go's truth; nothing for what is unknown.
    pub(super) fn is_true(&self) -> Option<bool> {
        let data = match &self.content {
            Content::Missing => return Some(false),
            Content::Object(_) => return Some(true),
            Content::Ref(value) => &value.data,
            Content::Own(value) => &value.data,
        };
        Some(match data {
            Data::Null => false,
            Data::Bool(b) => *b,
            Data::Int(i) => *i != 0,
            Data::Uint(u) => *u != 0,
            Data::Float(f) => *f != 0.0,
            Data::Str(s) => !s.is_empty(),
            Data::Time(_) => true,
            Data::List(l) => !l.is_empty(),
            Data::Map(m) => !m.is_empty(),
            Data::Unknown(_) => return self.truth,
        })
    }

    /// Go's name of the static type.
    pub(super) fn static_type(&self) -> &'static str {
        if self.iface { "interface {}" } else { self.type_name() }
    }

    /// Go's name of the type of the thing itself.
    pub(super) fn type_name(&self) -> &'static str {
        match &self.content {
            Content::Missing => "nil",
            Content::Object(object) => object.type_name(),
            Content::Ref(value) => type_name(&value.data),
            Content::Own(value) => type_name(&value.data),
        }
    }

    /// The first unknown inside, however deep.
    pub(super) fn unknown_inside(&self) -> Option<Arc<Unknown>> {
        let value = self.value()?;
        match &value.data {
            Data::Unknown(unknown) => Some(unknown.clone()),
            Data::List(_) | Data::Map(_) if value.flags().has(Flags::UNKNOWN) => find_unknown(value, 0),
            _ => None,
        }
    }

    /// Whether it was computed and is a container, so that its parts may be shared without bound.
    pub(super) fn is_own_container(&self) -> bool {
        matches!(&self.content, Content::Own(Value { data: Data::List(_) | Data::Map(_), .. }))
    }
}

/// Go's name of the type that a value has after decoding.
pub(super) fn type_name(data: &Data) -> &'static str {
    match data {
        Data::Null => "interface {}",
        Data::Bool(_) => "bool",
        Data::Int(_) => "int",
        Data::Uint(_) => "uint64",
        Data::Float(_) => "float64",
        Data::Str(_) => "string",
        Data::Time(_) => "time.Time",
        Data::List(_) => "[]interface {}",
        Data::Map(_) => "map[string]interface {}",
        Data::Unknown(_) => "unknown",
    }
}

/// Deeper values cannot come from a document; they are taken as known, and printing them is bounded elsewhere.
const MAX_DEPTH: usize = 200;

fn find_unknown(value: &Value, depth: usize) -> Option<Arc<Unknown>> {
    if depth > MAX_DEPTH {
        return None;
    }
    match &value.data {
        Data::Unknown(unknown) => Some(unknown.clone()),
        Data::List(list) => list.iter().find_map(|v| find_unknown(v, depth + 1)),
        Data::Map(map) if map.flags().has(Flags::UNKNOWN) => map.iter().find_map(|e| find_unknown(&e.value, depth + 1)),
        _ => None,
    }
}

/// Whether a value, written out, stays below `budget` bytes (roughly) and a fixed depth; lowers the budget.
pub(super) fn fits(value: &Value, budget: &mut usize, depth: usize) -> bool {
    let size = match &value.data {
        Data::Str(s) => s.len() + 1,
        _ => 8,
    };
    if size > *budget || depth > MAX_DEPTH {
        return false;
    }
    *budget -= size;
    match &value.data {
        Data::List(list) => list.iter().all(|v| fits(v, budget, depth + 1)),
        Data::Map(map) => map.iter().all(|e| fits(&e.value, budget, depth + 1)),
        _ => true,
    }
}
