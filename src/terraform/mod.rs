//! Modules of Terraform and OpenTofu. This module does not know who uses them.
//!
//! What is declared here reads them statically: the variables, outputs, backends and calls of a folder. Beside it, each
//! importing only those above it:
//!
//! - `load`: the files of a revision, each content parsed once.
//! - `module`: the declarations of a folder, and the targets of its calls.
//! - `evaluation`: static evaluation of a root module and of the modules that it calls.
//! - `configuration`: the whole evaluated configuration: resources, data and outputs, as a plan on an empty state has them.
//! - `provider_schema`: what providers say about their resources.
//! - `root`: a whole root module, which is what dialects ask for; `components`: its resources as components.
//! - `secrets`: where code declares something to be secret.
//! - `reach`: the files that code consists of.

pub(crate) mod address;
mod arguments;
pub(crate) mod components;
pub(crate) mod configuration;
pub(crate) mod evaluation;
pub(crate) mod failure;
pub(crate) mod load;
pub(crate) mod module;
pub(crate) mod provider_schema;
pub(crate) mod reach;
mod read;
pub(crate) mod root;
pub(crate) mod rules;
mod secrets;
pub(crate) mod state;
mod types;

use crate::paths::within;
use crate::text::{self, FastMap, Text, decoded};
use crate::threads::PerThread;
pub(crate) use types::Type;

use crate::files::Files;
use crate::source::{BlobId, Child, Entry, Listing, Node, ResolveError, Source, Unavailable};
use crate::value::{FileId, Origin, ValueKind};
use parking_lot::Mutex;
use read::{Declarations, Declared, Parsed, Unreadable, VariableParts};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// A module: one folder with code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Module {
    /// Its folder, from the root of the repository.
    pub folder: Text,
    /// The variables that it declares, by name.
    pub variables: BTreeMap<Text, Variable>,
    /// The outputs that it declares, by name, with their places.
    pub outputs: BTreeMap<Text, Origin>,
    /// The kinds of the values of its outputs, if their text shows them.
    pub output_kinds: BTreeMap<Text, ValueKind>,
    /// The modules that it calls, by name.
    pub calls: BTreeMap<Text, Call>,
    /// The type of the backend that it configures itself (`cloud` for a `cloud` block), with its place.
    pub backend: Option<(Text, Origin)>,
    /// The required version of Terraform, as written.
    pub required_version: Option<String>,
    /// The local names of the required providers.
    pub required_providers: BTreeSet<Text>,
    /// Variables that automatically loaded files in the folder set (`terraform.tfvars`, `*.auto.tfvars`).
    pub values: BTreeSet<Text>,
}

impl Module {
    /// The variables without a default, by name.
    pub(crate) fn required(&self) -> impl Iterator<Item = (&Text, &Variable)> {
        self.variables.iter().filter(|(_, variable)| !variable.has_default)
    }
}

/// A variable of a module.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub ty: Type,
    /// Whether it has a default.
    pub has_default: bool,
    /// Whether null is a value of it.
    pub is_nullable: bool,
    /// Whether its value is hidden.
    pub is_sensitive: bool,
    /// Whether it has rules of validation.
    pub is_validated: bool,
    /// The description, if it is plain text.
    pub description: Option<Text>,
    /// The location of the declaration: the head of its block.
    pub origin: Origin,
}

/// A call of another module.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The `source`, if it is plain text.
    pub source: Option<String>,
    /// It has a version: the source is a registry.
    pub has_version: bool,
    /// The `version`, if it is plain text.
    pub version: Option<String>,
    /// The location: the head of its block.
    pub origin: Origin,
}

/// A file that keeps a module from being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeError {
    pub file: FileId,
    /// Where in it.
    pub offset: u32,
    /// Why.
    pub message: String,
}

/// Parsed files by content and syntax.
type ParsedFiles = HashMap<(BlobId, Syntax), Arc<Parsed>>;

/// Parsed files by content, shared by revisions.
#[derive(Clone, Default)]
pub(crate) struct Cache {
    files: Arc<Mutex<ParsedFiles>>,
}

