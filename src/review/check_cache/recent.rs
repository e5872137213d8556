//! The states that were checked last, by the files that decided what was found in each: others may change.

use crate::files::Files;
use crate::resolution::Unit;
use crate::source::{BlobId, Entry, Listing};
use crate::text::Text;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many states with the same paths are remembered.
const MAX_STATES: usize = 4;

/// The states that were checked last, the last one first. All have the same paths and inputs.
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
    /// The number of units that it is a part of; `None` if one of them shares a stack with another unit, because then the values of
    /// both may have been compared.
    units: Option<usize>,
}

/// The only file in which two states differ, of those that a check of the earlier one read.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::review) struct EditedFile<'a> {
    /// Its path.
    pub(in crate::review) path: &'a str,
    /// Its content before.
    pub(in crate::review) before: BlobId,
    /// How many units it is a part of; `None` if one of them shares a stack with another unit.
    pub(in crate::review) units: Option<usize>,
    /// How many units there are.
    pub(in crate::review) all_units: usize,
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

    /// Puts a state that is checked again first, by its key. Returns whether anything changed.
    pub(super) fn use_again(&mut self, key: &str) -> bool {
        match self.states.iter().position(|state| state.key == key) {
            None | Some(0) => false,
            Some(at) => {
                self.states[..=at].rotate_right(1);
                true
            }
        }
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
        Some(EditedFile { path: &file.path, before: file.id, units: file.units, all_units: self.read.units })
    }

    /// The files that decide what is found in a state with this listing, in which the same files are read.
    pub(in crate::review) fn read_in(&self, listing: &Listing) -> ReadFiles {
        let id = |file: &ReadFile| listing.get(&file.path).map_or(file.id, |entry| entry.id);
        let files = self.read.files.iter().map(|file| ReadFile { id: id(file), ..file.clone() });
        ReadFiles { files: files.collect(), ..self.read }
    }
}

/// The stacks that a unit defines.
fn stacks_of(unit: &Unit) -> impl Iterator<Item = &Text> {
    unit.components.iter().map(|component| &component.stack).chain(&unit.validated_as)
}

impl ReadFiles {
    /// The files of a listing of which `is_read` is true, after a check of these units.
    pub(in crate::review) fn of<'u>(
        listing: &Listing,
        is_read: impl Fn(&BlobId) -> bool,
        units: impl IntoIterator<Item = &'u Arc<Unit>>,
        files: &Files,
    ) -> ReadFiles {
        let units: Vec<&Arc<Unit>> = units.into_iter().collect();
        let mut owners: HashMap<&Text, (&Text, bool)> = HashMap::new();
        for (unit, stack) in units.iter().flat_map(|unit| stacks_of(unit).map(move |stack| (unit, stack))) {
            let (owner, is_shared) = owners.entry(stack).or_insert((&unit.name, false));
            *is_shared |= **owner != unit.name;
        }
        let is_alone = |unit: &Unit| !stacks_of(unit).any(|stack| owners.get(stack).is_some_and(|(_, shared)| *shared));
        let mut parts: HashMap<Text, Option<usize>> = HashMap::new();
        for unit in &units {
            let is_alone = is_alone(unit);
            for file in &unit.files {
                let known = parts.entry(Text::clone(&files.get(*file).path)).or_insert(Some(0));
                *known = known.filter(|_| is_alone).map(|known| known + 1);
            }
        }
        let file = |entry: &Entry| ReadFile {
            path: (&*entry.path).into(),
            id: entry.id,
            units: parts.get(&*entry.path).copied().unwrap_or(Some(0)),
        };
        ReadFiles { units: units.len(), files: listing.iter().filter(|entry| is_read(&entry.id)).map(file).collect() }
    }

    /// Returns the files that have another content in a listing; `None` if one is missing there, or another file has the content
    /// of one of them, before or now.
    fn differing(&self, listing: &Listing) -> Option<Vec<&ReadFile>> {
        let entries = self.files.iter().map(|file| listing.get(&file.path)).collect::<Option<Vec<&Entry>>>()?;
        let contents: HashSet<BlobId> =
            entries.iter().map(|entry| entry.id).chain(self.files.iter().map(|f| f.id)).collect();
        let with_such_content = listing.iter().filter(|entry| contents.contains(&entry.id)).count();
        if with_such_content != entries.len() {
            return None;
        }
        let differing = self.files.iter().zip(&entries).filter(|(file, entry)| file.id != entry.id);
        Some(differing.map(|(file, _)| file).collect())
    }
}
