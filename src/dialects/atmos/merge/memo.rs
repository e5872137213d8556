//! A cache of merges: identical maps, merged in the same way, return the identical map. Most components of a stack
//! share most layers of most sections, so this saves work and memory.

use crate::value::Map;
use std::cell::RefCell;
use std::sync::Arc;

/// The number of merges that each thread caches, and the number whose occurrence it remembers.
const KEPT: usize = 512;
const SEEN: usize = 4096;

/// The inputs of a merge: the addresses of the maps in memory, which are valid as long as the maps are cached.
struct Done {
    way: u8,
    inputs: Vec<Arc<Map>>,
    merged: Arc<Map>,
}

/// The merges of one thread, each in the slot of its inputs.
struct Memo {
    kept: Vec<Option<Done>>,
    /// Inputs that occurred once. Most merges occur only once, and caching those would cost more than it saves.
    seen: Vec<u64>,
}

thread_local!(static MEMO: RefCell<Memo> = RefCell::new(Memo::new()));

impl Memo {
    fn new() -> Self {
        Memo { kept: std::iter::repeat_with(|| None).take(KEPT).collect(), seen: vec![0; SEEN] }
    }

    fn known(&self, print: u64, way: u8, inputs: &[&Arc<Map>]) -> Option<Arc<Map>> {
        let done = self.kept[place(print, KEPT)].as_ref()?;
        let same = done.way == way
            && done.inputs.len() == inputs.len()
            && done.inputs.iter().zip(inputs).all(|(a, b)| Arc::ptr_eq(a, b));
        same.then(|| Arc::clone(&done.merged))
    }

    fn keep(&mut self, print: u64, way: u8, inputs: &[&Arc<Map>], merged: &Arc<Map>) -> Option<Done> {
        let seen = &mut self.seen[place(print, SEEN)];
        if std::mem::replace(seen, print) != print {
            return None;
        }
        let inputs = inputs.iter().map(|map| Arc::clone(map)).collect();
        self.kept[place(print, KEPT)].replace(Done { way, inputs, merged: Arc::clone(merged) })
    }
}

/// Returns the result of a merge of these maps in the given `way`: the cached one, or the result of `merge`.
pub(in crate::dialects::atmos) fn once(way: u8, inputs: &[&Arc<Map>], merge: impl FnOnce() -> Arc<Map>) -> Arc<Map> {
    let print = fingerprint(way, inputs);
    if let Some(known) = MEMO.with_borrow(|memo| memo.known(print, way, inputs)) {
        return known;
    }
    let merged = merge();
    let replaced = MEMO.with_borrow_mut(|memo| memo.keep(print, way, inputs, &merged));
    // Dropped when the memo is not borrowed.
    drop(replaced);
    merged
}

/// Never zero, which means an empty slot.
fn fingerprint(way: u8, inputs: &[&Arc<Map>]) -> u64 {
    let mix = |sum: u64, more: u64| (sum.rotate_left(5) ^ more).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    inputs.iter().fold(u64::from(way) + 1, |sum, map| mix(sum, Arc::as_ptr(map).addr() as u64)) | 1
}

fn place(print: u64, places: usize) -> usize {
    // The upper bits depend on all of the input.
    (print >> 40) as usize % places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Data, Value, key};

    fn map(n: i64) -> Arc<Map> {
        Arc::new(Map::from_iter([(key("n"), Value::new(Data::Int(n)))]))
    }

    #[test]
    fn the_third_time_it_is_known() {
        let (a, b, made) = (map(1), map(2), std::cell::Cell::new(0));
        let merge = |way: u8, inputs: &[&Arc<Map>]| {
            once(way, inputs, || {
                made.set(made.get() + 1);
                map(3)
            })
        };
        let results: Vec<_> = (0..4).map(|_| merge(7, &[&a, &b])).collect();
        assert_eq!(made.get(), 2);
        assert!(Arc::ptr_eq(&results[1], &results[2]) && Arc::ptr_eq(&results[1], &results[3]));
        // Another way, another order, or maps that only look the same are something else.
        let counterpart = map(2);
        for (way, inputs) in [(6, [&a, &b]), (7, [&b, &a]), (7, [&a, &counterpart])] {
            let before = made.get();
            merge(way, &inputs);
            assert_eq!(made.get(), before + 1);
        }
    }

    #[test]
    fn a_map_at_the_place_of_another_one_is_not_it() {
        // Dropped maps free their addresses for new ones; cached maps are not dropped.
        for n in 0..10_000 {
            let (a, b) = (map(n), map(-n));
            for _ in 0..3 {
                let merged = once(1, &[&a, &b], || map(n));
                assert_eq!(merged.get("n"), Some(&Value::new(Data::Int(n))));
            }
        }
    }
}
