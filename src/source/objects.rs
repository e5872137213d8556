//! Reading from the object database.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::objs::Kind;
use gix::objs::tree::EntryKind as TreeEntryKind;
use gix::odb::memory::Storage as Memory;
use gix::odb::pack::cache::DecodeEntry;
use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::error::{FSCK, fetch, refetch};
use super::exclude::{MAX_RULES, own_rules};
use super::submodules::{self, Homes};
use super::unavailable::{IGNORE_FILE, ignored_by};
use super::{Entry, EntryKind, Error, Listing, Source, Unavailable, reason, text_of};
use crate::text::{FastMap, FastSet};

/// Memory for objects that others in a pack are deltas of.
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
    bases: Bases,
    contents: Mutex<Contents>,
    /// Folders: two revisions have most of them in common.
    trees: Mutex<Contents>,
    /// The repositories of submodules.
    modules: OnceLock<Vec<Arc<Objects>>>,
    /// Objects that the repository does not have.
    memory: Memory,
    limit: u64,
}

/// Objects that others in a pack are deltas of, for all handles: files of one name are in one chain of deltas, of which each thread
/// would otherwise read most.
#[derive(Clone)]
struct Bases(Arc<Mutex<MemoryCappedHashmap>>);

impl DecodeEntry for Bases {
    fn put(&mut self, pack: u32, offset: u64, data: &[u8], kind: Kind, compressed_size: usize) {
        self.0.lock().put(pack, offset, data, kind, compressed_size);
    }

    fn get(&mut self, pack: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        self.0.lock().get(pack, offset, out)
    }
}

#[derive(Default)]
struct Contents {
    by_id: FastMap<ObjectId, Arc<[u8]>>,
    size: usize,
}

impl Contents {
    /// Keeps a content, if there is room.
    fn keep(&mut self, id: ObjectId, bytes: &Arc<[u8]>) {
        if bytes.len() <= CONTENT_CACHE_ITEM && self.size + bytes.len() <= CONTENT_CACHE {
            self.size += bytes.len();
            self.by_id.insert(id, Arc::clone(bytes));
        }
    }
}

impl Objects {
    pub(super) fn new(repo: gix::ThreadSafeRepository, limit: u64) -> Self {
        let (idle, contents, trees) = Default::default();
        let bases = Bases(Arc::new(Mutex::new(MemoryCappedHashmap::new(PACK_CACHE))));
        Self { repo, idle, bases, contents, trees, modules: OnceLock::new(), memory: Memory::default(), limit }
    }

