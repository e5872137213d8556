//! Reads the files of one revision: configuration, each content parsed once, and the files that functions read.

use super::module::{self, Lead, Module};
use crate::dialects::{Presence, Project};
use crate::files::Files as FileTable;
use crate::hcl::ast::{Body, Span, SyntaxError};
use crate::hcl::functions::{Content, FileError, Files, clean};
use crate::hcl::parse;
use crate::limits::{Limit, Limits};
use crate::source::{BlobId, Entry, Kind, Node, ResolveError, Source};
use crate::text::Text;
use crate::value::FileId;
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Syntax {
    /// `.tf`, `.tofu`
    Native,
    /// `.tf.json`, `.tofu.json`
    Json,
    /// `.tfvars`
    Values,
    /// `.tfvars.json`
    JsonValues,
}

/// A file, parsed.
#[derive(Debug)]
pub(super) struct Parsed {
    /// Its text.
    pub text: Text,
    /// Its content.
    pub body: Body,
    /// What is wrong with its text.
    pub errors: Vec<SyntaxError>,
}

/// A file of the revision.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    /// Its id; its path is where it lies, links followed.
    pub file: FileId,
    /// What tells its content.
    pub blob: BlobId,
    /// Its name in the folder that it was found in.
    pub name: String,
    /// Its content.
    pub parsed: Arc<Parsed>,
    /// Whether it is JSON.
    pub is_json: bool,
}

/// What tells apart the states of a folder: with the same files in the same table it declares the same.
pub(super) type ModuleKey = (String, Vec<(String, FileId, BlobId, bool)>);

/// What is parsed already; both revisions share it.
#[derive(Default)]
pub(super) struct Cache {
    parsed: Mutex<HashMap<(BlobId, Syntax), Arc<Parsed>, RandomState>>,
    /// What folders declare, by their path and their files: ids in the table of files, and contents.
    modules: Mutex<HashMap<ModuleKey, Arc<Module>, RandomState>>,
    /// The files that were read to find out whether there are root modules.
    detected: FileTable,
    /// Whether there are root modules, by what tells revisions apart.
    presence: Mutex<HashMap<u64, Presence>>,
    /// How much is taken on.
    pub limits: Limits,
}

impl Cache {
    pub(super) fn new(limits: Limits) -> Self {
        Cache { limits, ..Cache::default() }
    }

    /// The table for files that are read to find out whether there are root modules.
    pub(super) fn detected(&self) -> &FileTable {
        &self.detected
    }

    /// Whether there are root modules in what a number stands for.
    pub(super) fn presence(&self, content: u64, find: impl FnOnce() -> Presence) -> Presence {
        if let Some(known) = lock(&self.presence).get(&content) {
            return *known;
        }
        let found = find();
        lock(&self.presence).insert(content, found);
        found
    }
}

/// Where a call leads whose source is a folder or is computed.
#[derive(Clone, Debug)]
pub(super) enum Callee {
    /// A folder of the repository.
    Local {
        /// Its path as the call names it, links not followed.
        path: Text,
        /// The folder, links followed; none if it is not there.
        dir: Option<Text>,
    },
    /// What only evaluation tells.
    Computed,
}

/// The path of a source that is relative to a folder of the repository, from the root of the repository.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    /// The path, cleaned.
    pub path: Text,
    /// The path with the steps up that it has behind a name: a link may lead such a step elsewhere.
    stepwise: Option<Text>,
}

impl Beside {
    /// The path to look up.
    pub(super) fn written(&self) -> &Text {
        self.stepwise.as_ref().unwrap_or(&self.path)
    }
}

/// The path of a relative source in a module of a folder, which is there and has no links in its path.
pub(super) fn beside(dir: &str, source: &str) -> Beside {
    let source = if source.contains('\\') { Cow::Owned(source.replace('\\', "/")) } else { Cow::Borrowed(source) };
    let (mut above, mut rest) = (if dir == "." { "" } else { dir }, &*source);
    loop {
        if let Some(more) = rest.strip_prefix("./") {
            rest = more;
        } else if let Some(more) = rest.strip_prefix("../").filter(|_| !above.is_empty()) {
            above = above.rsplit_once('/').map_or("", |(parent, _)| parent);
            rest = more;
        } else {
            break;
        }
    }
    if rest.split('/').any(|part| matches!(part, "" | "." | "..")) {
        let written = join(dir, &source);
        return Beside { path: clean(&written).into(), stepwise: Some(written.into()) };
    }
    Beside { path: join(above, rest).into(), stepwise: None }
}

