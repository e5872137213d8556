//! `encryption-method-removed`: the method that encrypted the state is no longer available for reading it.

use super::{Changes, Phrase};
use crate::diagnostic::{Diagnostic, Level};
use crate::diff::same::same;
use crate::resolution::{Cipher, Component};
use crate::rules::rule;
use crate::value::{Flags, Value};

rule!(
    ENCRYPTION_METHOD_REMOVED,
    "encryption-method-removed",
    Change,
    "0.1.0",
    "the state can no longer be decrypted: the method that encrypted it is neither used nor a fallback",
    Some(Level::Danger)
);

/// The encrypted data.
const TARGET: &str = "state";

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&ENCRYPTION_METHOD_REMOVED, &changes.components, |changed| {
        let sides = [changed.before, changed.after];
        let is_about = sides.into_iter().flatten().any(|component| !component.metadata.encryption.is_empty());
        if !is_about || !changes.stays(&changed.change.stack) {
            return Vec::new();
        }
        let [before, after] = sides.map(ciphers);
        let phrase = |lost: Lost| match lost.is_certain {
            true => Phrase::new("cannot decrypt its state", "cannot decrypt their states", lost.why),
            false => Phrase::new("may not decrypt its state", "may not decrypt their states", lost.why),
        };
        lost(&before, &after).into_iter().map(|lost| (&changed.change.causes[..], phrase(lost))).collect()
    });
    let note = "the next run stops, because it cannot decrypt the state";
    let help = "keep the old method in a `fallback` until the state was written with the new one";
    found.into_iter().map(|f| f.note(note).help(help)).collect()
}

/// Returns the methods that can read the state; without encryption, the one that stores plain text.
fn ciphers(component: Option<&Component>) -> Vec<Cipher> {
    let found = component.and_then(|c| c.metadata.encryption.iter().find(|e| *e.target == *TARGET));
    let plain = || vec![Cipher { name: "".into(), definition: Some(Value::default()) }];
    found.map_or_else(plain, |encrypted| encrypted.reads.clone())
}

/// Why a state cannot be decrypted.
struct Lost {
    why: String,
    /// Whether that does not depend on something unknown.
    is_certain: bool,
}

/// Why a state that the first method before wrote cannot be read by one of those after; `None` if it can be.
fn lost(before: &[Cipher], after: &[Cipher]) -> Option<Lost> {
    let written = before.first()?;
    let definition = written.definition.as_ref()?;
    let readable =
        after.iter().map(|cipher| cipher.definition.as_ref().map_or(Some(false), |it| is_same(definition, it)));
    let readable: Vec<Option<bool>> = readable.collect();
    if readable.contains(&Some(true)) {
        return None;
    }
    let is_named = after.iter().any(|cipher| cipher.name == written.name);
    let why = match (definition.is_null(), is_named) {
        (true, _) => "there is no fallback for the state that is not encrypted yet".to_owned(),
        (false, true) => format!("`{}` has different keys", written.name),
        (false, false) => format!("`{}` encrypted it, and is not a fallback", written.name),
    };
    Some(Lost { why, is_certain: !readable.contains(&None) })
}

/// Whether two definitions of methods are the same, as far as that is known. What is computed of the same in the same way is the same.
fn is_same(one: &Value, other: &Value) -> Option<bool> {
    if same(one, other) {
        return Some(true);
    }
    let (Some(one), Some(other)) = (one.as_map(), other.as_map()) else { return Some(false) };
    let may_be = |(a, b): (&Value, &Value)| same(a, b) || [a, b].iter().any(|value| value.holds(Flags::UNKNOWN));
    let has_keys = one.iter().map(|entry| &entry.key).eq(other.iter().map(|entry| &entry.key));
    let is_possible = has_keys && one.iter().map(|e| &e.value).zip(other.iter().map(|e| &e.value)).all(may_be);
    (!is_possible).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Data, Map, Unknown};
    use std::sync::Arc;

    fn cipher(name: &str, key: Value) -> Cipher {
        let parts = [("type".into(), Value::str("aes_gcm")), ("pbkdf2.k.passphrase".into(), key)];
        Cipher { name: name.into(), definition: Some(Value::map(parts.into_iter().collect())) }
    }

    fn known(name: &str, key: &str) -> Cipher {
        cipher(name, Value::str(key))
    }

    fn unknown(name: &str, text: &str) -> Cipher {
        cipher(name, Value::new(Data::Unknown(Arc::new(Unknown::new(text, "it is given at run time")))))
    }

    fn plain() -> Cipher {
        Cipher { name: "unencrypted".into(), definition: Some(Value::default()) }
    }

    /// Whether a state is lost, and whether that is certain.
    fn outcome(before: &Cipher, after: &[&Cipher]) -> Option<(bool, String)> {
        let after: Vec<Cipher> = after.iter().map(|cipher| (*cipher).clone()).collect();
        lost(std::slice::from_ref(before), &after).map(|lost| (lost.is_certain, lost.why))
    }

    #[test]
    fn what_wrote_the_state_must_read_it() {
        let (old, new) = (known("a", "1"), known("b", "2"));
        let says = |before: &Cipher, after: &[&Cipher], text: &str| {
            outcome(before, after).is_some_and(|(is_certain, why)| is_certain && why.contains(text))
        };
        assert_eq!(outcome(&old, &[&new, &old]), None);
        assert_eq!(outcome(&old, &[&known("renamed", "1")]), None);
        assert!(says(&old, &[&new], "is not a fallback"));
        assert!(says(&old, &[&known("a", "3")], "different keys"));
        assert!(says(&plain(), &[&new], "not encrypted"));
        assert_eq!(outcome(&plain(), &[&new, &plain()]), None);
        assert!(says(&old, &[&plain()], "is not a fallback"));
    }

    #[test]
    fn what_is_not_known_may_be_anything_of_its_kind() {
        let is_certain = |before: &Cipher, after: &[&Cipher]| outcome(before, after).map(|(is_certain, _)| is_certain);
        let old = unknown("a", "var.p");
        assert_eq!(is_certain(&old, &[&unknown("b", "var.p")]), None, "it is computed in the same way");
        assert_eq!(is_certain(&old, &[&unknown("a", "var.q")]), Some(false));
        assert_eq!(is_certain(&old, &[&known("a", "1")]), Some(false));
        assert_eq!(is_certain(&known("a", "1"), &[&old]), Some(false));
        assert_eq!(is_certain(&old, &[&plain()]), Some(true));
        assert_eq!(is_certain(&plain(), &[&old]), Some(true));
        let other_kind = Cipher { definition: Some(Value::map(Map::default())), ..known("a", "1") };
        assert_eq!(is_certain(&old, &[&other_kind]), Some(true));
    }
}
