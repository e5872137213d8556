//! Time budgets of schemas and policies of a repository. They are programs from untrusted changes: they run on threads
//! with a large stack, which are abandoned when the time is up. Operations that could exhaust the memory in one step
//! are rejected before they start.
#![allow(clippy::disallowed_methods, reason = "a schema or policy that does not end must not hang the run")]

use parking_lot::Mutex;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How long all schemas and policies of one resolution may take together. They take milliseconds.
pub(crate) const TIME: Duration = Duration::from_secs(5);

/// The stack of a thread, in bytes. Only what is used of it takes memory.
const STACK: usize = 512 << 20;

/// The time that is left.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Mutex<Duration>,
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The time is up.
    OutOfTime,
    /// It ended in a defect.
    Defect,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { left: Mutex::new(TIME) }
    }
}

impl Budget {
    /// Runs something for as long as there is time.
    pub(crate) fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Stopped> {
        self.run_for(TIME, work)
    }

    /// Runs something for as long as there is time, and at most so long.
    pub(crate) fn run_for<T: Send + 'static>(
        &self,
        most: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let left = (*self.left.lock()).min(most);
        if left.is_zero() {
            return Err(Stopped::OutOfTime);
        }
        let (send, receive) = sync_channel(1);
        let start = Instant::now();
        let started = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            // If that fails, nobody is waiting for the result.
            let _ = send.send(work());
        });
        if started.is_err() {
            return Err(Stopped::Defect);
        }
        let (result, took) = (receive.recv_timeout(left), start.elapsed());
        let mut rest = self.left.lock();
        *rest = rest.saturating_sub(took);
        match result {
            // Work that ends itself when the time is up did not end in time.
            Ok(result) if took < left => Ok(result),
            Ok(_) | Err(RecvTimeoutError::Timeout) => Err(Stopped::OutOfTime),
            Err(RecvTimeoutError::Disconnected) => Err(Stopped::Defect),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_itself_when_the_time_is_up_is_out_of_time() {
        let budget = Budget { left: Mutex::new(Duration::from_secs(3_600)) };
        let most = Duration::from_millis(10);
        for _ in 0..5 {
            assert_eq!(budget.run_for(most, move || std::thread::sleep(most)), Err(Stopped::OutOfTime));
        }
        assert_eq!(budget.run(|| 1), Ok(1));
    }

    #[test]
    fn what_does_not_end_is_left_behind() {
        let budget = Budget { left: Mutex::new(Duration::from_millis(10)) };
        assert_eq!(budget.run(std::thread::park), Err(Stopped::OutOfTime));
        assert_eq!(budget.run(|| 1), Err(Stopped::OutOfTime));
    }
}
