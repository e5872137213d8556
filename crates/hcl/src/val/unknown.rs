//! Values that are not known, and what is known of them all the same.

use super::{Data, Entries, Val};
use crate::types::Type;
use crate::val::number::Number;
use shared_text::Text;
use std::ops::Deref;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

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

/// Characters that nothing that follows combines with.
const DELIMITERS: &str = "-_:;/\\,.(){}[]|?!~ \t@#$%^&*+\"'";

impl Facts {
    /// A text that begins with another one. What follows may combine with its last character, unless that is a delimiter.
    pub fn starting_with(text: &str) -> Self {
        let text: String = text.nfc().collect();
        let last = text.graphemes(true).next_back().unwrap_or_default();
        let ends = last.chars().count() == 1 && DELIMITERS.contains(last);
        let certain = if ends { &text[..] } else { &text[..text.len() - last.len()] };
        Facts { prefix: certain.to_owned(), ..Facts::default() }
    }
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

    /// Something that is not known and not null. After a mistake, nothing is said about it.
    pub fn not_null(ty: Type, reason: Text) -> Self {
        match reason.is_empty() || ty == Type::Dynamic {
            true => Val::unknown(ty, reason),
            false => Val::partly_unknown(ty, reason, Facts::default()),
        }
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
    let Data::Unknown(ty, reason) = &unknown.data else { return false };
    match &other.data {
        Data::Unknown(..) => return false,
        _ if !other.is_null() && is_other_type(ty, &Type::of(other)) => return true,
        _ => {}
    }
    let Some(facts) = &reason.facts else { return false };
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

/// Whether no value has both types, whatever is not known of them.
pub(super) fn is_other_type(a: &Type, b: &Type) -> bool {
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
        return Data::Null(ty).into();
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
        // Elements that are not known may be the same.
        (Data::Set(..), Data::Set(..)) if a.unknown_reason().is_some() || b.unknown_reason().is_some() => {}
        (Data::List(t, x), Data::List(u, y)) | (Data::Set(t, x), Data::Set(u, y)) if t == u && x.len() == y.len() => {
            return of_length(ty, x.len(), reason);
        }
        (Data::Map(t, x), Data::Map(u, y)) if t == u && x.len() == y.len() => return of_length(ty, x.len(), reason),
        _ => {}
    }
    Val::partly_unknown(ty, reason, facts)
}

/// A collection of so many elements of which none is known.
pub(crate) fn of_length(ty: Type, length: usize, reason: Text) -> Val {
    let unknown = |element: &Type| vec![Val::unknown(element.clone(), Text::clone(&reason)); length];
    match &ty {
        Type::List(element) => Val::list((**element).clone(), unknown(element)),
        Type::Set(element) if length < 2 => Val::set((**element).clone(), unknown(element)),
        Type::Map(element) if length == 0 => Val::map((**element).clone(), Entries::new()),
        Type::Map(_) | Type::Set(_) => {
            let facts = Facts { length: Some(length), ..Facts::default() };
            Val::partly_unknown(ty, reason, facts)
        }
        _ => Val::partly_unknown(ty, reason, Facts::default()),
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