    /// The same database with more objects.
    pub(super) fn with_memory(&self, memory: Memory) -> Self {
        Self { memory, ..Self::new(self.repo.clone(), self.limit) }
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
            let bases = self.bases.clone();
            repo.objects.set_pack_cache(move || Box::new(bases.clone()));
            // Pack locations are only meaningful while packs stay loaded.
            repo.objects.prevent_pack_unload();
            repo.objects.set_object_memory(self.memory.clone());
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

    /// The repositories of submodules of this clone.
    pub(super) fn modules(&self) -> &[Arc<Objects>] {
        self.modules.get_or_init(|| {
            let folders = self.with(|repo| [repo.git_dir().to_owned(), repo.common_dir().to_owned()]);
            let folders: BTreeSet<PathBuf> = folders.into_iter().collect();
            submodules::repositories(&folders.into_iter().collect::<Vec<_>>(), self.limit)
        })
    }

    /// The tree of a commit, if it is here.
    pub(super) fn tree_of(&self, commit: ObjectId) -> Option<ObjectId> {
        self.with(|repo| Some(find(repo, commit).ok()??.try_into_commit().ok()?.tree_id().ok()?.detach()))
    }

    /// The content of a blob of at most `limit` bytes.
    fn blob(&self, id: ObjectId, path: &str, limit: u64) -> Result<Arc<[u8]>, Error> {
        if let Some(bytes) = self.contents.lock().by_id.get(&id) {
            return Ok(Arc::clone(bytes));
        }
        let broken = |reason| Error::BrokenObject { id: id.to_string(), path: Some(path.into()), reason };
        let bytes: Option<Arc<[u8]>> = self.with(|repo| {
            // Size first: inflating is what a limit is there to prevent.
            let Some(header) = repo.try_find_header(id).map_err(|error| broken(reason(error)))? else {
                return Ok(None);
            };
            if header.size() > limit {
                return Err(Error::TooLarge { path: path.into(), limit });
            }
            if header.kind() != Kind::Blob {
                return Err(broken(format!("it is a {} where a file is expected", header.kind())));
            }
            let object = find(repo, id).map_err(broken)?;
            Ok(object.map(|object| Arc::from(object.data.as_slice())))
        })?;
        let bytes = bytes.ok_or_else(|| self.missing(id, Some(path)))?;
        self.contents.lock().keep(id, &bytes);
        Ok(bytes)
    }

    /// The content of a folder.
    fn tree(&self, id: ObjectId) -> Result<Arc<[u8]>, Error> {
        if let Some(bytes) = self.trees.lock().by_id.get(&id) {
            return Ok(Arc::clone(bytes));
        }
        let bytes = self.with(|repo| Ok(find(repo, id)?.map(|object| Arc::from(object.data.as_slice()))));
        let bytes = bytes.map_err(|reason| Error::BrokenObject { id: id.to_string(), path: None, reason })?;
        let bytes = bytes.ok_or_else(|| self.missing(id, None))?;
        self.trees.lock().keep(id, &bytes);
        Ok(bytes)
    }

    /// Adds everything below `root` to `found`, with paths starting with `prefix`.
    pub(super) fn walk(&self, root: ObjectId, prefix: &str, name: &str, found: &mut Found) -> Result<(), Error> {
        let too_many = || Error::TooManyFiles { name: name.into(), limit: MAX_ENTRIES };
        // A work list instead of recursion: nesting is the tree's choice.
        let mut open = vec![(root, prefix.as_bytes().to_vec())];
        let mut path = Vec::new();
        while let Some((id, dir)) = open.pop() {
            let is_again = !found.trees.insert(id);
            let data = self.tree(id)?;
            let broken = |reason: String| Error::BrokenObject {
                id: id.to_string(),
                path: Some(String::from_utf8_lossy(&dir).into()),
                reason,
            };
            let (mut order, outer) = (TreeOrder::default(), open.len());
            for entry in gix::objs::TreeRefIter::from_bytes(&data, id.kind()) {
                let entry = entry.map_err(|error| broken(reason(error)))?;
                order.next(entry.filename, entry.mode.is_tree()).map_err(&broken)?;
                path.clear();
                path.extend_from_slice(&dir);
                path.extend(Some(b'/').filter(|_| !dir.is_empty()));
                path.extend_from_slice(entry.filename);
                found.visited += 1;
                found.repeated += usize::from(is_again);
                if found.visited > MAX_ENTRIES || found.repeated > MAX_REPEATED || path.len() > MAX_PATH {
                    return Err(too_many());
                }
                let kind = match entry.mode.kind() {
                    TreeEntryKind::Tree => {
                        open.push((entry.oid.to_owned(), path.clone()));
                        continue;
                    }
                    TreeEntryKind::Blob => EntryKind::File,
                    TreeEntryKind::BlobExecutable => EntryKind::Executable,
                    TreeEntryKind::Link => EntryKind::Symlink,
                    TreeEntryKind::Commit => EntryKind::Submodule,
                };
                found.add(&path, entry.oid.to_owned(), kind);
            }
            // The first folder is next, so that most paths come in their order.
            open[outer..].reverse();
        }
        Ok(())
    }
}

/// An object; `None` if it is not here.
///
/// # Errors
/// Why it cannot be read. The checksums of loose objects and packs are not compared with every object, so its id is.
pub(super) fn find(repo: &gix::Repository, id: ObjectId) -> Result<Option<gix::Object<'_>>, String> {
    let Some(object) = repo.try_find_object(id).map_err(reason)? else { return Ok(None) };
    let actual = hash(id.kind(), object.kind, &object.data);
    // What `git replace` puts in its place has another id.
    let is_replaced = || repo.try_find_reference(&format!("refs/replace/{id}")).is_ok_and(|found| found.is_some());
    if actual != id.as_slice() && !is_replaced() {
        return Err("its content has another id".to_owned());
    }
    Ok(Some(object))
}

/// The hash of an object. Git looked for attacks on SHA-1 when it stored the object; here damage is looked for, which takes a part of
/// the time.
fn hash(kind: gix::hash::Kind, object: Kind, data: &[u8]) -> Vec<u8> {
    let header = gix::objs::encode::loose_header(object, data.len() as u64);
    match kind {
        gix::hash::Kind::Sha1 => Sha1::new().chain_update(&*header).chain_update(data).finalize().to_vec(),
        _ => Sha256::new().chain_update(&*header).chain_update(data).finalize().to_vec(),
    }
}

