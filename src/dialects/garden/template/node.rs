//! The value that templates are evaluated on: data as JavaScript has it, in the order in which it is written, with parts that
//! wait for a context.

use super::ast::Template;
use super::context::ContextId;
use super::structure::Operator;
use crate::text::Text;
use crate::value::{self, Prov, Unknown, Value};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::Arc;

/// A value with its provenance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// What it is.
    pub data: Data,
    /// Where it was written, and what it was computed from.
    pub prov: Prov,
}

/// The data of a [`Node`]. Collections may hold lazy nodes.
#[derive(Clone, Debug, Default)]
pub(crate) enum Data {
    /// JavaScript's `undefined`: a key or an item without a value.
    #[default]
    Undefined,
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number; there are no integers.
    Number(f64),
    /// Text.
    Text(Text),
    /// A list.
    List(Arc<Vec<Node>>),
    /// A mapping.
    Map(Arc<Object>),
    /// A mapping with further keys that only a running system knows, and why.
    Open(Arc<Object>, Text),
    /// A value that needs a context to be evaluated in.
    Lazy(Arc<Lazy>),
    /// A context as a part of another one (`var`).
    Context(ContextId),
    /// What only a running system knows. The text is empty where the expression that asked for it is the best text.
    Unknown(Arc<Unknown>),
}

/// A value that needs a context.
#[derive(Debug)]
pub(crate) enum Lazy {
    /// A template string.
    Template(Template),
    /// `$merge`, `$concat`, `$if`, `$forEach`.
    Operator(Operator),
    /// A value that is evaluated in a context of its own, below the one that asks for it.
    Captured {
        /// The value.
        node: Node,
        /// The context that belongs to it.
        context: ContextId,
        /// Whether everything is known to that context; otherwise `$merge` skips what cannot be evaluated.
        is_final: bool,
    },
    /// Mappings of which later ones are merge patches (RFC 7396) for the earlier ones.
    Patch(Vec<Node>),
}

impl Node {
    /// Data without provenance.
    pub(crate) fn new(data: Data) -> Node {
        Node { data, prov: Prov::default() }
    }

    /// Data written somewhere.
    pub(crate) fn at(data: Data, prov: Prov) -> Node {
        Node { data, prov }
    }

    /// Text without provenance.
    pub(crate) fn text(text: impl Into<Text>) -> Node {
        Node::new(Data::Text(text.into()))
    }

    /// A truth value without provenance.
    pub(crate) fn bool(value: bool) -> Node {
        Node::new(Data::Bool(value))
    }

    /// A list without provenance.
    pub(crate) fn list(items: Vec<Node>) -> Node {
        Node::new(Data::List(Arc::new(items)))
    }

    /// A mapping without provenance.
    pub(crate) fn map(entries: impl IntoIterator<Item = (Text, Node)>) -> Node {
        Node::new(Data::Map(Arc::new(entries.into_iter().collect())))
    }

    /// A mapping without provenance. The keys are few words, each once.
    pub(crate) fn record(entries: Vec<(Text, Node)>) -> Node {
        Node::new(Data::Map(Arc::new(Object { index: index(&entries), entries })))
    }

    /// A value that waits for a context.
    pub(crate) fn lazy(lazy: Lazy, prov: Prov) -> Node {
        Node { data: Data::Lazy(Arc::new(lazy)), prov }
    }

    /// Something that only a running system knows, for one reason.
    pub(crate) fn unknown(reason: impl Into<Text>) -> Node {
        Node::new(Data::Unknown(Arc::new(Unknown::new("", reason))))
    }

    /// The same with the text that stands for it.
    pub(crate) fn unknown_text(text: impl Into<Text>, reason: impl Into<Text>) -> Node {
        Node::new(Data::Unknown(Arc::new(Unknown::new(text, reason))))
    }

