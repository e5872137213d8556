//! The identity of a finding while lines move: its rule, its position in the structure of its file, and the offending
//! text. It contains no line numbers, and no indexes of list items that can be identified by a name.

use super::Diagnostic;
use crate::diagnostic::RuleRef;
use crate::files::{File, Files};
use crate::syntax::Syntax;
use crate::text::Text;
use crate::value::FileId;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Longer tokens are cut, in bytes.
const MAX_TOKEN: usize = 200;

/// Where in the structure of a file something is, and what: all that identifies it but the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Identity {
    rule: RuleRef,
    /// Keys and blocks joined with `.`; empty where the file has no structure.
    path: String,
    token: String,
}

impl Identity {
    /// The hash of it in the file at `path`, for the `nth` of equal ones (from 0).
    pub(super) fn fingerprint(&self, path: &str, nth: usize) -> Text {
        let mut hash = Sha256::new();
        for part in [self.rule.id(), path, &self.path, &self.token, &nth.to_string()] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        hash.finalize()[..16].iter().map(|b| format!("{b:02x}")).collect::<String>().into()
    }
}

/// The fingerprint of a finding that is the only one of its kind in its file.
pub(crate) fn fingerprint_of(diagnostic: &Diagnostic, files: &Files) -> Text {
    let path = Text::clone(&files.get(diagnostic.primary.file).path);
    Identities::new(files).of(diagnostic).fingerprint(&path, 0)
}

/// Finds the identities of findings; each file is read once.
pub(super) struct Identities<'a> {
    files: &'a Files,
    known: HashMap<FileId, Syntax>,
}

impl<'a> Identities<'a> {
    pub(super) fn new(files: &'a Files) -> Self {
        Identities { files, known: HashMap::new() }
    }

    pub(super) fn of(&mut self, diagnostic: &Diagnostic) -> Identity {
        let label = &diagnostic.primary;
        let file = self.files.get(label.file);
        let path = self.known.entry(label.file).or_insert_with(|| Syntax::of(&file)).path_at(label.start);
        let token = diagnostic.token.clone().unwrap_or_else(|| text_at(&file, label.start, label.end));
        Identity { rule: diagnostic.rule.clone(), path, token }
    }
}

/// The text of a span without its indentation, or of its line where the span is empty.
fn text_at(file: &File, start: u32, end: u32) -> String {
    let span = file.text.get(start as usize..end as usize).map(str::trim).filter(|t| !t.is_empty());
    let line = || file.line_text(file.line(start)).trim();
    // The start of a file as a place means the file as a whole.
    let text = span.unwrap_or_else(|| if start == 0 && end == 0 { "" } else { line() });
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = words.join(" ");
    if text.len() > MAX_TOKEN {
        let end = (0..=MAX_TOKEN).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        text.truncate(end);
    }
    text
}
