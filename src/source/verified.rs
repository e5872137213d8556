//! A source that compares what it reads with its listing.

use super::{BlobId, Entry, Error, Listing, Source};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Another source; records what was read, and whether something could not be read, or is not what the id in the listing says: a worktree may change
/// after it was listed, and git can replace objects. Without that, whatever is computed from the source is determined by its
/// listing.
pub(crate) struct Verified<'a> {
    inner: &'a dyn Source,
    differs: AtomicBool,
    read: Mutex<HashSet<BlobId>>,
}

impl<'a> Verified<'a> {
    /// Nothing is read yet.
    pub(crate) fn new(inner: &'a dyn Source) -> Self {
        Verified { inner, differs: AtomicBool::new(false), read: Mutex::default() }
    }

    /// Whether everything that was read so far is as listed.
    pub(crate) fn is_as_listed(&self) -> bool {
        !self.differs.load(Ordering::Relaxed)
    }

    /// Whether something with this content was read, or could not be read.
    pub(crate) fn has_read(&self, id: &BlobId) -> bool {
        self.read.lock().contains(id)
    }

    fn verify(&self, entry: &Entry, read: &Result<Arc<[u8]>, Error>) {
        self.read.lock().insert(entry.id);
        if !read.as_ref().is_ok_and(|bytes| entry.id.is_of(bytes)) {
            self.differs.store(true, Ordering::Relaxed);
        }
    }
}

impl Source for Verified<'_> {
    fn listing(&self) -> &Listing {
        self.inner.listing()
    }

    fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        let read = self.inner.read(entry);
        self.verify(entry, &read);
        read
    }

    fn read_many(&self, entries: &[&Entry]) -> Vec<Result<Arc<[u8]>, Error>> {
        let all = self.inner.read_many(entries);
        entries.iter().zip(&all).for_each(|(entry, read)| self.verify(entry, read));
        all
    }

    fn stored(&self, id: &BlobId) -> Option<Arc<[u8]>> {
        self.inner.stored(id)
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
    use crate::source::{Folder, Memory};
    use std::collections::BTreeMap;

    #[test]
    fn what_differs_from_the_listing_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |text: &str| crate::source::write_file(&folder.path().join("a"), text.as_bytes()).unwrap();
        write("1");
        let source = Folder::open(folder.path()).unwrap();
        let verified = Verified::new(&source);
        let entry = verified.listing().get("a").unwrap();
        assert!(!verified.has_read(&entry.id));
        assert!(verified.read(entry).is_ok() && verified.read_many(&[entry])[0].is_ok() && verified.is_as_listed());
        assert!(verified.has_read(&entry.id));
        write("2");
        for read in [&|v: &Verified<'_>| v.read(entry).is_ok(), &|v: &Verified<'_>| v.read_many(&[entry])[0].is_ok()]
            as [&dyn Fn(&Verified<'_>) -> bool; 2]
        {
            let verified = Verified::new(&source);
            assert!(read(&verified) && !verified.is_as_listed());
        }
    }

    #[test]
    fn what_cannot_be_read_is_noticed() {
        let memory = |text: &str| Memory::new("x", BTreeMap::from([("a".to_owned(), text.as_bytes().to_vec())]));
        let (source, other) = (memory("1"), memory("2"));
        let verified = Verified::new(&source);
        assert!(verified.read(other.listing().get("a").unwrap()).is_err() && !verified.is_as_listed());
    }

    #[test]
    fn links_have_the_id_of_their_target() {
        let links = BTreeMap::from([("c".to_owned(), "a".to_owned())]);
        let source = Memory::with_links("x", BTreeMap::new(), links);
        let verified = Verified::new(&source);
        assert!(verified.read(source.listing().get("c").unwrap()).is_ok() && verified.is_as_listed());
    }
}
