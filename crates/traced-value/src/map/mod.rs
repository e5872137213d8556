//! Maps with text keys, kept in key order.

use super::Value;
use super::fit;
use super::flags::{Flags, key_flags};
use shared_text::{FastMap, Text, compare, intern, order};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A map key; keys of one document are shared.
pub type Key = Text;

/// Returns the key for a name that the program itself uses, shared per thread.
pub fn key(name: &'static str) -> Key {
    thread_local!(static KNOWN: RefCell<FastMap<&'static str, Key>> = RefCell::default());
    KNOWN.with_borrow_mut(|known| Text::clone(known.entry(name).or_insert_with(|| intern(name))))
}

/// One key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Value,
}

/// A map in key order (by bytes), without duplicates.
#[derive(Debug, Default)]
pub struct Map {
    entries: Vec<Entry>,
    flags: Flags,
    mixed: bool,
    /// The number of values in it, including nested ones; zero if not counted yet. Shared maps are counted once.
    count: AtomicU32,
}

impl Clone for Map {
    fn clone(&self) -> Self {
        let count = AtomicU32::new(self.count.load(Relaxed));
        Map { entries: self.entries.clone(), flags: self.flags, mixed: self.mixed, count }
    }
}

impl Map {
    /// The map with nothing in it, one for all on a thread.
    #[inline]
    pub fn none() -> Arc<Map> {
        thread_local!(static NONE: Arc<Map> = Arc::default());
        NONE.with(Arc::clone)
    }

    /// An empty map.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty map with room for `capacity` entries.
    #[inline]
    pub fn with_capacity(capacity: usize) -> Self {
        Map { entries: Vec::with_capacity(capacity), ..Map::default() }
    }

