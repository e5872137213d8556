//! Features: values with a default, which a run can set.

use super::blocks::attribute;
use super::kind;
use crate::dialects::terragrunt::names::Names;
use crate::dialects::terragrunt::rules;
use crate::value::{Data, Key, Map, Origin, Prov, Value};
use std::collections::BTreeMap;

/// The variable that sets features: `name=value,name=value`.
const VARIABLE: &str = "TG_FEATURE";

/// The features that a file declares, with their defaults.
pub(super) fn all(names: &Names<'_, '_>) -> Option<Value> {
    let mut found = Map::new();
    for block in names.file.body.blocks_of("feature") {
        let Some(label) = block.label(0) else { continue };
        let written = block.body.get("default");
        let default = written.zip(kind("feature").attribute("default"));
        let default = default.and_then(|(written, kind)| attribute(names, written, kind));
        if default.is_none() {
            let message = format!("feature flag {label} does not have a default value");
            names.session.error(&rules::INVALID_BLOCK, message, (names.file.id, block.header()));
        }
        let entry: Map = default.into_iter().map(|value| (Key::from("default"), value)).collect();
        let start = block.kind.span.start;
        let origin = Origin { file: names.file.id, key: start, start, end: block.header().end };
        if !found.has(label) {
            found.set(Key::from(&**label), Value::at(Data::Map(entry.into()), origin));
        }
    }
    (!found.is_empty()).then(|| Value::map(found))
}

/// The features as expressions see them: `feature.NAME.value`.
pub(super) fn scope(names: &Names<'_, '_>, declared: Option<&Value>) -> Value {
    let mut found = Map::new();
    let given = given(names);
    let value = |value: Value| Value::map([(Key::from("value"), value)].into_iter().collect());
    for entry in declared.and_then(Value::as_map).into_iter().flat_map(|map| map.iter()) {
        let default = entry.value.get("default").cloned().unwrap_or_default();
        let set = given.get(&*entry.key).map(|text| match (&default.data, &**text) {
            (Data::Bool(_), "true" | "1") => Data::Bool(true),
            (Data::Bool(_), "false" | "0") => Data::Bool(false),
            _ => Data::Str((&**text).into()),
        });
        let shown = match set {
            Some(data) => Value { data, prov: Prov::default().with_inputs([default.prov]) },
            None => default,
        };
        found.set(entry.key.clone(), value(shown));
    }
    for (name, text) in &given {
        if !found.has(name) {
            found.set(Key::from(&**name), value(Value::str(text.as_str())));
        }
    }
    Value::map(found)
}

/// The features that the run sets.
fn given(names: &Names<'_, '_>) -> BTreeMap<String, String> {
    let written = names.session.env.get(VARIABLE).map_or("", String::as_str);
    let one = |pair: &str| pair.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
    written.split(',').filter_map(one).collect()
}
