//! What the texts of calls say. Each is read once on each thread: one line gives its call to many components.
//!
//! Whether the arguments are in order is found out while a component is built: nearly all are, and rules then need not look for those
//! that are not.

use super::links;
use crate::resolution::Link;
use crate::text::{FastMap, Text};
use crate::threads::PerThread;
use crate::value::{Language, Reading};

/// The calls of one revision that were read, for each thread, by the addresses of their texts.
#[derive(Default)]
pub(in crate::dialects::atmos) struct KnownCalls(PerThread<FastMap<usize, Known>>);

/// A text, whose address stays valid because it is kept alive, and what it says.
struct Known {
    _text: Text,
    call: Call,
}

/// What the text of a call says.
#[derive(Clone)]
pub(super) struct Call {
    /// Whether it is no call whose arguments are refused.
    pub(super) is_valid: bool,
    /// The component that it reads, without a place.
    pub(super) link: Option<Link>,
}

impl Call {
    fn read(text: &str, language: &Language) -> Self {
        let is_valid = !matches!((language.read)(text), Some(Reading::Refused(_)));
        Call { is_valid, link: links::of_function(text) }
    }
}

impl KnownCalls {
    /// Reads a text.
    pub(super) fn read(&self, text: &Text, language: &Language) -> Call {
        let read = || Call::read(text, language);
        let known = |known: &mut FastMap<usize, Known>| {
            let new = || Known { _text: Text::clone(text), call: read() };
            known.entry(text.as_ptr().addr()).or_insert_with(new).call.clone()
        };
        self.0.with(known).unwrap_or_else(read)
    }
}
