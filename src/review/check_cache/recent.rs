//! The states that were checked last, by the files that decided what was found in each: others may change.

use super::key::Key;
use crate::source::{BlobId, Entry, Listing};
use crate::text::Text;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How many states with the same paths are remembered.
const MAX_STATES: usize = 4;

/// The states that were checked last, the newest first. All have the same paths and inputs.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recent {
    states: Vec<State>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    /// The key of its entry.
    key: String,
    /// The paths of the files that were read, and of those with the same content: what was parsed of one counts for the other.
    paths: Vec<Text>,
    /// A digest of these files.
    content: String,
}

impl Recent {
    /// Reads what [`Self::bytes`] wrote; nothing if that is damaged.
    pub(super) fn read(bytes: &[u8]) -> Recent {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    /// The form in which it is kept.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        serde_json::to_vec(self).ok()
    }

    /// Adds a state of which the files with some contents were read.
    pub(super) fn add(&mut self, key: String, listing: &Listing, is_read: impl Fn(&BlobId) -> bool) {
        let read: Vec<&Entry> = listing.iter().filter(|entry| is_read(&entry.id)).collect();
        let content = Key::content(&read);
        let paths = read.iter().map(|entry| Text::from(&*entry.path)).collect();
        self.states.retain(|state| state.content != content);
        self.states.insert(0, State { key, paths, content });
        self.states.truncate(MAX_STATES);
    }

    /// Returns the key of the entry of a state in which the same was found as in a state with this listing: the files that were
    /// read are the same, and no other file has the content of one of them. A check reads nothing else then, because what it reads
    /// next is decided by the paths and by what it has read.
    pub(super) fn find(self, listing: &Listing) -> Option<String> {
        self.states.into_iter().find(|state| state.has_same_files(listing)).map(|state| state.key)
    }
}

impl State {
    fn has_same_files(&self, listing: &Listing) -> bool {
        let Some(entries) = self.paths.iter().map(|path| listing.get(path)).collect::<Option<Vec<&Entry>>>() else {
            return false;
        };
        let ids: HashSet<BlobId> = entries.iter().map(|entry| entry.id).collect();
        let with_such_content = listing.iter().filter(|entry| ids.contains(&entry.id)).count();
        with_such_content == entries.len() && Key::content(&entries) == self.content
    }
}
