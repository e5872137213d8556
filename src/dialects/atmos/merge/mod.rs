//! The merge of maps as Atmos computes it (`reference: atmos.md` section 5): the later input wins whatever the types,
//! maps merge deeply, lists by the current strategy, `!append` markers apply to the value below them.

mod cache;
pub(super) mod deferred;
pub(super) mod deferred_calls;

pub(super) use cache::MergeCache;

use crate::limits;
use crate::text::{ByAddress, Text, order};
use crate::value::{Data, Entry, Flags, Key, Map, MapBuilder, Prov, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// The key of the marker map around an `!append` list until a merge consumes it.
pub(super) const APPEND_KEY: &str = "__atmos_append__";

/// How two lists merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum ListStrategy {
    /// The later list wins.
    #[default]
    Replace,
    /// The later items follow the earlier ones.
    Append,
    /// Index by index; maps merge deeply, of two other items the *earlier* stays.
    Merge,
}

impl ListStrategy {
    /// The strategy of a name in the configuration; `None` for an unknown name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "" | "replace" => Some(ListStrategy::Replace),
            "append" => Some(ListStrategy::Append),
            "merge" => Some(ListStrategy::Merge),
            _ => None,
        }
    }
}

/// How maps merge: the strategy for lists, and the cache that avoids repeated merges.
#[derive(Clone, Copy)]
pub(crate) struct Merger<'a> {
    /// How two lists merge.
    pub strategy: ListStrategy,
    cache: Option<&'a MergeCache>,
}

impl<'a> Merger<'a> {
    /// Merges with this strategy, and stores what it merges in the cache of a resolution.
    pub(super) fn new(strategy: ListStrategy, cache: &'a MergeCache) -> Self {
        Merger { strategy, cache: Some(cache) }
    }

    /// The same with another strategy.
    pub(super) fn with_strategy(self, strategy: ListStrategy) -> Self {
        Merger { strategy, ..self }
    }

    /// Returns the cached result of a merge in the given `mode`, or that of `merge`.
    fn cached(self, mode: u8, inputs: &[&Arc<Map>], merge: impl FnOnce() -> Arc<Map>) -> Arc<Map> {
        match self.cache {
            Some(cache) => cache.get_or_merge(mode, inputs, merge),
            None => merge(),
        }
    }
}

/// Merges without a cache.
impl From<ListStrategy> for Merger<'static> {
    fn from(strategy: ListStrategy) -> Self {
        Merger { strategy, cache: None }
    }
}

/// How many maps are walked side by side.
const WIDTH: usize = 8;

/// Merges inputs, the lowest first. Empty inputs have no part in it.
pub(super) fn merge<'a, 'm>(merger: impl Into<Merger<'m>>, inputs: impl IntoIterator<Item = &'a Arc<Map>>) -> Arc<Map> {
    let mut inputs = inputs.into_iter().filter(|m| !m.is_empty());
    let Some(first) = inputs.next() else { return Map::none() };
    let mode = Mode { merger: merger.into(), markers: true };
    let mut merged: Option<Arc<Map>> = None;
    let mut next = inputs.next();
    while next.is_some() {
        let lowest = merged.as_ref().unwrap_or(first);
        let mut some = [lowest; WIDTH];
        let mut count = 1;
        while count < WIDTH
            && let Some(input) = next
        {
            some[count] = input;
            (count, next) = (count + 1, inputs.next());
        }
        merged = Some(merge_many(&some[..count], mode));
    }
    merged.unwrap_or_else(|| normalize_map(first))
}

/// Merges at least one and at most [`WIDTH`] maps as they were written, the lowest first: the same as merging the second
/// into the first, the third into that, and so on, without the maps in between.
fn merge_many(inputs: &[&Arc<Map>], mode: Mode<'_>) -> Arc<Map> {
    let again = |pair: &&[&Arc<Map>]| {
        let repeated = ByAddress(pair[0]) == ByAddress(pair[1]) && mode.strategy() == ListStrategy::Replace;
        repeated && !pair[0].flags().has(Flags::MARKER)
    };
    let inputs = &inputs[inputs.windows(2).take_while(again).count()..];
    match inputs {
        [only] => normalize_map(only),
        _ => mode.merger.cached(mode.number(), inputs, || merge_side_by_side(inputs, mode)),
    }
}

