//! The files that code consists of: its own folder, those of the modules that it calls, and the files that their expressions
//! name. Other changes do not affect it.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Expr, ExprKind, Part};
use crate::paths::{name, parent};
use crate::source::{Entry, EntryKind, Listing, Node};
use crate::terraform::evaluation::given::{Given, VariableInput};
use crate::terraform::evaluation::named_files::NamedFiles;
use crate::terraform::evaluation::{self, tree};
use crate::terraform::load::names::{LOCK, configuration, is_automatic};
use crate::terraform::load::path::beside;
use crate::terraform::module::address::{self, Address};
use crate::terraform::module::modules::{Callee, Modules};
use crate::terraform::module::outline::Outline;
use crate::terraform::module::paths::{Base, Pattern, inside, is_within};
use crate::text::Text;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The maximum number of folders that are followed from one root module.
pub(crate) const MAX_FOLDERS: usize = 1_000;

/// A folder of configuration that a root module is made of.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// The path that led to it, without following links.
    path: String,
    dir: String,
    /// Its files, links followed.
    files: Vec<Text>,
}

/// The files of a root module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Its own folder comes first.
    parts: Vec<Folder>,
    /// The files that expressions name.
    patterns: BTreeSet<Pattern>,
    /// What texts would name if they were paths.
    texts: BTreeSet<Pattern>,
    /// The variable files.
    values: BTreeSet<String>,
    /// Its own folder, in systems where all files count that are in folders of code.
    whole: Option<String>,
    /// What it reads of its own folder is not known.
    is_opaque: bool,
    /// There may be more, which only evaluation shows.
    is_open: bool,
    /// It calls a module that may be in any folder.
    is_anywhere: bool,
}

/// How a change reaches a root module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// One of its own files differs.
    Own,
    /// The module in a folder differs.
    Module(String),
    /// A file that an expression names differs.
    File,
    /// A file of variables differs that it does not load by itself.
    Variables,
    /// A file differs that says what is fetched into its folder.
    Fetched,
}

/// Returns the files of the root module in a folder. It is evaluated only if its text does not show them.
pub(crate) fn of_root(modules: &Modules<'_>, dir: &str, given: Given<'_>) -> Reach {
    let written = written(modules, dir, &called(modules, dir, true), given);
    let mut reach = if written.is_open { computed(modules, dir, given) } else { written };
    reach.find(modules.loader.reader.source().listing());
    reach
}

/// Returns the files of the root module in a folder; `None` if they depend on what is given to it.
pub(crate) fn of_text(modules: &Modules<'_>, dir: &str) -> Option<Reach> {
    let given = Given::default();
    let mut reach = Some(written(modules, dir, &called(modules, dir, true), given)).filter(|reach| !reach.is_open)?;
    reach.find(modules.loader.reader.source().listing());
    Some(reach)
}

/// Returns the files of a root module, as far as its text shows them.
fn written(modules: &Modules<'_>, dir: &str, outline: &Arc<Outline>, given: Given<'_>) -> Reach {
    let mut reach = Reach::with(given);
    reach.add(dir, dir, outline, dir);
    let mut open = vec![Arc::clone(outline)];
    let mut seen = BTreeSet::from([Text::from(dir)]);
    while let Some(module) = open.pop() {
        for callee in modules.callees(&module.dir, &module.leads).iter() {
            let Callee::Local { path, dir: folder } = callee else {
                reach.is_open = true;
                continue;
            };
            let at = folder.as_ref().unwrap_or(path);
            if !seen.insert(at.clone()) {
                continue;
            }
            if seen.len() > MAX_FOLDERS {
                reach.is_open = true;
                return reach;
            }
            let found = called(modules, at, folder.is_some());
            reach.add(path, at, &found, dir);
            open.push(found);
        }
    }
    reach
}

