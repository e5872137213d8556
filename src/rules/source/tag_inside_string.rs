//! `tag-inside-string`: a YAML function in the middle of text stays text.

use super::plain_values;
use crate::diagnostic::{Diagnostic, Label};
use crate::rules::{Context, by_document, rule};
use crate::value::{FileId, Vocabulary};
use crate::yaml::Document;

rule!(TAG_INSIDE_STRING, "tag-inside-string", Suspicious, "0.1.0", "a YAML function inside a string is not called");

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let words = &context.resolution.vocabularies;
    by_document(context, &TAG_INSIDE_STRING, |file, document| in_document(file, document, words))
}

fn in_document(file: FileId, document: &Document, words: &[&'static Vocabulary]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (_, text, span) in plain_values(document) {
        if !text.contains('!') || text.contains('\n') {
            continue;
        }
        let called = |words: &&'static Vocabulary| Some((inside(text, words.functions)?, words.function_help));
        let Some(((at, name), help)) = words.iter().find_map(called) else { continue };
        // The text and the file agree byte for byte where the scalar is plain and of one line.
        let source = document.text().get(span.start as usize..span.end as usize);
        let at = source.and_then(|source| source.find(name)).unwrap_or(at) as u32;
        let label = Label::new(file, span.start + at, span.start + at + name.len() as u32, "");
        let finding = Diagnostic::new(
            &TAG_INSIDE_STRING,
            format!("`{name}` is not called here: a function must be the whole value"),
            label,
        );
        found.push(finding.help(help));
    }
    found
}

/// Finds one of some functions inside of a text, not at its start. The name must be followed by the end of the text or
/// by a character that cannot be part of it.
fn inside(text: &str, functions: &[&'static str]) -> Option<(usize, &'static str)> {
    let longest = |at: usize| functions.iter().rev().find(|name| text[at..].starts_with(**name)).copied();
    text.match_indices('!').filter(|(at, _)| *at > 0).find_map(|(at, _)| {
        let before = text[..at].chars().next_back()?;
        let name = longest(at)?;
        let after = text[at + name.len()..].chars().next();
        let ends = after.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == '-'));
        // An exclamation mark after a word is one.
        (ends && matches!(before, ' ' | '.' | '-' | '/' | ':' | '_' | '=' | '"' | '\'' | '(')).then_some((at, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_inside_of_text_only() {
        for (text, expected) in [
            ("dev.!cloud.account_id.example.net", Some("!cloud.account_id")),
            ("arn:aws:iam::!env ACCOUNT", Some("!env")),
            ("prefix !output vpc id", Some("!output")),
            ("a-!vault.get x", Some("!vault.get")),
            ("!env HOME", None),
            ("hello!env", None),
            ("what !environment is this", None),
            ("wow!", None),
        ] {
            assert_eq!(
                inside(text, &["!cloud.account_id", "!env", "!output", "!vault", "!vault.get"]).map(|f| f.1),
                expected,
                "{text}"
            );
        }
    }
}
