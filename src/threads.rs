//! Work on several threads, results in the order of the input. A defect of stacklint in one piece of work is caught there, so
//! that all others are done.

use parking_lot::Mutex;
use rayon::prelude::*;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Deeply nested manifests and long import chains recurse. Pages of a stack that are never reached cost nothing.
const STACK: usize = 256 << 20;

/// Into how many pieces work is cut: many, because a slow item must not delay its neighbors. To schedule a piece takes as long as
/// the work on some small items.
const PIECES: usize = 1024;

fn pool() -> Option<&'static rayon::ThreadPool> {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    let build = || {
        let builder = rayon::ThreadPoolBuilder::new().stack_size(STACK).start_handler(|_| HAS_DEEP_STACK.set(true));
        builder.build().ok()
    };
    POOL.get_or_init(build).as_ref()
}

thread_local! {
    /// Whether this thread was made with room for deep recursion.
    static HAS_DEEP_STACK: Cell<bool> = const { Cell::new(false) };
}

/// A value for each thread of the pool, and one for all other threads: a cache that threads do not wait for each other
/// to use. It is created at its first use, and dropped with its owner.
pub(crate) struct PerThread<T>(Box<[Slot<T>]>);

/// A slot fills whole cache lines, so that threads do not slow each other down.
#[repr(align(128))]
struct Slot<T>(Mutex<Option<Box<T>>>);

impl<T> Default for PerThread<T> {
    fn default() -> Self {
        let threads = pool().map_or(0, rayon::ThreadPool::current_num_threads);
        PerThread((0..=threads).map(|_| Slot(Mutex::new(None))).collect())
    }
}

impl<T: Default> PerThread<T> {
    /// Returns what `f` makes of the value of this thread; `None` if another thread, or `f` itself, uses it at the moment.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        let slot = rayon::current_thread_index().map_or(0, |index| index + 1);
        let mut value = self.0.get(slot)?.0.try_lock()?;
        Some(f(value.get_or_insert_default()))
    }

    /// Drops all values.
    pub(crate) fn clear(&self) {
        self.0.iter().for_each(|slot| drop(slot.0.lock().take()));
    }
}

/// Applies `f` to every item, on as many threads as there are processors.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    match pool() {
        // To wake a thread takes longer than nothing.
        _ if items.is_empty() => Vec::new(),
        Some(pool) => pool.install(|| items.par_iter().with_max_len(1 + items.len() / PIECES).map(f).collect()),
        None => items.iter().map(f).collect(),
    }
}

/// A thread of the pool; other threads are not told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PoolThread(Option<usize>);

impl PoolThread {
    /// The thread that this is called on.
    pub(crate) fn current() -> Self {
        PoolThread(rayon::current_thread_index())
    }
}

/// Drops values on the threads of the pool, without waiting for it: each on the thread that it was made on, because the
/// allocator takes back memory of other threads much more slowly.
pub(crate) fn drop_in_background<T: Send + 'static>(items: Vec<T>, made_on: impl Fn(&T) -> PoolThread) {
    let Some(pool) = pool() else { return };
    let mut of_threads: Vec<Vec<T>> = (0..pool.current_num_threads()).map(|_| Vec::new()).collect();
    for item in items {
        let PoolThread(thread) = made_on(&item);
        if let Some(own) = of_threads.get_mut(thread.unwrap_or_default()) {
            own.push(item);
        }
    }
    let of_threads: Vec<Mutex<Vec<T>>> = of_threads.into_iter().map(Mutex::new).collect();
    pool.spawn_broadcast(move |thread| {
        drop(of_threads.get(thread.index()).map(|own| std::mem::take(&mut *own.lock())))
    });
}

/// Does both, at the same time if there is another processor.
pub(crate) fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    match pool() {
        Some(pool) => drop(pool.install(|| rayon::join(a, b))),
        None => {
            a();
            b();
        }
    }
}