    /// The mapping, if it is one.
    pub(crate) fn as_map(&self) -> Option<&Arc<Object>> {
        match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub(crate) fn as_list(&self) -> Option<&Arc<Vec<Node>>> {
        match &self.data {
            Data::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if it is text.
    pub(crate) fn as_text(&self) -> Option<&Text> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value under a key of a mapping, unless that is `undefined`.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key).filter(|node| !node.is_undefined())
    }

    /// Whether there is no value.
    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self.data, Data::Undefined)
    }

    /// Whether it is a list or a mapping.
    pub(crate) fn is_collection(&self) -> bool {
        matches!(self.data, Data::List(_) | Data::Map(_))
    }

    /// The lazy value, if it is one.
    pub(crate) fn as_lazy(&self) -> Option<&Lazy> {
        match &self.data {
            Data::Lazy(lazy) => Some(lazy),
            _ => None,
        }
    }

    /// JavaScript's truth: every collection is true.
    pub(crate) fn is_truthy(&self) -> bool {
        match &self.data {
            Data::Undefined | Data::Null => false,
            Data::Bool(b) => *b,
            Data::Number(n) => *n != 0.0 && !n.is_nan(),
            Data::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// What JavaScript's `typeof` says.
    pub(crate) fn type_of(&self) -> &'static str {
        match self.data {
            Data::Undefined => "undefined",
            Data::Bool(_) => "boolean",
            Data::Number(_) => "number",
            Data::Text(_) => "string",
            _ => "object",
        }
    }

    /// The same, with `null` told from objects.
    pub(crate) fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            _ => self.type_of(),
        }
    }

    /// The value for reports. What is still lazy is shown as it is written.
    pub(crate) fn to_value(&self) -> Value {
        let data = match &self.data {
            Data::Undefined | Data::Null | Data::Context(_) => value::Data::Null,
            Data::Bool(b) => value::Data::Bool(*b),
            Data::Number(n) => number(*n),
            Data::Text(text) => value::Data::Str(Text::clone(text)),
            Data::List(items) => value::Data::List(Arc::new(items.iter().map(Node::to_value).collect())),
            Data::Map(map) => value::Data::Map(Arc::new(
                map.iter().filter(|(_, v)| !v.is_undefined()).map(|(k, v)| (Text::clone(k), v.to_value())).collect(),
            )),
            Data::Open(_, reason) => value::Data::Unknown(Arc::new(Unknown::new("", Text::clone(reason)))),
            Data::Lazy(lazy) => return lazy.source().to_value().with_prov(self.prov.clone()),
            Data::Unknown(unknown) => value::Data::Unknown(Arc::clone(unknown)),
        };
        Value { data, prov: self.prov.clone() }
    }

    /// The node of a value that is no template: strings stay as they are. Entries are in the order of their origins.
    pub(crate) fn from_value(value: &Value) -> Node {
        let data = match &value.data {
            value::Data::Null => Data::Null,
            value::Data::Bool(b) => Data::Bool(*b),
            value::Data::Int(i) => Data::Number(*i as f64),
            value::Data::Uint(u) => Data::Number(*u as f64),
            value::Data::Float(f) => Data::Number(*f),
            value::Data::Str(text) => Data::Text(Text::clone(text)),
            value::Data::Time(time) => Data::Text(value::json::rfc3339(time).into()),
            value::Data::List(items) => Data::List(Arc::new(items.iter().map(Node::from_value).collect())),
            value::Data::Map(map) => {
                let mut entries: Vec<&value::Entry> = map.iter().collect();
                entries.sort_by_key(|e| e.value.prov.origin.map(|o| (o.file, o.key)));
                Data::Map(Arc::new(entries.iter().map(|e| (Text::clone(&e.key), Node::from_value(&e.value))).collect()))
            }
            value::Data::Unknown(unknown) => Data::Unknown(Arc::clone(unknown)),
        };
        Node { data, prov: value.prov.clone() }
    }
}

