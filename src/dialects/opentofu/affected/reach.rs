//! The files of a root module: its own folder, those of the modules that it calls, and the files that their expressions
//! name. Other changes do not affect it.

use crate::dialects::opentofu::discovery::Candidate;
use crate::dialects::opentofu::discovery::variants::Variant;
use crate::dialects::{ProjectInputs, VariableInput};
use crate::terraform::evaluation::statics::{Identifier, Statics};
use crate::terraform::evaluation::{self, tree};
use crate::terraform::load::names::{LOCK, configuration, is_automatic};
use crate::terraform::module::modules::{Callee, Modules};
use crate::terraform::module::outline::Outline;
use crate::terraform::module::paths::{NamedPath, Pattern, inside, is_within};
use crate::text::Text;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The maximum number of folders that are followed from one root module.
pub(crate) const MAX_FOLDERS: usize = 1_000;

/// A folder of configuration that a root module is made of.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The path that led to it, without following links.
    path: String,
    /// The folder.
    dir: String,
    /// Its files, links followed.
    files: Vec<Text>,
}

/// The files of a root module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Its own folder comes first.
    parts: Vec<Part>,
    /// The files that expressions name.
    patterns: BTreeSet<Pattern>,
    /// The variable files.
    values: BTreeSet<String>,
    /// There may be more, which only evaluation shows.
    pub is_open: bool,
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
}

/// Returns the files of a root module, as far as its text shows them.
pub(crate) fn written(modules: &Modules<'_>, candidate: &Candidate, inputs: &ProjectInputs) -> Reach {
    let mut reach = Reach::own(candidate, inputs);
    let mut open = vec![Arc::clone(&candidate.outline)];
    let mut seen = BTreeSet::from([Text::from(&*candidate.dir)]);
    while let Some(module) = open.pop() {
        for callee in modules.callees(&module.dir, &module.leads).iter() {
            let Callee::Local { path, dir } = callee else {
                reach.is_open = true;
                continue;
            };
            let at = dir.as_ref().unwrap_or(path);
            if !seen.insert(at.clone()) {
                continue;
            }
            if seen.len() > MAX_FOLDERS {
                reach.is_open = true;
                return reach;
            }
            let found = called(modules, at, dir.is_some());
            reach.add(path, at, &found, &candidate.dir);
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

/// Returns the files of a root module, including those that only evaluation shows.
pub(crate) fn computed(candidate: &Candidate, variant: &Variant, modules: &Modules<'_>) -> Reach {
    let mut statics = evaluation::of_root(&candidate.dir, variant.given(), modules);
    tree::enter(&mut statics, modules, &mut Vec::new());
    evaluated(modules, &statics, &variant.inputs)
}

/// Returns the files of a root module according to its evaluation.
fn evaluated(modules: &Modules<'_>, statics: &Statics<'_>, inputs: &ProjectInputs) -> Reach {
    let mut reach = Reach { values: values(inputs).map(str::to_owned).collect(), ..Reach::default() };
    let root = statics.nodes[0].module.dir.clone();
    let mut seen = BTreeSet::new();
    for (index, node) in statics.nodes.iter().enumerate() {
        if seen.insert(node.module.dir.clone()) {
            let outline = Outline::of_module(&node.module, |file| modules.loader.reader.files.get(file).path.clone());
            reach.add(&node.module.dir, &node.module.dir, &outline, &root);
        }
        for written in &node.module.paths.computed {
            let identifier = Identifier { text: "path".to_owned(), place: written.argument() };
            let value = statics.value(index, written, identifier).ok();
            let text = value.as_ref().and_then(|value| value.as_str());
            let below = |text: &str| match text.strip_prefix(&*modules.loader.root) {
                Some(path) => inside("", path, None),
                None => inside(&root, text, None),
            };
            match text {
                Some(text) => reach.patterns.extend(below(text)),
                // Any file beside the code may be meant.
                None => reach.patterns.extend([root.clone(), node.module.dir.clone()].map(Pattern::Path)),
            }
        }
    }
    reach.is_open = false;
    reach
}

/// Returns the variable files.
fn values(inputs: &ProjectInputs) -> impl Iterator<Item = &str> {
    inputs.variables.iter().filter_map(|input| match input {
        VariableInput::File { path } => Some(&**path),
        _ => None,
    })
}

impl Part {
    pub(crate) fn new(path: &str, dir: &str, outline: &Outline) -> Self {
        Part { path: path.to_owned(), dir: dir.to_owned(), files: outline.files.clone() }
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
pub(crate) fn reaches_own(candidate: &Candidate, inputs: &ProjectInputs, changes: &[&str]) -> bool {
    let Candidate { dir, outline } = candidate;
    let named = || outline.named.iter().filter_map(|named| named.resolve(dir, &outline.dir));
    outline.is_computed
        || changes.iter().any(|path| holds(dir, dir, &outline.files, path, true))
        || named().any(|pattern| changes.iter().any(|path| pattern.matches(path)))
        || values(inputs).any(|value| changes.contains(&value))
}

impl Reach {
    /// Returns the part that is known from the root module's own folder and its values.
    fn own(candidate: &Candidate, inputs: &ProjectInputs) -> Self {
        let mut reach = Reach { values: values(inputs).map(str::to_owned).collect(), ..Reach::default() };
        reach.add(&candidate.dir, &candidate.dir, &candidate.outline, &candidate.dir);
        reach
    }

    fn add(&mut self, path: &str, dir: &str, outline: &Outline, root: &str) {
        self.parts.push(Part::new(path, dir, outline));
        let resolve = |named: &NamedPath| named.resolve(root, &outline.dir);
        self.patterns.extend(outline.named.iter().filter_map(resolve));
        self.is_open |= outline.is_computed;
    }

    /// Whether something in it cannot be read, so that there may be more.
    pub(crate) fn is_broken(&self, modules: &Modules<'_>) -> bool {
        let hides = |dir: &str| modules.module(dir).is_some_and(|module| module.failures.iter().any(|f| f.hides));
        self.parts.iter().any(|part| hides(&part.dir))
    }

    /// How a change of the file at a path reaches the root module; `None` if it does not.
    pub(crate) fn touch(&self, path: &str) -> Option<Touch> {
        let hit = self.parts.iter().enumerate().find(|(index, part)| part.has(path, *index == 0));
        match hit {
            Some((0, _)) => return Some(Touch::Own),
            Some((_, part)) => return Some(Touch::Module(part.dir.clone())),
            None => {}
        }
        if self.values.contains(path) {
            return Some(Touch::Own);
        }
        self.patterns.iter().any(|pattern| pattern.matches(path)).then_some(Touch::File)
    }

    /// Returns the folders of its modules, except its own.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().skip(1).map(|part| &*part.dir)
    }
}
