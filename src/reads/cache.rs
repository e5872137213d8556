//! Files that were parsed, by their content.

use crate::limits::Limits;
use crate::source::BlobId;
use crate::text::FastMap;
use parking_lot::Mutex;
use std::hash::Hash;
use std::sync::Arc;

/// Parsed files by their content and what else they depend on; both revisions share it.
#[derive(Debug)]
pub(crate) struct ParsedCache<K, T> {
    known: Mutex<FastMap<(BlobId, K), Arc<T>>>,
    limits: Limits,
}

impl<K, T> Default for ParsedCache<K, T> {
    fn default() -> Self {
        ParsedCache { known: Mutex::default(), limits: Limits::default() }
    }
}

impl<K: Eq + Hash, T> ParsedCache<K, T> {
    /// Creates an empty cache with limits.
    pub(crate) fn new(limits: Limits) -> Self {
        ParsedCache { limits, ..Self::default() }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns a file that was parsed.
    pub(crate) fn get(&self, key: &(BlobId, K)) -> Option<Arc<T>> {
        self.known.lock().get(key).cloned()
    }

    /// Adds a file. Returns the one that all use: another thread may have parsed it meanwhile.
    pub(crate) fn insert(&self, key: (BlobId, K), parsed: T) -> Arc<T> {
        Arc::clone(self.known.lock().entry(key).or_insert_with(|| Arc::new(parsed)))
    }

    /// Drops all files.
    pub(crate) fn forget(&self) {
        self.known.lock().clear();
    }
}
