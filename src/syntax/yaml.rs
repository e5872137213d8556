//! The structure of files of YAML.

use super::Comment;
use super::secrets::{self, Masks};
use crate::text::Text;
use crate::yaml::{Document, NodeId, NodeKind, Span, document_of, documents_of};
use std::sync::OnceLock;

/// A file of YAML: its first document, if it can be parsed, and where the secrets of all of them are.
#[derive(Debug)]
pub(crate) struct Source {
    text: Text,
    document: Option<Document>,
    masks: OnceLock<Option<Masks>>,
}

impl Source {
    /// Reads a text.
    pub(crate) fn read(text: &Text) -> Self {
        Source { text: Text::clone(text), document: document_of(Text::clone(text)).ok(), masks: OnceLock::new() }
    }

    /// The document; `None` if the text cannot be parsed.
    pub(crate) fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// Where its secrets are; `None` if its documents do not say so.
    pub(super) fn masks(&self) -> Option<&Masks> {
        let read = || match &self.document {
            Some(_) if self.text.contains("\n---") => {
                let all = documents_of(Text::clone(&self.text)).ok()?;
                let parts: Vec<Masks> = all.iter().filter_map(|one| secrets::yaml_masks(one, &self.text)).collect();
                (!parts.is_empty()).then(|| Masks::of_all(parts.into_iter()))
            }
            Some(document) => secrets::yaml_masks(document, &self.text),
            None => secrets::yaml_masks(&document_of(without_actions(&self.text).into()).ok()?, &self.text),
        };
        self.masks.get_or_init(read).as_ref()
    }
}

/// A template with other text of the same length in place of its actions: spaces if they have lines of their own.
fn without_actions(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let (before, action) = rest.split_at(start);
        let end = action.find("}}").map_or(action.len(), |end| end + 2);
        let is_first = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
            && (before.contains('\n') || plain.is_empty() || plain.ends_with(' '));
        let next = action[end..].trim_start_matches([' ', '\t', '\r']);
        let is_alone = is_first && (next.is_empty() || next.starts_with(['\n', '#']) || next.starts_with("{{"));
        plain.push_str(before);
        plain.extend(action[..end].bytes().map(|byte| match byte {
            b'\n' => '\n',
            _ if is_alone => ' ',
            _ => 'x',
        }));
        rest = &action[end..];
    }
    plain.push_str(rest);
    plain
}

/// Longer names of list items are not used, in bytes.
const MAX_NAME: usize = 200;
/// Keys that identify the items of a list of maps.
pub(super) const NAMES: [&str; 5] = ["name", "path", "component", "id", "key"];

/// Returns the keys that lead to a byte offset of a document, joined with `.`.
pub(super) fn path_at(document: &Document, offset: u32) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = document.root();
    while let Some(id) = at {
        at = match &document.node(id).kind {
            NodeKind::Mapping(pairs) => {
                let first = document.node(id).span.start;
                let last = pairs.partition_point(|(key, _)| document.node(*key).span.start <= offset);
                let pair = last.checked_sub(1).map(|i| pairs[i]).filter(|_| offset >= first);
                pair.map(|(key, value)| {
                    parts.push(document.scalar(key).map_or_else(|| "?".to_owned(), |k| k.to_string()));
                    value
                })
            }
            NodeKind::Sequence(items) => {
                let last = items.partition_point(|item| document.node(*item).span.start <= offset);
                last.checked_sub(1).map(|i| {
                    parts.push(format!("[{}]", item_name(document, items[i]).unwrap_or_else(|| i.to_string())));
                    items[i]
                })
            }
            NodeKind::Scalar { .. } | NodeKind::Alias { .. } => None,
        }
        .filter(|next| document.node(*next).span.start <= offset);
    }
    parts.join(".")
}

/// Returns the name of a list item: its text, or that of a key that names it.
fn item_name(document: &Document, item: NodeId) -> Option<String> {
    let named = || NAMES.iter().find_map(|n| document.scalar(document.get(item, n)?));
    document.scalar(item).or_else(named).filter(|t| t.len() <= MAX_NAME).map(|t| t.to_string())
}

/// The comments that begin with a mark: a `#` at the start of a line or after white space, outside of any scalar. Only the
/// first one of a line counts. A comment reaches to the end of its line.
pub(super) fn comments(text: &str, document: Option<&Document>, mark: &str) -> Vec<Comment> {
    let mut scalars: Option<Vec<Span>> = None;
    let mut is_in_scalar = |offset: usize| {
        let scalars = scalars.get_or_insert_with(|| document.map_or_else(Vec::new, scalar_spans));
        let before = scalars.partition_point(|span| span.start as usize <= offset);
        before.checked_sub(1).is_some_and(|i| offset < scalars[i].end as usize)
    };
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let at = content.match_indices('#').map(|(at, _)| at).find(|at| {
            let before = content[..*at].chars().next_back();
            before.is_none_or(char::is_whitespace)
                && content[at + 1..].trim_start().starts_with(mark)
                && !is_in_scalar(start + at)
        });
        if let Some(at) = at {
            let end = start + content.len();
            found.push(Comment { span: start + at..end, body: start + at + 1..end });
        }
        start += line.len();
    }
    found
}

/// The spans of all scalars that have text, by their start.
fn scalar_spans(document: &Document) -> Vec<Span> {
    let scalars = document.nodes().filter(|(_, node)| matches!(node.kind, NodeKind::Scalar { .. }));
    let mut spans: Vec<Span> = scalars.map(|(_, node)| node.span).filter(|span| span.start < span.end).collect();
    spans.sort_by_key(|span| span.start);
    spans
}

/// The lines that are neither blank nor only a comment.
pub(super) fn content_lines(text: &str) -> Vec<u32> {
    let has_content = |line: &str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let numbered = (1..).zip(text.split('\n'));
    numbered.filter(|(_, line)| has_content(line)).map(|(number, _)| number).collect()
}

/// Whether a byte offset is inside of a scalar.
pub(super) fn is_within_text(document: &Document, offset: u32) -> bool {
    let holds = |span: Span| span.start < offset && offset < span.end;
    document.nodes().any(|(_, node)| matches!(node.kind, NodeKind::Scalar { .. }) && holds(node.span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::document_of;

    fn path(text: &str, at: &str) -> String {
        path_at(&document_of(text.into()).unwrap(), text.find(at).unwrap() as u32)
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
