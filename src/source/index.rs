//! The index: the content of the next commit.

use gix::index::entry::{Flags, Mode, Stage};

use super::objects::{Found, Snapshot};
use super::{EntryKind, Error, Repository, Source, reason, text_of};

/// The index as a source.
pub(crate) struct Index {
    /// The entries that would be committed. Paths in conflict and files only announced (`git add -N`) are not there.
    pub source: Box<dyn Source>,
    /// Paths with an unresolved merge conflict, sorted.
    pub conflicts: Vec<String>,
}

impl Repository {
    /// The files of the index.
    pub(crate) fn index(&self) -> Result<Index, Error> {
        if self.workdir().is_none() {
            return Err(self.bare("index"));
        }
        let index = self.objects.with(|repo| repo.index_or_empty());
        let index = index.map_err(|error| Error::Index { reason: reason(error) })?;
        let mut found = Found::default();
        let mut conflicts = Vec::new();
        for entry in index.entries() {
            let path = entry.path(&index);
            if entry.stage() != Stage::Unconflicted {
                let path = String::from(text_of(path));
                if conflicts.last() != Some(&path) {
                    conflicts.push(path);
                }
                continue;
            }
            if entry.flags.contains(Flags::INTENT_TO_ADD) {
                continue;
            }
            if entry.mode == Mode::DIR {
                // A sparse index holds directories outside the checkout as one entry.
                let dir = String::from_utf8_lossy(path);
                self.objects.walk(entry.id, dir.trim_end_matches('/'), "index", &mut found)?;
            } else {
                found.add(path, entry.id, kind(entry.mode));
            }
        }
        Ok(Index { source: Box::new(Snapshot::new(&self.objects, found, "index".to_owned(), None)?), conflicts })
    }
}

/// Converts the mode of an entry in the index. Unknown modes count as files.
pub(super) fn kind(mode: Mode) -> EntryKind {
    match mode {
        Mode::FILE_EXECUTABLE => EntryKind::Executable,
        Mode::SYMLINK => EntryKind::Symlink,
        Mode::COMMIT => EntryKind::Submodule,
        _ => EntryKind::File,
    }
}