/// The names of a tree so far. `git fsck` and `git checkout` reject a tree that breaks these rules; reading it anyway would
/// hide a file from the analysis that others see.
#[derive(Default)]
struct TreeOrder<'a> {
    last: Option<(&'a [u8], bool)>,
    /// The names of files, which a folder must not repeat, in their order.
    files: Vec<&'a [u8]>,
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
        if self.last.is_some_and(|(last, _)| last == name) || is_tree && self.files.binary_search(&name).is_ok() {
            return Err(format!("it contains `{}` twice", name.as_bstr()));
        }
        if !is_ordered {
            return Err(format!("its names are not sorted at `{}`", name.as_bstr()));
        }
        if !is_tree {
            self.files.push(name);
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
    pub(super) entries: Vec<Entry>,
    visited: usize,
    trees: FastSet<ObjectId>,
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
    objects: Arc<Objects>,
    homes: Homes,
    pub(super) listing: Listing,
    name: String,
    commit: Option<ObjectId>,
    /// Why objects that were read are not known, by the paths of their files.
    lost: Mutex<BTreeMap<Box<str>, Error>>,
    /// The paths of files of data that were asked for, and that nothing can fetch.
    lost_data: Mutex<BTreeSet<String>>,
}

impl Snapshot {
    /// Completes a listing: adds the files of submodules, and reads where symbolic links lead and what git ignores. In a partial
    /// clone, which may lack much that nobody asks for, what is not known of them is asked for later: such a link leads to
    /// something unknown, and everything that is missing may be ignored.
    pub(super) fn new(
        objects: &Arc<Objects>,
        mut found: Found,
        name: String,
        commit: Option<ObjectId>,
    ) -> Result<Self, Error> {
        let mut homes = Homes::default();
        submodules::expand(objects, &name, &mut found, &mut homes)?;
        let mut snapshot = Snapshot {
            objects: Arc::clone(objects),
            homes,
            listing: Listing::default(),
            name,
            commit,
            lost: Mutex::default(),
            lost_data: Mutex::default(),
        };
        let mut links = BTreeMap::new();
        for entry in found.entries.iter().filter(|entry| entry.kind == EntryKind::Symlink) {
            // A target that no system follows leads nowhere.
            if let Some(target) = snapshot.small(entry, MAX_TARGET) {
                links.insert(entry.path.clone(), String::from_utf8(target).unwrap_or_default().into());
            }
        }
        let is_rules = |entry: &&Entry| entry.kind == EntryKind::File && crate::paths::name(&entry.path) == IGNORE_FILE;
        let rules = found.entries.iter().filter(is_rules);
        let rules = rules
            .map(|entry| (entry.path.clone(), snapshot.small(entry, MAX_RULES).unwrap_or_else(|| b"*".to_vec())))
            .collect::<Vec<_>>();
        let ignored = ignored_by(objects.with(|repo| own_rules(repo.common_dir())).into_iter().chain(rules));
        snapshot.listing = Listing::new(found.entries, links).ignoring(ignored);
        Ok(snapshot)
    }

    /// The content of a small file, empty if it is larger; `None` if it cannot be read.
    fn small(&self, entry: &Entry, most: u64) -> Option<Vec<u8>> {
        let objects = self.objects(entry);
        match objects.blob(entry.id.object_id()?, &entry.path, most) {
            Ok(bytes) => Some(bytes.to_vec()),
            Err(Error::TooLarge { .. }) => Some(Vec::new()),
            Err(Error::MissingObject { .. }) if objects.with(is_partial) => None,
            Err(error) => {
                self.lose(entry, &error);
                None
            }
        }
    }

    /// Notes that an object cannot be read: nothing that reads it is known.
    fn lose(&self, entry: &Entry, error: &Error) {
        if matches!(error, Error::MissingObject { .. } | Error::BrokenObject { .. }) {
            self.lost.lock().insert(entry.path.clone(), error.clone());
        }
    }

    fn objects(&self, entry: &Entry) -> &Objects {
        self.homes.of(&entry.path).unwrap_or(&self.objects)
    }

    fn content(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        let id = entry.id.object_id().filter(|_| entry.kind != EntryKind::Submodule);
        let none = || Error::NotAFile { path: entry.path.to_string(), source_name: self.name.clone() };
        let objects = self.objects(entry);
        let bytes = objects.blob(id.ok_or_else(none)?, &entry.path, objects.limit())?;
        Unavailable::of_bytes(&bytes)
            .map_or(Ok(bytes), |why| Err(Error::Unavailable { path: entry.path.to_string(), why }))
    }
}

impl Source for Snapshot {
    fn listing(&self) -> &Listing {
        &self.listing
    }

    fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
        self.content(entry).inspect_err(|error| self.lose(entry, error))
    }

    fn read_data(&self, entry: &Entry) -> Result<Option<Arc<[u8]>>, Error> {
        match self.content(entry) {
            Err(Error::MissingObject { .. }) if !self.objects(entry).with(is_partial) => {
                self.lost_data.lock().insert(entry.path.to_string());
                Ok(None)
            }
            content => content.inspect_err(|error| self.lose(entry, error)).map(Some),
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn commit(&self) -> Option<String> {
        self.commit.map(|id| id.to_string())
    }

    fn lacking(&self) -> Result<(), Error> {
        let lost = self.lost.lock();
        let Some((path, _)) = lost.first_key_value() else { return Ok(()) };
        let is_partial = self.objects.with(is_partial);
        let can_be_fetched = |path: &str, error: &Error| {
            is_partial && matches!(error, Error::MissingObject { .. }) && self.homes.of(path).is_none()
        };
        if let Some((_, error)) = lost.iter().find(|(path, error)| !can_be_fetched(path, error)) {
            return Err(error.clone());
        }
        let commit = self.commit.map_or_else(|| "HEAD".to_owned(), |id| id.to_string());
        Err(Error::PartialClone { files: lost.len(), path: path.to_string(), hint: refetch(&commit) })
    }

    fn lost(&self) -> Vec<String> {
        self.lost_data.lock().iter().cloned().collect()
    }

    fn has_all(&self) -> bool {
        let is_here = |entry: &Entry| {
            let id = entry.id.object_id().filter(|_| entry.kind != EntryKind::Submodule);
            id.is_none_or(|id| self.objects(entry).with(|repo| repo.has_object(id)))
        };
        self.listing.iter().all(is_here)
    }
}
