//! Where bytes come from.
//!
//! A [`Source`] is a set of named files with content: a git revision, the index, the worktree, a plain folder, or
//! memory. All later stages work only on sources; only this module accesses git or the disk. Revisions are read
//! directly from the object database, so nothing is checked out and bare repositories work. Nothing is executed or
//! fetched. Only these types and functions write: [`Scratch`], into a temporary folder; [`replace`] and [`write_file`],
//! for fixes and reports; and [`Hooks`], to install a hook.

mod blob_id;
mod changes;
mod checkout;
mod discover;
mod disk;
mod error;
mod exclude;
mod history;
mod hooks;
mod index;
mod layers;
mod listing;
mod memory;
mod merge;
mod objects;
mod renames;
mod repository;
mod revision;
mod scratch;
mod submodules;
#[cfg(test)]
mod tests;
mod unavailable;
mod walk;
mod write;

/// Patterns of paths, and their expansion over a listing.
pub(crate) mod glob {
    pub(crate) use super::listing::expand;
    pub(crate) use go_compat::doublestar::{BadPattern, Glob, path_match};
}

use std::sync::Arc;

pub(crate) use blob_id::BlobId;
pub(crate) use changes::{Change, ChangeKind, EntryPair, changed, differences};
pub(crate) use disk::Folder;
pub(crate) use error::{ConfigPlace, Error};
pub(crate) use history::CommitInfo;
pub(crate) use hooks::{Hooks, Owner};
pub(crate) use layers::{Inputs, Linked, Overlay, Supplied, Without, beside};
pub(crate) use listing::{Child, Entry, EntryKind, Listing, Node, ResolveError};
pub(crate) use memory::Memory;
pub(crate) use merge::Merged;
pub(crate) use renames::Renames;
pub(crate) use repository::{Environment, Repository};
pub(crate) use revision::{Revision, Spec};
pub(crate) use scratch::{Commit, Scratch};
pub(crate) use unavailable::Unavailable;
pub(crate) use write::{FileChange, make_folder, read_named, replace, replace_all, write_file};

/// The maximum size of a file in bytes, unless [`Repository::with_limit`] sets another one.
pub(crate) const MAX_FILE: u64 = 64 << 20;

/// A set of files at one point in time.
pub(crate) trait Source: Send + Sync {
    /// The entries.
    fn listing(&self) -> &Listing;

    /// The bytes of an entry of [`Self::listing`]; for a symbolic link its target.
    fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error>;

    /// Its name in messages: the revision as the user wrote it, `index`, `worktree`, …
    fn name(&self) -> &str;

    /// The commit it shows, as full hexadecimal id.
    fn commit(&self) -> Option<String> {
        None
    }

    /// Whether all files that were read could be read.
    ///
    /// # Errors
    /// Objects of some of them are damaged, or not in this clone.
    fn lacking(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Whether all files are in this clone.
    fn has_all(&self) -> bool {
        true
    }

    /// The bytes of a file that is only data: `None` if they are not in this clone although that is meant to be whole, so that nothing
    /// can fetch them. Then what is made of it is not known, and all else is.
    fn read_data(&self, entry: &Entry) -> Result<Option<Arc<[u8]>>, Error> {
        self.read(entry).map(Some)
    }

    /// The paths of the files of data that were asked for and are not in this clone.
    fn lost(&self) -> Vec<String> {
        Vec::new()
    }

    /// The folder on disk that it is, if it is one.
    fn folder(&self) -> Option<Folder> {
        None
    }

    /// Directories and files the listing lacks because they could not be read.
    fn unreadable(&self) -> &[String] {
        &[]
    }
}

/// The text of a path. A byte that is no UTF-8 becomes U+FFFD and two hexadecimal digits, so that different paths stay
/// different: `x\u{FFFD}fe.yaml`.
fn text_of(path: &[u8]) -> Box<str> {
    if let Some(text) = std::str::from_utf8(path).ok().filter(|text| !text.contains(char::REPLACEMENT_CHARACTER)) {
        return text.into();
    }
    let escape = |bytes: &[u8]| bytes.iter().map(|byte| format!("\u{FFFD}{byte:02x}")).collect::<String>();
    let mut text = String::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        text.push_str(&chunk.valid().replace(char::REPLACEMENT_CHARACTER, &escape("\u{FFFD}".as_bytes())));
        text.push_str(&escape(chunk.invalid()));
    }
    text.into()
}

/// A message with the messages of everything that caused it.
fn reason(error: impl std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}
