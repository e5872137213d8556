//! Reads the files of one revision for the dialect, each once, and keeps account of what a result depends on.

mod changed;
mod import_section;
mod includes;

pub(super) use changed::Changed;
pub(super) use includes::Includer;

use crate::dialects::atmos::document::{Decoder, Issue};
use crate::dialects::atmos::paths;
use crate::dialects::atmos::rules;
use crate::files::Files;
use crate::limits::{Limit, Limits};
use crate::reads::{self, Unread};
use crate::source::{BlobId, Change, ChangeKind, ResolveError, Source, glob};
use crate::text::{FastMap, Text, decoded};
use crate::value::{FileId, Map, Origin, Prov, Value};
use crate::yaml::{self, Document, Span};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// The dependencies of a result: files that were read, paths whose existence was checked, patterns that were expanded.
#[derive(Clone, Debug, Default)]
pub(super) struct Deps {
    /// Files that had a part.
    pub files: BTreeSet<FileId>,
    /// Paths that were read or checked, whether they exist or not.
    pub paths: BTreeSet<Text>,
    /// Patterns that were expanded.
    pub globs: BTreeSet<Text>,
}

impl Deps {
    /// Whether it depends on nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.paths.is_empty() && self.globs.is_empty()
    }

    /// How many files, paths and patterns it depends on.
    pub(super) fn len(&self) -> usize {
        self.files.len() + self.paths.len() + self.globs.len()
    }

    /// Adds the dependencies of another result.
    pub(super) fn add(&mut self, other: &Deps) {
        self.files.extend(&other.files);
        self.paths.extend(other.paths.iter().cloned());
        self.globs.extend(other.globs.iter().cloned());
    }

    /// Whether one of some changes can make a difference.
    pub(super) fn are_touched(&self, changes: &[Change]) -> bool {
        changes.iter().any(|change| self.touched(&change.path, change.kind))
    }

    /// Whether a change of a path can make a difference.
    pub(super) fn touched(&self, path: &str, kind: ChangeKind) -> bool {
        let listed = kind != ChangeKind::Modified;
        self.touched_by_path(path, kind)
            || listed && self.globs.iter().any(|g| glob::path_match(g, path).unwrap_or(true))
    }

    /// The same of a change of a path that was read or checked, or is below one.
    fn touched_by_path(&self, path: &str, kind: ChangeKind) -> bool {
        let listed = kind != ChangeKind::Modified;
        self.paths.contains(path) || listed && self.paths.iter().any(|p| paths::relative(path, p).is_some())
    }
}

/// A file of the revision.
#[derive(Debug)]
pub(super) struct Loaded {
    pub file: FileId,
    /// Its path as requested.
    pub path: Text,
    pub text: Text,
    content: Arc<Content>,
}

/// The content of a file. Files of the same content share it: a link to a file has a path of its own.
#[derive(Debug)]
struct Content {
    text: Text,
    bytes: Arc<[u8]>,
    doc: OnceLock<Result<Arc<Document>, yaml::Error>>,
    imports: OnceLock<Option<Map>>,
}

impl Content {
    fn new(bytes: Arc<[u8]>) -> Self {
        let doc = OnceLock::new();
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => Text::from(text),
            // Possibly UTF-16: the reader detects that.
            Err(_) => match doc.get_or_init(|| yaml::parse(&bytes).map(Arc::new)) {
                Ok(doc) => Text::clone(doc.text()),
                Err(_) => decoded(&bytes),
            },
        };
        Content { text, bytes, doc, imports: OnceLock::new() }
    }
}

impl Loaded {
    pub(super) fn doc(&self) -> Result<&Document, &yaml::Error> {
        let Content { doc, bytes, .. } = &*self.content;
        doc.get_or_init(|| yaml::parse(bytes).map(Arc::new)).as_ref().map(|doc| &**doc)
    }

    /// Its `import` section alone in a map, if that can be had without reading all of it.
    pub(super) fn imports(&self, limits: Limits) -> Option<&Map> {
        self.content.imports.get_or_init(|| import_section::of(&self.text, limits)).as_ref()
    }

    /// Whether it has no content at all.
    pub(super) fn is_empty(&self) -> bool {
        self.content.bytes.is_empty()
    }

    /// The place of a span of this file.
    pub(super) fn prov(&self, key: u32, span: Span) -> Prov {
        Prov::at(Origin { file: self.file, key: key.min(span.start), start: span.start, end: span.end })
    }
}

/// Documents parsed so far; both revisions share it.
#[derive(Default)]
pub(super) struct Cache {
    loaded: Mutex<FastMap<Identity, Arc<Loaded>>>,
    contents: Mutex<FastMap<BlobId, Arc<Content>>>,
    /// The content of files without includes, so that a file is the identical value in both revisions.
    decoded: Mutex<FastMap<Reading, Decoded>>,
    limits: Limits,
}

impl Cache {
    /// Creates an empty cache with limits.
    pub(super) fn new(limits: Limits) -> Self {
        Cache { limits, ..Self::default() }
    }

