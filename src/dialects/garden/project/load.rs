//! Reads the files of one revision, each once.

use super::resource::{self, Resource};
use crate::diagnostic::rules;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::document;
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::files::Files;
use crate::reads::{ParsedCache, Reader, Unread};
use crate::source::{BlobId, Source};
use crate::text::{Text, decoded};
use crate::value::FileId;
use crate::yaml;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A configuration file.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    pub file: FileId,
    /// Its resources in order.
    pub resources: Vec<Arc<Resource>>,
    findings: Vec<Diagnostic>,
}

/// Files that were read so far, by content, path and version of the language.
pub(crate) type Cache = ParsedCache<(Text, LanguageVersion), ConfigFile>;

/// The files of one revision.
pub(crate) struct Loader<'a> {
    pub reader: Reader<'a>,
    cache: &'a Cache,
    /// The version of the language of the project.
    era: LanguageVersion,
    /// Files whose problems were reported.
    reported: Mutex<BTreeSet<FileId>>,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(source: &'a dyn Source, files: &'a Files, cache: &'a Cache, era: LanguageVersion) -> Self {
        Loader { reader: Reader::new(source, files, cache.limits()), cache, era, reported: Mutex::default() }
    }

    /// The same files, with nothing read yet. Problems that were reported are not reported again.
    pub(crate) fn fork(&self) -> Loader<'a> {
        let reader = Reader::new(self.reader.source(), self.reader.files, self.cache.limits());
        Loader { reader, cache: self.cache, era: self.era, reported: Mutex::new(self.reported.lock().clone()) }
    }

    /// The configuration file at a path, with its problems reported once.
    pub(crate) fn load(&self, path: &str, diagnostics: &Diagnostics) -> Option<Arc<ConfigFile>> {
        let key = |id: BlobId| (id, (Text::from(path), self.era));
        let known = self.reader.resolve(path).ok().and_then(|entry| self.cache.get(&key(entry.id)));
        let file = match known {
            Some(file) => file,
            None => {
                let (id, bytes) = self.bytes(path, diagnostics)?;
                let (id, (path, era)) = key(id);
                let file = self.read(&id, &path, &bytes);
                self.cache.insert((id, (path, era)), file)
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
        let text = decoded(bytes);
        let file = self.reader.files.add(path, &id.to_string(), || Text::clone(&text));
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
                    match document::read(doc, Some(file), self.reader.limits()) {
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
        self.bytes(path, diagnostics).map(|(_, bytes)| decoded(&bytes))
    }

    /// Why the content of a file is not known though it is not missing; `None` if it is known, or missing.
    pub(crate) fn unavailable(&self, path: &str) -> Option<String> {
        let found =
            self.reader.find(path).and_then(|entry| entry.map(|entry| self.reader.bytes(path, entry)).transpose());
        found.err().filter(|why| why.is_unavailable).map(|why| why.message)
    }

    /// The id and the bytes of a file.
    pub(crate) fn bytes(&self, path: &str, diagnostics: &Diagnostics) -> Option<(BlobId, Arc<[u8]>)> {
        let entry = self.reader.find(path).transpose()?;
        match entry.and_then(|entry| Ok((entry.id, self.reader.bytes(path, entry)?))) {
            Ok(found) => Some(found),
            Err(Unread { message, is_unavailable }) => {
                let label = Label::new(self.reader.files.add(path, "", || Text::from("")), 0, 0, "");
                diagnostics.push(Diagnostic::new(rules::unread(is_unavailable), message, label));
                None
            }
        }
    }

    /// The id of a file whose text was read.
    pub(crate) fn add(&self, path: &str, id: &BlobId, text: &Text) -> FileId {
        self.reader.files.add(path, &id.to_string(), || Text::clone(text))
    }
}
