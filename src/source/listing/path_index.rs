//! Where entries are, and which folders there are, by hashes of paths: most questions are about what is not there.

use super::Entry;
use crate::paths::parent;
use crate::text::{FastMap, FastSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// The keys are chosen when the program starts, so that nobody can name files such that many have one hash.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The entries and folders of a listing.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct PathIndex {
    entries: FastMap<u64, u32>,
    folders: FastSet<u64>,
}

impl PathIndex {
    /// The index of entries, which are sorted.
    pub(super) fn new(entries: &[Entry]) -> Self {
        let entries_by_hash = FastMap::with_capacity_and_hasher(entries.len(), Default::default());
        let mut index = PathIndex { entries: entries_by_hash, folders: FastSet::default() };
        let mut last = "";
        for (at, entry) in (0..).zip(entries) {
            index.entries.insert(KEYS.hash_one(&*entry.path), at);
            let folder = parent(&entry.path);
            if folder != last {
                let folders = std::iter::successors(Some(folder), |folder| Some(parent(folder)));
                let is_new = |folder: &&str| !folder.is_empty() && index.folders.insert(KEYS.hash_one(*folder));
                folders.take_while(is_new).for_each(drop);
                last = folder;
            }
        }
        index
    }

    /// Where the entry of a path is, or another one with the same hash; `None` if there is no entry of this path.
    pub(super) fn find(&self, path: &str) -> Option<usize> {
        self.entries.get(&KEYS.hash_one(path)).map(|at| *at as usize)
    }

    /// Whether a path, which is not empty, may be a folder with something in it.
    pub(super) fn may_be_folder(&self, path: &str) -> bool {
        self.folders.contains(&KEYS.hash_one(path))
    }
}