/// The module of a folder that is called; one without declarations if the folder is not there.
pub(crate) fn called(modules: &Modules<'_>, dir: &str, is_there: bool) -> Arc<Outline> {
    let found = if is_there { modules.outline(dir) } else { None };
    found.unwrap_or_else(|| Arc::new(Outline { dir: dir.into(), ..Outline::default() }))
}

/// Returns the files of a root module according to its evaluation.
fn computed(modules: &Modules<'_>, dir: &str, given: Given<'_>) -> Reach {
    let mut statics = evaluation::of_root(dir, given, modules);
    let calls = tree::enter(&mut statics, modules, &mut Vec::new());
    let mut reach = Reach::with(given);
    let mut seen = BTreeSet::new();
    for (index, node) in statics.nodes.iter().enumerate() {
        if seen.insert(node.module.dir.clone()) {
            let outline = Outline::of_module(&node.module, |file| modules.loader.reader.files.get(file).path.clone());
            reach.add(&node.module.dir, &node.module.dir, &outline, dir);
        }
        for written in &node.module.paths.computed {
            match statics.named_files(index, written) {
                NamedFiles::In { pattern, .. } => _ = reach.patterns.insert(pattern),
                NamedFiles::Outside => {}
                // Any file beside the code may be meant.
                NamedFiles::Any => {
                    reach.patterns.extend([dir.to_owned(), node.module.dir.clone()].map(Pattern::Path));
                }
            }
        }
    }
    for call in calls.iter().filter(|call| call.dir.is_none()) {
        let from = &statics.nodes[call.node].module.dir;
        match &call.source {
            Some(source) => {
                // A folder that is not there may come.
                if let Some(Ok(Address::Local(path))) = source.as_str().map(|text| address::parse(text)) {
                    let path = beside(from, &path).path;
                    reach.add(&path, &path, &called(modules, &path, false), dir);
                }
            }
            None => match call.declared.arguments.get("source").and_then(|written| begins(&written.expr)) {
                // Any folder that begins like this may be meant.
                Some(text) => reach.patterns.extend(inside(from, text, Some(""))),
                None => reach.is_anywhere = true,
            },
        }
    }
    reach
}

/// How a local source begins whose rest is not known.
fn begins(source: &Expr) -> Option<&str> {
    let ExprKind::Template(parts) = &walk::unwrapped(source).kind else { return None };
    match parts.first() {
        Some(Part::Text(text)) if text.starts_with("./") || text.starts_with("../") => Some(text),
        _ => None,
    }
}

/// Returns the variable files.
fn values(given: Given<'_>) -> impl Iterator<Item = &str> {
    given.variables.iter().filter_map(|input| match input {
        VariableInput::File { path } => Some(&**path),
        _ => None,
    })
}

/// The pattern of a name in a folder, which may be the root of the repository.
fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether a file tells people about its folder, according to its name.
pub(crate) fn is_readme(path: &str) -> bool {
    let stem = name(path).split('.').next().unwrap_or_default();
    ["README", "CHANGELOG", "CONTRIBUTING", "LICENSE", "CODEOWNERS"].iter().any(|one| stem.eq_ignore_ascii_case(one))
}

/// A path as a pattern that matches nothing else.
pub(crate) fn literal(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

impl Folder {
    pub(crate) fn new(path: &str, dir: &str, outline: &Outline) -> Self {
        Folder { path: path.to_owned(), dir: dir.to_owned(), files: outline.files.clone() }
    }

    /// Whether the file at a path is one of it; of a root module, files of values are.
    pub(crate) fn has(&self, path: &str, is_root: bool) -> bool {
        holds(&self.path, &self.dir, &self.files, path, is_root)
    }
}

/// Whether the file at a path belongs to a folder, which a path led to and whose files are known.
fn holds(led: &str, folder: &str, files: &[Text], path: &str, is_root: bool) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_read = || configuration(name).is_some() || is_root && (is_automatic(name) || name == LOCK);
    let is_here = (dir == folder || dir == led) && is_read();
    // A link on the way to the folder counts as well.
    let is_above = !path.is_empty() && is_within(led, path);
    is_here || is_above || files.iter().any(|file| **file == *path)
}

