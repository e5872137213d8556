//! Who set a value, who was overridden, and what it was computed from.

use super::{Value, fit};
use shared_text::ByAddress;
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A file of an analysis, as an index into the table that issued it.
///
/// It is never zero inside, so that an optional [`Origin`] takes no more room than one that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(NonZeroU32);

impl FileId {
    /// The file of an index.
    #[inline]
    pub fn new(index: u32) -> Self {
        FileId(NonZeroU32::MIN.saturating_add(index))
    }

    /// Its index.
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A place in a file, in bytes. `key..start` is empty for values without a key (list items, whole documents).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The file.
    pub file: FileId,
    /// The start of the value's key, or `start` if there is none.
    pub key: u32,
    /// Where the value starts.
    pub start: u32,
    /// Where the value ends (exclusive).
    pub end: u32,
}

/// The provenance of a value. Cheap to copy; empty for values that no file contains.
#[derive(Clone, Debug, Default)]
pub struct Prov {
    /// Where the value was written.
    pub origin: Option<Origin>,
    /// Its history, if there is any.
    pub trail: Option<Arc<Trail>>,
}

/// The origin, and the history as one object in memory.
pub type ProvIdentity<'a> = (Option<Origin>, Option<ByAddress<&'a Arc<Trail>>>);

/// Histories whose inputs were seen.
#[derive(Debug, Default)]
pub struct Inputs<'a>(HashSet<ByAddress<&'a Arc<Trail>>>);

/// The most values that one value replaces. Nobody reads a longer history, and files that import each other in diamonds double it
/// on each level.
const MAX_HISTORY: usize = 200;

/// The history of a value.
#[derive(Clone, Debug)]
pub struct Trail(Past);

/// Nearly every value has one kind of history, and there are very many of them.
#[derive(Clone, Debug)]
enum Past {
    Overrode(Value),
    Inputs(Vec<Prov>),
    All(Box<All>),
}

#[derive(Clone, Debug, Default)]
struct All {
    overrode: Option<Value>,
    inputs: Vec<Prov>,
    layers: Arc<[Contribution]>,
    secrecy: Secrecy,
}

/// From whom a value is hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Secrecy {
    /// From nobody.
    #[default]
    Open,
    /// From people: it comes from a place of a secret.
    Masked,
    /// From people and programs: it is declared to be sensitive.
    Sensitive,
}

impl From<All> for Trail {
    fn from(mut all: All) -> Self {
        fit(&mut all.inputs);
        let is_plain = all.layers.is_empty() && all.secrecy == Secrecy::Open;
        Trail(match all {
            All { overrode: Some(value), inputs, .. } if is_plain && inputs.is_empty() => Past::Overrode(value),
            All { overrode: None, inputs, .. } if is_plain => Past::Inputs(inputs),
            all => Past::All(Box::new(all)),
        })
    }
}

impl Default for Trail {
    fn default() -> Self {
        Trail(Past::Inputs(Vec::new()))
    }
}

impl Trail {
    /// All parts of the history.
    fn parts(&self) -> All {
        All {
            overrode: self.overrode().cloned(),
            inputs: self.inputs().to_vec(),
            layers: self.shared_layers(),
            secrecy: self.secrecy(),
        }
    }

    /// The same history with other values and places in it.
    pub(super) fn with_parts(&self, overrode: Option<Value>, inputs: Vec<Prov>) -> Self {
        All { overrode, inputs, layers: self.shared_layers(), secrecy: self.secrecy() }.into()
    }

    fn secrecy(&self) -> Secrecy {
        match &self.0 {
            Past::All(all) => all.secrecy,
            _ => Secrecy::Open,
        }
    }

    /// The value that this one replaced in a merge, with its own history.
    #[inline]
    pub fn overrode(&self) -> Option<&Value> {
        match &self.0 {
            Past::Overrode(value) => Some(value),
            Past::Inputs(_) => None,
            Past::All(all) => all.overrode.as_ref(),
        }
    }

