//! Evaluates the structural operators.

use super::evaluator::{Evaluator, Scope, captured};
use super::{made_of, references};
use crate::dialects::garden::template::failure::{Failure, FailureKind, Result, natural_list};
use crate::dialects::garden::template::node::{Data, Node, Object, Operator, OperatorKind, keys};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::text::Text;
use indexmap::IndexMap;
use std::sync::Arc;

/// Each item of a loop gets its own context, which is kept for the whole evaluation.
const STEPS_OF_AN_ITEM: u64 = 50;

impl Evaluator {
    /// Evaluates a structural operator.
    pub(super) fn operator(&self, operator: &Operator, node: &Node, scope: Scope) -> Result<Node> {
        match &operator.kind {
            OperatorKind::Merge(map) => self.merge_operator(map, node, scope),
            OperatorKind::Concat(items) => self.concat(items, node, scope),
            OperatorKind::Flatten(each) => {
                let lists = self.evaluate(each, scope)?;
                let Some(lists) = lists.as_list() else { return Ok(lists) };
                let mut out = Vec::new();
                for list in lists.iter() {
                    self.append(list, node, scope, &mut out)?;
                }
                Ok(Node::at(Data::List(Arc::new(out)), node.prov.clone()))
            }
            OperatorKind::If { test, then, otherwise } => {
                let value = self.evaluate(test, scope)?;
                let branch = match value.data {
                    Data::Bool(true) => then,
                    Data::Bool(false) => otherwise,
                    Data::Unknown(_) => return self.unknown_operator(operator, &value, node, scope),
                    _ if self.is_partial => return Ok(operator.source.clone()),
                    _ => {
                        let got = value.type_of();
                        let message = format!("Value of $if key must be (or resolve to) a boolean (got {got})");
                        return Err(Failure::plain(FailureKind::Structure, message, &test.prov));
                    }
                };
                let chosen = self.evaluate(branch, scope)?;
                let prov = chosen.prov.with_inputs([value.prov]);
                Ok(Node { data: chosen.data, prov })
            }
            OperatorKind::ForEach { input, filter, result } => {
                self.for_each(operator, (input, filter.as_ref(), result), node, scope)
            }
        }
    }

    fn merge_operator(&self, map: &Object, node: &Node, scope: Scope) -> Result<Node> {
        let mut out: IndexMap<Text, Node> = IndexMap::new();
        let mut inputs = Vec::new();
        for (key, value) in map.iter() {
            if key != keys::MERGE {
                out.insert(Text::clone(key), value.clone());
                continue;
            }
            let skips = !scope.is_final && value.as_lazy().is_some() && !references::can_evaluate(self, value, scope)?;
            if skips {
                continue;
            }
            let merged = self.evaluate(value, scope)?;
            match &merged.data {
                Data::Map(entries) => {
                    inputs.push(merged.prov.clone());
                    out.extend(entries.iter().map(|(key, value)| (Text::clone(key), value.clone())));
                }
                // Its other entries are unknown; the entries beside it are known.
                Data::Unknown(_) => {
                    out.insert(Text::clone(key), merged);
                }
                _ => {
                    let got = merged.type_of();
                    let message = format!("Value of $merge key must be (or resolve to) a mapping object (got {got})");
                    return Err(Failure::plain(FailureKind::Structure, message, &value.prov));
                }
            }
        }
        let data = Data::Map(Arc::new(out.into_iter().collect::<Object>()));
        Ok(Node::at(data, node.prov.with_inputs(inputs)))
    }

    fn concat(&self, items: &[Node], node: &Node, scope: Scope) -> Result<Node> {
        let mut out = Vec::new();
        for item in items {
            let Some(value) = item.get(keys::CONCAT) else {
                out.push(item.clone());
                continue;
            };
            let others: Vec<String> = item
                .as_map()
                .map(|map| map.keys().filter(|k| *k != keys::CONCAT).map(|k| format!("{k:?}")).collect())
                .unwrap_or_default();
            if !others.is_empty() {
                let message = format!(
                    "A list item with a $concat key cannot have any other keys (found {})",
                    natural_list(&others)
                );
                return Err(Failure::plain(FailureKind::Structure, message, &item.prov));
            }
            self.append(value, node, scope, &mut out)?;
        }
        Ok(Node::at(Data::List(Arc::new(out)), node.prov.clone()))
    }