    /// Drops all files.
    pub(super) fn clear(&self) {
        self.loaded.lock().clear();
        self.contents.lock().clear();
        self.decoded.lock().clear();
    }
}

/// A file, and the delimiter of keys that it is read with.
type Reading = (FileId, Option<Text>);

/// The content of a file and its requested path.
type Identity = (BlobId, Text);

/// The files of one revision.
pub(super) struct Reader<'a> {
    pub source: &'a dyn Source,
    /// The table of files.
    pub files: &'a Files,
    /// Parsed documents.
    pub cache: &'a Cache,
    decoded: Mutex<FastMap<FileId, Decoded>>,
    seen: Mutex<BTreeMap<FileId, Arc<Loaded>>>,
}

type Decoded = Arc<(Result<Value, Vec<Issue>>, Deps)>;

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a dyn Source, files: &'a Files, cache: &'a Cache) -> Self {
        Reader { source, files, cache, decoded: Mutex::default(), seen: Mutex::default() }
    }

    pub(super) fn limits(&self) -> Limits {
        self.cache.limits
    }

    /// The files that were read as YAML so far, with their documents.
    pub(super) fn documents(&self) -> Vec<(FileId, Arc<Document>)> {
        let seen = self.seen.lock();
        let document = |loaded: &Arc<Loaded>| loaded.content.doc.get()?.as_ref().ok().cloned();
        seen.iter().filter_map(|(file, loaded)| Some((*file, document(loaded)?))).collect()
    }

    /// Marks files as read that an earlier result depends on.
    pub(super) fn see<'l>(&self, files: impl Iterator<Item = &'l Arc<Loaded>>) {
        self.seen.lock().extend(files.map(|loaded| (loaded.file, Arc::clone(loaded))));
    }

    /// Returns those of some files that were read so far.
    pub(super) fn seen(&self, files: &[FileId]) -> Vec<Arc<Loaded>> {
        let seen = self.seen.lock();
        files.iter().filter_map(|file| seen.get(file).cloned()).collect()
    }

    /// Whether a file (or a link to one) is there.
    pub(super) fn exists(&self, path: &str, deps: &mut Deps) -> bool {
        deps.paths.insert(path.into());
        !matches!(self.source.listing().resolve(path), Err(ResolveError::Missing | ResolveError::Unavailable(_)))
    }

    /// Whether a file or a folder may be there where the code runs, though this revision does not have it.
    pub(super) fn is_unavailable(&self, path: &str, deps: &mut Deps) -> bool {
        deps.paths.insert(path.into());
        matches!(self.source.listing().lookup(path), Err(ResolveError::Unavailable(_)))
    }

    pub(super) fn is_dir(&self, path: &str, deps: &mut Deps) -> bool {
        deps.paths.insert(path.into());
        self.source.listing().is_dir(path)
    }

    /// Returns the file at a path; `Ok(None)` if it does not exist.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(super) fn load(&self, path: &str, deps: &mut Deps) -> Result<Option<Arc<Loaded>>, Unread> {
        deps.paths.insert(path.into());
        let entry = match self.source.listing().resolve(path) {
            Ok(entry) => entry,
            Err(ResolveError::Missing | ResolveError::IsDirectory) => return Ok(None),
            Err(error) => return Err(Unread::of_path(path, error)),
        };
        if *entry.path != *path {
            deps.paths.insert(Text::from(&*entry.path));
        }
        let key = (entry.id, Text::from(path));
        let see = |loaded: &Arc<Loaded>| {
            self.seen.lock().insert(loaded.file, Arc::clone(loaded));
        };
        if let Some(loaded) = self.cache.loaded.lock().get(&key) {
            deps.files.insert(loaded.file);
            see(loaded);
            return Ok(Some(Arc::clone(loaded)));
        }
        let known = self.cache.contents.lock().get(&entry.id).cloned();
        let content = match known {
            Some(known) => known,
            None => {
                let read = Arc::new(Content::new(reads::read(self.source, path, entry, self.limits())?));
                Arc::clone(self.cache.contents.lock().entry(entry.id).or_insert(read))
            }
        };
        let file = self.files.add(path, &entry.id.to_string(), || Text::clone(&content.text));
        let loaded = Arc::new(Loaded { file, path: Text::clone(&key.1), text: Text::clone(&content.text), content });
        // Another thread may have read it meanwhile: all are to parse the same one, or what one of them parses is lost.
        let loaded = Arc::clone(self.cache.loaded.lock().entry(key).or_insert(loaded));
        see(&loaded);
        deps.files.insert(file);
        Ok(Some(loaded))
    }

    /// Decodes a file.
    pub(super) fn decode(
        &self,
        loaded: &Loaded,
        delimiter: Option<&str>,
        base: &str,
        start: &str,
        deps: &mut Deps,
    ) -> Result<Value, Vec<Issue>> {
        if let Some(known) = self.decoded.lock().get(&loaded.file).cloned() {
            deps.add(&known.1);
            return known.0.clone();
        }
        let shared = || self.cache.decoded.lock();
        let key = (loaded.file, delimiter.map(Text::from));
        if let Some(known) = shared().get(&key).cloned() {
            return known.0.clone();
        }
        let includer = Includer::new(self, &loaded.path, base, start);
        let value = match loaded.doc() {
            Ok(doc) => {
                let place = |key: u32, span: Span| loaded.prov(key, span);
                Decoder { place: &place, include: Some(&includer), delimiter, limits: self.limits() }.decode(doc)
            }
            Err(error) => Err(vec![syntax_issue(error)]),
        };
        let own = includer.into_deps();
        deps.add(&own);
        let alone = own.is_empty();
        let decoded = Arc::new((value.clone(), own));
        if alone {
            shared().insert(key, decoded);
        } else {
            self.decoded.lock().insert(loaded.file, decoded);
        }
        value
    }

    /// The files that match a pattern, sorted as Atmos takes them.
    ///
    /// # Errors
    /// A pattern that is none.
    pub(super) fn glob(&self, pattern: &str, deps: &mut Deps) -> Result<Vec<String>, Unexpanded> {
        if !pattern.contains(['*', '?', '[', '{', '\\']) {
            let is_named = self.exists(pattern, deps) || self.is_unavailable(pattern, deps);
            return Ok(if is_named { vec![pattern.to_owned()] } else { Vec::new() });
        }
        deps.globs.insert(pattern.into());
        let found = glob::expand(self.source.listing(), pattern).map_err(|e| Unexpanded {
            message: format!("`{pattern}`: {e}"),
            is_limit: matches!(e, glob::BadPattern::TooComplex(_)),
        })?;
        if found.len() > self.limits().count(Limit::GlobResults) {
            let exceeded = self.limits().exceeded(Limit::GlobResults);
            let message = format!("`{pattern}` matches {exceeded}; {}", exceeded.help());
            return Err(Unexpanded { message, is_limit: true });
        }
        Ok(found)
    }
}

