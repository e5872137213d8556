//! What a source has.

use crate::source::BlobId;

/// The kind of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A regular file with the executable bit.
    Executable,
    /// A symbolic link; its content is the target.
    Symlink,
    /// A commit of another repository; its id is that commit's. The files of that commit are entries, too, if they are known.
    Submodule,
}

/// One file, link or submodule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Relative to the repository root, separated by `/`. A byte of the name that is no UTF-8 is U+FFFD and its two
    /// hexadecimal digits.
    pub path: Box<str>,
    /// Content identity.
    pub id: BlobId,
    pub kind: EntryKind,
}

impl Entry {
    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, EntryKind::File | EntryKind::Executable)
    }
}
