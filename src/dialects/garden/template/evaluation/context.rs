//! Contexts: the data in which key paths of templates are looked up. A context is data whose parts may be contexts or
//! unevaluated, or layers of other contexts, of which later ones take precedence.

use super::evaluator::{Evaluator, Scope, captured};
use super::lookup::{Lookup, Missing};
use super::roots::Roots;
use crate::dialects::garden::template::failure::{Failure, FailureKind, Result};
use crate::dialects::garden::template::node::merge::merge_counted;
use crate::dialects::garden::template::node::{ContextId, Data, Lazy, Node, array_index};
use crate::dialects::garden::template::syntax::path::{Segment, joined};
use crate::text::Text;
use crate::value::Prov;
use std::slice;
use std::sync::Arc;

/// The steps from which on it is cheaper to keep what was found than to find it again.
const WORTH_KEEPING: u64 = 8;

/// The content of a context.
#[derive(Clone, Debug)]
pub(super) enum Context {
    Data(Node),
    /// Roots by name.
    Roots(Arc<Roots>),
    /// Other contexts, the lowest first.
    Layers(Arc<Vec<ContextId>>),
    /// The context of a value, above the one that reads it. A value of the first never replaces one of the other.
    Pair([ContextId; 2]),
    /// Nothing: each lookup fails with this message.
    Refusal(Text),
}

/// A lookup that is under way.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    /// The rest of the key path.
    pub key: &'a [Segment],
    /// The same as one text, and each end of it, where that was made; see [`joined`].
    pub joined: &'a [Text],
    /// How values that are found are evaluated.
    pub scope: Scope,
    /// The context that values are evaluated in; `None` for the first one that is asked.
    pub root: Option<ContextId>,
}

impl Evaluator {
    /// Adds a context of data.
    pub(crate) fn data(&self, node: Node) -> ContextId {
        self.add(Context::Data(node))
    }

    /// Adds a context of roots.
    pub(crate) fn roots(&self, roots: Roots) -> ContextId {
        self.add(Context::Roots(Arc::new(roots)))
    }

    /// Adds a context that rejects every lookup.
    pub(crate) fn refusal(&self, message: impl Into<Text>) -> ContextId {
        self.add(Context::Refusal(message.into()))
    }

    /// Adds a context of layers, the lowest first.
    pub(crate) fn layers(&self, layers: Vec<ContextId>) -> ContextId {
        self.add(Context::Layers(Arc::new(layers)))
    }

    /// Adds a context of layers that are not known yet: [`Evaluator::fill`] sets them before anything is looked up in
    /// it.
    pub(crate) fn reserve(&self) -> ContextId {
        self.layers(Vec::new())
    }

    /// Sets the layers of a reserved context, the lowest first.
    pub(crate) fn fill(&self, context: ContextId, layers: Vec<ContextId>) {
        if let Some(reserved) = self.contexts.borrow_mut().get_mut(context.0 as usize) {
            *reserved = Context::Layers(Arc::new(layers));
        }
    }

    /// One context above another, the same one for the same two.
    pub(super) fn above(&self, lower: ContextId, upper: ContextId) -> ContextId {
        if let Some(known) = self.pairs.borrow().get(&(lower, upper)) {
            return *known;
        }
        let id = self.add(Context::Pair([lower, upper]));
        self.pairs.borrow_mut().insert((lower, upper), id);
        id
    }

    fn add(&self, context: Context) -> ContextId {
        let mut all = self.contexts.borrow_mut();
        all.push(context);
        ContextId(all.len() as u32 - 1)
    }

    fn context(&self, id: ContextId) -> Context {
        self.contexts.borrow().get(id.0 as usize).cloned().unwrap_or(Context::Data(Node::default()))
    }

    /// Looks up a key path in a context.
    ///
    /// # Errors
    /// A value on the way cannot be evaluated, or has no keys.
    pub(crate) fn lookup(&self, context: ContextId, key: &[Segment], scope: Scope) -> Result<Lookup> {
        self.lookup_prepared(context, key, &[], scope)
    }

