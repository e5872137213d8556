//! YAML files of one document that become values as they are: read within the limits, each decoded once for all revisions.

use crate::diagnostic::{Diagnostic, Label, rules};
use crate::files::Files;
use crate::reads::{ParsedCache, Reader, Unread};
use crate::source::Source;
use crate::text::{Text, decoded};
use crate::value::{FileId, Origin, Prov, Value, decode};
use crate::yaml::{self, ProblemKind, Span};
use std::sync::Arc;

/// A file of one revision.
#[derive(Debug)]
pub(crate) struct YamlFile {
    /// Its id in the table of files.
    pub file: FileId,
    pub text: Text,
    /// Its value, or the mistakes because of which it has none.
    pub value: Result<Value, Vec<Diagnostic>>,
}

/// Decoded files by their content and path.
pub(crate) type YamlCache = ParsedCache<Text, YamlFile>;

/// Reads the files of one revision.
pub(crate) struct YamlLoader<'a> {
    pub reader: Reader<'a>,
    cache: &'a YamlCache,
}

impl<'a> YamlLoader<'a> {
    /// Reads from a revision; what was decoded before is taken from the cache.
    pub(crate) fn new(source: &'a dyn Source, files: &'a Files, cache: &'a YamlCache) -> Self {
        YamlLoader { reader: Reader::new(source, files, cache.limits()), cache }
    }

    /// Returns the file at a path; `None` if it does not exist.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn load(&self, path: &str) -> Result<Option<Arc<YamlFile>>, Unread> {
        let Some(entry) = self.reader.find(path)? else { return Ok(None) };
        let key = (entry.id, Text::from(path));
        if let Some(loaded) = self.cache.get(&key) {
            return Ok(Some(loaded));
        }
        let bytes = self.reader.bytes(path, entry)?;
        let parsed = yaml::parse(&bytes);
        let text = match &parsed {
            Ok(doc) => Text::clone(doc.text()),
            Err(_) => decoded(&bytes),
        };
        let file = self.reader.files.add(path, &entry.id.to_string(), || Text::clone(&text));
        let value = match &parsed {
            Ok(doc) => {
                let place =
                    |key: u32, s: Span| Prov::at(Origin { file, key: key.min(s.start), start: s.start, end: s.end });
                decode::decode(doc, &place, self.reader.limits())
                    .map_err(|all| all.iter().map(|p| problem(file, p)).collect())
            }
            Err(e) => {
                let end = text.len() as u32;
                let label = Label::new(file, e.offset.min(end), (e.offset + 1).min(end), "");
                Err(vec![Diagnostic::new(&rules::INVALID_YAML, e.message.clone(), label).breaking()])
            }
        };
        Ok(Some(self.cache.insert(key, YamlFile { file, text, value })))
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
