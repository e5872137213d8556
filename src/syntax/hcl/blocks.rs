//! The blocks around a place, and the outline of a file.

use super::{Entry, Source};
use crate::hcl::ast::Body;
use crate::hcl::parse::{Layout, parse_body};
use crate::text::Text;
use crate::threads::with_deep_stack;

/// Returns the types and labels of the blocks around a byte offset, outermost first. The word before the offset is
/// ignored, so that an incomplete argument does not break the file.
pub(crate) fn blocks_at(text: &str, offset: usize, typed: usize) -> Vec<String> {
    let mut whole = text.to_owned();
    whole.replace_range(offset - typed..offset, &" ".repeat(typed));
    with_deep_stack(|| {
        let mut found = Vec::new();
        let parsed = parse_body(&whole, Layout::Lenient);
        let mut body: &Body = &parsed.body;
        let holds = |body: &Body| (body.span.start as usize) < offset && offset < body.span.end as usize;
        while let Some(block) = body.blocks.iter().find(|block| holds(&block.body)) {
            found.push(block.kind.text.to_string());
            found.extend(block.labels.iter().map(|label| label.text.to_string()));
            body = &block.body;
        }
        found
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
        let open = "module \"a\" {\n  so";
        assert_eq!(blocks_at(open, open.len(), 2).join(" "), "module a");
    }
}
