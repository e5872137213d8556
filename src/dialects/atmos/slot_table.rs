//! Tables for caches in which a value has one possible place, given by its hash: a later value replaces an earlier one. They are
//! small enough to stay in the cache of a processor, and an empty one takes next to no time to make.

/// Adds a number to a hash of numbers.
pub(super) fn mix(sum: u64, more: u64) -> u64 {
    (sum.rotate_left(5) ^ more).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The slot of a hash made by [`mix`], whose upper bits depend on all of the input.
fn slot(hash: u64, slots: usize) -> usize {
    (hash >> 40) as usize % slots
}

/// Distinguishes hashes with one slot, nearly always. Never zero.
fn tag(hash: u64) -> u16 {
    // The bits below those of the slot.
    (hash >> 24) as u16 | 1
}

/// Values in `SLOTS` slots, at most 65,536.
pub(super) struct SlotTable<T, const SLOTS: usize> {
    /// For each slot, the tag of its value and the number of that in `values`; zero if there is none. Tags are compared first,
    /// because most values that are looked up are not there.
    slots: Vec<(u16, u16)>,
    values: Vec<T>,
}

impl<T, const SLOTS: usize> Default for SlotTable<T, SLOTS> {
    fn default() -> Self {
        const { assert!(SLOTS <= 1 << u16::BITS, "numbers of values have two bytes") };
        SlotTable { slots: vec![(0, 0); SLOTS], values: Vec::new() }
    }
}

impl<T, const SLOTS: usize> SlotTable<T, SLOTS> {
    /// The value that may be the one of a hash: another one with the same slot and the same tag is rare, but possible.
    pub(super) fn get(&self, hash: u64) -> Option<&T> {
        let (known, number) = self.slots[slot(hash, SLOTS)];
        if known == tag(hash) { self.values.get(usize::from(number)) } else { None }
    }

    /// Puts a value into its slot, and returns the one that it replaces.
    pub(super) fn put(&mut self, hash: u64, value: T) -> Option<T> {
        let slot = &mut self.slots[slot(hash, SLOTS)];
        let is_empty = slot.0 == 0;
        slot.0 = tag(hash);
        if !is_empty {
            return Some(std::mem::replace(&mut self.values[usize::from(slot.1)], value));
        }
        // There are never more values than slots.
        slot.1 = self.values.len() as u16;
        self.values.push(value);
        None
    }
}

/// Remembers in `SLOTS` slots which hashes occurred, nearly always correctly.
pub(super) struct SeenHashes<const SLOTS: usize>(Vec<u16>);

impl<const SLOTS: usize> Default for SeenHashes<SLOTS> {
    fn default() -> Self {
        SeenHashes(vec![0; SLOTS])
    }
}

impl<const SLOTS: usize> SeenHashes<SLOTS> {
    /// Whether the hash was the last one of its slot. From now on, it is.
    pub(super) fn is_repeated(&mut self, hash: u64) -> bool {
        std::mem::replace(&mut self.0[slot(hash, SLOTS)], tag(hash)) == tag(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn the_last_value_of_a_slot_is_found(puts in prop::collection::vec(0..60u64, 0..200)) {
            let mut table = SlotTable::<u64, 16>::default();
            let mut last: HashMap<usize, u64> = HashMap::new();
            let hash = |n: u64| mix(mix(1, n), n);
            for n in puts {
                let before = last.insert(slot(hash(n), 16), n);
                prop_assert_eq!(table.put(hash(n), n), before);
            }
            for n in 0..60 {
                let known = last.get(&slot(hash(n), 16)).filter(|known| tag(hash(**known)) == tag(hash(n)));
                prop_assert_eq!(table.get(hash(n)), known);
            }
            prop_assert_eq!(table.values.len(), last.len());
        }
    }

    #[test]
    fn a_hash_is_repeated_until_another_one_takes_its_slot() {
        let mut seen = SeenHashes::<1>::default();
        let (one, other) = (mix(1, 1), mix(1, 2));
        assert!(!seen.is_repeated(one) && seen.is_repeated(one));
        assert!(!seen.is_repeated(other) && !seen.is_repeated(one));
    }
}
