//! `--timings`: how long the phases of a run take.
#![allow(clippy::disallowed_methods, reason = "the clock of the process is what this is about")]

use super::output::{self, progress};
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Measures phases, and prints how long each took on standard error when the run ends.
#[derive(Debug)]
pub(super) struct Timings {
    start: Instant,
    /// When the running phase began; phases do not contain each other.
    began: Mutex<Instant>,
    /// Each phase in the order of its first run; `None` unless requested.
    phases: Option<Mutex<Vec<(&'static str, Duration)>>>,
}

impl Timings {
    /// Starts the clock.
    pub(super) fn new(is_asked: bool) -> Self {
        let start = Instant::now();
        Timings { start, began: Mutex::new(start), phases: is_asked.then(Mutex::default) }
    }

    pub(super) fn phase<T>(&self, name: &'static str, run: impl FnOnce() -> T) -> T {
        self.begin(name);
        let result = run();
        self.end(name);
        result
    }

    pub(super) fn begin(&self, phase: &'static str) {
        progress::phase(phase);
        *self.began.lock() = Instant::now();
    }

    /// The phase that began last ends. Phases of one name are added up.
    pub(super) fn end(&self, phase: &'static str) {
        let Some(phases) = &self.phases else { return };
        let took = self.began.lock().elapsed();
        let mut phases = phases.lock();
        match phases.iter_mut().find(|(known, _)| *known == phase) {
            Some((_, sum)) => *sum += took,
            None => phases.push((phase, took)),
        }
    }
}

impl Drop for Timings {
    fn drop(&mut self) {
        let Some(phases) = &self.phases else { return };
        let phases = phases.lock();
        let total = self.start.elapsed();
        let rest = total.saturating_sub(phases.iter().map(|(_, took)| *took).sum());
        for (name, took) in phases.iter().copied().chain([("other", rest), ("all", total)]) {
            output::eprint(&format!("{name:<14} {:>9.1} ms", took.as_secs_f64() * 1000.0));
        }
    }
}
