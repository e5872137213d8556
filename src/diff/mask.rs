//! Which values look like secrets and are not to be shown in text: those of keys that name one.
//!
//! Strings and numbers are masked. Booleans, null and empty strings are not, nor are strings that only refer to a
//! secret: a template, a function call, an interpolation.

use super::{Diff, inline, pointer};
use crate::files::Files;
pub(crate) use crate::resolution::secrets::is_secret_in;
use crate::resolution::secrets::names_secret;
pub(crate) use crate::syntax::secrets::MASK;
use crate::syntax::secrets::{is_declared, is_named_by, is_no_secret, is_place, is_secret_below, only_refers};
use crate::text::{ByAddress, FastMap};
use crate::value::{Data, Map, Origin, Prov, Trail, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// The fewest bytes of a text that is searched for in messages: shorter ones are parts of words.
const SHORTEST: usize = 4;

/// Whether the value at a JSON Pointer is a secret according to a sibling.
pub(crate) fn is_secret_beside(value: &Value, path: &str) -> bool {
    let mut at = Some(value);
    for key in pointer::keys(path) {
        let Some(value) = at else { return false };
        at = match &value.data {
            Data::Map(map) if is_named_by(&key) && names_secret(map) => return true,
            Data::Map(map) => map.get(&key),
            Data::List(items) => key.parse::<usize>().ok().and_then(|i| items.get(i)),
            _ => return false,
        };
    }
    false
}

/// Tells which values come from places of secrets: they are written there, or computed from what is.
pub(crate) struct Sources<'a> {
    files: &'a Files,
    /// Places that were looked at.
    known: FastMap<Origin, bool>,
    /// Histories in which no place of a secret is.
    clean: HashSet<ByAddress<Arc<Trail>>>,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(files: &'a Files) -> Self {
        Sources { files, known: FastMap::default(), clean: HashSet::new() }
    }

    /// The value with the texts in it masked that come from places of secrets.
    pub(crate) fn masked(&mut self, value: &Value) -> Value {
        self.found(value, 0).unwrap_or_else(|| value.clone())
    }

    /// Masks the texts in a value that come from places of secrets.
    pub(crate) fn mask(&mut self, value: &mut Value) {
        if let Some(masked) = self.found(value, 0) {
            *value = masked;
        }
    }

    /// The same; `None` if there are none. Deeper than values are shown, nothing is masked.
    fn found(&mut self, value: &Value, depth: usize) -> Option<Value> {
        if depth > inline::MAX_DEPTH || value.prov.is_masked() {
            return None;
        }
        let data = match &value.data {
            Data::Map(map) => {
                let mut changed: Option<Map> = None;
                for entry in map.iter() {
                    if let Some(masked) = self.found(&entry.value, depth + 1) {
                        changed.get_or_insert_with(|| (**map).clone()).set(entry.key.clone(), masked);
                    }
                }
                Data::Map(Arc::new(changed?))
            }
            Data::List(items) => {
                let mut changed: Option<Vec<Value>> = None;
                for (i, item) in items.iter().enumerate() {
                    if let Some(masked) = self.found(item, depth + 1) {
                        changed.get_or_insert_with(|| (**items).clone())[i] = masked;
                    }
                }
                Data::List(Arc::new(changed?))
            }
            _ => {
                let text = inline::written(value)?;
                let is_secret = !only_refers(text) && self.is_declared(&value.prov)
                    || !is_no_secret(text) && self.is_from_secret(&value.prov);
                return is_secret.then(|| Value { data: value.data.clone(), prov: value.prov.masked() });
            }
        };
        Some(Value { data, prov: value.prov.clone() })
    }

    /// What is computed from something declared may be declared to be no secret, so only the value itself counts.
    fn is_declared(&self, prov: &Prov) -> bool {
        prov.origin.is_some_and(|origin| is_declared(&self.files.get(origin.file), origin.start..origin.end))
    }

    fn is_from_secret(&mut self, prov: &Prov) -> bool {
        let mut seen: Vec<&Arc<Trail>> = Vec::new();
        let mut waiting = vec![prov];
        while let Some(prov) = waiting.pop() {
            if prov.origin.is_some_and(|origin| self.is_place(origin)) {
                seen.into_iter().for_each(|trail| _ = self.clean.remove(&ByAddress(Arc::clone(trail))));
                return true;
            }
            if let Some(trail) = &prov.trail
                && self.clean.insert(ByAddress(Arc::clone(trail)))
            {
                seen.push(trail);
                waiting.extend(trail.inputs());
            }
        }
        false
    }

    fn is_place(&mut self, origin: Origin) -> bool {
        let files = self.files;
        *self.known.entry(origin).or_insert_with(|| is_place(&files.get(origin.file), origin.key, origin.start))
    }
}

