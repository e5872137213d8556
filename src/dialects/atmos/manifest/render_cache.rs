//! A cache of rendered files: the second of two revisions renders only files that changed, or that get another context.

use crate::text::{FastMap, Text};
use crate::value::{Data, FileId, Map};
use parking_lot::Mutex;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

/// The files that were rendered; both revisions share it. Each has one result, the last one.
#[derive(Default)]
pub(in crate::dialects::atmos) struct RenderCache(Mutex<FastMap<RenderKey, Rendered>>);

/// What a file is rendered with, except for the contents of its context. The functions are the same for all files.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct RenderKey {
    file: FileId,
    /// The delimiter of keys.
    delimiter: Option<Text>,
    ignore_missing: bool,
    /// A hash of the context.
    context: u64,
}

/// A rendered file.
#[derive(Clone)]
struct Rendered {
    /// The context that its importer passed.
    given: Arc<Map>,
    content: Map,
    context: Arc<Map>,
}

impl RenderKey {
    /// The key of a file whose importer passes the context `given`.
    pub(super) fn new(file: FileId, delimiter: Option<&str>, ignore_missing: bool, given: &Map) -> Self {
        let mut hasher = foldhash::fast::FixedState::default().build_hasher();
        for entry in given.iter() {
            entry.key.hash(&mut hasher);
            hash_identity(&entry.value.data, &mut hasher);
        }
        RenderKey { file, delimiter: delimiter.map(Text::from), ignore_missing, context: hasher.finish() }
    }
}

/// Hashes what `Value::is_identical` compares.
fn hash_identity(data: &Data, hasher: &mut impl Hasher) {
    match data {
        Data::Str(text) => text.as_ptr().addr().hash(hasher),
        Data::List(items) => Arc::as_ptr(items).addr().hash(hasher),
        Data::Map(map) => Arc::as_ptr(map).addr().hash(hasher),
        Data::Int(number) => number.hash(hasher),
        Data::Bool(truth) => truth.hash(hasher),
        _ => {}
    }
}

impl RenderCache {
    /// Returns the content of a file that was rendered with the identical context, and the context that it hands to its imports.
    pub(super) fn get(&self, key: &RenderKey, given: &Map) -> Option<(Map, Arc<Map>)> {
        let all = self.0.lock();
        let found = all.get(key).filter(|found| is_identical(&found.given, given))?;
        Some((found.content.clone(), Arc::clone(&found.context)))
    }

    /// Stores the content of a file and its context. What is replaced is dropped outside of the lock.
    pub(super) fn put(&self, key: RenderKey, given: &Arc<Map>, content: &Map, context: &Arc<Map>) {
        let rendered = Rendered { given: Arc::clone(given), content: content.clone(), context: Arc::clone(context) };
        let replaced = self.0.lock().insert(key, rendered);
        drop(replaced);
    }

    /// Drops all results.
    pub(in crate::dialects::atmos) fn clear(&self) {
        self.0.lock().clear();
    }
}

/// Whether both maps have the same values in memory.
fn is_identical(a: &Map, b: &Map) -> bool {
    a.has_same_keys(b) && a.iter().zip(b.iter()).all(|(a, b)| a.value.is_identical(&b.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Origin, Value, key};

    fn context(stage: &Text, start: u32) -> Arc<Map> {
        let origin = Origin { file: FileId::new(0), key: start, start, end: start + 3 };
        Arc::new(Map::from_iter([(key("stage"), Value::at(Data::Str(stage.clone()), origin))]))
    }

    #[test]
    fn only_the_identical_context_counts() {
        let (cache, stage) = (RenderCache::default(), Text::from("dev".to_owned()));
        let content = Map::from_iter([(key("a"), Value::new(Data::Int(1)))]);
        let first = context(&stage, 1);
        let of = |file: u32, given: &Map| RenderKey::new(FileId::new(file), None, false, given);
        cache.put(of(0, &first), &first, &content, &first);
        let is_known = |key: &RenderKey, given: &Map| cache.get(key, given).is_some();
        assert!(is_known(&of(0, &first), &first));
        // The values count, not the map around them.
        let same = context(&stage, 1);
        assert!(is_known(&of(0, &same), &same));
        let equal = context(&Text::from("dev".to_owned()), 1);
        for (key, given) in [
            (of(1, &first), &first),
            (of(0, &equal), &equal),
            (of(0, &first), &equal),
            (of(0, &first), &context(&stage, 2)),
            (of(0, &first), &Arc::default()),
            (RenderKey::new(FileId::new(0), Some("."), false, &first), &first),
            (RenderKey::new(FileId::new(0), None, true, &first), &first),
        ] {
            assert!(!is_known(&key, given));
        }
        cache.clear();
        assert!(!is_known(&of(0, &first), &first));
    }
}
