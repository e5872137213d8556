//! Files and folders that a component depends on, and the files of its secrets.

use super::Comparison;
use crate::dialects::atmos::checks::dependency_paths::{self, DependencyPath};
use crate::dialects::atmos::functions::NO_ENV;
use crate::dialects::atmos::manifest::FILE_FUNCTIONS;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::templates::engine::Engine;
use crate::resolution::Component;
use crate::source::glob::path_match;
use crate::template::MissingKey;
use crate::value::{Map, Value, key};
use std::collections::BTreeSet;

/// The ending of secret files whose path is not configured.
const SECRET_EXTENSION: &str = ".enc.yaml";

/// A dependency that changed.
pub(super) struct Dependency {
    pub(super) reason: &'static str,
    pub(super) file: Option<String>,
    pub(super) folder: Option<String>,
}

/// The first file or folder that a component depends on and that changed, or else the first secret file.
pub(super) fn changed_dependency(comparison: &Comparison<'_>, component: &Component) -> Option<Dependency> {
    if comparison.changed.names.is_empty() {
        return None;
    }
    for DependencyPath { path, is_folder, .. } in dependency_paths::of(component) {
        if is_changed(comparison, path, if is_folder { "/**" } else { "" }) {
            let path = Some(path.to_owned());
            return Some(match is_folder {
                true => Dependency { reason: "folder", file: None, folder: path },
                false => Dependency { reason: "file", file: path, folder: None },
            });
        }
    }
    let secret = secret_files(comparison, component).into_iter().find(|path| is_changed(comparison, path, ""))?;
    Some(Dependency { reason: "secret.file", file: Some(secret), folder: None })
}

/// Whether a changed file matches a path, which starts where Atmos does and may hold patterns.
fn is_changed(comparison: &Comparison<'_>, path: &str, suffix: &str) -> bool {
    if path.starts_with('/') {
        return false;
    }
    let Some(path) = paths::join(&comparison.config.start, path) else { return false };
    let pattern = format!("{path}{suffix}");
    comparison.changed.names.iter().any(|name| path_match(&pattern, name).unwrap_or(false))
}

/// The files of the declared secrets, sorted.
fn secret_files(comparison: &Comparison<'_>, component: &Component) -> BTreeSet<String> {
    let declared = component.value.at_path(["secrets", "vars"]).and_then(Value::as_map);
    let entries = declared.into_iter().flat_map(|map| map.iter());
    entries.filter_map(|entry| secret_file(comparison, component, &entry.value)).collect()
}

fn secret_file(comparison: &Comparison<'_>, component: &Component, secret: &Value) -> Option<String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = secret.get("sops")?.as_str()?;
    let own = component.value.at_path(["secrets", "providers", name]);
    let provider = own.or_else(|| comparison.config.all.at_path(["secrets", "providers", name]))?;
    if !text(provider.get("kind")).starts_with("sops/") {
        return None;
    }
    let scope = text(secret.get("scope"));
    let stack = if scope == "global" { "" } else { &*component.stack };
    let name = if matches!(&*scope, "global" | "stack") { "" } else { &*component.name };
    let template = text(provider.at_path(["spec", "file"]));
    if template.is_empty() {
        let folder = text(provider.at_path(["spec", "path"]));
        let folder = if folder.is_empty() { "secrets" } else { &folder };
        let file = if name.is_empty() { stack.to_owned() } else { format!("{stack}.{name}") };
        return Some(paths::clean(&format!("{folder}/{file}{SECRET_EXTENSION}")));
    }
    let data = Map::from_iter([(key("atmos_stack"), Value::str(stack)), (key("atmos_component"), Value::str(name))]);
    let rendered = engine(comparison, MissingKey::Error).text(&template, &Value::map(data)).ok()?;
    Some(rendered.text).filter(|path| !path.is_empty())
}

/// The engine for standalone templates.
pub(super) fn engine<'a>(comparison: &'a Comparison<'_>, missing: MissingKey) -> Engine<'a> {
    Engine {
        templates: comparison.templates,
        slot: 0,
        delimiters: ("{{", "}}"),
        functions: &FILE_FUNCTIONS,
        missing,
        env: &NO_ENV,
        assume: false,
        host: None,
        misses: None,
    }
}
