//! Which of the files that differ say something else than before.

use super::is_backend_file;
use crate::hcl::items::{Item, by_head, items};
use crate::paths::{name, parent};
use crate::source::{Entry, EntryKind, EntryPair, Source};
use crate::terraform::load::names::{AROUND, LOCK, Syntax, configuration, is_override};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The blocks whose effect is seen in what is evaluated. Locals, variables and arguments of calls also reach providers and provisioners.
const EVALUATED: [&str; 3] = ["data", "output", "resource"];
/// What in them decides how something is done, not what is made.
pub(super) const UNSEEN: [&str; 6] = ["connection", "depends_on", "lifecycle", "provider", "providers", "provisioner"];

/// What a file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The arguments and blocks of a file in the native syntax.
    Items(Vec<Item>),
    /// The data of a file in the JSON syntax.
    Json(serde_json::Value),
    /// The bytes of another file; `None` if it is not there or cannot be read.
    Other(Option<Vec<u8>>),
}

/// The files that differ between two revisions.
pub(super) struct Contents<'a> {
    sources: [&'a dyn Source; 2],
    pairs: BTreeMap<&'a str, EntryPair<'a>>,
}

impl<'a> Contents<'a> {
    /// The files among `differing` that say something else.
    pub(super) fn new(sources: [&'a dyn Source; 2], differing: &'a [EntryPair<'a>]) -> Self {
        let mut contents = Contents { sources, pairs: differing.iter().map(|pair| (pair.path(), *pair)).collect() };
        let same: Vec<&str> = contents.pairs.keys().copied().filter(|path| contents.says_the_same(path)).collect();
        let moved = contents.moved_within_folders();
        contents.pairs.retain(|path, _| !same.contains(path) && !moved.contains(path));
        contents
    }

    /// Their paths.
    pub(super) fn differing(&self) -> impl Iterator<Item = &'a str> {
        self.pairs.keys().copied()
    }

    /// Whether one of them is a submodule whose files are not known.
    pub(super) fn is_closed_submodule(&self, path: &str) -> bool {
        let Some(pair) = self.pairs.get(path) else { return false };
        let is_submodule = |entry: &Entry| entry.kind == EntryKind::Submodule;
        let is_closed = self.sources.iter().all(|source| source.listing().under(path).is_empty());
        is_closed && [pair.before, pair.after].into_iter().flatten().any(is_submodule)
    }

    /// What one of them says in base and head. Files of other languages are not read.
    pub(super) fn of(&self, path: &str) -> [Content; 2] {
        let pair = self.pairs.get(path).filter(|_| syntax(path).is_some());
        let [base, head] = self.sources;
        let read = |source: &dyn Source, entry: Option<&Entry>| content(path, entry.and_then(|e| source.read(e).ok()));
        [read(base, pair.and_then(|p| p.before)), read(head, pair.and_then(|p| p.after))]
    }

    /// The items of a file of configuration in base and head, where it may be missing; `None` if it is something else.
    pub(super) fn items(&self, path: &str) -> Option<[Vec<Item>; 2]> {
        let pair = self.pairs.get(path)?;
        let [before, after] = self.of(path);
        let items = |content: Content, entry: Option<&Entry>| match content {
            Content::Items(items) => Some(items),
            _ => entry.is_none().then(Vec::new),
        };
        Some([items(before, pair.before)?, items(after, pair.after)?])
    }

    /// Whether everything that differs in a file is something whose effect is seen when the code is evaluated: arguments of resources
    /// and outputs.
    pub(super) fn is_evaluated(&self, path: &str) -> bool {
        let [Content::Items(before), Content::Items(after)] = self.of(path) else { return false };
        if name(path) == LOCK {
            return false;
        }
        let all = |items: &[Item], others: &[Item]| {
            let texts: HashSet<_> = others.iter().map(Item::text).collect();
            let heads = by_head(others);
            items.iter().filter(|item| !texts.contains(&item.text())).all(|item| {
                let other = heads.get(&*item.head.text).map(|at| &others[*at]);
                let known: HashSet<_> = other.map(|other| other.children.iter().collect()).unwrap_or_default();
                let mut differing = item.children.iter().filter(|words| !known.contains(words));
                EVALUATED.contains(&item.head.first()) && !differing.any(|words| UNSEEN.contains(&words.first()))
            })
        };
        all(&before, &after) && all(&after, &before)
    }

    fn says_the_same(&self, path: &str) -> bool {
        let pair = &self.pairs[path];
        let (Some(before), Some(after)) = (pair.before, pair.after) else { return false };
        before.kind == after.kind
            && syntax(path).is_some()
            && matches!(self.of(path), [a, b] if a.says(&b) && !matches!(a, Content::Other(None)))
    }

    /// The files of configuration among which blocks have only moved, within their folder, and those that come or go and say nothing.
    /// Where links or variants of files decide which of them are read, none.
    fn moved_within_folders(&self) -> BTreeSet<&'a str> {
        let mut folders: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
        if self.sources.iter().any(|source| source.listing().has_links()) {
            return BTreeSet::new();
        }
        for path in self.pairs.keys() {
            let is_plain = configuration(name(path)).is_some_and(|(_, extension, _)| extension == ".tf");
            if is_plain && !is_override(name(path)) {
                folders.entry(parent(path)).or_default().push(path);
            }
        }
        let has_variants = |folder: &str| {
            let children = self.sources.iter().flat_map(|source| source.listing().children(folder));
            children.into_iter().any(|(name, _)| configuration(name).is_some_and(|(_, ext, _)| !ext.starts_with(".tf")))
        };
        folders.retain(|folder, paths| !has_variants(folder) && self.say_together_the_same(paths));
        folders.into_values().flatten().collect()
    }

