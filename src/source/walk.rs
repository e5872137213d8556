//! Lists the files of a folder on disk, as git would compare them.
#![allow(clippy::disallowed_methods, reason = "this is where the disk is read")]

use super::checkout::Checkout;
use super::disk::{bytes_of, io_error, is_executable, read_file, slashed};
use super::index::kind as kind_of_mode;
use super::objects::{MAX_ENTRIES, MAX_PATH};
use super::{BlobId, Entry, EntryKind, Error};
use gix::bstr::ByteSlice;
use gix::hash::Kind as HashKind;
use gix::index::entry::stat::Options as StatOptions;
use gix::index::entry::{Flags, Mode, Stage, Stat};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Larger files, in bytes, are not hashed if git does not track them.
const UNTRACKED_LIMIT: u64 = 1 << 20;

/// From how many files on more than one thread pays.
const MANY_FILES: usize = 256;

/// What OpenTofu and Terraform keep in `.terraform`: copies of modules and providers, and the state of the backend.
const WORKING_COPY: [&str; 6] = ["modules", "providers", "plugins", "environment", "terraform.tfstate", "plugin_path"];

/// Finds out content identities.
pub(super) struct Hasher {
    pub kind: HashKind,
    /// What git has recorded; `None` without git.
    pub git: Option<Recorded>,
    pub limit: u64,
}

/// The state of files that git has recorded, and how it compares them.
pub(super) struct Recorded {
    pub index: gix::worktree::Index,
    pub checkout: Checkout,
    /// Whether the configuration changes bytes between the disk and git. Attribute files are seen while walking.
    pub converts: bool,
    /// Whether the executable bit on disk counts (`core.fileMode`).
    pub has_modes: bool,
}

/// The identity of a file.
struct Identity {
    /// Of its bytes, as [`Checkout::stored`] returns them.
    id: BlobId,
    /// Of what git stores, if another program makes that of the bytes, and the file is as git left it.
    stored: Option<BlobId>,
}

impl Hasher {
    /// Returns the id of a regular file. Files that are too large to be read, and large ones that git does not track,
    /// get an id from their size and times.
    fn file(&self, root: &Path, path: &Path, attributes: bool) -> std::io::Result<Identity> {
        let full = root.join(path);
        let metadata = gix::index::fs::Metadata::from_path_no_follow(&full)?;
        let relative = bytes_of(path);
        let git = self.git.as_ref();
        let converting = git.filter(|git| attributes || git.converts);
        let is_filtered = converting.is_some_and(|git| git.checkout.is_filtered(path));
        let whole = |id: BlobId| Identity { id, stored: None };
        let known = git.filter(|_| !is_filtered).and_then(|git| git.known(&relative, &metadata));
        if let Some(id) = known {
            return Ok(whole(id));
        }
        // Built or downloaded files (`target`, `node_modules`, `.venv`) are not read only to find out that nothing uses
        // them.
        if metadata.len() > UNTRACKED_LIMIT && !self.tracks(&relative) {
            return Ok(whole(self.by_metadata(&full, &metadata)));
        }
        let Some(bytes) = read_file(&full, self.limit)? else { return Ok(whole(self.by_metadata(&full, &metadata))) };
        if is_filtered {
            let stored = git.and_then(|git| git.unchanged(&relative, &metadata));
            return Ok(Identity { id: BlobId::with(self.kind, &bytes), stored });
        }
        Ok(whole(match converting {
            Some(git) => BlobId::with(self.kind, &git.checkout.stored(path, bytes.to_vec())),
            None => BlobId::with(self.kind, &bytes),
        }))
    }

    fn tracks(&self, relative: &[u8]) -> bool {
        self.git.as_ref().is_some_and(|git| git.index.entry_by_path(relative.as_bstr()).is_some())
    }

    /// Whether git tracks something below a folder.
    fn tracks_below(&self, folder: &[u8]) -> bool {
        let prefix = [folder, b"/"].concat();
        self.git.as_ref().is_some_and(|git| git.index.prefixed_entries(prefix.as_bstr()).is_some())
    }

    /// Returns an id from the size and times of a file, not from its content.
    fn by_metadata(&self, path: &Path, metadata: &gix::index::fs::Metadata) -> BlobId {
        let stat = Stat::from_fs(metadata).map(|stat| (stat.mtime, stat.ctime, stat.ino)).ok();
        BlobId::with(self.kind, format!("{path:?} {} {:?} {stat:?}", metadata.len(), metadata.modified()).as_bytes())
    }