fn merge_side_by_side(inputs: &[&Arc<Map>], mode: Mode<'_>) -> Arc<Map> {
    // Usually one of the maps is much longer than the others: what it has between the keys of those is copied at once.
    let Some(longest) = (0..inputs.len()).max_by_key(|number| inputs[*number].len()) else { return Map::none() };
    let mut long = inputs[longest].iter().as_slice();
    let mut rest: [_; WIDTH] = std::array::from_fn(|number| match inputs.get(number) {
        Some(input) if number != longest => input.iter(),
        _ => [].iter(),
    });
    let rest = &mut rest[..inputs.len()];
    let mut out = MapBuilder::with_capacity(inputs.iter().map(|m| m.len()).sum());
    let all = inputs.iter().fold(Flags::default(), |f, m| f | m.flags());
    // Nearly always nothing is lost or resolved, and what meets nothing stays as it is.
    let is_normal = !all.has(Flags::TIME) && !all.has(Flags::MARKER);
    let copy = |out: &mut MapBuilder, entries: &[Entry]| match is_normal {
        true => out.extend_with(entries),
        false => entries.iter().for_each(|e| out.push_next(Text::clone(&e.key), normalize(&e.value))),
    };
    let mut contested = Flags::default();
    while let Some((Entry { key, value }, mut owners)) = least(rest) {
        let (before, from) = long.split_at(lower_keys(long, key));
        copy(&mut out, before);
        let meets = from.first().filter(|entry| order(&entry.key, key).is_eq());
        owners |= u32::from(meets.is_some()) << longest;
        long = if meets.is_some() { &from[1..] } else { from };
        let mut values = [value; WIDTH];
        let mut count = 0;
        while owners != 0 {
            let number = owners.trailing_zeros() as usize;
            owners &= owners - 1;
            if let Some(entry) = if number == longest { meets } else { rest[number].next() } {
                values[count] = &entry.value;
                count += 1;
            }
        }
        let value = match &values[..count] {
            [only] if is_normal => (*only).clone(),
            [only] => normalize(only),
            several => {
                let value = merge_values_of(several, mode);
                contested = contested | contest(&value);
                value
            }
        };
        out.push_next(Text::clone(key), value);
    }
    copy(&mut out, long);
    finish(out, all | contested)
}

/// How many entries come before a key. It is found in few steps if there are few.
fn lower_keys(entries: &[Entry], key: &Key) -> usize {
    let is_lower = |entry: &Entry| order(&entry.key, key).is_lt();
    let (mut start, mut end, mut step) = (0, 0, 1);
    while entries.get(end).is_some_and(is_lower) {
        start = end + 1;
        end += step;
        step *= 2;
    }
    start + entries[start..end.min(entries.len())].partition_point(is_lower)
}

/// The entry with the least key among those that are next in some maps, and the maps that have this key next: a bit for the
/// number of each.
fn least<'a>(rest: &[std::slice::Iter<'a, Entry>]) -> Option<(&'a Entry, u32)> {
    let mut least: Option<(&Entry, u32)> = None;
    for (number, iter) in rest.iter().enumerate() {
        let Some(next) = iter.as_slice().first() else { continue };
        match &mut least {
            Some((known, owners)) => match order(&next.key, &known.key) {
                Ordering::Less => least = Some((next, 1 << number)),
                Ordering::Equal => *owners |= 1 << number,
                Ordering::Greater => {}
            },
            None => least = Some((next, 1 << number)),
        }
    }
    least
}

/// Merges several values of one key, the lowest first.
fn merge_values_of(values: &[&Value], mode: Mode<'_>) -> Value {
    if values.iter().all(|v| plain_map(v).is_some()) {
        let mut maps = values.iter().filter_map(|v| plain_map(v));
        if let Some(lowest) = maps.next() {
            let mut some = [lowest; WIDTH];
            some[1..].iter_mut().zip(maps).for_each(|(slot, map)| *slot = map);
            let placed = values.iter().find(|v| v.prov.origin.is_some()).or(values.last());
            let prov = placed.map(|v| v.prov.clone()).unwrap_or_default();
            return Value { data: Data::Map(merge_many(&some[..values.len()], mode)), prov };
        }
    }
    let mut sum = normalize(values[0]);
    for value in &values[1..] {
        sum = merge_pair(&sum, value, mode);
    }
    sum
}

/// A map that holds neither dates nor markers, and not nothing.
fn plain_map(value: &Value) -> Option<&Arc<Map>> {
    let plain = |m: &&Arc<Map>| !m.is_empty() && !m.flags().has(Flags::MARKER) && !m.flags().has(Flags::TIME);
    value.as_map().filter(plain)
}

