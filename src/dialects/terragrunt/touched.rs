//! Which units an edit of configuration files can reach, from the texts of files alone: nothing is evaluated. A file that names
//! another one in a way that its text does not show may read any.

use super::load::{AUTOINCLUDE, Loader, STACK, UNIT, UNIT_JSON, VALUES};
use crate::dialects::{Reach, Scope, and_around};
use crate::hcl::ast::{Body, Call, Expr, ExprKind, Part, walk};
use crate::hcl::parse::parse_outline;
use crate::paths;
use crate::source::{ChangeKind, Entry, ResolveError, Source};
use crate::terraform::module::paths::is_reader;
use crate::text::FastMap;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

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

/// A file, and whether git lacks one that is nearer.
type Nearest = (Option<String>, bool);

/// The edited files, and what names them.
pub(super) struct Touched<'a> {
    source: &'a dyn Source,
    changed: BTreeSet<&'a str>,
    /// Those that belong to the configuration beside them, whether that names them or not.
    changed_beside: Vec<&'a str>,
    /// The files of configuration by their names; those of units by the names of their folders, too.
    by_name: BTreeMap<&'a str, Vec<&'a str>>,
    mentions: Mutex<FastMap<String, Arc<Vec<Mention>>>>,
    /// The nearest file of a name in a folder or in those above it, see [`Touched::above`].
    nearest: Mutex<FastMap<(String, String), Nearest>>,
    /// Whether code of modules may read an edited file.
    is_read_by_code: OnceLock<bool>,
}

impl<'a> Touched<'a> {
    /// The edits of a scope; `None` if they may reach any unit: stacks, code, data, new and deleted files, and links.
    pub(super) fn new(source: &'a dyn Source, scope: Scope<'a>) -> Option<Self> {
        let Scope::Touched(changes) = scope else { return None };
        let is_edit =
            |path: &str| path.ends_with(HCL) && paths::name(path) != STACK && !paths::name(path).starts_with('.');
        let listing = source.listing();
        if listing.has_links() || !changes.iter().all(|c| c.kind == ChangeKind::Modified && is_edit(&c.path)) {
            return None;
        }
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for entry in listing.iter().filter(|entry| entry.path.ends_with(HCL)) {
            let path = &*entry.path;
            let key = if paths::name(path) == UNIT { last(path, 2) } else { last(path, 1) };
            by_name.entry(key).or_default().push(path);
        }
        let changed: BTreeSet<&str> = changes.iter().map(|change| &*change.path).collect();
        let is_read_beside = |path: &&str| matches!(paths::name(path), VALUES | AUTOINCLUDE);
        let changed_beside = changed.iter().copied().filter(is_read_beside).collect();
        let (mentions, nearest, is_read_by_code) = Default::default();
        Some(Touched { source, changed, changed_beside, by_name, mentions, nearest, is_read_by_code })
    }

