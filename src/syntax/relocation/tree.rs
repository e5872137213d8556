//! The content of a document, without its layout.

use crate::yaml::{Document, NodeId, NodeKind, Style};
use std::collections::HashSet;

/// Deeper documents are not compared.
const MAX_DEPTH: usize = 64;

/// A node with what is nested in it, in the order in which it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// The tag, the text, and whether it was written without quotes.
    Scalar(Option<Box<str>>, Box<str>, bool),
    List(Option<Box<str>>, Vec<Tree>),
    Map(Option<Box<str>>, Vec<(Box<str>, Tree)>),
}

impl Tree {
    /// Returns the tree of a node. `None` if it contains anchors, aliases, keys that are not strings or duplicate keys,
    /// or is too deep.
    pub(super) fn of(document: &Document, id: NodeId) -> Option<Tree> {
        Self::below(document, id, 0)
    }

    fn below(document: &Document, id: NodeId, depth: usize) -> Option<Tree> {
        let node = document.node(id);
        if node.anchor.is_some() || depth > MAX_DEPTH {
            return None;
        }
        let tag = node.tag.as_ref().map(|tag| tag.text.clone());
        Some(match &node.kind {
            NodeKind::Scalar { value, style } => Tree::Scalar(tag, (**value).into(), *style == Style::Plain),
            NodeKind::Sequence(items) => {
                let items: Option<_> = items.iter().map(|item| Self::below(document, *item, depth + 1)).collect();
                Tree::List(tag, items?)
            }
            NodeKind::Mapping(pairs) => {
                let pair = |(key, value): &(NodeId, NodeId)| {
                    let name = document.scalar(*key).filter(|name| &***name != "<<")?;
                    Some((Box::from(&**name), Self::below(document, *value, depth + 1)?))
                };
                let pairs: Vec<(Box<str>, Tree)> = pairs.iter().map(pair).collect::<Option<_>>()?;
                let distinct: HashSet<&str> = pairs.iter().map(|(name, _)| &**name).collect();
                if distinct.len() < pairs.len() {
                    return None;
                }
                Tree::Map(tag, pairs)
            }
            NodeKind::Alias { .. } => return None,
        })
    }

    /// The tree with the entry at a path moved to another one. Maps that nothing is left in go.
    pub(super) fn moved(mut self, from: &[&str], to: &[&str], as_list: bool) -> Option<Tree> {
        let entry = self.take(from)?;
        let entry = match entry {
            Tree::Map(None, pairs) if as_list => Tree::List(None, pairs.into_iter().map(|(_, value)| value).collect()),
            _ if as_list => return None,
            entry => entry,
        };
        self.put(to, entry)?;
        Some(self)
    }

    fn pairs(&mut self) -> Option<&mut Vec<(Box<str>, Tree)>> {
        match self {
            Tree::Map(_, pairs) => Some(pairs),
            _ => None,
        }
    }

    fn take(&mut self, path: &[&str]) -> Option<Tree> {
        let (key, rest) = path.split_first()?;
        let pairs = self.pairs()?;
        let at = pairs.iter().position(|(name, _)| &**name == *key)?;
        if rest.is_empty() {
            return Some(pairs.remove(at).1);
        }
        let taken = pairs[at].1.take(rest)?;
        if pairs[at].1.pairs().is_some_and(|pairs| pairs.is_empty()) {
            pairs.remove(at);
        }
        Some(taken)
    }

    fn put(&mut self, path: &[&str], entry: Tree) -> Option<()> {
        let (key, rest) = path.split_first()?;
        let pairs = self.pairs()?;
        let known = pairs.iter_mut().find(|(name, _)| &**name == *key);
        match (known, rest.is_empty()) {
            (Some(_), true) => None,
            (Some((_, inner)), false) => inner.put(rest, entry),
            (None, true) => {
                pairs.push((Box::from(*key), entry));
                Some(())
            }
            (None, false) => {
                let mut inner = Tree::Map(None, Vec::new());
                inner.put(rest, entry)?;
                pairs.push((Box::from(*key), inner));
                Some(())
            }
        }
    }

    /// The tree with all maps sorted by their keys.
    pub(super) fn sorted(self) -> Tree {
        match self {
            Tree::Map(tag, pairs) => {
                let mut pairs: Vec<_> = pairs.into_iter().map(|(name, value)| (name, value.sorted())).collect();
                pairs.sort_by(|a, b| a.0.cmp(&b.0));
                Tree::Map(tag, pairs)
            }
            Tree::List(tag, items) => Tree::List(tag, items.into_iter().map(Tree::sorted).collect()),
            scalar => scalar,
        }
    }
}
