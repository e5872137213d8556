//! A source with more paths to its files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::source::{BlobId, Entry, EntryKind, Error, Listing, Source};

/// Another source with more symbolic links: files that a tool copies to other folders before it reads them.
pub(crate) struct Linked<'a> {
    inner: &'a dyn Source,
    listing: Listing,
    /// The targets of the links, by the identity of their text.
    targets: BTreeMap<BlobId, Arc<[u8]>>,
}

impl<'a> Linked<'a> {
    /// Adds links by their paths, to paths from the root. A link takes the place of what is there.
    pub(crate) fn new(inner: &'a dyn Source, more: &BTreeMap<String, String>) -> Self {
        let listing = inner.listing();
        let known = listing.iter().filter_map(|e| Some((e.path.clone(), listing.link_target(&e.path)?.into())));
        let mut links: BTreeMap<Box<str>, Box<str>> = known.collect();
        let mut entries: Vec<Entry> = listing.iter().filter(|e| !more.contains_key(&*e.path)).cloned().collect();
        let mut targets = BTreeMap::new();
        for (path, target) in more {
            let target = format!("{}{target}", "../".repeat(path.matches('/').count()));
            let id = BlobId::of(target.as_bytes());
            targets.insert(id, Arc::from(target.as_bytes()));
            entries.push(Entry { path: path.as_str().into(), id, kind: EntryKind::Symlink });
            links.insert(path.as_str().into(), target.into());
        }
        Linked { inner, listing: Listing::new(entries, links), targets }
    }

    fn own(&self, entry: &Entry) -> Result<Arc<[u8]>, &dyn Source> {
        let target = self.targets.get(&entry.id).filter(|_| entry.kind == EntryKind::Symlink);
        target.cloned().ok_or(self.inner)
    }
}

impl Source for Linked<'_> {
    super::like_inner!();

    fn has_all(&self) -> bool {
        self.inner.has_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;

    #[test]
    fn a_file_is_found_at_another_path_too() {
        let files = BTreeMap::from([("units/a/x.hcl".to_owned(), b"1".to_vec()), ("b".to_owned(), b"2".to_vec())]);
        let whole = Memory::new("x", files);
        let more = BTreeMap::from([("live/.made/a/x.hcl".to_owned(), "units/a/x.hcl".to_owned())]);
        let linked = Linked::new(&whole, &more);
        let entry = linked.listing().resolve("live/.made/a/x.hcl").expect("a link to a file");
        assert_eq!((&*entry.path, &*linked.read(entry).expect("its content")), ("units/a/x.hcl", &b"1"[..]));
        assert!(linked.listing().is_dir("live/.made") && linked.listing().resolve("b").is_ok());
        let link = linked.listing().get("live/.made/a/x.hcl").expect("the link");
        assert_eq!(&*linked.read(link).expect("its target"), b"../../../units/a/x.hcl");
    }
}
