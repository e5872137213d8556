//! The memory that evaluations of Rego may hold together.
//!
//! The allocator that comes with the engine counts the bytes of each thread. A thread publishes its count only when the engine
//! compares it with the limit, so memory of threads that do not evaluate Rego is not counted.

use parking_lot::Mutex;
use regorus::{LimitError, check_global_memory_limit, set_global_memory_limit, set_thread_flush_threshold_override};

/// The maximum number of bytes that all running evaluations may hold together.
const MAX_BYTES: u64 = 512 << 20;

/// How many evaluations are running.
static RUNNING: Mutex<usize> = Mutex::new(0);

/// Lets threads count what they allocate without publishing it: only evaluations need to know, and most runs have none.
pub(crate) fn publish_on_demand() {
    set_thread_flush_threshold_override(Some(0));
}

/// A running evaluation. The limit holds while there is one.
pub(super) struct Metered(());

impl Metered {
    /// Begins an evaluation on this thread. What it allocates counts until it is dropped. It must free on this thread what it
    /// allocates here, apart from its results, and nothing else: the engine adds up what threads allocate and free.
    pub(super) fn start() -> Self {
        let mut running = RUNNING.lock();
        if *running == 0 {
            publish_on_demand();
            set_global_memory_limit(Some(published() + MAX_BYTES));
        }
        *running += 1;
        Metered(())
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        *RUNNING.lock() -= 1;
    }
}

/// The bytes that threads have published. The engine publishes them only when a limit is exceeded.
fn published() -> u64 {
    set_global_memory_limit(Some(0));
    match check_global_memory_limit() {
        Err(LimitError::MemoryLimitExceeded { usage, .. }) => usage,
        _ => 0,
    }
}
