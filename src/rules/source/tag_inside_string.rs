//! `tag-inside-string`: a YAML function in the middle of text stays text.

use super::plain_values;
use crate::diagnostic::{Diagnostic, Label};
use crate::rules::{Context, rule};

rule!(
    TAG_INSIDE_STRING,
    "tag-inside-string",
    Suspicious,
    "0.1.0",
    "a YAML function in the middle of a text is not called"
);

/// Functions that are written inside of text by mistake. The name must be followed by the end of the text or by what
/// cannot be part of it.
const FUNCTIONS: [&str; 12] = [
    "!aws.account_id",
    "!aws.region",
    "!env",
    "!exec",
    "!git.sha",
    "!include",
    "!repo-root",
    "!store",
    "!store.get",
    "!template",
    "!terraform.output",
    "!terraform.state",
];

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (file, document) in context.documents() {
        for (_, text, span) in plain_values(document) {
            if !text.contains('!') || text.contains('\n') {
                continue;
            }
            let Some((at, name)) = inside(text) else { continue };
            // The text and the file agree byte for byte where the scalar is plain and of one line.
            let source = document.text().get(span.start as usize..span.end as usize);
            let at = source.and_then(|source| source.find(name)).unwrap_or(at) as u32;
            let label = Label::new(file, span.start + at, span.start + at + name.len() as u32, "");
            let finding = Diagnostic::new(
                &TAG_INSIDE_STRING,
                format!("`{name}` is not called here: a function must be the whole value"),
                label,
            );
            found.push(finding.help(
                "put the call into a value of its own (`settings`, say) and refer to it in a template: `{{ .settings.name }}`",
            ));
        }
    }
    found
}

/// Where a function stands inside of a text, not at its start.
fn inside(text: &str) -> Option<(usize, &'static str)> {
    let longest = |at: usize| FUNCTIONS.iter().rev().find(|name| text[at..].starts_with(**name)).copied();
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
            ("dev.!aws.account_id.example.net", Some("!aws.account_id")),
            ("arn:aws:iam::!env ACCOUNT", Some("!env")),
            ("prefix !terraform.output vpc id", Some("!terraform.output")),
            ("a-!store.get x", Some("!store.get")),
            ("!env HOME", None),
            ("hello!env", None),
            ("what !environment is this", None),
            ("wow!", None),
        ] {
            assert_eq!(inside(text).map(|f| f.1), expected, "{text}");
        }
    }
}
