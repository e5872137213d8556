//! The files of one revision, parsed.

use super::json;
use super::touched::Mention;
use crate::hcl::ast::Body;
use crate::limits::Limits;
use crate::reads::{ParsedCache, PossibleFiles, Unread};
use crate::source::{Entry, Source};
use crate::terraform::load::names::Syntax;
use crate::terraform::load::{Parsed, Runner};
use crate::terraform::module::modules::{Cache as ModuleCache, Modules};
use crate::text::{Text, decoded};
use crate::value::FileId;
use std::ops::Deref;
use std::sync::Arc;

/// The name of the file of a unit.
pub(super) const UNIT: &str = "terragrunt.hcl";
/// The same in JSON, which wins if both are there.
pub(super) const UNIT_JSON: &str = "terragrunt.hcl.json";
/// The name of the file of a stack.
pub(super) const STACK: &str = "terragrunt.stack.hcl";
/// The file beside another one that gives it values.
pub(super) const VALUES: &str = "terragrunt.values.hcl";
/// The file beside that of a unit that is merged over it.
pub(super) const AUTOINCLUDE: &str = "terragrunt.autoinclude.hcl";

/// What is parsed already, by content; both revisions share it.
#[derive(Default)]
pub(super) struct Cache {
    modules: ModuleCache,
    json: ParsedCache<(), Parsed>,
    /// How files name others.
    pub(super) mentions: ParsedCache<(), Vec<Mention>>,
    /// Which data they name.
    pub(super) data_names: ParsedCache<(), Vec<Text>>,
}

impl Cache {
    pub(super) fn new(limits: Limits) -> Self {
        Cache {
            modules: ModuleCache::new(limits),
            json: ParsedCache::new(limits),
            mentions: ParsedCache::new(limits),
            data_names: ParsedCache::new(limits),
        }
    }

    /// Drops everything.
    pub(super) fn forget(&self) {
        self.modules.forget();
        self.json.forget();
        self.mentions.forget();
        self.data_names.forget();
    }

    /// The code of a revision, read with this cache.
    pub(super) fn modules<'a>(&'a self, source: &'a dyn Source, files: &'a crate::files::Files) -> Modules<'a> {
        // Absolute paths have a fixed name for the root, so that they are the same in every checkout.
        let runner = Runner { root: super::place::REPOSITORY.to_owned(), ..Runner::default() };
        Modules::new(source, files, &self.modules, runner)
    }
}

/// The content of a file or of a block, shared with what parsed it.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A file that was parsed.
    File(Arc<Parsed>),
    /// A block that stands for a file.
    Block(Arc<Body>),
}

impl Deref for Content {
    type Target = Body;

    fn deref(&self) -> &Body {
        match self {
            Content::File(parsed) => &parsed.body,
            Content::Block(body) => body,
        }
    }
}

/// A file that was read.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    /// Its id.
    pub file: FileId,
    /// Its path as it was asked for, from the root of the repository.
    pub path: String,
    /// It, parsed.
    pub parsed: Arc<Parsed>,
}

impl Loaded {
    /// Its content.
    pub(super) fn content(&self) -> Content {
        Content::File(Arc::clone(&self.parsed))
    }
}

/// Reads files of a revision.
pub(super) struct Loader<'a> {
    /// The code of the revision, and its files.
    pub modules: Modules<'a>,
    pub cache: &'a Cache,
    pub possible: &'a PossibleFiles,
    /// Whether the code of units is not evaluated.
    pub leaves_code: bool,
}

impl<'a> Loader<'a> {
    /// Whether a file is there.
    pub(super) fn has(&self, path: &str) -> bool {
        self.modules.loader.reader.resolve(path).is_ok()
    }

    /// Why git does not have the content of a file that is not missing.
    pub(super) fn unavailable(&self, path: &str) -> Option<String> {
        let reader = &self.modules.loader.reader;
        let read = |entry: Option<&Entry>| entry.map_or(Ok(()), |entry| reader.bytes(path, entry).map(drop));
        reader.find(path).and_then(read).err().filter(|why| why.is_unavailable).map(|why| why.message)
    }

    /// The file of the unit of a folder.
    pub(super) fn unit_file(&self, folder: &str) -> Option<String> {
        let paths = [UNIT_JSON, UNIT].map(|name| crate::paths::join(folder, name));
        paths.into_iter().find(|path| self.has(path))
    }

    /// Reads a file; with `json`, a name that ends in `.json` is JSON.
    ///
    /// # Errors
    /// Why it cannot be read; `None` if it is not there.
    pub(super) fn load(&self, path: &str, json: bool) -> Result<Loaded, Option<Unread>> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if json && name.ends_with(".json") {
            return self.json(path);
        }
        let found = self.modules.loader.load(folder, name, Syntax::Native)?;
        Ok(Loaded { file: found.file, path: path.to_owned(), parsed: found.parsed })
    }

    fn json(&self, path: &str) -> Result<Loaded, Option<Unread>> {
        let reader = &self.modules.loader.reader;
        let entry = reader.find(path).map_err(Some)?.ok_or(None)?;
        let key = (entry.id, ());
        let parsed = match self.cache.json.get(&key) {
            Some(parsed) => parsed,
            None => {
                let bytes = reader.bytes(path, entry).map_err(Some)?;
                let text = decoded(&bytes);
                let (body, errors) = json::body(&text);
                self.cache.json.insert(key, Parsed { text, body, errors })
            }
        };
        let file = reader.files.add(&entry.path, &entry.id.to_string(), || parsed.text.clone());
        Ok(Loaded { file, path: path.to_owned(), parsed })
    }
}