    /// The same for a key path whose texts are already prepared.
    pub(super) fn lookup_prepared(
        &self,
        context: ContextId,
        key: &[Segment],
        joined: &[Text],
        scope: Scope,
    ) -> Result<Lookup> {
        self.resolve(context, Query { key, joined, scope, root: None }, &mut Vec::new())
    }

    /// The same within a lookup; `path` is how it got here.
    fn resolve(&self, id: ContextId, query: Query<'_>, path: &mut Vec<Text>) -> Result<Lookup> {
        self.spend(1)?;
        if let Some(node) = self.plain(id, query.key) {
            return Ok(Lookup::Found(node));
        }
        let before = self.spent();
        let text = query.joined.first().map_or_else(|| joined(query.key), Text::clone);
        let query =
            Query { joined: if query.joined.is_empty() { slice::from_ref(&text) } else { query.joined }, ..query };
        let frame = (id, Text::clone(&text));
        if self.under_way.borrow().contains(&frame) {
            let whole: Vec<&str> = path.iter().chain(query.key.iter().map(|s| &s.text)).map(Text::as_str).collect();
            let message = format!("Circular reference detected when resolving key {}", render(&whole));
            return Err(Failure::plain(FailureKind::Circular, message, &Prov::default()));
        }
        let mode = (query.scope.is_final, query.scope.keeps_escapes);
        let known = (id, query.root, mode, Text::clone(&frame.1));
        if let Some(node) = self.lookups.borrow().get(&known) {
            return Ok(Lookup::Found(node.clone()));
        }
        let _depth = self.enter()?;
        self.under_way.borrow_mut().push(frame);
        let done = match self.context(id) {
            Context::Data(node) => {
                let root = query.root.unwrap_or(id);
                self.traverse(node, Query { root: Some(root), ..query }, root, path)
            }
            Context::Roots(roots) => {
                let root = query.root.unwrap_or(id);
                let query = Query { root: Some(root), ..query };
                match query.key.first() {
                    Some(name) => self.follow(&|| roots.node(), roots.get(&name.text).cloned(), query, root, path),
                    None => self.traverse(roots.node(), query, root, path),
                }
            }
            Context::Layers(layers) => self.resolve_layers(&layers, self.keeps_history, query, path),
            Context::Pair(pair) => self.resolve_layers(&pair, false, query, path),
            Context::Refusal(message) => Err(Failure::plain(FailureKind::Refused, message.as_str(), &Prov::default())),
        };
        self.under_way.borrow_mut().pop();
        if let Ok(Lookup::Found(node)) = &done
            && self.spent().saturating_sub(before) >= WORTH_KEEPING
        {
            self.lookups.borrow_mut().insert(known, node.clone());
        }
        done
    }

