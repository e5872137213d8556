//! A source without some of its files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::source::{Change, ChangeKind, Entry, Error, Folder, Listing, Source};

/// Another source without some files, to see what needs it; or one where files are missing that it would only not know.
pub(crate) struct Without<'a> {
    inner: &'a dyn Source,
    listing: Listing,
}

impl<'a> Without<'a> {
    /// Hides the entry at a path. Symbolic links to it become dangling.
    pub(crate) fn new(inner: &'a dyn Source, path: &str) -> Self {
        Self::all(inner, &BTreeSet::from([path]))
    }

    /// Hides the entries at some paths.
    pub(crate) fn all(inner: &'a dyn Source, paths: &BTreeSet<&str>) -> Self {
        let listing = inner.listing();
        let links = listing.iter().filter_map(|e| Some((e.path.clone(), listing.link_target(&e.path)?.into())));
        let links: BTreeMap<Box<str>, Box<str>> = links.filter(|(link, _)| !paths.contains(&**link)).collect();
        let entries = listing.iter().filter(|e| !paths.contains(&*e.path)).cloned().collect();
        Without { inner, listing: Listing::new(entries, links).ignoring_as(listing) }
    }

    /// Returns the newer side of a comparison such that what the change deletes is missing, also if git ignores it: no change
    /// excuses itself. `None` if it does not delete such files.
    pub(crate) fn what_is_deleted(base: &dyn Source, head: &'a dyn Source) -> Option<Self> {
        Some(Without { inner: head, listing: head.listing().since(base.listing())? })
    }

    fn own(&self, _: &Entry) -> Result<Arc<[u8]>, &dyn Source> {
        Err(self.inner)
    }

    /// How it differs from the other source.
    pub(crate) fn change(&self, path: &str) -> Change {
        Change { path: path.into(), kind: ChangeKind::Removed }
    }
}

impl Source for Without<'_> {
    super::like_inner!();

    fn folder(&self) -> Option<Folder> {
        self.inner.folder()
    }

    fn has_all(&self) -> bool {
        self.inner.has_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Memory, changed};

    #[test]
    fn one_file_is_hidden() {
        let files = BTreeMap::from([("a".to_owned(), b"1".to_vec()), ("b".to_owned(), b"2".to_vec())]);
        let links = BTreeMap::from([("c".to_owned(), "a".to_owned()), ("d".to_owned(), "b".to_owned())]);
        let whole = Memory::with_links("x", files, links);
        let without = Without::new(&whole, "a");
        let paths: Vec<&str> = without.listing().iter().map(|e| &*e.path).collect();
        assert_eq!(paths, ["b", "c", "d"]);
        assert!(without.listing().resolve("c").is_err());
        let entry = without.listing().resolve("d").expect("a link to a file");
        assert_eq!(&*without.read(entry).expect("its content"), b"2");
        assert_eq!(changed(whole.listing(), without.listing()), [without.change("a")]);
        assert_eq!(without.name(), "x");
    }
}
