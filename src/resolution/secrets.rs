//! Which values of components are secrets, by their keys, by what is beside them, or because they are declared to be.

use crate::syntax::secrets::{is_named_by, is_naming, is_no_secret, is_secret_below, is_secret_key};
use crate::value::{Data, Map, Value};

/// Whether what is under `key` of a map is a secret: like `is_secret_below`, and `{name: DB_PASSWORD, value: …}` counts.
pub(crate) fn is_secret_in(map: &Map, parent: bool, key: &str) -> bool {
    is_secret_below(parent, key) || is_named_by(key) && names_secret(map)
}

/// Whether a string in a map says that the map contains a secret.
pub(crate) fn names_secret(map: &Map) -> bool {
    let naming = map.iter().filter(|e| is_naming(&e.key));
    naming.filter_map(|e| e.value.as_str()).any(is_secret_key)
}

/// Whether a value is not to be shown, given whether it is a secret by its key. Something unknown that only refers to a secret
/// shows nothing of it.
pub(crate) fn is_hidden(value: &Value, secret: bool) -> bool {
    match &value.data {
        Data::Unknown(_) => (secret || value.prov.is_masked()) && is_maskable(value),
        _ => value.prov.is_masked() || secret && is_maskable(value),
    }
}

/// Whether a value under a secret key would reveal the secret.
fn is_maskable(value: &Value) -> bool {
    match &value.data {
        Data::Str(s) => !is_no_secret(s),
        Data::Unknown(unknown) => !is_no_secret(&unknown.text),
        Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Time(_) => true,
        _ => false,
    }
}
