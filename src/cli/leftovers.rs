//! Values that a command leaves behind because the process ends soon. Dropping a large resolution takes a noticeable part
//! of a run, and frees memory that the system frees anyway.

use parking_lot::Mutex;
use std::any::Any;
use std::sync::Arc;

/// Values that were left behind. [`super::main`], which owns them, decides whether they are dropped.
#[derive(Clone, Default)]
pub(super) struct Leftovers(Arc<Mutex<Vec<Box<dyn Any + Send>>>>);

impl Leftovers {
    /// Leaves a value that is no longer used to `main`.
    pub(super) fn leave(&self, value: impl Any + Send) {
        self.0.lock().push(Box::new(value));
    }
}

impl std::fmt::Debug for Leftovers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Leftovers({})", self.0.lock().len())
    }
}
