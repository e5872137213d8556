//! Reads the files of one revision, each once.

use super::resource::{self, Resource};
use crate::diagnostic::rules;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::document;
use crate::dialects::garden::template::syntax::ast::Era;
use crate::files::Files;
use crate::limits::{Limit, Limits};
use crate::source::{BlobId, ResolveError, Source};
use crate::text::Text;
use crate::value::FileId;
use crate::yaml;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A configuration file.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    /// Its id.
    pub file: FileId,
    /// Its resources in order.
    pub resources: Vec<Arc<Resource>>,
    /// Its findings.
    findings: Vec<Diagnostic>,
}

/// Files that were read so far; both revisions share it.
#[derive(Default)]
pub(crate) struct Cache {
    files: Mutex<HashMap<(BlobId, Text, Era), Arc<ConfigFile>>>,
    limits: Limits,
}

impl Cache {
    /// Creates an empty cache with limits.
    pub(crate) fn new(limits: Limits) -> Self {
        Cache { files: Mutex::default(), limits }
    }

    /// Drops all files.
    pub(crate) fn forget(&self) {
        self.files.lock().clear();
    }
}

/// The files of one revision.
pub(crate) struct Loader<'a> {
    /// The revision.
    pub source: &'a dyn Source,
    /// The table of files.
    pub files: &'a Files,
    cache: &'a Cache,
    /// The version of the language of the project.
    era: Era,
    /// Requested paths, whether they exist or not.
    requested_paths: Mutex<BTreeSet<String>>,
    /// Files whose problems were reported.
    reported: Mutex<BTreeSet<FileId>>,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(source: &'a dyn Source, files: &'a Files, cache: &'a Cache, era: Era) -> Self {
        Loader { source, files, cache, era, requested_paths: Mutex::default(), reported: Mutex::default() }
    }

    /// Returns the limits.
    pub(crate) fn limits(&self) -> Limits {
        self.cache.limits
    }

    /// Records that a path was requested.
    pub(crate) fn ask(&self, path: &str) {
        self.requested_paths.lock().insert(path.to_owned());
    }

    /// Returns the requested paths.
    pub(crate) fn requested_paths(&self) -> BTreeSet<String> {
        self.requested_paths.lock().clone()
    }

    /// The configuration file at a path, with its problems reported once.
    pub(crate) fn load(&self, path: &str, diagnostics: &Diagnostics) -> Option<Arc<ConfigFile>> {
        let known = self.source.listing().resolve(path).ok().and_then(|entry| {
            self.ask(path);
            self.ask(&entry.path);
            self.cache.files.lock().get(&(entry.id, Text::from(path), self.era)).cloned()
        });
        let file = match known {
            Some(file) => file,
            None => {
                let (id, bytes) = self.bytes(path, diagnostics)?;
                let key = (id, Text::from(path), self.era);
                let file = Arc::new(self.read(&key.0, &key.1, &bytes));
                self.cache.files.lock().insert(key, Arc::clone(&file));
                file
            }
        };
        self.report(&file, diagnostics);
        Some(file)
    }

    /// Reports the problems of a file, unless that was done.
    pub(crate) fn report(&self, file: &ConfigFile, diagnostics: &Diagnostics) {
        if self.reported.lock().insert(file.file) {
            file.findings.iter().for_each(|finding| diagnostics.report(finding.clone()));
        }
    }

    fn read(&self, id: &BlobId, path: &Text, bytes: &[u8]) -> ConfigFile {
        let text = Text::from(String::from_utf8_lossy(bytes));
        let file = self.files.add(path, &id.to_string(), || Text::clone(&text));
        let mut findings = Vec::new();
        let mut resources = Vec::new();
        match yaml::documents_of(Text::clone(&text)) {
            Err(error) => {
                let end = text.len() as u32;
                let label = Label::new(file, error.offset.min(end), (error.offset + 1).min(end), "");
                findings.push(Diagnostic::new(&rules::INVALID_YAML, error.message, label).breaking());
            }
            Ok(documents) => {
                for doc in &documents {
                    match document::read(doc, Some(file), self.limits()) {
                        Ok(node) => resources.extend(resource::read(&node, file, path, self.era, &mut findings)),
                        Err(problems) => findings.extend(problems.into_iter().map(|p| {
                            let at = |span: yaml::Span, words: &str| Label::new(file, span.start, span.end, words);
                            let finding = Diagnostic::new(p.rule, p.message, at(p.span, "")).breaking();
                            match p.related {
                                Some((span, words)) => finding.related(at(span, words)),
                                None => finding,
                            }
                        })),
                    }
                }
            }
        }
        ConfigFile { file, resources: resources.into_iter().map(Arc::new).collect(), findings }
    }

    /// Returns the text of a file and its id; `None` if it does not exist or cannot be read, which is reported.
    pub(crate) fn text(&self, path: &str, diagnostics: &Diagnostics) -> Option<Text> {
        self.bytes(path, diagnostics).map(|(_, bytes)| Text::from(String::from_utf8_lossy(&bytes)))
    }

    /// The id and the bytes of a file.
    pub(crate) fn bytes(&self, path: &str, diagnostics: &Diagnostics) -> Option<(BlobId, Arc<[u8]>)> {
        self.ask(path);
        let refuse = |message: String| {
            let file = self.files.add(path, "", || Text::from(""));
            diagnostics
                .report(Diagnostic::new(&rules::UNREADABLE_FILE, message, Label::new(file, 0, 0, "")).breaking());
        };
        let entry = match self.source.listing().resolve(path) {
            Ok(entry) => entry,
            Err(ResolveError::Missing | ResolveError::IsDirectory) => return None,
            Err(error) => {
                refuse(format!("{path}: {error}"));
                return None;
            }
        };
        self.ask(&entry.path);
        let bytes = match self.source.read(entry) {
            Ok(bytes) => bytes,
            Err(error) => {
                refuse(error.to_string());
                return None;
            }
        };
        if bytes.len() as u64 > self.limits().get(Limit::FileSize) {
            let exceeded = self.limits().exceeded(Limit::FileSize);
            refuse(format!("{path} is not read: it has {exceeded}; {}", exceeded.help()));
            return None;
        }
        Some((entry.id, bytes))
    }

    /// The id of a file whose text was read.
    pub(crate) fn add(&self, path: &str, id: &BlobId, text: &Text) -> FileId {
        self.files.add(path, &id.to_string(), || Text::clone(text))
    }
}
