//! Values as components show them: their provenance, and placeholders for unknown ones.

use crate::hcl::items::plainly;
use crate::hcl::val::Marks;
use crate::hcl::val::export::export_at;
use crate::reads::made_of;
use crate::terraform::evaluation::made_of::MadeOf;
use crate::terraform::evaluation::parts::with_sources;
use crate::terraform::evaluation::statics::{Found, Statics};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::block::Written;
use crate::text::Text;
use crate::value::{Data, Flags, Key, Map, Origin, Prov, Unknown, Value};
use std::rc::Rc;
use std::sync::Arc;

/// The origin of a place as a whole.
pub(crate) fn origin((file, span): Place) -> Origin {
    Origin { file, key: span.start, start: span.start, end: span.end }
}

/// The value of a variable with these marks: hidden from output if they say so.
pub(crate) fn hidden_if(value: Value, marks: Marks) -> Value {
    if marks.has(Marks::SENSITIVE) { value.hidden() } else { value }
}

/// A map with the entries that have a value.
pub(crate) fn map_of(entries: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Map {
    entries.into_iter().filter_map(|(key, value)| Some((Key::from(key), value?))).collect()
}

/// The text of something unknown and what it is made of, with where that is written.
pub(crate) type Source = Rc<(Unknown, Vec<Prov>)>;

/// From how many reads or places on the parts of a collection share them.
const SHARED: usize = 20;

/// Where an argument is written.
pub(crate) fn at(written: &Written) -> Prov {
    let (value, argument) = (written.expr.span, written.span);
    Prov::at(Origin { file: written.file, key: argument.start, start: value.start, end: value.end })
}

/// The value of an argument of a module: evaluated, or its text with what it needs.
pub(crate) fn exported(statics: &Statics<'_>, node: usize, written: &Written, found: Found) -> Value {
    match found {
        Ok(value) => {
            let exported = export_at(&value, &at(written));
            if !exported.holds(Flags::UNKNOWN) {
                return exported;
            }
            let mut source =
                |written: &Written| Rc::new(unknown(statics, &[], written, statics.made_of(node, written)));
            with_sources(&exported, &value, written, &mut source)
        }
        Err(found) => {
            let (unknown, places) = unknown(statics, &found, written, statics.made_of(node, written));
            Value::new(Data::Unknown(Arc::new(unknown))).with_prov(at(written).with_inputs(places))
        }
    }
}

/// An argument that cannot be computed: its text, and what it is made of.
pub(crate) fn unknown(
    statics: &Statics<'_>,
    found: &[Failure],
    written: &Written,
    (reads, places): MadeOf,
) -> (Unknown, Vec<Prov>) {
    let text = plainly(&statics.source_text(written));
    let text: Text = if text.starts_with(['"', '<']) { text.into() } else { format!("${{{text}}}").into() };
    let reasons = found.iter().take(3).map(|f| f.message.as_str().into()).collect();
    let mut unknown = Unknown { text, reasons, ..Unknown::default() };
    unknown.add_reads(reads);
    (unknown, places)
}

/// The value with the text that its unknown parts come from, and with what that is made of. All parts of a collection share what is
/// much: they may be as many.
pub(super) fn with_source(value: &Value, source: &Source) -> Value {
    let (source, places) = &**source;
    if matches!(value.data, Data::Unknown(_)) || source.reads.len().max(places.len()) < SHARED {
        return sourced(value, source, places);
    }
    let shared = Unknown { reads: vec![made_of::all("one of many values", source.reads.clone())], ..source.clone() };
    sourced(value, &shared, &[Prov::default().with_inputs(places.iter().cloned())])
}

fn sourced(value: &Value, source: &Unknown, places: &[Prov]) -> Value {
    let with_source = |value: &Value| {
        let Data::Unknown(unknown) = &value.data else { return None };
        let mut unknown = (**unknown).clone();
        unknown.text = source.text.clone();
        unknown.is_marked = source.is_marked;
        unknown.add_reads(source.reads.iter().cloned());
        let prov = value.prov.with_inputs(places.iter().cloned());
        Some(Value { data: Data::Unknown(Arc::new(unknown)), prov })
    };
    value.rebuilt(with_source, Prov::clone)
}
