//! Rules about the text of a file.

pub(super) mod ambiguous_scalar;
pub(super) mod extra_document;
pub(super) mod secret_in_plain_text;
pub(super) mod tag_inside_string;

use super::{Check, Checked};

use crate::yaml::{Document, NodeId, NodeKind, Span, Style};

/// Plain scalars without a tag that are values (not keys), with their spans.
fn plain_values(document: &Document) -> impl Iterator<Item = (NodeId, &str, Span)> {
    let mut is_key = vec![false; document.len()];
    for (_, node) in document.nodes() {
        if let NodeKind::Mapping(pairs) = &node.kind {
            pairs.iter().for_each(|(key, _)| is_key[key.index()] = true);
        }
    }
    document.nodes().filter_map(move |(id, node)| match &node.kind {
        NodeKind::Scalar { value, style: Style::Plain } if node.tag.is_none() && !is_key[id.index()] => {
            Some((id, &**value, node.span))
        }
        _ => None,
    })
}

/// The checks of this group.
pub(super) static CHECKS: &[Checked] = &[
    (&ambiguous_scalar::AMBIGUOUS_SCALAR, Check::State(ambiguous_scalar::check)),
    (&extra_document::EXTRA_DOCUMENT, Check::State(extra_document::check)),
    (&secret_in_plain_text::SECRET_IN_PLAIN_TEXT, Check::State(secret_in_plain_text::check)),
    (&tag_inside_string::TAG_INSIDE_STRING, Check::State(tag_inside_string::check)),
];
