//! The entries of a source: paths, kinds and content identities.

mod entry;
mod expand;
mod on_demand;
mod path_index;

pub(crate) use entry::{Entry, EntryKind};
pub(crate) use expand::expand;

use crate::paths::{join, parent};
use crate::source::unavailable::{IGNORE_FILE, Unavailable, ignored_by, is_ignored};
use on_demand::OnDemand;
use path_index::PathIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher, RandomState};
use std::sync::{Arc, LazyLock};

use gix::ignore::Search;

/// Most symbolic links followed while one path is resolved; the usual limit of operating systems.
const MAX_LINKS: usize = 40;

/// Why a path does not resolve to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// It does not exist, or is a dangling link.
    #[error("no such file")]
    Missing,
    /// It is not missing where the code runs, and what is there is not known.
    #[error("{0}")]
    Unavailable(Unavailable),
    /// A `..` or a link leads out of the repository.
    #[error("the path leaves the repository")]
    LeavesRepository,
    /// More symbolic links than an operating system follows.
    #[error("too many symbolic links")]
    Loop,
    /// A directory.
    #[error("is a directory")]
    IsDirectory,
}

/// The target of a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Node<'a> {
    /// A directory, by its path without links; the root is empty.
    Dir(String),
    /// A regular file.
    File(&'a Entry),
}

/// The kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// A directory or a submodule.
    Dir,
    /// A regular file.
    File,
    /// A symbolic link to anything.
    Symlink,
}

/// The keys of hashes of entries are chosen when the program starts, so that nobody can make two listings with one hash.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// All entries of a source, sorted by the bytes of their paths, without directories.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Listing {
    entries: Vec<Entry>,
    links: BTreeMap<Box<str>, Box<str>>,
    /// The files that links lead to.
    linked: BTreeSet<Box<str>>,
    /// What tells the links of two listings apart.
    links_hash: u64,
    /// What tells the paths of two listings apart, and paths with contents.
    paths_hash: OnDemand,
    contents_hash: OnDemand,
    /// The folders of submodules.
    submodules: Vec<Box<str>>,
    index: PathIndex,
    /// The paths that git ignores.
    ignored: Arc<Search>,
    /// The paths that the settings declare as generated.
    generated: Arc<Search>,
    /// Paths that are missing though git ignores them: the revision that this one is compared with has them.
    deleted: Arc<BTreeSet<Box<str>>>,
}

impl Listing {
    /// `links` maps the paths of symbolic links to their targets; those of the others are not known.
    pub(super) fn new(mut entries: Vec<Entry>, links: BTreeMap<Box<str>, Box<str>>) -> Self {
        entries.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        let submodules = entries.iter().filter(|e| e.kind == EntryKind::Submodule).map(|e| e.path.clone()).collect();
        let mut hasher = DefaultHasher::new();
        let linked = entries.iter().filter(|entry| entry.kind == EntryKind::Symlink);
        linked.for_each(|link| (&link.path, &link.id, links.get(&link.path)).hash(&mut hasher));
        let links_hash = hasher.finish();
        let index = PathIndex::new(&entries);
        let mut listing = Self { entries, links, links_hash, submodules, index, ..Self::default() };
        let linked = listing.links.keys().filter_map(|link| listing.resolve(link).ok());
        listing.linked = linked.map(|entry| entry.path.clone()).collect();
        listing
    }

    /// The same entries in a revision that ignores these paths.
    #[must_use]
    pub(super) fn ignoring(self, ignored: Search) -> Self {
        Self { ignored: Arc::new(ignored), ..self }
    }

    /// The same entries in a revision that ignores what another one does.
    #[must_use]
    pub(super) fn ignoring_as(self, other: &Listing) -> Self {
        let (ignored, generated, deleted) = (&other.ignored, &other.generated, &other.deleted);
        Self { ignored: Arc::clone(ignored), generated: Arc::clone(generated), deleted: Arc::clone(deleted), ..self }
    }

    /// The same entries where what these patterns of a folder name is generated, as in a file `.gitignore` there.
    #[must_use]
    pub(super) fn with_generated(self, folder: &str, patterns: &[String]) -> Self {
        let file = (format!("{folder}{IGNORE_FILE}").into_boxed_str(), patterns.join("\n").into_bytes());
        Self { generated: Arc::new(ignored_by(std::iter::once(file))), ..self }
    }

