//! The values of templates: a [`Value`], nothing at all, or an object with methods.

use shared_text::Text;
use std::fmt::Debug;
use std::sync::Arc;
use traced_value::{Data, Prov, Unknown, Value};

/// The reason why text that is not valid UTF-8 is unknown. Unlike other unknown values, it must not be printed where
/// YAML is read: [`Rendered::not_utf8`](super::Rendered::not_utf8).
pub(super) const NOT_UTF8: &str = "its bytes are not valid UTF-8";

/// Why something is unknown that is made of such text.
pub(super) const MADE_OF_NOT_UTF8: &str = "it is made of text that is not valid UTF-8";

/// A value during evaluation.
#[derive(Clone, Debug)]
pub enum Val {
    /// Go's invalid value, the result of a missing key: prints `<no value>`.
    Missing,
    /// Data, or something unknown ([`Data::Unknown`]), with its provenance.
    Data(Value),
    /// Something with methods: a function namespace (`strings`), a version, a duration.
    Object(Arc<dyn Object>),
}

/// Something with methods.
pub trait Object: Debug + Send + Sync {
    /// Calls the method (or reads the field) `name`.
    ///
    /// # Errors
    /// The text of the failure, in the words of the system that defines the method.
    fn call(&self, name: &str, args: &[Val]) -> Result<Val, String>;
    /// Whether it has a method or field of this name.
    fn has(&self, name: &str) -> bool;
    /// How it prints with `%v`.
    fn print(&self) -> String;
    /// Its Go type (`%T`).
    fn type_name(&self) -> &'static str;
    /// The entries of one that is a map, sorted by key; `range`, `len` and `index` read them.
    fn entries(&self) -> Option<Vec<(Text, Val)>> {
        None
    }
    /// Returns what it was made from, for the provenance of its readers.
    fn inputs(&self) -> Vec<Prov> {
        Vec::new()
    }
    /// Its JSON text, where that is not its printed text in quotes.
    fn json(&self) -> Option<String> {
        None
    }
}

impl Val {
    /// Something that cannot be known, printed as `text`.
    pub fn unknown(text: impl Into<Text>, reason: impl Into<Text>) -> Val {
        Val::Data(Value::new(Data::Unknown(Arc::new(Unknown::new(text, reason)))))
    }

    /// Returns the unknown part, if it is unknown.
    #[cfg(test)]
    pub fn as_unknown(&self) -> Option<&Arc<Unknown>> {
        match self {
            Val::Data(Value { data: Data::Unknown(unknown), .. }) => Some(unknown),
            _ => None,
        }
    }
}

/// Returns text of these bytes; unknown if they are not valid UTF-8, see [`NOT_UTF8`].
pub(super) fn text_of(bytes: Vec<u8>) -> Value {
    match String::from_utf8(bytes) {
        Ok(text) => Value::str(text),
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes());
            Value::new(Data::Unknown(Arc::new(Unknown::new(text, NOT_UTF8))))
        }
    }
}

impl From<Value> for Val {
    fn from(value: Value) -> Self {
        Val::Data(value)
    }
}

impl From<Data> for Val {
    fn from(data: Data) -> Self {
        Val::Data(Value::new(data))
    }
}