/// Runs `f` on a thread with room for deep recursion: here if this is one, or if there can be none.
pub(crate) fn with_deep_stack<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    if HAS_DEEP_STACK.get() {
        return f();
    }
    let work = Mutex::new(Some(f));
    let take = || work.lock().take();
    let run = || {
        HAS_DEEP_STACK.set(true);
        take().map(|f| f())
    };
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).ok()?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    match done {
        Some(result) => result,
        // The thread could not be made, so the work is still there.
        None => take().map(|f| f()).expect("work is taken once"),
    }
}

/// Signals work whether its result is still needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel(Option<Arc<AtomicBool>>);

impl Cancel {
    /// Returns a handle that never cancels.
    pub(crate) const fn never() -> Self {
        Cancel(None)
    }

    /// Work that can be canceled.
    pub(crate) fn new() -> Self {
        Cancel(Some(Arc::default()))
    }

    /// Cancels the work.
    pub(crate) fn cancel(&self) {
        if let Some(canceled) = &self.0 {
            canceled.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the work was canceled.
    pub(crate) fn is_canceled(&self) -> bool {
        self.0.as_ref().is_some_and(|canceled| canceled.load(Ordering::Relaxed))
    }
}

/// A defect of stacklint: a piece of work panicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Defect {
    /// The piece of work: `rule unused-local`.
    pub(crate) work: String,
    /// The message of the panic, and its place.
    pub(crate) message: String,
}

/// The piece of work that panics, for tests of the whole program. Not compiled into a release.
#[cfg(debug_assertions)]
pub(crate) static PLANTED: OnceLock<String> = OnceLock::new();

thread_local! {
    /// The message of the last panic on this thread.
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `f`, a piece of work; what it would end the process with is an error.
pub(crate) fn catch_panic<R>(work: &str, f: impl FnOnce() -> R) -> Result<R, Defect> {
    MESSAGE.with_borrow_mut(Option::take);
    // Results that `f` leaves incomplete are discarded: everything shared is a cache that is always valid.
    let run = || {
        #[cfg(debug_assertions)]
        assert!(PLANTED.get().is_none_or(|planted| planted != work), "planted by a test");
        f()
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        let message = MESSAGE.with_borrow_mut(Option::take).unwrap_or_else(|| text.to_owned());
        Defect { work: work.to_owned(), message }
    })
}

/// Stores the message of a panic for [`catch_panic`], instead of printing it between other output.
pub(crate) fn note_panic(info: &PanicHookInfo<'_>) {
    let text = info.payload_as_str().unwrap_or("no reason given");
    let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
    MESSAGE.with_borrow_mut(|message| *message = Some(format!("{text}{place}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_of_one_piece_of_work_is_its_result() {
        let one = |n: &u32| catch_panic("one", || if *n == 2 { panic!("piece {n}") } else { n * 10 });
        let done = map(&[1, 2, 3], one);
        assert_eq!(done[0], Ok(10));
        assert!(done[1].as_ref().is_err_and(|d| d.work == "one" && d.message.contains("piece 2")));
        assert_eq!(done[2], Ok(30));
    }

    #[test]
    fn there_is_room_for_deep_recursion() {
        fn deep(n: u32) -> u32 {
            let room = std::hint::black_box([n; 256]);
            if n == 0 { room[0] } else { deep(n - 1) + std::hint::black_box(room)[1] - n + 1 }
        }
        assert_eq!(with_deep_stack(|| deep(50_000)), 50_000);
    }

    /// A thread for each piece of work costs more than the work.
    #[test]
    fn a_thread_with_room_makes_no_other_one() {
        let thread = || std::thread::current().id();
        let (outer, inner) = with_deep_stack(|| (thread(), with_deep_stack(thread)));
        assert_eq!(outer, inner);
        assert!(map(&[0; 20], |_| thread() == with_deep_stack(thread)).into_iter().all(|is_same| is_same));
    }
}
