//! Whether a file has only attributes and blocks that there are, and all that are required.

use crate::dialects::terragrunt::file::File;
use crate::dialects::terragrunt::rules;
use crate::dialects::terragrunt::schema::{BlockType, Labels, Others, Times};
use crate::dialects::terragrunt::session::Session;
use crate::hcl::ast::{Block, Body, Span};
use crate::text::nearest;
use std::collections::BTreeSet;

/// Arguments that Terragrunt 1.0 removed, and what replaces them.
const REMOVED: [(&str, &str); 4] = [
    ("skip", "Terragrunt 1.0 removed it: use an exclude block"),
    ("retryable_errors", "Terragrunt 1.0 removed it: use an errors block with a retry block"),
    ("retry_max_attempts", "Terragrunt 1.0 removed it: use an errors block with a retry block"),
    ("retry_sleep_interval_sec", "Terragrunt 1.0 removed it: use an errors block with a retry block"),
];

/// Reports what is wrong in the structure of a block.
pub(in crate::dialects::terragrunt) fn body(session: &Session<'_>, file: &File, body: &Body, kind: &BlockType) {
    let report = |message: String, span: Span| session.error(&rules::INVALID_BLOCK, message, (file.id, span));
    let mut seen = BTreeSet::new();
    for attribute in &body.attributes {
        let name = &*attribute.name.text;
        if !seen.insert(name) {
            let message = format!("attribute redefined: the argument \"{name}\" was already set");
            report(message, attribute.name.span);
        }
        if kind.others == Others::Refused && kind.attribute(name).is_none() {
            let known = kind.attributes.iter().map(|attribute| attribute.name);
            let message = match (kind.block(name), nearest(name, known)) {
                (Some(_), _) => {
                    format!("unsupported argument: \"{name}\" is a block: write it without the equals sign")
                }
                (None, Some(near)) => format!(
                    "unsupported argument: an argument named \"{name}\" is not expected here; did you mean \"{near}\"?"
                ),
                (None, None) => format!("unsupported argument: an argument named \"{name}\" is not expected here"),
            };
            let finding = session.finding(&rules::INVALID_BLOCK, message, (file.id, attribute.name.span)).breaking();
            let removed = REMOVED.iter().find(|(old, _)| *old == name);
            session.report(removed.into_iter().fold(finding, |finding, (_, help)| finding.help(*help)));
        }
    }
    let mut once: BTreeSet<(&str, &str)> = BTreeSet::new();
    for block in &body.blocks {
        let name = &*block.kind.text;
        let Some(inner) = kind.block(name) else {
            if kind.others == Others::Ignored {
                continue;
            }
            let known = kind.blocks.iter().map(|block| block.name);
            let hint = nearest(name, known).map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
            report(
                format!("unsupported block type: blocks of type \"{name}\" are not expected here{hint}"),
                block.kind.span,
            );
            continue;
        };
        labels(block, inner, &report);
        let label = block.label(0).map_or("", |label| &**label);
        let key = match inner.times {
            Times::Once => Some((name, "")),
            Times::OncePerLabel => Some((name, label)),
            Times::Many => None,
        };
        if key.is_some_and(|key| !once.insert(key)) {
            let what =
                if inner.times == Times::Once { format!("{name} block") } else { format!("{name} block \"{label}\"") };
            report(format!("a second {what}: only one is allowed"), block.header());
        }
        self::body(session, file, &block.body, inner);
        for required in inner.attributes.iter().filter(|a| a.is_required && block.body.get(a.name).is_none()) {
            let message =
                format!("missing required argument: \"{}\" is required, but no definition was found", required.name);
            report(message, brace(block));
        }
    }
}

/// The opening brace of a block, where a missing argument is reported.
fn brace(block: &Block) -> Span {
    Span { start: block.body.span.start, end: block.body.span.start + 1 }
}

fn labels(block: &Block, kind: &BlockType, report: &dyn Fn(String, Span)) {
    let (least, most) = match kind.labels {
        Labels::None => (0, 0),
        Labels::Optional => (0, 1),
        Labels::One => (1, 1),
    };
    let name = &block.kind.text;
    if block.labels.len() < least {
        report(format!("missing name for {name}: all {name} blocks must have a label (name)"), brace(block));
    }
    if let Some(extra) = block.labels.get(most) {
        report(format!("extraneous label for {name}: only {most} labels are expected"), extra.span);
    }
}