    /// The number of keys.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value under `key`.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|e| &e.value)
    }

    /// The value under a key that is interned, as keys of documents are: it is found by its address.
    #[inline]
    pub fn value_of(&self, key: &Text) -> Option<&Value> {
        self.place(key).ok().map(|i| &self.entries[i].value)
    }

    /// The value under a name that the program itself uses: found by its address in maps that the program makes.
    #[inline]
    pub fn known(&self, name: &'static str) -> Option<&Value> {
        self.value_of(&key(name))
    }

    /// The shared key and the value under `key`.
    #[inline]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        if self.entries.len() <= FEW {
            return self.entries.iter().find(|e| is(&e.key, key));
        }
        self.find(key).ok().map(|i| &self.entries[i])
    }

    /// Whether `key` is there.
    #[inline]
    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// The entries in key order.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// The number of values in it, or more than `most`.
    #[inline]
    pub(crate) fn count(&self, most: usize) -> usize {
        match self.count.load(Relaxed) {
            0 if !self.is_empty() => self.count_entries(most),
            known => known as usize,
        }
    }

    /// Counts the values in it, and remembers their number.
    fn count_entries(&self, most: usize) -> usize {
        let count = super::count_all(self.entries.iter().map(|e| &e.value), most);
        if let Ok(known) = u32::try_from(count)
            && count <= most
        {
            self.count.store(known, Relaxed);
        }
        count
    }

    /// The entries in key order, to put other values of the same kind of content into them: flags stay as they are.
    #[inline]
    pub fn entries_mut(&mut self) -> impl Iterator<Item = (&Key, &mut Value)> {
        *self.count.get_mut() = 0;
        self.entries.iter_mut().map(|e| (&e.key, &mut e.value))
    }

    /// Returns the map with other values; `None` if `replace` returns none. The flags may then include too much, which is safe.
    ///
    /// # Errors
    /// The first one of `replace`.
    pub fn with_values<E>(
        &self,
        mut replace: impl FnMut(&Value) -> Result<Option<Value>, E>,
    ) -> Result<Option<Map>, E> {
        let (mut out, mut flags): (Option<Vec<Entry>>, _) = (None, self.flags);
        for (i, Entry { key, value }) in self.entries.iter().enumerate() {
            let new = replace(value)?;
            if let Some(new) = &new {
                // Finding the flags of a text takes long, and most texts only have another place.
                flags = match new.data.is_identical(&value.data) {
                    true if !new.has_override() => flags,
                    true => flags | Flags::OVERRIDDEN,
                    false => flags | new.flags(),
                };
                out.get_or_insert_with(|| {
                    let mut entries = Vec::with_capacity(self.entries.len());
                    entries.extend_from_slice(&self.entries[..i]);
                    entries
                });
            }
            if let Some(out) = &mut out {
                out.push(Entry { key: Key::clone(key), value: new.unwrap_or_else(|| value.clone()) });
            }
        }
        Ok(out.map(|entries| Map { entries, flags, mixed: self.mixed, count: AtomicU32::default() }))
    }

    /// Sets a key of the program, which has no flags.
    #[inline]
    pub fn set_known(&mut self, name: &'static str, value: Value) {
        let key = key(name);
        debug_assert!(key_flags(&key).is_empty());
        *self.count.get_mut() = 0;
        self.flags = self.flags | value.flags();
        match self.place(&key) {
            Ok(i) => self.entries[i].value = value,
            Err(i) => self.entries.insert(i, Entry { key, value }),
        }
    }

    /// Removes a key of the program, like [`Self::remove`].
    #[inline]
    pub fn remove_known(&mut self, name: &'static str) -> Option<Value> {
        *self.count.get_mut() = 0;
        self.place(&key(name)).ok().map(|i| self.entries.remove(i).value)
    }

    /// Sets several keys of the program, which have no flags and come in order, in one pass.
    pub fn set_all_known<const N: usize>(&mut self, pairs: [(&'static str, Value); N]) {
        debug_assert!(pairs.is_sorted_by(|a, b| a.0 < b.0), "keys come in order");
        *self.count.get_mut() = 0;
        let mut next = 0;
        for (name, value) in pairs {
            let key = key(name);
            debug_assert!(key_flags(&key).is_empty());
            self.flags = self.flags | value.flags();
            next += self.entries[next..].iter().take_while(|entry| order(&entry.key, &key).is_lt()).count();
            match self.entries.get_mut(next).filter(|entry| entry.key == key) {
                Some(entry) => entry.value = value,
                None => self.entries.insert(next, Entry { key, value }),
            }
            next += 1;
        }
    }

    /// Puts a value with these `flags` in the place of that of the entry of this number.
    #[inline]
    pub fn put_at(&mut self, index: usize, value: Value, flags: Flags) {
        debug_assert!(value.flags() == flags, "the flags are those of the value");
        *self.count.get_mut() = 0;
        self.flags = self.flags | flags;
        self.entries[index].value = value;
    }

    /// Changes the value of the entry of this number.
    #[inline]
    pub fn change_at(&mut self, index: usize, change: impl FnOnce(&mut Value)) {
        *self.count.get_mut() = 0;
        change(&mut self.entries[index].value);
        self.flags = self.flags | self.entries[index].value.flags();
    }

    /// Changes the value under a key; `None` if the key is not there.
    #[inline]
    pub fn change<R>(&mut self, key: &Key, change: impl FnOnce(&mut Value) -> R) -> Option<R> {
        let index = self.place(key).ok()?;
        let mut result = None;
        self.change_at(index, |value| result = Some(change(value)));
        result
    }

    /// Releases memory that is reserved for more entries, unless that is little.
    #[inline]
    pub fn fit(&mut self) {
        fit(&mut self.entries);
    }

    /// Clears `flag` for the subtree.
    #[inline]
    pub fn forget(&mut self, flag: Flags) {
        self.flags = self.flags.without(flag);
    }

    /// The keys in order.
    #[inline]
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.entries.iter().map(|e| &e.key)
    }

    /// Whether both have the same keys.
    #[inline]
    pub fn has_same_keys(&self, other: &Map) -> bool {
        let is_same = |(a, b): (&Entry, &Entry)| order(&a.key, &b.key).is_eq();
        self.len() == other.len() && self.entries.iter().zip(&other.entries).all(is_same)
    }

    /// Returns the flags of the whole subtree.
    #[inline]
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// Whether it was written with keys that are not strings (`1:`, `true:`). A merge turns it into an ordinary map.
    #[inline]
    pub fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// Marks the map as written with keys that are not strings, or not.
    #[must_use]
    #[inline]
    pub fn mixed(mut self, mixed: bool) -> Self {
        self.mixed = mixed;
        self
    }

    /// Sets `key`, replacing what is there.
    pub fn set(&mut self, key: impl Into<Key>, value: Value) {
        *self.count.get_mut() = 0;
        let key = key.into();
        self.flags = self.flags | value.flags();
        // The flags of a key that is there are set already.
        let is_last = self.entries.last().is_none_or(|last| compare(&last.key, &key).is_lt());
        match if is_last { Err(self.entries.len()) } else { self.place(&key) } {
            Ok(i) => self.entries[i].value = value,
            Err(i) => {
                self.flags = self.flags | key_flags(&key);
                self.entries.insert(i, Entry { key, value });
            }
        }
    }

    /// The values under several keys, which come in order: found in one pass.
    pub fn get_all<const N: usize>(&self, keys: [&'static str; N]) -> [Option<&Value>; N] {
        debug_assert!(keys.is_sorted(), "keys come in order");
        let mut entries = self.entries.as_slice();
        keys.map(|name| {
            let interned = key(name);
            // In maps that the program makes, a name is found by its address.
            let known = entries.iter().position(|entry| Text::ptr_eq(&entry.key, &interned));
            let before = known.unwrap_or_else(|| {
                entries.iter().take_while(|entry| compare(&entry.key, name) == Ordering::Less).count()
            });
            entries = &entries[before..];
            entries.first().filter(|entry| known.is_some() || *entry.key == *name).map(|entry| &entry.value)
        })
    }

    /// Adds an entry behind all others, whose key has no flags.
    #[inline]
    pub fn append(&mut self, key: Key, value: Value) {
        debug_assert!(self.entries.last().is_none_or(|last| last.key < key) && key_flags(&key).is_empty());
        *self.count.get_mut() = 0;
        self.flags = self.flags | value.flags();
        self.entries.push(Entry { key, value });
    }

    /// Removes `key`. The flags may then include too much, which is safe.
    #[inline]
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        *self.count.get_mut() = 0;
        self.find(key).ok().map(|i| self.entries.remove(i).value)
    }

    #[inline]
    fn find(&self, key: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|e| compare(&e.key, key))
    }

    /// Finds a key that is interned, as keys of documents are, like [`Self::find`]: in most maps by its address.
    #[inline]
    fn place(&self, key: &Text) -> Result<usize, usize> {
        if self.entries.len() > FEW_INTERNED {
            return self.entries.binary_search_by(|e| order(&e.key, key));
        }
        match self.entries.iter().position(|e| Text::ptr_eq(&e.key, key)) {
            Some(i) => Ok(i),
            None => self.find(key),
        }
    }
}

