//! Values for reports.

use super::{Data, Node, Object};
use crate::text::{ByAddress, Text};
use crate::value::{self, Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Values of nodes. A collection that nodes share is one that their values share: variables that hold each other twice are as
/// large as two to the power of their number.
#[derive(Default)]
pub(crate) struct Values {
    lists: HashMap<ByAddress<Arc<Vec<Node>>>, Arc<Vec<Value>>>,
    maps: HashMap<ByAddress<Arc<Object>>, Arc<Map>>,
}

impl Values {
    /// The value of a node. What is still lazy is shown as it is written.
    pub(crate) fn of(&mut self, node: &Node) -> Value {
        let data = match &node.data {
            Data::Undefined | Data::Null | Data::Context(_) => value::Data::Null,
            Data::Bool(b) => value::Data::Bool(*b),
            Data::Number(n) => number(*n),
            Data::Text(text) => value::Data::Str(Text::clone(text)),
            Data::List(items) => value::Data::List(self.list(items)),
            Data::Map(map) => value::Data::Map(self.map(map)),
            Data::Lazy(lazy) => return self.of(&lazy.source()).with_prov(node.prov.clone()),
            Data::Open(_, unknown) | Data::Unknown(unknown) => value::Data::Unknown(Arc::clone(unknown)),
        };
        Value { data, prov: node.prov.clone() }
    }

    fn list(&mut self, items: &Arc<Vec<Node>>) -> Arc<Vec<Value>> {
        let is_shared = Arc::strong_count(items) > 1;
        if let Some(known) = is_shared.then(|| self.lists.get(&ByAddress(Arc::clone(items)))).flatten() {
            return Arc::clone(known);
        }
        let list: Arc<Vec<Value>> = Arc::new(items.iter().map(|item| self.of(item)).collect());
        if is_shared {
            self.lists.insert(ByAddress(Arc::clone(items)), Arc::clone(&list));
        }
        list
    }

    fn map(&mut self, entries: &Arc<Object>) -> Arc<Map> {
        let is_shared = Arc::strong_count(entries) > 1;
        if let Some(known) = is_shared.then(|| self.maps.get(&ByAddress(Arc::clone(entries)))).flatten() {
            return Arc::clone(known);
        }
        let defined = entries.iter().filter(|(_, node)| !node.is_undefined());
        let map: Arc<Map> = Arc::new(defined.map(|(key, node)| (Text::clone(key), self.of(node))).collect());
        if is_shared {
            self.maps.insert(ByAddress(Arc::clone(entries)), Arc::clone(&map));
        }
        map
    }
}

/// A number for reports: an integer if possible.
fn number(n: f64) -> value::Data {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if n.fract() == 0.0 && n.abs() <= EXACT { value::Data::Int(n as i64) } else { value::Data::Float(n) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nodes_share_their_values_share() {
        let mut node = Node::list(vec![Node::text("x")]);
        for level in 0..60 {
            let both = [node.clone(), node];
            node = match level % 2 {
                0 => Node::list(both.into()),
                _ => Node::map([Text::from("a"), "b".into()].into_iter().zip(both)),
            };
        }
        let mut values = Values::default();
        let same = node.clone();
        let value = values.of(&node);
        assert!(value.is_identical(&values.of(&same)), "also from one conversion to the next");
        assert!(value.get("a").zip(value.get("b")).is_some_and(|(a, b)| a.is_identical(b)));
    }
}
