//! The effects of a merge that neither side had: the four versions of each value of a component, compared.
//!
//! The configuration of a component is a map whose entries are found by their paths; lists and scalars are values as a whole.
//! What a merge should make of a value follows from what each side did to it. Anything else is an effect that nobody has seen.

mod stacks;

pub(crate) use stacks::{BrokenStack, ListedValue, MergedComponent, MergedProject, project};

use super::pointer;
use super::same::same;
use crate::text::Text;
use crate::value::{Data, Unknown, Value};
use std::collections::{BTreeSet, HashMap};

/// The names of the four versions, in the order of all arrays here.
pub(crate) const VERSIONS: [&str; 4] = ["base", "ours", "theirs", "merged"];
/// The place of the merge base in them.
pub(crate) const BASE: usize = 0;
/// The place of our side, which is merged into.
pub(crate) const OURS: usize = 1;
/// The place of their side, which is merged.
pub(crate) const THEIRS: usize = 2;
/// The place of the merge.
pub(crate) const MERGED: usize = 3;

/// One thing in the four versions; `None` where a version does not have it.
pub(crate) type Versions<'a> = [Option<&'a Value>; 4];

/// Which side the merge agrees with, where both changed a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Winner {
    Ours,
    Theirs,
    Neither,
}

impl Winner {
    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Winner::Ours => "ours",
            Winner::Theirs => "theirs",
            Winner::Neither => "neither",
        }
    }
}

/// Why a value is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// Neither side has the value of the merge, or made this change.
    Emergent,
    /// The change of our side is not in the merge.
    LostOurs,
    /// The change of their side is not in the merge.
    LostTheirs,
    /// Both sides changed it, to different values; `None` if it is not known whose value the merge has.
    Contested(Option<Winner>),
    /// Whether it is one of these depends on a value that is known only at run time.
    Unknown,
}

impl Effect {
    /// Which side the merge agrees with, if both sides changed the value and it is known.
    pub(crate) fn winner(self) -> Option<Winner> {
        if let Effect::Contested(winner) = self { winner } else { None }
    }

    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Effect::Emergent => "emergent",
            Effect::LostOurs => "lost-ours",
            Effect::LostTheirs => "lost-theirs",
            Effect::Contested(_) => "contested",
            Effect::Unknown => "unknown",
        }
    }
}

/// A value of which the merge has an effect that neither side had.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MergedValue {
    /// JSON Pointer into the component.
    pub path: String,
    /// Why it is listed.
    pub effect: Effect,
    /// Its versions.
    pub versions: [Option<Value>; 4],
}

