//! What of a listing is computed only if it is asked for.

use super::KEYS;
use crate::source::Entry;
use std::hash::{BuildHasher, DefaultHasher, Hasher};
use std::sync::OnceLock;

/// A hash of entries, made when it is first asked for. Listings do not differ in whether that happened.
#[derive(Debug, Default, Clone)]
pub(super) struct OnDemand(OnceLock<u64>);

impl OnDemand {
    pub(super) fn get(&self, entries: &[Entry], add: impl Fn(&Entry, &mut DefaultHasher)) -> u64 {
        *self.0.get_or_init(|| {
            let mut hasher = KEYS.build_hasher();
            entries.iter().for_each(|entry| add(entry, &mut hasher));
            hasher.finish()
        })
    }
}

impl PartialEq for OnDemand {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for OnDemand {}
