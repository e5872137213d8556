//! Reading from the object database.

use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::objs::tree::EntryKind as TreeEntryKind;
use gix::odb::pack::cache::lru::MemoryCappedHashmap;

use super::error::{FSCK, fetch, refetch};
use super::{Entry, EntryKind, Error, Listing, Source, reason, text_of};

/// Memory for inflated delta bases, per handle.
const PACK_CACHE: usize = 64 << 20;
/// The maximum size of the contents cached for other sources of the same repository, in total and of one content.
const CONTENT_CACHE: usize = 128 << 20;
const CONTENT_CACHE_ITEM: usize = 1 << 20;
/// Most entries of one listing, directories included.
pub(super) const MAX_ENTRIES: usize = 2_000_000;
/// Most entries of trees that occur several times in one listing. Copies of folders are common; a tree of ten levels that each
/// hold the next one ten times is not.
const MAX_REPEATED: usize = 200_000;
/// Longest path that can exist on disk.
pub(super) const MAX_PATH: usize = 4096;
/// Longest target of a symbolic link.
const MAX_TARGET: u64 = 4096;

/// Shared by all sources of one repository: the object database, and contents already read.
pub(super) struct Objects {
    repo: gix::ThreadSafeRepository,
    idle: Mutex<Vec<gix::Repository>>,
    contents: Mutex<Contents>,
    /// What a partial clone lacks of the files that were read, by their paths.
    lacking: Mutex<BTreeMap<String, ObjectId>>,
    limit: u64,
}

#[derive(Default)]
struct Contents {
    by_id: HashMap<ObjectId, Arc<[u8]>>,
    size: usize,
}

impl Objects {
    pub(super) fn new(repo: gix::ThreadSafeRepository, limit: u64) -> Self {
        Self { repo, idle: Mutex::default(), contents: Mutex::default(), lacking: Mutex::default(), limit }
    }

