//! The document that an expression works on: nodes in one arena, because expressions change them in place.

use super::scalar;
use super::{QueryError, R};
use go_compat::strconv::yaml_float;
use std::cell::Cell;
use std::rc::Rc;
use traced_value::{Data, Value};

/// A node of the arena.
pub(super) type Id = usize;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Map,
    List,
    Scalar,
}

/// How a scalar was written; seen only in text made from a part of the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Style {
    #[default]
    Plain,
    Double,
    Single,
    Literal,
}

/// A node. The content of a map is keys and values in turn.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) tag: Rc<str>,
    pub(super) text: Rc<str>,
    pub(super) style: Style,
    pub(super) content: Vec<Id>,
    pub(super) parent: Option<Id>,
    pub(super) key: Option<Id>,
    pub(super) is_key: bool,
}

/// All nodes made so far, and the steps that are left. A step is a node made, read or compared, or 16 bytes of text.
#[derive(Debug)]
pub(super) struct Arena {
    nodes: Vec<Node>,
    written: usize,
    left: Cell<u64>,
}

const MAX_NODES: usize = 1_000_000;
/// Bytes of text that are one step.
pub(super) const TEXT_STEP: usize = 16;
/// Bytes of new text.
pub(super) const MAX_TEXT: usize = 32 << 20;
/// Deeper trees are not worked on; a real document is far from it.
pub(super) const MAX_DEPTH: usize = 200;

pub(super) fn too_much<T>() -> R<T> {
    Err(QueryError::Unsupported("work of this size".to_owned()))
}

impl Arena {
    pub(super) fn new(left: u64) -> Self {
        Arena { nodes: Vec::new(), written: 0, left: Cell::new(left) }
    }

    pub(super) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Counts steps; whoever may repeat them without end has to [`take`](Self::take) them.
    pub(super) fn spend(&self, steps: usize) {
        self.left.set(self.left.get().saturating_sub(steps as u64));
    }

    /// Counts steps; fails if none is left.
    pub(super) fn take(&self, steps: usize) -> R<()> {
        self.spend(steps);
        if self.left.get() == 0 { Err(QueryError::TooMuch) } else { Ok(()) }
    }

    /// [`fits`] of the texts of two nodes.
    pub(super) fn fits(&self, name: Id, pattern: Id) -> R<bool> {
        let (name, pattern) = (self.text(name), self.text(pattern));
        let rounds = if pattern.contains('*') { pattern.len() } else { 1 };
        self.take(1 + (name.len() / TEXT_STEP).saturating_mul(rounds))?;
        Ok(fits(name, pattern))
    }

