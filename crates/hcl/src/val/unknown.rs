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

/// Whether something unknown with these facts is equal to a value, if that is certain: it can only be certain that it is not.
pub(super) fn differs(facts: &Facts, other: &Val) -> bool {
    match &other.data {
        Data::Null(_) => true,
        Data::Str(text) => !text.starts_with(&facts.prefix),
        Data::Number(number) => {
            let (least, most) = &facts.range;
            least.as_ref().is_some_and(|least| number < least) || most.as_ref().is_some_and(|most| number > most)
        }
        _ => false,
    }
}

/// A choice between two values by a condition that is not known: what both have in common.
pub fn either(a: &Val, b: &Val, ty: Type, reason: Text) -> Val {
    if a.is_null() || b.is_null() || a.unknown_reason().is_some() || b.unknown_reason().is_some() {
        return Val::unknown(ty, reason);
    }
    if super::equal(a, b) == Some(true) {
        return a.clone();
    }
    let mut facts = Facts::default();
    if let (Data::Number(a), Data::Number(b)) = (&a.data, &b.data) {
        let (least, most) = if a < b { (a, b) } else { (b, a) };
        facts.range = (Some(least.clone()), Some(most.clone()));
    }
    if let (Data::List(_, a), Data::List(_, b)) = (&a.data, &b.data) {
        facts.length = (a.len() == b.len()).then_some(a.len());
    }
    Val::partly_unknown(ty, reason, facts)
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