    /// The same listing as a change of another one: what the change deletes is missing, also if git ignores it. `None` if it
    /// deletes nothing that git ignores.
    pub(super) fn since(&self, base: &Listing) -> Option<Self> {
        let is_gone = |entry: &&Entry| self.get(&entry.path).is_none() && is_ignored(&self.ignored, &entry.path);
        if self.ignored.patterns.is_empty() {
            return None;
        }
        let deleted: BTreeSet<Box<str>> = base.iter().filter(is_gone).map(|entry| entry.path.clone()).collect();
        (!deleted.is_empty()).then(|| Self { deleted: Arc::new(deleted), ..self.clone() })
    }

    /// Why there is nothing at a path, which is one without links.
    fn absence(&self, path: &str) -> ResolveError {
        if let Some(entry) = self.submodule_of(path).and_then(|folder| self.get(folder)) {
            return match self.under(&entry.path).is_empty() {
                true => ResolveError::Unavailable(Unavailable::Submodule(entry.id)),
                false => ResolveError::Missing,
            };
        }
        let is_below =
            |deleted: &str| deleted.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_deleted = || self.deleted.iter().any(|deleted| is_below(deleted));
        match () {
            () if is_ignored(&self.generated, path) => ResolveError::Unavailable(Unavailable::Generated),
            () if is_ignored(&self.ignored, path) && !is_deleted() => ResolveError::Unavailable(Unavailable::Ignored),
            () => ResolveError::Missing,
        }
    }

    /// Whether something may be at a path without an entry.
    pub(crate) fn may_lack(&self) -> bool {
        let is_open = |entry: &Entry| matches!(entry.kind, EntryKind::Submodule | EntryKind::Symlink);
        let has_patterns = |search: &Search| !search.patterns.is_empty();
        has_patterns(&self.ignored) || has_patterns(&self.generated) || self.entries.iter().any(is_open)
    }

    /// The folder of the innermost submodule that a path is, or leads into.
    pub fn submodule_of(&self, path: &str) -> Option<&str> {
        let is_in = |folder: &&str| path.strip_prefix(*folder).is_some_and(|r| r.is_empty() || r.starts_with('/'));
        self.submodules.iter().map(|folder| &**folder).filter(is_in).max_by_key(|folder| folder.len())
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// The entry with exactly this path.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        let found = self.entries.get(self.index.find(path)?)?;
        if *found.path == *path {
            return Some(found);
        }
        // Two paths with one hash.
        let at = self.entries.binary_search_by(|entry| entry.path.as_bytes().cmp(path.as_bytes())).ok()?;
        self.entries.get(at)
    }

    /// Whether something is below a path, which is one without links and not empty.
    fn has_below(&self, path: &str) -> bool {
        self.index.may_be_folder(path) && !self.under(path).is_empty()
    }

    /// All entries below a directory at any depth; all entries for `""` and `"."`.
    pub fn under(&self, dir: &str) -> &[Entry] {
        let dir = dir.trim_end_matches('/');
        if dir.is_empty() || dir == "." {
            return &self.entries;
        }
        let before = |end: u8| {
            move |entry: &Entry| {
                let path = entry.path.as_bytes();
                let head = &path[..path.len().min(dir.len())];
                match head.cmp(dir.as_bytes()) {
                    std::cmp::Ordering::Equal => path.get(dir.len()).is_none_or(|&byte| byte < end),
                    order => order.is_lt(),
                }
            }
        };
        // Everything that continues with `/`, and nothing that continues with the next byte.
        let start = self.entries.partition_point(before(b'/'));
        let rest = &self.entries[start..];
        &rest[..rest.partition_point(before(b'/' + 1))]
    }

    /// Whether something is below this path (links are not followed), or it is a submodule. The root always is one.
    pub fn is_dir(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        matches!(path, "" | ".")
            || self.has_below(path)
            || self.get(path).is_some_and(|entry| entry.kind == EntryKind::Submodule)
    }

    /// Whether there are symbolic links.
    pub fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// Whether a symbolic link leads to a file.
    pub fn is_linked(&self, path: &str) -> bool {
        self.linked.contains(path)
    }

    /// A hash of the paths of all entries. It is made once, because results that may read any file ask for it.
    pub fn paths_hash(&self) -> u64 {
        self.paths_hash.get(&self.entries, |entry, hasher| entry.path.hash(hasher))
    }

    /// A hash of all entries with their contents, made once, too.
    pub fn contents_hash(&self) -> u64 {
        self.contents_hash.get(&self.entries, |entry, hasher| (&entry.path, &entry.id, entry.kind).hash(hasher))
    }

    /// A hash of the symbolic links and their targets. It is made once, because all that is read asks for it.
    pub fn links_hash(&self) -> u64 {
        self.links_hash
    }

    /// The target of the symbolic link at `path`.
    pub fn link_target(&self, path: &str) -> Option<&str> {
        self.links.get(path).map(AsRef::as_ref)
    }

