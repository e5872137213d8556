//! What is part of OpenTofu, so that all of its arguments and attributes are known: `terraform_data` and the data source
//! `terraform_remote_state`.

use crate::hcl::ast::TraversalStep;
use crate::hcl::types::Type;
use crate::hcl::val::unknown::Facts;
use crate::hcl::val::{Entries, Val};
use crate::terraform::provider_schema::ProviderSchemas;
use crate::text::{Text, nearest};
use std::sync::LazyLock;

/// The attributes of `terraform_data`, with their types.
const ATTRIBUTES: [(&str, Type); 4] =
    [("id", Type::Str), ("input", Type::Dynamic), ("output", Type::Dynamic), ("triggers_replace", Type::Dynamic)];

/// The attributes of `terraform_remote_state`.
const REMOTE_STATE: [(&str, Type); 5] = [
    ("backend", Type::Str),
    ("config", Type::Dynamic),
    ("defaults", Type::Dynamic),
    ("outputs", Type::Dynamic),
    ("workspace", Type::Str),
];

/// Their schemas.
const SCHEMAS: &str = r#"{"provider_schemas": {"terraform.io/builtin/terraform": {
  "resource_schemas": {"terraform_data": {"block": {"attributes": {
    "id": {"type": "string", "computed": true},
    "input": {"type": "dynamic", "optional": true},
    "output": {"type": "dynamic", "computed": true},
    "triggers_replace": {"type": "dynamic", "optional": true}}}}},
  "data_source_schemas": {"terraform_remote_state": {"block": {"attributes": {
    "backend": {"type": "string", "required": true},
    "config": {"type": "dynamic", "optional": true},
    "defaults": {"type": "dynamic", "optional": true},
    "outputs": {"type": "dynamic", "computed": true},
    "workspace": {"type": "string", "optional": true}}}}}}}}"#;

/// The schemas of what is built in.
pub(super) static BUILT_IN: LazyLock<ProviderSchemas> =
    LazyLock::new(|| ProviderSchemas::read(SCHEMAS.as_bytes()).unwrap_or_default());

/// Why values are not known where nothing is known of resources.
pub(super) const NOT_EVALUATED: &str = "not evaluated";

/// Whether a resource type is built in.
pub(super) fn is_type(kind: &str) -> bool {
    kind == "terraform_data"
}

/// What is wrong with the steps from a resource of a built-in type, or from its instance, to what is read of it.
pub(super) fn wrong(steps: &[TraversalStep]) -> Option<String> {
    wrong_of(&ATTRIBUTES, steps)
}

/// What is wrong with the steps from a data source of a built-in type.
pub(super) fn wrong_data(kind: &str, steps: &[TraversalStep]) -> Option<String> {
    if kind == "terraform_remote_state" { wrong_of(&REMOTE_STATE, steps) } else { None }
}

fn wrong_of(attributes: &[(&str, Type)], steps: &[TraversalStep]) -> Option<String> {
    let steps = match steps {
        [TraversalStep::Index(..), rest @ ..] => rest,
        steps => steps,
    };
    let [TraversalStep::Attribute(name), rest @ ..] = steps else { return None };
    let Some((_, ty)) = attributes.iter().find(|(known, _)| **known == *name.text) else {
        let near = nearest(&name.text, attributes.iter().map(|(known, _)| *known));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        return Some(format!("unsupported attribute: there is no attribute \"{}\"{hint}", name.text));
    };
    match rest.first() {
        Some(TraversalStep::Attribute(_)) if ty.is_primitive() => {
            Some(format!("unsupported attribute: {} is a {}, which has no attributes", name.text, ty.name()))
        }
        Some(TraversalStep::Index(..)) if ty.is_primitive() => {
            Some(format!("invalid index: {} is a {}, which has no elements", name.text, ty.name()))
        }
        _ => None,
    }
}

/// The value of an instance with these arguments. Its output will be what its input is.
pub(super) fn value(mut entries: Entries, address: &Text) -> Val {
    for name in ["input", "triggers_replace"] {
        entries.entry(name.into()).or_default();
    }
    let input = entries.get("input").cloned().unwrap_or_default();
    let output = match input.is_null() {
        true => Val::null(),
        false => Val::unknown(Type::of(&input), format!("{address}.output")),
    };
    entries.insert("output".into(), output);
    entries.insert("id".into(), Val::partly_unknown(Type::Str, format!("{address}.id").into(), Facts::default()));
    Val::object(entries)
}

/// An instance of which only the types are known.
pub(super) fn not_known() -> Val {
    let entries = ATTRIBUTES.iter().map(|(name, ty)| (Text::from(*name), Val::unknown(ty.clone(), NOT_EVALUATED)));
    Val::object(entries.collect())
}
