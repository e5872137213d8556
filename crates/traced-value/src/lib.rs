#![doc = include_str!("../README.md")]

mod decode;
mod flags;
pub mod json;
mod map;
mod places;
mod provenance;
mod rebuilt;

pub use decode::{below, scalar};
pub use flags::{Flags, has_template, is_call};
pub use map::{Entry, Key, Map, MapBuilder, key};
pub use provenance::{Contribution, FileId, Inputs, Origin, Prov, ProvIdentity, Trail};
use shared_text::{ByAddress, Text};

use spanned_yaml::Timestamp;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Releases the memory that a vector reserves for more items, unless that is little. `shrink_to_fit` changes nothing if at
/// least half is used, because the allocator leaves that where it is.
#[inline]
pub fn fit<T>(items: &mut Vec<T>) {
    if items.capacity() > items.len() + items.len() / 8 {
        let mut exact = Vec::with_capacity(items.len());
        exact.append(items);
        *items = exact;
    }
}

/// A value with its provenance. Equality compares only the data.
#[derive(Clone, Debug, Default)]
pub struct Value {
    /// The data.
    pub data: Data,
    /// The provenance.
    pub prov: Prov,
}

/// The data of a [`Value`].
#[derive(Clone, Debug, Default)]
pub enum Data {
    /// No value (`null`).
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A signed 64-bit integer.
    Int(i64),
    /// An integer above `i64::MAX`.
    Uint(u64),
    /// A floating point number.
    Float(f64),
    /// Text.
    Str(Text),
    /// A point in time (an unquoted YAML date).
    Time(Arc<Timestamp>),
    /// A list.
    List(Arc<Vec<Value>>),
    /// A map with text keys.
    Map(Arc<Map>),
    /// Not knowable without running something; see [`Unknown`].
    Unknown(Arc<Unknown>),
}

/// Something that an unknown value is made of, besides its own text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Read {
    /// The path of a file from the root of the repository, or the name of a value (`local.name`, `.vars.zone`).
    pub name: Text,
    /// Identifies the content: equal contents have equal texts. `None` if it was not determined.
    pub content: Option<Text>,
}

/// A value that is known only at run time. Two are the same only if their texts and all that they read are the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unknown {
    /// The text as written, unresolved.
    pub text: Text,
    /// What the text says, where others may say the same: what it is compared by, if it is not empty.
    pub says: Text,
    /// The value in an empty environment, if it is defined. It is printed, but no rule may draw conclusions from it. Of an item that
    /// may be absent, it is what the item is if it is there.
    pub assumed: Option<Box<Value>>,
    /// Why it is not known, the nearest reason first ("`env` reads the environment").
    pub reasons: Vec<Text>,
    /// What it is made of besides its text, sorted, each once.
    pub reads: Vec<Read>,
    /// Whether JSON has it as `{"$unknown": REASON}`, not as its text.
    pub is_marked: bool,
    /// Whether there may be nothing in this place: an argument may be null, which is the same as none; an item may not be in its list.
    pub may_be_absent: bool,
}

impl Unknown {
    /// Something unknown for one reason.
    #[inline]
    pub fn new(text: impl Into<Text>, reason: impl Into<Text>) -> Self {
        Unknown { text: text.into(), reasons: vec![reason.into()], ..Unknown::default() }
    }

    /// What decides whether another one has the same text.
    pub fn meaning(&self) -> &Text {
        if self.says.is_empty() { &self.text } else { &self.says }
    }

    /// Adds what it reads.
    pub fn add_reads(&mut self, reads: impl IntoIterator<Item = Read>) {
        self.reads.extend(reads);
        self.reads.sort();
        self.reads.dedup();
    }

    /// The names of what both read with different contents, or only one of them reads.
    pub fn reads_that_differ<'a>(&'a self, other: &'a Unknown) -> Vec<&'a Text> {
        let [own, others] = [self, other].map(|one| one.reads.iter().collect::<BTreeSet<&Read>>());
        let names: BTreeSet<&Text> = own.symmetric_difference(&others).map(|read| &read.name).collect();
        names.into_iter().collect()
    }
}

impl Value {
    /// The value with everything unknown replaced by what is assumed of it; what nothing is assumed of stays.
    #[must_use]
    pub fn assume(&self) -> Value {
        let assumed = |value: &Value| match &value.data {
            _ if !value.flags().has(Flags::UNKNOWN) => Some(value.clone()),
            Data::Unknown(unknown) => {
                let data = unknown.assumed.as_ref().map_or_else(|| value.data.clone(), |assumed| assumed.data.clone());
                Some(Value { data, prov: value.prov.clone() })
            }
            _ => None,
        };
        self.rebuilt(assumed, Prov::clone)
    }

    /// A value without provenance.
    #[inline]
    pub fn new(data: Data) -> Self {
        Value { data, prov: Prov::default() }
    }

    /// A value written at `origin`.
    #[inline]
    pub fn at(data: Data, origin: Origin) -> Self {
        Value { data, prov: Prov::at(origin) }
    }

