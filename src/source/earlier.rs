//! A source with the content that one of its files had before.

use std::sync::Arc;

use super::{BlobId, Change, ChangeKind, Entry, Error, Listing, Source};

/// Another source with an earlier content of one file.
pub(crate) struct Earlier<'a> {
    inner: &'a dyn Source,
    listing: Listing,
    id: BlobId,
    content: Arc<[u8]>,
}

impl<'a> Earlier<'a> {
    /// The source as it is if the file at a path has the content with an id; `None` if there is no such file, or that content is
    /// not stored in the repository.
    pub(crate) fn new(inner: &'a dyn Source, path: &str, id: BlobId) -> Option<Self> {
        let content = inner.stored(&id).filter(|bytes| id.is_of(bytes))?;
        let known = inner.listing();
        known.get(path)?;
        let links = known.iter().filter_map(|e| Some((e.path.clone(), known.link_target(&e.path)?.into()))).collect();
        let before = |entry: &Entry| match *entry.path == *path {
            true => Entry { id, ..entry.clone() },
            false => entry.clone(),
        };
        let listing = Listing::new(known.iter().map(before).collect(), links);
        Some(Earlier { inner, listing, id, content })
    }

    /// How the file at a path differs from that of the other source.
    pub(crate) fn change(path: &str) -> Change {
        Change { path: path.into(), kind: ChangeKind::Modified }
    }
}

impl Source for Earlier<'_> {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        if entry.id == self.id { Ok(Arc::clone(&self.content)) } else { self.inner.read(entry) }
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn commit(&self) -> Option<String> {
        self.inner.commit()
    }

    fn unreadable(&self) -> &[String] {
        self.inner.unreadable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;
    use std::collections::BTreeMap;

    #[test]
    fn one_file_has_its_earlier_content() {
        let files = BTreeMap::from([("a".to_owned(), b"new".to_vec()), ("b".to_owned(), b"b".to_vec())]);
        let links = BTreeMap::from([("c".to_owned(), "a".to_owned())]);
        let source = Memory::with_links("x", files, links).storing(&[b"old"]);
        let earlier = Earlier::new(&source, "a", BlobId::of(b"old")).expect("content that is stored");
        let read = |path: &str| earlier.read(earlier.listing().resolve(path).unwrap()).unwrap().to_vec();
        assert_eq!([read("a"), read("b"), read("c")], [b"old".to_vec(), b"b".to_vec(), b"old".to_vec()]);
        assert!(Earlier::new(&source, "a", BlobId::of(b"never")).is_none());
        assert!(Earlier::new(&source, "gone", BlobId::of(b"old")).is_none());
    }
}