/// The files of one revision.
pub(super) struct Loader<'a> {
    /// The revision.
    pub source: &'a dyn Source,
    /// The table of files.
    pub files: &'a FileTable,
    /// The absolute path of the root of the repository.
    pub root: String,
    /// Whether the code is run by Terraform, which passes over `.tofu` files.
    pub is_terraform: bool,
    cache: &'a Cache,
    /// The folders that were read so far, with what they declare.
    modules: Mutex<HashMap<String, Option<Arc<Module>>, RandomState>>,
    /// Where their calls lead, by their folders.
    callees: Mutex<HashMap<String, Arc<Vec<Callee>>, RandomState>>,
    /// The folders that paths of sources lead to.
    folders: Mutex<HashMap<Text, Result<Option<Text>, ResolveError>, RandomState>>,
    /// The files that links lead to.
    linked: OnceLock<BTreeSet<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The path of a name in a folder; the root of the repository is empty.
pub(super) fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() || dir == "." { name.to_owned() } else { format!("{dir}/{name}") }
}

impl<'a> Loader<'a> {
    pub(super) fn new(source: &'a dyn Source, files: &'a FileTable, cache: &'a Cache, project: &Project) -> Self {
        // Without a work tree any absolute path will do, as long as it is always the same.
        let root = match &*project.root {
            "" => "/repository".to_owned(),
            root => root.trim_end_matches('/').to_owned(),
        };
        let is_terraform = project.roots.tool.as_deref() == Some("terraform");
        let (modules, callees, folders) = (Mutex::default(), Mutex::default(), Mutex::default());
        Loader { source, files, root, is_terraform, cache, modules, callees, folders, linked: OnceLock::new() }
    }

    /// What a folder declares; none if no configuration is there. A folder is read once.
    pub(super) fn module(&self, dir: &str) -> Option<Arc<Module>> {
        if let Some(known) = lock(&self.modules).get(dir) {
            return known.clone();
        }
        let found = module::read(self, dir);
        lock(&self.modules).entry(dir.to_owned()).or_insert(found).clone()
    }

    /// What a folder declares in the state that a key stands for.
    pub(super) fn shared(&self, key: ModuleKey, read: impl FnOnce() -> Module) -> Arc<Module> {
        if let Some(known) = lock(&self.cache.modules).get(&key) {
            return Arc::clone(known);
        }
        let found = Arc::new(read());
        lock(&self.cache.modules).insert(key, Arc::clone(&found));
        found
    }

    /// Where the calls of a module lead that name their source by a literal.
    pub(super) fn callees(&self, module: &Module) -> Arc<Vec<Callee>> {
        if let Some(known) = lock(&self.callees).get(&module.dir) {
            return Arc::clone(known);
        }
        let one = |lead: &Lead| match lead {
            Lead::Local(beside) => {
                let dir = self.folder_at(beside.written()).ok().flatten();
                Some(Callee::Local { path: beside.path.clone(), dir })
            }
            Lead::Computed => Some(Callee::Computed),
            Lead::Elsewhere => None,
        };
        let found: Arc<Vec<Callee>> = Arc::new(module.leads.iter().filter_map(one).collect());
        lock(&self.callees).insert(module.dir.clone(), Arc::clone(&found));
        found
    }

    /// Whether the revision has symbolic links.
    pub(super) fn has_links(&self) -> bool {
        self.source.listing().has_links()
    }

    /// Whether some link leads to a file.
    pub(super) fn is_linked(&self, path: &str) -> bool {
        let linked = self.linked.get_or_init(|| {
            let listing = self.source.listing();
            let links = listing.iter().filter(|e| e.kind == Kind::Symlink);
            let targets = links.filter_map(|link| match listing.lookup(&link.path) {
                Ok(Node::File(entry)) => Some(entry.path.to_string()),
                _ => None,
            });
            targets.collect()
        });
        linked.contains(path)
    }