impl Cache {
    /// Drops the files that are not in a listing.
    pub(crate) fn retain(&self, listing: &Listing) {
        let contents: HashSet<&BlobId> = listing.iter().map(|entry| &entry.id).collect();
        self.files.lock().retain(|(id, _), _| contents.contains(id));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Syntax {
    Native,
    Json,
}

/// The folder that the `source` of a call in a folder refers to, if it is a path in the repository.
pub(crate) fn called_folder(folder: &str, source: &str) -> Option<String> {
    let is_local = source.starts_with("./") || source.starts_with("../");
    if is_local { within(folder, source) } else { None }
}

/// The prefix of environment variables that set a variable.
const PREFIX: &str = "TF_VAR_";

/// The largest file that is searched for variables of the environment, in bytes.
const MAX_SCRIPT: usize = 1 << 20;

/// Whether a file may describe the environment in which the code runs: a script, a workflow, a description; not the
/// code itself.
fn speaks_of_environment(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        None | Some(("", _)) => true,
        Some((_, extension)) => {
            matches!(
                extension,
                "yaml" | "yml" | "sh" | "bash" | "env" | "md" | "toml" | "mk" | "ps1" | "py" | "example"
            )
        }
    }
}

/// Modules by folder; `None` for folders without code, or whose code cannot be read.
type KnownModules = FastMap<Text, Option<Arc<Module>>>;

/// The modules of one revision, each read on demand.
pub(crate) struct Modules<'a> {
    source: &'a dyn Source,
    files: &'a Files,
    cache: &'a Cache,
    known: Mutex<KnownModules>,
    /// The copies of each thread: threads that count references to the same module wait for each other.
    copies: PerThread<KnownModules>,
    errors: Mutex<Vec<CodeError>>,
    environment: OnceLock<BTreeSet<String>>,
}

impl<'a> Modules<'a> {
    /// The modules of a revision.
    pub(crate) fn new(source: &'a dyn Source, files: &'a Files, cache: &'a Cache) -> Self {
        Modules {
            source,
            files,
            cache,
            known: Mutex::default(),
            copies: PerThread::default(),
            errors: Mutex::default(),
            environment: OnceLock::new(),
        }
    }

    /// Returns the module in a folder (relative to the root of the repository). `None` if there is no folder, no code
    /// in it, or code that cannot be read; the latter is recorded in [`Modules::errors`].
    pub(crate) fn get(&self, folder: &str) -> Option<Arc<Module>> {
        if let Some(Some(known)) = self.copies.with(|copies| copies.get(folder).cloned()) {
            return known;
        }
        let module = self.shared(folder);
        let copy = || module.as_deref().map(|module| Arc::new(module.clone()));
        let copied = self.copies.with(|copies| copies.entry(folder.into()).or_insert_with(copy).clone());
        copied.unwrap_or(module)
    }

    /// Returns a module that all threads share.
    fn shared(&self, folder: &str) -> Option<Arc<Module>> {
        if let Some(known) = self.known.lock().get(folder) {
            return known.clone();
        }
        let module = self.read(folder).map(Arc::new);
        self.known.lock().entry(folder.into()).or_insert(module).clone()
    }

    /// Whether there is a folder at a path, symbolic links followed.
    ///
    /// # Errors
    /// There may be one where the code runs: why this revision does not have it.
    pub(crate) fn is_folder(&self, path: &str) -> Result<bool, Unavailable> {
        match self.source.listing().lookup(path) {
            Err(ResolveError::Unavailable(why)) => Err(why),
            found => Ok(matches!(found, Ok(Node::Dir(_)))),
        }
    }

    /// Whether a folder itself, not only one below it, holds code.
    pub(crate) fn has_code(&self, folder: &str) -> bool {
        let children = self.source.listing().children(folder);
        children.iter().any(|(name, kind)| *kind != Child::Dir && syntax(name).is_some())
    }

    /// The folders that the code of a folder calls as modules: those whose source is a path in the repository.
    pub(crate) fn local_calls(&self, folder: &str) -> Vec<String> {
        let Some(module) = self.get(folder) else { return Vec::new() };
        let sources = module.calls.values().filter(|call| !call.has_version).filter_map(|call| call.source.as_deref());
        sources.filter_map(|source| called_folder(folder, source)).collect()
    }

    /// The folders with code below a folder, from the root of the repository, sorted.
    pub(crate) fn below(&self, folder: &str) -> Vec<&str> {
        let entries = self.source.listing().under(folder).iter();
        let code = entries.filter(|e| syntax(e.path.rsplit('/').next().unwrap_or_default()).is_some());
        let folders: BTreeSet<&str> = code.filter_map(|e| e.path.rsplit_once('/').map(|(folder, _)| folder)).collect();
        folders.into_iter().collect()
    }