/// Whether the merge of a value made it, or something in it, contested.
fn contest(value: &Value) -> Flags {
    let has_override = match &value.data {
        Data::List(_) | Data::Map(_) => value.holds(Flags::OVERRIDDEN),
        _ => value.has_override(),
    };
    if has_override { Flags::OVERRIDDEN } else { Flags::default() }
}

/// Returns the map of merged entries whose inputs had at most the given `flags`.
fn finish(out: MapBuilder, flags: Flags) -> Arc<Map> {
    // Dates are lost, and most markers resolved: whether any is left shows only in the entries.
    let doubtful = flags.has(Flags::TIME) || flags.has(Flags::MARKER);
    let flags = if doubtful { out.flags() } else { flags };
    let map = out.finish_with(flags);
    limits::take(map.len(), limits::Piece::MergedValue);
    Arc::new(map)
}

/// The provenance of `upper`, which replaces `lower`. The links of its history are made anew: what is below them changes.
fn overriding(upper: &Value, lower: &Value) -> Prov {
    limits::take(1 + upper.prov.history().count(), limits::Piece::Link);
    upper.prov.overriding(lower)
}

/// Merges what manifests hand to each other, the lowest first. A lone input keeps its `!append` markers for a later
/// merge; that is why they work in one file and not in another.
pub(super) fn merge_imports<'a, 'm>(
    merger: impl Into<Merger<'m>>,
    inputs: impl IntoIterator<Item = &'a Arc<Map>>,
) -> Arc<Map> {
    let inputs: Vec<&Arc<Map>> = inputs.into_iter().filter(|m| !m.is_empty()).collect();
    match inputs.as_slice() {
        [only] if only.flags().has(Flags::TIME) => {
            Arc::new(only.iter().map(|e| (Text::clone(&e.key), normalize_item(&e.value))).collect())
        }
        [only] => Arc::clone(only),
        several => merge(merger, several.iter().copied()),
    }
}

/// Merges two values as if they stood under one key.
pub(super) fn merge_values<'m>(merger: impl Into<Merger<'m>>, lower: &Value, upper: &Value) -> Value {
    let key = Text::from("");
    let pair = |v: &Value| Arc::new(Map::from_iter([(Text::clone(&key), v.clone())]));
    let merged = merge(merger, [&pair(lower), &pair(upper)]);
    merged.get("").cloned().unwrap_or_default()
}

/// How two maps meet.
#[derive(Clone, Copy)]
struct Mode<'a> {
    merger: Merger<'a>,
    /// Whether `!append` markers are resolved: as values of maps, but not below a list.
    markers: bool,
}

impl Mode<'_> {
    fn strategy(self) -> ListStrategy {
        self.merger.strategy
    }

    fn number(self) -> u8 {
        self.strategy() as u8 * 2 + u8::from(self.markers)
    }
}

