//! What stays the same about a finding while lines move: its rule, where it is in the structure of its file, and the
//! text that offends. No line numbers, no indices of list items that can be told by a name.

use super::Diagnostic;
use crate::files::{File, Files};
use crate::text::Text;
use crate::value::FileId;
use crate::yaml::{Document, Kind, NodeId, document_of};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Longer tokens are cut, in bytes.
const MAX_TOKEN: usize = 200;
/// Keys that tell the items of a list of maps apart.
const NAMES: [&str; 5] = ["name", "path", "component", "id", "key"];

/// Where in the structure of a file something is, and what: all that identifies it but the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Identity {
    rule: &'static str,
    /// Keys joined with `.`; empty where the file has no structure.
    path: String,
    token: String,
}

impl Identity {
    /// The hash of it in the file at `path`, for the `nth` of equal ones (from 0).
    pub(super) fn fingerprint(&self, path: &str, nth: usize) -> Text {
        let mut hash = Sha256::new();
        for part in [self.rule, path, &self.path, &self.token, &nth.to_string()] {
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
    documents: HashMap<FileId, Option<Document>>,
}

impl<'a> Identities<'a> {
    pub(super) fn new(files: &'a Files) -> Self {
        Identities { files, documents: HashMap::new() }
    }

    pub(super) fn of(&mut self, diagnostic: &Diagnostic) -> Identity {
        let label = &diagnostic.primary;
        let file = self.files.get(label.file);
        let document = self.documents.entry(label.file).or_insert_with(|| document_of(Text::clone(&file.text)).ok());
        let path = document.as_ref().map_or_else(String::new, |d| symbolic_path(d, label.start));
        let token = diagnostic.token.clone().unwrap_or_else(|| text_at(&file, label.start, label.end));
        Identity { rule: diagnostic.rule.id, path, token }
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

/// The keys that lead to what is at a byte offset of a document, joined with `.`.
pub(crate) fn symbolic_path(document: &Document, offset: u32) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = document.root();
    while let Some(id) = at {
        at = match &document.node(id).kind {
            Kind::Mapping(pairs) => {
                let first = document.node(id).span.start;
                let last = pairs.partition_point(|(key, _)| document.node(*key).span.start <= offset);
                let pair = last.checked_sub(1).map(|i| pairs[i]).filter(|_| offset >= first);
                pair.map(|(key, value)| {
                    parts.push(document.scalar(key).map_or_else(|| "?".to_owned(), |k| k.to_string()));
                    value
                })
            }
            Kind::Sequence(items) => {
                let last = items.partition_point(|item| document.node(*item).span.start <= offset);
                last.checked_sub(1).map(|i| {
                    parts.push(format!("[{}]", item_name(document, items[i]).unwrap_or_else(|| i.to_string())));
                    items[i]
                })
            }
            Kind::Scalar { .. } | Kind::Alias { .. } => None,
        }
        .filter(|next| document.node(*next).span.start <= offset);
    }
    parts.join(".")
}

/// What a list item is called: its text, or that of a key that names it.
fn item_name(document: &Document, item: NodeId) -> Option<String> {
    let named = || NAMES.iter().find_map(|n| document.scalar(document.get(item, n)?));
    document.scalar(item).or_else(named).filter(|t| t.len() <= MAX_TOKEN).map(|t| t.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str, at: &str) -> String {
        symbolic_path(&document_of(text.into()).unwrap(), text.find(at).unwrap() as u32)
    }

    #[test]
    fn paths_are_made_of_keys_and_names() {
        let text = "import:\n- catalog/a\n- path: catalog/b\n  context: {x: 1}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        cidr: 10.0.0.0/8\n        zones: [[1, 2], [3]]\n";
        for (at, expected) in [
            ("catalog/a", "import.[catalog/a]"),
            ("context", "import.[catalog/b].context"),
            ("x: 1", "import.[catalog/b].context.x"),
            ("terraform:", "components.terraform"),
            ("vpc:", "components.terraform.vpc"),
            ("10.0", "components.terraform.vpc.vars.cidr"),
            ("cidr", "components.terraform.vpc.vars.cidr"),
            ("2]", "components.terraform.vpc.vars.zones.[0].[2]"),
            ("3]", "components.terraform.vpc.vars.zones.[1].[3]"),
        ] {
            assert_eq!(path(text, at), expected, "at {at}");
        }
    }
}
