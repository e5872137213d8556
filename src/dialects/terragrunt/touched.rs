//! Which units an edit of configuration files can reach, from the texts of files alone: nothing is evaluated. A file that names
//! another one in a way that its text does not show may read any.

use super::load::{AUTOINCLUDE, Loader, STACK, UNIT, VALUES};
use crate::dialects::{Reach, Scope, and_around};
use crate::hcl::ast::{Body, Call, Expr, ExprKind, Part, walk};
use crate::hcl::parse::parse_outline;
use crate::paths;
use crate::source::{ChangeKind, Entry, Listing, ResolveError};
use crate::terraform::module::paths::is_reader;
use crate::text::{FastMap, FastSet};
use crate::threads;
use crate::value::FileId;
use std::cell::RefCell;
use std::sync::Arc;

/// The ending of files of configuration, and those of code.
const HCL: &str = ".hcl";
const CODE: [&str; 4] = [".tf", ".tofu", ".tf.json", ".tofu.json"];
/// The function that searches a file in the folders above.
pub(super) const ABOVE: &str = "find_in_parent_folders";
/// The function that reads another configuration.
pub(super) const CONFIGURATION: &str = "read_terragrunt_config";
/// Functions of Terragrunt whose first argument is the path of a file, besides those of the language.
pub(super) const READERS: [&str; 2] = ["read_tfvars_file", "sops_decrypt_file"];
/// Functions that read what their text does not show.
const OPEN: [&str; 3] = ["mark_glob_as_read", "run_cmd", "templatefile"];
/// The most files that one name may mean before it counts as any file.
const MAX_MEANT: usize = 20;
/// As many files most units read.
const USUAL: usize = 8;
/// The most files that a unit may read before it counts as reading any.
const MAX_READ: usize = 5 * MAX_MEANT;

/// How a file names files that it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// In a way that its text does not show.
    Any,
    /// The nearest one of this name in the folders above.
    Above(String),
    /// By the end of the path.
    Ending(String),
}

/// A file of configuration, by its place among these.
type Index = u32;

/// A file, and whether git lacks one that is nearer.
type Nearest = (Option<Index>, bool);

/// A file of configuration, and what it reads, whichever unit it is read for.
struct Node {
    /// `None` if it cannot be read.
    file: Option<FileId>,
    /// Whether an edit changes what it says, or it may read any file.
    is_reached: bool,
    /// Whether git lacks a file that it reads.
    lacks: bool,
    /// The files that it names, also in the folders above its own.
    named: Vec<Index>,
    mentions: Arc<Vec<Mention>>,
}

/// The files of configuration, with what they read.
pub(super) struct Touched<'a> {
    paths: Paths<'a>,
    nodes: Vec<Node>,
}

/// The files of configuration by their paths.
struct Paths<'a> {
    listing: &'a Listing,
    /// Whether something that is missing may be there, and git does not have it.
    may_lack: bool,
    entries: Vec<&'a Entry>,
    by_path: FastMap<&'a str, Index>,
    /// By their names; those of units by the names of their folders, too.
    by_name: FastMap<&'a str, Vec<Index>>,
    /// The nearest file of a name in a folder or in those above it, see [`Paths::above`].
    nearest: RefCell<FastMap<&'a str, FastMap<String, Nearest>>>,
}

