//! Problems that go-yaml's decoder rejects in a document that its parser accepts.

use std::collections::HashMap;

use super::node::{Document, Node, NodeId, NodeKind, Span, Style};
use super::scalar;

/// The kinds of decode-level problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// A key is written twice in one map (compared as text: `80` and `"80"` are the same key).
    DuplicateKey,
    /// A list or a map as a key.
    InvalidKey,
    /// A merge key whose value is not a map, alias of a map or list of those.
    BadMerge,
    /// A core tag on text it does not suit.
    BadScalar,
    /// Larger or deeper than the decoder's limit; the reference has no such limit.
    BeyondLimit,
}

/// One decode-level problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// go-yaml's wording, without its `line N: ` prefix.
    pub message: String,
    /// The culprit.
    pub span: Span,
    /// For a duplicate key, the first occurrence.
    pub related: Option<Span>,
}

/// Below this many keys comparing all pairs beats hashing.
const FEW_KEYS: usize = 12;

/// All decode-level problems in reading order. A key written three times is reported twice, each time against the
/// first.
pub fn problems(document: &Document) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut key_end = 0;
    for (_, node) in document.nodes() {
        match &node.kind {
            NodeKind::Scalar { value, style } => bad_scalar(node, value, *style, &mut found),
            NodeKind::Mapping(pairs) => {
                duplicates(document, pairs, &mut found);
                for &(key, value) in pairs {
                    // Templates nest: `{{ .x }}` is a map with a map as its key. One report is enough.
                    if document.node(key).span.start >= key_end && entry(document, key, value, &mut found) {
                        key_end = document.node(key).span.end;
                    }
                }
            }
            NodeKind::Sequence(_) | NodeKind::Alias { .. } => {}
        }
    }
    found.sort_by_key(|problem| problem.span);
    found
}

/// Whether the node is a merge key: `<<` unquoted, or tagged as one.
pub fn is_merge_key(document: &Document, key: NodeId) -> bool {
    let node = document.node(key);
    let NodeKind::Scalar { value, style } = &node.kind else { return false };
    &**value == "<<"
        && match node.tag.as_ref().map(|tag| &*tag.text) {
            Some("!!merge") => true,
            None | Some("!") => *style == Style::Plain,
            Some(_) => false,
        }
}

fn bad_scalar(node: &Node, value: &str, style: Style, found: &mut Vec<Problem>) {
    let Some(tag) = &node.tag else { return };
    if let Err(message) = scalar::resolve(value, style, Some(&tag.text)) {
        let span = Span { start: tag.span.start.min(node.span.start), end: node.span.end };
        found.push(Problem { kind: ProblemKind::BadScalar, message, span, related: None });
    }
}

/// The identity of a key: kind and text, where collections have no text and aliases are their names.
#[derive(PartialEq, Eq, Hash)]
struct Identity<'d>(u8, &'d str);

fn identity(document: &Document, key: NodeId) -> Identity<'_> {
    match &document.node(key).kind {
        NodeKind::Scalar { value, .. } => Identity(0, value),
        NodeKind::Sequence(_) => Identity(1, ""),
        NodeKind::Mapping(_) => Identity(2, ""),
        NodeKind::Alias { target } => Identity(3, document.node(*target).anchor.as_deref().unwrap_or_default()),
    }
}

fn duplicates(document: &Document, pairs: &[(NodeId, NodeId)], found: &mut Vec<Problem>) {
    let mut report = |first: NodeId, second: NodeId| {
        let (first, span) = (document.node(first).span, document.node(second).span);
        let line = document.position(first.start).line;
        let message = format!("mapping key {} already defined at line {line}", quote(identity(document, second).1));
        found.push(Problem { kind: ProblemKind::DuplicateKey, message, span, related: Some(first) });
    };
    if pairs.len() <= FEW_KEYS {
        for (index, &(second, _)) in pairs.iter().enumerate() {
            let same = |first: &&(NodeId, NodeId)| identity(document, first.0) == identity(document, second);
            if let Some(&(first, _)) = pairs[..index].iter().find(same) {
                report(first, second);
            }
        }
        return;
    }
    let mut seen = HashMap::with_capacity(pairs.len());
    for &(key, _) in pairs {
        let first = *seen.entry(identity(document, key)).or_insert(key);
        if first != key {
            report(first, key);
        }
    }
}

