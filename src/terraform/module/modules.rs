//! The modules of one revision: the declarations of each folder, read once, and the targets of its calls.

use super::Module;
use crate::files::Files as FileTable;
use crate::hcl::ast::{Block, Span};
use crate::limits::{Limits, take_steps};
use crate::paths::join;
use crate::reads::Unread;
use crate::source::{BlobId, Entry, Source};
use crate::terraform::evaluation::given::Overlay;
use crate::terraform::failure::Failure;
use crate::terraform::load::names::{Syntax, is_override};
use crate::terraform::load::{Loader, ParsedFiles, Runner, SourceFile};
use crate::terraform::module::decisive::Decisive;
use crate::terraform::module::lead::Lead;
use crate::terraform::module::outline::{FileOutline, Outline};
use crate::terraform::module::reader::Reader;
use crate::text::Text;
use crate::value::FileId;
use foldhash::fast::RandomState;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies the state of a folder: the same files in the same table have the same declarations.
type ModuleKey = (String, Vec<(String, FileId, BlobId, bool)>);

/// The entries of a folder, and their outline; `None` if there was no configuration.
type Outlined = (Vec<Entry>, Option<Arc<Outline>>);

/// Identifies a tree: the number of each module, with the module that calls it and the name of the call.
pub(crate) type TreeKey = Vec<(u64, Option<(usize, Text)>)>;

/// Identifies a tree by its number, with the inputs of its root module as far as they decide.
pub(crate) type SoundKey = (u64, Vec<u8>);

/// What is known of a tree without any values.
#[derive(Debug)]
pub(crate) struct Checked {
    /// What is wrong with its declarations.
    pub failures: Vec<Failure>,
    /// Whether something depends on itself.
    pub is_cyclic: bool,
    /// How much of the inputs decides whether something is wrong.
    pub decisive: Decisive,
    /// Its number among the trees that are known by the content of their modules.
    pub number: Option<u64>,
}

/// Parsed files and modules; both revisions share it.
#[derive(Default)]
pub(crate) struct Cache {
    files: ParsedFiles,
    /// The declarations of folders, by their path and their files: ids in the table of files, and contents.
    modules: Mutex<HashMap<ModuleKey, Arc<Module>, RandomState>>,
    /// The number of the next module or tree.
    next_number: AtomicU64,
    /// What is known of trees of modules without any values.
    checked: Mutex<HashMap<TreeKey, Arc<Checked>, RandomState>>,
    /// The outlines of files, by their content.
    file_outlines: Mutex<HashMap<(BlobId, Syntax), Arc<FileOutline>, RandomState>>,
    /// The outlines of folders in revisions without links, by their path and whether Terraform runs them: their
    /// entries, and the outline.
    outlines: Mutex<HashMap<(String, bool), Vec<Outlined>, RandomState>>,
}

impl Cache {
    pub(crate) fn new(limits: Limits) -> Self {
        Cache { files: ParsedFiles::new(limits), ..Cache::default() }
    }

    /// Drops all that was parsed.
    pub(crate) fn forget(&self) {
        self.files.forget();
        self.modules.lock().clear();
        self.checked.lock().clear();
        self.file_outlines.lock().clear();
        self.outlines.lock().clear();
    }
}

/// Where a call leads whose source is a folder or is computed.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// A folder of the repository.
    Local {
        /// Its path as the call names it, links not followed.
        path: Text,
        /// The folder, after following links; `None` if it does not exist.
        dir: Option<Text>,
    },
    /// Known only after evaluation.
    Computed,
}

/// The modules of one revision.
pub(crate) struct Modules<'a> {
    /// The files of the revision.
    pub loader: Loader<'a>,
    cache: &'a Cache,
    /// The folders that were read so far, with what they declare.
    modules: Mutex<HashMap<String, Option<Arc<Module>>, RandomState>>,
    /// The outlines of the folders requested so far.
    outlines: Mutex<HashMap<String, Option<Arc<Outline>>, RandomState>>,
    /// Where their calls lead, by their folders.
    callees: Mutex<HashMap<String, Arc<Vec<Callee>>, RandomState>>,
    /// The inputs of trees with which nothing is wrong.
    sound: Mutex<HashSet<SoundKey, RandomState>>,
}

impl<'a> Modules<'a> {
    pub(crate) fn new(source: &'a dyn Source, files: &'a FileTable, cache: &'a Cache, runner: Runner) -> Self {
        let loader = Loader::new(source, files, &cache.files, runner);
        let (modules, outlines, callees, sound) = Default::default();
        Modules { loader, cache, modules, outlines, callees, sound }
    }