    /// The commit of a submodule.
    fn submodule(&self, relative: &[u8]) -> Option<BlobId> {
        let entry = self.git.as_ref()?.index.entry_by_path(relative.as_bstr())?;
        (kind_of_mode(entry.mode) == EntryKind::Submodule).then(|| entry.id.into())
    }

    /// The kind of a regular file.
    fn kind_of(&self, path: &Path, is_executable: bool) -> EntryKind {
        let is_executable = match self.git.as_ref().filter(|git| !git.has_modes) {
            Some(git) => {
                let entry = git.index.entry_by_path(bytes_of(path).as_bstr());
                entry.is_some_and(|entry| entry.mode == Mode::FILE_EXECUTABLE)
            }
            None => is_executable,
        };
        if is_executable { EntryKind::Executable } else { EntryKind::File }
    }

    fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let tracks = |relative: &[u8]| self.tracks(relative) || is_folder && self.tracks_below(relative);
        self.git.as_ref().is_some_and(|git| !tracks(&bytes_of(path)) && git.checkout.ignores(path, is_folder))
    }
}

impl Recorded {
    /// The id in the index, if the file certainly is as it was when git examined it.
    fn known(&self, relative: &[u8], metadata: &gix::index::fs::Metadata) -> Option<BlobId> {
        let (entry, stat) = self.same_stat(relative, metadata)?;
        // A file that was written in the same second as the index may have been written after it.
        let coarse = StatOptions { trust_ctime: true, check_stat: true, use_nsec: false, use_stdev: false };
        (!stat.is_racy(self.index.timestamp(), coarse)).then_some(entry)
    }

    /// The id in the index, if the file has the size and times that git recorded. That is all that can be known of a file
    /// that only another program can turn into what git stores.
    fn unchanged(&self, relative: &[u8], metadata: &gix::index::fs::Metadata) -> Option<BlobId> {
        Some(self.same_stat(relative, metadata)?.0)
    }

    fn same_stat(&self, relative: &[u8], metadata: &gix::index::fs::Metadata) -> Option<(BlobId, Stat)> {
        if metadata.len() >= u64::from(u32::MAX) {
            return None;
        }
        let entry = self.index.entry_by_path_and_stage(relative.as_bstr(), Stage::Unconflicted)?;
        let regular = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
        if !regular || entry.flags.intersects(Flags::INTENT_TO_ADD | Flags::ASSUME_VALID) {
            return None;
        }
        // Compared as exactly as possible, and distrusted as soon as possible: a wrong "no" only costs reading.
        let exact = StatOptions { trust_ctime: true, check_stat: true, use_nsec: true, use_stdev: false };
        let stat = Stat::from_fs(metadata).ok()?;
        entry.stat.matches(&stat, exact).then(|| (entry.id.into(), entry.stat))
    }
}

/// A walk over a folder.
pub(super) struct DiskWalk<'a> {
    root: &'a Path,
    name: &'a str,
    hasher: &'a Hasher,
    pub entries: Vec<Entry>,
    pub links: BTreeMap<Box<str>, Box<str>>,
    /// Where files are whose names are not UTF-8.
    pub odd: BTreeMap<Box<str>, PathBuf>,
    pub unreadable: Vec<String>,
    /// The paths that git ignores.
    pub ignored: BTreeSet<Box<str>>,
    /// The blobs that git has for files that another program converts.
    pub stored: BTreeMap<Box<str>, BlobId>,
    /// A file with git attributes was seen.
    pub attributes: bool,
    visited: usize,
    /// Regular files, and whether they are executable; their ids come last.
    files: Vec<(PathBuf, bool)>,
}

impl<'a> DiskWalk<'a> {
    pub(super) fn new(root: &'a Path, name: &'a str, hasher: &'a Hasher) -> Self {
        Self {
            root,
            name,
            hasher,
            entries: Vec::new(),
            links: BTreeMap::new(),
            odd: BTreeMap::new(),
            unreadable: Vec::new(),
            ignored: BTreeSet::new(),
            stored: BTreeMap::new(),
            attributes: false,
            visited: 0,
            files: Vec::new(),
        }
    }

