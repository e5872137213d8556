//! Reads the files of one revision: configuration, each content parsed once, and the files that functions read.

pub(crate) mod functions;
pub(super) mod json;
pub(crate) mod names;
pub(crate) mod path;

use crate::files::Files as FileTable;
use crate::hcl::ast::{Body, ExprKind, Span, SyntaxError, walk};
use crate::hcl::parse::{self, Layout, parse_body};
use crate::limits::take_steps;
use crate::paths::join;
use crate::reads::{ParsedCache, Reader, Unread};
use crate::source::{BlobId, Child, Entry, Node, ResolveError, Source};
use crate::terraform::evaluation::given::GeneratedFile;
use crate::terraform::module::block::Written;
use crate::terraform::provider_schema::ProviderSchemas;
use crate::text::{Text, decoded};
use crate::value::FileId;
use foldhash::fast::RandomState;
pub(crate) use json::values as json_values;
use names::{Syntax, configuration};
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The steps of the run that it takes to parse a byte that is generated. What is parsed is kept, and is many times as large.
const STEPS_OF_A_BYTE: u64 = 12;

/// A file, parsed.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub text: Text,
    /// Its content.
    pub body: Body,
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

/// The files that are parsed already, by content and syntax.
pub(crate) type ParsedFiles = ParsedCache<Syntax, Parsed>;

/// Where code runs, and by which tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runner {
    /// The absolute path of the root of the repository; empty without a work tree.
    pub root: String,
    /// Whether it is Terraform, which skips `.tofu` files.
    pub is_terraform: bool,
    /// The schemas of the providers, if they are given.
    pub schemas: Option<Arc<ProviderSchemas>>,
}

/// The files of one revision.
pub(crate) struct Loader<'a> {
    pub reader: Reader<'a>,
    /// The absolute path of the root of the repository.
    pub root: String,
    /// Whether the code is run by Terraform, which skips `.tofu` files.
    pub is_terraform: bool,
    /// The schemas of the providers, if they are given.
    pub schemas: Option<Arc<ProviderSchemas>>,
    cache: &'a ParsedFiles,
    /// The folders of sources by path.
    folders: Mutex<HashMap<Text, Result<Option<Text>, ResolveError>, RandomState>>,
}

impl<'a> Loader<'a> {
    /// The text of an argument; of the JSON syntax, a text that is nothing but an expression as that expression.
    pub(crate) fn source_text(&self, written: &Written) -> Text {
        let file = self.reader.files.get(written.file);
        let span = written.expr.span;
        let text = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        if matches!(written.expr.kind, ExprKind::Wrapped(_)) && file.path.ends_with(".json") {
            let decoded = serde_json::from_str::<String>(text).ok();
            let inner = decoded.as_deref().and_then(|text| text.strip_prefix("${")?.strip_suffix('}'));
            return inner.map_or_else(|| text.into(), |inner| inner.trim().into());
        }
        text.into()
    }

    /// The text of an argument that is an address or a type, which the JSON syntax writes as a text.
    pub(crate) fn plain_text(&self, written: &Written) -> Text {
        walk::constant_text(&written.expr).map_or_else(|| self.source_text(written), Text::from)
    }

    pub(crate) fn new(source: &'a dyn Source, files: &'a FileTable, cache: &'a ParsedFiles, runner: Runner) -> Self {
        // Without a work tree any absolute path will do, as long as it is always the same.
        let root = match &*runner.root {
            "" => "/repository".to_owned(),
            root => root.trim_end_matches('/').to_owned(),
        };
        let reader = Reader::new(source, files, cache.limits());
        let folders = Mutex::default();
        Loader { reader, root, is_terraform: runner.is_terraform, schemas: runner.schemas, cache, folders }
    }

    /// Whether the revision has symbolic links.
    pub(crate) fn has_links(&self) -> bool {
        self.reader.has_links()
    }

    /// Whether some link leads to a file.
    pub(crate) fn is_linked(&self, path: &str) -> bool {
        self.reader.is_linked(path)
    }

