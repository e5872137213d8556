//! Values while expressions are evaluated: typed as the language types them, with marks and provenance.

mod decimal;
pub mod export;
pub mod import;
pub mod number;
pub mod order;
pub mod unknown;

pub use order::compare;
pub use unknown::Reason;

use crate::types::Type;
use crate::val::number::Number;
use shared_text::Text;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::BitOr;
use std::sync::Arc;
use traced_value::Prov;

/// Marks of a value. They pass to everything that is computed from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    /// No mark.
    pub const NONE: Marks = Marks(0);
    /// Hidden from output.
    pub const SENSITIVE: Marks = Marks(1);
    /// Never stored.
    pub const EPHEMERAL: Marks = Marks(2);

    /// Whether all marks of `other` are there.
    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// The marks without those of `other`.
    #[must_use]
    pub fn without(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }
}

impl BitOr for Marks {
    type Output = Marks;

    fn bitor(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }
}

/// The entries of a map or an object.
pub type Entries = BTreeMap<Text, Val>;

/// A value with its marks: known, null, or unknown.
#[derive(Clone, Debug, Default)]
pub struct Val {
    /// The value itself.
    pub data: Data,
    /// Its own marks; nested values have theirs.
    pub marks: Marks,
    /// Where it was written and what it was computed from.
    pub prov: Prov,
}

/// The data of a value.
#[derive(Clone, Debug)]
pub enum Data {
    /// Null of a type.
    Null(Type),
    /// Not known, and why.
    Unknown(Type, Reason),
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    Str(Text),
    /// A list, with the type of its elements.
    List(Type, Arc<Vec<Val>>),
    /// A set, with the type of its elements; they are in order, each once.
    Set(Type, Arc<Vec<Val>>),
    /// A map, with the type of its elements.
    Map(Type, Arc<Entries>),
    /// A sequence with a type for each element.
    Tuple(Arc<Vec<Val>>),
    /// Named values with a type for each.
    Object(Arc<Entries>),
    /// An object of which only some attributes are known: others may be there as well. With the name of what it is, for reasons.
    Partial(Arc<Entries>, Text),
    /// A reference that the dialect gave a meaning to (a block elsewhere), by name.
    Reference(Text),
}

impl Default for Data {
    fn default() -> Self {
        Data::Null(Type::Dynamic)
    }
}

impl From<Data> for Val {
    fn from(data: Data) -> Self {
        Val { data, marks: Marks::NONE, prov: Prov::default() }
    }
}

impl Val {
    /// Null without a type.
    pub fn null() -> Self {
        Val::default()
    }

    /// Replaces a value after a reported error.
    pub fn failed() -> Self {
        Data::Unknown(Type::Dynamic, Reason::default()).into()
    }

    /// Something that is not known.
    pub fn unknown(ty: Type, reason: impl Into<Reason>) -> Self {
        Data::Unknown(ty, reason.into()).into()
    }

    /// A truth value.
    pub fn bool(value: bool) -> Self {
        Data::Bool(value).into()
    }

    /// A number.
    pub fn number(value: impl Into<Number>) -> Self {
        Data::Number(value.into()).into()
    }

    /// Text.
    pub fn str(text: impl Into<Text>) -> Self {
        Data::Str(text.into()).into()
    }

    /// A tuple.
    pub fn tuple(items: Vec<Val>) -> Self {
        Data::Tuple(Arc::new(items)).into()
    }

    /// An object.
    pub fn object(entries: Entries) -> Self {
        Data::Object(Arc::new(entries)).into()
    }

    /// An object of which only some attributes are known, with its name.
    pub fn partial(entries: Entries, name: impl Into<Text>) -> Self {
        Data::Partial(Arc::new(entries), name.into()).into()
    }

    /// A list of elements of one type.
    pub fn list(element: Type, items: Vec<Val>) -> Self {
        Data::List(element, Arc::new(items)).into()
    }

    /// A set; the elements are put in order, each once.
    pub fn set(element: Type, mut items: Vec<Val>) -> Self {
        let marks = items.iter().fold(Marks::NONE, |marks, item| marks | item.marks);
        match element.is_primitive() {
            true => items.sort_by(compare),
            false => items.sort_by_cached_key(order::key),
        }
        // Two elements that are not known may be different.
        items.dedup_by(|a, b| compare(a, b) == Ordering::Equal && a.unknown_reason().is_none());
        Val { marks, ..Data::Set(element, Arc::new(items)).into() }
    }

    /// A map of elements of one type.
    pub fn map(element: Type, entries: Entries) -> Self {
        Data::Map(element, Arc::new(entries)).into()
    }

    /// The value with more marks.
    #[must_use]
    pub fn marked(mut self, marks: Marks) -> Self {
        self.marks = self.marks | marks;
        self
    }

