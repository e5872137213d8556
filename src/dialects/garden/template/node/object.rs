//! Mappings in the order in which JavaScript has their keys.

use super::Node;
use crate::text::Text;
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::Arc;

/// A mapping in the order of its keys as JavaScript has it: integers first, ascending, then the others as they were set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    entries: Vec<(Text, Node)>,
    /// The positions of keys among the entries; `None` if there are few.
    index: Option<Arc<HashMap<Text, usize, RandomState>>>,
}

/// In as many entries a key is found as fast without an index. Most mappings are that small, and very many are made.
const FEW: usize = 16;

impl Object {
    /// A mapping of few words, each once.
    pub(super) fn record(entries: Vec<(Text, Node)>) -> Object {
        Object { index: index(&entries), entries }
    }

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

    /// Whether it has no keys.
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

/// Where keys are among many entries; `None` if there are few.
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
    use crate::dialects::garden::template::node::Data;

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