    /// Adds the items of a list.
    fn append(&self, value: &Node, node: &Node, scope: Scope, out: &mut Vec<Node>) -> Result<()> {
        let list = self.evaluate(value, scope)?;
        match &list.data {
            Data::List(items) => {
                self.spend(items.len() as u64)?;
                out.extend(items.iter().cloned());
                Ok(())
            }
            // Some further, unknown items.
            Data::Unknown(unknown) => {
                out.push(Node::at(Data::Unknown(Arc::new(made_of::spliced(unknown))), list.prov.clone()));
                Ok(())
            }
            Data::Text(_) if self.is_partial => {
                out.push(Node::map([(keys::CONCAT.into(), list)]));
                Ok(())
            }
            _ => {
                let got = list.type_of();
                let message = format!("Value of $concat key must be (or resolve to) an array (got {got})");
                let place = if value.prov.origin.is_some() { &value.prov } else { &node.prov };
                Err(Failure::plain(FailureKind::Structure, message, place))
            }
        }
    }

    fn for_each(
        &self,
        operator: &Operator,
        (input, filter, result): (&Node, Option<&Node>, &Node),
        node: &Node,
        scope: Scope,
    ) -> Result<Node> {
        let collection = self.evaluate(input, scope)?;
        let entries: Vec<(Text, Node)> = match &collection.data {
            Data::Text(_) if self.is_partial => return Ok(operator.source.clone()),
            Data::Map(map) if self.is_partial && map.keys().any(|key| key.starts_with('$')) => {
                return Ok(operator.source.clone());
            }
            Data::List(items) => {
                items.iter().enumerate().map(|(i, item)| (Text::from(i.to_string()), item.clone())).collect()
            }
            Data::Map(map) => map.iter().map(|(key, value)| (Text::clone(key), value.clone())).collect(),
            Data::Unknown(_) => return self.unknown_operator(operator, &collection, node, scope),
            _ => {
                let got = collection.type_of();
                let message =
                    format!("Value of $forEach key must be (or resolve to) an array or mapping object (got {got})");
                return Err(Failure::plain(FailureKind::Structure, message, &input.prov));
            }
        };
        let mut out = Vec::new();
        for (key, value) in entries {
            self.spend(STEPS_OF_AN_ITEM)?;
            if made_of::is_spliced(&value) {
                let some = self.unknown_operator(operator, &value, node, scope)?;
                self.append(&some, node, scope, &mut out)?;
                continue;
            }
            let item =
                Node::map([("key".into(), Node::at(Data::Text(key), value.prov.clone())), ("value".into(), value)]);
            let item = self.data(Node::map([("item".into(), item)]));
            let context = self.above(scope.context, item);
            if let Some(filter) = filter {
                let kept = self.evaluate(filter, scope.of(context))?;
                match kept.data {
                    Data::Bool(true) => {}
                    Data::Bool(false) => continue,
                    Data::Unknown(_) => return self.unknown_operator(operator, &kept, node, scope),
                    _ => {
                        let got = match self.era() {
                            LanguageVersion::Cedar => kept.type_of(),
                            LanguageVersion::Bonsai => "object",
                        };
                        let message =
                            format!("$filter clause in $forEach loop must resolve to a boolean value (got {got})");
                        return Err(Failure::plain(FailureKind::Structure, message, &filter.prov));
                    }
                }
            }
            out.push(captured(result, context, scope.is_final));
        }
        Ok(Node::at(Data::List(Arc::new(out)), node.prov.with_inputs([collection.prov])))
    }
}