/// A number for reports: an integer where it is one.
fn number(n: f64) -> value::Data {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if n.fract() == 0.0 && n.abs() <= EXACT { value::Data::Int(n as i64) } else { value::Data::Float(n) }
}

/// A mapping in the order of its keys as JavaScript has it: integers first, ascending, then the others as they were set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    entries: Vec<(Text, Node)>,
    /// Where keys are among the entries; none if there are few.
    index: Option<Arc<HashMap<Text, usize, RandomState>>>,
}

/// In as many entries a key is found as fast without an index. Most mappings are that small, and very many are made.
const FEW: usize = 16;

impl Object {
    /// The value under a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let found = match &self.index {
            Some(index) => self.entries.get(*index.get(key)?),
            None => self.entries.iter().find(|(known, _)| *known == *key),
        };
        found.map(|(_, node)| node)
    }

    /// The entries in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Text, &Node)> + Clone {
        self.entries.iter().map(|(key, node)| (key, node))
    }

    /// The keys in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Text> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Other values under the same keys.
    ///
    /// # Errors
    /// Those of `value`.
    pub(crate) fn try_map<E>(&self, mut value: impl FnMut(&Text, &Node) -> Result<Node, E>) -> Result<Object, E> {
        let mut entries = Vec::with_capacity(self.entries.len());
        for (key, node) in &self.entries {
            entries.push((Text::clone(key), value(key, node)?));
        }
        Ok(Object { entries, index: self.index.clone() })
    }
}

/// Where keys are among many entries; none if there are few.
fn index(entries: &[(Text, Node)]) -> Option<Arc<HashMap<Text, usize, RandomState>>> {
    let many = entries.len() > FEW;
    many.then(|| Arc::new(entries.iter().enumerate().map(|(i, (key, _))| (Text::clone(key), i)).collect()))
}

/// A later entry of a key replaces the value of an earlier one and keeps its place.
impl FromIterator<(Text, Node)> for Object {
    fn from_iter<I: IntoIterator<Item = (Text, Node)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let mut entries: Vec<(Text, Node)> = Vec::with_capacity(pairs.size_hint().0);
        let mut places: HashMap<Text, usize, RandomState> = HashMap::default();
        for (key, node) in pairs {
            if entries.len() == FEW && places.is_empty() {
                places = entries.iter().enumerate().map(|(i, (key, _))| (Text::clone(key), i)).collect();
            }
            let known = match places.is_empty() {
                true => entries.iter().position(|(known, _)| *known == key),
                false => places.get(&key).copied(),
            };
            match known {
                Some(at) => entries[at].1 = node,
                None => {
                    if !places.is_empty() {
                        places.insert(Text::clone(&key), entries.len());
                    }
                    entries.push((key, node));
                }
            }
        }
        if entries.iter().any(|(key, _)| array_index(key).is_some()) {
            entries.sort_by_cached_key(|(key, _)| array_index(key).map_or((1, 0), |index| (0, index)));
        }
        Object { index: index(&entries), entries }
    }
}

/// The number that a key is, if JavaScript takes it for an index: no sign, no leading zero.
pub(crate) fn array_index(key: &str) -> Option<u32> {
    if !key.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let index: u32 = key.parse().ok()?;
    (index != u32::MAX && index.to_string() == key).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_keys_are_found_in_order() {
        for count in [3, FEW, FEW + 1, 60] {
            let pairs = (0..count).chain([1]).map(|i| (Text::from(format!("k{i}")), Node::new(Data::Number(i as f64))));
            let object: Object = pairs.chain([(Text::from("7"), Node::default())]).collect();
            let keys: Vec<&str> = object.keys().map(Text::as_str).collect();
            assert_eq!((keys.len(), keys[0], keys[2]), (count + 1, "7", "k1"));
            assert!(object.get("k1").is_some() && object.get("7").is_some() && object.get("k").is_none());
        }
    }
}