    /// Returns the names directly in a directory (a path without links), sorted by name.
    pub fn children(&self, dir: &str) -> Vec<(&str, Child)> {
        let dir = if dir == "." { "" } else { dir };
        let skip = if dir.is_empty() { 0 } else { dir.len() + 1 };
        let mut rest = self.under(dir);
        let mut children: Vec<(&str, Child)> = Vec::new();
        while let Some(entry) = rest.first() {
            let below = entry.path.get(skip..).unwrap_or("");
            if let Some(slash) = below.find('/') {
                let child = &entry.path[..skip + slash];
                children.push((&below[..slash], Child::Dir));
                let inside = rest
                    .partition_point(|other| other.path.strip_prefix(child).is_some_and(|tail| tail.starts_with('/')));
                rest = &rest[inside.max(1)..];
            } else {
                let child = match entry.kind {
                    EntryKind::File | EntryKind::Executable => Child::File,
                    EntryKind::Symlink => Child::Symlink,
                    EntryKind::Submodule => Child::Dir,
                };
                children.push((below, child));
                rest = &rest[1..];
            }
        }
        children.sort_unstable_by_key(|child| child.0);
        children.dedup_by_key(|child| child.0);
        children
    }

    /// Returns the regular file at a path, following symbolic links.
    pub fn resolve(&self, path: &str) -> Result<&Entry, ResolveError> {
        match self.lookup(path)? {
            Node::File(entry) => Ok(entry),
            Node::Dir(_) => Err(ResolveError::IsDirectory),
        }
    }

    /// Removes `..` from a path of the form `a/b/../../c`, if there are no links and its first part is a directory.
    fn without_way_up(&self, path: &str) -> Option<String> {
        let (from, rest) = path.split_once("/../")?;
        let (mut from, mut rest) = (from, rest);
        if !is_plain(from) || !self.is_dir(from) {
            return None;
        }
        loop {
            from = parent(from);
            match rest.strip_prefix("../") {
                Some(more) if !from.is_empty() => rest = more,
                Some(_) => return None,
                None => break,
            }
        }
        is_plain(rest).then(|| join(from, rest))
    }

    /// Resolves a path, following symbolic links and `..` like an operating system. Never returns
    /// [`ResolveError::IsDirectory`].
    pub fn lookup(&self, path: &str) -> Result<Node<'_>, ResolveError> {
        if path.starts_with('/') {
            return Err(ResolveError::LeavesRepository);
        }
        let cleaned = (self.links.is_empty() && !is_plain(path)).then(|| self.without_way_up(path)).flatten();
        let path = cleaned.as_deref().unwrap_or(path);
        if self.links.is_empty() && is_plain(path) {
            match self.get(path).map(|entry| (entry, entry.kind)) {
                Some((entry, EntryKind::File | EntryKind::Executable)) => return Ok(Node::File(entry)),
                None | Some((_, EntryKind::Submodule)) if !self.has_below(path) => return Err(self.absence(path)),
                None | Some((_, EntryKind::Submodule)) => return Ok(Node::Dir(path.to_owned())),
                Some((_, EntryKind::Symlink)) => {}
            }
        }
        let mut current = String::new();
        let mut links = 0;
        let mut pending: Vec<&str> = path.split('/').rev().collect();
        while let Some(part) = pending.pop() {
            let parent = current.len();
            match part {
                "" | "." => continue,
                ".." if current.is_empty() => return Err(ResolveError::LeavesRepository),
                ".." => {
                    current.truncate(current.rfind('/').unwrap_or(0));
                    continue;
                }
                _ if current.is_empty() => current.push_str(part),
                _ => {
                    current.push('/');
                    current.push_str(part);
                }
            }
            let entry = self.get(&current);
            let Some(entry) = entry.filter(|entry| entry.kind != EntryKind::Submodule) else {
                if self.has_below(&current) {
                    continue;
                }
                let rest = pending.iter().rev().filter(|part| !matches!(**part, "" | "."));
                let whole = rest.take_while(|part| **part != "..").fold(current, |path, part| path + "/" + part);
                return Err(self.absence(&whole));
            };
            match entry.kind {
                EntryKind::File | EntryKind::Executable if pending.iter().all(|part| part.is_empty()) => {
                    return Ok(Node::File(entry));
                }
                EntryKind::File | EntryKind::Executable | EntryKind::Submodule => return Err(ResolveError::Missing),
                EntryKind::Symlink => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(ResolveError::Loop);
                    }
                    let unknown = ResolveError::Unavailable(Unavailable::Link);
                    let target = self.link_target(&current).ok_or(unknown)?;
                    if target.is_empty() {
                        return Err(ResolveError::Missing);
                    }
                    if target.starts_with('/') {
                        return Err(ResolveError::LeavesRepository);
                    }
                    pending.extend(target.split('/').rev());
                    current.truncate(parent);
                }
            }
        }
        Ok(Node::Dir(current))
    }
}

