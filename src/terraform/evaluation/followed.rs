//! The names that expressions refer to, as they are read: each is looked up once for all expressions.

use crate::value::{Prov, Read};
use foldhash::fast::RandomState;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The most names that are followed from all expressions of a root module. Each further one is made of all files and inputs.
const MAX_FOLLOWED: usize = 300_000;

/// The most unknown parts of values in a root module. A value with further ones is unknown as a whole.
const MAX_UNKNOWN: usize = 400_000;

/// What a name reads.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// Its value if that is known, or else its text.
    pub read: Read,
    /// Where its value comes from if that is known.
    pub value_place: Option<Prov>,
    /// Whether its value is known.
    pub is_known: bool,
}

/// The names that were followed so far.
#[derive(Default)]
pub(crate) struct Followed {
    names: RefCell<HashMap<String, Named, RandomState>>,
    count: Cell<usize>,
    unknown: Cell<usize>,
}

impl Followed {
    /// Takes one of the names that may be followed; `false` if there are no more.
    pub(super) fn take(&self) -> bool {
        self.count.set(self.count.get() + 1);
        self.count.get() <= MAX_FOLLOWED
    }

    /// Whether no more names are followed.
    pub(super) fn is_used_up(&self) -> bool {
        self.count.get() >= MAX_FOLLOWED
    }

    /// Takes unknown parts of a value; `false` if there are no more.
    pub(crate) fn take_unknown(&self, parts: usize) -> bool {
        self.unknown.set(self.unknown.get().saturating_add(parts));
        self.unknown.get() <= MAX_UNKNOWN
    }

    /// What a name reads.
    pub(super) fn get_or_insert(&self, label: &str, find: impl FnOnce() -> Named) -> Named {
        if let Some(known) = self.names.borrow().get(label) {
            return known.clone();
        }
        let named = find();
        self.names.borrow_mut().insert(label.to_owned(), named.clone());
        named
    }
}
