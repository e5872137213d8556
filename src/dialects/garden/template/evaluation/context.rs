//! Contexts: the data in which key paths of templates are looked up. A context is data whose parts may be contexts or
//! unevaluated, or layers of other contexts, of which later ones take precedence.

use super::evaluator::{Evaluator, Scope, captured};
use super::lookup::{Lookup, Missing};
use super::made_of;
use super::roots::Roots;
use crate::dialects::garden::template::failure::{Failure, FailureKind, Result};
use crate::dialects::garden::template::node::merge::merged_unknown;
use crate::dialects::garden::template::node::{ContextId, Data, Lazy, Node, array_index, keys};
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

    pub(super) fn context(&self, id: ContextId) -> Context {
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
    pub(super) fn resolve(&self, id: ContextId, query: Query<'_>, path: &mut Vec<Text>) -> Result<Lookup> {
        self.spend(1)?;
        if let Some(node) = self.plain(id, query.key) {
            return Ok(Lookup::Found(node));
        }
        let (before, circles) = (self.spent(), self.circles.get());
        let text = query.joined.first().map_or_else(|| joined(query.key), Text::clone);
        let query =
            Query { joined: if query.joined.is_empty() { slice::from_ref(&text) } else { query.joined }, ..query };
        let frame = (id, Text::clone(&text));
        if self.under_way.borrow().contains(&frame) {
            self.circles.set(self.circles.get() + 1);
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
        // What was found without a value that is still under way is not what it is later.
        if let Ok(Lookup::Found(node)) = &done
            && circles == self.circles.get()
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
                let inner = Data::Unknown(Arc::new(made_of::inside(unknown)));
                return Ok(Lookup::Found(Node::at(inner, value.prov.clone())));
            }
            Data::Map(map) => match map.get(&next.text) {
                None => map.get(keys::MERGE).filter(|merged| merged.is_unknown()).map(|merged| part_of(merged, &value)),
                found => found.cloned(),
            },
            Data::Open(map, unknown) => {
                map.get(&next.text).cloned().or_else(|| Some(Node::new(Data::Unknown(Arc::clone(unknown)))))
            }
            Data::List(items) => match &*next.text {
                "length" => match items.iter().find(|item| made_of::is_spliced(item)) {
                    Some(some) => Some(part_of(some, &value)),
                    None => Some(Node::at(Data::Number(items.len() as f64), value.prov.clone())),
                },
                index => array_index(index).and_then(|i| {
                    let index = i as usize;
                    match items.iter().take(index + 1).find(|item| made_of::is_spliced(item)) {
                        Some(some) => Some(part_of(some, &value)),
                        None => items.get(index).cloned(),
                    }
                }),
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
        if let Data::Open(known, unknown) = &value.data {
            let known = Node::new(Data::Map(Arc::clone(known)));
            return Ok(Lookup::Found(merged_unknown(&Node::new(Data::Unknown(Arc::clone(unknown))), &known)));
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

/// Something of a collection that has unknown entries.
fn part_of(entries: &Node, collection: &Node) -> Node {
    let merged = merged_unknown(entries, collection);
    match &merged.data {
        Data::Unknown(unknown) => Node { data: Data::Unknown(Arc::new(made_of::inside(unknown))), prov: merged.prov },
        _ => merged,
    }
}

/// A value without the context that it belongs to.
pub(super) fn inner(node: &Node) -> &Node {
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