    pub(super) fn get(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    pub(super) fn get_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id]
    }

    pub(super) fn tag(&self, id: Id) -> &str {
        &self.nodes[id].tag
    }

    pub(super) fn text(&self, id: Id) -> &str {
        &self.nodes[id].text
    }

    pub(super) fn kind(&self, id: Id) -> Kind {
        self.nodes[id].kind
    }

    pub(super) fn content(&self, id: Id) -> &[Id] {
        &self.nodes[id].content
    }

    pub(super) fn is_null(&self, id: Id) -> bool {
        &*self.nodes[id].tag == "!!null"
    }

    pub(super) fn push(&mut self, node: Node) -> R<Id> {
        if self.nodes.len() >= MAX_NODES {
            return too_much();
        }
        self.take(1)?;
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    pub(super) fn make(&mut self, kind: Kind, tag: &str, text: &str) -> R<Id> {
        self.written += text.len();
        self.spend(text.len() / TEXT_STEP);
        if self.written > MAX_TEXT {
            return too_much();
        }
        self.push(Node {
            kind,
            tag: tag.into(),
            text: text.into(),
            style: Style::Plain,
            content: Vec::new(),
            parent: None,
            key: None,
            is_key: false,
        })
    }

    pub(super) fn scalar(&mut self, tag: &str, text: &str) -> R<Id> {
        self.make(Kind::Scalar, tag, text)
    }

    /// A node in the place of `id`.
    pub(super) fn replacement(&mut self, id: Id, kind: Kind, tag: &str, text: &str) -> R<Id> {
        let new = self.make(kind, tag, text)?;
        self.put_in_place(id, new);
        Ok(new)
    }

    fn put_in_place(&mut self, id: Id, new: Id) {
        let old = &self.nodes[id];
        let (parent, key) = (old.parent, if old.is_key { Some(id) } else { old.key });
        self.nodes[new].parent = parent;
        self.nodes[new].key = key;
    }

    /// A copy of `new` in the place of `id`.
    pub(super) fn copy_in_place(&mut self, id: Id, new: Id) -> R<Id> {
        let copy = self.copy(new)?;
        self.put_in_place(id, copy);
        Ok(copy)
    }

    pub(super) fn copy(&mut self, id: Id) -> R<Id> {
        self.copy_at(id, 0)
    }

    fn copy_at(&mut self, id: Id, depth: usize) -> R<Id> {
        if depth > MAX_DEPTH {
            return too_much();
        }
        let clone = self.copy_bare(id)?;
        let content = self.nodes[id].content.clone();
        self.add_at(clone, &content, depth)?;
        Ok(clone)
    }

    /// A copy without the content.
    pub(super) fn copy_bare(&mut self, id: Id) -> R<Id> {
        let mut node = Node { content: Vec::new(), ..self.nodes[id].clone() };
        // Keys are single nodes, so one level is enough.
        if let Some(key) = node.key {
            let key = Node { key: None, content: Vec::new(), ..self.nodes[key].clone() };
            node.key = Some(self.push(key)?);
        }
        self.push(node)
    }

    /// Appends copies of children: keys and values in turn for a map.
    pub(super) fn add_all(&mut self, id: Id, children: &[Id]) -> R<()> {
        self.add_at(id, children, 0)
    }

    fn add_at(&mut self, id: Id, children: &[Id], depth: usize) -> R<()> {
        if self.nodes[id].kind == Kind::Map {
            for pair in children.chunks_exact(2) {
                self.add_pair_at(id, pair[0], pair[1], depth)?;
            }
        } else {
            for &child in children {
                self.add_at_end(id, child, depth)?;
            }
        }
        Ok(())
    }

    /// Appends a copy of a list item.
    pub(super) fn add(&mut self, id: Id, child: Id) -> R<()> {
        self.add_at_end(id, child, 0)
    }

    fn add_at_end(&mut self, id: Id, child: Id, depth: usize) -> R<()> {
        let value = self.copy_at(child, depth + 1)?;
        let index = self.nodes[id].content.len();
        let key = self.scalar("!!int", &index.to_string())?;
        self.nodes[key].parent = Some(id);
        let node = &mut self.nodes[value];
        (node.parent, node.is_key, node.key) = (Some(id), false, Some(key));
        self.nodes[id].content.push(value);
        Ok(())
    }

    /// Appends copies of a key and its value, and returns the copies.
    pub(super) fn add_pair(&mut self, id: Id, key: Id, value: Id) -> R<(Id, Id)> {
        self.add_pair_at(id, key, value, 0)
    }

    fn add_pair_at(&mut self, id: Id, key: Id, value: Id, depth: usize) -> R<(Id, Id)> {
        let key = self.copy_at(key, depth + 1)?;
        let value = self.copy_at(value, depth + 1)?;
        let node = &mut self.nodes[key];
        (node.parent, node.is_key) = (Some(id), true);
        let node = &mut self.nodes[value];
        (node.parent, node.is_key, node.key) = (Some(id), false, Some(key));
        self.nodes[id].content.extend([key, value]);
        Ok((key, value))
    }

    /// The document of a value.
    pub(super) fn document(&mut self, value: &Value, depth: usize) -> R<Id> {
        if depth > MAX_DEPTH {
            return too_much();
        }
        let (tag, text): (&str, String) = match &value.data {
            Data::Null => ("!!null", "null".to_owned()),
            Data::Bool(b) => ("!!bool", b.to_string()),
            Data::Int(n) => ("!!int", n.to_string()),
            Data::Uint(n) => ("!!int", n.to_string()),
            Data::Float(f) => {
                let text = yaml_float(*f);
                (scalar::resolve(&text), text)
            }
            Data::Time(t) => ("!!timestamp", t.rfc3339()),
            Data::Str(s) => {
                // The reader takes this one for a merge key even in quotes.
                let tag = if &**s == "<<" { "!!merge" } else { "!!str" };
                let id = self.scalar(tag, s)?;
                self.nodes[id].style = scalar::written_style(s);
                return Ok(id);
            }
            Data::Unknown(u) => {
                return Err(QueryError::Unsupported(format!("the unknown value {}", u.text)));
            }
            Data::List(items) => {
                let id = self.make(Kind::List, "!!seq", "")?;
                for (i, item) in items.iter().enumerate() {
                    let child = self.document(item, depth + 1)?;
                    let key = self.scalar("!!int", &i.to_string())?;
                    self.nodes[key].parent = Some(id);
                    self.nodes[key].is_key = true;
                    self.nodes[child].parent = Some(id);
                    self.nodes[child].key = Some(key);
                    self.nodes[id].content.push(child);
                }
                return Ok(id);
            }
            Data::Map(map) => {
                let id = self.make(Kind::Map, "!!map", "")?;
                if map.has("<<") {
                    return Err(QueryError::Unsupported("yq on a map with a `<<` key".to_owned()));
                }
                for entry in map.iter() {
                    let key = self.scalar("!!str", &entry.key)?;
                    self.nodes[key].style = scalar::written_style(&entry.key);
                    self.nodes[key].parent = Some(id);
                    self.nodes[key].is_key = true;
                    let child = self.document(&entry.value, depth + 1)?;
                    self.nodes[child].parent = Some(id);
                    self.nodes[child].key = Some(key);
                    self.nodes[id].content.extend([key, child]);
                }
                return Ok(id);
            }
        };
        self.scalar(tag, &text)
    }

    /// The last step of the path to a node, if it has one.
    pub(super) fn last_step(&self, id: Id) -> Option<super::op::Step> {
        use super::op::Step;
        let node = &self.nodes[id];
        if node.is_key {
            return Some(Step::Key(node.text.clone()));
        }
        let key = &self.nodes[node.key?];
        if &*key.tag != "!!str"
            && let Some((_, index)) = scalar::int(&key.text)
        {
            return Some(Step::Index(index));
        }
        Some(Step::Key(key.text.clone()))
    }

    /// Returns the steps from the root to a node. A node that is its own ancestor stops the walk.
    pub(super) fn path(&self, id: Id) -> Vec<super::op::Step> {
        let mut steps = Vec::new();
        let mut at = id;
        while let Some(step) = self.last_step(at) {
            steps.push(step);
            match self.nodes[at].parent {
                Some(parent) if steps.len() <= MAX_DEPTH * 2 => at = parent,
                _ => break,
            }
        }
        steps.reverse();
        steps
    }

    /// The position of an equal node in the content, keys and values alike.
    pub(super) fn find(&self, id: Id, item: Id) -> Option<usize> {
        self.nodes[id].content.iter().position(|&c| self.equal(c, item, 0))
    }

    /// The position of an equal key.
    pub(super) fn find_key(&self, id: Id, key: Id) -> Option<usize> {
        (0..self.nodes[id].content.len()).step_by(2).find(|&i| self.equal(self.nodes[id].content[i], key, 0))
    }

    /// Equal in kind, tag and text, maps in any order.
    pub(super) fn equal(&self, a: Id, b: Id, depth: usize) -> bool {
        self.spend(1);
        let (x, y) = (&self.nodes[a], &self.nodes[b]);
        if x.kind != y.kind || depth > MAX_DEPTH {
            return false;
        }
        match x.kind {
            Kind::Scalar => x.tag == y.tag && (&*x.tag == "!!null" || x.text == y.text),
            Kind::List => {
                x.content.len() == y.content.len()
                    && x.content.iter().zip(&y.content).all(|(&p, &q)| self.equal(p, q, depth + 1))
            }
            Kind::Map => {
                x.content.len() == y.content.len()
                    && x.content.chunks_exact(2).all(|pair| {
                        let at = y.content.iter().position(|&q| self.equal(pair[0], q, depth + 1));
                        at.and_then(|i| y.content.get(i + 1)).is_some_and(|&v| self.equal(pair[1], v, depth + 1))
                    })
            }
        }
    }
}

/// Whether a name matches a pattern with `*` and `?` over bytes.
fn fits(name: &str, pattern: &str) -> bool {
    if pattern.is_empty() {
        return name.is_empty();
    }
    let (name, pattern) = (name.as_bytes(), pattern.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while p < pattern.len() || n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, n + 1));
                p += 1;
                continue;
            }
            Some(b'?') if n < name.len() => {
                p += 1;
                n += 1;
                continue;
            }
            Some(c) if *c != b'?' && name.get(n) == Some(c) => {
                p += 1;
                n += 1;
                continue;
            }
            _ => {}
        }
        match retry {
            Some((rp, rn)) if rn <= name.len() => (p, n) = (rp, rn),
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn wildcards() {
        for (name, pattern, want) in [
            ("abc", "abc", true),
            ("abc", "a*", true),
            ("abc", "a?c", true),
            ("abc", "a?", false),
            ("", "", true),
            ("abc", "", false),
            ("abc", "*", true),
            ("abcbd", "a*b?", true),
            ("abc", "*d", false),
        ] {
            assert_eq!(fits(name, pattern), want, "{name} {pattern}");
        }
    }
}
