//! What differs between two trees, as steps that turn one into the other.
//!
//! Maps are compared key by key, lists by what their items are: items with a unique `name`, `id` or `key` are matched by
//! it, others by their content, so that an item put in front of a list is one addition. The steps hold for RFC 6902's
//! `add`, `remove` and `replace`: an index in a path is the index at the moment the step is applied.

use super::same::{digest, same};
use super::{ChangeKind, pointer};
use crate::text::{Text, order};
use crate::value::{Data, Language, Map, Value, is_call};
use std::collections::HashMap;
use std::sync::Arc;

/// Deeper values are compared as a whole.
const MAX_DEPTH: usize = 200;
/// The maximum number of cells of alignment tables that one comparison may fill; a list beyond it is replaced as a whole.
const MAX_CELLS: usize = 4_000_000;
/// Keys that name a list item, the best first.
const IDENTITY_KEYS: [&str; 3] = ["name", "id", "key"];

/// One difference, with the values around it.
#[derive(Clone, Debug)]
pub(crate) struct Step<'a> {
    /// JSON Pointer to the place.
    pub path: String,
    /// What happens there.
    pub kind: ChangeKind,
    /// What was there.
    pub before: Option<&'a Value>,
    /// What is there now.
    pub after: Option<&'a Value>,
    /// The values in the base that contain the place, the outermost first.
    pub base_parents: Vec<&'a Value>,
    /// The same in the head.
    pub head_parents: Vec<&'a Value>,
    /// Whether both values are the same call, spelled differently.
    pub is_same_call: bool,
}

/// The steps from `base` to `head`, in the order in which they are to be applied.
/// Of calls whose function and arguments are the same, however they are spelled, a step says so.
pub(crate) fn compare<'a>(base: &'a Value, head: &'a Value, language: &Language) -> Vec<Step<'a>> {
    let mut walk =
        Walk { path: String::new(), parents: Vec::new(), steps: Vec::new(), cells: MAX_CELLS, language: *language };
    walk.value(base, head);
    walk.steps
}

struct Walk<'a> {
    path: String,
    parents: Vec<(&'a Value, &'a Value)>,
    steps: Vec<Step<'a>>,
    cells: usize,
    language: Language,
}

impl<'a> Walk<'a> {
    fn value(&mut self, base: &'a Value, head: &'a Value) {
        let deep = self.parents.len() >= MAX_DEPTH;
        match (&base.data, &head.data) {
            (Data::Map(a), Data::Map(b)) if !deep => {
                if !Arc::ptr_eq(a, b) {
                    self.parents.push((base, head));
                    self.map(a, b);
                    self.parents.pop();
                }
            }
            (Data::List(a), Data::List(b)) if !deep => {
                if !Arc::ptr_eq(a, b) && !self.list(base, head, a, b) {
                    self.step(ChangeKind::Changed, Some(base), Some(head));
                }
            }
            _ => {
                if !same(base, head) {
                    self.step(ChangeKind::Changed, Some(base), Some(head));
                }
            }
        }
    }

