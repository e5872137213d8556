//! Lookups in contexts that are layers of others: which layer decides, and what layers have together.

use super::context::{Context, Query, inner};
use super::evaluator::Evaluator;
use super::lookup::{Lookup, Missing};
use crate::dialects::garden::template::failure::{FailureKind, Result};
use crate::dialects::garden::template::node::merge::{merge_counted, merged_unknown};
use crate::dialects::garden::template::node::{ContextId, Data, Node};
use crate::dialects::garden::template::syntax::path::Segment;
use crate::text::Text;

impl Evaluator {
    /// The topmost layer that has a single value decides; collections of several layers are merged.
    pub(super) fn resolve_layers(
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
                Lookup::Found(node) if node.may_be_collection() => {
                    let lower = match self.resolve_layers(&layers[..index], false, query, path) {
                        Ok(Lookup::Found(lower)) => Some(lower),
                        Err(failure) if failure.kind == FailureKind::Limit => return Err(failure),
                        Ok(Lookup::Missing(_)) | Err(_) => None,
                    };
                    // It may be a collection, which is merged with others, or be in one that has no such key.
                    let is_inside = query.key.len() > 1;
                    let counts = |node: &Node| is_inside || node.is_collection() || node.may_be_collection();
                    let others = lower.into_iter().chain(found).filter(counts);
                    return Ok(Lookup::Found(others.fold(node, |node, other| merged_unknown(&node, &other))));
                }
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
