//! The blocks around a place, and the outline of a file.

use super::{Entry, Source};
use crate::hcl::ast::{Body, Span};
use crate::hcl::parse::{Layout, parse_body};
use crate::text::Text;
use crate::threads::with_deep_stack;

/// Returns the types and labels of the blocks around a byte offset, outermost first. The word before the offset is
/// ignored, so that an incomplete argument does not break the file.
pub(crate) fn blocks_at(text: &str, offset: usize, typed: usize) -> Vec<String> {
    around(text, offset, typed).0
}

/// Returns the name of the argument whose value is around a byte offset, also if the value is not there yet. The word before the
/// offset is ignored.
pub(crate) fn argument_at(text: &str, offset: usize, typed: usize) -> Option<String> {
    let line = text[..offset - typed].rsplit('\n').next().unwrap_or_default();
    let begun = || {
        let (name, _) = line.split_once('=')?;
        let name = name.trim();
        (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')).then(|| name.to_owned())
    };
    around(text, offset, typed).1.or_else(begun)
}

/// The blocks around a place, and the argument.
fn around(text: &str, offset: usize, typed: usize) -> (Vec<String>, Option<String>) {
    let mut whole = text.to_owned();
    whole.replace_range(offset - typed..offset, &" ".repeat(typed));
    with_deep_stack(|| {
        let mut found = Vec::new();
        let parsed = parse_body(&whole, Layout::Lenient);
        let mut body: &Body = &parsed.body;
        let holds = |span: Span| (span.start as usize) < offset && offset < span.end as usize;
        while let Some(block) = body.blocks.iter().find(|block| holds(block.body.span)) {
            found.push(block.kind.text.to_string());
            found.extend(block.labels.iter().map(|label| label.text.to_string()));
            body = &block.body;
        }
        let argument = body.attributes.iter().find(|attribute| holds(attribute.expr.span));
        (found, argument.map(|attribute| attribute.name.text.to_string()))
    })
}

/// Returns the blocks, arguments, keys and list items of a file, in the order of the text, parents before children.
pub(crate) fn outline(text: &Text) -> Vec<Entry> {
    Source::read(text).entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_around_a_place() {
        let text = "terraform {\n  backend \"s3\" {\n    bu\n  }\n}\nmodule \"a\" {\n  so\n}\n";
        let at = |needle: &str| {
            let end = text.find(needle).unwrap() + needle.len();
            blocks_at(text, end, needle.len()).join(" ")
        };
        assert_eq!(at("bu"), "terraform backend s3");
        assert_eq!(at("so"), "module a");
        assert_eq!(at("terraf"), "");
        let list = "resource \"a\" \"b\" {\n  depends_on = [\n    a.c,\n    mo\n  ]\n  provider = \n}\n";
        let within = |needle: &str, typed: usize| argument_at(list, list.find(needle).unwrap() + needle.len(), typed);
        assert_eq!(within("    mo", 2).as_deref(), Some("depends_on"));
        assert_eq!(within("[", 0).as_deref(), Some("depends_on"));
        assert_eq!(within("provider = ", 0).as_deref(), Some("provider"));
        assert_eq!(within("  ]\n  pro", 3), None);
        let open = "module \"a\" {\n  so";
        assert_eq!(blocks_at(open, open.len(), 2).join(" "), "module a");
    }
}
