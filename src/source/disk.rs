//! Files on disk: the worktree of a repository, or a folder without git.
#![allow(clippy::disallowed_methods, reason = "this is where the disk is read")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::hash::Kind as HashKind;
use gix::index::entry::stat::Options as StatOptions;
use gix::index::entry::{Flags, Mode, Stage, Stat};

use super::index::kind as kind_of_mode;
use super::objects::{MAX_ENTRIES, MAX_PATH};
use super::{BlobId, Entry, EntryKind, Error, Listing, MAX_FILE, Repository, Source};

/// Directories that never hold configuration: git's own, and Terraform's working copies.
const SKIPPED: [&str; 2] = [".git", ".terraform"];

/// Larger files, in bytes, are not hashed if git does not track them.
const UNTRACKED_LIMIT: u64 = 1 << 20;

/// From how many files on more than one thread pays.
const MANY_FILES: usize = 256;

/// A folder on disk as a source. Bytes are read raw, without line ending or other conversions.
pub(crate) struct Folder {
    root: PathBuf,
    name: String,
    limit: u64,
    listing: Listing,
    /// Where files are whose names are not UTF-8.
    odd: BTreeMap<Box<str>, PathBuf>,
    unreadable: Vec<String>,
}

impl Folder {
    /// Lists everything below `root`; `.git` and `.terraform` are skipped at any depth.
    pub(crate) fn open(root: &Path) -> Result<Self, Error> {
        let hasher = Hasher { kind: HashKind::Sha1, index: None, limit: MAX_FILE };
        Self::list(root, root.display().to_string(), &hasher)
    }

    fn list(root: &Path, name: String, hasher: &Hasher) -> Result<Self, Error> {
        let mut walk = DiskWalk::new(root, &name, hasher);
        walk.run()?;
        walk.unreadable.sort_unstable();
        Ok(Self {
            root: root.into(),
            listing: Listing::new(walk.entries, walk.links),
            odd: walk.odd,
            unreadable: walk.unreadable,
            limit: hasher.limit,
            name,
        })
    }
}

impl Source for Folder {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        let path = self.odd.get(&entry.path).map_or(Path::new(&*entry.path), PathBuf::as_path);
        let path = self.root.join(path);
        match entry.kind {
            EntryKind::Submodule => {
                Err(Error::NotAFile { path: entry.path.to_string(), source_name: self.name.clone() })
            }
            EntryKind::Symlink => {
                let target = fs::read_link(&path).map_err(|error| io_error(&path, &error))?;
                Ok(slashed(&target).0.into())
            }
            EntryKind::File | EntryKind::Executable => {
                let too_large = || Error::TooLarge { path: entry.path.to_string(), limit: self.limit };
                read_file(&path, self.limit).map_err(|error| io_error(&path, &error))?.ok_or_else(too_large)
            }
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn unreadable(&self) -> &[String] {
        &self.unreadable
    }
}

impl Repository {
    /// The files of the worktree as they are on disk, tracked or not. Checked out submodules are not entered.
    pub(crate) fn worktree(&self) -> Result<Box<dyn Source>, Error> {
        let root = self.workdir().ok_or_else(|| self.bare("worktree"))?;
        let hasher = self.objects.with(|repo| Hasher {
            kind: repo.object_hash(),
            index: repo.index_or_empty().ok().map(|index| Cache { converts: converts(repo), index }),
            limit: self.objects.limit(),
        });
        Ok(Box::new(Folder::list(root, "worktree".to_owned(), &hasher)?))
    }
}

/// Whether git may store different bytes from those on disk, according to its configuration. Attribute files in the
/// worktree are checked separately.
fn converts(repo: &gix::Repository) -> bool {
    let config = repo.config_snapshot();
    let home = || {
        std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".config")))
    };
    config.string("core.autocrlf").is_some_and(|value| value != "false")
        || config.string("core.attributesFile").is_some()
        || repo.common_dir().join("info/attributes").exists()
        || Path::new("/etc/gitattributes").exists()
        || home().is_some_and(|home| home.join("git/attributes").exists())
}

fn io_error(path: &Path, error: &std::io::Error) -> Error {
    Error::Io { path: path.into(), reason: error.to_string() }
}

/// Reads a regular file that is not a link. `None` if it is larger than `limit`.
pub(super) fn read_file(path: &Path, limit: u64) -> std::io::Result<Option<Arc<[u8]>>> {
    let file = open_file(path, fs::OpenOptions::new().read(true))?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("it is no longer a regular file"));
    }
    if metadata.len() > limit {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then(|| bytes.into()))
}

/// Opens a file in one step: not if it is a link, and without waiting for somebody at the other end of a pipe.
pub(super) fn open_file(path: &Path, options: &mut fs::OpenOptions) -> std::io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        #[allow(clippy::cast_possible_wrap, reason = "flags are bits")]
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits() as i32);
    }
    #[cfg(not(unix))]
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    options.open(path)
}

/// Finds out content identities.
struct Hasher {
    kind: HashKind,
    index: Option<Cache>,
    limit: u64,
}

/// The state of files that git has recorded.
struct Cache {
    index: gix::worktree::Index,
    /// Files are raw here: where git converts line endings, the id in the index is that of other bytes.
    converts: bool,
}

