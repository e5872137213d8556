//! From a YAML document to a [`Value`], as Go's yaml.v3 decodes it into `any`: merge keys are expanded, keys become text,
//! tags that are not YAML's own are dropped.

use super::{Data, Key, Map, Prov, Value};
use crate::limits::{Limit, Limits};
use crate::text::Text;
use crate::yaml::{self, Document, Node, NodeId, NodeKind, Problem, ProblemKind, Scalar, Span};
use std::collections::HashMap;
use std::sync::Arc;
pub(crate) use traced_value::{below, scalar};

/// Decodes a document; null if it is empty. `place` returns the provenance of a value whose key (or itself) starts at
/// the first offset and which spans the second range.
///
/// # Errors
/// All that keeps it from being decoded.
pub(crate) fn decode(doc: &Document, place: &dyn Fn(u32, Span) -> Prov, limits: Limits) -> Result<Value, Vec<Problem>> {
    let problems = yaml::problems(doc);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut run = Run { doc, place, walk: DecodeState::new(limits), beyond: None };
    let value = doc.root().map(|root| run.value(root, None)).unwrap_or_default();
    match run.beyond {
        None => Ok(value),
        Some((limit, span)) => {
            let (message, help) = exceeded(limits, limit);
            let message = format!("{message}; {help}");
            Err(vec![Problem { kind: ProblemKind::BeyondLimit, message, span, related: None }])
        }
    }
}

/// The data of all documents of a text, without provenance: that of one document, or a list of several. `None` if it is not YAML.
pub(crate) fn documents(text: Text) -> Option<Value> {
    let documents = yaml::documents_of(text).ok()?;
    let data = documents.iter().map(|one| decode(one, &|_, _| Prov::default(), Limits::default()).ok());
    let mut data: Vec<Value> = data.collect::<Option<_>>()?;
    Some(match data.len() {
        0 | 1 => data.pop().unwrap_or_default(),
        _ => Value::new(Data::List(Arc::new(data))),
    })
}

/// Returns the message and the advice for a document that exceeds a limit.
pub(crate) fn exceeded(limits: Limits, limit: Limit) -> (String, String) {
    let exceeded = limits.exceeded(limit);
    let message = match limit {
        Limit::NestingDepth => format!("nested deeper than {} levels", exceeded.value),
        _ => format!("this document exceeds a limit: {exceeded}"),
    };
    (message, exceeded.help())
}

/// The state of a walk that decodes a document into values of type `V`. An anchored node is decoded once, but counted
/// for every alias that refers to it.
#[derive(Debug)]
pub(crate) struct DecodeState<V> {
    limits: Limits,
    /// The values of anchored nodes, with the number of values in them.
    anchors: HashMap<NodeId, (V, u64)>,
    /// The number of nodes around the current one.
    pub(crate) depth: u64,
    /// The number of values so far, with aliases expanded.
    pub(crate) values: u64,
}

/// How a walk continues at a node.
#[derive(Debug)]
pub(crate) enum DecodeStep<V> {
    /// The value is known: the node is an alias.
    Known(V),
    /// The node is an alias of a node that has not been decoded.
    Alias(NodeId),
    /// The node has to be decoded, and passed to [`Walk::leave`] with this count.
    Decode(u64),
    Beyond(Limit),
}

impl<V: Clone> DecodeState<V> {
    /// A walk that begins.
    pub(crate) fn new(limits: Limits) -> Self {
        DecodeState { limits, anchors: HashMap::new(), depth: 0, values: 0 }
    }

    /// Counts a node and returns how to continue with it.
    pub(crate) fn enter(&mut self, doc: &Document, id: NodeId) -> DecodeStep<V> {
        if let NodeKind::Alias { .. } = doc.node(id).kind {
            let target = doc.target(id);
            let Some((value, size)) = self.anchors.get(&target).cloned() else { return DecodeStep::Alias(target) };
            self.values = self.values.saturating_add(size);
            return self.beyond().map_or(DecodeStep::Known(value), DecodeStep::Beyond);
        }
        let before = self.values;
        self.values += 1;
        if let Some(limit) = self.beyond() {
            return DecodeStep::Beyond(limit);
        }
        self.depth += 1;
        DecodeStep::Decode(before)
    }

    pub(crate) fn leave(&mut self, node: &Node, id: NodeId, before: u64, value: &V) {
        self.depth -= 1;
        if node.anchor.is_some() {
            self.anchors.insert(id, (value.clone(), self.values - before));
        }
    }