    /// How much is taken on.
    pub(super) fn limits(&self) -> &Limits {
        &self.cache.limits
    }

    /// The folder that a path leads to, links followed; none if there is none.
    pub(super) fn folder_at(&self, path: &Text) -> Result<Option<Text>, ResolveError> {
        if let Some(known) = lock(&self.folders).get(path) {
            return known.clone();
        }
        let found = match self.source.listing().lookup(path) {
            Ok(Node::Dir(dir)) if dir == **path => Ok(Some(path.clone())),
            Ok(Node::Dir(dir)) => Ok(Some(dir.into())),
            Ok(Node::File(_)) | Err(ResolveError::Missing) => Ok(None),
            Err(error) => Err(error),
        };
        lock(&self.folders).insert(path.clone(), found.clone());
        found
    }

    /// The entry of a file, links followed.
    pub(super) fn entry(&self, path: &str) -> Result<&Entry, ResolveError> {
        self.source.listing().resolve(path)
    }

    /// A file of configuration.
    ///
    /// # Errors
    /// Why it cannot be read; none if it is not there.
    pub(super) fn load(&self, dir: &str, name: &str, syntax: Syntax) -> Result<SourceFile, Option<String>> {
        let path = join(dir, name);
        let entry = self.entry(&path).map_err(|error| match error {
            ResolveError::Missing | ResolveError::IsDirectory => None,
            error => Some(format!("{path}: {error}")),
        })?;
        let is_json = matches!(syntax, Syntax::Json | Syntax::JsonValues);
        let with = |file, parsed| SourceFile { file, blob: entry.id, name: name.to_owned(), parsed, is_json };
        let known = lock(&self.cache.parsed).get(&(entry.id, syntax)).cloned();
        if let Some(parsed) = known {
            let file = self.files.add(&entry.path, &entry.id.to_string(), || parsed.text.clone());
            return Ok(with(file, parsed));
        }
        let bytes = self.source.read(entry).map_err(|e| Some(e.to_string()))?;
        let text = || Text::from(String::from_utf8_lossy(&bytes));
        let file = self.files.add(&entry.path, &entry.id.to_string(), text);
        if bytes.len() as u64 > self.limits().get(Limit::FileSize) {
            let exceeded = self.limits().exceeded(Limit::FileSize);
            return Err(Some(format!("{path} is not read: it has {exceeded}; {}", exceeded.help())));
        }
        let parsed = self.parse(entry.id, syntax, self.files.get(file).text.clone(), &bytes);
        Ok(with(file, parsed))
    }

    /// The content of a file of configuration, which gets no place in the table of files.
    ///
    /// # Errors
    /// The file is not there, cannot be read or is too large.
    pub(super) fn parsed(&self, dir: &str, name: &str, syntax: Syntax) -> Result<Arc<Parsed>, ()> {
        let entry = self.entry(&join(dir, name)).map_err(|_| ())?;
        if let Some(known) = lock(&self.cache.parsed).get(&(entry.id, syntax)) {
            return Ok(Arc::clone(known));
        }
        let bytes = self.source.read(entry).map_err(|_| ())?;
        if bytes.len() as u64 > self.limits().get(Limit::FileSize) {
            return Err(());
        }
        let text = Text::from(String::from_utf8_lossy(&bytes));
        Ok(self.parse(entry.id, syntax, text, &bytes))
    }

    /// Parses a file whose text was decoded from bytes.
    fn parse(&self, id: BlobId, syntax: Syntax, text: Text, bytes: &[u8]) -> Arc<Parsed> {
        let mut parsed = match syntax {
            Syntax::Native | Syntax::Values => {
                let parse::Parsed { body, errors } = parse::parse_body(&text, parse::Layout::Strict);
                Parsed { text, body, errors }
            }
            Syntax::Json => super::json::configuration(&text),
            Syntax::JsonValues => super::json::values(&text),
        };
        if let Some(at) = std::str::from_utf8(bytes).err().map(|e| e.valid_up_to()) {
            let detail = "All input files must be UTF-8 encoded.".to_owned();
            parsed.errors.push(SyntaxError { summary: "Invalid character encoding", detail, span: Span::new(at, at) });
        }
        let parsed = Arc::new(parsed);
        lock(&self.cache.parsed).insert((id, syntax), Arc::clone(&parsed));
        parsed
    }
}

