//! Dependencies on other units: their paths, and what expressions see of their outputs.

use super::blocks::attributes;
use super::kind;
use crate::dialects::terragrunt::names::Names;
use crate::dialects::terragrunt::rules;
use crate::dialects::terragrunt::session::Session;
use crate::dialects::terragrunt::values::unknown_data;
use crate::hcl::ast::Span;
use crate::reads::made_of;
use crate::value::{Data, Flags, Key, Map, Origin, Value};

/// The dependencies of a file by name.
pub(super) fn all(names: &Names<'_, '_>) -> Option<Value> {
    let mut found = Map::new();
    for block in names.file.body.blocks_of("dependency") {
        let Some(label) = block.label(0) else { continue };
        for expansion in block.body.blocks_of("expansion") {
            let message = format!(
                "the dependency \"{label}\" uses an expansion block, which requires the experiment 'block-iteration'"
            );
            names.session.error(&rules::INVALID_BLOCK, message, (names.file.id, expansion.kind.span));
        }
        let mut map = attributes(names, &block.body.attributes, kind("dependency"));
        if let Some(skip) = map.remove("skip_outputs") {
            map.set("skip", skip);
        }
        let start = block.kind.span.start;
        let origin = Origin { file: names.file.id, key: start, start, end: block.header().end };
        found.set(Key::from(&**label), Value::at(Data::Map(map.into()), origin));
    }
    (!found.is_empty()).then(|| Value::map(found))
}

/// The path of what is not switched off must be text that leads somewhere, after the files are merged.
pub(super) fn check(session: &Session<'_>, all: Option<&Value>) {
    for entry in all.and_then(Value::as_map).into_iter().flat_map(|map| map.iter()) {
        let Some(path) = entry.value.get("config_path") else { continue };
        let is_wrong = match &path.data {
            Data::Str(text) => text.is_empty(),
            Data::Unknown(_) => false,
            _ => true,
        };
        let is_off = entry.value.get("enabled").and_then(Value::as_bool) == Some(false);
        if let (true, false, Some(at)) = (is_wrong, is_off, path.prov.origin) {
            let message = "DependencyInvalidConfigPathError: the path of a dependency must be text that is not empty";
            session.error(&rules::INVALID_VALUE, message, (at.file, Span { start: at.start, end: at.end }));
        }
    }
}

/// The dependencies as expressions see them: their outputs, which only a run knows unless they are skipped.
pub(in crate::dialects::terragrunt) fn scope(all: Option<&Value>) -> Value {
    let one = |name: &str, dependency: &Value| {
        let is = |key: &str, flag: bool| dependency.get(key).and_then(Value::as_bool) == Some(flag);
        let mocks = dependency.get("mock_outputs");
        let outputs = match is("enabled", false) || is("skip", true) {
            true => mocks.cloned(),
            false => Some(outputs(name, dependency)),
        };
        let shown: Map = outputs.into_iter().map(|value| (Key::from("outputs"), value)).collect();
        Value { data: Data::Map(shown.into()), prov: dependency.prov.clone() }
    };
    let entries = all.and_then(Value::as_map).into_iter().flat_map(|map| map.iter());
    Value::map(entries.map(|entry| (entry.key.clone(), one(&entry.key, &entry.value))).collect())
}

/// The outputs of a dependency that is not skipped.
fn outputs(name: &str, dependency: &Value) -> Value {
    let path = dependency.get("config_path");
    let reads: Vec<_> = ["config_path", "enabled", "skip"]
        .into_iter()
        .filter_map(|key| Some(made_of::value(format!("dependency.{name}.{key}"), dependency.get(key)?)))
        .collect();
    let shown = path.and_then(Value::as_str).map_or_else(|| format!("the dependency \"{name}\""), str::to_owned);
    let mocked =
        dependency.get("mock_outputs").is_some_and(|mocks| mocks.as_map().is_some() || mocks.holds(Flags::UNKNOWN));
    let until = if mocked { "; until then there are mocks" } else { "" };
    let reason = format!("outputs of {shown} are known after it is applied{until}");
    let data = unknown_data(format!("dependency.{name}.outputs").into(), &reason, &reads);
    let prov = path.map_or_else(|| dependency.prov.clone(), |path| path.prov.clone());
    Value { data, prov }
}