    fn say_together_the_same(&self, paths: &[&str]) -> bool {
        let mut sides: [Vec<String>; 2] = Default::default();
        for path in paths {
            let pair = &self.pairs[path];
            for ((side, content), entry) in sides.iter_mut().zip(self.of(path)).zip([pair.before, pair.after]) {
                match content {
                    Content::Items(items) => side.extend(items.iter().map(Item::text)),
                    _ if entry.is_none() => {}
                    _ => return false,
                }
            }
        }
        sides.iter_mut().for_each(|side| side.sort_unstable());
        sides[0] == sides[1]
    }
}

impl Content {
    /// Whether it says the same as another one.
    fn says(&self, other: &Content) -> bool {
        match (self, other) {
            (Content::Items(a), Content::Items(b)) => a.iter().map(Item::text).eq(b.iter().map(Item::text)),
            (a, b) => a == b,
        }
    }
}

/// What a file with these bytes says.
fn content(path: &str, bytes: Option<std::sync::Arc<[u8]>>) -> Content {
    let other = || Content::Other(bytes.as_ref().map(|bytes| bytes.to_vec()));
    let text = || bytes.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok());
    match syntax(path) {
        Some(Syntax::Native | Syntax::Values) => text().map_or_else(other, |text| Content::Items(items(text))),
        Some(Syntax::Json | Syntax::JsonValues) => {
            text().and_then(|text| serde_json::from_str(text).ok()).map_or_else(other, Content::Json)
        }
        None => other(),
    }
}

/// The syntax of a file whose comments and layout mean nothing.
fn syntax(path: &str) -> Option<Syntax> {
    let name = name(path);
    match configuration(name) {
        Some((.., syntax)) => Some(syntax),
        None if name == LOCK || AROUND.contains(&name) => Some(Syntax::Values),
        None if name.ends_with(".tfvars") || is_backend_file(path) => Some(Syntax::Values),
        None => name.ends_with(".tfvars.json").then_some(Syntax::JsonValues),
    }
}
