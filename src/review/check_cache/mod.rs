//! Whole checks, kept across runs: what is found in a state is determined by its listing, the inputs of the run and the program.
//! Of all that only findings and coverage are kept. Levels, comments and baselines are applied anew in every run.

mod entry;
mod key;
mod recent;

use super::coverage::Coverage;
use crate::diagnostic::Side;
use crate::diagnostic::rules::LIMIT_EXCEEDED;
use crate::files::Files;
use crate::settings::Settings;
use crate::source::{Listing, Source, Store, Verified};
pub(super) use key::Key;
use recent::Recent;
pub(super) use recent::{EarlierState, EditedFile, ReadFiles};
use std::sync::Arc;

/// The checks that earlier runs have left.
pub(crate) struct CheckCache {
    store: Arc<dyn Store>,
}

/// What a check finds in a state, before it is judged.
pub(super) struct Found {
    /// The findings, and the files that were examined.
    pub(super) side: Side,
    /// What was analyzed.
    pub(super) coverage: Coverage,
}

/// The state that is checked, and what it is read with.
#[derive(Clone, Copy)]
pub(super) struct Checked<'a> {
    /// The state.
    pub(super) source: &'a Verified<'a>,
    /// Where its files are added.
    pub(super) files: &'a Files,
    /// Its settings.
    pub(super) settings: &'a Settings,
}

impl CheckCache {
    /// The name of the store, which all versions of the program share: entries of others are never found, and are removed when they
    /// were not used for long.
    pub(crate) const SPACE: &str = "checks";

    /// The checks in a store that holds nothing else.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        CheckCache { store }
    }

    /// Returns what was found in a state before, or in one that differs only in files that were not read. `None` if nothing is
    /// kept, or what is kept is damaged.
    pub(super) fn find(&self, key: &Key, checked: Checked<'_>) -> Option<Found> {
        let entry = |state: &str| entry::read(&self.store.get(state)?, checked);
        let (state, mut recent) = (key.state(), self.recent(key));
        let (state, found) = match entry(&state) {
            Some(found) => (state, found),
            None => {
                let state = recent.find(checked.source.listing())?.to_owned();
                let found = entry(&state)?;
                (state, found)
            }
        };
        if recent.use_again(&state) {
            self.put_recent(key, &recent);
        }
        Some(found)
    }

    /// Returns the states with the same paths from which one with this listing differs in one file that was read, the newest first.
    pub(super) fn with_one_edit(&self, key: &Key, listing: &Listing) -> Vec<EarlierState> {
        self.recent(key).with_one_edit(listing)
    }

    fn recent(&self, key: &Key) -> Recent {
        self.store.get(&key.recent()).map_or_else(Recent::default, |known| Recent::read(&known))
    }

    fn put_recent(&self, key: &Key, recent: &Recent) {
        if let Some(recent) = recent.bytes() {
            self.store.put(&key.recent(), &recent);
        }
    }

    /// Returns what was found in an earlier state. `None` if that is damaged, or kept no longer.
    pub(super) fn read(&self, state: &EarlierState, checked: Checked<'_>) -> Option<Found> {
        entry::read(&self.store.get(&state.key)?, checked)
    }

    /// Keeps what was found in a state, by the files that were read. What may be different next time is not kept: what a defect or
    /// a limit of time prevented, and what was read from files that are not as listed.
    pub(super) fn keep(&self, key: &Key, checked: Checked<'_>, found: &Found, read: ReadFiles) {
        let is_repeatable = found.side.diagnostics.iter().all(|d| !d.is_defect() && d.rule != &LIMIT_EXCEEDED);
        let Some(entry) = entry::write(checked, found).filter(|_| is_repeatable && checked.source.is_as_listed())
        else {
            return;
        };
        self.store.put(&key.state(), &entry);
        let mut recent = self.recent(key);
        recent.add(key.state(), read);
        self.put_recent(key, &recent);
    }
}
