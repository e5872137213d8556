//! Work on several threads, results in the order of the input.

use rayon::prelude::*;
use std::sync::OnceLock;

/// Deeply nested manifests and long import chains recurse.
const STACK: usize = 64 << 20;

/// Applies `f` to every item, on as many threads as there are processors.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    let pool = POOL.get_or_init(|| rayon::ThreadPoolBuilder::new().stack_size(STACK).build().ok());
    match pool {
        Some(pool) => pool.install(|| items.par_iter().map(f).collect()),
        None => items.iter().map(f).collect(),
    }
}
