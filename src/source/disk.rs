//! Files on disk: the worktree of a repository, or a folder without git.
#![allow(clippy::disallowed_methods, reason = "this is where the disk is read")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::hash::Kind as HashKind;
use gix::index::entry::{Flags, Mode, Stage};

use super::checkout::Checkout;
use super::exclude::own_rules;
use super::index::kind as kind_of_mode;
use super::objects::{Found, Snapshot};
use super::submodules::checked_out;
use super::unavailable::{IGNORE_FILE, ignored_by};
use super::walk::{DiskWalk, Hasher, Recorded};
use super::{BlobId, Entry, EntryKind, Error, Listing, MAX_FILE, Repository, Source, Unavailable, reason, text_of};

/// A folder on disk as a source. Bytes of a worktree are read as git would store them: with its line ends, for example.
#[derive(Clone)]
pub(crate) struct Folder(Arc<Files>);

struct Files {
    root: PathBuf,
    name: String,
    limit: u64,
    listing: Listing,
    /// Where files are whose names are not UTF-8.
    odd: BTreeMap<Box<str>, PathBuf>,
    unreadable: Vec<String>,
    /// Converts bytes, if git does.
    checkout: Option<Checkout>,
    /// The files that come from the index: a sparse checkout has them nowhere, or git is told to take them for unchanged.
    indexed: Option<Snapshot>,
    /// The paths that git ignores.
    ignored: BTreeSet<Box<str>>,
    /// The blobs that git has for files that another program converts.
    stored: BTreeMap<Box<str>, BlobId>,
    /// The submodules that are checked out, by their folders.
    submodules: Vec<(Box<str>, Folder)>,
}

impl Folder {
    /// Lists everything below `root`; `.git` and the working copies of Terraform are skipped at any depth.
    pub(crate) fn open(root: &Path) -> Result<Self, Error> {
        let hasher = Hasher { kind: HashKind::Sha1, git: None, limit: MAX_FILE };
        Self::list(root, root.display().to_string(), hasher, None, Vec::new())
    }

    fn list(
        root: &Path,
        name: String,
        hasher: Hasher,
        indexed: Option<Snapshot>,
        submodules: Vec<(Box<str>, Folder)>,
    ) -> Result<Self, Error> {
        let mut walk = DiskWalk::new(root, &name, &hasher);
        walk.run()?;
        let (mut entries, mut links, mut unreadable) = (walk.entries, walk.links, walk.unreadable);
        let (odd, mut ignored, mut stored, attributes) = (walk.odd, walk.ignored, walk.stored, walk.attributes);
        unreadable.sort_unstable();
        if let Some(indexed) = &indexed {
            let listing = &indexed.listing;
            entries.retain(|entry| listing.get(&entry.path).is_none());
            links.retain(|path, _| listing.get(path).is_none());
            entries.extend(listing.iter().cloned());
            links.extend(listing.iter().filter_map(|e| Some((e.path.clone(), listing.link_target(&e.path)?.into()))));
        }
        for (folder, inside) in &submodules {
            let (inside, listing) = (&*inside.0, &inside.0.listing);
            let at = |path: &str| Box::from(format!("{folder}/{path}"));
            entries.extend(listing.iter().map(|entry| Entry { path: at(&entry.path), ..entry.clone() }));
            links.extend(listing.iter().filter_map(|e| Some((at(&e.path), listing.link_target(&e.path)?.into()))));
            unreadable.extend(inside.unreadable.iter().map(|path| at(path).into()));
            ignored.extend(inside.ignored.iter().map(|path| at(path)));
            stored.extend(inside.stored.iter().map(|(path, id)| (at(path), *id)));
        }
        let git = hasher.git.as_ref().map(|git| git.checkout.folder());
        let checkout = hasher.git.filter(|git| attributes || git.converts).map(|git| git.checkout);
        let (limit, root) = (hasher.limit, root.into());
        let listing = Listing::new(entries, links);
        let mut files =
            Files { root, name, limit, listing, odd, unreadable, checkout, indexed, ignored, stored, submodules };
        if let Some(git) = git {
            let is_rules = |e: &&Entry| e.kind == EntryKind::File && crate::paths::name(&e.path) == IGNORE_FILE;
            let rules = files.listing.iter().filter(is_rules);
            let rules = rules.filter_map(|e| Some((e.path.clone(), files.bytes(e).ok()?.to_vec())));
            let rules = ignored_by(own_rules(&git).into_iter().chain(rules));
            files.listing = files.listing.ignoring(rules);
        }
        Ok(Self(Arc::new(files)))
    }

    /// Whether git ignores a file.
    pub(super) fn ignores(&self, path: &str) -> bool {
        self.0.ignored.contains(path)
    }

    /// The blob that git has for a file that another program converts, if the file is as git left it.
    pub(super) fn stored(&self, path: &str) -> Option<BlobId> {
        self.0.stored.get(path).copied()
    }
}

