//! The differences between two trees, as steps that transform one into the other.
//!
//! Maps are compared key by key, lists by the identity of their items: items with a unique `name`, `id` or `key` are
//! matched by it, others by their content, so that an item inserted at the start of a list is one addition. An item
//! that moves within its list is a removal and an addition that refer to each other. The steps have the meaning of RFC
//! 6902's `add`, `remove` and `replace`: an index in a path is the index at the moment when the step is applied.

mod align;

use super::same::same;
use super::{ChangeKind, Moved, Side, pointer};
use crate::limits::take_steps;
use crate::text::order;
use crate::value::{Data, Flags, Language, Map, Value, is_call};
use align::{Gap, Moves, Tokens, align};
use std::collections::HashMap;

/// Deeper values are compared as a whole.
const MAX_DEPTH: usize = 200;
/// The maximum number of cells of alignment tables that one comparison may fill; a list beyond it is replaced as a whole.
const MAX_CELLS: usize = 4_000_000;
/// The steps of the run that a difference counts for: it is kept until the report is written.
const STEPS: u64 = 400;

/// One difference, with the values around it.
#[derive(Clone, Debug)]
pub(crate) struct DiffStep<'a> {
    /// JSON Pointer to the place.
    pub path: String,
    pub kind: ChangeKind,
    pub before: Option<&'a Value>,
    pub after: Option<&'a Value>,
    /// The values in the base that contain the place, the outermost first.
    pub base_parents: Vec<&'a Value>,
    /// The same in the head.
    pub head_parents: Vec<&'a Value>,
    /// Whether both values are the same call, spelled differently.
    pub is_same_call: bool,
    /// For an item that moves within its list: the move that this step is a half of.
    pub moved: Option<Moved>,
    /// For a removed list item that does not move: its index in the list of the base.
    pub base_index: Option<usize>,
    /// The same item on the other side, if it moves.
    other: Option<&'a Value>,
}

impl<'a> DiffStep<'a> {
    /// Another value of something that belongs to the whole.
    pub(crate) fn of_whole(path: &str, [before, after]: [&'a Value; 2]) -> Self {
        DiffStep {
            path: path.to_owned(),
            kind: ChangeKind::Changed,
            before: Some(before),
            after: Some(after),
            base_parents: Vec::new(),
            head_parents: Vec::new(),
            is_same_call: false,
            moved: None,
            base_index: None,
            other: None,
        }
    }

    /// Whether one comes and the other one goes, under the same name in another place: a default and the value that is given instead.
    pub(crate) fn takes_place_of(&self, other: &DiffStep<'_>) -> bool {
        self.kind.is_reverse_of(other.kind)
            && self.path.rsplit_once('/').map(|(_, name)| name) == other.path.rsplit_once('/').map(|(_, name)| name)
    }

    /// The values that the step is about, in the base and in the head. Both halves of a move have both.
    pub(crate) fn values(&self) -> [(Side, Option<&'a Value>); 2] {
        [(Side::Base, self.before.or(self.other)), (Side::Head, self.after.or(self.other))]
    }
}

/// Returns the steps from `base` to `head`, in the order of their application. Steps between calls with the same
/// function and arguments are marked. `calls` are unknown values for the calls of both sides that read files: a call whose
/// files differ is another value.
pub(crate) fn compare<'a>(
    base: &'a Value,
    head: &'a Value,
    language: &Language,
    [old, new]: [&'a [Value]; 2],
) -> Vec<DiffStep<'a>> {
    let mut walk = Walk::new(language);
    for (before, after) in old.iter().flat_map(|before| new.iter().map(move |after| (before, after))) {
        if let (Data::Unknown(a), Data::Unknown(b)) = (&before.data, &after.data)
            && a.meaning() == b.meaning()
            && a.reads != b.reads
        {
            walk.calls.insert(&a.text, (before, after));
        }
    }
    walk.value(base, head);
    walk.steps
}

struct Walk<'a> {
    path: String,
    parents: Vec<(&'a Value, &'a Value)>,
    steps: Vec<DiffStep<'a>>,
    cells: usize,
    language: Language,
    /// Calls of both sides, by their text, that read different files.
    calls: HashMap<&'a str, (&'a Value, &'a Value)>,
}

impl<'a> Walk<'a> {
    fn new(language: &Language) -> Self {
        let (path, parents, steps) = (String::new(), Vec::new(), Vec::new());
        Walk { path, parents, steps, cells: MAX_CELLS, language: *language, calls: HashMap::new() }
    }

    fn is_deep(&self) -> bool {
        self.parents.len() >= MAX_DEPTH
    }

