//! Reads the files of one revision, each once.

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::jitsubst::rules;
use crate::files::Files;
use crate::limits::{Limit, Limits};
use crate::source::{BlobId, ResolveError, Source};
use crate::text::Text;
use crate::value::{FileId, Origin, Prov, Value, decode};
use crate::yaml::{self, ProblemKind, Span};
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A file of the revision.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its id.
    pub file: FileId,
    /// Its text.
    pub text: Text,
    /// Its value, or what keeps it from having one.
    pub value: Result<Value, Vec<Diagnostic>>,
}

/// Files decoded so far; both revisions share it.
#[derive(Default)]
pub(crate) struct Cache {
    loaded: Mutex<HashMap<Identity, Arc<Loaded>>>,
    limits: Limits,
}

impl Cache {
    /// Creates an empty cache with limits.
    pub(crate) fn new(limits: Limits) -> Self {
        Cache { loaded: Mutex::default(), limits }
    }

    /// Drops all files.
    pub(crate) fn forget(&self) {
        self.loaded.lock().clear();
    }
}

/// The content of a file and its requested path.
type Identity = (BlobId, Text);

/// The files of one revision.
pub(crate) struct Loader<'a> {
    /// The revision.
    pub source: &'a dyn Source,
    /// The table of files.
    pub files: &'a Files,
    /// The decoded files.
    pub cache: &'a Cache,
    /// The requested paths, whether they exist or not.
    pub requested_paths: Mutex<BTreeSet<String>>,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(source: &'a dyn Source, files: &'a Files, cache: &'a Cache) -> Self {
        Loader { source, files, cache, requested_paths: Mutex::default() }
    }

    /// Returns the limits.
    pub(crate) fn limits(&self) -> Limits {
        self.cache.limits
    }

    /// Returns the file at a path; `None` if it does not exist.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn load(&self, path: &str) -> Result<Option<Arc<Loaded>>, String> {
        let ask = |path: &str| {
            self.requested_paths.lock().insert(path.to_owned());
        };
        ask(path);
        let entry = match self.source.listing().resolve(path) {
            Ok(entry) => entry,
            Err(ResolveError::Missing | ResolveError::IsDirectory) => return Ok(None),
            Err(error) => return Err(format!("{path}: {error}")),
        };
        ask(&entry.path);
        let key = (entry.id, Text::from(path));
        if let Some(loaded) = self.cache.loaded.lock().get(&key) {
            return Ok(Some(Arc::clone(loaded)));
        }
        let bytes = self.source.read(entry).map_err(|e| e.to_string())?;
        let limits = self.limits();
        if bytes.len() as u64 > limits.get(Limit::FileSize) {
            let exceeded = limits.exceeded(Limit::FileSize);
            return Err(format!("{path} is not read: it has {exceeded}; {}", exceeded.help()));
        }
        let parsed = yaml::parse(&bytes);
        let text = match &parsed {
            Ok(doc) => Text::clone(doc.text()),
            Err(_) => Text::from(String::from_utf8_lossy(&bytes)),
        };
        let file = self.files.add(path, &entry.id.to_string(), || Text::clone(&text));
        let value = match &parsed {
            Ok(doc) => {
                let place =
                    |key: u32, s: Span| Prov::at(Origin { file, key: key.min(s.start), start: s.start, end: s.end });
                decode::decode(doc, &place, limits).map_err(|all| all.iter().map(|p| problem(file, p)).collect())
            }
            Err(e) => {
                let end = text.len() as u32;
                let label = Label::new(file, e.offset.min(end), (e.offset + 1).min(end), "");
                Err(vec![Diagnostic::new(&rules::INVALID_YAML, e.message.clone(), label).breaking()])
            }
        };
        let loaded = Arc::new(Loaded { file, text, value });
        self.cache.loaded.lock().insert(key, Arc::clone(&loaded));
        Ok(Some(loaded))
    }
}

fn problem(file: FileId, problem: &yaml::Problem) -> Diagnostic {
    let rule = match problem.kind {
        ProblemKind::DuplicateKey => &rules::DUPLICATE_KEY,
        ProblemKind::BeyondLimit => &rules::LIMIT_EXCEEDED,
        ProblemKind::InvalidKey | ProblemKind::BadMerge | ProblemKind::BadScalar => &rules::INVALID_YAML,
    };
    let at = |s: Span, words: &str| Label::new(file, s.start, s.end, words);
    let finding = Diagnostic::new(rule, problem.message.as_str(), at(problem.span, "")).breaking();
    match problem.related {
        Some(span) => finding.related(at(span, "first written here")),
        None => finding,
    }
}
