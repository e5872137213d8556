//! Values that are not known, and what is known of them all the same.

use super::{Data, Val};
use crate::types::Type;
use crate::val::number::Number;
use shared_text::Text;
use std::ops::Deref;
use std::sync::Arc;

/// Why a value is not known. An empty text: an error was reported.
#[derive(Clone, Debug, Default)]
pub struct Reason {
    text: Text,
    facts: Option<Arc<Facts>>,
}

/// What is known of a value that is not known and not null.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// How its text begins.
    pub prefix: String,
    /// The smallest and the greatest number that it can be.
    pub range: (Option<Number>, Option<Number>),
    /// How many elements it has.
    pub length: Option<usize>,
}

impl Deref for Reason {
    type Target = Text;

    fn deref(&self) -> &Text {
        &self.text
    }
}

impl<T: Into<Text>> From<T> for Reason {
    fn from(text: T) -> Self {
        Reason { text: text.into(), facts: None }
    }
}

impl Val {
    /// Something that is not known and not null, with what is known of it.
    pub fn partly_unknown(ty: Type, reason: Text, facts: Facts) -> Self {
        Data::Unknown(ty, Reason { text: reason, facts: Some(Arc::new(facts)) }).into()
    }

    /// What is known of an unknown value that is not null.
    pub fn facts(&self) -> Option<&Facts> {
        match &self.data {
            Data::Unknown(_, reason) => reason.facts.as_deref(),
            _ => None,
        }
    }
}

/// Whether something unknown is certain to be different from a value.
pub(super) fn differs(unknown: &Val, other: &Val) -> bool {
    let Data::Unknown(ty, Reason { facts: Some(facts), .. }) = &unknown.data else { return false };
    match &other.data {
        Data::Unknown(..) => false,
        _ if !other.is_null() && is_other_type(ty, &Type::of(other)) => true,
        Data::Null(_) => true,
        Data::Str(text) => !text.starts_with(&facts.prefix),
        Data::Number(number) => {
            let (least, most) = &facts.range;
            least.as_ref().is_some_and(|least| number < least) || most.as_ref().is_some_and(|most| number > most)
        }
        _ => false,
    }
}

/// Whether no value has both types, whatever is not known of them.
fn is_other_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Dynamic, _) | (_, Type::Dynamic) => false,
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
            is_other_type(a, b)
        }
        (Type::Tuple(_), Type::Tuple(_)) | (Type::Object(_), Type::Object(_)) => {
            !a.has_dynamic() && !b.has_dynamic() && a != b
        }
        _ => a != b,
    }
}

/// A choice between two values by a condition that is not known: what both have in common.
pub fn either(a: &Val, b: &Val, ty: Type, reason: Text) -> Val {
    if a.is_null() && b.is_null() {
        return a.clone();
    }
    let can_be_null = |value: &Val| value.is_null() || value.is_unknown() && value.facts().is_none();
    if reason.is_empty() || can_be_null(a) || can_be_null(b) {
        return Val::unknown(ty, reason);
    }
    let mut facts = Facts::default();
    match (&a.data, &b.data) {
        (Data::Number(a), Data::Number(b)) if a == b => return Val::number(a.clone()),
        (Data::Number(a), Data::Number(b)) => {
            let (least, most) = if a < b { (a, b) } else { (b, a) };
            facts.range = (Some(least.clone()), Some(most.clone()));
        }
        (Data::List(element, a), Data::List(_, b)) if a.len() == b.len() => {
            let items = a.iter().map(|_| Val::unknown(element.clone(), Text::clone(&reason))).collect();
            return Val::list(element.clone(), items);
        }
        (Data::Set(_, a), Data::Set(_, b)) if a.is_empty() && b.is_empty() => {
            return Data::Set(element_of(&ty), Arc::default()).into();
        }
        (Data::Map(_, a), Data::Map(_, b)) if a.len() == b.len() => match a.is_empty() {
            true => return Data::Map(element_of(&ty), Arc::default()).into(),
            false => facts.length = Some(a.len()),
        },
        _ => {}
    }
    Val::partly_unknown(ty, reason, facts)
}

/// The type of the elements of a collection.
fn element_of(ty: &Type) -> Type {
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => (**element).clone(),
        _ => Type::Dynamic,
    }
}

/// Whether `a < b` and so on, where a range of numbers is all that is known of one of them. Only numbers that are apart decide.
pub fn is_less(a: &Val, b: &Val) -> Option<bool> {
    let range = |value: &Val| match (&value.data, value.facts()) {
        (Data::Number(number), _) => Some((Some(number.clone()), Some(number.clone()))),
        (_, Some(facts)) => Some(facts.range.clone()),
        _ => None,
    };
    let ((least_a, most_a), (least_b, most_b)) = (range(a)?, range(b)?);
    if most_a.zip(least_b).is_some_and(|(a, b)| a < b) {
        return Some(true);
    }
    least_a.zip(most_b).is_some_and(|(a, b)| a > b).then_some(false)
}
