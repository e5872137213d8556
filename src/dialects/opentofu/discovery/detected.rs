//! Whether revisions have root modules, each answered once: the same revisions are detected again and again.

use crate::files::Files;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The answers, and the files that were read for them.
#[derive(Default)]
pub(crate) struct Detected {
    files: Mutex<Arc<Files>>,
    has_roots: Mutex<HashMap<u64, bool>>,
}

impl Detected {
    /// The table for files that are read to find out whether there are root modules.
    pub(crate) fn files(&self) -> Arc<Files> {
        Arc::clone(&self.files.lock())
    }

    /// Returns whether there are root modules in the content with a number (see [`super::content`]).
    pub(crate) fn has_roots(&self, content: u64, find: impl FnOnce() -> bool) -> bool {
        if let Some(known) = self.has_roots.lock().get(&content) {
            return *known;
        }
        let found = find();
        self.has_roots.lock().insert(content, found);
        found
    }

    /// Drops all answers and files.
    pub(crate) fn forget(&self) {
        self.has_roots.lock().clear();
        *self.files.lock() = Arc::default();
    }
}
