//! Function namespaces: `strings.ToUpper` is the method `ToUpper` of the object `strings`.

use super::call::Entry;
use crate::{Object, Val};
use traced_value::Value;

/// A namespace with its methods.
#[derive(Clone, Copy)]
pub struct Namespace {
    /// The name of the niladic function that yields it.
    pub name: &'static str,
    /// Its Go type.
    pub type_name: &'static str,
    /// Its methods.
    pub methods: &'static [&'static [Entry]],
    /// Fields, which have plain text.
    pub fields: &'static [(&'static str, &'static str)],
}

impl std::fmt::Debug for Namespace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Namespace {
    fn method(&self, name: &str) -> Option<super::Function> {
        self.methods.iter().flat_map(|t| t.iter()).find(|e| e.0 == name).map(|e| e.1)
    }

    fn field(&self, name: &str) -> Option<&'static str> {
        self.fields.iter().find(|f| f.0 == name).map(|f| f.1)
    }
}

impl Object for Namespace {
    fn call(&self, name: &str, args: &[Val]) -> Result<Val, String> {
        if let Some(method) = self.method(name) {
            return method(args);
        }
        match self.field(name) {
            Some(text) if args.is_empty() => Ok(Value::str(text).into()),
            Some(_) => Err(format!("{name} has arguments but cannot be invoked as function")),
            // Namespaces come out of functions that promise no more than any value.
            None => Err(format!("can't evaluate field {name} in type interface {{}}")),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.method(name).is_some() || self.field(name).is_some()
    }

    fn print(&self) -> String {
        // Go prints the address of a context in it.
        format!("{{{{ {} }}}}", self.name)
    }

    fn type_name(&self) -> &'static str {
        self.type_name
    }
}

/// Writes an object as JSON; an object that prints as text becomes a string.
pub(super) fn to_json(object: &dyn Object) -> String {
    if let Some(text) = object.json() {
        return text;
    }
    let data = traced_value::Data::Str(object.print().into());
    super::json::encode(&data, super::json::Style::Html).unwrap_or_default()
}