    /// The modules of the same revision, with nothing read yet.
    pub(crate) fn fork(&self) -> Modules<'a> {
        let Loader { root, is_terraform, schemas, .. } = &self.loader;
        let runner = Runner { root: root.clone(), is_terraform: *is_terraform, schemas: schemas.clone() };
        Modules::new(self.loader.reader.source(), self.loader.reader.files, self.cache, runner)
    }

    /// Returns the declarations of a folder; `None` if it contains no configuration. A folder is read once.
    pub(crate) fn module(&self, dir: &str) -> Option<Arc<Module>> {
        if let Some(known) = self.modules.lock().get(dir) {
            return known.clone();
        }
        let found = self.read(dir, &Overlay::default());
        self.modules.lock().entry(dir.to_owned()).or_insert(found).clone()
    }

    /// Returns the declarations of a folder with other files put into it. Without any, they are those of a module without
    /// declarations.
    pub(crate) fn root(&self, dir: &str, over: Option<&Overlay>) -> Arc<Module> {
        let found = over.map_or_else(|| self.module(dir), |over| self.read(dir, over));
        found.unwrap_or_else(|| Arc::new(Module { dir: dir.to_owned(), ..Module::default() }))
    }

    /// Where the calls of a module lead that name their source by a literal.
    pub(crate) fn callees(&self, dir: &str, leads: &[Lead]) -> Arc<Vec<Callee>> {
        if let Some(known) = self.callees.lock().get(dir) {
            return Arc::clone(known);
        }
        let one = |lead: &Lead| match lead {
            Lead::Local(beside) => {
                let dir = self.loader.folder_at(beside.written()).ok().flatten();
                Some(Callee::Local { path: beside.path.clone(), dir })
            }
            Lead::Computed => Some(Callee::Computed),
            Lead::Elsewhere => None,
        };
        let found: Arc<Vec<Callee>> = Arc::new(leads.iter().filter_map(one).collect());
        self.callees.lock().insert(dir.to_owned(), Arc::clone(&found));
        found
    }

    /// Whether a folder holds configuration.
    pub(crate) fn is_there(&self, dir: &str) -> bool {
        !self.loader.configuration_files(dir).is_empty()
    }

    /// Returns the outline of a folder; `None` if it contains no configuration. It shows what a folder may be; what a module is made
    /// of is in [`module`](Self::module).
    pub(crate) fn outline(&self, dir: &str) -> Option<Arc<Outline>> {
        if let Some(known) = self.outlines.lock().get(dir) {
            return known.clone();
        }
        let found = self.shared_outline(dir);
        self.outlines.lock().entry(dir.to_owned()).or_insert(found).clone()
    }

    /// Returns the outline of a folder, shared by all revisions in which its content is the same.
    fn shared_outline(&self, dir: &str) -> Option<Arc<Outline>> {
        // Links lead to the content of other folders.
        if self.loader.has_links() {
            return self.read_outline(dir);
        }
        let listing = self.loader.reader.source().listing();
        let skip = if dir.is_empty() { 0 } else { dir.len() + 1 };
        let is_child = |entry: &&Entry| entry.path.get(skip..).is_some_and(|name| !name.contains('/'));
        let entries = || listing.under(dir).iter().filter(is_child);
        let key = (dir.to_owned(), self.loader.is_terraform);
        if let Some(known) = self.cache.outlines.lock().get(&key) {
            let same = known.iter().find(|(there, _)| entries().eq(there.iter()));
            if let Some((_, outline)) = same {
                return outline.clone();
            }
        }
        let found = self.read_outline(dir);
        self.cache.outlines.lock().entry(key).or_default().push((entries().cloned().collect(), found.clone()));
        found
    }

    fn read_outline(&self, dir: &str) -> Option<Arc<Outline>> {
        let names = self.loader.configuration_files(dir);
        if names.is_empty() {
            return None;
        }
        // Overridden declarations no longer count.
        let is_plain = !names.iter().any(|(name, _)| is_override(name));
        let files = || names.iter().map(|(name, syntax)| self.file_outline(dir, name, *syntax)).collect();
        let files: Option<Vec<(&Entry, bool, Arc<FileOutline>)>> = if is_plain { files() } else { None };
        let found = match files {
            Some(files) => Outline::of_files(dir, files.iter().map(|(e, is_own, file)| (&*e.path, *is_own, &**file))),
            None => Outline::of_module(&*self.module(dir)?, |file| self.loader.reader.files.get(file).path.clone()),
        };
        Some(Arc::new(found))
    }

    /// Returns the outline of a file, with its path and whether it belongs only to its folder; `None` if it cannot be
    /// read.
    fn file_outline(&self, dir: &str, name: &str, syntax: Syntax) -> Option<(&'a Entry, bool, Arc<FileOutline>)> {
        let path = join(dir, name);
        let entry = self.loader.reader.resolve(&path).ok()?;
        let is_own = !self.loader.is_linked(&path);
        if let Some(known) = self.cache.file_outlines.lock().get(&(entry.id, syntax)) {
            return Some((entry, is_own, Arc::clone(known)));
        }
        let bytes = self.loader.bytes(entry)?;
        let text = std::str::from_utf8(&bytes).ok().filter(|_| syntax == Syntax::Native);
        let whole = || FileOutline::of(&self.loader.parsed(entry, syntax, &bytes));
        let found = Arc::new(text.and_then(FileOutline::of_text).unwrap_or_else(whole));
        self.cache.file_outlines.lock().insert((entry.id, syntax), Arc::clone(&found));
        Some((entry, is_own, found))
    }

    /// The module of a folder with other files put into it; `None` if no configuration is there.
    fn read(&self, dir: &str, over: &Overlay) -> Option<Arc<Module>> {
        let loader = &self.loader;
        let copied = over.folder.as_deref().map(|folder| loader.files_in(folder)).unwrap_or_default();
        let generated = over.generated.iter().map(|file| &*file.name);
        let names = loader.files_in(dir).into_iter().chain(copied.iter().copied()).chain(generated).collect();
        let names = loader.configuration_among(names);
        if names.is_empty() {
            return None;
        }
        let (mut files, mut failures, mut key, mut is_open) = (Vec::new(), Vec::new(), Vec::new(), false);
        for (name, syntax) in names {
            let dir = if copied.contains(&&*name) { over.folder.as_deref().unwrap_or(dir) } else { dir };
            if let Some(generated) = over.generated.iter().find(|file| file.name == name) {
                match loader.generated(generated, syntax) {
                    Some(file) => {
                        key.push((name, file.file, file.blob, true));
                        files.push((file, true));
                    }
                    None => is_open = true,
                }
                continue;
            }
            match loader.load(dir, &name, syntax) {
                Ok(file) => {
                    let is_own = !loader.is_linked(&join(dir, &name));
                    key.push((name, file.file, file.blob, is_own));
                    files.push((file, is_own));
                }
                Err(None) => {}
                Err(Some(Unread { message, is_unavailable })) => {
                    let file = loader.reader.files.add(&join(dir, &name), "", || Text::from(""));
                    let rule = crate::diagnostic::rules::unread(is_unavailable);
                    failures.push(Failure::new(rule, message, (file, Span::default())).hiding());
                }
            }
        }
        if is_open {
            return Some(Arc::new(Module { is_open, ..assemble(dir, &files, failures) }));
        }
        match failures.is_empty() {
            true => Some(self.shared((dir.to_owned(), key), || assemble(dir, &files, Vec::new()))),
            false => Some(Arc::new(assemble(dir, &files, failures))),
        }
    }

    /// Returns the declarations of a folder in the state of a key.
    fn shared(&self, key: ModuleKey, read: impl FnOnce() -> Module) -> Arc<Module> {
        if let Some(known) = self.cache.modules.lock().get(&key) {
            return Arc::clone(known);
        }
        let number = Some(self.cache.next_number.fetch_add(1, Ordering::Relaxed));
        let found = Arc::new(Module { number, ..read() });
        Arc::clone(self.cache.modules.lock().entry(key).or_insert(found))
    }

    /// Returns what is known of a tree of modules without any values.
    pub(crate) fn checked(&self, key: TreeKey, check: impl FnOnce() -> Checked) -> Arc<Checked> {
        if let Some(known) = self.cache.checked.lock().get(&key) {
            return Arc::clone(known);
        }
        let number = Some(self.cache.next_number.fetch_add(1, Ordering::Relaxed));
        let found = Arc::new(Checked { number, ..check() });
        Arc::clone(self.cache.checked.lock().entry(key).or_insert(found))
    }

    /// Whether nothing is wrong with a tree of this revision that gets such inputs.
    pub(crate) fn is_sound(&self, key: &SoundKey) -> bool {
        self.sound.lock().contains(key)
    }

    /// How many such inputs there are so far.
    #[cfg(test)]
    pub(crate) fn sound_count(&self) -> usize {
        self.sound.lock().len()
    }

    /// Notes that nothing is wrong with a tree of this revision that gets such inputs.
    pub(crate) fn note_sound(&self, key: SoundKey) {
        self.sound.lock().insert(key);
    }
}

