//! The states that were checked last, by the files that decided what was found in each: others may change.

use crate::source::{BlobId, Entry, Listing};
use crate::text::Text;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// How many states with the same paths are remembered.
const MAX_STATES: usize = 4;

/// The states that were checked last, the newest first. All have the same paths and inputs.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recent {
    states: Vec<EarlierState>,
}

/// A state that was checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::review) struct EarlierState {
    /// The key of its entry.
    pub(super) key: String,
    /// What decided what was found in it.
    read: ReadFiles,
}

/// The files that a check read, and those with the same content: what was parsed of one counts for the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::review) struct ReadFiles {
    /// The number of all units.
    units: usize,
    files: Vec<ReadFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadFile {
    path: Text,
    id: BlobId,
    /// The number of units that it is a part of.
    units: usize,
}

/// The only file in which two states differ, of those that a check of the earlier one read.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::review) struct EditedFile<'a> {
    /// Its path.
    pub(in crate::review) path: &'a str,
    /// Its content before.
    pub(in crate::review) before: BlobId,
    /// How many units read it, and how many there are.
    pub(in crate::review) units: (usize, usize),
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

    /// Adds a state.
    pub(super) fn add(&mut self, key: String, read: ReadFiles) {
        self.states.retain(|state| state.read != read);
        self.states.insert(0, EarlierState { key, read });
        self.states.truncate(MAX_STATES);
    }

    /// Returns the key of the entry of a state in which the same was found as in a state with this listing: the files that were
    /// read are the same, and no other file has the content of one of them. A check reads nothing else then, because what it reads
    /// next is decided by the paths and by what it has read.
    pub(super) fn find(&self, listing: &Listing) -> Option<&str> {
        let is_same =
            |state: &&EarlierState| state.read.differing(listing).is_some_and(|differing| differing.is_empty());
        self.states.iter().find(is_same).map(|state| &*state.key)
    }

    /// Returns the states from which one with this listing differs in one file that was read.
    pub(super) fn with_one_edit(self, listing: &Listing) -> Vec<EarlierState> {
        self.states.into_iter().filter(|state| state.edited(listing).is_some()).collect()
    }
}

impl EarlierState {
    /// Returns the only file that differs in a state with this listing, of those that were read; `None` if there are more, or none.
    pub(in crate::review) fn edited(&self, listing: &Listing) -> Option<EditedFile<'_>> {
        let differing = self.read.differing(listing)?;
        let [file] = differing[..] else { return None };
        Some(EditedFile { path: &file.path, before: file.id, units: (file.units, self.read.units) })
    }

    /// The files that decide what is found in a state with this listing, in which the same files are read.
    pub(in crate::review) fn read_in(&self, listing: &Listing) -> ReadFiles {
        let id = |file: &ReadFile| listing.get(&file.path).map_or(file.id, |entry| entry.id);
        let files = self.read.files.iter().map(|file| ReadFile { id: id(file), ..file.clone() });
        ReadFiles { files: files.collect(), ..self.read }
    }
}

impl ReadFiles {
    /// The files of a listing of which `is_read` is true. `units` are the files of each unit.
    pub(in crate::review) fn of(
        listing: &Listing,
        is_read: impl Fn(&BlobId) -> bool,
        units: impl IntoIterator<Item = Vec<Text>>,
    ) -> ReadFiles {
        let (mut total, mut parts) = (0, HashMap::<Text, usize>::new());
        for paths in units {
            total += 1;
            paths.into_iter().for_each(|path| *parts.entry(path).or_default() += 1);
        }
        let file = |entry: &Entry| ReadFile {
            path: (&*entry.path).into(),
            id: entry.id,
            units: parts.get(&*entry.path).copied().unwrap_or_default(),
        };
        ReadFiles { units: total, files: listing.iter().filter(|entry| is_read(&entry.id)).map(file).collect() }
    }

    /// Returns the files that have another content in a listing; `None` if one is missing there, or another file has the content
    /// of one of them, before or now.
    fn differing(&self, listing: &Listing) -> Option<Vec<&ReadFile>> {
        let entries = self.files.iter().map(|file| listing.get(&file.path)).collect::<Option<Vec<&Entry>>>()?;
        let contents: HashSet<BlobId> =
            entries.iter().map(|entry| entry.id).chain(self.files.iter().map(|f| f.id)).collect();
        let with_such_content = listing.iter().filter(|entry| contents.contains(&entry.id)).count();
        let differs = |(file, entry): (_, &&Entry)| -> Option<&ReadFile> {
            let file: &ReadFile = file;
            (file.id != entry.id).then_some(file)
        };
        (with_such_content == entries.len()).then(|| self.files.iter().zip(&entries).filter_map(differs).collect())
    }
}
