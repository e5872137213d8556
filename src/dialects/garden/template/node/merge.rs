//! How values of several layers become one: mappings are merged key by key, lists index by index.

use super::{Data, Node, Object};
use crate::reads::made_of;
use crate::text::{ByAddress, Text};
use crate::value::Unknown;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::Arc;

/// The entries of a mapping that is made.
type Entries = indexmap::IndexMap<Text, Node, RandomState>;

/// A value over another one. A mapping over a list leaves the list; `undefined` replaces nothing.
pub(crate) fn merge(below: &Node, above: &Node) -> Node {
    merge_counted(below, above).0
}

/// The same, with the number of entries that were looked at.
pub(crate) fn merge_counted(below: &Node, above: &Node) -> (Node, u64) {
    let mut merge = Merge::default();
    let merged = merge.of(below, above);
    (merged, merge.entries)
}

/// The lower and the upper of two collections.
type Two<T> = (ByAddress<Arc<T>>, ByAddress<Arc<T>>);

/// What two collections become. Values that hold each other twice share nearly all that is in them: without that they are as
/// large as two to the power of their number.
#[derive(Default)]
struct Merge {
    lists: HashMap<Two<Vec<Node>>, Arc<Vec<Node>>, RandomState>,
    maps: HashMap<Two<Object>, Arc<Object>, RandomState>,
    /// How many entries were looked at.
    entries: u64,
}

impl Merge {
    fn of(&mut self, below: &Node, above: &Node) -> Node {
        let data = match (&below.data, &above.data) {
            (_, Data::Undefined) | (Data::List(_), Data::Map(_)) => return below.clone(),
            (Data::Map(lower), Data::Map(upper)) => Data::Map(self.maps(lower, upper)),
            (Data::List(lower), Data::List(upper)) => Data::List(self.lists(lower, upper)),
            (_, Data::Map(_) | Data::List(_)) if below.may_be_collection() => return merged_unknown(below, above),
            _ if above.may_be_collection() && (below.is_collection() || below.may_be_collection()) => {
                return merged_unknown(above, below);
            }
            _ => return Node { data: above.data.clone(), prov: above.prov.overriding(&below.to_value()) },
        };
        Node::at(data, above.prov.with_inputs([below.prov.clone()]))
    }

    fn maps(&mut self, lower: &Arc<Object>, upper: &Arc<Object>) -> Arc<Object> {
        let shared = shared(lower, upper);
        if shared.as_ref().is_some_and(|(lower, upper)| lower == upper) {
            return Arc::clone(lower);
        }
        if let Some(known) = shared.as_ref().and_then(|two| self.maps.get(two)) {
            return Arc::clone(known);
        }
        self.entries += (lower.len() + upper.len()) as u64;
        let mut entries: Entries = lower.iter().map(|(k, v)| (Text::clone(k), v.clone())).collect();
        for (key, node) in upper.iter() {
            match entries.get_mut(key) {
                Some(known) => *known = self.of(known, node),
                None => {
                    entries.insert(Text::clone(key), node.clone());
                }
            }
        }
        let merged = Arc::new(entries.into_iter().collect::<Object>());
        shared.map(|two| self.maps.insert(two, Arc::clone(&merged)));
        merged
    }

    fn lists(&mut self, lower: &Arc<Vec<Node>>, upper: &Arc<Vec<Node>>) -> Arc<Vec<Node>> {
        let shared = shared(lower, upper);
        if shared.as_ref().is_some_and(|(lower, upper)| lower == upper) {
            return Arc::clone(lower);
        }
        if let Some(known) = shared.as_ref().and_then(|two| self.lists.get(two)) {
            return Arc::clone(known);
        }
        self.entries += (lower.len() + upper.len()) as u64;
        let mut items: Vec<Node> = lower.to_vec();
        for (i, node) in upper.iter().enumerate() {
            match items.get_mut(i) {
                Some(known) => *known = self.of(known, node),
                None => items.push(node.clone()),
            }
        }
        let merged = Arc::new(items);
        shared.map(|two| self.lists.insert(two, Arc::clone(&merged)));
        merged
    }
}

/// A value that is not known, because it is merged with another one, and one of them is not.
pub(crate) fn merged_unknown(value: &Node, other: &Node) -> Node {
    let mut unknown = match (&value.data, &other.data) {
        (Data::Unknown(a), Data::Unknown(b)) if a == b => return value.clone(),
        (Data::Unknown(unknown), _) | (_, Data::Unknown(unknown)) => (**unknown).clone(),
        _ => Unknown::default(),
    };
    unknown.add_reads([value, other].map(|one| made_of::value("what is merged in it", &one.to_value())));
    Node::at(Data::Unknown(Arc::new(unknown)), value.prov.with_inputs([other.prov.clone()]))
}

/// Two collections that may be met again.
fn shared<T>(lower: &Arc<T>, upper: &Arc<T>) -> Option<Two<T>> {
    let is_shared = Arc::strong_count(lower) > 1 && Arc::strong_count(upper) > 1;
    is_shared.then(|| (ByAddress(Arc::clone(lower)), ByAddress(Arc::clone(upper))))
}

/// A merge patch (RFC 7396) on a value: null takes keys away, lists are replaced.
pub(crate) fn patch(below: &Node, above: &Node) -> Node {
    let Data::Map(upper) = &above.data else {
        let may_merge = above.may_be_collection() && (below.may_be_collection() || below.as_map().is_some());
        return if may_merge { merged_unknown(above, below) } else { above.clone() };
    };
    if below.may_be_collection() {
        return merged_unknown(below, above);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{FileId, Origin, Prov};

    #[test]
    fn values_that_share_their_content_are_merged_without_taking_it_apart() {
        let tree = |file: u32| {
            let prov = Prov::at(Origin { file: FileId::new(file), key: 1, start: 1, end: 2 });
            let mut node = Node::at(Data::Null, prov);
            for level in 0..60 {
                let both = [node.clone(), node];
                node = match level % 2 {
                    0 => Node::list(both.into()),
                    _ => Node::map([Text::from("a"), "b".into()].into_iter().zip(both)),
                };
            }
            node
        };
        let mut merged = merge(&tree(1), &tree(2));
        while merged.is_collection() {
            let first = merged.as_list().and_then(|items| items.first()).or_else(|| merged.get("a"));
            merged = first.cloned().unwrap_or_default();
        }
        assert_eq!(merged.prov.origin.map(|origin| origin.file), Some(FileId::new(2)));
        assert_eq!(merged.prov.overrode().and_then(|value| value.prov.origin).map(|o| o.file), Some(FileId::new(1)));
    }
}