/// In as many entries it takes no longer to look at one after the other than to search.
const FEW: usize = 16;

/// The same for addresses, which are compared without reading the keys.
const FEW_INTERNED: usize = 40;

fn is(key: &Key, text: &str) -> bool {
    // Nearly all other keys have another length or begin with another letter.
    key.len() == text.len() && key.as_bytes().first() == text.as_bytes().first() && *key == *text
}

impl Eq for Map {}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a.key == b.key && a.value == b.value)
    }
}

/// A later pair with the same key replaces an earlier one.
impl FromIterator<(Key, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(pairs: I) -> Self {
        let mut entries: Vec<Entry> = pairs.into_iter().map(|(key, value)| Entry { key, value }).collect();
        entries.sort_by(|a, b| order(&a.key, &b.key));
        entries.dedup_by(|later, earlier| {
            let is_same = later.key == earlier.key;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        fit(&mut entries);
        let flags = entries.iter().fold(Flags::default(), |flags, e| flags | e.value.flags() | key_flags(&e.key));
        Map { entries, flags, ..Map::default() }
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = &'a Entry;
    type IntoIter = std::slice::Iter<'a, Entry>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

/// Builds a map from entries that come in key order.
#[derive(Debug, Default)]
pub struct MapBuilder {
    map: Map,
}

impl MapBuilder {
    /// Room for `capacity` entries.
    #[inline]
    pub fn with_capacity(capacity: usize) -> Self {
        MapBuilder { map: Map { entries: Vec::with_capacity(capacity), ..Map::default() } }
    }

    /// Adds an entry whose key is not below the last one; an equal key replaces it.
    #[inline]
    pub fn push(&mut self, key: Key, value: Value) {
        self.map.flags = self.map.flags | value.flags() | key_flags(&key);
        match self.map.entries.last_mut() {
            Some(last) if last.key == key => last.value = value,
            last => {
                debug_assert!(last.is_none_or(|l| l.key < key), "keys come in order");
                self.map.entries.push(Entry { key, value });
            }
        }
    }

    /// Adds an entry whose key is greater than the last one, without reading its flags: they are passed to
    /// [`Self::finish_with`].
    #[inline]
    pub fn push_next(&mut self, key: Key, value: Value) {
        debug_assert!(self.map.entries.last().is_none_or(|l| l.key < key), "keys come in order");
        self.map.entries.push(Entry { key, value });
    }

    /// Adds entries like [`Self::push_next`].
    #[inline]
    pub fn extend_with(&mut self, entries: &[Entry]) {
        debug_assert!(self.map.entries.last().zip(entries.first()).is_none_or(|(a, b)| a.key < b.key));
        self.map.entries.extend_from_slice(entries);
    }

    /// Returns the flags of all entries.
    #[inline]
    pub fn flags(&self) -> Flags {
        self.map.entries.iter().fold(Flags::default(), |f, e| f | e.value.flags() | key_flags(&e.key))
    }

    /// The map.
    #[inline]
    pub fn finish(self) -> Map {
        self.map
    }

    /// Returns the map; `flags` includes all flags of entries that were added without reading them.
    #[inline]
    pub fn finish_with(mut self, flags: Flags) -> Map {
        self.map.flags = self.map.flags | flags;
        self.map.fit();
        self.map
    }
}

#[cfg(test)]
mod tests;
