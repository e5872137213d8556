//! A source with files that no revision has and the settings supply or declare as generated.

use super::overlay::replaced;
use crate::source::{BlobId, Entry, Error, Folder, Listing, ResolveError, Source};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What the settings say of files that are never committed. A revision that has such a file is read as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// Contents by path from the root of the repository.
    pub files: BTreeMap<String, Arc<[u8]>>,
    /// Patterns of generated files as in `.gitignore`, whose contents are not known.
    pub generated: Vec<String>,
    /// The folder that these patterns count from: empty, or with a `/` at its end.
    pub folder: String,
}

/// Another source with these files.
pub(crate) struct Supplied<'a> {
    inner: &'a dyn Source,
    listing: Listing,
    contents: HashMap<BlobId, Arc<[u8]>>,
}

impl<'a> Supplied<'a> {
    /// Adds the files that a revision lacks; `None` if the settings name none.
    pub(crate) fn new(inner: &'a dyn Source, inputs: &Inputs) -> Option<Self> {
        let known = inner.listing();
        let is_lacking =
            |path: &str| matches!(known.resolve(path), Err(ResolveError::Missing | ResolveError::Unavailable(_)));
        let lacking = inputs.files.iter().filter(|(path, _)| is_lacking(path));
        let lacking = lacking.map(|(path, bytes)| (path.clone(), Arc::clone(bytes))).collect();
        if *inputs == Inputs::default() {
            return None;
        }
        let (listing, contents) = replaced(known, &lacking);
        Some(Supplied { inner, listing: listing.with_generated(&inputs.folder, &inputs.generated), contents })
    }

    fn own(&self, entry: &Entry) -> Result<Arc<[u8]>, &dyn Source> {
        self.contents.get(&entry.id).cloned().ok_or(self.inner)
    }
}

impl Source for Supplied<'_> {
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
    use crate::source::{Memory, Unavailable};

    #[test]
    fn files_that_are_there_stay() {
        let files = BTreeMap::from([("a/x".to_owned(), b"1".to_vec())]);
        let whole = Memory::new("memory", files);
        assert!(Supplied::new(&whole, &Inputs::default()).is_none());
        let supplied = ["a/x", "a/y"].map(|path| (path.to_owned(), Arc::from(&b"2"[..])));
        let inputs = Inputs { files: supplied.into(), generated: vec!["/gen/".to_owned()], folder: "a/".to_owned() };
        let source = Supplied::new(&whole, &inputs).expect("inputs");
        let read = |path: &str| source.read(source.listing().resolve(path).expect("a file")).expect("its content");
        assert_eq!([&*read("a/x"), &*read("a/y")], [b"1", b"2"]);
        let of = |path: &str| source.listing().resolve(path).expect_err("no file");
        assert_eq!(of("a/gen/z"), ResolveError::Unavailable(Unavailable::Generated));
        assert_eq!([of("gen/z"), of("a/z")], [ResolveError::Missing; 2]);
    }
}
