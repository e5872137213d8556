//! How the process uses memory, and what of it is not freed.

use parking_lot::Mutex;
use std::any::Any;
use std::sync::Arc;

/// Asks Linux for memory in pages of ordinary size, even where the allocator asks for huge ones: a run touches only a part of each
/// of these, and on a busy machine the kernel takes longer to clear them than they save.
pub(super) fn use_ordinary_pages() {
    #[cfg(target_os = "linux")]
    // Where the kernel refuses, the process takes more memory or time.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Values that a command leaves behind because the process ends soon: dropping a large resolution takes a noticeable part of
/// a run, and frees memory that the system frees anyway. [`super::main`] owns them, and decides whether they are dropped.
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