    pub(super) fn run(&mut self) -> Result<(), Error> {
        // The root must be readable; unreadable entries below it are recorded and skipped.
        let mut open = vec![(PathBuf::new(), false)];
        fs::read_dir(self.root).map_err(|error| io_error(self.root, &error))?;
        while let Some((dir, in_ignored)) = open.pop() {
            let Ok(entries) = fs::read_dir(self.root.join(&dir)) else {
                self.unreadable.push(slashed(&dir).1.into());
                continue;
            };
            for entry in entries.filter_map(Result::ok) {
                let name = entry.file_name();
                if name == ".git" {
                    continue;
                }
                let path = dir.join(&name);
                self.visited += 1;
                if self.visited > MAX_ENTRIES || path.as_os_str().len() > MAX_PATH {
                    return Err(Error::TooManyFiles { name: self.name.to_owned(), limit: MAX_ENTRIES });
                }
                let Ok(file_type) = entry.file_type() else { continue };
                let is_folder = file_type.is_dir();
                if is_folder && name == ".terraform" && self.is_working_copy(&path) {
                    continue;
                }
                let is_tracked =
                    || self.hasher.tracks(&bytes_of(&path)) || is_folder && self.hasher.tracks_below(&bytes_of(&path));
                let is_ignored = if in_ignored { !is_tracked() } else { self.hasher.ignores(&path, is_folder) };
                if is_folder {
                    match self.hasher.submodule(&slashed(&path).0) {
                        Some(id) => self.add(path, id, EntryKind::Submodule),
                        None => open.push((path, is_ignored)),
                    }
                    continue;
                }
                if is_ignored {
                    self.ignored.insert(slashed(&path).1);
                }
                if file_type.is_symlink() {
                    self.link(path);
                } else if file_type.is_file() {
                    self.attributes |= name == ".gitattributes";
                    self.files.push((path, is_executable(&entry)));
                }
            }
        }
        self.hash();
        Ok(())
    }

    /// Whether a folder `.terraform` is the working copy of a tool, which git does not track.
    fn is_working_copy(&self, path: &Path) -> bool {
        let holds = |name: &str| fs::symlink_metadata(self.root.join(path).join(name)).is_ok();
        !self.hasher.tracks_below(&bytes_of(path)) && WORKING_COPY.iter().any(|name| holds(name))
    }

    /// Turns files into entries, on several threads when there are many.
    fn hash(&mut self) {
        let files = std::mem::take(&mut self.files);
        let (root, hasher, attributes) = (self.root, self.hasher, self.attributes);
        let id = |(path, _): &(PathBuf, bool)| hasher.file(root, path, attributes);
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(8));
        let ids: Vec<_> = if files.len() < MANY_FILES || threads == 1 {
            files.iter().map(id).collect()
        } else {
            std::thread::scope(|scope| {
                let parts = files.chunks(files.len().div_ceil(threads));
                let parts: Vec<_> =
                    parts.map(|part| scope.spawn(move || part.iter().map(id).collect::<Vec<_>>())).collect();
                parts.into_iter().flat_map(|part| part.join().expect("hashing does not panic")).collect()
            })
        };
        for ((path, executable), identity) in files.into_iter().zip(ids) {
            match identity {
                Ok(Identity { id, stored }) => {
                    self.stored.extend(stored.map(|stored| (slashed(&path).1, stored)));
                    let kind = hasher.kind_of(&path, executable);
                    self.add(path, id, kind);
                }
                Err(_) => self.unreadable.push(slashed(&path).1.into()),
            }
        }
    }

    fn link(&mut self, path: PathBuf) {
        let Ok(target) = fs::read_link(self.root.join(&path)) else {
            self.unreadable.push(slashed(&path).1.into());
            return;
        };
        let target = slashed(&target).0;
        let id = BlobId::with(self.hasher.kind, &target);
        if let Ok(target) = String::from_utf8(target) {
            self.links.insert(slashed(&path).1, target.into());
        }
        self.add(path, id, EntryKind::Symlink);
    }

    fn add(&mut self, path: PathBuf, id: BlobId, kind: EntryKind) {
        let (bytes, text) = slashed(&path);
        if bytes != text.as_bytes() {
            self.odd.insert(text.clone(), path);
        }
        self.entries.push(Entry { path: text, id, kind });
    }
}
