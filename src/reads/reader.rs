//! Reads the files of one revision.

use super::{Answer, Listed, Reads, Unread, made_of};
use crate::files::Files;
use crate::limits::{self, Limit, Limits, take_steps};
use crate::source::{Child, Entry, Node, ResolveError, Source};
use crate::text::Text;
use crate::value::Read;
use parking_lot::Mutex;
use std::sync::Arc;

/// A question about a path takes a step for so many bytes of it.
const BYTES_OF_A_STEP: u64 = 3;

/// The files of one revision.
pub(crate) struct Reader<'a> {
    /// The revision. Only methods of the reader ask it, so that every question is recorded.
    source: &'a dyn Source,
    /// The table of files.
    pub files: &'a Files,
    limits: Limits,
    reads: Mutex<Reads>,
}

impl<'a> Reader<'a> {
    /// Creates a reader that has read nothing.
    pub(crate) fn new(source: &'a dyn Source, files: &'a Files, limits: Limits) -> Self {
        Reader { source, files, limits, reads: Mutex::default() }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the revision, for what is found anew in each revision, and for readers of other results.
    pub(crate) fn source(&self) -> &'a dyn Source {
        self.source
    }

    /// Returns what was read since the reader was created or asked so, and begins anew.
    pub(crate) fn take(&self) -> Reads {
        std::mem::take(&mut self.reads.lock())
    }

    /// Whether a change of a path may change what was read.
    pub(crate) fn is_concerned_by(&self, path: &str) -> bool {
        self.reads.lock().concern(path)
    }

    /// Returns the entry of a file, links followed.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn resolve(&self, path: &str) -> Result<&'a Entry, ResolveError> {
        match self.asked(path)? {
            Node::File(entry) => Ok(entry),
            Node::Dir(_) => Err(ResolveError::IsDirectory),
        }
    }

    /// What is at a path, which is recorded.
    fn asked(&self, path: &str) -> Result<Node<'a>, ResolveError> {
        take_steps(path.len() as u64 / BYTES_OF_A_STEP);
        let found = self.source.listing().lookup(path);
        let mut reads = self.reads.lock();
        if !reads.has(path) {
            let asked = self.files.shared(path);
            let answer = match &found {
                Ok(Node::File(entry)) if *entry.path == *path => Answer::File { path: asked.clone(), id: entry.id },
                Ok(Node::File(entry)) => {
                    let target = self.files.shared(&entry.path);
                    let answer = Answer::File { path: target.clone(), id: entry.id };
                    reads.files.insert(target, answer.clone());
                    answer
                }
                Ok(Node::Dir(_)) => Answer::None(ResolveError::IsDirectory),
                Err(error) => Answer::None(*error),
            };
            reads.files.insert(asked, answer);
        }
        found
    }

    /// Returns the entry of a file, links followed; `None` if no file is there.
    ///
    /// # Errors
    /// Why the path cannot be followed.
    pub(crate) fn find(&self, path: &str) -> Result<Option<&'a Entry>, Unread> {
        match self.resolve(path) {
            Ok(entry) => Ok(Some(entry)),
            Err(ResolveError::Missing | ResolveError::IsDirectory) => Ok(None),
            Err(error) => Err(Unread::of_path(path, error)),
        }
    }

    /// Returns what is at a path, links followed.
    ///
    /// # Errors
    /// Nothing is there, or the path cannot be followed.
    pub(crate) fn lookup(&self, path: &str) -> Result<Node<'a>, ResolveError> {
        self.list(Listed::Links);
        self.asked(path)
    }

    /// Whether some link leads to a file.
    pub(crate) fn is_linked(&self, path: &str) -> bool {
        self.list(Listed::Links);
        self.source.listing().is_linked(path)
    }

    /// Whether the revision has symbolic links.
    pub(crate) fn has_links(&self) -> bool {
        self.list(Listed::Links);
        self.source.listing().has_links()
    }

    /// Reads the bytes of an entry that was found at a path.
    ///
    /// # Errors
    /// They cannot be read, or are more than the limit.
    pub(crate) fn bytes(&self, path: &str, entry: &Entry) -> Result<Arc<[u8]>, Unread> {
        read(self.source, path, entry, self.limits)
    }

    /// The same of an entry that is only data; `None` if the clone has lost it, see [`Source::read_data`].
    ///
    /// # Errors
    /// It cannot be read, or is larger than the limit.
    pub(crate) fn data(&self, path: &str, entry: &Entry) -> Result<Option<Arc<[u8]>>, Unread> {
        self.source.read_data(entry)?.map(|bytes| within(path, entry, bytes, self.limits)).transpose()
    }

    /// Returns the names directly in a folder (a path without links), sorted.
    pub(crate) fn children(&self, folder: &str) -> Vec<(&'a str, Child)> {
        self.list(Listed::Children(folder.into()));
        self.source.listing().children(folder)
    }

    /// Returns the entries below a folder with names that end so, sorted.
    pub(crate) fn below(&self, folder: &str, ending: &str) -> Vec<&'a Entry> {
        self.list(Listed::Below { folder: folder.into(), ending: ending.into() });
        self.source.listing().under(folder).iter().filter(|entry| entry.path.ends_with(ending)).collect()
    }

    /// Returns what is at a path, as a part of what an unknown value is made of.
    pub(crate) fn made_of(&self, path: &str) -> Vec<Read> {
        if let Ok(Node::Dir(dir)) = self.lookup(path) {
            self.below(&dir, "").iter().for_each(|entry| _ = self.resolve(&entry.path));
        }
        made_of::path(self.source, path)
    }

    /// Returns all files with matching paths, as a part of what an unknown value is made of; `name` is that of the whole.
    pub(crate) fn made_of_matching(&self, name: &str, matches: &dyn Fn(&str) -> bool) -> Vec<Read> {
        let all = || self.source.listing().iter().map(|entry| &*entry.path).filter(|path| matches(path));
        match all().nth(made_of::MAX_FILES) {
            Some(_) => self.record(None),
            None => self.record(Some(&mut all())),
        }
        made_of::matching(self.source, name, matches)
    }

    /// Records that the names of all files were asked for, and the contents of these; `None` for those of all files.
    pub(crate) fn record(&self, paths: Option<&mut dyn Iterator<Item = &str>>) {
        match paths {
            Some(paths) => {
                self.list(Listed::Below { folder: Text::default(), ending: Text::default() });
                paths.for_each(|path| _ = self.resolve(path));
            }
            None => self.list(Listed::Contents),
        }
    }

    fn list(&self, listed: Listed) {
        let listing = self.source.listing();
        self.reads.lock().listings.entry(listed).or_insert_with_key(|listed| listed.hash_in(listing));
    }
}

/// Reads the bytes of an entry that was found at a path.
///
/// # Errors
/// They cannot be read, or are more than the limit.
pub(crate) fn read(source: &dyn Source, path: &str, entry: &Entry, limits: Limits) -> Result<Arc<[u8]>, Unread> {
    within(path, entry, source.read(entry)?, limits)
}

/// The bytes of an entry, if they are no more than the limit.
fn within(path: &str, entry: &Entry, bytes: Arc<[u8]>, limits: Limits) -> Result<Arc<[u8]>, Unread> {
    if bytes.len() as u64 > limits.get(Limit::FileSize) {
        let exceeded = limits.exceeded(Limit::FileSize);
        let message = format!("{path} is not read: it has {exceeded}; {}", exceeded.help());
        return Err(Unread { message, is_unavailable: false });
    }
    limits::add_read(entry.id.as_bytes(), bytes.len());
    Ok(bytes)
}