    /// Returns the variables that files of the repository mention as environment variables (`TF_VAR_name`): scripts,
    /// workflows, descriptions. Searched on demand.
    pub(crate) fn environment(&self) -> &BTreeSet<String> {
        self.environment.get_or_init(|| {
            let listing = self.source.listing();
            let mut found = BTreeSet::new();
            for entry in listing.iter().filter(|e| speaks_of_environment(&e.path)) {
                // A large file without an extension is a program; what is lost ends no run for the sake of a name in it.
                let Ok(Some(bytes)) = self.source.read_data(entry) else { continue };
                if bytes.len() > MAX_SCRIPT {
                    continue;
                }
                let text = String::from_utf8_lossy(&bytes);
                for part in text.split(PREFIX).skip(1) {
                    let end = part.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(part.len());
                    found.insert(part[..end].to_owned());
                }
            }
            found
        })
    }

    /// The folders that were requested and hold no code, or code that cannot be read.
    pub(crate) fn without_code(&self) -> Vec<Text> {
        self.known.lock().iter().filter(|(_, module)| module.is_none()).map(|(folder, _)| Text::clone(folder)).collect()
    }

    /// Returns what prevented requested modules from being read, sorted by file.
    pub(crate) fn errors(&self) -> Vec<CodeError> {
        let mut errors = self.errors.lock().clone();
        errors.sort_by_key(|t| (t.file, t.offset));
        errors.dedup();
        errors
    }

    fn read(&self, folder: &str) -> Option<Module> {
        let listing = self.source.listing();
        let Ok(Node::Dir(real)) = listing.lookup(folder) else { return None };
        let children = listing.children(&real);
        let names: Vec<&str> = children.iter().filter(|(_, kind)| *kind != Child::Dir).map(|(name, _)| *name).collect();
        let path_of = |name: &str| if real.is_empty() { name.to_owned() } else { format!("{real}/{name}") };
        let mut code: Vec<(&str, Syntax)> = names.iter().filter_map(|n| Some((*n, syntax(n)?))).collect();
        code.retain(|(name, _)| {
            // A file for only OpenTofu replaces the one for both.
            let counterpart = name.strip_suffix(".tf").map(|stem| format!("{stem}.tofu"));
            let counterpart =
                counterpart.or_else(|| name.strip_suffix(".tf.json").map(|stem| format!("{stem}.tofu.json")));
            counterpart.is_none_or(|counterpart| !names.contains(&counterpart.as_str()))
        });
        if code.is_empty() {
            return None;
        }
        code.sort_by_key(|(name, _)| (is_override(name), *name));
        let mut module = Module { folder: folder.into(), ..Module::default() };
        let (mut is_whole, mut is_blank) = (true, true);
        for (name, syntax) in code {
            let Ok(entry) = listing.resolve(&path_of(name)) else {
                is_whole = false;
                continue;
            };
            let Some((file, parsed)) = self.parsed(entry, syntax) else {
                is_whole = false;
                continue;
            };
            match &*parsed {
                Ok(declarations) => {
                    is_blank &= declarations.is_blank;
                    module.add(declarations, file);
                }
                Err(why) => {
                    (is_whole, is_blank) = (false, false);
                    self.report(file, why);
                }
            }
        }
        for name in names.iter().filter(|n| is_values(n)) {
            let Ok(entry) = listing.resolve(&path_of(name)) else { continue };
            let Ok(bytes) = self.source.read(entry) else { continue };
            match read::values(&bytes, name.ends_with(".json")) {
                Ok(values) => module.values.extend(values),
                Err(why) => {
                    is_whole = false;
                    self.report(self.file(entry, &bytes), &why);
                }
            }
        }
        // Files without content are placeholders for code that is elsewhere.
        (is_whole && !is_blank).then_some(module)
    }

    fn report(&self, file: FileId, why: &Unreadable) {
        self.errors.lock().push(CodeError { file, offset: why.offset as u32, message: why.message.clone() });
    }

    fn file(&self, entry: &Entry, bytes: &[u8]) -> FileId {
        self.files.add(&entry.path, &entry.id.to_string(), || decoded(bytes))
    }

