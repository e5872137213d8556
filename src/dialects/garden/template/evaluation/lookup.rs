//! The result of looking up a key in a context.

use crate::dialects::garden::template::node::{Data, Node};
use crate::text::Text;

/// The most keys that are listed: each reference to a missing one lists them.
const MAX_AVAILABLE: usize = 300;

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
    /// The keys that are there, in order, each once; of very many the first ones.
    pub(crate) fn available(&self) -> Vec<Text> {
        let mut known = indexmap::IndexSet::new();
        for collection in &self.available {
            let room = MAX_AVAILABLE.saturating_sub(known.len());
            match &collection.data {
                Data::Map(map) => {
                    let keys = map.keys().filter(|k| !k.starts_with('_') && **k != self.key);
                    known.extend(keys.take(room).cloned());
                }
                Data::List(items) => known.extend((0..items.len().min(room)).map(|i| Text::from(i.to_string()))),
                _ => {}
            }
        }
        known.into_iter().collect()
    }
}
