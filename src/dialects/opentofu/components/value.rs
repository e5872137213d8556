//! Values of components: their provenance, and placeholders for unknown ones.

use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::block::Written;
use crate::value::{Data, Key, Map, Origin, Prov, Unknown, Value};
use std::sync::Arc;

/// The origin of a place as a whole.
pub(crate) fn origin((file, span): Place) -> Origin {
    Origin { file, key: span.start, start: span.start, end: span.end }
}

/// Where an argument is written.
pub(crate) fn at(written: &Written) -> Prov {
    let (value, argument) = (written.expr.span, written.span);
    Prov::at(Origin { file: written.file, key: argument.start, start: value.start, end: value.end })
}

/// The value of something that cannot be computed.
pub(crate) fn unknown(found: &[Failure], written: &Written) -> Value {
    let reasons = found.iter().take(3).map(|f| f.message.as_str().into()).collect();
    let unknown = Unknown { text: "(not known)".into(), assumed: None, reasons };
    Value::new(Data::Unknown(Arc::new(unknown))).with_prov(at(written))
}

/// A map with the entries that have a value.
pub(crate) fn map_of(entries: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Map {
    entries.into_iter().filter_map(|(key, value)| Some((Key::from(key), value?))).collect()
}