    /// The limit that the walk is beyond, if any.
    pub(crate) fn beyond(&self) -> Option<Limit> {
        match () {
            () if self.depth > self.limits.get(Limit::NestingDepth) => Some(Limit::NestingDepth),
            () if self.values > self.limits.get(Limit::DocumentValues) => Some(Limit::DocumentValues),
            () => None,
        }
    }
}

struct Run<'a> {
    doc: &'a Document,
    place: &'a dyn Fn(u32, Span) -> Prov,
    walk: DecodeState<Value>,
    /// The first limit that does not hold, and where.
    beyond: Option<(Limit, Span)>,
}

impl Run<'_> {
    fn value(&mut self, id: NodeId, key: Option<u32>) -> Value {
        let node = self.doc.node(id);
        let before = match self.walk.enter(self.doc, id) {
            DecodeStep::Known(value) => return value,
            DecodeStep::Alias(target) => return self.value(target, None),
            DecodeStep::Decode(before) => before,
            DecodeStep::Beyond(limit) => {
                self.beyond.get_or_insert((limit, node.span));
                return Value::default();
            }
        };
        let data = match &node.kind {
            NodeKind::Scalar { value, style } => scalar(value, *style, core(node)),
            NodeKind::Sequence(items) => Data::List(Arc::new(items.iter().map(|i| self.value(*i, None)).collect())),
            NodeKind::Mapping(pairs) => Data::Map(Arc::new(self.map(pairs))),
            NodeKind::Alias { .. } => Data::Null,
        };
        let start = node.tag.as_ref().map_or(node.span.start, |t| t.span.start.min(node.span.start));
        let prov = (self.place)(key.unwrap_or(start), Span { start, end: node.span.end });
        let value = Value { data, prov };
        self.walk.leave(node, id, before, &value);
        value
    }

    fn map(&mut self, pairs: &[(NodeId, NodeId)]) -> Map {
        let mut own: Vec<(Key, Value)> = Vec::with_capacity(pairs.len());
        let mut merged: Vec<Value> = Vec::new();
        let mut mixed = false;
        for (key, value) in pairs {
            let node = self.doc.node(self.doc.target(*key));
            let NodeKind::Scalar { value: text, style } = &node.kind else { continue };
            let start = self.doc.node(*key).span.start;
            let value = self.value(*value, Some(start));
            match yaml::resolve(text, *style, core(node)) {
                Ok(Scalar::Merge) => merged.push(value),
                Ok(Scalar::Str | Scalar::Binary(_)) | Err(_) => own.push((Text::clone(text), value)),
                Ok(_) => {
                    mixed = true;
                    own.push((Text::clone(text), value));
                }
            }
        }
        let below = below(&merged);
        Map::from_iter(below.into_iter().chain(own)).mixed(mixed)
    }
}

fn core(node: &Node) -> Option<&str> {
    node.tag.as_ref().map(|t| &*t.text).filter(|t| t.starts_with("!!"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::*;
    use crate::value::{FileId, Origin};

    fn read(text: &str) -> Result<Value, Vec<Problem>> {
        let doc = yaml::parse(text.as_bytes()).unwrap();
        let place = |key: u32, s: Span| Prov::at(Origin { file: FileId::new(0), key, start: s.start, end: s.end });
        decode(&doc, &place, Limits::default())
    }

    fn json(text: &str) -> String {
        serde_json::to_string(&read(text).unwrap()).unwrap()
    }

    #[test]
    fn documents() {
        for (yaml, expected) in [
            ("", "null"),
            ("a: 1\nb: [x, true, ~, 1.5]\n", r#"{"a":1,"b":["x",true,null,1.5]}"#),
            ("a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n", r#"{"a":{"k":1,"l":2},"b":{"k":1,"l":3}}"#),
            ("a: &x [1]\nb: *x\n", r#"{"a":[1],"b":[1]}"#),
            ("a: !custom x\nb: !!str 1\n", r#"{"a":"x","b":"1"}"#),
            ("{1: a, true: b}", r#"{"1":"a","true":"b"}"#),
        ] {
            assert_eq!(json(yaml), expected, "{yaml}");
        }
    }

    #[test]
    fn what_is_written_where() {
        let value = read("a:\n  key: text\n").unwrap();
        let origin = value.at_path(["a", "key"]).unwrap().prov.origin.unwrap();
        assert_eq!((origin.key, origin.start, origin.end), (5, 10, 14));
        assert!(read("{1: a}").unwrap().as_map().unwrap().is_mixed());
        assert!(!read("{\"1\": a}").unwrap().as_map().unwrap().is_mixed());
        assert_eq!(read("a: 1\na: 2\n").unwrap_err().len(), 1);
    }
}
