//! Values as components show them: their provenance, and placeholders for unknown ones.

use crate::hcl::ast::Expr;
use crate::hcl::items::{plainly, said};
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
use std::cell::OnceCell;
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

/// What unknown values come from.
#[derive(Debug)]
pub(crate) struct Source {
    /// The text of the expression, and what that is made of.
    pub unknown: Unknown,
    /// Where that is written.
    pub places: Vec<Prov>,
    /// The same with everything as one, for many values.
    together: OnceCell<(Unknown, Vec<Prov>)>,
}

impl Source {
    pub(crate) fn new((unknown, places): (Unknown, Vec<Prov>)) -> Self {
        Source { unknown, places, together: OnceCell::new() }
    }

    /// What is much is one, for values of which there may be as many.
    fn of_parts(&self) -> (&Unknown, &[Prov]) {
        if self.unknown.reads.len().max(self.places.len()) < SHARED {
            return (&self.unknown, &self.places);
        }
        let (unknown, places) = self.together.get_or_init(|| {
            let reads = vec![made_of::all("one of many values", self.unknown.reads.clone())];
            let places = vec![Prov::default().with_inputs(self.places.iter().cloned())];
            (Unknown { reads, ..self.unknown.clone() }, places)
        });
        (unknown, places)
    }
}

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
            let mut source = |written: &Written| {
                Rc::new(Source::new(unknown(statics, &[], written, statics.made_of(node, written))))
            };
            let has_key = |expr: &Expr, key: &str| statics.has_key(node, expr, key);
            with_sources(&exported, &value, written, (&mut source, &has_key))
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
    // The entries of an object may be in any order.
    let says = if text.contains('{') { said(&text).into() } else { Text::default() };
    let text: Text = if text.starts_with(['"', '<']) { text.into() } else { format!("${{{text}}}").into() };
    let reasons = found.iter().take(3).map(|f| f.message.as_str().into()).collect();
    let mut unknown = Unknown { text, says, reasons, ..Unknown::default() };
    unknown.add_reads(reads);
    (unknown, places)
}

/// The value with the text that its unknown parts come from, and with what that is made of.
pub(super) fn with_source(value: &Value, source: &Source, is_part: bool) -> Value {
    match &value.data {
        Data::Unknown(_) if !is_part => sourced(value, &source.unknown, &source.places),
        _ => {
            let (unknown, places) = source.of_parts();
            sourced(value, unknown, places)
        }
    }
}

fn sourced(value: &Value, source: &Unknown, places: &[Prov]) -> Value {
    let with_source = |value: &Value| {
        let Data::Unknown(unknown) = &value.data else { return None };
        let mut unknown = (**unknown).clone();
        unknown.text = source.text.clone();
        unknown.says = source.says.clone();
        unknown.is_marked = source.is_marked;
        unknown.add_reads(source.reads.iter().cloned());
        let prov = value.prov.with_inputs(places.iter().cloned());
        Some(Value { data: Data::Unknown(Arc::new(unknown)), prov })
    };
    value.rebuilt(with_source, Prov::clone)
}