    #[cfg(test)]
    pub(super) fn with_limit(&self, limit: u64) -> Self {
        Self::new(self.repo.clone(), limit)
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Runs `work` with a handle no other thread uses. Handles keep their caches between uses.
    pub(super) fn with<T>(&self, work: impl FnOnce(&gix::Repository) -> T) -> T {
        let idle = self.idle.lock().pop();
        let repo = idle.unwrap_or_else(|| {
            let mut repo = self.repo.to_thread_local();
            repo.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(PACK_CACHE)));
            // Pack locations are only meaningful while packs stay loaded.
            repo.objects.prevent_pack_unload();
            repo
        });
        let result = work(&repo);
        self.idle.lock().push(repo);
        result
    }

    pub(super) fn missing(&self, id: ObjectId, path: Option<&str>) -> Error {
        let (shallow, partial) = self.with(|repo| (is_shallow(repo), is_partial(repo)));
        let hint = match (partial, shallow) {
            (true, _) => refetch("REVISION"),
            // A server provides only commits.
            (false, true) if path.is_none() => fetch(&id.to_string()),
            (false, _) => FSCK.to_owned(),
        };
        Error::MissingObject { id: id.to_string(), path: path.map(Into::into), hint }
    }

    /// What a partial clone lacks of the files that were read so far, as an error; `commit` is one that has them.
    fn lacking(&self, commit: Option<ObjectId>) -> Result<(), Error> {
        let lacking = self.lacking.lock();
        let Some((path, _)) = lacking.first_key_value() else { return Ok(()) };
        let commit = commit.map_or_else(|| "HEAD".to_owned(), |id| id.to_string());
        Err(Error::PartialClone { files: lacking.len(), path: path.clone(), hint: refetch(&commit) })
    }

    /// Whether the clone has all of these objects.
    fn has_all(&self, listing: &Listing) -> bool {
        let is_here = |repo: &gix::Repository, entry: &Entry| entry.id.object_id().is_none_or(|id| repo.has_object(id));
        self.with(|repo| listing.iter().all(|e| e.kind == EntryKind::Submodule || is_here(repo, e)))
    }

    /// The content of a blob.
    fn blob(&self, id: ObjectId, path: &str) -> Result<Arc<[u8]>, Error> {
        if let Some(bytes) = self.contents.lock().by_id.get(&id) {
            return Ok(Arc::clone(bytes));
        }
        let broken = |reason| Error::BrokenObject { id: id.to_string(), path: Some(path.into()), reason };
        let bytes: Option<Arc<[u8]>> = self.with(|repo| {
            // Size first: inflating is what a limit is there to prevent.
            let Some(header) = repo.try_find_header(id).map_err(|error| broken(reason(error)))? else {
                return Ok(None);
            };
            if header.size() > self.limit {
                return Err(Error::TooLarge { path: path.into(), limit: self.limit });
            }
            if header.kind() != gix::objs::Kind::Blob {
                return Err(broken(format!("it is a {} where a file is expected", header.kind())));
            }
            let object = repo.find_object(id).map_err(|error| broken(reason(error)))?;
            Ok(Some(Arc::from(object.data.as_slice())))
        })?;
        let bytes = bytes.ok_or_else(|| {
            if self.with(is_partial) {
                self.lacking.lock().insert(path.to_owned(), id);
            }
            self.missing(id, Some(path))
        })?;
        let mut contents = self.contents.lock();
        if bytes.len() <= CONTENT_CACHE_ITEM && contents.size + bytes.len() <= CONTENT_CACHE {
            contents.size += bytes.len();
            contents.by_id.insert(id, Arc::clone(&bytes));
        }
        Ok(bytes)
    }

    /// Adds everything below `root` to `found`, with paths starting with `prefix`.
    pub(super) fn walk(&self, root: ObjectId, prefix: &str, name: &str, found: &mut Found) -> Result<(), Error> {
        let too_many = || Error::TooManyFiles { name: name.into(), limit: MAX_ENTRIES };
        // A work list instead of recursion: nesting is the tree's choice.
        let mut open = vec![(root, prefix.as_bytes().to_vec())];
        while let Some((id, dir)) = open.pop() {
            let is_again = !found.trees.insert(id);
            let data = self.with(|repo| match repo.try_find_object(id) {
                Ok(found) => Ok(found.map(|object| object.detach().data)),
                Err(error) => Err(Error::BrokenObject { id: id.to_string(), path: None, reason: reason(error) }),
            })?;
            let data = data.ok_or_else(|| self.missing(id, None))?;
            let broken = |reason: String| Error::BrokenObject {
                id: id.to_string(),
                path: Some(String::from_utf8_lossy(&dir).into()),
                reason,
            };
            let mut order = TreeOrder::default();
            for entry in gix::objs::TreeRefIter::from_bytes(&data, id.kind()) {
                let entry = entry.map_err(|error| broken(reason(error)))?;
                order.next(entry.filename, entry.mode.is_tree()).map_err(&broken)?;
                let mut path = dir.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(entry.filename);
                found.visited += 1;
                found.repeated += usize::from(is_again);
                if found.visited > MAX_ENTRIES || found.repeated > MAX_REPEATED || path.len() > MAX_PATH {
                    return Err(too_many());
                }
                let kind = match entry.mode.kind() {
                    TreeEntryKind::Tree => {
                        open.push((entry.oid.to_owned(), path));
                        continue;
                    }
                    TreeEntryKind::Blob => EntryKind::File,
                    TreeEntryKind::BlobExecutable => EntryKind::Executable,
                    TreeEntryKind::Link => EntryKind::Symlink,
                    TreeEntryKind::Commit => EntryKind::Submodule,
                };
                found.add(&path, entry.oid.to_owned(), kind);
            }
        }
        Ok(())
    }

    /// Completes a listing: reads where symbolic links lead.
    pub(super) fn listing(&self, found: Found) -> Listing {
        let mut links = BTreeMap::new();
        for entry in found.entries.iter().filter(|entry| entry.kind == EntryKind::Symlink) {
            let target = entry.id.object_id().and_then(|id| {
                let size = self.with(|repo| repo.try_find_header(id).ok().flatten()).map(|header| header.size())?;
                // If its target cannot be read, the link is treated as dangling.
                if size <= MAX_TARGET { self.blob(id, &entry.path).ok() } else { None }
            });
            if let Some(Ok(target)) = target.as_deref().map(std::str::from_utf8) {
                links.insert(entry.path.clone(), target.into());
            }
        }
        Listing::new(found.entries, links)
    }
}

