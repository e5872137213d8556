//! Stacks: the units that stack files generate, expanded in memory. The files of their sources are found at the places to which
//! `stack generate` copies them.

mod file;

use super::config;
use super::file::{Config, File};
use super::generated::{Generated, Made, MadeUnit};
use super::load::{AUTOINCLUDE, Content, Loader, STACK, UNIT, UNIT_JSON};
use super::place::{Place, REPOSITORY, inside, way};
use super::rules;
use super::session::{Evaluate, Session};
use crate::diagnostic::Diagnostic;
use crate::paths;
use crate::reads::Reads;
use crate::source::{Node, Source};
use crate::text::Text;
use crate::value::{Data, FileId, Key, Origin, Value};
use file::{Entry, Given, StackFile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The folder that stacks are generated into.
pub(super) const FOLDER: &str = ".terragrunt-stack";
/// How deep stacks nest, how many blocks all of them have, and how many files they copy.
const MAX_DEPTH: usize = 16;
const MAX_ENTRIES: usize = 20_000;
const MAX_FILES: usize = 200_000;

/// The stacks of a revision.
#[derive(Default)]
pub(super) struct Expansion {
    /// The generated units.
    pub generated: Generated,
    /// The files at their generated paths, and where they are.
    pub links: BTreeMap<String, String>,
    /// The folders that units and stacks are copied from: they are no units themselves.
    pub templates: BTreeSet<String>,
    /// What is wrong.
    pub findings: Vec<Diagnostic>,
    /// The stack files, with whether something of them could not be resolved.
    pub files: Vec<(String, FileId, bool)>,
}

/// A stack file, read.
struct ReadStack {
    path: String,
    id: FileId,
    stack: StackFile,
    findings: Vec<Diagnostic>,
    /// The files of configuration that had a part in it.
    files: BTreeSet<FileId>,
    /// What it was made from.
    reads: Arc<Reads>,
}

/// Expands the stack files of a revision.
pub(super) fn expand<'a>(
    source: &'a dyn Source,
    stacks: &[String],
    env: &'a BTreeMap<String, String>,
    evaluate: Evaluate,
    fork: &dyn Fn() -> Loader<'a>,
) -> Expansion {
    let mut expansion = Expansion::default();
    let none = Generated::default();
    let mut read: Vec<ReadStack> = Vec::new();
    for path in stacks {
        let loader = fork();
        let dir = paths::parent(path);
        let session = Session::new(&loader, env, &none, (dir, evaluate));
        let file = File::open(&session, path, false);
        let id =
            file.as_ref().map_or_else(|| loader.modules.loader.reader.files.add(path, "", || Text::from("")), |f| f.id);
        let stack = file.map(|file| file::read(&session, &file, dir, Given::default())).unwrap_or_default();
        for entry in &stack.entries {
            match local(dir, entry) {
                Some(folder) if entry.made == Made::Stack => _ = expansion.templates.insert(folder),
                Some(_) => {}
                None => expansion.generated.published.extend(published(entry)),
            }
        }
        let files = session.files.borrow().clone();
        let findings = session.into_findings();
        let reads = Arc::new(loader.modules.loader.reader.take());
        read.push(ReadStack { path: path.clone(), id, stack, findings, files, reads });
    }
    read.retain(|read| !expansion.templates.contains(paths::parent(&read.path)));
    expansion.generated.is_catalog = read.iter().any(|read| read.stack.is_open);
    for ReadStack { path, id, stack, findings, files, reads } in read {
        let dir = paths::parent(&path).to_owned();
        let loader = fork();
        let session = Session::new(&loader, env, &none, (&dir, evaluate));
        findings.into_iter().for_each(|finding| session.report(finding));
        let (added, around) = Default::default();
        let mut work = Work { source, session: &session, expansion: &mut expansion, added, around };
        if !work.session.is_broken() {
            work.entries(&dir, &stack, id, 0);
        }
        let added = work.added;
        let mut all = (*reads).clone();
        all.add(&loader.modules.loader.reader.take());
        let all = Arc::new(all);
        let files: Arc<[FileId]> = files.union(&session.files.borrow()).copied().chain([id]).collect();
        for unit in &added {
            if let Some(unit) = expansion.generated.units.get_mut(unit) {
                (unit.reads, unit.files) = (Arc::clone(&all), Arc::clone(&files));
            }
        }
        let is_broken = session.is_broken();
        expansion.files.push((path, id, is_broken));
        expansion.findings.extend(session.into_findings());
    }
    let Expansion { generated, templates, .. } = &mut expansion;
    generated.units.retain(|folder, _| !templates.contains(folder));
    expansion
}

/// The folder of a local source.
fn local(dir: &str, entry: &Entry) -> Option<String> {
    let text = entry.source.as_ref()?.as_str()?;
    if is_remote(text) { None } else { inside(dir, text.split('?').next().unwrap_or(text)) }
}

