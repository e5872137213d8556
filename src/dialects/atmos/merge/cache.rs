//! A cache of merges: the same maps, merged in the same mode, give the same map. Most components of a stack share most layers of
//! most sections, so this saves work and memory.

use crate::text::ByAddress;
use crate::threads::PerThread;
use crate::value::Map;
use foldhash::fast::RandomState;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

/// The number of merges that each thread remembers, and of which it remembers that they occurred once. Both are powers of two.
const SLOTS: usize = 1 << 14;

/// The number of maps that nearly all merges have at most.
const FEW: usize = 4;

/// The maps of a merge, the lowest first.
enum Inputs {
    /// A few, without memory of their own.
    Few([Option<ByAddress<Arc<Map>>>; FEW]),
    Many(Box<[ByAddress<Arc<Map>>]>),
}

impl Inputs {
    fn new(maps: &[&Arc<Map>]) -> Self {
        let mut maps = maps.iter().map(|map| ByAddress(Arc::clone(map)));
        match maps.len() {
            0..=FEW => Inputs::Few(std::array::from_fn(|_| maps.next())),
            _ => Inputs::Many(maps.collect()),
        }
    }

    fn are(&self, maps: &[&Arc<Map>]) -> bool {
        let maps = maps.iter().map(|map| ByAddress(*map));
        match self {
            Inputs::Few(few) => few.iter().flatten().map(|known| ByAddress(&known.0)).eq(maps),
            Inputs::Many(many) => many.iter().map(|known| ByAddress(&known.0)).eq(maps),
        }
    }
}

/// A merge and its result.
struct Merge {
    mode: u8,
    inputs: Inputs,
    merged: Arc<Map>,
}

/// The merges of one thread, each in the slot of its hash. A new one replaces the one before it.
#[derive(Default)]
struct Merges {
    slots: Vec<Option<Merge>>,
    /// The hashes of merges that occurred. Most occur only once, and remembering those would cost more than it saves.
    seen: Vec<u64>,
}

impl Merges {
    fn get(&self, hash: u64, mode: u8, inputs: &[&Arc<Map>]) -> Option<Arc<Map>> {
        let known = self.slots.get(slot(hash))?.as_ref()?;
        (known.mode == mode && known.inputs.are(inputs)).then(|| Arc::clone(&known.merged))
    }

    /// Stores a merge that occurs for the second time, and returns the one that it replaces.
    fn store(&mut self, hash: u64, mode: u8, inputs: &[&Arc<Map>], merged: &Arc<Map>) -> Option<Merge> {
        if self.seen.is_empty() {
            self.seen.resize(SLOTS, 0);
            self.slots.resize_with(SLOTS, || None);
        }
        if std::mem::replace(&mut self.seen[slot(hash)], hash) != hash {
            return None;
        }
        self.slots[slot(hash)].replace(Merge { mode, inputs: Inputs::new(inputs), merged: Arc::clone(merged) })
    }
}

/// The upper bits of a hash depend on all of it.
fn slot(hash: u64) -> usize {
    (hash >> 40) as usize % SLOTS
}

/// The merges of a resolver, for each thread: threads that copy the same `Arc` slow each other down, because each copy writes its
/// reference count.
#[derive(Default)]
pub(in crate::dialects::atmos) struct MergeCache(PerThread<Merges>, RandomState);

impl MergeCache {
    /// Returns the result of a merge of these maps in the given `mode`: the cached one, or that of `merge`.
    pub(super) fn get_or_merge(&self, mode: u8, inputs: &[&Arc<Map>], merge: impl FnOnce() -> Arc<Map>) -> Arc<Map> {
        let mut hasher = self.1.build_hasher();
        inputs.iter().for_each(|map| ByAddress(*map).hash(&mut hasher));
        mode.hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = self.0.with(|merges| merges.get(hash, mode, inputs)).flatten() {
            return known;
        }
        let merged = merge();
        // What is replaced is dropped outside, because that may take long.
        let replaced = self.0.with(|merges| merges.store(hash, mode, inputs, &merged));
        drop(replaced);
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
    fn a_merge_is_cached_when_it_occurs_twice() {
        let (a, b, merges) = (map(1), map(2), std::cell::Cell::new(0));
        let cache = MergeCache::default();
        let merge = |mode: u8, inputs: &[&Arc<Map>]| {
            cache.get_or_merge(mode, inputs, || {
                merges.set(merges.get() + 1);
                map(3)
            })
        };
        let results: Vec<_> = (0..4).map(|_| merge(7, &[&a, &b])).collect();
        assert_eq!(merges.get(), 2);
        assert!(results[1..].iter().all(|result| Arc::ptr_eq(&results[1], result)));
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
        for n in 0..10_000_i64 {
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