/// Whether changes affect the folder of a root module itself, its values, or a file that its expressions name. If only
/// evaluation tells, they do.
pub(crate) fn reaches_own(dir: &str, outline: &Outline, given: Given<'_>, changes: &[&str]) -> bool {
    let named = || outline.named.iter().filter_map(|named| named.resolve(dir, &outline.dir));
    outline.is_computed
        || changes.iter().any(|path| holds(dir, dir, &outline.files, path, true))
        || named().any(|pattern| changes.iter().any(|path| pattern.matches(path)))
        || values(given).any(|value| changes.contains(&value))
}

impl Reach {
    /// One that consists of the variable files only.
    fn with(given: Given<'_>) -> Self {
        Reach { values: values(given).map(str::to_owned).collect(), ..Reach::default() }
    }

    /// The files that are given by their names.
    pub(crate) fn given(&self) -> &BTreeSet<String> {
        &self.values
    }

    /// The same with files that it reads.
    #[must_use]
    pub(crate) fn with_files(mut self, files: BTreeSet<String>) -> Self {
        self.patterns.extend(files.into_iter().map(Pattern::Path));
        self
    }

    /// Exactly these files, which count as its own.
    pub(crate) fn of_files(files: BTreeSet<String>) -> Self {
        Reach { values: files, ..Reach::default() }
    }

    /// Lets all that is in the folder of the code and in its modules be a part of it, and other files and folders that it reads.
    #[must_use]
    pub(crate) fn with_folder(mut self, listing: &Listing, folder: &str, others: &[Text]) -> Self {
        self.whole = Some(folder.to_owned());
        self.patterns.extend(others.iter().map(|path| Pattern::Path(path.to_string())));
        self.follow_links(listing);
        self
    }

    /// Adds the files and folders that its texts lead to, and what links lead to.
    fn find(&mut self, listing: &Listing) {
        let is_there = |pattern: &Pattern| match pattern {
            Pattern::Path(path) => !path.is_empty() && !is_readme(path) && listing.lookup(path).is_ok(),
            Pattern::Between(..) => true,
        };
        let texts = std::mem::take(&mut self.texts);
        self.patterns.extend(texts.into_iter().filter(is_there));
        self.follow_links(listing);
    }

    /// Adds what the links in it lead to.
    fn follow_links(&mut self, listing: &Listing) {
        if !listing.has_links() {
            return;
        }
        let links: Vec<&Entry> = listing.iter().filter(|entry| entry.kind == EntryKind::Symlink).collect();
        let mut followed = BTreeSet::new();
        loop {
            let open = links.iter().filter(|link| self.touch(&link.path).is_some() && followed.insert(&*link.path));
            let targets = open.filter_map(|link| match listing.lookup(&link.path) {
                Ok(Node::File(entry)) => Some(entry.path.to_string()),
                Ok(Node::Dir(dir)) => Some(dir),
                Err(_) => None,
            });
            let targets: Vec<Pattern> = targets.map(Pattern::Path).collect();
            if targets.is_empty() {
                return;
            }
            self.patterns.extend(targets);
        }
    }

    fn add(&mut self, path: &str, dir: &str, outline: &Outline, root: &str) {
        self.parts.push(Folder::new(path, dir, outline));
        for named in &outline.named {
            let patterns = if named.base == Base::Text { &mut self.texts } else { &mut self.patterns };
            patterns.extend(named.resolve(root, &outline.dir));
        }
        self.is_open |= outline.is_computed;
    }

    /// The same of code in its own folder of which nothing shows what it reads there.
    #[must_use]
    pub(crate) fn opaque(self) -> Self {
        Reach { is_opaque: true, ..self }
    }

    /// Whether expressions may name the file at a path, or it is given by its name.
    pub(crate) fn names(&self, path: &str) -> bool {
        let is_within = || self.whole.as_ref().is_some_and(|folder| is_within(path, folder));
        self.is_open
            || self.is_opaque && is_within() && !is_readme(path)
            || self.values.contains(path)
            || self.patterns.iter().any(|pattern| pattern.matches(path))
    }