    /// Text without provenance.
    #[inline]
    pub fn str(text: impl Into<Text>) -> Self {
        Value::new(Data::Str(text.into()))
    }

    /// A map without provenance.
    #[inline]
    pub fn map(map: Map) -> Self {
        Value::new(Data::Map(Arc::new(map)))
    }

    /// A list without provenance.
    #[inline]
    pub fn list(items: Vec<Value>) -> Self {
        Value::new(Data::List(Arc::new(items)))
    }

    /// The same data with another provenance.
    #[must_use]
    #[inline]
    pub fn with_prov(mut self, prov: Prov) -> Self {
        self.prov = prov;
        self
    }

    /// The text, if it is text.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::Str(s) => Some(s),
            _ => None,
        }
    }

    /// The map, if it is one.
    #[inline]
    pub fn as_map(&self) -> Option<&Arc<Map>> {
        match &self.data {
            Data::Map(m) => Some(m),
            _ => None,
        }
    }

    /// The list, if it is one.
    #[inline]
    pub fn as_list(&self) -> Option<&Arc<Vec<Value>>> {
        match &self.data {
            Data::List(l) => Some(l),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        match self.data {
            Data::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// Whether it is hidden from output.
    #[inline]
    pub fn is_sensitive(&self) -> bool {
        self.prov.is_sensitive()
    }

    /// The same value, hidden from output with everything in it.
    #[must_use]
    pub fn hidden(&self) -> Value {
        self.rebuilt(|_| None, Prov::sensitive)
    }

    /// Whether it is `null`.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// The value under `key`, if this is a map that has it.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_map()?.get(key)
    }

    /// The value at a path of keys.
    #[inline]
    pub fn at_path<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> Option<&Value> {
        path.into_iter().try_fold(self, |v, key| v.get(key))
    }

    /// The name of the type in messages.
    pub fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "boolean",
            Data::Int(_) | Data::Uint(_) | Data::Float(_) => "number",
            Data::Str(_) => "string",
            Data::Time(_) => "date",
            Data::List(_) => "list",
            Data::Map(_) => "map",
            Data::Unknown(_) => "unknown",
        }
    }

    /// The same with its article: `a list`, `null`.
    pub fn a_kind(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Int(_) | Data::Uint(_) | Data::Float(_) => "a number",
            Data::Str(_) => "a string",
            Data::Time(_) => "a date",
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
            Data::Unknown(_) => "unknown",
        }
    }

    /// The number of values in it, itself included; `None` if they are more than `most`.
    #[inline]
    pub fn count(&self, most: usize) -> Option<usize> {
        let count = self.inner(most.saturating_sub(1)).saturating_add(1);
        (count <= most).then_some(count)
    }

    /// The number of values inside of it, or more than `most`.
    fn inner(&self, most: usize) -> usize {
        match &self.data {
            Data::List(items) => count_all(items.iter(), most),
            Data::Map(map) => map.count(most),
            _ => 0,
        }
    }

    /// The flags of the whole subtree (templates, markers, …), without walking it again.
    pub fn flags(&self) -> Flags {
        let flags = match &self.data {
            Data::Str(s) => Flags::of_text(s),
            Data::List(l) => l.iter().fold(Flags::default(), |f, v| f | v.flags()),
            Data::Map(m) => m.flags(),
            Data::Time(_) => Flags::TIME,
            Data::Unknown(_) => Flags::UNKNOWN,
            _ => Flags::default(),
        };
        if self.prov.trail.is_some() && self.has_override() { flags | Flags::OVERRIDDEN } else { flags }
    }

    /// Whether one of the [flags](Self::flags) is set, without finding out about the others.
    pub fn holds(&self, flag: Flags) -> bool {
        if flag == Flags::OVERRIDDEN && self.prov.trail.is_some() && self.has_override() {
            return true;
        }
        match &self.data {
            Data::Map(map) => map.flags().has(flag),
            Data::List(items) => items.iter().any(|item| item.holds(flag)),
            Data::Str(text) => Flags::is_in_text(flag, text),
            Data::Time(_) => flag == Flags::TIME,
            Data::Unknown(_) => flag == Flags::UNKNOWN,
            _ => false,
        }
    }

    /// Whether it replaced a value of another shape (list, map or neither), or a call was involved where it replaced
    /// one.
    pub fn has_override(&self) -> bool {
        let Some(trail) = &self.prov.trail else { return false };
        let shape = |v: &Value| match v.data {
            Data::Map(_) | Data::Time(_) => 2,
            Data::List(_) => 1,
            _ => 0,
        };
        let is_call = |v: &Value| v.as_str().is_some_and(is_call);
        let (own, calls) = (shape(self), is_call(self));
        let mut next = trail.overrode();
        while let Some(value) = next {
            if calls || shape(value) != own || is_call(value) {
                return true;
            }
            next = value.prov.overrode();
        }
        !trail.layers().is_empty()
    }
}

