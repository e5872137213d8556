//! Where the secret parts of a file are.

use std::ops::Range;

/// Text and numbers of a file that may have to be masked: byte ranges in their order, that do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Masks {
    /// Values of keys that name a secret, and heredocs below them.
    pub(super) secret: Vec<Range<usize>>,
    /// Values of all keys.
    pub(super) all: Vec<Range<usize>>,
    /// Where values of keys that name a secret begin, and these keys; sorted.
    pub(super) places: Vec<u32>,
}

impl Masks {
    /// The masks of parts of one file.
    pub(in crate::syntax) fn of_all(parts: impl Iterator<Item = Masks>) -> Self {
        let mut all = Masks::default();
        for part in parts {
            all.secret.extend(part.secret);
            all.all.extend(part.all);
            all.places.extend(part.places);
        }
        all.sorted()
    }

    /// Sorts what was found.
    pub(super) fn sorted(mut self) -> Self {
        self.secret.sort_by_key(|range| range.start);
        self.places.sort_unstable();
        self
    }

    /// Whether a value is one of a key that names a secret, given where the key and the value begin.
    pub(super) fn has(&self, starts: [u32; 2]) -> bool {
        starts.iter().any(|at| self.places.binary_search(at).is_ok())
    }

    /// The secret parts of a text in a range of bytes.
    pub(super) fn secrets_in(&self, range: Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let first = self.secret.partition_point(|secret| secret.end <= range.start);
        self.secret[first..].iter().take_while(move |secret| secret.start < range.end)
    }

    /// The parts of a line that are masked; the line begins at a byte offset of the text.
    pub(super) fn in_line(&self, start: usize, line: &str, all: bool) -> Vec<Range<usize>> {
        let ranges = if all { &self.all } else { &self.secret };
        let end = start + line.trim_end().len();
        let first = ranges.partition_point(|range| range.end <= start);
        let cut = |range: &Range<usize>| {
            let (from, to) = (range.start.max(start) - start, range.end.min(end) - start);
            let part = &line[from..to];
            from + part.len() - part.trim_start().len()..to
        };
        ranges[first..]
            .iter()
            .take_while(|range| range.start < end)
            .map(cut)
            .filter(|range| !range.is_empty())
            .collect()
    }
}
