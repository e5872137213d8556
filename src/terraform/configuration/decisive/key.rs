//! The inputs of a root module as bytes, as far as they decide whether something is wrong: the same bytes, the same failures.

use crate::hcl::types::Type;
use crate::hcl::val::{Data, Entries, Marks, Val};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::module::decisive::{Decisive, Detail};
use std::io::Write;

/// The longest text that is taken for one like all others. Longer ones cost more steps.
const LONGEST: usize = 256;

/// Returns the bytes; `None` if an input is wrong.
pub(in crate::terraform::configuration) fn of(statics: &Statics<'_>, decisive: &Decisive) -> Option<Vec<u8>> {
    let mut key = Key(Vec::new());
    for (name, variable) in &statics.nodes[0].module.variables {
        let detail = decisive.variables.get(name).copied().unwrap_or_default();
        match statics.given_value(name, variable) {
            Ok(value) => key.value(&value, detail)?,
            // Nothing gives it a value here: it is not known.
            Err(failures) if failures.iter().all(|failure| failure.is_open) => key.0.push(b'-'),
            Err(_) => return None,
        }
    }
    key.value(&statics.workspace_name(), decisive.workspace)?;
    Some(key.0)
}

struct Key(Vec<u8>);

impl Key {
    /// Adds a value; `None` for what has no meaning here.
    fn value(&mut self, value: &Val, detail: Detail) -> Option<()> {
        let bit = |mark, bit| if value.marks.has(mark) { bit } else { 0 };
        let marks = bit(Marks::SENSITIVE, 1) | bit(Marks::EPHEMERAL, 2);
        let has_text = |text: &str| detail != Detail::Shape || text.len() > LONGEST;
        match &value.data {
            Data::Null(ty) => self.tag(b'n', marks).shown(format_args!("{ty:?}")),
            Data::Unknown(..) if value.is_failed() => self.tag(b'f', marks).end(),
            Data::Unknown(ty, _) if detail == Detail::Shape && value.facts().is_none() => {
                self.tag(b'u', marks).shown(format_args!("{ty:?}"))
            }
            Data::Unknown(ty, reason) => self.tag(b'U', marks).shown(format_args!("{ty:?} {reason:?}")),
            Data::Bool(truth) if detail == Detail::Whole => self.tag(b'0' + u8::from(*truth), marks).end(),
            Data::Bool(_) => self.tag(b'b', marks).end(),
            Data::Number(number) if detail == Detail::Whole => self.tag(b'D', marks).shown(format_args!("{number:?}")),
            Data::Number(_) => self.tag(b'd', marks).end(),
            Data::Str(text) if has_text(text) => self.tag(b'S', marks).text(text),
            Data::Str(_) => self.tag(b's', marks).end(),
            Data::List(ty, items) => self.tag(b'l', marks).typed(ty, items.is_empty()).items(items, detail),
            Data::Set(ty, items) => self.tag(b'e', marks).typed(ty, items.is_empty()).items(items, detail),
            Data::Tuple(items) => self.tag(b't', marks).items(items, detail),
            Data::Map(ty, entries) => self.tag(b'm', marks).typed(ty, entries.is_empty()).entries(entries, detail),
            Data::Object(entries) => self.tag(b'o', marks).entries(entries, detail),
            Data::Partial(entries, _) => self.tag(b'p', marks).entries(entries, detail),
            Data::Reference(_) => None,
        }
    }

    fn tag(&mut self, tag: u8, marks: u8) -> &mut Self {
        self.0.extend([tag, marks]);
        self
    }

    fn end(&mut self) -> Option<()> {
        Some(())
    }

    fn length(&mut self, length: usize) -> &mut Self {
        self.0.extend((length as u64).to_le_bytes());
        self
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.length(text.len()).0.extend(text.as_bytes());
        Some(())
    }

    fn shown(&mut self, shown: std::fmt::Arguments<'_>) -> Option<()> {
        self.0.write_fmt(shown).ok()?;
        self.0.push(0);
        Some(())
    }

    /// The type of elements, where there are none to tell it.
    fn typed(&mut self, ty: &Type, is_empty: bool) -> &mut Self {
        if is_empty {
            self.shown(format_args!("{ty:?}"));
        }
        self
    }

    fn items(&mut self, items: &[Val], detail: Detail) -> Option<()> {
        self.length(items.len());
        items.iter().try_for_each(|item| self.value(item, detail))
    }

    fn entries(&mut self, entries: &Entries, detail: Detail) -> Option<()> {
        self.length(entries.len());
        for (key, value) in entries {
            self.text(key)?;
            self.value(value, detail)?;
        }
        Some(())
    }
}