    /// What it was computed from besides the text at its origin: values that a template read, calls that passed it on.
    #[inline]
    pub fn inputs(&self) -> &[Prov] {
        match &self.0 {
            Past::Overrode(_) => &[],
            Past::Inputs(inputs) => inputs,
            Past::All(all) => &all.inputs,
        }
    }

    /// All that was written for this value where a call took part in the merge, the lowest layer first; else empty.
    #[inline]
    pub fn layers(&self) -> &[Contribution] {
        match &self.0 {
            Past::All(all) => &all.layers,
            _ => &[],
        }
    }

    fn shared_layers(&self) -> Arc<[Contribution]> {
        match &self.0 {
            Past::All(all) => Arc::clone(&all.layers),
            _ => Arc::default(),
        }
    }
}

/// The contribution of one layer of a merge to a value: known, a call to be evaluated later, or unknown.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The value, with its own history within the layer.
    pub value: Value,
    /// The layer, from 0 for the lowest.
    pub layer: usize,
}

/// Histories can be long (each of many values computed from the previous one), so they are dropped iteratively.
impl Drop for Trail {
    fn drop(&mut self) {
        let mut rest = Vec::new();
        let mut take = |trail: &mut Trail| {
            let (inputs, overrode) = match &mut trail.0 {
                Past::Overrode(value) => (None, Some(value)),
                Past::Inputs(inputs) => (Some(inputs), None),
                Past::All(all) => (Some(&mut all.inputs), all.overrode.as_mut()),
            };
            rest.extend(inputs.into_iter().flat_map(|inputs| inputs.drain(..)).filter_map(|p| p.trail));
            rest.extend(overrode.and_then(|v| v.prov.trail.take()));
            rest.pop()
        };
        let mut next = take(self);
        while let Some(trail) = next {
            next = match Arc::try_unwrap(trail) {
                Ok(mut trail) => take(&mut trail),
                Err(_) => take(&mut Trail::default()),
            };
        }
    }
}

impl Origin {
    /// Only the key of a value, given the length of the key in bytes. Quotes around it may be omitted at the end.
    #[must_use]
    #[inline]
    pub fn of_key(self, length: usize) -> Self {
        let end = u32::try_from(length).map_or(self.start, |length| self.key.saturating_add(length));
        Origin { start: self.key, end: end.min(self.start.max(self.key)), ..self }
    }
}

impl Value {
    /// The same value with another one as the one that it replaced.
    fn over(&self, earlier: Value) -> Value {
        Value { data: self.data.clone(), prov: self.prov.replacing(earlier) }
    }
}

impl Prov {
    /// Written at `origin`, without history.
    #[inline]
    pub fn at(origin: Origin) -> Self {
        Prov { origin: Some(origin), trail: None }
    }

    /// Whether both have the same origin, and one history in memory.
    #[inline]
    pub fn is_identical(&self, other: &Prov) -> bool {
        self.identity() == other.identity()
    }

