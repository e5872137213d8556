//! The arena tree a YAML document is read into.

use shared_text::Text;
use std::sync::OnceLock;

pub use super::events::Style;

/// A range of bytes in the decoded text of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A place as people count: both numbers begin at 1, columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1. A byte order mark does not count.
    pub column: u32,
}

/// Index of a node in its document. Nodes are numbered in reading order, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Its number, as an index into side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An explicit tag in short form: `!env`, `!!int`, or the non-specific `!`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The tag; `tag:yaml.org,2002:` is shortened to `!!`.
    pub text: Box<str>,
    /// Its place.
    pub span: Span,
}

/// The kind of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A scalar with its text after unescaping and folding.
    Scalar {
        /// The text. Equal keys of one document share one allocation.
        value: Text,
        /// How it was written.
        style: Style,
    },
    /// A list.
    Sequence(Box<[NodeId]>),
    /// A map in written order, duplicates and merge keys included.
    Mapping(Box<[(NodeId, NodeId)]>),
    /// `*name`; the name is the target's anchor.
    Alias {
        /// The anchored node, never one that contains this alias.
        target: NodeId,
    },
}

/// One node of the tree. It is kept small, because rules read all nodes of all documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its kind.
    pub kind: NodeKind,
    /// The explicit tag.
    pub tag: Option<Box<Tag>>,
    /// The anchor's name, without `&`.
    pub anchor: Option<Text>,
    /// The content without tag and anchor. Block collections span from their first key or dash to the end of their
    /// last value; an empty value has an empty span.
    pub span: Span,
}

/// The first document of a YAML text.
#[derive(Debug)]
pub struct Document {
    pub(super) nodes: Vec<Node>,
    pub(super) root: Option<NodeId>,
    /// More follows the first document. It is neither read nor checked.
    pub extra_documents: bool,
    pub(super) text: Text,
    pub(super) lines: OnceLock<Vec<u32>>,
}

impl Document {
    /// The root node; `None` when the text holds no document at all (empty, or comments only), which is something
    /// else than a document that holds null.
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// The node behind an id of this document.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Every node in reading order with its id.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId(index as u32), node))
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes, because the text has no document.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Follows an alias to its target; any other node is its own target.
    pub fn target(&self, id: NodeId) -> NodeId {
        let mut id = id;
        // Targets are read before their aliases, so this walks strictly backwards.
        while let NodeKind::Alias { target } = self.node(id).kind {
            id = target;
        }
        id
    }

    /// The text of a scalar, not following aliases.
    pub fn scalar(&self, id: NodeId) -> Option<&Text> {
        match &self.node(id).kind {
            NodeKind::Scalar { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The value of the first plain `key` in the map `id` (aliases followed, merge keys not expanded).
    pub fn get(&self, id: NodeId, key: &str) -> Option<NodeId> {
        let NodeKind::Mapping(pairs) = &self.node(self.target(id)).kind else { return None };
        pairs.iter().find(|(name, _)| self.scalar(*name).is_some_and(|text| &**text == key)).map(|&(_, value)| value)
    }

    /// The decoded text all spans point into. A UTF-8 byte order mark is part of it.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Returns line and column of a byte offset; for offsets past the end, those of the end.
    pub fn position(&self, offset: u32) -> Position {
        locate(&self.text, self.lines.get_or_init(|| line_starts(&self.text)), offset)
    }
}

/// Byte offsets at which lines begin; lines end with LF, CRLF or a lone CR.
pub(super) fn line_starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (index, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' || (byte == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
            starts.push(index as u32 + 1);
        }
    }
    starts
}

pub(super) fn locate(text: &str, starts: &[u32], offset: u32) -> Position {
    let mut offset = (offset as usize).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let line = starts.partition_point(|&start| start as usize <= offset).max(1);
    let before = &text[starts[line - 1] as usize..offset];
    let column = before.strip_prefix('\u{feff}').filter(|_| line == 1).unwrap_or(before).chars().count() + 1;
    Position { line: line as u32, column: column as u32 }
}