/// The number of some values with what is inside of them, or more than `most`.
fn count_all<'a>(values: impl ExactSizeIterator<Item = &'a Value>, most: usize) -> usize {
    let mut count = values.len();
    for value in values {
        if count > most {
            break;
        }
        match &value.data {
            // Most maps are counted already.
            Data::Map(map) => count = count.saturating_add(map.count(most - count)),
            Data::List(_) => count = count.saturating_add(value.inner(most - count)),
            _ => {}
        }
    }
    count
}

impl Value {
    /// Whether both are the same in memory, or plain scalars that are equal, with the same origin and history.
    #[inline]
    pub fn is_identical(&self, other: &Value) -> bool {
        self.prov.is_identical(&other.prov) && self.data.is_identical(&other.data)
    }

    /// The places that values in the tree were computed from.
    pub fn computed_from(&self) -> HashSet<Origin> {
        let mut found = HashSet::new();
        let mut waiting = vec![self];
        while let Some(value) = waiting.pop() {
            for input in value.prov.trail.iter().flat_map(|trail| trail.inputs()) {
                input.for_each_input(&mut |origin| _ = found.insert(origin));
            }
            match &value.data {
                Data::Map(map) => waiting.extend(map.iter().map(|entry| &entry.value)),
                Data::List(items) => waiting.extend(items.iter()),
                _ => {}
            }
        }
        found
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

impl Data {
    /// Whether both are the same in memory, or plain scalars that are equal.
    pub fn is_identical(&self, other: &Data) -> bool {
        self.identity() == other.identity()
    }

    /// A key for the data and its copies, which takes the same time for all sizes.
    pub fn identity(&self) -> DataIdentity<'_> {
        match self {
            Data::Null => DataIdentity::Null,
            Data::Bool(b) => DataIdentity::Bool(*b),
            Data::Int(i) => DataIdentity::Int(*i),
            Data::Uint(u) => DataIdentity::Uint(*u),
            Data::Float(f) => DataIdentity::Float(f.to_bits()),
            Data::Str(text) => DataIdentity::Str(ByAddress(text)),
            Data::Time(time) => DataIdentity::Time(ByAddress(time)),
            Data::List(items) => DataIdentity::List(ByAddress(items)),
            Data::Map(map) => DataIdentity::Map(ByAddress(map)),
            Data::Unknown(unknown) => DataIdentity::Unknown(ByAddress(unknown)),
        }
    }
}

/// What [`Data::identity`] returns: plain scalars as they are, everything else as one object in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named like the variants of `Data`")]
pub enum DataIdentity<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(u64),
    Str(ByAddress<&'a Text>),
    Time(ByAddress<&'a Arc<Timestamp>>),
    List(ByAddress<&'a Arc<Vec<Value>>>),
    Map(ByAddress<&'a Arc<Map>>),
    Unknown(ByAddress<&'a Arc<Unknown>>),
}

/// Equality is reflexive, so two `Arc`s of one allocation are equal without a look at what they hold.
impl Eq for Value {}
impl Eq for Data {}
impl Eq for Unknown {}

/// Typed equality: `1` and `1.0` differ, map order does not exist.
impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Data::Null, Data::Null) => true,
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::Int(a), Data::Int(b)) => a == b,
            (Data::Uint(a), Data::Uint(b)) => a == b,
            (Data::Float(a), Data::Float(b)) => a.to_bits() == b.to_bits() || a == b,
            (Data::Str(a), Data::Str(b)) => a == b,
            (Data::Time(a), Data::Time(b)) => a == b,
            (Data::List(a), Data::List(b)) => a == b,
            (Data::Map(a), Data::Map(b)) => a == b,
            (Data::Unknown(a), Data::Unknown(b)) => {
                a.meaning() == b.meaning() && a.assumed == b.assumed && a.reads == b.reads
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents nest at most 1,000 levels, and files that are included into one as deep again.
    const LEVELS: usize = 2_000;
    /// The stack of a thread that asks for no other one.
    const STACK: usize = 2 << 20;

    #[test]
    fn what_walks_values_needs_little_stack_for_each_level() {
        let nested = |kind: fn(Value) -> Value, inner: Value| (0..LEVELS).fold(inner, |value, _| kind(value));
        let list: fn(Value) -> Value = |value| Value::list(vec![value]);
        let map: fn(Value) -> Value = |value| Value::map([(Key::from("a"), value)].into_iter().collect());
        for kind in [list, map] {
            let walk = move || {
                let unknown = Unknown { assumed: Some(Box::new(Value::str("x"))), ..Unknown::new("t", "why") };
                let value = nested(kind, Value::new(Data::Unknown(Arc::new(unknown))));
                assert!(value.flags().has(Flags::UNKNOWN) && value.holds(Flags::UNKNOWN));
                assert!(value.count(LEVELS + 1) == Some(LEVELS + 1) && value.count(LEVELS).is_none());
                let assumed = value.assume();
                assert!(!assumed.holds(Flags::UNKNOWN) && assumed == nested(kind, Value::str("x")) && assumed != value);
                assert!(value.hidden().is_sensitive());
            };
            let thread = std::thread::Builder::new().stack_size(STACK).spawn(walk);
            thread.expect("a thread starts").join().expect("the walks end");
        }
    }
}