/// Checks one pair; returns `true` if its key cannot be a key.
fn entry(document: &Document, key: NodeId, value: NodeId, found: &mut Vec<Problem>) -> bool {
    if is_merge_key(document, key) {
        let map = |id: NodeId| matches!(document.node(document.target(id)).kind, NodeKind::Mapping(_));
        let good = match &document.node(value).kind {
            NodeKind::Sequence(items) => items.iter().all(|&item| map(item)),
            _ => map(value),
        };
        if !good {
            found.push(Problem {
                kind: ProblemKind::BadMerge,
                message: "map merge requires map or sequence of maps as the value".to_owned(),
                span: document.node(value).span,
                related: None,
            });
        }
        return false;
    }
    let keyed = document.node(document.target(key));
    let kind = match keyed.kind {
        NodeKind::Sequence(_) => "!!seq",
        NodeKind::Mapping(_) => "!!map",
        _ => return false,
    };
    let message = match document.root().is_some_and(|root| has_key(document, root, key)) {
        // The root is decoded into a map with string keys.
        true => format!("cannot unmarshal {kind} into string"),
        false => "invalid map key".to_owned(),
    };
    let span = document.node(key).span;
    found.push(Problem { kind: ProblemKind::InvalidKey, message, span, related: None });
    true
}

fn has_key(document: &Document, map: NodeId, key: NodeId) -> bool {
    matches!(&document.node(map).kind, NodeKind::Mapping(pairs)
        if pairs.binary_search_by_key(&key, |pair| pair.0).is_ok())
}

/// Go's `%#v` of a string, near enough for a message: backslashes, quotes and control characters escaped.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ if char.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(char))),
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn found(text: &str) -> Vec<(ProblemKind, String)> {
        problems(&parse(text.as_bytes()).unwrap()).into_iter().map(|problem| (problem.kind, problem.message)).collect()
    }

    #[test]
    fn decode_problems() {
        use ProblemKind::{BadMerge, BadScalar, DuplicateKey, InvalidKey};
        for (text, kind, message) in [
            ("a: 1\nb: 2\na: 3\n", DuplicateKey, "mapping key \"a\" already defined at line 1"),
            ("m:\n  80: a\n  \"80\": b\n", DuplicateKey, "mapping key \"80\" already defined at line 2"),
            ("<<: {}\n<<: {}\n", DuplicateKey, "mapping key \"<<\" already defined at line 1"),
            ("a: {{ .x }}\n", InvalidKey, "invalid map key"),
            ("{{ .x }}: 1\n", InvalidKey, "cannot unmarshal !!map into string"),
            ("m: {<<: 1}\n", BadMerge, "map merge requires map or sequence of maps as the value"),
            ("a: &a x\nm: {<<: [{}, *a]}\n", BadMerge, "map merge requires map or sequence of maps as the value"),
            ("a: !!int x\n", BadScalar, "cannot decode !!str `x` as a !!int"),
        ] {
            assert_eq!(found(text), [(kind, message.to_owned())], "{text}");
        }
        for text in ["a: 1\nA: 1\n", "0x10: a\n16: b\n", "\"<<\": 1\n", "a: <<\n", "a: &m {}\nb: {<<: *m}\n", ""] {
            assert_eq!(found(text), [], "{text}");
        }
        let many: String = (0..40).map(|key| format!("k{}: 1\n", key % 39)).collect();
        assert_eq!(found(&many).len(), 1);
    }
}