    /// What edits can do to the unit of a folder, with its file.
    pub(super) fn reach(&self, loader: &Loader<'_>, folder: &str, own: Option<&str>) -> Reach {
        if *self.is_read_by_code.get_or_init(|| self.code_may_read(loader)) {
            return Reach::Reached;
        }
        let Some(own) = own.filter(|own| !own.ends_with(UNIT_JSON)) else { return Reach::Reached };
        let (mut open, mut seen, mut lacks) = (vec![own.to_owned()], BTreeSet::new(), false);
        while let Some(path) = open.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let is_beside = |other: &&str| paths::parent(other) == paths::parent(&path);
            let has_beside = self.changed_beside.iter().any(is_beside);
            if self.changed.contains(&*path) || has_beside || seen.len() > MAX_MEANT * 5 {
                return Reach::Reached;
            }
            lacks |= self.lacks_beside(paths::parent(&path));
            for mention in self.mentions(loader, &path).iter() {
                match mention {
                    Mention::Any => return Reach::Reached,
                    Mention::Above(name) => {
                        let beside = Some(paths::parent(&path)).filter(|beside| *beside != folder);
                        for from in [Some(folder), beside].into_iter().flatten() {
                            let (found, is_unavailable) = self.above(from, name);
                            lacks |= is_unavailable;
                            open.extend(found);
                        }
                    }
                    Mention::Ending(end) => match self.ending(end) {
                        Some(found) => {
                            // Data names nothing.
                            let is_configuration = end.ends_with(HCL) || !paths::name(end).contains('.');
                            lacks |= found.is_empty() && is_configuration;
                            open.extend(found);
                        }
                        None => return Reach::Reached,
                    },
                }
            }
        }
        if lacks { Reach::Open } else { Reach::Untouched }
    }

    /// Whether git does not have a file that belongs to the configuration in a folder.
    fn lacks_beside(&self, folder: &str) -> bool {
        [VALUES, AUTOINCLUDE].iter().any(|name| self.is_unavailable(&paths::join(folder, name)))
    }

    fn is_unavailable(&self, path: &str) -> bool {
        matches!(self.source.listing().resolve(path), Err(ResolveError::Unavailable(_)))
    }

    /// Whether code of modules, by its text, may read an edited file.
    fn code_may_read(&self, loader: &Loader<'_>) -> bool {
        let listing = self.source.listing();
        let mut code =
            listing.iter().map(|entry| &*entry.path).filter(|path| CODE.iter().any(|end| path.ends_with(end)));
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
                    Mention::Ending(end) => self.changed.iter().any(|path| path.ends_with(&**end)),
                })
            }
            _ => true,
        })
    }

    /// The nearest file of a name in the folders above one, and whether a nearer one may be there that git does not have.
    fn above(&self, from: &str, name: &str) -> (Option<String>, bool) {
        if from.is_empty() {
            return (None, false);
        }
        let key = (paths::parent(from).to_owned(), name.to_owned());
        if let Some(known) = self.nearest.lock().get(&key) {
            return known.clone();
        }
        let (mut found, mut lacks) = (None, false);
        for path in and_around(paths::parent(from)).map(|folder| paths::join(folder, name)) {
            if self.source.listing().resolve(&path).is_ok() {
                found = Some(path);
                break;
            }
            lacks |= self.is_unavailable(&path);
        }
        self.nearest.lock().insert(key, (found.clone(), lacks));
        (found, lacks)
    }

    /// The files of configuration whose paths end so, or that are units of such folders; `None` if there are too many.
    fn ending(&self, end: &str) -> Option<Vec<String>> {
        let unit = paths::join(end, UNIT);
        if end == UNIT {
            return None;
        }
        let mut found = Vec::new();
        for (end, count) in [(end, 1), (end, 2), (&*unit, 2)] {
            let Some(named) = self.by_name.get(last(end, count)) else { continue };
            let is_meant =
                |path: &&&str| path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            found.extend(named.iter().filter(is_meant).map(|path| (*path).to_owned()));
        }
        (found.len() <= MAX_MEANT).then_some(found)
    }

    /// How a file names others.
    fn mentions(&self, loader: &Loader<'_>, path: &str) -> Arc<Vec<Mention>> {
        if let Some(known) = self.mentions.lock().get(path) {
            return Arc::clone(known);
        }
        let loaded = &loader.modules.loader;
        let of_entry = |entry: &Entry| {
            let (cache, key) = (&loader.cache.mentions, (entry.id, ()));
            let find = || Some(of_text(&loaded.reader.files.get(loaded.add(path)?).text));
            cache.get(&key).or_else(|| Some(cache.insert(key, find()?)))
        };
        let found = match path.ends_with(HCL) {
            true => self.source.listing().resolve(path).ok().and_then(of_entry),
            // Data names nothing.
            false => Some(Arc::default()),
        };
        let found = found.unwrap_or_else(|| Arc::new(vec![Mention::Any]));
        self.mentions.lock().insert(path.to_owned(), Arc::clone(&found));
        found
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
