//! Manifests as text: where the entries of their maps are, and which of them are written alike.

mod members;

pub(crate) use members::{Importers, Writers, has_place, heirs};

use crate::files::{File, Files};
use crate::resolution::Resolution;
use crate::syntax::{Comment, Syntax};
use crate::value::FileId;
use crate::yaml::{Document, NodeId, NodeKind, Style, resolve};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

/// How many keys lead to a component: its section, its type and its name.
const COMPONENT: usize = 3;

/// A file of YAML with its first document.
pub(crate) struct Manifest<'a> {
    pub(crate) id: FileId,
    pub(crate) file: Arc<File>,
    pub(crate) document: &'a Document,
    /// Read at first use.
    comments: OnceCell<Vec<Comment>>,
}

/// An entry of a map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) key: NodeId,
    pub(crate) value: NodeId,
}

/// The manifests of the files that are meant, in the order of their paths: ids depend on the order in which files happened to be
/// read.
pub(crate) fn some<'a>(
    resolution: &'a Resolution,
    files: &Files,
    is_meant: impl Fn(FileId) -> bool,
) -> Vec<Manifest<'a>> {
    let documents = resolution.documents.iter().filter(|(id, _)| is_meant(*id));
    let mut manifests: Vec<_> = documents.map(|(id, document)| Manifest::new(*id, document, files)).collect();
    manifests.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    manifests
}

/// The sections whose entries are components, by type and name.
pub(crate) fn sections(resolution: &Resolution) -> Vec<&'static str> {
    resolution.vocabularies.iter().map(|words| words.components).filter(|section| !section.is_empty()).collect()
}

/// Whether some keys lead to a component.
pub(crate) fn is_component(path: &[&str], sections: &[&str]) -> bool {
    path.len() == COMPONENT && sections.contains(&path[0])
}

impl<'a> Manifest<'a> {
    fn new(id: FileId, document: &'a Document, files: &Files) -> Self {
        Manifest { id, file: files.get(id), document, comments: OnceCell::new() }
    }

    /// The text of the file, which spans point into.
    pub(crate) fn text(&self) -> &str {
        &self.file.text
    }

    /// `stacks/dev.yaml:7`.
    pub(crate) fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.file.path, self.file.line(offset as u32))
    }

    /// The entries of a map; nothing for an alias.
    pub(crate) fn pairs(&self, map: NodeId) -> &'a [(NodeId, NodeId)] {
        match &self.document.node(map).kind {
            NodeKind::Mapping(pairs) => pairs,
            _ => &[],
        }
    }

    /// The keys that lead to the innermost entry at a byte offset, without following lists.
    pub(crate) fn keys_at(&self, offset: usize) -> Vec<String> {
        let (mut keys, mut at) = (Vec::new(), self.document.root());
        while let Some(map) = at {
            let is_here = |(key, value): &&(NodeId, NodeId)| {
                (self.start(*key)..=self.entry_end(Entry { key: *key, value: *value })).contains(&offset)
            };
            let Some((key, value)) = self.pairs(map).iter().find(is_here) else { break };
            let Some(name) = self.document.scalar(*key) else { break };
            keys.push(name.to_string());
            at = (offset > self.end(*key)).then_some(*value);
        }
        keys
    }

    /// The entry that some keys lead to, without following aliases.
    pub(crate) fn entry(&self, keys: &[String]) -> Option<Entry> {
        let mut at = self.document.root()?;
        let mut found = None;
        for key in keys {
            let is_it = |(name, _): &&(NodeId, NodeId)| self.document.scalar(*name).is_some_and(|text| **text == **key);
            let (key, value) = *self.pairs(at).iter().find(is_it)?;
            found = Some(Entry { key, value });
            at = value;
        }
        found
    }

    pub(crate) fn start(&self, node: NodeId) -> usize {
        self.document.node(node).span.start as usize
    }

    /// The end of a node without the white space that it ends with.
    pub(crate) fn end(&self, node: NodeId) -> usize {
        let span = self.document.node(node).span;
        self.file.trimmed_end(span.start, span.end) as usize
    }

    /// The end of an entry: that of its value, or of the colon of an empty one.
    pub(crate) fn entry_end(&self, entry: Entry) -> usize {
        self.end(entry.value).max(self.colon(entry).map_or(0, |colon| colon + 1))
    }

    /// The colon of an entry.
    pub(crate) fn colon(&self, entry: Entry) -> Option<usize> {
        let end = self.end(entry.key);
        let found = end + self.text().get(end..)?.find(':')?;
        self.text()[end..found].trim().is_empty().then_some(found)
    }

    /// The first byte of the line of a place.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text()[..at].rfind('\n').map_or(0, |i| i + 1)
    }

    /// The end of the line of a place, with its line break.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        self.text()[at..].find('\n').map_or(self.text().len(), |i| at + i + 1)
    }

    /// Whether a map is written in braces.
    pub(crate) fn is_flow(&self, map: NodeId) -> bool {
        self.text()[self.start(map)..].starts_with('{')
    }

    /// The first comment in a range of bytes.
    pub(crate) fn comment_in(&self, range: &Range<usize>) -> Option<&Comment> {
        let comments = self.comments.get_or_init(|| Syntax::of(&self.file).comments(""));
        let first = comments.partition_point(|comment| comment.span.start < range.start);
        comments.get(first).filter(|comment| comment.span.start < range.end)
    }

    /// Whether what is written at a node means the same wherever it stands: it has no anchors and refers to none.
    pub(crate) fn is_plain(&self, node: NodeId) -> bool {
        let of = self.document.node(node);
        let within = match &of.kind {
            NodeKind::Alias { .. } => false,
            NodeKind::Scalar { .. } => true,
            NodeKind::Sequence(items) => items.iter().all(|item| self.is_plain(*item)),
            NodeKind::Mapping(pairs) => pairs.iter().all(|(key, value)| self.is_plain(*key) && self.is_plain(*value)),
        };
        within && of.anchor.is_none()
    }

    /// Whether two nodes, which are plain, are the same value.
    pub(crate) fn is_same(&self, node: NodeId, other: &Manifest<'_>, there: NodeId) -> bool {
        let (a, b) = (self.document.node(node), other.document.node(there));
        let tags = [&a.tag, &b.tag].map(|tag| tag.as_ref().map(|tag| &*tag.text));
        if tags[0] != tags[1] {
            return false;
        }
        match (&a.kind, &b.kind) {
            (NodeKind::Scalar { value: x, style: s }, NodeKind::Scalar { value: y, style: t }) => {
                let means = |text: &str, style: Style| resolve(text, style, tags[0]);
                x == y && means(x, *s) == means(y, *t)
            }
            (NodeKind::Sequence(x), NodeKind::Sequence(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(x, y)| self.is_same(*x, other, *y))
            }
            (NodeKind::Mapping(x), NodeKind::Mapping(y)) => {
                let is_pair = |(x, y): (&(NodeId, NodeId), &(NodeId, NodeId))| {
                    self.is_same(x.0, other, y.0) && self.is_same(x.1, other, y.1)
                };
                x.len() == y.len() && x.iter().zip(y).all(is_pair)
            }
            _ => false,
        }
    }
}