    fn map(&mut self, base: &'a Map, head: &'a Map) {
        let (mut a, mut b) = (base.iter().peekable(), head.iter().peekable());
        loop {
            let place = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) => order(&x.key, &y.key),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => return,
            };
            let x = if place.is_le() { a.next() } else { None };
            let y = if place.is_ge() { b.next() } else { None };
            if x.zip(y).is_some_and(|(x, y)| is_one(&x.value, &y.value)) {
                continue;
            }
            let Some(key) = x.or(y).map(|e| &e.key) else { return };
            let length = self.path.len();
            pointer::push(&mut self.path, key);
            match (x, y) {
                (Some(x), Some(y)) => self.value(&x.value, &y.value),
                (Some(x), None) => self.step(ChangeKind::Removed, Some(&x.value), None),
                (None, y) => self.step(ChangeKind::Added, None, y.map(|y| &y.value)),
            }
            self.path.truncate(length);
        }
    }

    /// Whether the lists could be compared within what is left of the bound.
    fn list(&mut self, base: &'a Value, head: &'a Value, a: &'a [Value], b: &'a [Value]) -> bool {
        let (tokens, named) = Tokens::of(a, b);
        let Some(gaps) = align(&tokens.base, &tokens.head, &mut self.cells) else { return false };
        self.parents.push((base, head));
        let (mut i, mut j) = (0, 0);
        // `j` is also the index in the list as it is while the steps are applied.
        for gap in gaps {
            while i < gap.base.0 {
                self.item(j, |w| w.value(&a[i], &b[j]));
                (i, j) = (i + 1, j + 1);
            }
            let (removed, added) = (gap.base.1 - gap.base.0, gap.head.1 - gap.head.0);
            let paired = if named && (removed, added) != (1, 1) { 0 } else { removed.min(added) };
            for _ in 0..paired {
                self.item(j, |w| w.value(&a[i], &b[j]));
                (i, j) = (i + 1, j + 1);
            }
            for gone in &a[i..gap.base.1] {
                self.item(j, |w| w.step(ChangeKind::Removed, Some(gone), None));
            }
            i = gap.base.1;
            while j < gap.head.1 {
                self.item(j, |w| w.step(ChangeKind::Added, None, Some(&b[j])));
                j += 1;
            }
        }
        while i < a.len() && j < b.len() {
            self.item(j, |w| w.value(&a[i], &b[j]));
            (i, j) = (i + 1, j + 1);
        }
        self.parents.pop();
        true
    }

    fn item(&mut self, index: usize, f: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        pointer::push(&mut self.path, &index.to_string());
        f(self);
        self.path.truncate(length);
    }

    fn step(&mut self, kind: ChangeKind, before: Option<&'a Value>, after: Option<&'a Value>) {
        let texts = before.and_then(Value::as_str).filter(|text| is_call(text)).zip(after.and_then(Value::as_str));
        let is_same_call = texts.is_some_and(|(before, after)| self.language.same_call(before, after));
        self.steps.push(Step {
            is_same_call,
            path: self.path.clone(),
            kind,
            before,
            after,
            base_parents: self.parents.iter().map(|p| p.0).collect(),
            head_parents: self.parents.iter().map(|p| p.1).collect(),
        });
    }
}

/// Whether two values are one in memory; most that are the same are.
fn is_one(a: &Value, b: &Value) -> bool {
    match (&a.data, &b.data) {
        (Data::Map(a), Data::Map(b)) => Arc::ptr_eq(a, b),
        (Data::List(a), Data::List(b)) => Arc::ptr_eq(a, b),
        (Data::Str(a), Data::Str(b)) => Text::ptr_eq(a, b),
        _ => false,
    }
}

/// The items of two lists as numbers that are equal where the items are to be matched.
struct Tokens {
    base: Vec<u64>,
    head: Vec<u64>,
}

impl Tokens {
    /// The tokens, and whether they stand for names.
    fn of(a: &[Value], b: &[Value]) -> (Tokens, bool) {
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

/// A stretch of both lists that does not match: half-open ranges of indexes.
#[derive(Debug, PartialEq)]
struct Gap {
    base: (usize, usize),
    head: (usize, usize),
}

/// The stretches outside of a longest common subsequence, or `None` if finding it costs more than `cells` allow.
fn align(a: &[u64], b: &[u64], cells: &mut usize) -> Option<Vec<Gap>> {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    if a.is_empty() && b.is_empty() {
        return Some(Vec::new());
    }
    if a.is_empty() || b.is_empty() {
        return Some(vec![Gap { base: (prefix, prefix + a.len()), head: (prefix, prefix + b.len()) }]);
    }
    *cells = cells.checked_sub((a.len() + 1).checked_mul(b.len() + 1)?)?;
    let width = b.len() + 1;
    // The length of the longest common subsequence of what follows each pair of places.
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if a[i] == b[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let mut gaps = Vec::new();
    let (mut i, mut j) = (0, 0);
    let (mut gap_i, mut gap_j) = (0, 0);
    let mut close = |gap_i: usize, i: usize, gap_j: usize, j: usize| {
        if gap_i < i || gap_j < j {
            gaps.push(Gap { base: (prefix + gap_i, prefix + i), head: (prefix + gap_j, prefix + j) });
        }
    };
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            close(gap_i, i, gap_j, j);
            (i, j) = (i + 1, j + 1);
            (gap_i, gap_j) = (i, j);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    close(gap_i, a.len(), gap_j, b.len());
    Some(gaps)
}

#[cfg(test)]
mod tests;