/// Whether every part of a path is the name of a folder or file: none is empty, `.` or `..`.
fn is_plain(path: &str) -> bool {
    path.as_bytes().split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

impl<'a> IntoIterator for &'a Listing {
    type Item = &'a Entry;
    type IntoIter = std::slice::Iter<'a, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::source::{Memory, Source as _};
    use proptest::prelude::*;

    fn listing(files: &[&str], links: &[(&str, &str)]) -> Listing {
        let files = files.iter().map(|path| ((*path).to_owned(), path.as_bytes().to_vec())).collect();
        let links: BTreeMap<_, _> = links.iter().map(|(path, to)| ((*path).to_owned(), (*to).to_owned())).collect();
        Memory::with_links("memory", files, links).listing().clone()
    }

    #[test]
    fn directories_are_contiguous() {
        let listing = listing(&["a-b", "a.b/c", "a/b", "a/b.c", "a/b/c", "a0", "b", "é/x"], &[]);
        let under = |dir| listing.under(dir).iter().map(|entry| &*entry.path).collect::<Vec<_>>();
        assert_eq!(under("a"), ["a/b", "a/b.c", "a/b/c"]);
        assert_eq!(under("a/"), under("a"));
        assert_eq!(under("é"), ["é/x"]);
        assert_eq!(under("b"), [""; 0]);
        assert_eq!(under(""), under("."));
        assert_eq!(listing.len(), under("").len());
        for (path, expected) in [("", true), ("a", true), ("a/b", true), ("b", false), ("a.", false), ("é", true)] {
            assert_eq!(listing.is_dir(path), expected, "{path}");
        }
        let names = |dir| listing.children(dir).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(""), ["a", "a-b", "a.b", "a0", "b", "é"]);
        assert_eq!(names("."), names(""));
        assert_eq!(names("a"), ["b", "b.c"]);
    }

    #[test]
    fn paths_resolve_through_links() {
        let links = [
            ("link", "d/f"),
            ("dir", "d/e"),
            ("d/up", "../g"),
            ("chain", "dir/../f"),
            ("loop", "pool"),
            ("pool", "loop"),
            ("out", "../x"),
            ("abs", "/etc/passwd"),
            ("dangling", "nowhere"),
            ("empty", ""),
        ];
        let listing = listing(&["d/f", "d/e/h", "g"], &links);
        let cases = [
            ("d/f", Ok("d/f")),
            ("./d//f", Ok("d/f")),
            ("link", Ok("d/f")),
            ("dir/h", Ok("d/e/h")),
            ("d/up", Ok("g")),
            ("dir/../f", Ok("d/f")),
            ("chain", Ok("d/f")),
            ("d/../g", Ok("g")),
            ("x/../g", Err(ResolveError::Missing)),
            ("g/", Ok("g")),
            ("g/x", Err(ResolveError::Missing)),
            ("d", Err(ResolveError::IsDirectory)),
            ("", Err(ResolveError::IsDirectory)),
            ("dir", Err(ResolveError::IsDirectory)),
            ("none", Err(ResolveError::Missing)),
            ("dangling", Err(ResolveError::Missing)),
            ("empty", Err(ResolveError::Missing)),
            ("loop", Err(ResolveError::Loop)),
            ("out", Err(ResolveError::LeavesRepository)),
            ("abs", Err(ResolveError::LeavesRepository)),
            ("../g", Err(ResolveError::LeavesRepository)),
            ("/g", Err(ResolveError::LeavesRepository)),
        ];
        for (path, expected) in cases {
            assert_eq!(listing.resolve(path).map(|entry| &*entry.path), expected, "{path}");
        }
    }

    proptest! {
        /// Without links, a path is looked up as a whole, with the same result.
        #[test]
        fn what_is_looked_up_as_a_whole_is_the_same(
            parts in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "x.yaml", ".", "..", ""]), 0..6),
        ) {
            let files = ["a/b/c", "a/x.yaml", "b/b/b", "c", "x.yaml/a"];
            let (whole, stepwise) = (listing(&files, &[]), listing(&files, &[("elsewhere", "a")]));
            let path = parts.join("/");
            prop_assert_eq!(whole.lookup(&path), stepwise.lookup(&path), "{}", path);
        }
    }
}
