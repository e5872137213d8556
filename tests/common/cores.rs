//! Work on all cores, for a test with many cases that runs when the others are done.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does some work on all cores.
pub(crate) fn on_all_cores<T: Sync>(work: &[T], each: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(item) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    each(item)
                }
            });
        }
    });
}
