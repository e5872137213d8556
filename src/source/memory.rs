//! Files that exist in memory only.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{BlobId, Entry, EntryKind, Error, Listing, Source};

/// A source made of byte strings, for demonstrations and tests.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    name: String,
    listing: Listing,
    contents: BTreeMap<BlobId, Arc<[u8]>>,
}

impl Memory {
    /// `files` maps paths (relative, separated by `/`) to contents.
    pub(crate) fn new(name: impl Into<String>, files: BTreeMap<String, Vec<u8>>) -> Self {
        Self::with_links(name, files, BTreeMap::new())
    }

    /// Like [`Self::new`], with symbolic links from paths to targets.
    pub(crate) fn with_links(
        name: impl Into<String>,
        files: BTreeMap<String, Vec<u8>>,
        links: BTreeMap<String, String>,
    ) -> Self {
        let mut contents = BTreeMap::new();
        let mut entries = Vec::with_capacity(files.len() + links.len());
        let mut add = |path: &str, bytes: &[u8], kind| {
            let id = BlobId::of(bytes);
            contents.entry(id).or_insert_with(|| Arc::from(bytes));
            entries.push(Entry { path: path.into(), id, kind });
        };
        files.iter().for_each(|(path, bytes)| add(path, bytes, EntryKind::File));
        links.iter().for_each(|(path, target)| add(path, target.as_bytes(), EntryKind::Symlink));
        let links = links.into_iter().map(|(path, target)| (path.into(), target.into())).collect();
        Self { name: name.into(), listing: Listing::new(entries, links), contents }
    }
}

impl Source for Memory {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        let missing = || Error::NotAFile { path: entry.path.to_string(), source_name: self.name.clone() };
        self.contents.get(&entry.id).cloned().ok_or_else(missing)
    }

    fn name(&self) -> &str {
        &self.name
    }
}
