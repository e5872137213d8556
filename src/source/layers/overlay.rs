//! A source with the content of some files replaced, as by the open buffers of an editor.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::source::{BlobId, Entry, EntryKind, Error, Listing, Source};

/// Another source with some of its files replaced, and others added.
pub(crate) struct Overlay {
    inner: Box<dyn Source>,
    listing: Listing,
    contents: HashMap<BlobId, Arc<[u8]>>,
}

impl Overlay {
    /// Replaces the contents of files by paths relative to the root of the repository. A path that is a symbolic link
    /// means its target.
    pub(crate) fn new(inner: Box<dyn Source>, buffers: &BTreeMap<String, Arc<[u8]>>) -> Self {
        let (listing, contents) = replaced(inner.listing(), buffers);
        Overlay { inner, listing, contents }
    }

    fn own(&self, entry: &Entry) -> Result<Arc<[u8]>, &dyn Source> {
        self.contents.get(&entry.id).cloned().ok_or(&*self.inner)
    }
}

/// A listing with the contents of some files replaced, and the new contents. A path that is a symbolic link means its target.
pub(super) fn replaced(
    known: &Listing,
    buffers: &BTreeMap<String, Arc<[u8]>>,
) -> (Listing, HashMap<BlobId, Arc<[u8]>>) {
    let mut contents = HashMap::new();
    let mut replaced: BTreeMap<Box<str>, Entry> = BTreeMap::new();
    for (path, bytes) in buffers {
        let (path, kind) = match known.resolve(path) {
            Ok(entry) => (entry.path.clone(), entry.kind),
            Err(_) => (path.as_str().into(), EntryKind::File),
        };
        let id = BlobId::of(bytes);
        contents.insert(id, Arc::clone(bytes));
        replaced.insert(path.clone(), Entry { path, id, kind });
    }
    let kept = known.iter().filter(|entry| !replaced.contains_key(&entry.path)).cloned();
    let links = known.iter().filter_map(|e| Some((e.path.clone(), known.link_target(&e.path)?.into()))).collect();
    let entries = kept.chain(replaced.values().cloned()).collect();
    let listing = Listing::new(entries, links).ignoring_as(known);
    (listing, contents)
}

impl Source for Overlay {
    super::like_inner!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    #[test]
    fn buffers_replace_files_and_add_some() {
        let files = BTreeMap::from([("a".to_owned(), b"1".to_vec()), ("b".to_owned(), b"2".to_vec())]);
        let links = BTreeMap::from([("c".to_owned(), "a".to_owned())]);
        let whole = Memory::with_links("x", files, links);
        let buffer = |path: &str, text: &str| (path.to_owned(), Arc::from(text.as_bytes()));
        let overlay = Overlay::new(Box::new(whole), &BTreeMap::from([buffer("c", "3"), buffer("d/e", "4")]));
        let read = |path: &str| overlay.read(overlay.listing().resolve(path).unwrap()).unwrap().to_vec();
        assert_eq!([read("a"), read("b"), read("c"), read("d/e")], [b"3", b"2", b"3", b"4"]);
        assert!(overlay.listing().is_dir("d"));
        assert_eq!(overlay.name(), "x");
    }
}
