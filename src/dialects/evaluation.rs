//! One value evaluated against a context that the caller knows.

use crate::text::Text;
use crate::value::{Data, Value};
use std::ops::Range;

/// The maximum number of texts of a template among which a mistake is searched.
const MAX_TEXTS: usize = 1_000;

/// How a template is evaluated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EvalMode {
    /// Whether what cannot be resolved stays as it is written; otherwise it is an error.
    pub partial: bool,
    /// Whether what is escaped stays as it is written, in languages in which a later stage may take the escapes away; none
    /// for what the system does first.
    pub keeps_escapes: Option<bool>,
}

/// The result of a template.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluated {
    pub value: Value,
    /// The parts that stayed as written, sorted, without duplicates.
    pub unresolved: Vec<String>,
    /// Why that cannot be resolved, the nearest reason first.
    pub reasons: Vec<String>,
}

/// A key path that a template looks up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LookedUp {
    /// Its segments: texts and numbers, and null for one that has no value itself.
    pub path: Vec<Value>,
    /// The place of its template: `spec.command.0`; empty if the whole value is the template.
    pub at: String,
    /// The type and the name of the component that it reads, if it reads one.
    pub component: Option<(Text, Text)>,
    /// Whether the context has nothing there.
    pub is_missing: bool,
}

/// Why a template has no value.
#[derive(Clone, Debug)]
pub(crate) struct EvalError {
    pub message: String,
    /// Why, the nearest reason first.
    pub reasons: Vec<String>,
    /// Where, if that is known.
    pub spot: Option<Spot>,
}

/// A place in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The text of the template.
    pub text: String,
    /// The bytes at fault; both ends lie between characters.
    pub range: Range<usize>,
}

impl EvalError {
    /// An error that needs no more reasons.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        EvalError { message: message.into(), reasons: Vec::new(), spot: None }
    }

    /// The same at bytes of a text. Ends inside of a character are moved.
    #[must_use]
    pub(crate) fn at(mut self, text: &str, range: Range<usize>) -> Self {
        let start = boundary(text, range.start);
        let end = boundary(text, range.end.max(start));
        self.spot = Some(Spot { text: text.to_owned(), range: start..end });
        self
    }
}

/// The last place between characters that is not behind `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The texts in a template, in their order; not more than a thousand.
pub(crate) fn texts(template: &Value) -> Vec<Text> {
    let (mut found, mut todo) = (Vec::new(), vec![template]);
    while let Some(value) = todo.pop() {
        match &value.data {
            Data::Str(text) if found.len() < MAX_TEXTS => found.push(Text::clone(text)),
            Data::List(items) => todo.extend(items.iter().rev()),
            Data::Map(map) => {
                let values: Vec<&Value> = map.iter().map(|entry| &entry.value).collect();
                todo.extend(values.into_iter().rev());
            }
            _ => {}
        }
    }
    found
}