    fn parsed(&self, entry: &Entry, syntax: Syntax) -> Option<(FileId, Arc<Parsed>)> {
        let bytes = self.source.read(entry).ok()?;
        let file = self.file(entry, &bytes);
        let key = (entry.id, syntax);
        if let Some(known) = self.cache.files.lock().get(&key) {
            return Some((file, Arc::clone(known)));
        }
        let parsed = Arc::new(parse(&bytes, syntax)?);
        self.cache.files.lock().insert(key, Arc::clone(&parsed));
        Some((file, parsed))
    }
}

/// The declarations of a file with this content.
fn parse(bytes: &Arc<[u8]>, syntax: Syntax) -> Option<Parsed> {
    let parse = |bytes: &&Arc<[u8]>| match syntax {
        Syntax::Native => read::native(bytes),
        Syntax::Json => read::json(bytes),
    };
    // The pool has stacks that are large enough for the parser.
    crate::threads::map(&[bytes], parse).pop()
}

impl Module {
    /// Adds the declarations of a file; later files refine earlier ones, like override files.
    fn add(&mut self, found: &Declarations, file: FileId) {
        let origin = |span: &std::ops::Range<usize>| Origin {
            file,
            key: span.start as u32,
            start: span.start as u32,
            end: span.end.max(span.start) as u32,
        };
        for Declared { name, span, parts } in &found.variables {
            match self.variables.get_mut(name) {
                Some(variable) => variable.refine(parts),
                None => {
                    let mut variable = Variable {
                        ty: Type::Any,
                        has_default: false,
                        is_nullable: true,
                        is_sensitive: false,
                        is_validated: false,
                        description: None,
                        origin: origin(span),
                    };
                    variable.refine(parts);
                    // Inputs are interned, too, so that equal names are one text.
                    self.variables.insert(text::intern(name), variable);
                }
            }
        }
        for Declared { name, span, parts } in &found.outputs {
            if let (Some(kind), false) = (parts, self.outputs.contains_key(name)) {
                self.output_kinds.insert(Text::clone(name), *kind);
            }
            self.outputs.entry(Text::clone(name)).or_insert(origin(span));
        }
        for Declared { name, span, parts } in &found.calls {
            let call = || Call {
                source: parts.source.clone(),
                has_version: parts.has_version,
                version: parts.version.clone(),
                origin: origin(span),
            };
            self.calls.entry(Text::clone(name)).or_insert_with(call);
        }
        if let Some(backend) = &found.backend {
            self.backend = Some((Text::clone(&backend.name), origin(&backend.span)));
        }
        if found.required_version.is_some() {
            self.required_version.clone_from(&found.required_version);
        }
        self.required_providers.extend(found.required_providers.iter().cloned());
    }
}

impl Variable {
    fn refine(&mut self, parts: &VariableParts) {
        if let Some(ty) = &parts.ty {
            self.ty = ty.clone();
        }
        self.has_default |= parts.has_default;
        self.is_nullable = parts.nullable.unwrap_or(self.is_nullable);
        self.is_sensitive = parts.sensitive.unwrap_or(self.is_sensitive);
        self.is_validated |= parts.is_validated;
        if parts.description.is_some() {
            self.description.clone_from(&parts.description);
        }
    }
}

/// Returns the syntax of a code file; `None` for other files, and for those that Terraform ignores.
fn syntax(name: &str) -> Option<Syntax> {
    if name.starts_with('.') || name.ends_with('~') || name.starts_with('#') && name.ends_with('#') {
        return None;
    }
    if name.ends_with(".tf") || name.ends_with(".tofu") {
        return Some(Syntax::Native);
    }
    (name.ends_with(".tf.json") || name.ends_with(".tofu.json")).then_some(Syntax::Json)
}

/// Whether a path is that of code, or of values that are read with it.
pub(crate) fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    syntax(name).is_some() || is_values(name)
}

fn is_override(name: &str) -> bool {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    stem == "override" || stem.ends_with("_override")
}

fn is_values(name: &str) -> bool {
    matches!(name, "terraform.tfvars" | "terraform.tfvars.json")
        || name.ends_with(".auto.tfvars")
        || name.ends_with(".auto.tfvars.json")
}

#[cfg(test)]
mod tests;
