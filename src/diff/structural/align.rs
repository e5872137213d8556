//! Which items of two lists belong together: those that stay in their order, and those that move.

use crate::diff::same::{digest, same};
use crate::value::{Data, Value};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Keys that name a list item, the best first.
const IDENTITY_KEYS: [&str; 3] = ["name", "id", "key"];

/// The items of two lists as numbers that are equal where the items are to be matched.
pub(super) struct Tokens {
    base: Vec<u64>,
    head: Vec<u64>,
}

impl Tokens {
    /// Returns the tokens, and whether they represent names.
    pub(super) fn of(a: &[Value], b: &[Value]) -> (Tokens, bool) {
        for key in IDENTITY_KEYS {
            if let (Some(base), Some(head)) = (names(a, key), names(b, key)) {
                return (Tokens { base, head }, true);
            }
        }
        let digests = |list: &[Value]| list.iter().map(digest).collect();
        (Tokens { base: digests(a), head: digests(b) }, false)
    }
}

/// The digests of what the items have under `key`, if all of them have it and no two the same.
fn names(list: &[Value], key: &str) -> Option<Vec<u64>> {
    let digest_of = |item: &Value| {
        let name = item.get(key)?;
        matches!(name.data, Data::Str(_) | Data::Int(_) | Data::Uint(_)).then(|| digest(name))
    };
    let tokens: Vec<u64> = list.iter().map(digest_of).collect::<Option<_>>()?;
    let mut seen = HashMap::with_capacity(tokens.len());
    tokens.iter().all(|t| seen.insert(*t, ()).is_none()).then_some(tokens)
}

/// A stretch of both lists that does not match, as indexes.
#[derive(Debug, PartialEq)]
pub(super) struct Gap {
    pub base: Range<usize>,
    pub head: Range<usize>,
}

/// Items outside of the common subsequence that both lists have.
#[derive(Default)]
pub(super) struct Moves {
    /// Indexes in the head by those in the base.
    to: HashMap<usize, usize>,
    /// The other way round.
    from: HashMap<usize, usize>,
}

impl Moves {
    /// Pairs removed items of one gap with equal added items of another one, in their order.
    pub(super) fn find(gaps: &[Gap], tokens: &Tokens, a: &[Value], b: &[Value]) -> Self {
        let mut moves = Moves::default();
        // Within one gap nothing matches.
        if gaps.len() < 2 {
            return moves;
        }
        let mut removed: HashMap<u64, VecDeque<usize>> = HashMap::new();
        for i in gaps.iter().flat_map(|gap| gap.base.clone()) {
            removed.entry(tokens.base[i]).or_default().push_back(i);
        }
        for j in gaps.iter().flat_map(|gap| gap.head.clone()) {
            let Some(equal) = removed.get_mut(&tokens.head[j]) else { continue };
            if let Some(i) = equal.pop_front().filter(|i| same(&a[*i], &b[j])) {
                moves.to.insert(i, j);
                moves.from.insert(j, i);
            }
        }
        moves
    }

    /// Where an item of the base is in the head, if it moves.
    pub(super) fn to(&self, base: usize) -> Option<usize> {
        self.to.get(&base).copied()
    }

    /// Where an item of the head was in the base, if it moves.
    pub(super) fn from(&self, head: usize) -> Option<usize> {
        self.from.get(&head).copied()
    }
}

/// The stretches outside of a longest common subsequence, or `None` if finding it costs more than `cells` allow.
/// Of several that are as long, it is one with the most items that keep their index.
pub(super) fn align(tokens: &Tokens, cells: &mut usize) -> Option<Vec<Gap>> {
    let (a, b) = (&tokens.base[..], &tokens.head[..]);
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    if a.is_empty() && b.is_empty() {
        return Some(Vec::new());
    }
    if a.is_empty() || b.is_empty() {
        return Some(vec![Gap { base: prefix..prefix + a.len(), head: prefix..prefix + b.len() }]);
    }
    *cells = cells.checked_sub((a.len() + 1).checked_mul(b.len() + 1)?)?;
    let best = Table::of(a, b);
    let mut gaps = Vec::new();
    let (mut i, mut j) = (0, 0);
    let (mut gap_i, mut gap_j) = (0, 0);
    let mut close = |gap_i: usize, i: usize, gap_j: usize, j: usize| {
        if gap_i < i || gap_j < j {
            gaps.push(Gap { base: prefix + gap_i..prefix + i, head: prefix + gap_j..prefix + j });
        }
    };
    while i < a.len() && j < b.len() {
        if a[i] == b[j] && best.at(i, j) == best.with(i, j) {
            close(gap_i, i, gap_j, j);
            (i, j) = (i + 1, j + 1);
            (gap_i, gap_j) = (i, j);
        } else if best.at(i, j + 1) >= best.at(i + 1, j) {
            // Like the comparison of lines: of two neighbors that change places the second one moves.
            j += 1;
        } else {
            i += 1;
        }
    }
    close(gap_i, a.len(), gap_j, b.len());
    Some(gaps)
}

/// How good the best common subsequence is of what follows each pair of places: its length, then how many of its items
/// keep their index. The bound on cells keeps both in 32 bits.
struct Table {
    cells: Vec<u32>,
    width: usize,
    /// The weight of an item that does not keep its index.
    item: u32,
}

impl Table {
    fn of(a: &[u64], b: &[u64]) -> Self {
        let width = b.len() + 1;
        let item = a.len().min(b.len()) as u32 + 1;
        let mut table = Table { cells: vec![0; (a.len() + 1) * width], width, item };
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                let without = table.at(i + 1, j).max(table.at(i, j + 1));
                let best = if a[i] == b[j] { table.with(i, j).max(without) } else { without };
                table.cells[i * width + j] = best;
            }
        }
        table
    }

    fn at(&self, i: usize, j: usize) -> u32 {
        self.cells[i * self.width + j]
    }

    /// The score if the matching items at a pair of places are part of it.
    fn with(&self, i: usize, j: usize) -> u32 {
        self.at(i + 1, j + 1) + self.item + u32::from(i == j)
    }
}
