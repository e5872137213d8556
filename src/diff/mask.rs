//! Which values look like secrets and are not to be shown in text: those of keys that name one.
//!
//! Strings and numbers are masked. Booleans, null and empty strings are not, nor are strings that only refer to a
//! secret: a template, a function call, an interpolation.

use super::pointer;
pub(crate) use crate::resolution::secrets::is_secret_in;
use crate::resolution::secrets::names_secret;
use crate::syntax::secrets::{is_named_by, is_secret_below};
use crate::text::FastMap;
use crate::value::{Data, Value};

/// The replacement for masked values.
pub(crate) const MASK: &str = "••••••••";

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
