//! `secret-in-plain-text`: a password, key or token is written in a file.

use crate::diagnostic::{Diagnostic, Label};
use crate::rules::{Context, by_document, rule};
use crate::syntax::secrets::{self, tokens};
use crate::text::FastMap;
use crate::value::FileId;
use crate::value::Vocabulary;
use crate::yaml::{Document, NodeId, NodeKind, Span};
use std::collections::{BTreeMap, BTreeSet};

rule!(
    SECRET_IN_PLAIN_TEXT,
    "secret-in-plain-text",
    Suspicious,
    "0.1.0",
    "a file contains a password, key or token in plain text"
);

/// Shorter values are names and examples.
const MIN_LENGTH: usize = 8;
/// Bits of information in a character, at least; words of a language have fewer.
const MIN_ENTROPY: f64 = 3.0;
/// Words in values that are placeholders for secrets.
const PLACEHOLDERS: [&str; 12] = [
    "changeme",
    "change-me",
    "change_me",
    "example",
    "dummy",
    "placeholder",
    "replace",
    "todo",
    "xxxx",
    "fake",
    "your",
    "test",
];

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut known = FastMap::default();
    let words = context.resolution.vocabularies.first().copied().unwrap_or(&Vocabulary::EMPTY);
    by_document(context, &SECRET_IN_PLAIN_TEXT, |file, document| {
        document_secrets(file, document, words.secret_help, &mut known)
    })
}

/// Results for keys are cached: the same few keys are in all files.
fn document_secrets<'a>(
    file: FileId,
    document: &'a Document,
    help: &str,
    known: &mut FastMap<&'a str, bool>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut reported = BTreeSet::new();
    let finding = |span: Span, what: String, token: &str| {
        Diagnostic::new(&SECRET_IN_PLAIN_TEXT, what, Label::new(file, span.start, span.end, "")).token(token).help(help)
    };
    let may_have_tokens = tokens::may_be_in_document(document.text());
    for (id, node) in document.nodes() {
        match &node.kind {
            NodeKind::Scalar { value, .. } if may_have_tokens && !tokens::find(value).is_empty() => {
                reported.insert(id);
                found.push(finding(node.span, "this is a key or token of a well-known service".to_owned(), "token"));
            }
            NodeKind::Mapping(pairs) => {
                for (key, value) in pairs {
                    let Some(key) = document.scalar(*key) else { continue };
                    let is_secret_key = *known.entry(key).or_insert_with(|| secrets::is_secret_key(key));
                    if is_secret_key && !reported.contains(value) && is_secret(document, *value) {
                        let what = format!("the value of `{key}` looks like a real secret");
                        found.push(finding(document.node(*value).span, what, key));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a value under a key that names a secret is one, and not the name of one or a word in its place.
fn is_secret(document: &Document, value: NodeId) -> bool {
    let node = document.node(value);
    let NodeKind::Scalar { value: text, .. } = &node.kind else { return false };
    node.tag.is_none() && tokens::find(text).is_empty() && looks_secret(text)
}

fn looks_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if text.len() < MIN_LENGTH
        || secrets::is_reference(text)
        || text.contains("{{")
        || text.contains("${")
        || text.contains(char::is_whitespace)
        || text.contains(['/', ':', '<', '>'])
        || PLACEHOLDERS.iter().any(|word| lower.contains(word))
    {
        return false;
    }
    let has = |f: fn(char) -> bool| text.contains(f);
    let is_mixed = has(|c| c.is_ascii_uppercase()) && has(|c| c.is_ascii_lowercase());
    let is_hex = text.len() >= 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let has_symbol = has(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.'));
    has(|c| c.is_ascii_digit()) && (is_mixed || is_hex || has_symbol) && entropy(text) >= MIN_ENTROPY
}

/// Bits of information in a character of the text, going by how often each occurs in it (Shannon 1948).
fn entropy(text: &str) -> f64 {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    text.chars().for_each(|c| *counts.entry(c).or_default() += 1);
    let total = text.chars().count() as f64;
    counts.values().map(|n| *n as f64 / total).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_distinguished_from_their_names() {
        for text in ["hunter2!Xy9", "kJ8sd7fK2mQ9", "0123456789abcdef0123456789abcdef", "p@ssw0rd#2024"] {
            assert!(looks_secret(text), "{text}");
        }
        for text in [
            "short1A",
            "my-db-password-2",
            "ChangeMe123!",
            "{{ .locals.password }}",
            "${DB_PASSWORD1a}",
            "/app/prod/Db1Password",
            "arn:aws:secretsmanager:us-east-1:1:secret:A1",
            "aaaaaaaaA1",
            "PasswordFromStore",
            "12345678901234",
            "!store prod Db1Password",
        ] {
            assert!(!looks_secret(text), "{text}");
        }
    }
}
