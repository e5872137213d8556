//! `--timings`: how long the phases of a run take.
#![allow(clippy::disallowed_methods, reason = "the clock of the process is what this is about")]

use super::output;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Measures phases, and tells how long each took when the run ends, on standard error.
#[derive(Debug)]
pub(super) struct Timings {
    start: Instant,
    /// Each phase in the order of its first run; none if nobody asked.
    phases: Option<Mutex<Vec<(&'static str, Duration)>>>,
}

impl Timings {
    /// Starts the clock.
    pub(super) fn new(is_asked: bool) -> Self {
        Timings { start: Instant::now(), phases: is_asked.then(Mutex::default) }
    }

    /// Runs a phase. Phases of one name are added up.
    pub(super) fn phase<T>(&self, name: &'static str, run: impl FnOnce() -> T) -> T {
        let Some(phases) = &self.phases else { return run() };
        let start = Instant::now();
        let result = run();
        let took = start.elapsed();
        let mut phases = phases.lock().unwrap_or_else(PoisonError::into_inner);
        match phases.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += took,
            None => phases.push((name, took)),
        }
        result
    }
}

impl Drop for Timings {
    fn drop(&mut self) {
        let Some(phases) = &self.phases else { return };
        let phases = phases.lock().unwrap_or_else(PoisonError::into_inner);
        let total = self.start.elapsed();
        let rest = total.saturating_sub(phases.iter().map(|(_, took)| *took).sum());
        for (name, took) in phases.iter().copied().chain([("other", rest), ("all", total)]) {
            output::eprint(&format!("{name:<14} {:>9.1} ms", took.as_secs_f64() * 1000.0));
        }
    }
}