impl<'a> Touched<'a> {
    /// The edits of a scope; `None` if they may reach any unit: stacks, code, data, new and deleted files, links, and files that
    /// code reads.
    pub(super) fn new(loader: &Loader<'a>, scope: Scope<'_>) -> Option<Self> {
        let Scope::Touched(changes) = scope else { return None };
        let is_edit =
            |path: &str| path.ends_with(HCL) && paths::name(path) != STACK && !paths::name(path).starts_with('.');
        let listing = loader.modules.loader.reader.source().listing();
        if listing.has_links() || !changes.iter().all(|c| c.kind == ChangeKind::Modified && is_edit(&c.path)) {
            return None;
        }
        let changed: FastSet<&str> = changes.iter().map(|change| &*change.path).collect();
        if code_may_read(loader, &changed) {
            return None;
        }
        let paths = Paths::new(listing);
        let read = threads::map(&paths.entries, |entry| read(loader, entry));
        // What belongs to the configuration beside it, whether that names it or not.
        let is_read_beside = |path: &&&str| matches!(paths::name(path), VALUES | AUTOINCLUDE);
        let beside: FastSet<&str> = changed.iter().filter(is_read_beside).map(|path| paths::parent(path)).collect();
        let nodes = paths.entries.iter().zip(read).map(|(entry, (file, mentions))| {
            let is_changed = changed.contains(&*entry.path) || beside.contains(paths::parent(&entry.path));
            let node = Node { file, is_reached: is_changed, lacks: false, named: Vec::new(), mentions };
            paths.complete(node, paths::parent(&entry.path))
        });
        let nodes = nodes.collect();
        Some(Touched { paths, nodes })
    }

    /// The id of a file of configuration; `None` if it cannot be read.
    pub(super) fn file(&self, path: &str) -> Option<FileId> {
        self.nodes.get(*self.paths.by_path.get(path)? as usize)?.file
    }

    /// What edits can do to the unit with a file.
    pub(super) fn reach(&self, own: &str) -> Reach {
        let Some(own) = self.paths.by_path.get(own).copied() else { return Reach::Reached };
        let (mut open, mut seen, mut lacks) = (Vec::with_capacity(USUAL), Vec::with_capacity(USUAL), false);
        open.push(own);
        seen.push(own);
        let folder = paths::parent(self.paths.path(own));
        while let Some(index) = open.pop() {
            let Some(node) = self.nodes.get(index as usize) else { return Reach::Reached };
            if node.is_reached || seen.len() > MAX_READ {
                return Reach::Reached;
            }
            lacks |= node.lacks;
            let mut add = |index: Index| {
                if !seen.contains(&index) {
                    seen.push(index);
                    open.push(index);
                }
            };
            node.named.iter().copied().for_each(&mut add);
            let of_unit = node.mentions.iter().filter_map(Mention::above).filter(|_| index != own);
            for name in of_unit {
                let (found, is_unavailable) = self.paths.above(folder, name);
                lacks |= is_unavailable;
                found.into_iter().for_each(&mut add);
            }
        }
        if lacks { Reach::Open } else { Reach::Untouched }
    }
}

impl Mention {
    fn above(&self) -> Option<&str> {
        match self {
            Mention::Above(name) => Some(name),
            Mention::Any | Mention::Ending(_) => None,
        }
    }
}

/// Reads a file of configuration, and finds out how it names others.
fn read(loader: &Loader<'_>, entry: &Entry) -> (Option<FileId>, Arc<Vec<Mention>>) {
    let (loaded, cache, key) = (&loader.modules.loader, &loader.cache.mentions, (entry.id, ()));
    let Some(file) = Some(entry).filter(|entry| entry.is_file()).and_then(|entry| loaded.add_entry(entry)) else {
        return (None, Arc::new(vec![Mention::Any]));
    };
    let known = cache.get(&key);
    (Some(file), known.unwrap_or_else(|| cache.insert(key, of_text(&loaded.reader.files.get(file).text))))
}

/// Whether code of modules, by its text, may read an edited file.
fn code_may_read(loader: &Loader<'_>, changed: &FastSet<&str>) -> bool {
    let listing = loader.modules.loader.reader.source().listing();
    let mut code = listing.iter().map(|entry| &*entry.path).filter(|path| CODE.iter().any(|end| path.ends_with(end)));
    code.any(|path| match loader.load(path, false) {
        Ok(file) if file.parsed.errors.is_empty() => {
            let mut found = Vec::new();
            attributes(&file.parsed.body, &mut |expr| {
                walk::visit(expr, &mut |inner| match &inner.kind {
                    ExprKind::Call(call) if is_reader(&call.name.text) => {
                        call.arguments.first().into_iter().for_each(|first| ends(first, &mut found));
                    }
                    _ => {}
                });
            });
            found.iter().any(|mention| match mention {
                Mention::Any | Mention::Above(_) => true,
                Mention::Ending(end) => changed.iter().any(|path| path.ends_with(&**end)),
            })
        }
        _ => true,
    })
}

