//! A configuration as an object, as exposed includes and `read_terragrunt_config` show it: with all attributes, set or not.

use super::config::dependency_scope;
use super::file::Config;
use crate::value::{Data, Key, Map, Value};
use std::sync::Arc;

/// What is not set is shown with these values.
fn unset() -> [(&'static str, Value); 14] {
    let (text, null, map) = (|| Value::str(""), || Value::new(Data::Null), || Value::map(Map::new()));
    [
        ("dependencies", null()),
        ("dependency", map()),
        ("download_dir", text()),
        ("feature", map()),
        ("generate", map()),
        ("iam_assume_role_duration", null()),
        ("iam_assume_role_session_name", text()),
        ("iam_role", text()),
        ("iam_web_identity_token", text()),
        ("inputs", null()),
        ("locals", null()),
        ("terraform_binary", text()),
        ("terraform_version_constraint", text()),
        ("terragrunt_version_constraint", text()),
    ]
}

/// The object of a configuration.
pub(super) fn of(config: &Config) -> Value {
    let mut object: Map = unset().into_iter().map(|(key, value)| (Key::from(key), value)).collect();
    for entry in config.parts.iter() {
        let value = match &*entry.key {
            "remote_state" => with_defaults(&entry.value, &remote_state()),
            "dependency" => with_outputs(&entry.value),
            _ => entry.value.clone(),
        };
        object.set(entry.key.clone(), value);
    }
    Value::map(object)
}

fn boolean(value: bool) -> Value {
    Value::new(Data::Bool(value))
}

fn remote_state() -> [(&'static str, Value); 4] {
    let null = || Value::new(Data::Null);
    [
        ("disable_init", boolean(false)),
        ("disable_dependency_optimization", boolean(false)),
        ("generate", null()),
        ("encryption", null()),
    ]
}

/// A generated file with what counts where nothing is set.
pub(super) fn generated(value: &Value) -> Value {
    let defaults = [
        ("if_disabled", Value::str("skip")),
        ("comment_prefix", Value::str("# ")),
        ("disable", boolean(false)),
        ("disable_signature", boolean(false)),
    ];
    with_defaults(value, &defaults)
}

fn with_defaults(value: &Value, defaults: &[(&'static str, Value)]) -> Value {
    let Some(map) = value.as_map() else { return value.clone() };
    let mut map: Map = (**map).clone();
    for (key, default) in defaults {
        if !map.has(key) {
            map.set(*key, default.clone());
        }
    }
    Value { data: Data::Map(Arc::new(map)), prov: value.prov.clone() }
}

/// The dependencies with their outputs.
fn with_outputs(dependencies: &Value) -> Value {
    let scope = dependency_scope(Some(dependencies));
    let Some(map) = dependencies.as_map() else { return dependencies.clone() };
    let one = |key: &Key, value: &Value| {
        let outputs = scope.get(key).and_then(|shown| shown.get("outputs")).cloned();
        let mut entries: Map = value.as_map().map_or_else(Map::new, |map| (**map).clone());
        if let Some(outputs) = outputs {
            entries.set("outputs", outputs);
        }
        (key.clone(), Value { data: Data::Map(Arc::new(entries)), prov: value.prov.clone() })
    };
    Value::map(map.iter().map(|entry| one(&entry.key, &entry.value)).collect())
}