/// The folder of a source in the repository of its address.
fn published(entry: &Entry) -> Option<String> {
    let source = entry.source.as_ref()?;
    let text = match &source.data {
        Data::Unknown(unknown) => &*unknown.text,
        _ => source.as_str()?,
    };
    let behind = text.split_once("://").map_or(text, |(_, behind)| behind);
    let (_, folder) = behind.split_once("//")?;
    Some(folder.split(['?', '"']).next()?.trim_end_matches('/').to_owned())
}

/// Whether a source is an address, not a path.
pub(super) fn is_remote(source: &str) -> bool {
    let is_path = source.starts_with(['.', '/', '<']) || source.is_empty();
    let host = source.split('/').next().unwrap_or_default();
    !is_path && (source.contains("://") || source.contains("::") || source.starts_with("git@") || host.contains('.'))
}

/// The object of a stack file, for functions that read it.
pub(super) fn read(session: &Session<'_>, path: &str) -> Value {
    File::open(session, path, false).map_or_else(Value::default, |file| file::object_of(session, &file))
}

/// The expansion of one stack file.
struct Work<'w, 's, 'a> {
    source: &'a dyn Source,
    session: &'w Session<'s>,
    expansion: &'w mut Expansion,
    /// The folders of the units that were added.
    added: Vec<String>,
    /// What says which stacks are generated around these units, and where.
    around: Vec<Origin>,
}

impl Work<'_, '_, '_> {
    fn wrong(&self, entry: &Entry, message: String) {
        self.session.error(&rules::STACK, message, (entry.file, entry.header));
    }

    /// The units of a stack whose file lies in a folder.
    fn entries(&mut self, dir: &str, stack: &StackFile, file: FileId, depth: usize) {
        let mut names: BTreeSet<(bool, &str)> = BTreeSet::new();
        let mut paths_seen: BTreeSet<&str> = BTreeSet::new();
        if stack.entries.is_empty() {
            let message = "the stack has no units and no stacks";
            self.session.error(&rules::STACK, message, (file, crate::hcl::ast::Span::default()));
        }
        for entry in &stack.entries {
            let what = if entry.made == Made::Unit { "unit" } else { "stack" };
            if !names.insert((entry.made == Made::Unit, &entry.name)) {
                self.wrong(entry, format!("duplicate {what} name \"{}\"", entry.name));
                return;
            }
            if let Some(path) = &entry.path
                && !paths_seen.insert(path)
            {
                self.wrong(entry, format!("duplicate path '{path}': two blocks are generated into one folder"));
                return;
            }
        }
        for entry in &stack.entries {
            let limit = depth >= MAX_DEPTH
                || self.expansion.generated.units.len() >= MAX_ENTRIES
                || self.expansion.links.len() >= MAX_FILES;
            if limit {
                let message = format!(
                    "stacks nest more than {MAX_DEPTH} levels deep, or generate more than {MAX_ENTRIES} units or {MAX_FILES} files"
                );
                self.session.error(&rules::LIMIT_EXCEEDED, message, (entry.file, entry.header));
                return;
            }
            self.entry(dir, entry, depth);
        }
    }

    fn entry(&mut self, dir: &str, entry: &Entry, depth: usize) {
        let (Some(source), Some(path)) = (&entry.source, &entry.path) else {
            if entry.source.is_some() {
                let message = format!("the path of \"{}\" is not known, so its units are not", entry.name);
                self.wrong(entry, message);
            }
            return;
        };
        let Some(target) = file::folder(dir, path, entry.is_beside) else { return };
        let text = source.as_str().unwrap_or_default();
        if source.as_str().is_none() || is_remote(text) {
            self.unit(&target, entry, None);
            return;
        }
        let Some(from) = local(dir, entry) else {
            self.session.error(
                &rules::STACK,
                format!("the source {text} is outside of the repository"),
                (entry.file, entry.source_span),
            );
            return;
        };
        let Some(real) = self.real(&from) else {
            let message = format!("the source of {} does not exist: there is no folder {from}", entry.name);
            self.session.error(&rules::STACK, message, (entry.file, entry.source_span));
            return;
        };
        let (what, wanted, has_own) = match entry.made {
            Made::Unit => ("unit", UNIT, self.session.loader.unit_file(&real).is_some()),
            Made::Stack => ("stack", STACK, self.session.loader.has(&paths::join(&real, STACK))),
        };
        self.expansion.templates.insert(from.clone());
        if !has_own && !entry.is_unchecked && !entry.is_beside {
            self.wrong(entry, format!("the source of {what} {} holds no {wanted}", entry.name));
            return;
        }
        // What lies around the stack file would be copied into itself.
        let is_around = from.is_empty() || dir == from || dir.starts_with(&format!("{from}/"));
        self.copy(entry, &real, &target, is_around, depth);
    }

    /// Copies a folder, and generates the units and stacks in it.
    fn copy(&mut self, entry: &Entry, real: &str, target: &str, is_around: bool, depth: usize) {
        let skip = if real.is_empty() { 0 } else { real.len() + 1 };
        let names = self.source.listing().under(real).iter().filter_map(|file| Some((file.path.get(skip..)?, file)));
        let copied: Vec<(String, String)> = names
            .filter(|(name, _)| !name.split('/').any(|part| part == FOLDER || part == ".terragrunt-cache"))
            .take(MAX_FILES)
            .map(|(name, file)| (paths::join(target, name), file.path.to_string()))
            .collect();
        self.expansion.links.extend(copied.iter().cloned());
        // What lies deeper gets no values.
        let plain = Entry { values: None, autoinclude: None, ..entry.clone() };
        for (place, path) in copied {
            let folder = paths::parent(&place);
            let is_own = folder == target;
            match paths::name(&place) {
                _ if is_around && !is_own => {}
                STACK => {
                    let (values, added) = (entry.values.as_ref(), &*entry.added);
                    let given = if is_own { Given { values, added, ..Given::default() } } else { Given::default() };
                    let length = self.around.len();
                    self.around.extend(&entry.places);
                    self.stack(&path, folder, Given { is_nested: true, ..given }, depth);
                    self.around.truncate(length);
                }
                UNIT | UNIT_JSON => self.unit(folder, if is_own { entry } else { &plain }, Some(paths::parent(&path))),
                _ => {}
            }
        }
    }

    /// Where the files of a folder are, which may be a copied one.
    fn real(&self, folder: &str) -> Option<String> {
        if let Ok(Node::Dir(real)) = self.session.loader.modules.loader.reader.lookup(folder) {
            return Some(real);
        }
        let within = format!("{folder}/");
        let (place, path) = self.expansion.links.range(within.clone()..).next()?;
        path.strip_suffix(place.strip_prefix(&within)?).map(|real| real.trim_end_matches('/').to_owned())
    }

    /// The units of a stack file that was copied into a folder.
    fn stack(&mut self, path: &str, folder: &str, given: Given<'_>, depth: usize) {
        let (source, outer) = (self.source, self.session);
        outer.within(folder, |session| {
            let Some(file) = File::open(session, path, false) else { return };
            let stack = file::read(session, &file, folder, given);
            if !session.is_broken() {
                let (added, around) = (std::mem::take(&mut self.added), std::mem::take(&mut self.around));
                let mut work = Work { source, session, expansion: self.expansion, added, around };
                work.entries(folder, &stack, file.id, depth + 1);
                (self.added, self.around) = (work.added, work.around);
            }
        });
    }

    fn unit(&mut self, target: &str, entry: &Entry, home: Option<&str>) {
        let made = MadeUnit {
            values: entry.values.clone(),
            autoinclude: entry.autoinclude.clone(),
            at: (entry.file, entry.header),
            places: [&*self.around, &*entry.places].concat().into(),
            source: entry.source.clone().unwrap_or_default(),
            home: home.map(str::to_owned),
            made: entry.made,
            reads: Arc::default(),
            files: Arc::default(),
        };
        self.added.push(target.to_owned());
        self.expansion.generated.units.insert(target.to_owned(), made);
    }
}

