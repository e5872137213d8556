//! The result of looking up a key in a context.

use crate::dialects::garden::template::node::{Data, Node};
use crate::text::Text;

/// The result of a lookup.
#[derive(Clone, Debug)]
pub(crate) enum Lookup {
    /// A value without anything lazy in it.
    Found(Node),
    /// There is no value.
    Missing(Box<Missing>),
}

/// Why a lookup finds nothing.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    /// Whether the value reads itself.
    pub circular: bool,
    /// The key that is not there.
    pub key: Text,
    /// The path without a value.
    pub path: Vec<Text>,
    /// The collections that could have had it.
    pub(super) available: Vec<Node>,
}

impl Missing {
    /// The keys that are there, in order, each once.
    pub(crate) fn available(&self) -> Vec<Text> {
        let mut known = indexmap::IndexSet::new();
        for collection in &self.available {
            match &collection.data {
                Data::Map(map) => known.extend(map.keys().filter(|k| !k.starts_with('_') && **k != self.key).cloned()),
                Data::List(items) => known.extend((0..items.len()).map(|i| Text::from(i.to_string()))),
                _ => {}
            }
        }
        known.into_iter().collect()
    }
}