    /// Returns the entry of a context for its last key, if that is a scalar that needs no evaluation: it cannot read
    /// itself, and caching it saves nothing.
    fn plain(&self, id: ContextId, key: &[Segment]) -> Option<Node> {
        let [only] = key else { return None };
        let contexts = self.contexts.borrow();
        let found = match contexts.get(id.0 as usize)? {
            Context::Data(node) => inner(node).as_map()?.get(&only.text)?,
            Context::Roots(roots) => roots.get(&only.text)?,
            _ => return None,
        };
        matches!(found.data, Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_)).then(|| found.clone())
    }

    /// The topmost layer that has a single value decides; collections of several layers are merged.
    fn resolve_layers(
        &self,
        layers: &[ContextId],
        keeps_history: bool,
        query: Query<'_>,
        path: &mut Vec<Text>,
    ) -> Result<Lookup> {
        let mut found: Vec<Node> = Vec::new();
        let mut missing: Vec<(usize, Option<Missing>)> = Vec::new();
        for (index, layer) in layers.iter().enumerate().rev() {
            if self.is_open(*layer, query.key) || self.lacks(*layer, query.key)? {
                missing.push((index, None));
                continue;
            }
            match self.resolve(*layer, query, path)? {
                Lookup::Found(node) if !node.is_collection() => {
                    let below = if keeps_history { self.below(&layers[..index], query, path) } else { None };
                    return Ok(Lookup::Found(overriding(node, below.as_ref())));
                }
                Lookup::Found(node) => found.push(node),
                Lookup::Missing(why) => missing.push((index, Some(*why))),
            }
        }
        let mut lowest_first = found.into_iter().rev();
        if let Some(lowest) = lowest_first.next() {
            let mut merged = lowest;
            for node in lowest_first {
                let (next, entries) = merge_counted(&merged, &node);
                self.spend(entries)?;
                merged = next;
            }
            return Ok(Lookup::Found(merged));
        }
        self.missing_in(layers, missing, query, path)
    }

    /// Returns why no layer has a key: the reason of the layer that has the longest part of its path. `reasons` are
    /// those of the layers, the topmost first; `None` for a layer that was skipped because it lacks the key.
    fn missing_in(
        &self,
        layers: &[ContextId],
        reasons: Vec<(usize, Option<Missing>)>,
        query: Query<'_>,
        path: &mut Vec<Text>,
    ) -> Result<Lookup> {
        let mut missing: Vec<Missing> = Vec::with_capacity(reasons.len());
        for (index, reason) in reasons {
            match reason {
                Some(why) => missing.push(why),
                None => match self.resolve(layers[index], query, path)? {
                    Lookup::Found(node) => return Ok(Lookup::Found(node)),
                    Lookup::Missing(why) => missing.push(*why),
                },
            }
        }
        let deepest = missing.iter().map(|m| m.path.len()).max().unwrap_or(0);
        let all: Vec<Missing> = match missing.iter().find(|m| m.path.len() == deepest).map(|m| m.path.clone()) {
            Some(path) => missing.into_iter().filter(|m| m.path == path).collect(),
            None => missing,
        };
        let available = all.iter().flat_map(|m| m.available.iter().cloned()).collect();
        let last = all.into_iter().next_back();
        let key = || query.key.first().map(|s| Text::clone(&s.text)).unwrap_or_default();
        let last =
            last.unwrap_or_else(|| Missing { circular: false, key: key(), path: path.clone(), available: Vec::new() });
        Ok(Lookup::Missing(Box::new(Missing { available, ..last })))
    }

    /// Returns the value of the next layer below, for the history of a value. Failures there do not matter.
    fn below(&self, layers: &[ContextId], query: Query<'_>, path: &mut Vec<Text>) -> Option<Node> {
        if query.key.is_empty() {
            return None;
        }
        let has = |layer: &&ContextId| !self.lacks(**layer, query.key).unwrap_or(true);
        layers.iter().rev().filter(has).find_map(|layer| match self.resolve(*layer, query, path) {
            Ok(Lookup::Found(node)) if !node.is_collection() => Some(node),
            _ => None,
        })
    }

    /// Whether a context may have a key that is not known to be in it. It counts only where no other layer has the key.
    fn is_open(&self, id: ContextId, key: &[Segment]) -> bool {
        match self.contexts.borrow().get(id.0 as usize) {
            Some(Context::Data(Node { data: Data::Open(map, _), .. })) => {
                key.first().is_none_or(|first| map.get(&first.text).is_none())
            }
            _ => false,
        }
    }

    /// The layers of a context one by one, the lowest first.
    pub(crate) fn layers_of(&self, id: ContextId) -> Vec<ContextId> {
        match self.context(id) {
            Context::Layers(layers) => layers.to_vec(),
            _ => vec![id],
        }
    }

    /// Whether the data of a context certainly has nothing for the first key. To find that out evaluates nothing.
    ///
    /// # Errors
    /// That is too much work.
    fn lacks(&self, id: ContextId, key: &[Segment]) -> Result<bool> {
        let Some(first) = key.first() else { return Ok(false) };
        let contexts = self.contexts.borrow();
        let lacks = match contexts.get(id.0 as usize) {
            Some(Context::Data(node)) => inner(node).as_map().is_some_and(|map| map.get(&first.text).is_none()),
            Some(Context::Roots(roots)) => roots.get(&first.text).is_none(),
            _ => false,
        };
        if lacks {
            self.spend(1)?;
        }
        Ok(lacks)
    }

    /// Follows a key path into a value.
    fn traverse(&self, value: Node, query: Query<'_>, root: ContextId, path: &mut Vec<Text>) -> Result<Lookup> {
        if let Some((next, _)) = query.key.split_first()
            && let Some((mapping, found)) = captured_entry(&value, &next.text)
        {
            self.spend(1)?;
            return self.follow(&|| mapping.clone(), found, query, root, path);
        }
        let value = match value.data {
            Data::Lazy(_) => match self.evaluate_in_context(&value, query.scope, root)? {
                Some(value) => return self.traverse(value, query, root, path),
                None => {
                    let key = query.key.first().map(|s| Text::clone(&s.text)).unwrap_or_else(|| "undefined".into());
                    let missing = Missing { circular: true, key, path: path.clone(), available: Vec::new() };
                    return Ok(Lookup::Missing(Box::new(missing)));
                }
            },
            Data::Context(id) => return self.resolve(id, query, path),
            _ => value,
        };
        let Some((next, _)) = query.key.split_first() else { return self.whole(value, query, root, path) };
        let found = match &value.data {
            Data::Unknown(unknown) => {
                let mut inner = (**unknown).clone();
                inner.text = Text::default();
                return Ok(Lookup::Found(Node::at(Data::Unknown(Arc::new(inner)), value.prov.clone())));
            }
            Data::Map(map) => map.get(&next.text).cloned(),
            Data::Open(map, unknown) => {
                map.get(&next.text).cloned().or_else(|| Some(Node::new(Data::Unknown(Arc::clone(unknown)))))
            }
            Data::List(items) => match &*next.text {
                "length" => Some(Node::at(Data::Number(items.len() as f64), value.prov.clone())),
                index => array_index(index).and_then(|i| items.get(i as usize)).cloned(),
            },
            _ => {
                let whole: Vec<&str> = path.iter().chain(query.key.iter().map(|s| &s.text)).map(Text::as_str).collect();
                let message = format!("Attempted to look up key {} on primitive value {}.", next.text, render(&whole));
                return Err(Failure::plain(FailureKind::NotIndexable, message, &Prov::default()));
            }
        };
        self.follow(&|| value.clone(), found, query, root, path)
    }

    /// The same behind what a collection has for the first key.
    fn follow(
        &self,
        collection: &dyn Fn() -> Node,
        found: Option<Node>,
        query: Query<'_>,
        root: ContextId,
        path: &mut Vec<Text>,
    ) -> Result<Lookup> {
        let Some((next, rest)) = query.key.split_first() else { return Ok(Lookup::Found(collection())) };
        let missing = |circular: bool, path: &[Text]| {
            let (key, available) = (Text::clone(&next.text), vec![collection()]);
            Ok(Lookup::Missing(Box::new(Missing { circular, key, path: path.to_vec(), available })))
        };
        let Some(mut found) = found.filter(|node| !node.is_undefined()) else { return missing(false, path) };
        if matches!(found.data, Data::Lazy(_)) {
            match self.evaluate_in_context(&found, query.scope, root)? {
                Some(value) => found = value,
                None => return missing(true, path),
            }
        }
        path.push(Text::clone(&next.text));
        let joined = query.joined.get(1..).unwrap_or_default();
        let done = self.traverse(found, Query { key: rest, joined, ..query }, root, path);
        path.pop();
        done
    }

    /// A value at the end of its path, with everything in it evaluated.
    fn whole(&self, value: Node, query: Query<'_>, root: ContextId, path: &mut Vec<Text>) -> Result<Lookup> {
        if let Data::Open(_, unknown) = &value.data {
            return Ok(Lookup::Found(Node::new(Data::Unknown(Arc::clone(unknown)))));
        }
        if !value.is_collection() || !is_lazy(&value) {
            return Ok(Lookup::Found(value));
        }
        let _depth = self.enter()?;
        let mut missing = None;
        let mut one = |key: &dyn Fn() -> Text, node: &Node| -> Result<Node> {
            self.spend(1)?;
            if !is_lazy(node) {
                return Ok(node.clone());
            }
            path.push(key());
            let done = match self.traverse(node.clone(), Query { key: &[], joined: &[], ..query }, root, path) {
                Ok(Lookup::Found(node)) => Ok(node),
                Ok(Lookup::Missing(why)) => {
                    missing.get_or_insert(why);
                    Ok(Node::default())
                }
                Err(failure) => Err(failure),
            };
            path.pop();
            done
        };
        let data = match &value.data {
            Data::List(items) => {
                let all: Result<Vec<Node>> =
                    items.iter().enumerate().map(|(i, n)| one(&|| i.to_string().into(), n)).collect();
                Data::List(Arc::new(all?))
            }
            Data::Map(map) => Data::Map(Arc::new(map.try_map(|key, node| one(&|| Text::clone(key), node))?)),
            other => other.clone(),
        };
        Ok(match missing {
            Some(why) => Lookup::Missing(why),
            None => Lookup::Found(Node::at(data, value.prov.clone())),
        })
    }

    /// Evaluates a value found by a lookup; `None` if it reads itself.
    fn evaluate_in_context(&self, value: &Node, scope: Scope, root: ContextId) -> Result<Option<Node>> {
        match self.evaluate(value, scope.of(root)) {
            Ok(node) => Ok(Some(node)),
            Err(failure) if failure.circular => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}

/// Returns a mapping in its own context, and its entry for a key. `None` if the value is something else.
fn captured_entry(value: &Node, key: &str) -> Option<(Node, Option<Node>)> {
    let Lazy::Captured { node, context, is_final } = value.as_lazy()? else { return None };
    let found = node.as_map()?.get(key);
    Some((node.clone(), found.map(|found| captured(found, *context, *is_final))))
}

/// A value without the context that it belongs to.
fn inner(node: &Node) -> &Node {
    match node.as_lazy() {
        Some(Lazy::Captured { node, .. }) => node,
        _ => node,
    }
}

/// Whether there is something in a value that is to be evaluated.
pub(super) fn is_lazy(node: &Node) -> bool {
    match &node.data {
        Data::Lazy(_) | Data::Context(_) | Data::Open(..) => true,
        Data::List(items) => items.iter().any(is_lazy),
        Data::Map(map) => map.iter().any(|(_, node)| is_lazy(node)),
        _ => false,
    }
}

/// A value with the history of what it replaced.
fn overriding(node: Node, below: Option<&Node>) -> Node {
    match below {
        Some(below) if below.prov.origin != node.prov.origin => {
            Node { prov: node.prov.overriding(&below.to_value()), data: node.data }
        }
        _ => node,
    }
}

/// A key path as messages show it: `a.b["c.d"]`.
pub(crate) fn render(key: &[&str]) -> String {
    let mut out = String::new();
    for (i, segment) in key.iter().enumerate() {
        match i {
            0 => out.push_str(segment),
            _ if segment.contains(['.', '$', '{', '}']) => out.push_str(&format!("[{segment:?}]")),
            _ => {
                out.push('.');
                out.push_str(segment);
            }
        }
    }
    out
}