impl<'a> Paths<'a> {
    fn new(listing: &'a Listing) -> Self {
        let entries: Vec<&Entry> = listing.iter().filter(|entry| entry.path.ends_with(HCL)).collect();
        let mut by_name: FastMap<&str, Vec<Index>> = FastMap::default();
        for (index, entry) in (0..).zip(&entries) {
            let is_unit = paths::name(&entry.path) == UNIT;
            by_name.entry(last(&entry.path, if is_unit { 2 } else { 1 })).or_default().push(index);
        }
        let by_path = entries.iter().map(|entry| &*entry.path).zip(0..).collect();
        Paths { listing, may_lack: listing.may_lack(), entries, by_path, by_name, nearest: RefCell::default() }
    }

    fn path(&self, index: Index) -> &'a str {
        self.entries.get(index as usize).map_or("", |entry| &entry.path)
    }

    /// Adds to a file in a folder what it reads.
    fn complete(&self, mut node: Node, folder: &'a str) -> Node {
        node.lacks = [VALUES, AUTOINCLUDE].iter().any(|name| self.is_unavailable(folder, name));
        for mention in node.mentions.iter() {
            match mention {
                Mention::Any => node.is_reached = true,
                Mention::Above(name) => {
                    let (found, is_unavailable) = self.above(folder, name);
                    node.lacks |= is_unavailable;
                    node.named.extend(found);
                }
                Mention::Ending(end) => match self.ending(end) {
                    Some(found) => {
                        // Data names nothing.
                        let is_configuration = end.ends_with(HCL) || !paths::name(end).contains('.');
                        node.lacks |= found.is_empty() && is_configuration;
                        node.named.extend(found);
                    }
                    None => node.is_reached = true,
                },
            }
        }
        node
    }

    /// Whether git does not have a file that is not missing.
    fn is_unavailable(&self, folder: &str, name: &str) -> bool {
        let find = || self.listing.resolve(&paths::join(folder, name));
        self.may_lack && matches!(find(), Err(ResolveError::Unavailable(_)))
    }

    /// The nearest file of a name in the folders above one, and whether a nearer one may be there that git does not have. Data
    /// names nothing.
    fn above(&self, from: &'a str, name: &str) -> Nearest {
        if from.is_empty() {
            return (None, false);
        }
        let start = paths::parent(from);
        if let Some(known) = self.nearest.borrow().get(start).and_then(|names| names.get(name)) {
            return *known;
        }
        let (mut found, mut lacks) = (None, false);
        for folder in and_around(start) {
            let path = paths::join(folder, name);
            if self.listing.resolve(&path).is_ok() {
                found = self.by_path.get(&*path).copied();
                break;
            }
            lacks |= self.is_unavailable(folder, name);
        }
        self.nearest.borrow_mut().entry(start).or_default().insert(name.to_owned(), (found, lacks));
        (found, lacks)
    }

    /// The files of configuration whose paths end so, or that are units of such folders; `None` if there are too many.
    fn ending(&self, end: &str) -> Option<Vec<Index>> {
        let unit = paths::join(end, UNIT);
        if end == UNIT {
            return None;
        }
        let mut found = Vec::new();
        for (end, count) in [(end, 1), (end, 2), (&*unit, 2)] {
            let is_meant = |index: &Index| {
                let rest = self.path(*index).strip_suffix(end);
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            let named = self.by_name.get(last(end, count)).into_iter().flatten().copied();
            found.extend(named.filter(is_meant));
        }
        (found.len() <= MAX_MEANT).then_some(found)
    }
}

/// The last names of a path.
fn last(path: &str, count: usize) -> &str {
    path.rmatch_indices('/').nth(count - 1).map_or(path, |(at, _)| &path[at + 1..])
}