/// What is merged over the unit of a folder, besides its includes.
pub(super) fn over(session: &Session<'_>, folder: &str, place: &Place) -> Option<Config> {
    if let Some(over) = session.generated.autoinclude(folder) {
        let file = File { id: over.file, path: over.path.clone(), body: Content::Block(Arc::clone(&over.body)) };
        let given = config::Given { names: over.names.clone(), ..config::Given::default() };
        let mut config = config::evaluate_with(session, &file, over.place.clone(), &given);
        if let Some(dependencies) = config.parts.get("dependency").cloned() {
            config.parts.set("dependency", from_unit(folder, dependencies));
        }
        return Some(config);
    }
    let path = paths::join(folder, AUTOINCLUDE);
    let file = session.loader.has(&path).then(|| File::open(session, &path, false)).flatten()?;
    Some(config::evaluate(session, &file, place.clone()))
}

/// The dependencies with their absolute paths as `stack generate` writes them: seen from the unit.
fn from_unit(folder: &str, mut dependencies: Value) -> Value {
    let Data::Map(all) = &mut dependencies.data else { return dependencies };
    let names: Vec<Key> = all.iter().map(|entry| entry.key.clone()).collect();
    for name in names {
        let Some(mut dependency) = all.get(&name).cloned() else { continue };
        let path = dependency.get("config_path").cloned();
        let absolute = path.as_ref().and_then(Value::as_str).filter(|path| path.starts_with(REPOSITORY));
        let written = absolute.and_then(|text| inside("", text)).map(|target| Value::str(way(folder, &target)));
        if let (Some(written), Some(path), Data::Map(parts)) = (written, path, &mut dependency.data) {
            Arc::make_mut(parts).set("config_path", written.with_prov(path.prov));
            Arc::make_mut(all).set(name, dependency);
        }
    }
    dependencies
}
