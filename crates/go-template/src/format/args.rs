//! Which argument a verb of a format takes.

use super::Item;
use crate::val::Val;
use traced_value::Data;

/// A decimal number that may be absent; a number beyond a million counts as absent and ends the format.
pub(super) fn number(bytes: &[u8], start: usize) -> (Option<usize>, usize) {
    let mut i = start;
    let mut value = 0usize;
    while let Some(b) = bytes.get(i).filter(|b| b.is_ascii_digit()) {
        if value > 1_000_000 {
            return (None, bytes.len());
        }
        value = value * 10 + usize::from(b - b'0');
        i += 1;
    }
    ((i > start).then_some(value), i)
}

/// Which argument comes next; `[n]` in a format chooses one.
pub(super) struct ArgIndex {
    pub(super) next: usize,
    pub(super) good: bool,
    pub(super) reordered: bool,
}

impl ArgIndex {
    /// Reads `[n]` at `i`; returns where to continue and whether the index was well-formed.
    pub(super) fn read(&mut self, bytes: &[u8], i: usize, count: usize) -> (usize, bool) {
        if bytes.get(i) != Some(&b'[') {
            return (i, false);
        }
        self.reordered = true;
        let Some(close) = bytes[i..].iter().position(|b| *b == b']') else {
            self.good = false;
            return (i + 1, false);
        };
        let (index, end) = number(&bytes[..i + close], i + 1);
        let after = i + close + 1;
        let Some(index) = index.filter(|_| end == i + close) else {
            self.good = false;
            return (after, false);
        };
        match index.checked_sub(1).filter(|n| *n < count) {
            Some(n) => self.next = n,
            None => self.good = false,
        }
        (after, true)
    }

    /// The next argument as a width or precision.
    pub(super) fn take_int(&mut self, args: &[Val]) -> Option<i64> {
        let arg = args.get(self.next)?;
        self.next += 1;
        match Item::of(arg) {
            Item::Data(Data::Int(n)) if n.abs_diff(0) <= 1_000_000 => Some(*n),
            _ => None,
        }
    }
}