    /// A key for the provenance and its copies.
    #[inline]
    pub fn identity(&self) -> ProvIdentity<'_> {
        (self.origin, self.trail.as_ref().map(ByAddress))
    }

    /// The same provenance, having replaced `value`. A repetition of the very same value is not an override. A history that
    /// would be longer than the limit keeps what replaced most recently.
    #[must_use]
    pub fn overriding(&self, value: &Value) -> Self {
        // A longer chain keeps its end: the earliest value is appended below what was overridden before.
        let chain: Vec<&Value> = self.history().collect();
        let is_repeated = value.prov.origin == self.origin || chain.iter().any(|v| v.prov.origin == value.prov.origin);
        if value.prov.origin.is_none() || is_repeated || chain.len() >= MAX_HISTORY {
            return self.clone();
        }
        let room = MAX_HISTORY - chain.len();
        let below: Vec<&Value> = value.prov.history().take(room).collect();
        let mut earlier = value.clone();
        if below.len() == room {
            // Its own history does not fit, so the end of that is left out.
            let kept: Vec<&Value> = [value].into_iter().chain(below).take(room).collect();
            let none = Value::default();
            let (last, others) = kept.split_last().map_or((&none, &[][..]), |(last, others)| (*last, others));
            let last = Value { data: last.data.clone(), prov: Prov { origin: last.prov.origin, trail: None } };
            earlier = others.iter().rev().fold(last, |earlier, link| link.over(earlier));
        }
        self.replacing(chain.iter().rev().fold(earlier, |earlier, link| link.over(earlier)))
    }

    /// The same provenance with another value as the one that it replaced.
    fn replacing(&self, earlier: Value) -> Self {
        self.changed(|all| all.overrode = Some(earlier))
    }

    /// The same provenance with another history.
    fn changed(&self, change: impl FnOnce(&mut All)) -> Self {
        let mut all = self.trail.as_deref().map(Trail::parts).unwrap_or_default();
        change(&mut all);
        Prov { origin: self.origin, trail: Some(Arc::new(all.into())) }
    }

    /// The provenance of a value that is hidden from output, and of everything in it.
    #[must_use]
    pub fn sensitive(&self) -> Self {
        if self.is_sensitive() { self.clone() } else { self.changed(|all| all.secrecy = Secrecy::Sensitive) }
    }

    /// The provenance of a value that is masked where people read it.
    #[must_use]
    pub fn masked(&self) -> Self {
        if self.is_masked() { self.clone() } else { self.changed(|all| all.secrecy = Secrecy::Masked) }
    }

    fn secrecy(&self) -> Secrecy {
        self.trail.as_deref().map_or(Secrecy::Open, Trail::secrecy)
    }

    /// Whether the value is hidden from all output.
    #[inline]
    pub fn is_sensitive(&self) -> bool {
        self.secrecy() == Secrecy::Sensitive
    }

    /// Whether the value is not shown to people; what is hidden from all output is not.
    #[inline]
    pub fn is_masked(&self) -> bool {
        self.secrecy() >= Secrecy::Masked
    }

    /// The values that this one replaced, the latest first.
    pub fn history(&self) -> impl Iterator<Item = &Value> {
        std::iter::successors(self.overrode(), |value| value.prov.overrode())
    }

    /// The same provenance, computed also from `inputs`.
    #[must_use]
    pub fn with_inputs(&self, more: impl IntoIterator<Item = Prov>) -> Self {
        let more: Vec<Prov> = more.into_iter().collect();
        if more.is_empty() {
            return self.clone();
        }
        self.changed(|all| all.inputs.extend(more))
    }

    /// The same provenance with what all layers of a merge have for the value.
    #[must_use]
    #[inline]
    pub fn with_layers(&self, layers: Vec<Contribution>) -> Self {
        self.changed(|all| all.layers = layers.into())
    }

    /// The contributions of all layers of the last merge to the value, the lowest first, if a call was involved;
    /// otherwise empty.
    #[inline]
    pub fn layers(&self) -> &[Contribution] {
        self.trail.as_ref().map_or(&[], |t| t.layers())
    }

    /// The value that this one replaced.
    #[inline]
    pub fn overrode(&self) -> Option<&Value> {
        self.trail.as_ref()?.overrode()
    }

    /// Calls `f` for the origin of this value and of everything it was computed from, nearest first. What it overrode
    /// is not part of it.
    pub fn for_each_input(&self, f: &mut impl FnMut(Origin)) {
        self.for_each_new_input(&mut Inputs::default(), f);
    }

    /// The same without what the histories that were seen before lead to: values that are computed from one another share most
    /// of theirs.
    pub fn for_each_new_input<'a>(&'a self, seen: &mut Inputs<'a>, f: &mut impl FnMut(Origin)) {
        self.new_inputs_while(seen, &mut |origin| {
            f(origin);
            true
        });
    }

    /// The same as long as `f` returns that it wants more.
    pub fn new_inputs_while<'a>(&'a self, seen: &mut Inputs<'a>, f: &mut impl FnMut(Origin) -> bool) {
        let mut stack: Vec<&Prov> = vec![self];
        while let Some(prov) = stack.pop() {
            if prov.origin.is_some_and(|origin| !f(origin)) {
                return;
            }
            if let Some(trail) = prov.trail.as_ref().filter(|trail| seen.0.insert(ByAddress(*trail))) {
                stack.extend(trail.inputs().iter().rev());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_histories_are_dropped() {
        let mut prov = Prov::default();
        for _ in 0..200_000 {
            prov = Prov::default().with_inputs([prov]);
        }
        drop(prov);
    }

    #[test]
    fn inputs_that_values_share_are_seen_once() {
        let at = |n: u32| Prov::at(Origin { file: FileId::new(n), key: 1, start: 1, end: 2 });
        let chain = (1..1_000).fold(at(0), |prov, n| at(n).with_inputs([prov]));
        let (one, other) = (at(2_000).with_inputs([chain.clone()]), at(3_000).with_inputs([chain]));
        let (mut seen, mut found) = (Inputs::default(), Vec::new());
        one.for_each_new_input(&mut seen, &mut |origin| found.push(origin.file.index()));
        assert_eq!(found.len(), 1_001);
        other.for_each_new_input(&mut seen, &mut |origin| found.push(origin.file.index()));
        assert_eq!(found[1_001..], [3_000, 999], "where the other one is written, and where it leads to");
    }

    #[test]
    fn histories_have_a_limit() {
        let value =
            |n: u32| Value::default().with_prov(Prov::at(Origin { file: FileId::new(n), key: 1, start: 1, end: 2 }));
        let over = |upper: Value, lower: &Value| Value { prov: upper.prov.overriding(lower), ..upper };
        // Two histories without a value in common, put together on each level.
        let mut n = 0;
        let mut level: Vec<Value> = Vec::new();
        level.resize_with(1 << 12, || {
            n += 1;
            value(n)
        });
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| over(pair[1].clone(), &pair[0])).collect();
        }
        let latest = Prov::at(Origin { file: FileId::new(n), key: 1, start: 1, end: 2 }).origin;
        assert_eq!(level[0].prov.origin, latest);
        assert_eq!(level[0].prov.history().count(), MAX_HISTORY);
        let mut all = value(0);
        for n in 1..1_000 {
            all = over(value(n), &all);
        }
        assert_eq!(all.prov.history().count(), MAX_HISTORY);
        assert_eq!(all.prov.history().next().unwrap().prov.origin, value(998).prov.origin);
    }

    #[test]
    fn a_history_takes_no_more_room_than_the_value_in_it() {
        assert_eq!(size_of::<Trail>(), size_of::<Value>());
    }

    #[test]
    fn a_history_keeps_all_of_its_parts() {
        let at = |n: u32| Prov::at(Origin { file: FileId::new(n), key: 1, start: 1, end: 2 });
        let below = Value::default().with_prov(at(1));
        let layers = || vec![Contribution { value: Value::default(), layer: 3 }];
        let prov = at(0).overriding(&below).with_inputs([at(2)]).with_layers(layers()).with_inputs([at(3)]);
        assert_eq!(prov.overrode().map(|v| v.prov.origin), Some(at(1).origin));
        assert_eq!(prov.layers().iter().map(|l| l.layer).collect::<Vec<_>>(), [3]);
        let mut inputs = Vec::new();
        prov.for_each_input(&mut |origin| inputs.push(origin.file.index()));
        assert_eq!(inputs, [0, 2, 3]);
        assert!(!prov.is_sensitive());
        let hidden = at(0).sensitive().overriding(&below).with_inputs([at(2)]).with_layers(layers());
        assert!(hidden.is_sensitive());
        assert!(!at(0).with_inputs([at(1).sensitive()]).is_sensitive());
        let masked = at(0).masked();
        assert!(
            masked.is_masked()
                && !masked.is_sensitive()
                && masked.sensitive().is_sensitive()
                && hidden.masked().is_sensitive()
        );
        let other_way = at(0).with_layers(layers()).with_inputs([at(2)]).overriding(&below);
        assert_eq!(other_way.overrode().map(|v| v.prov.origin), Some(at(1).origin));
        assert_eq!((other_way.layers().len(), other_way.trail.map(|t| t.inputs().len())), (1, Some(1)));
    }
}
