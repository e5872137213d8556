//! Reads the files of one revision: configuration, each content parsed once, and the files that functions read.

pub(crate) mod functions;
mod json;
pub(crate) mod names;
pub(crate) mod path;

use crate::files::Files as FileTable;
use crate::hcl::ast::{Body, Span, SyntaxError};
use crate::hcl::parse;
use crate::limits::{Limit, Limits};
use crate::paths::join;
use crate::source::{BlobId, Child, Entry, EntryKind, Node, ResolveError, Source};
use crate::text::Text;
use crate::value::FileId;
use foldhash::fast::RandomState;
pub(crate) use json::values as json_values;
use names::{Syntax, configuration};
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

/// A file, parsed.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// Its text.
    pub text: Text,
    /// Its content.
    pub body: Body,
    /// The syntax errors.
    pub errors: Vec<SyntaxError>,
}

/// A file of the revision.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// Its id; its path is the real one, after following links.
    pub file: FileId,
    /// Identifies its content.
    pub blob: BlobId,
    /// Its name in the folder that it was found in.
    pub name: String,
    /// Its content.
    pub parsed: Arc<Parsed>,
    /// Whether it is JSON.
    pub is_json: bool,
}

/// The files that are parsed already, by their content; both revisions share them.
#[derive(Default)]
pub(crate) struct ParsedFiles {
    parsed: Mutex<HashMap<(BlobId, Syntax), Arc<Parsed>, RandomState>>,
    /// The limits.
    limits: Limits,
}

impl ParsedFiles {
    pub(crate) fn new(limits: Limits) -> Self {
        ParsedFiles { limits, ..ParsedFiles::default() }
    }

    /// Drops all files.
    pub(crate) fn forget(&self) {
        self.parsed.lock().clear();
    }
}

/// Where code runs, and by which tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runner {
    /// The absolute path of the root of the repository; empty without a work tree.
    pub root: String,
    /// Whether it is Terraform, which skips `.tofu` files.
    pub is_terraform: bool,
}