/// The files that functions read: relative paths begin in the folder of the root module, where the tool runs.
pub(super) struct RootFiles<'a> {
    /// The files of the revision.
    loader: &'a Loader<'a>,
    /// The folder of the root module.
    dir: String,
    /// The files that were read.
    read: RefCell<BTreeSet<FileId>>,
}

impl<'a> RootFiles<'a> {
    pub(super) fn new(loader: &'a Loader<'a>, dir: String) -> Self {
        RootFiles { loader, dir, read: RefCell::default() }
    }

    /// The files that were read so far.
    pub(super) fn read(&self) -> BTreeSet<FileId> {
        self.read.borrow().clone()
    }

    /// A path from the root of the repository.
    fn inside(&self, path: &str) -> Result<String, FileError> {
        if !path.starts_with('/') {
            return Ok(join(&self.dir, path));
        }
        let below = path.strip_prefix(&self.loader.root).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match below {
            Some(rest) => Ok(rest.trim_start_matches('/').to_owned()),
            None => Err(FileError::Unknown(format!("{path} is outside of the repository"))),
        }
    }
}

fn failed(path: &str, error: ResolveError) -> FileError {
    match error {
        ResolveError::Missing => FileError::Failed(format!(
            "no file exists at \"{path}\"; this function works only with files that are distributed as part of the \
             configuration source code"
        )),
        ResolveError::LeavesRepository => FileError::Unknown(format!("{path} is outside of the repository")),
        error => FileError::Failed(format!("\"{path}\": {error}")),
    }
}

impl Files for RootFiles<'_> {
    fn read(&self, path: &str) -> Result<Content, FileError> {
        let inside = self.inside(path)?;
        let entry = self.loader.entry(&inside).map_err(|e| failed(path, e))?;
        let bytes = self.loader.source.read(entry).map_err(|e| FileError::Failed(e.to_string()))?;
        if bytes.len() as u64 > self.loader.limits().get(Limit::FileSize) {
            return Err(FileError::Failed(format!("{path} is too large")));
        }
        let text = || Text::from(String::from_utf8_lossy(&bytes));
        let file = self.loader.files.add(&entry.path, &entry.id.to_string(), text);
        self.read.borrow_mut().insert(file);
        Ok(Content { bytes, file })
    }

    fn exists(&self, path: &str) -> Result<bool, FileError> {
        let inside = self.inside(path)?;
        match self.loader.entry(&inside) {
            Ok(_) => Ok(true),
            Err(ResolveError::Missing) => Ok(false),
            Err(ResolveError::IsDirectory) => Err(FileError::Failed(format!("\"{path}\" is a directory, not a file"))),
            Err(error) => Err(failed(path, error)),
        }
    }

    fn below(&self, path: &str) -> Result<Vec<String>, FileError> {
        let inside = self.inside(path)?;
        let listing = self.loader.source.listing();
        match listing.lookup(&inside) {
            Ok(Node::Dir(dir)) => {
                let skip = if dir.is_empty() { 0 } else { dir.len() + 1 };
                Ok(listing.under(&dir).iter().filter_map(|e| e.path.get(skip..)).map(str::to_owned).collect())
            }
            Ok(Node::File(_)) | Err(ResolveError::Missing) => Ok(Vec::new()),
            Err(error) => Err(failed(path, error)),
        }
    }

    fn folder(&self) -> Option<String> {
        Some(join(&self.loader.root, &self.dir).trim_end_matches('/').to_owned())
    }
}

/// There are no files where no function may be called.
pub(super) struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<Content, FileError> {
        Err(FileError::Failed("no files".to_owned()))
    }

    fn exists(&self, _: &str) -> Result<bool, FileError> {
        Ok(false)
    }

    fn below(&self, _: &str) -> Result<Vec<String>, FileError> {
        Ok(Vec::new())
    }

    fn folder(&self) -> Option<String> {
        None
    }
}
