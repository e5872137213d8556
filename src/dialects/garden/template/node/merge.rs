//! How values of several layers become one: mappings are merged key by key, lists index by index.

use super::{Data, Node, Object};
use crate::text::Text;
use foldhash::fast::RandomState;
use std::sync::Arc;

/// The entries of a mapping that is made.
type Entries = indexmap::IndexMap<Text, Node, RandomState>;

/// A value over another one. A mapping over a list leaves the list; `undefined` replaces nothing.
pub(crate) fn merge(below: &Node, above: &Node) -> Node {
    match (&below.data, &above.data) {
        (_, Data::Undefined) => below.clone(),
        (Data::Map(lower), Data::Map(upper)) => {
            let mut entries: Entries = lower.iter().map(|(k, v)| (Text::clone(k), v.clone())).collect();
            for (key, node) in upper.iter() {
                match entries.get_mut(key) {
                    Some(known) => *known = merge(known, node),
                    None => {
                        entries.insert(Text::clone(key), node.clone());
                    }
                }
            }
            let prov = above.prov.with_inputs([below.prov.clone()]);
            Node::at(Data::Map(Arc::new(entries.into_iter().collect::<Object>())), prov)
        }
        (Data::List(lower), Data::List(upper)) => {
            let mut items: Vec<Node> = lower.to_vec();
            for (i, node) in upper.iter().enumerate() {
                match items.get_mut(i) {
                    Some(known) => *known = merge(known, node),
                    None => items.push(node.clone()),
                }
            }
            Node::at(Data::List(Arc::new(items)), above.prov.with_inputs([below.prov.clone()]))
        }
        (Data::List(_), Data::Map(_)) => below.clone(),
        _ => Node { data: above.data.clone(), prov: above.prov.overriding(&below.to_value()) },
    }
}

/// A merge patch (RFC 7396) on a value: null takes keys away, lists are replaced.
pub(crate) fn patch(below: &Node, above: &Node) -> Node {
    let Data::Map(upper) = &above.data else { return above.clone() };
    let mut entries: Entries = match &below.data {
        Data::Map(lower) => lower.iter().map(|(k, v)| (Text::clone(k), v.clone())).collect(),
        _ => Entries::default(),
    };
    for (key, node) in upper.iter() {
        if matches!(node.data, Data::Null) {
            entries.shift_remove(key);
            continue;
        }
        let known = entries.get(key).cloned().unwrap_or_default();
        let mut patched = patch(&known, node);
        if !known.is_undefined() && !patched.is_collection() {
            patched.prov = patched.prov.overriding(&known.to_value());
        }
        entries.insert(Text::clone(key), patched);
    }
    Node::at(Data::Map(Arc::new(entries.into_iter().collect::<Object>())), above.prov.with_inputs([below.prov.clone()]))
}