/// The files of one revision.
pub(crate) struct Loader<'a> {
    /// The revision.
    pub source: &'a dyn Source,
    /// The table of files.
    pub files: &'a FileTable,
    /// The absolute path of the root of the repository.
    pub root: String,
    /// Whether the code is run by Terraform, which skips `.tofu` files.
    pub is_terraform: bool,
    cache: &'a ParsedFiles,
    /// The folders of sources by path.
    folders: Mutex<HashMap<Text, Result<Option<Text>, ResolveError>, RandomState>>,
    /// The targets of links.
    linked: OnceLock<BTreeSet<String>>,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(source: &'a dyn Source, files: &'a FileTable, cache: &'a ParsedFiles, runner: Runner) -> Self {
        // Without a work tree any absolute path will do, as long as it is always the same.
        let root = match &*runner.root {
            "" => "/repository".to_owned(),
            root => root.trim_end_matches('/').to_owned(),
        };
        Loader {
            source,
            files,
            root,
            is_terraform: runner.is_terraform,
            cache,
            folders: Mutex::default(),
            linked: OnceLock::new(),
        }
    }

    /// Whether the revision has symbolic links.
    pub(crate) fn has_links(&self) -> bool {
        self.source.listing().has_links()
    }

    /// Whether some link leads to a file.
    pub(crate) fn is_linked(&self, path: &str) -> bool {
        let linked = self.linked.get_or_init(|| {
            let listing = self.source.listing();
            let links = listing.iter().filter(|e| e.kind == EntryKind::Symlink);
            let targets = links.filter_map(|link| match listing.lookup(&link.path) {
                Ok(Node::File(entry)) => Some(entry.path.to_string()),
                _ => None,
            });
            targets.collect()
        });
        linked.contains(path)
    }

    /// Returns the limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.cache.limits
    }

    /// Returns the folder at a path, following links; `None` if it does not exist.
    pub(crate) fn folder_at(&self, path: &Text) -> Result<Option<Text>, ResolveError> {
        if let Some(known) = self.folders.lock().get(path) {
            return known.clone();
        }
        let found = match self.source.listing().lookup(path) {
            Ok(Node::Dir(dir)) if dir == **path => Ok(Some(path.clone())),
            Ok(Node::Dir(dir)) => Ok(Some(dir.into())),
            Ok(Node::File(_)) | Err(ResolveError::Missing) => Ok(None),
            Err(error) => Err(error),
        };
        self.folders.lock().insert(path.clone(), found.clone());
        found
    }

    /// Returns the names of the configuration files of a folder, without those that others hide.
    pub(crate) fn configuration_files(&self, dir: &str) -> Vec<(String, Syntax)> {
        let listing = self.source.listing();
        let children = listing.children(dir);
        let is_file = |name: &str, child: Child| match child {
            Child::File => true,
            Child::Symlink => matches!(listing.lookup(&join(dir, name)), Ok(Node::File(_))),
            Child::Dir => false,
        };
        let mut names: Vec<&str> =
            children.iter().filter(|(name, child)| is_file(name, *child)).map(|(name, _)| *name).collect();
        names.sort_unstable();
        let has = |name: String| names.binary_search(&&*name).is_ok();
        let hidden = |base: &str, extension: &str| match extension {
            _ if self.is_terraform => false,
            ".tf" => has(format!("{base}.tofu")),
            ".tf.json" => has(format!("{base}.tofu.json")),
            _ => false,
        };
        let one = |name: &&str| {
            let (base, extension, syntax) = configuration(name)?;
            if self.is_terraform && extension.starts_with(".tofu") {
                return None;
            }
            (!hidden(base, extension)).then(|| ((*name).to_owned(), syntax))
        };
        names.iter().filter_map(one).collect()
    }

    /// The entry of a file, links followed.
    pub(crate) fn entry(&self, path: &str) -> Result<&Entry, ResolveError> {
        self.source.listing().resolve(path)
    }

    /// A file of configuration.
    ///
    /// # Errors
    /// Why it cannot be read; none if it is not there.
    pub(crate) fn load(&self, dir: &str, name: &str, syntax: Syntax) -> Result<SourceFile, Option<String>> {
        let path = join(dir, name);
        let entry = self.entry(&path).map_err(|error| match error {
            ResolveError::Missing | ResolveError::IsDirectory => None,
            error => Some(format!("{path}: {error}")),
        })?;
        let is_json = matches!(syntax, Syntax::Json | Syntax::JsonValues);
        let with = |file, parsed| SourceFile { file, blob: entry.id, name: name.to_owned(), parsed, is_json };
        let known = self.cache.parsed.lock().get(&(entry.id, syntax)).cloned();
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

    /// Adds a file to the table of files; `None` if it cannot be read.
    pub(crate) fn add(&self, path: &str) -> Option<FileId> {
        let entry = self.source.listing().get(path)?;
        let bytes = self.bytes(entry)?;
        Some(self.files.add(&entry.path, &entry.id.to_string(), || Text::from(String::from_utf8_lossy(&bytes))))
    }

    /// The bytes of a file of configuration; `None` if it cannot be read or is too large.
    pub(crate) fn bytes(&self, entry: &Entry) -> Option<Arc<[u8]>> {
        let bytes = self.source.read(entry).ok()?;
        (bytes.len() as u64 <= self.limits().get(Limit::FileSize)).then_some(bytes)
    }

    /// Returns the content of a configuration file, without adding it to the table of files.
    pub(crate) fn parsed(&self, entry: &Entry, syntax: Syntax, bytes: &[u8]) -> Arc<Parsed> {
        if let Some(known) = self.cache.parsed.lock().get(&(entry.id, syntax)) {
            return Arc::clone(known);
        }
        self.parse(entry.id, syntax, Text::from(String::from_utf8_lossy(bytes)), bytes)
    }

    /// Parses a file whose text was decoded from bytes.
    fn parse(&self, id: BlobId, syntax: Syntax, text: Text, bytes: &[u8]) -> Arc<Parsed> {
        let mut parsed = match syntax {
            Syntax::Native | Syntax::Values => {
                let parse::Parsed { body, errors } = parse::parse_body(&text, parse::Layout::Strict);
                Parsed { text, body, errors }
            }
            Syntax::Json => json::configuration(&text),
            Syntax::JsonValues => json::values(&text),
        };
        if let Some(at) = std::str::from_utf8(bytes).err().map(|e| e.valid_up_to()) {
            let detail = "All input files must be UTF-8 encoded.".to_owned();
            parsed.errors.push(SyntaxError { summary: "Invalid character encoding", detail, span: Span::new(at, at) });
        }
        let parsed = Arc::new(parsed);
        self.cache.parsed.lock().insert((id, syntax), Arc::clone(&parsed));
        parsed
    }
}