/// The names of a tree so far. `git fsck` and `git checkout` reject a tree that breaks these rules; reading it anyway would
/// hide a file from the analysis that others see.
#[derive(Default)]
struct TreeOrder<'a> {
    last: Option<(&'a [u8], bool)>,
    /// The names of files, which a folder must not repeat.
    files: HashSet<&'a [u8]>,
}

impl<'a> TreeOrder<'a> {
    /// Adds a name.
    ///
    /// # Errors
    /// Why the tree is invalid.
    fn next(&mut self, name: &'a BStr, is_tree: bool) -> Result<(), String> {
        let name = name.as_bytes();
        let is_invalid =
            matches!(name, b"" | b"." | b"..") || name.contains(&b'/') || name.eq_ignore_ascii_case(b".git");
        if is_invalid {
            return Err(format!("`{}` is no name of a file", name.as_bstr()));
        }
        // Names of folders are ordered as if they ended with a slash.
        let key = |name: &'a [u8], is_tree: bool| name.iter().copied().chain(is_tree.then_some(b'/'));
        let is_ordered = self.last.is_none_or(|(last, tree)| key(last, tree).lt(key(name, is_tree)));
        if self.last.is_some_and(|(last, _)| last == name) || is_tree && self.files.contains(name) {
            return Err(format!("it contains `{}` twice", name.as_bstr()));
        }
        if !is_ordered {
            return Err(format!("its names are not sorted at `{}`", name.as_bstr()));
        }
        if !is_tree {
            self.files.insert(name);
        }
        self.last = Some((name, is_tree));
        Ok(())
    }
}

pub(super) fn is_shallow(repo: &gix::Repository) -> bool {
    repo.is_shallow().unwrap_or(false)
}

pub(super) fn is_partial(repo: &gix::Repository) -> bool {
    let config = repo.config_snapshot();
    let promisor = config.plumbing().sections_by_name("remote").is_some_and(|mut remotes| {
        remotes.any(|remote| remote.value("promisor").is_some_and(|value| value.as_slice() == b"true"))
    });
    promisor || config.string("extensions.partialClone").is_some()
}

/// A listing in the making.
#[derive(Default)]
pub(super) struct Found {
    entries: Vec<Entry>,
    visited: usize,
    trees: HashSet<ObjectId>,
    /// How many entries were in trees that had been there before.
    repeated: usize,
}

impl Found {
    pub(super) fn add(&mut self, path: &[u8], id: ObjectId, kind: EntryKind) {
        self.entries.push(Entry { path: text_of(path), id: id.into(), kind });
    }
}

/// A source whose bytes all are in the object database: a revision, or the index.
pub(super) struct Snapshot {
    pub(super) objects: Arc<Objects>,
    pub(super) listing: Listing,
    pub(super) name: String,
    pub(super) commit: Option<ObjectId>,
}

impl Snapshot {
    fn object_id(&self, entry: &Entry) -> Option<ObjectId> {
        if entry.kind == EntryKind::Submodule { None } else { entry.id.object_id() }
    }
}

impl Source for Snapshot {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        let id = self
            .object_id(entry)
            .ok_or_else(|| Error::NotAFile { path: entry.path.to_string(), source_name: self.name.clone() })?;
        self.objects.blob(id, &entry.path)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn commit(&self) -> Option<String> {
        self.commit.map(|id| id.to_string())
    }

    fn lacking(&self) -> Result<(), Error> {
        self.objects.lacking(self.commit)
    }

    fn has_all(&self) -> bool {
        self.objects.has_all(&self.listing)
    }
}
