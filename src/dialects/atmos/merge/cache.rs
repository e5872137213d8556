//! A cache of merges: the same maps, merged in the same mode, give the same map. Most components of a stack share most layers of
//! most sections, so this saves work and memory.

use crate::text::FastMap;
use crate::threads::PerThread;
use crate::value::Map;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// How many merges each thread remembers at most; then it starts anew.
const MOST: usize = 1 << 13;

/// The mode of a merge and its inputs, the lowest first.
type Merge = (u8, Box<[SameMap]>);

/// A map that is equal to none but itself. It is kept alive, so no other map can take its place in memory.
#[derive(Clone)]
struct SameMap(Arc<Map>);

impl PartialEq for SameMap {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SameMap {}

impl Hash for SameMap {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// The merges of a resolver, for each thread: threads that copy the same `Arc` slow each other down, because each copy writes its
/// reference count.
#[derive(Default)]
pub(in crate::dialects::atmos) struct MergeCache(PerThread<FastMap<Merge, Arc<Map>>>);

impl MergeCache {
    /// Returns the result of a merge of these maps in the given `mode`: the cached one, or that of `merge`.
    pub(super) fn get_or_merge(&self, mode: u8, inputs: &[&Arc<Map>], merge: impl FnOnce() -> Arc<Map>) -> Arc<Map> {
        let key: Merge = (mode, inputs.iter().map(|map| SameMap(Arc::clone(map))).collect());
        if let Some(known) = self.0.with(|known| known.get(&key).map(Arc::clone)).flatten() {
            return known;
        }
        let merged = merge();
        let dropped = self.0.with(|known| {
            let full = if known.len() < MOST { FastMap::default() } else { std::mem::take(known) };
            known.insert(key, Arc::clone(&merged));
            full
        });
        // Outside of the lock, because dropping many maps may take long.
        drop(dropped);
        merged
    }

    /// Drops all merges.
    pub(in crate::dialects::atmos) fn clear(&self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Data, Value, key};
    use std::sync::Weak;

    fn map(n: i64) -> Arc<Map> {
        Arc::new(Map::from_iter([(key("n"), Value::new(Data::Int(n)))]))
    }

    #[test]
    fn a_merge_is_cached() {
        let (a, b, merges) = (map(1), map(2), std::cell::Cell::new(0));
        let cache = MergeCache::default();
        let merge = |mode: u8, inputs: &[&Arc<Map>]| {
            cache.get_or_merge(mode, inputs, || {
                merges.set(merges.get() + 1);
                map(3)
            })
        };
        let results: Vec<_> = (0..4).map(|_| merge(7, &[&a, &b])).collect();
        assert_eq!(merges.get(), 1);
        assert!(results.iter().all(|result| Arc::ptr_eq(&results[0], result)));
        // Another mode, another order, or maps that only look the same are another merge.
        let equal = map(2);
        for (mode, inputs) in [(6, [&a, &b]), (7, [&b, &a]), (7, [&a, &equal])] {
            let before = merges.get();
            merge(mode, &inputs);
            assert_eq!(merges.get(), before + 1);
        }
    }

    #[test]
    fn a_map_at_the_address_of_a_dropped_one_is_another_map() {
        // Dropped maps free their addresses for new ones; cached maps are not dropped.
        let cache = MergeCache::default();
        for n in 0..2 * MOST as i64 {
            let (a, b) = (map(n), map(-n));
            for _ in 0..3 {
                let merged = cache.get_or_merge(1, &[&a, &b], || map(n));
                assert_eq!(merged.get("n"), Some(&Value::new(Data::Int(n))));
            }
        }
    }

    #[test]
    fn maps_are_dropped_with_the_cache() {
        let (a, b, cache) = (map(1), map(2), MergeCache::default());
        let merged: Vec<Weak<Map>> =
            (0..3).map(|_| Arc::downgrade(&cache.get_or_merge(0, &[&a, &b], || map(3)))).collect();
        assert!(merged[2].upgrade().is_some());
        cache.clear();
        assert!(merged[2].upgrade().is_none());
        assert_eq!(Arc::strong_count(&a), 1);
    }
}