impl Hasher {
    /// Returns the id of a regular file. Files that are too large to be read, and large ones that git does not track,
    /// get an id from their size and times.
    fn file(&self, path: &Path, relative: &[u8], attributes: bool) -> std::io::Result<BlobId> {
        let metadata = gix::index::fs::Metadata::from_path_no_follow(path)?;
        if let Some(id) = self.index.as_ref().filter(|_| !attributes).and_then(|cache| cache.known(relative, &metadata))
        {
            return Ok(id);
        }
        // Built or downloaded files (`target`, `node_modules`, `.venv`) are not read only to find out that nothing uses
        // them.
        if metadata.len() > UNTRACKED_LIMIT && !self.tracks(relative) {
            return Ok(self.by_metadata(path, &metadata));
        }
        let bytes = read_file(path, self.limit)?;
        Ok(bytes.map_or_else(|| self.by_metadata(path, &metadata), |bytes| BlobId::with(self.kind, &bytes)))
    }

    fn tracks(&self, relative: &[u8]) -> bool {
        self.index.as_ref().is_some_and(|cache| cache.index.entry_by_path(relative.as_bstr()).is_some())
    }

    /// Returns an id from the size and times of a file, not from its content.
    fn by_metadata(&self, path: &Path, metadata: &gix::index::fs::Metadata) -> BlobId {
        let stat = Stat::from_fs(metadata).map(|stat| (stat.mtime, stat.ctime, stat.ino)).ok();
        BlobId::with(self.kind, format!("{path:?} {} {:?} {stat:?}", metadata.len(), metadata.modified()).as_bytes())
    }

    /// The commit of a submodule.
    fn submodule(&self, relative: &[u8]) -> Option<BlobId> {
        let index = &self.index.as_ref()?.index;
        let entry = index.entry_by_path(relative.as_bstr())?;
        (kind_of_mode(entry.mode) == EntryKind::Submodule).then(|| entry.id.into())
    }
}

impl Cache {
    /// The id in the index, if the file certainly is as it was when git examined it.
    fn known(&self, relative: &[u8], metadata: &gix::index::fs::Metadata) -> Option<BlobId> {
        if self.converts || metadata.len() >= u64::from(u32::MAX) {
            return None;
        }
        let entry = self.index.entry_by_path_and_stage(relative.as_bstr(), Stage::Unconflicted)?;
        let regular = matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE);
        if !regular || entry.flags.intersects(Flags::INTENT_TO_ADD | Flags::ASSUME_VALID) {
            return None;
        }
        // Compared as exactly as possible, and distrusted as soon as possible: a wrong "no" only costs reading.
        let exact = StatOptions { trust_ctime: true, check_stat: true, use_nsec: true, use_stdev: false };
        let coarse = StatOptions { use_nsec: false, ..exact };
        let stat = Stat::from_fs(metadata).ok()?;
        let fresh = entry.stat.matches(&stat, exact) && !entry.stat.is_racy(self.index.timestamp(), coarse);
        fresh.then(|| entry.id.into())
    }
}

/// A walk over a folder.
struct DiskWalk<'a> {
    root: &'a Path,
    name: &'a str,
    hasher: &'a Hasher,
    entries: Vec<Entry>,
    links: BTreeMap<Box<str>, Box<str>>,
    odd: BTreeMap<Box<str>, PathBuf>,
    unreadable: Vec<String>,
    visited: usize,
    /// Regular files, and whether they are executable; their ids come last.
    files: Vec<(PathBuf, bool)>,
    /// A file with git attributes was seen.
    attributes: bool,
}

impl<'a> DiskWalk<'a> {
    fn new(root: &'a Path, name: &'a str, hasher: &'a Hasher) -> Self {
        Self {
            root,
            name,
            hasher,
            entries: Vec::new(),
            links: BTreeMap::new(),
            odd: BTreeMap::new(),
            unreadable: Vec::new(),
            visited: 0,
            files: Vec::new(),
            attributes: false,
        }
    }

    fn run(&mut self) -> Result<(), Error> {
        // The root must be readable; unreadable entries below it are recorded and skipped.
        let mut open = vec![PathBuf::new()];
        fs::read_dir(self.root).map_err(|error| io_error(self.root, &error))?;
        while let Some(dir) = open.pop() {
            let Ok(entries) = fs::read_dir(self.root.join(&dir)) else {
                self.unreadable.push(slashed(&dir).1.into());
                continue;
            };
            for entry in entries.filter_map(Result::ok) {
                let name = entry.file_name();
                if SKIPPED.iter().any(|skipped| name == *skipped) {
                    continue;
                }
                let path = dir.join(&name);
                self.visited += 1;
                if self.visited > MAX_ENTRIES || path.as_os_str().len() > MAX_PATH {
                    return Err(Error::TooManyFiles { name: self.name.to_owned(), limit: MAX_ENTRIES });
                }
                let Ok(file_type) = entry.file_type() else { continue };
                if file_type.is_dir() {
                    match self.hasher.submodule(&slashed(&path).0) {
                        Some(id) => self.add(path, id, EntryKind::Submodule),
                        None => open.push(path),
                    }
                } else if file_type.is_symlink() {
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

    /// Turns files into entries, on several threads when there are many.
    fn hash(&mut self) {
        let files = std::mem::take(&mut self.files);
        let (root, hasher, attributes) = (self.root, self.hasher, self.attributes);
        let id = |(path, _): &(PathBuf, bool)| hasher.file(&root.join(path), &bytes_of(path), attributes);
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
        for ((path, executable), id) in files.into_iter().zip(ids) {
            match id {
                Ok(id) => self.add(path, id, if executable { EntryKind::Executable } else { EntryKind::File }),
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

/// A path as git writes it: its bytes, and as text.
fn slashed(path: &Path) -> (Vec<u8>, Box<str>) {
    let bytes = bytes_of(path);
    let text = super::text_of(&bytes);
    (bytes, text)
}

#[cfg(unix)]
fn bytes_of(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

#[cfg(not(unix))]
fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/").into_bytes()
}

#[cfg(unix)]
fn is_executable(entry: &fs::DirEntry) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    entry.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &fs::DirEntry) -> bool {
    false
}