impl Diff {
    /// Masks the values that come from places of secrets.
    pub(crate) fn mask(&mut self, files: &Files) {
        let mut sources = Sources::new(files);
        let changes = self.components.iter_mut().flat_map(|component| &mut component.changes);
        let locals = self.locals.iter_mut().flat_map(|local| [&mut local.before, &mut local.after]);
        let values = changes.flat_map(|change| [&mut change.before, &mut change.after]).chain(locals).flatten();
        values.for_each(|value| sources.mask(value));
    }
}

/// A value with the texts in it masked that come from places of secrets.
pub(crate) fn masked(value: &Value, files: &Files) -> Value {
    Sources::new(files).masked(value)
}

/// Tells which values are secrets; what it finds out about a path is kept, because many components differ at the same ones.
#[derive(Default)]
pub(super) struct Secrets {
    /// Whether what is at a path is a secret, and whether siblings may say so.
    known: FastMap<String, (bool, bool)>,
}

impl Secrets {
    /// Whether the value at a JSON Pointer is a secret in one of some components.
    pub(super) fn has(&mut self, path: &str, components: [&Value; 2]) -> bool {
        let (is_secret, may_be_named) = match self.known.get(path) {
            Some(known) => *known,
            None => {
                let found = (is_secret_pointer(path), pointer::keys(path).any(|key| is_named_by(&key)));
                self.known.insert(path.to_owned(), found);
                found
            }
        };
        is_secret || may_be_named && components.iter().any(|value| is_secret_beside(value, path))
    }
}

/// A message about some data with the mask in place of texts in that which are hidden or have secret keys: functions quote what
/// they reject.
pub(crate) fn hide_values(message: String, data: &Value) -> String {
    let mut waiting = vec![(data, false)];
    let mut secrets: Vec<&str> = Vec::new();
    while let Some((value, is_secret)) = waiting.pop() {
        match &value.data {
            Data::Map(map) => waiting.extend(map.iter().map(|e| (&e.value, is_secret_in(map, is_secret, &e.key)))),
            Data::List(items) => waiting.extend(items.iter().map(|item| (item, is_secret))),
            Data::Str(text)
                if (is_secret || value.is_sensitive()) && text.len() >= SHORTEST && message.contains(&**text) =>
            {
                secrets.push(text)
            }
            _ => {}
        }
    }
    // One secret may be a part of another one.
    secrets.sort_by_key(|text| std::cmp::Reverse(text.len()));
    secrets.into_iter().fold(message, |message, secret| message.replace(secret, MASK))
}

/// Whether what is at a JSON Pointer is a secret.
pub(crate) fn is_secret_pointer(path: &str) -> bool {
    pointer::keys(path).fold(false, |parent, key| is_secret_below(parent, &key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, secret) in [
            ("/vars/password", true),
            ("/vars/credentials/user", true),
            ("/vars/secret/name", false),
            ("/vars/secret/name/x", false),
            ("/vars/password/0", true),
            ("/vars/name", false),
            ("", false),
        ] {
            assert_eq!(is_secret_pointer(path), secret, "{path}");
        }
    }

    #[test]
    fn messages_quote_no_secrets() {
        let data =
            crate::value::json::parse(r#"{"vars":{"password":"hunter2","pins":[{"token":"abcd"}],"zone":"hunter"}}"#);
        let hidden = hide_values("cannot parse \"hunter2\" as abcd in hunter".to_owned(), &data.unwrap());
        assert_eq!(hidden, format!("cannot parse \"{MASK}\" as {MASK} in hunter"));
    }

    #[test]
    fn values_that_are_named_beside() {
        let json = r#"{"env":[{"name":"DB_PASSWORD","value":"a"},{"name":"LEVEL","value":"b"}]}"#;
        let value = crate::value::json::parse(json).unwrap();
        let secret = |path: &str| is_secret_beside(&value, path);
        assert!(secret("/env/0/value") && !secret("/env/1/value") && !secret("/env/0/name"));
    }
}