    /// The files and folders that are named, without those that are computed.
    pub(crate) fn named_places(&self) -> impl Iterator<Item = &str> {
        let named = self.patterns.iter().filter_map(|pattern| match pattern {
            Pattern::Path(path) => Some(&**path).filter(|path| !path.is_empty()),
            Pattern::Between(..) => None,
        });
        named.chain(self.values.iter().map(|path| &**path))
    }

    /// A path as the nearest folder of code around it sees it; `None` if it is in none.
    pub(crate) fn seen_from_code<'p>(&self, path: &'p str) -> Option<&'p str> {
        let folders = self.parts.iter().flat_map(|part| [&part.dir, &part.path]).chain(&self.whole);
        let below = folders.filter_map(|folder| crate::paths::relative(path, folder));
        below.min_by_key(|below| below.len())
    }

    /// Whether the file at a path is configuration of it.
    pub(crate) fn loads(&self, path: &str) -> bool {
        self.parts.iter().enumerate().any(|(index, part)| part.has(path, index == 0))
    }

    /// How a change of the file at a path reaches the code; `None` if it does not.
    pub(crate) fn touch(&self, path: &str) -> Option<Touch> {
        if self.whole.as_ref().is_some_and(|folder| is_within(path, folder) || is_within(folder, path)) {
            return Some(Touch::Own);
        }
        let hit = self.parts.iter().enumerate().find(|(index, part)| part.has(path, *index == 0));
        let in_module = |part: &&Folder| is_within(path, &part.dir) || is_within(path, &part.path);
        let modules = || self.parts.iter().skip(1).filter(in_module);
        let hit = hit.or_else(|| {
            let deepest = self.whole.as_ref().and_then(|_| modules().max_by_key(|part| part.dir.len()));
            deepest.map(|part| (1, part))
        });
        match hit {
            Some((0, _)) => return Some(Touch::Own),
            Some((_, part)) => return Some(Touch::Module(part.dir.clone())),
            None => {}
        }
        if self.values.contains(path) {
            return Some(Touch::Own);
        }
        let may_be_called = || self.is_anywhere && configuration(name(path)).is_some();
        (self.patterns.iter().any(|pattern| pattern.matches(path)) || may_be_called()).then_some(Touch::File)
    }

    /// Patterns of the paths of its files, from the root of the repository, where `**` stands for any number of folders. They match
    /// every file that [`Reach::touch`] names, and sometimes others beside them.
    pub(crate) fn patterns(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let configuration = |dir: &str| ["*.tf*", "*.tofu*"].map(|name| below(dir, name));
        if self.is_anywhere {
            found.extend(configuration("**"));
        }
        found.extend(self.whole.as_ref().map(|folder| below(&literal(folder), "**")));
        for (index, part) in self.parts.iter().enumerate() {
            for dir in [&part.dir, &part.path] {
                match self.whole {
                    Some(_) => found.extend([below(&literal(dir), "**")]),
                    None => found.extend(configuration(&literal(dir))),
                }
                found.extend((index == 0).then(|| below(&literal(dir), LOCK)));
            }
            found.extend(part.files.iter().map(|file| literal(file)));
        }
        found.extend(self.values.iter().map(|path| literal(path)));
        for pattern in &self.patterns {
            match pattern {
                Pattern::Path(path) if path.is_empty() => _ = found.insert("**".to_owned()),
                Pattern::Path(path) => found.extend([literal(path), below(&literal(path), "**")]),
                Pattern::Between(before, _) => _ = found.insert(below(&literal(parent(before)), "**")),
            }
        }
        found
    }

    /// Returns the folders of its configuration, its own first.
    pub(crate) fn all_folders(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| &*part.dir)
    }

    /// Returns the folders of its modules, except its own.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.all_folders().skip(1)
    }
}