    /// Returns the folder at a path, following links; `None` if it does not exist.
    pub(crate) fn folder_at(&self, path: &Text) -> Result<Option<Text>, ResolveError> {
        if let Some(known) = self.folders.lock().get(path) {
            return known.clone();
        }
        let found = match self.reader.lookup(path) {
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
        self.configuration_among(self.files_in(dir))
    }

    /// The names of the files directly in a folder, links followed.
    pub(crate) fn files_in(&self, dir: &str) -> Vec<&str> {
        let children = self.reader.children(dir);
        let is_file = |name: &str, child: Child| match child {
            Child::File => true,
            Child::Symlink => matches!(self.reader.lookup(&join(dir, name)), Ok(Node::File(_))),
            Child::Dir => false,
        };
        children.iter().filter(|(name, child)| is_file(name, *child)).map(|(name, _)| *name).collect()
    }

    /// Returns the names of configuration files among the names in a folder, without those that others hide.
    pub(crate) fn configuration_among(&self, mut names: Vec<&str>) -> Vec<(String, Syntax)> {
        names.sort_unstable();
        names.dedup();
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

    /// A file of configuration.
    ///
    /// # Errors
    /// Why it cannot be read; none if it is not there.
    pub(crate) fn load(&self, dir: &str, name: &str, syntax: Syntax) -> Result<SourceFile, Option<Unread>> {
        let path = join(dir, name);
        let entry = self.reader.find(&path).map_err(Some)?.ok_or(None)?;
        let is_json = matches!(syntax, Syntax::Json | Syntax::JsonValues);
        let with = |file, parsed| SourceFile { file, blob: entry.id, name: name.to_owned(), parsed, is_json };
        if let Some(parsed) = self.cache.get(&(entry.id, syntax)) {
            let file = self.reader.files.add(&entry.path, &entry.id.to_string(), || parsed.text.clone());
            return Ok(with(file, parsed));
        }
        let bytes = self.reader.bytes(&path, entry).map_err(Some)?;
        let text = || decoded(&bytes);
        let file = self.reader.files.add(&entry.path, &entry.id.to_string(), text);
        let parsed = self.parse(entry.id, syntax, self.reader.files.get(file).text.clone(), &bytes);
        Ok(with(file, parsed))
    }

    /// The id of a file that is generated, with its content; its path shows where that is written. `None` if it is not known.
    pub(crate) fn generated_id<'t>(&self, file: &'t GeneratedFile) -> Option<(FileId, BlobId, &'t Text)> {
        let text = file.text.as_ref()?;
        let (from, blob) = (self.reader.files.get(file.origin.file), BlobId::of(text.as_bytes()));
        let path = format!("{}: {}", from.path, file.name);
        Some((self.reader.files.add(&path, &blob.to_string(), || text.clone()), blob, text))
    }

    /// A generated file; `None` if its content is not known.
    pub(crate) fn generated(&self, file: &GeneratedFile, syntax: Syntax) -> Option<SourceFile> {
        let name = file.name.clone();
        let (file, blob, text) = self.generated_id(file)?;
        let known = self.cache.get(&(blob, syntax));
        let parsed = known.unwrap_or_else(|| {
            take_steps(text.len() as u64 * STEPS_OF_A_BYTE);
            self.parse(blob, syntax, text.clone(), text.as_bytes())
        });
        let is_json = matches!(syntax, Syntax::Json | Syntax::JsonValues);
        Some(SourceFile { file, blob, name, parsed, is_json })
    }

    /// Adds a file to the table of files; `None` if it cannot be read.
    pub(crate) fn add(&self, path: &str) -> Option<FileId> {
        self.add_entry(self.reader.resolve(path).ok()?)
    }

    /// Adds the file of an entry, which is no link.
    pub(crate) fn add_entry(&self, entry: &Entry) -> Option<FileId> {
        if let Some(known) = self.reader.files.known(&entry.path, &entry.id.to_string()) {
            return Some(known);
        }
        let bytes = self.reader.data(&entry.path, entry).ok()??;
        Some(self.reader.files.add(&entry.path, &entry.id.to_string(), || decoded(&bytes)))
    }

    /// The bytes of a file of configuration; `None` if it cannot be read or is too large.
    pub(crate) fn bytes(&self, entry: &Entry) -> Option<Arc<[u8]>> {
        self.reader.bytes(&entry.path, entry).ok()
    }

    /// Returns the content of a configuration file, without adding it to the table of files.
    pub(crate) fn parsed(&self, entry: &Entry, syntax: Syntax, bytes: &[u8]) -> Arc<Parsed> {
        let known = self.cache.get(&(entry.id, syntax));
        known.unwrap_or_else(|| self.parse(entry.id, syntax, decoded(bytes), bytes))
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
        self.cache.insert((id, syntax), parsed)
    }
}

/// The arguments that the backend in a file sets; `None` without a backend.
pub(crate) fn backend_arguments(text: &str) -> Option<BTreeSet<String>> {
    let body = parse_body(text, Layout::Lenient).body;
    let mut backends = body.blocks_of("terraform").flat_map(|block| block.body.blocks_of("backend")).peekable();
    backends.peek()?;
    Some(backends.flat_map(|backend| &backend.body.attributes).map(|one| one.name.text.to_string()).collect())
}
