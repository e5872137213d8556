//! Whether the arguments of calls are in order. That is found out while a component is built: nearly all are, and rules then need
//! not look for those that are not.

use crate::text::{FastMap, Text};
use crate::threads::PerThread;
use crate::value::{Language, Reading};

/// The calls of one revision that were read, for each thread.
#[derive(Default)]
pub(in crate::dialects::atmos) struct KnownCalls(PerThread<FastMap<usize, Known>>);

/// A text, whose address stays valid because it is kept alive, and whether it is in order.
type Known = (Text, bool);

impl KnownCalls {
    /// Whether a text is no call whose arguments are refused.
    pub(super) fn is_valid(&self, text: &Text, language: &Language) -> bool {
        let is_valid = || !matches!((language.read)(text), Some(Reading::Refused(_)));
        let known = |known: &mut FastMap<usize, Known>| {
            known.entry(text.as_ptr().addr()).or_insert_with(|| (Text::clone(text), is_valid())).1
        };
        self.0.with(known).unwrap_or_else(is_valid)
    }
}
