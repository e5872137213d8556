//! `extra-document`: a file contains more than one document.

use crate::diagnostic::{Diagnostic, Label};
use crate::rules::{Context, rule};

rule!(EXTRA_DOCUMENT, "extra-document", Suspicious, "0.1.0", "only the first YAML document of a file is read");

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let extra = context.documents().filter(|(_, document)| document.extra_documents);
    extra
        .map(|(file, document)| {
            let end = document.root().map_or(0, |root| document.node(root).span.end) as usize;
            let text = document.text();
            let mark = text.get(end..).and_then(|rest| rest.find("\n---")).map_or(end, |at| end + at + 1);
            let label = Label::new(file, mark as u32, (mark + 3).min(text.len()) as u32, "");
            Diagnostic::new(
                &EXTRA_DOCUMENT,
                "only the first YAML document of a file is read: this one is ignored",
                label,
            )
            .help("move it to its own file")
            .token("---")
        })
        .collect()
}