/// The values of a component of which a merge has an effect that neither side had, sorted by path.
///
/// `calls` are unknown values for the calls of each version that read files: a call whose files differ may be another value.
pub(crate) fn compare(component: Versions<'_>, calls: [&[Value]; 4]) -> Vec<MergedValue> {
    let calls = Calls(calls.map(|calls| calls.iter().filter_map(unknown).map(|call| (&*call.text, call)).collect()));
    let mut found = Vec::new();
    // Most components are changed by one side at most, and are then what that side made of them.
    if calls.is_of_one_side(component) {
        return found;
    }
    // A work list instead of recursion: nesting is the choice of files.
    let mut todo = vec![(String::new(), component)];
    while let Some((path, versions)) = todo.pop() {
        let (own, below) = split(versions);
        if let Some(effect) = own.iter().any(Option::is_some).then(|| calls.effect(own)).flatten() {
            found.push(MergedValue { path: path.clone(), effect, versions: own.map(Option::<&Value>::cloned) });
        }
        let Some(below) = below.filter(|below| calls.may_differ() || !is_one(*below)) else { continue };
        let maps = || below.into_iter().flatten().filter_map(Value::as_map);
        let keys: BTreeSet<&Text> = maps().flat_map(|map| map.keys()).collect();
        for key in keys {
            let mut path = path.clone();
            pointer::push(&mut path, key);
            let entry = |value| unknown(value).map_or_else(|| value.get(key), |_| Some(value));
            todo.push((path, below.map(|value| value.and_then(entry))));
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// What is a value of its own of the versions of a path, and what has entries below it. Beside a map with entries an empty one
/// is absent, and a value that is not known may have any entries.
fn split(versions: Versions<'_>) -> (Versions<'_>, Option<Versions<'_>>) {
    if !versions.iter().flatten().filter_map(|value| value.as_map()).any(|map| !map.is_empty()) {
        return (versions, None);
    }
    let is_nested = |value: &&Value| value.as_map().is_some() || unknown(value).is_some();
    (versions.map(|value| value.filter(|value| !is_nested(value))), Some(versions.map(|value| value.filter(is_nested))))
}

/// Whether all versions are one in memory.
fn is_one([first, others @ ..]: Versions<'_>) -> bool {
    first
        .is_some_and(|first| others.iter().all(|other| other.is_some_and(|other| other.data.is_identical(&first.data))))
}

/// Whether two versions are one in memory.
fn is_identical(versions: [Option<&Value>; 2]) -> bool {
    matches!(versions, [Some(a), Some(b)] if a.data.is_identical(&b.data))
}

/// The ways in which four things can be equal: for each the number of the first thing that it equals.
const WAYS: [[usize; 4]; 15] = [
    [0, 0, 0, 0],
    [0, 0, 0, 3],
    [0, 0, 2, 0],
    [0, 0, 2, 2],
    [0, 0, 2, 3],
    [0, 1, 0, 0],
    [0, 1, 0, 1],
    [0, 1, 0, 3],
    [0, 1, 1, 0],
    [0, 1, 1, 1],
    [0, 1, 1, 3],
    [0, 1, 2, 0],
    [0, 1, 2, 1],
    [0, 1, 2, 2],
    [0, 1, 2, 3],
];

/// All pairs of versions.
const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

/// The calls of each version that read files, by their text.
struct Calls<'a>([HashMap<&'a str, &'a Unknown>; 4]);

impl Calls<'_> {
    /// Whether the same text may be another value in another version.
    fn may_differ(&self) -> bool {
        self.0.iter().any(|calls| !calls.is_empty())
    }

    /// Whether one side changed nothing of a component, and the merge has what the other side has.
    fn is_of_one_side(&self, versions: Versions<'_>) -> bool {
        let is_same = |a: usize, b: usize| {
            !self.may_differ() && is_identical([versions[a], versions[b]])
                || self.equality((a, versions[a]), (b, versions[b])) == Some(true)
        };
        [(OURS, THEIRS), (THEIRS, OURS)].iter().any(|(kept, other)| is_same(BASE, *kept) && is_same(*other, MERGED))
    }

    /// Why a value with these versions is listed; `None` if the merge has what the sides lead to expect. A value that is not
    /// known may equal any other one: what holds in all cases is certain.
    fn effect(&self, versions: Versions<'_>) -> Option<Effect> {
        let equal = PAIRS.map(|(a, b)| self.equality((a, versions[a]), (b, versions[b])));
        let is_possible = |way: &&[usize; 4]| {
            PAIRS.iter().zip(&equal).all(|((a, b), equal)| equal.is_none_or(|equal| equal == (way[*a] == way[*b])))
        };
        let mut possible = WAYS.iter().filter(is_possible).map(of_way);
        let first = possible.next().flatten();
        possible.fold(first, |all, one| match (all, one) {
            (all, one) if all == one => all,
            (Some(Effect::Contested(_)), Some(Effect::Contested(_))) => Some(Effect::Contested(None)),
            _ => Some(Effect::Unknown),
        })
    }

    /// Whether two versions, by their numbers, are equal; `None` if that is not known. Absent is a value of its own.
    fn equality(&self, (i, a): (usize, Option<&Value>), (j, b): (usize, Option<&Value>)) -> Option<bool> {
        let (Some(a), Some(b)) = (a, b) else {
            let is_unknown = a.or(b).is_some_and(|value| unknown(value).is_some());
            return if is_unknown { None } else { Some(a.is_none() && b.is_none()) };
        };
        let (mut todo, mut is_known) = (vec![(a, b)], true);
        while let Some((a, b)) = todo.pop() {
            match (&a.data, &b.data) {
                (Data::List(x), Data::List(y)) if x.len() == y.len() => todo.extend(x.iter().zip(y.iter())),
                (Data::Map(x), Data::Map(y)) if x.has_same_keys(y) => {
                    todo.extend(x.iter().zip(y.iter()).map(|(x, y)| (&x.value, &y.value)));
                }
                (Data::Str(x), Data::Str(y)) if x == y => {
                    let calls = self.0[i].get(&**x).zip(self.0[j].get(&**y));
                    is_known &= calls.is_none_or(|(x, y)| x.reads == y.reads);
                }
                _ if same(a, b) => {}
                (Data::Unknown(_), _) | (_, Data::Unknown(_)) => is_known = false,
                _ => return Some(false),
            }
        }
        is_known.then_some(true)
    }
}

fn unknown(value: &Value) -> Option<&Unknown> {
    match &value.data {
        Data::Unknown(unknown) => Some(unknown),
        _ => None,
    }
}

/// Why a value is listed whose versions are equal in this way.
fn of_way(&[base, ours, theirs, merged]: &[usize; 4]) -> Option<Effect> {
    match (ours == base, theirs == base) {
        (true, true) => (merged != base).then_some(Effect::Emergent),
        (false, false) if ours == theirs => (merged != ours).then_some(Effect::Emergent),
        (false, true) if merged == ours => None,
        (false, true) => Some(if merged == base { Effect::LostOurs } else { Effect::Emergent }),
        (true, false) if merged == theirs => None,
        (true, false) => Some(if merged == base { Effect::LostTheirs } else { Effect::Emergent }),
        (false, false) => Some(Effect::Contested(Some(match merged {
            merged if merged == ours => Winner::Ours,
            merged if merged == theirs => Winner::Theirs,
            _ => Winner::Neither,
        }))),
    }
}

#[cfg(test)]
mod tests;