    fn value(&mut self, base: &'a Value, head: &'a Value) {
        let deep = self.is_deep();
        match (&base.data, &head.data) {
            (Data::Str(a), Data::Str(b)) if a == b => {
                if let Some((before, after)) = self.calls.get(&**a).copied() {
                    self.step(ChangeKind::Changed, Some(before), Some(after));
                }
            }
            (a, b) if a.is_identical(b) && !self.has_calls(head) => {}
            // What is hidden differs as a whole.
            _ if base.is_sensitive() || head.is_sensitive() => {
                if !same(base, head) {
                    self.step(ChangeKind::Changed, Some(base), Some(head));
                }
            }
            (Data::Map(a), Data::Map(b)) if !deep => {
                self.parents.push((base, head));
                self.map(a, b);
                self.parents.pop();
            }
            (Data::List(a), Data::List(b)) if !deep => {
                if !self.list(base, head, a, b) {
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

    /// Whether a value may hold a call that reads different files.
    fn has_calls(&self, value: &Value) -> bool {
        !self.calls.is_empty() && value.holds(Flags::CALL)
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
            if x.zip(y).is_some_and(|(x, y)| is_plainly_same(&x.value, &y.value) && !self.has_calls(&y.value)) {
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
        // Most lists that are not one differ only in their places.
        if same(base, head) && !self.has_calls(head) {
            return true;
        }
        let (tokens, named) = Tokens::of(a, b);
        let Some(gaps) = align(&tokens, &mut self.cells) else { return false };
        let moves = Moves::find(&gaps, &tokens, a, b);
        self.parents.push((base, head));
        let (mut i, mut j) = (0, 0);
        // `j` is also the index in the list as it is while the steps are applied.
        for gap in gaps {
            while i < gap.base.start {
                self.item(j, |w| w.value(&a[i], &b[j]));
                (i, j) = (i + 1, j + 1);
            }
            self.gap(&gap, &moves, named, a, b);
            (i, j) = (gap.base.end, gap.head.end);
        }
        while i < a.len() && j < b.len() {
            self.item(j, |w| w.value(&a[i], &b[j]));
            (i, j) = (i + 1, j + 1);
        }
        self.parents.pop();
        true
    }

    /// The items of a stretch that does not match: those that move, then pairs of one that goes and one that takes its place.
    fn gap(&mut self, gap: &Gap, moves: &Moves, named: bool, a: &'a [Value], b: &'a [Value]) {
        let removed = gap.base.clone().filter(|i| moves.to(*i).is_none()).count();
        let added = gap.head.clone().filter(|j| moves.from(*j).is_none()).count();
        let mut paired = if named && (removed, added) != (1, 1) { 0 } else { removed.min(added) };
        let (mut i, mut j) = (gap.base.start, gap.head.start);
        loop {
            let (is_base, is_head) = (i < gap.base.end, j < gap.head.end);
            let (to, from) = (moves.to(i).filter(|_| is_base), moves.from(j).filter(|_| is_head));
            if let Some(to) = to {
                self.item(j, |w| w.moved(ChangeKind::Removed, Moved { from: i, to }, &a[i], &b[to]));
                i += 1;
            } else if let Some(from) = from {
                self.item(j, |w| w.moved(ChangeKind::Added, Moved { from, to: j }, &a[from], &b[j]));
                j += 1;
            } else if paired > 0 {
                self.item(j, |w| w.value(&a[i], &b[j]));
                (i, j, paired) = (i + 1, j + 1, paired - 1);
            } else if is_base {
                self.item(j, |w| w.removed(i, &a[i]));
                i += 1;
            } else if is_head {
                self.item(j, |w| w.step(ChangeKind::Added, None, Some(&b[j])));
                j += 1;
            } else {
                return;
            }
        }
    }

    fn removed(&mut self, index: usize, item: &'a Value) {
        self.step(ChangeKind::Removed, Some(item), None);
        if let Some(step) = self.steps.last_mut() {
            step.base_index = Some(index);
        }
    }

    /// One half of a move.
    fn moved(&mut self, kind: ChangeKind, moved: Moved, before: &'a Value, after: &'a Value) {
        let is_gone = kind == ChangeKind::Removed;
        self.step(kind, is_gone.then_some(before), (!is_gone).then_some(after));
        if let Some(step) = self.steps.last_mut() {
            (step.moved, step.other) = (Some(moved), Some(if is_gone { after } else { before }));
        }
    }

    fn item(&mut self, index: usize, f: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        pointer::push(&mut self.path, &index.to_string());
        f(self);
        self.path.truncate(length);
    }

    fn step(&mut self, kind: ChangeKind, before: Option<&'a Value>, after: Option<&'a Value>) {
        take_steps(STEPS);
        let texts = before.and_then(Value::as_str).filter(|text| is_call(text)).zip(after.and_then(Value::as_str));
        let is_same_call = texts.is_some_and(|(before, after)| self.language.same_call(before, after));
        self.steps.push(DiffStep {
            is_same_call,
            moved: None,
            base_index: None,
            other: None,
            path: self.path.clone(),
            kind,
            before,
            after,
            base_parents: self.parents.iter().map(|p| p.0).collect(),
            head_parents: self.parents.iter().map(|p| p.1).collect(),
        });
    }
}

/// Whether two values are the same because they are one in memory, or the same plain scalar. It is so for most that are the same.
fn is_plainly_same(a: &Value, b: &Value) -> bool {
    a.data.is_identical(&b.data) || a.as_str().is_some_and(|text| b.as_str() == Some(text))
}

#[cfg(test)]
mod tests;