/// Why a pattern has no result.
#[derive(Clone, Debug)]
pub(super) struct Unexpanded {
    /// The reason.
    pub message: String,
    /// Whether it matches too many files, or takes too long; otherwise it is invalid.
    pub is_limit: bool,
}

/// Converts an error of the YAML reader to an issue.
pub(super) fn syntax_issue(error: &yaml::Error) -> Issue {
    Issue {
        rule: &rules::INVALID_YAML,
        message: error.message.clone(),
        span: Span { start: error.offset, end: error.offset + 1 },
        related: None,
        elsewhere: None,
        help: None,
        rename: None,
    }
}

/// Decodes a YAML text that is not in a file.
pub(super) fn plain_text(text: &str, limits: Limits) -> Result<Value, String> {
    let doc = yaml::document_of(text.into()).map_err(|e| e.message)?;
    let place = |_: u32, _: Span| Prov::default();
    let decoder = Decoder { place: &place, include: None, delimiter: None, limits };
    decoder.decode(&doc).map_err(|issues| issues.first().map_or_else(String::new, |i| i.message.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Entry, Error, Listing, Memory};
    use std::sync::Barrier;

    /// A source that returns its bytes to two readers at the same time.
    struct AtOnce {
        memory: Memory,
        both: Barrier,
    }

    impl Source for AtOnce {
        fn listing(&self) -> &Listing {
            self.memory.listing()
        }
        fn read(&self, entry: &Entry) -> Result<Arc<[u8]>, Error> {
            self.both.wait();
            self.memory.read(entry)
        }
        fn name(&self) -> &str {
            "at once"
        }
    }

    #[test]
    fn files_of_one_content_share_it() {
        let bytes = b"a: 1".to_vec();
        let source =
            Memory::new("memory", BTreeMap::from(["a.yaml", "b.yaml"].map(|path| (path.to_owned(), bytes.clone()))));
        let (files, cache) = (Files::default(), Cache::default());
        let reader = Reader::new(&source, &files, &cache);
        let load = |path: &str| reader.load(path, &mut Deps::default()).ok().flatten().expect("a file");
        let (a, b) = (load("a.yaml"), load("b.yaml"));
        assert!(a.file != b.file && *a.path == *"a.yaml" && *b.path == *"b.yaml");
        assert!(Arc::ptr_eq(&a.content, &b.content));
    }

    #[test]
    fn a_file_that_two_threads_read_at_once_is_one_file() {
        let memory = Memory::new("memory", BTreeMap::from([("a.yaml".to_owned(), b"a: 1".to_vec())]));
        let source = AtOnce { memory, both: Barrier::new(2) };
        let (files, cache) = (Files::default(), Cache::default());
        let reader = Reader::new(&source, &files, &cache);
        let load = || reader.load("a.yaml", &mut Deps::default()).ok().flatten();
        let (one, two) = std::thread::scope(|scope| {
            let other = scope.spawn(load);
            (load(), other.join().ok().flatten())
        });
        let (one, two) = (one.expect("a file"), two.expect("a file"));
        assert!(Arc::ptr_eq(&one, &two));
        assert!(one.doc().is_ok());
        assert_eq!(reader.documents().len(), 1);
    }
}
