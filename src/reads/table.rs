//! Results, found by what they were made from. This is the only way in which two revisions of a project, or two states of a
//! worktree, share results of resolving.

use super::{Answers, Reads};
use crate::text::FastMap;
use parking_lot::Mutex;
use std::hash::Hash;
use std::sync::Arc;

/// Of how many states the results for one key are kept: those of a merge, which are its base, both sides and the result.
const STATES: usize = 4;

/// Results by their key and by what they were made from.
pub(crate) struct Table<K, T> {
    known: Mutex<FastMap<K, Vec<CacheEntry<T>>>>,
}

/// A result, and all that it was made from.
struct CacheEntry<T> {
    reads: Arc<Reads>,
    result: Arc<T>,
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Self {
        Table { known: Mutex::default() }
    }
}

impl<K: Eq + Hash + Clone, T> Table<K, T> {
    /// Returns the result for a key that a revision has, too, because all that it was made from is the same there.
    pub(crate) fn get(&self, key: &K, answers: &Answers<'_>) -> Option<Arc<T>> {
        self.get_if(key, answers, |_| true)
    }

    /// The same, of those results whose reads are wanted.
    pub(crate) fn get_if(&self, key: &K, answers: &Answers<'_>, is_wanted: impl Fn(&Reads) -> bool) -> Option<Arc<T>> {
        let candidates: Vec<(Arc<Reads>, Arc<T>)> = {
            let known = self.known.lock();
            let of_key = known.get(key)?.iter();
            of_key.map(|known| (Arc::clone(&known.reads), Arc::clone(&known.result))).collect()
        };
        candidates.into_iter().find(|(reads, _)| answers.has(reads) && is_wanted(reads)).map(|(_, result)| result)
    }

    /// Returns all results that a revision has, too.
    pub(crate) fn all(&self, answers: &Answers<'_>) -> FastMap<K, Arc<T>> {
        let known = self.known.lock();
        let of_revision = |states: &[CacheEntry<T>]| {
            states.iter().find(|known| answers.has(&known.reads)).map(|k| Arc::clone(&k.result))
        };
        known.iter().filter_map(|(key, states)| Some((key.clone(), of_revision(states)?))).collect()
    }

    /// Adds a result. It replaces one that was made from the same, or the oldest one.
    pub(crate) fn insert(&self, key: K, reads: Arc<Reads>, result: Arc<T>) {
        let mut known = self.known.lock();
        let states = known.entry(key).or_default();
        states.retain(|known| known.reads != reads);
        states.truncate(STATES - 1);
        states.insert(0, CacheEntry { reads, result });
    }

    /// Drops the results that a revision does not have.
    pub(crate) fn retain(&self, answers: &Answers<'_>) {
        self.known.lock().retain(|_, states| {
            states.retain(|known| answers.has(&known.reads));
            !states.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::limits::Limits;
    use crate::reads::Reader;
    use crate::source::Memory;

    fn source(text: &str) -> Memory {
        Memory::new("memory", [("a".to_owned(), text.as_bytes().to_vec())].into())
    }

    #[test]
    fn a_result_is_found_where_its_reads_are_the_same() {
        let table = Table::default();
        let (files, sides) = (Files::default(), ["1", "2", "3", "4", "5"].map(source));
        for (side, result) in sides.iter().zip([1, 2, 3, 4, 5]) {
            let answers = Answers::new(side);
            assert!(table.get(&"key", &answers).is_none());
            let reader = Reader::new(side, &files, Limits::default());
            assert!(reader.find("a").unwrap().is_some());
            table.insert("key", Arc::new(reader.take()), Arc::new(result));
            assert_eq!(table.get(&"key", &answers).as_deref(), Some(&result));
            assert!(table.get(&"other", &answers).is_none());
        }
        let found = sides.each_ref().map(|side| table.get(&"key", &Answers::new(side)).map(|found| *found));
        assert_eq!(found, [None, Some(2), Some(3), Some(4), Some(5)], "the results of four states are kept");
        table.retain(&Answers::new(&sides[1]));
        let found = sides.each_ref().map(|side| table.all(&Answers::new(side)).len());
        assert_eq!(found, [0, 1, 0, 0, 0]);
    }
}
