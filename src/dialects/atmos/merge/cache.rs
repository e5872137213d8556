//! A cache of merges: identical maps, merged in the same mode, return the identical map. Most components of a stack
//! share most layers of most sections, so this saves work and memory.

use super::held_back::HeldBackCache;
use crate::dialects::atmos::slot_table::{SeenHashes, SlotTable, mix};
use crate::threads::PerThread;
use crate::value::{Map, Prov, SharedTrails, Value};
use std::sync::Arc;

/// The number of merges that are cached for each thread, and the number whose occurrence is remembered. The tables that are read
/// for each merge fit into the second-level cache of a processor.
const CACHED: usize = 1 << 14;
const SEEN: usize = 1 << 14;

/// A merge: its mode, its inputs and its result. Inputs are compared by their addresses in memory, which stay valid
/// because the inputs are kept alive. A merge is one line in the cache of a processor.
#[repr(align(64))]
struct CachedMerge {
    mode: u8,
    inputs: Inputs,
    merged: Arc<Map>,
}

/// The number of maps that nearly all merges have at most.
const FEW: usize = 4;

/// The maps of a merge. A few are stored in place, which saves a read from memory for each use of a cached merge.
enum Inputs {
    Few([Option<Arc<Map>>; FEW]),
    Many(Vec<Arc<Map>>),
}

impl Inputs {
    fn new(maps: &[&Arc<Map>]) -> Self {
        match maps.len() {
            0..=FEW => Inputs::Few(std::array::from_fn(|number| maps.get(number).map(|map| Arc::clone(map)))),
            _ => Inputs::Many(maps.iter().map(|map| Arc::clone(map)).collect()),
        }
    }

    fn are_identical(&self, maps: &[&Arc<Map>]) -> bool {
        let is_same = |(known, map): (&Arc<Map>, &&Arc<Map>)| Arc::ptr_eq(known, map);
        match self {
            Inputs::Few(few) => {
                few.iter().flatten().count() == maps.len() && few.iter().flatten().zip(maps).all(is_same)
            }
            Inputs::Many(many) => many.len() == maps.len() && many.iter().zip(maps).all(is_same),
        }
    }
}

/// The merges of one thread.
#[derive(Default)]
struct Merges {
    cached: SlotTable<CachedMerge, CACHED>,
    /// Most merges occur only once, and caching those would cost more than it saves.
    seen: SeenHashes<SEEN>,
    trails: SharedTrails,
}

impl Merges {
    fn get(&self, hash: u64, mode: u8, inputs: &[&Arc<Map>]) -> Option<Arc<Map>> {
        let cached = self.cached.get(hash)?;
        (cached.mode == mode && cached.inputs.are_identical(inputs)).then(|| Arc::clone(&cached.merged))
    }

    /// Stores a merge that occurs for the second time, and returns the one that it replaces.
    fn store(&mut self, hash: u64, mode: u8, inputs: &[&Arc<Map>], merged: &Arc<Map>) -> Option<CachedMerge> {
        if !self.seen.is_repeated(hash) {
            return None;
        }
        self.cached.put(hash, CachedMerge { mode, inputs: Inputs::new(inputs), merged: Arc::clone(merged) })
    }
}

/// Recent merges of a resolution.
#[derive(Default)]
pub(in crate::dialects::atmos) struct MergeCache {
    merges: PerThread<Merges>,
    pub(super) held_back: HeldBackCache,
}

impl MergeCache {
    /// Returns the result of a merge of these maps in the given `mode`: the cached one, or that of `merge`.
    pub(super) fn get_or_merge(&self, mode: u8, inputs: &[&Arc<Map>], merge: impl FnOnce() -> Arc<Map>) -> Arc<Map> {
        let hash = hash(mode, inputs);
        if let Some(cached) = self.merges.with(|merges| merges.get(hash, mode, inputs)).flatten() {
            return cached;
        }
        let merged = merge();
        // What is replaced is dropped outside, because that may take long.
        let replaced = self.merges.with(|merges| merges.store(hash, mode, inputs, &merged));
        drop(replaced);
        merged
    }

    /// The provenance of a value that replaces another one in a merge.
    pub(super) fn overriding(&self, prov: &Prov, lower: &Value) -> Prov {
        self.merges.with(|merges| merges.trails.overriding(prov, lower)).unwrap_or_else(|| prov.overriding(lower))
    }

    /// Drops all merges.
    pub(in crate::dialects::atmos) fn clear(&self) {
        self.merges.clear();
        self.held_back.clear();
    }
}

fn hash(mode: u8, inputs: &[&Arc<Map>]) -> u64 {
    inputs.iter().fold(u64::from(mode) + 1, |sum, map| mix(sum, Arc::as_ptr(map).addr() as u64))
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
        assert!(Arc::ptr_eq(&results[1], &results[2]) && Arc::ptr_eq(&results[1], &results[3]));
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
        for n in 0..10_000 {
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
