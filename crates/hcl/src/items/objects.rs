//! The order of entries in the objects of an expression, which means nothing.

use super::{LINE, WORD};

/// How deep an object may be whose entries are sorted: expressions nest no deeper.
const MAX_DEPTH: usize = 150;

/// The brackets around a place in the words of an expression, the innermost last.
#[derive(Default)]
pub(super) struct Objects(Vec<Vec<usize>>);

impl Objects {
    /// A bracket is open, and `start` is behind it.
    pub(super) fn open(&mut self, start: usize) {
        // A separator follows.
        self.0.push(vec![start + 1]);
    }

    /// The next entry begins at `start`.
    pub(super) fn next(&mut self, start: usize) {
        if let Some(starts) = self.0.last_mut() {
            starts.push(start);
        }
    }

    /// A bracket closes at the end of `words`: the entries of an object are then in the order of their keys.
    pub(super) fn close(&mut self, words: &mut String, is_object: bool) {
        let is_sorted = is_object && self.0.len() <= MAX_DEPTH;
        let Some(starts) = self.0.pop().filter(|starts| is_sorted && starts.len() > 1) else { return };
        let ends = starts[1..].iter().map(|next| next - LINE.len_utf8()).chain([words.len()]);
        let mut entries: Vec<String> =
            starts.iter().zip(ends).map(|(start, end)| words[*start..end].to_owned()).collect();
        if sort(&mut entries, |entry| entry) {
            words.truncate(starts[0]);
            words.push_str(&entries.join(&LINE.to_string()));
        }
    }
}

/// Sorts entries by their keys, if each has one of its own that is written down. What has none may be no entry, and of equal keys
/// the order counts.
pub(super) fn sort<T>(entries: &mut [T], text: impl Fn(&T) -> &str) -> bool {
    let mut keys: Vec<&str> = Vec::new();
    for entry in &*entries {
        let Some(key) = key(text(entry)) else { return false };
        keys.push(key);
    }
    keys.sort_unstable();
    let is_sortable = keys.windows(2).all(|pair| pair[0] != pair[1]);
    if is_sortable {
        entries.sort_by(|a, b| key(text(a)).cmp(&key(text(b))));
    }
    is_sortable
}

/// The key of an entry: a name, or a text without templates and escapes.
fn key(entry: &str) -> Option<&str> {
    let mut words = entry.split(WORD);
    let (key, sign) = (words.next()?, words.next()?);
    let name = match key.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"')?,
        None => key,
    };
    let is_plain = !name.is_empty() && !name.contains(['\\', '$', '%', '"', '(', '[', '{', LINE]);
    (is_plain && matches!(sign, "=" | ":")).then_some(name)
}
