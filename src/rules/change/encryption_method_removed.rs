//! `encryption-method-removed`: the method that encrypted the state is no longer available for reading it.

use super::{Changes, Phrase};
use crate::diagnostic::{Diagnostic, Level};
use crate::resolution::{Cipher, Component};
use crate::rules::rule;
use crate::value::Value;

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
        match lost(&before, &after) {
            Some(details) => vec![(
                &changed.change.causes[..],
                Phrase::new("cannot decrypt its state", "cannot decrypt their states", details),
            )],
            None => Vec::new(),
        }
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

/// Returns the problem; `None` if something is unknown.
fn lost(before: &[Cipher], after: &[Cipher]) -> Option<String> {
    let written = before.first()?;
    let definition = written.definition.as_ref()?;
    let known: Option<Vec<&Value>> = after.iter().map(|cipher| cipher.definition.as_ref()).collect();
    if known?.contains(&definition) {
        return None;
    }
    let is_named = after.iter().any(|cipher| cipher.name == written.name);
    Some(match (definition.is_null(), is_named) {
        (true, _) => "there is no fallback for the state that is not encrypted yet".to_owned(),
        (false, true) => format!("`{}` has different keys", written.name),
        (false, false) => format!("`{}` encrypted it, and is not a fallback", written.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cipher(name: &str, key: Option<&str>) -> Cipher {
        Cipher { name: name.into(), definition: key.map(Value::str) }
    }

    fn plain() -> Cipher {
        Cipher { name: "unencrypted".into(), definition: Some(Value::default()) }
    }

    #[test]
    fn what_wrote_the_state_must_read_it() {
        let (old, new) = (cipher("a", Some("1")), cipher("b", Some("2")));
        let reported = |before: &Cipher, after: &[&Cipher]| {
            let after: Vec<Cipher> = after.iter().map(|cipher| (*cipher).clone()).collect();
            lost(std::slice::from_ref(before), &after)
        };
        assert!(reported(&old, &[&new, &old]).is_none());
        assert!(reported(&old, &[&cipher("renamed", Some("1"))]).is_none());
        assert!(reported(&old, &[&new]).is_some_and(|t| t.contains("is not a fallback")));
        assert!(reported(&old, &[&cipher("a", Some("3"))]).is_some_and(|t| t.contains("different keys")));
        assert!(reported(&plain(), &[&new]).is_some_and(|t| t.contains("not encrypted")));
        assert!(reported(&plain(), &[&new, &plain()]).is_none());
        assert!(reported(&old, &[&plain()]).is_some());
        assert!(reported(&cipher("a", None), &[&new]).is_none(), "what is not known is not a finding");
        assert!(reported(&plain(), &[&cipher("a", None)]).is_none());
    }
}