    /// The value with another provenance.
    #[must_use]
    pub fn with_prov(mut self, prov: Prov) -> Self {
        self.prov = prov;
        self
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null(_))
    }

    /// Whether it is unknown itself.
    pub fn is_unknown(&self) -> bool {
        matches!(self.data, Data::Unknown(..))
    }

    /// Whether it replaces a value after a reported error.
    pub fn is_failed(&self) -> bool {
        matches!(&self.data, Data::Unknown(_, reason) if reason.is_empty())
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&Text> {
        match &self.data {
            Data::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is a list, set or tuple.
    pub fn as_items(&self) -> Option<&Arc<Vec<Val>>> {
        match &self.data {
            Data::List(_, items) | Data::Set(_, items) | Data::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if it is a map or object.
    pub fn as_entries(&self) -> Option<&Arc<Entries>> {
        match &self.data {
            Data::Map(_, entries) | Data::Object(entries) => Some(entries),
            _ => None,
        }
    }

    /// The values directly inside.
    pub fn children(&self) -> Box<dyn Iterator<Item = &Val> + '_> {
        match &self.data {
            Data::List(_, items) | Data::Set(_, items) | Data::Tuple(items) => Box::new(items.iter()),
            Data::Map(_, entries) | Data::Object(entries) | Data::Partial(entries, _) => Box::new(entries.values()),
            _ => Box::new(std::iter::empty()),
        }
    }

    /// Its marks and those of everything inside.
    pub fn all_marks(&self) -> Marks {
        self.children().fold(self.marks, |marks, child| marks | child.all_marks())
    }

    /// The first reason why it, or something inside, is unknown.
    pub fn unknown_reason(&self) -> Option<&Text> {
        match &self.data {
            Data::Unknown(_, reason) => Some(reason),
            Data::Partial(_, name) => Some(name),
            _ => self.children().find_map(Val::unknown_reason),
        }
    }

    /// The value as a plan keeps it, in which zero has no sign.
    #[must_use]
    pub fn kept(self) -> Val {
        let is_signed = |value: &Val| matches!(value.data, Data::Number(Number::NegativeZero));
        if !self.any(&is_signed) {
            return self;
        }
        self.transform(&mut |value| match is_signed(&value) {
            true => Val { data: Data::Number(Number::zero()), ..value },
            false => value,
        })
    }

    /// Whether something holds for it or anything inside.
    fn any(&self, holds: &dyn Fn(&Val) -> bool) -> bool {
        holds(self) || self.children().any(|child| child.any(holds))
    }

    /// The value with some function applied to it and everything inside, innermost first.
    #[must_use]
    pub fn transform(&self, change: &mut dyn FnMut(Val) -> Val) -> Val {
        let each = |items: &[Val], change: &mut dyn FnMut(Val) -> Val| {
            Arc::new(items.iter().map(|item| item.transform(change)).collect::<Vec<_>>())
        };
        let entries = |entries: &Entries, change: &mut dyn FnMut(Val) -> Val| {
            Arc::new(entries.iter().map(|(k, v)| (Text::clone(k), v.transform(change))).collect::<Entries>())
        };
        let data = match &self.data {
            Data::List(ty, items) => Data::List(ty.clone(), each(items, change)),
            Data::Set(ty, items) => Data::Set(ty.clone(), each(items, change)),
            Data::Tuple(items) => Data::Tuple(each(items, change)),
            Data::Map(ty, all) => Data::Map(ty.clone(), entries(all, change)),
            Data::Object(all) => Data::Object(entries(all, change)),
            Data::Partial(all, name) => Data::Partial(entries(all, change), name.clone()),
            other => other.clone(),
        };
        change(Val { data, marks: self.marks, prov: self.prov.clone() })
    }

    /// The value without these marks, anywhere.
    #[must_use]
    pub fn without_marks(&self, marks: Marks) -> Val {
        if (self.all_marks().0 & marks.0) == 0 {
            return self.clone();
        }
        self.transform(&mut |mut value| {
            value.marks = value.marks.without(marks);
            value
        })
    }

    /// The value without any marks, anywhere, and the marks that there were.
    pub fn unmark_deep(&self) -> (Val, Marks) {
        let marks = self.all_marks();
        (self.without_marks(Marks::SENSITIVE | Marks::EPHEMERAL), marks)
    }
}

/// Whether two values are equal, types included; `None` where something unknown leaves that open.
pub fn equal(a: &Val, b: &Val) -> Option<bool> {
    if a.is_unknown() || b.is_unknown() {
        return (unknown::differs(a, b) || unknown::differs(b, a)).then_some(false);
    }
    let items = |a: &[Val], b: &[Val]| match a.len() == b.len() {
        true => all(a.iter().zip(b).map(|(a, b)| equal(a, b))),
        false => Some(false),
    };
    let entries = |a: &Entries, b: &Entries| match a.keys().eq(b.keys()) {
        // They are compared in no certain order, so that any that is not known leaves it open.
        true => {
            let results: Vec<Option<bool>> = a.values().zip(b.values()).map(|(a, b)| equal(a, b)).collect();
            if results.contains(&None) { None } else { Some(!results.contains(&Some(false))) }
        }
        false => Some(false),
    };
    let of_other_types = || unknown::is_other_type(&Type::of(a), &Type::of(b)).then_some(false);
    match (&a.data, &b.data) {
        (Data::Null(_), Data::Null(_)) => Some(true),
        (Data::Partial(..), Data::Null(_)) | (Data::Null(_), Data::Partial(..)) => Some(false),
        (Data::Partial(..), _) | (_, Data::Partial(..)) => None,
        // An element that is not known may be the same as another one.
        (Data::Set(ta, _), Data::Set(tb, _))
            if ta == tb && (a.unknown_reason().is_some() || b.unknown_reason().is_some()) =>
        {
            None
        }
        (Data::Bool(a), Data::Bool(b)) => Some(a == b),
        (Data::Number(a), Data::Number(b)) => Some(a == b),
        (Data::Str(a), Data::Str(b)) | (Data::Reference(a), Data::Reference(b)) => Some(a == b),
        (Data::List(ta, a), Data::List(tb, b)) | (Data::Set(ta, a), Data::Set(tb, b)) if ta == tb => items(a, b),
        (Data::Map(ta, a), Data::Map(tb, b)) if ta == tb => entries(a, b),
        (Data::Tuple(x), Data::Tuple(y)) => items(x, y).or_else(of_other_types),
        (Data::Object(x), Data::Object(y)) => entries(x, y).or_else(of_other_types),
        _ => Some(false),
    }
}

/// Whether all are equal: the first one that is not certain to be decides.
fn all(mut results: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    results.find(|result| *result != Some(true)).unwrap_or(Some(true))
}