fn merge_maps(lower: &Arc<Map>, upper: &Arc<Map>, mode: Mode<'_>) -> Arc<Map> {
    if ByAddress(lower) == ByAddress(upper)
        && mode.strategy() == ListStrategy::Replace
        && !upper.flags().has(Flags::MARKER)
    {
        return Arc::clone(lower);
    }
    if upper.is_empty() && !lower.is_mixed() {
        return Arc::clone(lower);
    }
    let mut out = MapBuilder::with_capacity(lower.len() + upper.len());
    let mut contested = Flags::default();
    let (mut l, mut u) = (lower.iter().peekable(), upper.iter().peekable());
    loop {
        let place = match (l.peek(), u.peek()) {
            (Some(a), Some(b)) => order(&a.key, &b.key),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let a = if place.is_le() { l.next() } else { None };
        let b = if place.is_ge() { u.next() } else { None };
        match (a, b) {
            (Some(a), Some(b)) => {
                let value = merge_pair(&a.value, &b.value, mode);
                contested = contested | contest(&value);
                out.push_next(Text::clone(&a.key), value);
            }
            (Some(a), None) => out.push_next(Text::clone(&a.key), a.value.clone()),
            (None, Some(b)) => out.push_next(Text::clone(&b.key), fresh(&b.value, mode)),
            (None, None) => break,
        }
    }
    finish(out, lower.flags() | upper.flags() | contested)
}

/// `lower` is normalized already, `upper` is as authored.
fn merge_pair(lower: &Value, upper: &Value, mode: Mode<'_>) -> Value {
    if let Some(items) = appended(upper).filter(|_| mode.markers) {
        let mut list = match &lower.data {
            Data::List(list) => list.to_vec(),
            _ => Vec::new(),
        };
        list.extend(items.iter().map(normalize_item));
        limits::take(list.len(), limits::Piece::MergedValue);
        return Value { data: Data::List(Arc::new(list)), prov: overriding(upper, lower) };
    }
    match (&lower.data, &upper.data) {
        (Data::Map(a), Data::Map(b)) => {
            let prov = if lower.prov.origin.is_some() { lower.prov.clone() } else { upper.prov.clone() };
            Value { data: Data::Map(merge_maps(a, b, mode)), prov }
        }
        // A date is a structure without readable fields: as a map it is empty, and changes nothing here.
        (Data::Map(_), Data::Time(_)) => lower.clone(),
        (Data::List(a), Data::List(b)) if mode.strategy() != ListStrategy::Replace => {
            let list: Vec<Value> = match mode.strategy() {
                ListStrategy::Append => a.iter().cloned().chain(b.iter().map(normalize_item)).collect(),
                _ => merge_lists(a, b, mode),
            };
            limits::take(list.len(), limits::Piece::MergedValue);
            Value { data: Data::List(Arc::new(list)), prov: overriding(upper, lower) }
        }
        _ => {
            let mut value = fresh(upper, mode);
            value.prov = overriding(&value, lower);
            value
        }
    }
}

fn merge_lists(lower: &[Value], upper: &[Value], mode: Mode<'_>) -> Vec<Value> {
    let overlap = lower.iter().zip(upper).map(|(a, b)| match (&a.data, &b.data) {
        (Data::Map(x), Data::Map(y)) => {
            Value { data: Data::Map(merge_maps(x, y, Mode { markers: false, ..mode })), prov: overriding(a, b) }
        }
        _ => a.clone(),
    });
    let tail = if lower.len() > upper.len() { &lower[upper.len()..] } else { &upper[lower.len()..] };
    overlap.chain(tail.iter().map(normalize_item)).collect()
}

/// A value that meets nothing below it.
fn fresh(value: &Value, mode: Mode<'_>) -> Value {
    if mode.markers { normalize(value) } else { normalize_item(value) }
}

/// The items of an `!append` marker.
fn appended(value: &Value) -> Option<&Arc<Vec<Value>>> {
    let map = value.as_map()?;
    if !map.flags().has(Flags::MARKER) {
        return None;
    }
    map.get(APPEND_KEY)?.as_list()
}

/// A value as it comes out of a merge that found nothing below it: dates are lost, `!append` markers are plain lists.
pub(super) fn normalize(value: &Value) -> Value {
    if let Some(items) = appended(value) {
        let list = items.iter().map(normalize_item).collect();
        return Value { data: Data::List(Arc::new(list)), prov: value.prov.clone() };
    }
    match &value.data {
        Data::Map(map) => Value { data: Data::Map(normalize_map(map)), prov: value.prov.clone() },
        _ => normalize_item(value),
    }
}

fn normalize_map(map: &Arc<Map>) -> Arc<Map> {
    let flags = map.flags();
    if !flags.has(Flags::TIME) && !flags.has(Flags::MARKER) {
        return Arc::clone(map);
    }
    let mut out = MapBuilder::with_capacity(map.len());
    for Entry { key, value } in map.iter() {
        out.push(Text::clone(key), normalize(value));
    }
    Arc::new(out.finish())
}

/// Inside a list, markers stay as they are (Atmos resolves them as map values only); dates are lost there too.
fn normalize_item(value: &Value) -> Value {
    let may_hold_dates = matches!(value.data, Data::Time(_) | Data::List(_) | Data::Map(_));
    if !may_hold_dates || !value.holds(Flags::TIME) {
        return value.clone();
    }
    let data = match &value.data {
        Data::Time(_) => Data::Map(Arc::default()),
        Data::List(list) => Data::List(Arc::new(list.iter().map(normalize_item).collect())),
        Data::Map(map) => {
            Data::Map(Arc::new(map.iter().map(|e| (Text::clone(&e.key), normalize_item(&e.value))).collect()))
        }
        other => other.clone(),
    };
    Value { data, prov: value.prov.clone() }
}