impl Files {
    /// The bytes of an entry as git would store them.
    fn bytes(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        if let Some(indexed) = self.indexed.as_ref().filter(|indexed| indexed.listing.get(&entry.path).is_some()) {
            return indexed.read(entry);
        }
        let below = |folder: &str| entry.path.strip_prefix(folder)?.strip_prefix('/').map(Box::from);
        if let Some((inside, path)) = self.submodules.iter().find_map(|(folder, f)| Some((&f.0, below(folder)?))) {
            return inside.bytes(&Entry { path, ..entry.clone() });
        }
        let relative = self.odd.get(&entry.path).map_or(Path::new(&*entry.path), PathBuf::as_path);
        let path = self.root.join(relative);
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
                let bytes =
                    read_file(&path, self.limit).map_err(|error| io_error(&path, &error))?.ok_or_else(too_large)?;
                Ok(match &self.checkout {
                    Some(checkout) => checkout.stored(relative, bytes.to_vec()).into(),
                    None => bytes,
                })
            }
        }
    }
}

impl Source for Folder {
    fn listing(&self) -> &Listing {
        &self.0.listing
    }

    fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        let bytes = self.0.bytes(entry)?;
        Unavailable::of_bytes(&bytes)
            .map_or(Ok(bytes), |why| Err(Error::Unavailable { path: entry.path.to_string(), why }))
    }

    fn name(&self) -> &str {
        &self.0.name
    }

    fn lacking(&self) -> Result<(), Error> {
        self.0.submodules.iter().try_for_each(|(_, inside)| inside.lacking())?;
        self.0.indexed.as_ref().map_or(Ok(()), Source::lacking)
    }

    fn unreadable(&self) -> &[String] {
        &self.0.unreadable
    }

    fn folder(&self) -> Option<Folder> {
        Some(self.clone())
    }
}

impl Repository {
    /// The files of the worktree as git would commit them, tracked or not, those that it ignores, and those of submodules. What
    /// git does not look for on disk comes from the index, as do submodules that are not checked out.
    pub(crate) fn worktree(&self) -> Result<Box<dyn Source>, Error> {
        Ok(Box::new(self.folder()?))
    }

    fn folder(&self) -> Result<Folder, Error> {
        let root = self.workdir().ok_or_else(|| self.bare("worktree"))?;
        let mut submodules = Vec::new();
        let (hasher, indexed) = self.objects.with(|repo| {
            let (kind, limit) = (repo.object_hash(), self.objects.limit());
            let Ok(index) = repo.index_or_empty() else { return Ok((Hasher { kind, git: None, limit }, None)) };
            for entry in index.entries().iter().filter(|entry| entry.mode == Mode::COMMIT) {
                let path = text_of(entry.path(&index));
                if let Some(inside) = checked_out(&root.join(&*path)) {
                    submodules.push((path, inside.folder()?));
                }
            }
            let indexed = self.indexed(repo, &index, root, &submodules)?;
            let has_modes = repo.config_snapshot().boolean("core.fileMode").unwrap_or(true);
            let checkout =
                Checkout::new(repo, index.clone()).map_err(|error| Error::Index { reason: reason(error) })?;
            let git = Some(Recorded { index, checkout, converts: converts(repo), has_modes });
            Ok((Hasher { kind, git, limit }, Some(indexed)))
        })?;
        Folder::list(root, "worktree".to_owned(), hasher, indexed, submodules)
    }

    /// The entries of the index that git takes for unchanged without looking at the disk.
    fn indexed(
        &self,
        repo: &gix::Repository,
        index: &gix::worktree::Index,
        root: &Path,
        submodules: &[(Box<str>, Folder)],
    ) -> Result<Snapshot, Error> {
        let is_checked_out = |path: &[u8]| submodules.iter().any(|(folder, _)| **folder == *text_of(path));
        let is_sparse = repo.config_snapshot().boolean("core.sparseCheckout").unwrap_or(false);
        let is_on_disk = |path: &[u8]| fs::symlink_metadata(root.join(String::from_utf8_lossy(path).as_ref())).is_ok();
        let mut found = Found::default();
        for entry in index.entries().iter().filter(|entry| entry.stage() == Stage::Unconflicted) {
            let path = entry.path(index);
            let is_skipped = entry.flags.contains(Flags::SKIP_WORKTREE) && !(is_sparse && is_on_disk(path));
            if entry.mode == Mode::DIR {
                let folder = String::from_utf8_lossy(path);
                self.objects.walk(entry.id, folder.trim_end_matches('/'), "index", &mut found)?;
            } else if entry.mode == Mode::COMMIT && !is_checked_out(path)
                || is_skipped
                || entry.flags.contains(Flags::ASSUME_VALID)
            {
                found.add(path, entry.id, kind_of_mode(entry.mode));
            }
        }
        Snapshot::new(&self.objects, found, "index".to_owned(), None)
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

pub(super) fn io_error(path: &Path, error: &std::io::Error) -> Error {
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

/// A path as git writes it: its bytes, and as text.
pub(super) fn slashed(path: &Path) -> (Vec<u8>, Box<str>) {
    let bytes = bytes_of(path);
    let text = text_of(&bytes);
    (bytes, text)
}

#[cfg(unix)]
pub(super) fn bytes_of(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

#[cfg(not(unix))]
pub(super) fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/").into_bytes()
}

#[cfg(unix)]
pub(super) fn is_executable(entry: &fs::DirEntry) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    entry.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_executable(_: &fs::DirEntry) -> bool {
    false
}
