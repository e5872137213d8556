//! `ambiguous-scalar`: a number or a date that is not what it looks like.

use super::plain_values;
use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label};
use crate::rules::{Context, by_document, rule};
use crate::value::FileId;
use crate::yaml::{Document, NodeId, NodeKind, Scalar, Style, resolve};

rule!(
    AMBIGUOUS_SCALAR,
    "ambiguous-scalar",
    Suspicious,
    "0.1.0",
    "YAML reads an unquoted number or date as another value than it looks like"
);

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    by_document(context, &AMBIGUOUS_SCALAR, in_document)
}

fn in_document(file: FileId, document: &Document) -> Vec<Diagnostic> {
    let (mut found, mut names) = (Vec::new(), None);
    for (id, text, span) in plain_values(document) {
        // Nearly all scalars are words.
        if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+')) {
            continue;
        }
        let key = || names.get_or_insert_with(|| keys(document))[id.index()];
        let Some(reading) = reading(text, key) else { continue };
        let edit = Edit { file, start: span.start, end: span.end, text: format!("\"{text}\"") };
        let finding = Diagnostic::new(
            &AMBIGUOUS_SCALAR,
            format!("`{text}` is read as {reading}"),
            Label::new(file, span.start, span.end, ""),
        );
        found.push(finding.help(format!("write `\"{text}\"` to keep it as it is")).fix(Fix::one(
            "quote it",
            edit,
            Applicability::Safe,
        )));
    }
    found
}

/// Describes how an unquoted text is read, if that differs from its appearance.
fn reading<'a>(text: &str, key: impl FnOnce() -> Option<&'a str>) -> Option<String> {
    let digits = text.trim_start_matches(['-', '+']);
    let only_digits = digits.len() > 1 && digits.bytes().all(|b| b.is_ascii_digit());
    match resolve(text, Style::Plain, None).ok()? {
        Scalar::Time(_) => Some("a date, which becomes an empty map".to_owned()),
        Scalar::Int(number) if only_digits && digits.starts_with('0') && number.to_string() != text => {
            Some(format!("the octal number {number}"))
        }
        Scalar::Uint(number) if only_digits && digits.starts_with('0') => Some(format!("the octal number {number}")),
        Scalar::Float(number) if only_digits && digits.starts_with('0') => {
            Some(format!("the number {number}, without its leading zero"))
        }
        Scalar::Float(number) if only_digits => Some(format!("the number {number:e}, which has lost digits")),
        Scalar::Float(number) if is_power(digits) => Some(format!("the number {number}, a power of ten")),
        Scalar::Float(number) if is_version(digits) && key().is_some_and(names_version) => {
            Some(format!("the number {number}"))
        }
        _ => None,
    }
}

/// Digits, an `e` and digits, as a commit id can begin: `12e5`.
fn is_power(text: &str) -> bool {
    text.split_once(['e', 'E']).is_some_and(|(base, power)| {
        // `1e3` is how people write a thousand.
        base.len() > 1 && !power.is_empty() && [base, power].iter().all(|p| p.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// A decimal number whose last digit is irrelevant as a number: `1.10`, `1.0`.
fn is_version(text: &str) -> bool {
    text.split_once('.').is_some_and(|(whole, rest)| {
        rest.ends_with('0') && [whole, rest].iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
    })
}

fn names_version(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.ends_with("version") || key.ends_with("versions") || matches!(&*key, "tag" | "image_tag" | "release" | "ref")
}

/// For every node the key that it, or the list that holds it, is the value of.
fn keys(document: &Document) -> Vec<Option<&str>> {
    let mut keys = vec![None; document.len()];
    // Parents come before their children.
    for (id, node) in document.nodes() {
        let own = keys[id.index()];
        let mut set = |child: NodeId, key| keys[child.index()] = key;
        match &node.kind {
            NodeKind::Mapping(pairs) => {
                pairs.iter().for_each(|(key, value)| set(*value, document.scalar(*key).map(|k| &**k)));
            }
            NodeKind::Sequence(items) => items.iter().for_each(|item| set(*item, own)),
            NodeKind::Scalar { .. } | NodeKind::Alias { .. } => {}
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_what_it_looks_like() {
        let cases = [
            ("012345670123", "x", Some("the octal number 1402433619")),
            ("012345678901", "x", Some("the number 12345678901, without its leading zero")),
            ("0123", "x", Some("the octal number 83")),
            ("007", "x", Some("the octal number 7")),
            ("08", "x", Some("the number 8, without its leading zero")),
            ("18446744073709551616", "x", Some("the number 1.8446744073709552e19, which has lost digits")),
            ("12e5", "x", Some("the number 1200000, a power of ten")),
            ("2024-01-01", "x", Some("a date, which becomes an empty map")),
            ("1.10", "engine_version", Some("the number 1.1")),
            ("1.0", "tag", Some("the number 1")),
            ("1.10", "cpu", None),
            ("1.5", "version", None),
            ("0", "x", None),
            ("0.5", "x", None),
            ("10", "x", None),
            ("-1", "x", None),
            ("123456789012", "x", None),
            ("1.5e3", "x", None),
            ("1e3", "x", None),
            ("0x1F", "x", None),
            ("0o17", "x", None),
            ("10.0.0.0/8", "x", None),
            ("12:30", "x", None),
            ("1.2.3", "version", None),
        ];
        for (text, key, expected) in cases {
            assert_eq!(reading(text, || Some(key)).as_deref(), expected, "{key}: {text}");
        }
    }
}
