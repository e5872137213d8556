//! Calls of functions that are evaluated later, and how a dialect recognizes them in text.

use super::{Data, Value, Vocabulary};
use crate::text::Text;

/// The type of a value, as far as merging and types are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) enum ValueKind {
    /// No value.
    Null,
    /// A truth value.
    Bool,
    Number,
    String,
    List,
    Map,
}

impl ValueKind {
    /// Returns the kind of a value; `None` if it is unknown. Dates count as maps, because merging turns them into maps.
    pub(crate) fn of(value: &Value) -> Option<ValueKind> {
        Some(match &value.data {
            Data::Null => ValueKind::Null,
            Data::Bool(_) => ValueKind::Bool,
            Data::Int(_) | Data::Uint(_) | Data::Float(_) => ValueKind::Number,
            Data::Str(_) => ValueKind::String,
            Data::List(_) => ValueKind::List,
            Data::Map(_) | Data::Time(_) => ValueKind::Map,
            Data::Unknown(_) => return None,
        })
    }

    /// Its name in messages, with an article: `a list`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ValueKind::Null => "null",
            ValueKind::Bool => "a boolean",
            ValueKind::Number => "a number",
            ValueKind::String => "a string",
            ValueKind::List => "a list",
            ValueKind::Map => "a map",
        }
    }

    /// Whether it is one value: no list and no map.
    pub(crate) fn is_scalar(self) -> bool {
        !matches!(self, ValueKind::List | ValueKind::Map)
    }
}

/// An output of another component that a call reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Output {
    pub component: Text,
    /// The stack; `None` means the stack that contains the call.
    pub stack: Option<Text>,
    /// The name of the output or a query on all of them.
    pub expression: Text,
}

/// A call of a function that is evaluated later: `!env HOME`. Its location is the provenance of its text, and its
/// precedence is its position among the contributions to the value ([`super::Trail::layers`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    /// The function as it is written: `!env`.
    pub function: Text,
    /// The arguments as the function's own grammar takes them apart; two calls of a function with equal ones are equal.
    pub arguments: Vec<Text>,
    /// The kind of the result, if it is known without evaluating the call.
    pub kind: Option<ValueKind>,
    /// The path of the value in the component whose JSON text is the value of the call.
    pub json_of: Option<Vec<Text>>,
    /// The output that it reads from another component.
    pub output: Option<Output>,
}

/// Text that starts like a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Call(Call),
    /// A call with arguments that its function rejects, and why.
    Refused(String),
}

/// A mark that a value gets from a tag which leaves no trace in the value itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A list that continues the one below it.
    Append,
    /// The key is to be removed.
    Unset,
}

/// How to interpret values whose meaning only their dialect defines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Language {
    /// The call that a string is; `None` for other text.
    pub read: fn(&str) -> Option<Reading>,
    /// Returns the mark of a value from its text in a file.
    pub mark: fn(&str) -> Option<Mark>,
    /// Whether values are merged from layers, of which a later one replaces values of an earlier one.
    pub has_layers: bool,
    /// Whether rules also look for what would be different if merging waited for calls everywhere.
    pub promised_merge: bool,
    /// The names of sections, tags and settings.
    pub vocabulary: &'static Vocabulary,
}

impl Default for Language {
    fn default() -> Self {
        Language {
            read: |_| None,
            mark: |_| None,
            has_layers: false,
            promised_merge: false,
            vocabulary: &Vocabulary::EMPTY,
        }
    }
}

impl Language {
    /// The call that a value is, if its arguments are in order.
    pub(crate) fn call(&self, value: &Value) -> Option<Call> {
        match (self.read)(value.as_str()?)? {
            Reading::Call(call) => Some(call),
            Reading::Refused(_) => None,
        }
    }

    /// Whether two texts are the same call, written differently or not.
    pub(crate) fn same_call(&self, a: &str, b: &str) -> bool {
        match ((self.read)(a), (self.read)(b)) {
            (Some(Reading::Call(a)), Some(Reading::Call(b))) => a.function == b.function && a.arguments == b.arguments,
            _ => false,
        }
    }
}