/// Whether a block is something that only a root module has.
pub(crate) fn is_of_root(block: &Block) -> bool {
    let of_settings = |inner: &Block| matches!(&*inner.kind.text, "backend" | "cloud" | "encryption");
    match &*block.kind.text {
        "provider" => !block.labels.is_empty(),
        "terraform" => block.body.blocks.iter().any(of_settings),
        "import" => true,
        _ => false,
    }
}

/// The steps of each name of a module: it is kept with its declaration until everything is compared.
const STEPS_OF_A_NAME: u64 = 80;

/// The module that files declare together, with whether each of them is of its folder alone.
fn assemble(dir: &str, files: &[(SourceFile, bool)], failures: Vec<Failure>) -> Module {
    let mut module = Module { dir: dir.to_owned(), failures, ..Module::default() };
    for (file, is_own) in files {
        module.has_own_file |= is_own;
        module.files.push(file.file);
        module.failures.extend(file.parsed.errors.iter().map(|error| Failure::of_syntax(error, file.file)));
    }
    let mut reader = Reader::new(module);
    let (overrides, primary): (Vec<_>, Vec<_>) = files.iter().partition(|(file, _)| is_override(&file.name));
    primary.iter().for_each(|(file, _)| reader.file(file, false));
    overrides.iter().for_each(|(file, _)| reader.file(file, true));
    let module = reader.finish();
    take_steps(module.names() as u64 * STEPS_OF_A_NAME);
    module
}
