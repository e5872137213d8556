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
            "dependency" => named(&with_outputs(&entry.value), &DEPENDENCY),
            "feature" => named(&entry.value, &[]),
            "generate" => each(&entry.value, |_, file| with_nulls(file, &["hcl_fmt", "mutable"])),
            "terraform" => terraform(&entry.value),
            "errors" => errors(&entry.value),
            "exclude" => {
                with_defaults(&entry.value, &[("exclude_dependencies", boolean(false)), ("no_run", boolean(false))])
            }
            "engine" => with_defaults(&entry.value, &[("type", Value::str("")), ("version", Value::str(""))]),
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

/// What is null in blocks that do not set it.
const DEPENDENCY: [&str; 7] = [
    "enabled",
    "inputs",
    "mock_outputs",
    "mock_outputs_allowed_terraform_commands",
    "mock_outputs_merge_strategy_with_state",
    "mock_outputs_merge_with_state",
    "skip",
];
const TERRAFORM: [&str; 4] = ["copy_terraform_lock_file", "exclude_from_copy", "include_in_copy", "source"];
const EXTRA_ARGUMENTS: [&str; 4] = ["arguments", "env_vars", "optional_var_files", "required_var_files"];
const HOOK: [&str; 4] = ["if", "run_on_error", "suppress_stdout", "working_dir"];
const ERROR_HOOK: [&str; 2] = ["suppress_stdout", "working_dir"];

fn with_nulls(value: &Value, names: &[&'static str]) -> Value {
    let nulls: Vec<(&'static str, Value)> = names.iter().map(|name| (*name, Value::new(Data::Null))).collect();
    with_defaults(value, &nulls)
}

/// The blocks of a kind by label, each as `one` makes it.
fn each(blocks: &Value, one: impl Fn(&Key, &Value) -> Value) -> Value {
    let Some(map) = blocks.as_map() else { return blocks.clone() };
    let map = map.iter().map(|entry| (entry.key.clone(), one(&entry.key, &entry.value))).collect();
    Value { data: Data::Map(Arc::new(map)), prov: blocks.prov.clone() }
}

/// The blocks of a kind by label, with their labels as `name` and with nulls.
fn named(blocks: &Value, nulls: &[&'static str]) -> Value {
    each(blocks, |label, block| with_nulls(&with_defaults(block, &[("name", Value::str(&**label))]), nulls))
}

fn terraform(value: &Value) -> Value {
    let kinds = [
        ("extra_arguments", &EXTRA_ARGUMENTS[..]),
        ("before_hook", &HOOK),
        ("after_hook", &HOOK),
        ("error_hook", &ERROR_HOOK),
    ];
    let with_labels = |(kind, nulls): (&'static str, &[&'static str])| {
        let blocks = value.get(kind).cloned().unwrap_or_else(|| Value::map(Map::new()));
        (kind, named(&blocks, nulls))
    };
    with_nulls(&with(value, kinds.map(with_labels)), &TERRAFORM)
}

/// The blocks of `errors` are lists.
fn errors(value: &Value) -> Value {
    let of_ignore = vec![("message", Value::str("")), ("signals", Value::map(Map::new()))];
    let list = |(kind, unset): (&'static str, Vec<(&'static str, Value)>)| {
        let blocks = value.get(kind)?;
        let all = named(&each(blocks, |_, block| with_defaults(block, &unset)), &[]);
        let items = all.as_map()?.iter().map(|entry| entry.value.clone()).collect();
        Some((kind, Value { data: Data::List(Arc::new(items)), prov: blocks.prov.clone() }))
    };
    with(value, [("retry", Vec::new()), ("ignore", of_ignore)].into_iter().filter_map(list))
}

/// The value with these entries in the place of its own.
fn with(value: &Value, entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let Some(map) = value.as_map() else { return value.clone() };
    let mut map: Map = (**map).clone();
    entries.into_iter().for_each(|(key, entry)| map.set(key, entry));
    Value { data: Data::Map(Arc::new(map)), prov: value.prov.clone() }
}

/// The dependencies with their outputs.
fn with_outputs(dependencies: &Value) -> Value {
    let scope = dependency_scope(Some(dependencies));
    each(dependencies, |key, value| {
        let outputs = scope.get(key).and_then(|shown| shown.get("outputs")).cloned();
        with(value, outputs.map(|outputs| ("outputs", outputs)))
    })
}