/// Whether an expression with a word in it may name a file.
fn is_wanted(word: &str) -> bool {
    let names = |known: &[&str]| known.contains(&word);
    names(&["path", ABOVE, CONFIGURATION]) || is_reader(word) || names(&READERS) || names(&OPEN)
}

/// How a text names files.
fn of_text(text: &str) -> Vec<Mention> {
    parse_outline(text, is_wanted).map_or_else(|| vec![Mention::Any], |body| of(&body))
}

/// How the content of a file names others.
fn of(body: &Body) -> Vec<Mention> {
    let mut found = Vec::new();
    attributes(body, &mut |expr| {
        walk::visit(expr, &mut |inner| {
            if let ExprKind::Call(call) = &inner.kind {
                of_call(call, &mut found);
            }
        });
    });
    for include in body.blocks_of("include") {
        if let Some(path) = include.body.get("path") {
            configuration(&path.expr, &mut found);
        }
    }
    found.dedup();
    if found.contains(&Mention::Any) { vec![Mention::Any] } else { found }
}

/// All attributes of a body, and of the blocks in it.
fn attributes<'b>(body: &'b Body, see: &mut dyn FnMut(&'b Expr)) {
    body.attributes.iter().for_each(|attribute| see(&attribute.expr));
    body.blocks.iter().for_each(|block| attributes(&block.body, see));
}

fn of_call(call: &Call, found: &mut Vec<Mention>) {
    let name = &*call.name.text;
    match call.arguments.first() {
        _ if OPEN.contains(&name) => found.push(Mention::Any),
        first if name == ABOVE => match first.map(walk::constant_text) {
            None => found.push(Mention::Above(UNIT.to_owned())),
            Some(Some(text)) => found.push(Mention::Above(text.to_owned())),
            Some(None) => found.push(Mention::Any),
        },
        Some(first) if name == CONFIGURATION => configuration(first, found),
        Some(first) if is_reader(name) || READERS.contains(&name) => ends(first, found),
        _ => {}
    }
}

/// The path of a file of configuration, whatever its name is.
fn configuration(expr: &Expr, found: &mut Vec<Mention>) {
    let mut named = Vec::new();
    ends(expr, &mut named);
    walk::visit(expr, &mut |inner| {
        if let ExprKind::Call(call) = &inner.kind {
            of_call(call, &mut named);
        }
    });
    // Files with other names are taken for data.
    let is_other = |mention: &Mention| match mention {
        Mention::Any => true,
        Mention::Above(name) | Mention::Ending(name) => paths::name(name).contains('.') && !name.ends_with(HCL),
    };
    if named.iter().any(is_other) { found.push(Mention::Any) } else { found.extend(named) }
}

/// The end of the path that an expression gives, as far as its text shows it.
fn ends(expr: &Expr, found: &mut Vec<Mention>) {
    let text = |text: &str, is_whole: bool| {
        // The name before the first `/` may be a part of a longer one.
        let text = if is_whole { Some(text) } else { text.split_once('/').map(|(_, rest)| rest) };
        let mut names: Vec<&str> = Vec::new();
        for name in text.unwrap_or_default().split('/').filter(|name| !matches!(*name, "" | ".")) {
            if name == ".." { _ = names.pop() } else { names.push(name) }
        }
        if names.is_empty() { Mention::Any } else { Mention::Ending(names.join("/")) }
    };
    match &walk::unwrapped(expr).kind {
        ExprKind::Template(parts) => match parts.as_slice() {
            [Part::Text(only)] => found.push(text(only, true)),
            [.., Part::Text(end)] => found.push(text(end, false)),
            _ => found.push(Mention::Any),
        },
        ExprKind::Wrapped(inner) => ends(inner, found),
        ExprKind::Conditional(_, yes, no) => [yes, no].into_iter().for_each(|branch| ends(branch, found)),
        // What it finds is named by itself.
        ExprKind::Call(call) if &*call.name.text == ABOVE => {
            call.arguments.iter().skip(1).for_each(|fallback| ends(fallback, found));
        }
        _ => found.push(Mention::Any),
    }
}
