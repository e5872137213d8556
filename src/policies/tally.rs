//! How many steps policies took: shared by threads, and what one thread has not shared yet.

use super::Policy;
use crate::validation::Unusable;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The state of a policy.
#[derive(Default)]
pub(super) struct PolicyState {
    pub(super) taken: AtomicU64,
    /// How many steps it may have taken, and how many of them were taken from those that are left for all.
    pub(super) allowed: AtomicU64,
    pub(super) charged: AtomicU64,
    pub(super) applied: AtomicUsize,
    pub(super) was_unknown: AtomicBool,
    /// Why it is not evaluated any more.
    pub(super) unusable: Mutex<Option<Unusable>>,
}

impl PolicyState {
    /// The steps that an evaluation may take; `None` if more were taken than are allowed, with some that are not counted yet.
    pub(super) fn allowed_with(&self, uncounted: u64) -> Option<u64> {
        let allowed = self.allowed.load(Ordering::Relaxed);
        (self.taken.load(Ordering::Relaxed).saturating_add(uncounted) <= allowed).then_some(allowed)
    }

    /// Counts steps, and how often it applied. Whether more steps were taken than are allowed.
    pub(super) fn count(&self, steps: u64, applied: usize) -> bool {
        self.applied.fetch_add(applied, Ordering::Relaxed);
        let before = self.taken.fetch_add(steps, Ordering::Relaxed);
        before.saturating_add(steps) > self.allowed.load(Ordering::Relaxed)
    }

    /// The steps that it took, and how often it applied.
    pub(super) fn counts(&self) -> (u64, usize) {
        (self.taken.load(Ordering::Relaxed), self.applied.load(Ordering::Relaxed))
    }
}

/// Steps counted by one thread and not yet shared: writing to shared memory would slow down all threads.
pub(super) struct Tally {
    /// The steps by policy, and how often each applied.
    pub(super) steps: Vec<u64>,
    applied: Vec<usize>,
    /// All of these steps.
    pub(super) unpublished: u64,
}

impl Tally {
    pub(super) fn new(active: &[(usize, &Policy)]) -> Tally {
        Tally { steps: vec![0; active.len()], applied: vec![0; active.len()], unpublished: 0 }
    }

    /// Adds the steps of a policy for one component, and whether it applied.
    pub(super) fn add(&mut self, number: usize, steps: u64, applied: bool) {
        self.steps[number] += steps;
        self.applied[number] += usize::from(applied);
        self.unpublished += steps;
    }

    /// Counts all of it for everyone. The policies that took more steps than they are allowed.
    pub(super) fn publish(&mut self, active: &[(usize, &Policy)], states: &[PolicyState]) -> Vec<usize> {
        let mut exceeded = Vec::new();
        for ((i, _), (steps, applied)) in active.iter().zip(self.steps.iter_mut().zip(&mut self.applied)) {
            if states[*i].count(std::mem::take(steps), std::mem::take(applied)) {
                exceeded.push(*i);
            }
        }
        self.unpublished = 0;
        exceeded
    }
}
