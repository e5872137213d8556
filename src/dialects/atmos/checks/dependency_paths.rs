//! Files and folders that components depend on (`dependencies`, `settings.depends_on`).

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::rules;
use crate::resolution::Component;
use crate::value::Value;

/// A path that a component depends on.
#[derive(Debug)]
pub(in crate::dialects::atmos) struct DependencyPath<'a> {
    /// The path as it is written. It starts where Atmos does, and may be a pattern.
    pub(in crate::dialects::atmos) path: &'a str,
    /// Whether it includes everything below it.
    pub(in crate::dialects::atmos) is_folder: bool,
    /// The value that names it.
    pub(in crate::dialects::atmos) value: &'a Value,
}

impl<'a> DependencyPath<'a> {
    /// The text of a value as a path; `None` if it is empty or none.
    fn new(value: Option<&'a Value>, is_folder: bool) -> Option<Self> {
        let value = value?;
        let path = value.as_str().filter(|path| !path.is_empty())?;
        Some(DependencyPath { path, is_folder, value })
    }
}

/// Returns the paths that a component depends on: those in `dependencies`, or if there are none, in
/// `settings.depends_on`.
pub(in crate::dialects::atmos) fn of(component: &Component) -> Vec<DependencyPath<'_>> {
    let declared = declared(component);
    if declared.is_empty() { legacy(component) } else { declared }
}

fn section<'a>(component: &'a Component, name: &'static str) -> Option<&'a Value> {
    component.value.as_map()?.known(name)
}

/// Returns the paths in `dependencies`; empty if it has a shape that Atmos rejects.
fn declared(component: &Component) -> Vec<DependencyPath<'_>> {
    let Some(dependencies) = section(component, "dependencies") else { return Vec::new() };
    let list = |name: &str| dependencies.get(name).and_then(Value::as_list).map(|l| l.as_slice()).unwrap_or_default();
    let mut found = Vec::new();
    for item in list("components") {
        let kind = item.get("kind").and_then(Value::as_str).unwrap_or_default();
        if matches!(kind, "file" | "folder") {
            let Some(path) = DependencyPath::new(item.get("path"), kind == "folder") else { return Vec::new() };
            found.push(path);
        }
    }
    found.extend(list("files").iter().filter_map(|path| DependencyPath::new(Some(path), false)));
    found.extend(list("folders").iter().filter_map(|path| DependencyPath::new(Some(path), true)));
    found
}

/// Returns the paths in `settings.depends_on`; Atmos reads its entries in random order.
fn legacy(component: &Component) -> Vec<DependencyPath<'_>> {
    let entries = section(component, "settings").and_then(|s| s.get("depends_on")).and_then(Value::as_map);
    let entries = entries.into_iter().flat_map(|map| map.iter());
    let kinds = [("file", false), ("folder", true)];
    entries
        .flat_map(|entry| kinds.map(|(key, is_folder)| DependencyPath::new(entry.value.get(key), is_folder)))
        .flatten()
        .collect()
}

/// Reports the paths of a component that do not exist. Patterns are skipped.
pub(in crate::dialects::atmos) fn check(
    component: &Component,
    reader: &Reader<'_>,
    config: &Config,
    deps: &mut Deps,
    diagnostics: &Diagnostics,
) {
    for DependencyPath { path, is_folder, value } in of(component) {
        let Some(origin) = value.prov.origin else { continue };
        if path.starts_with('/') || path.contains(['*', '?', '[', '{', '<']) || !component.metadata.is_deployed() {
            continue;
        }
        // People start Atmos in one of these.
        let folders = [&*config.start, &*config.base, ""];
        let candidates: Option<Vec<String>> = folders.iter().map(|folder| paths::join(folder, path)).collect();
        // A path outside of the repository may exist.
        let Some(candidates) = candidates else { continue };
        let mut may_be =
            |path| reader.exists(path, deps) || reader.is_dir(path, deps) || reader.is_unavailable(path, deps);
        if candidates.iter().any(|path| may_be(path)) {
            continue;
        }
        let kind = if is_folder { "folder" } else { "file" };
        let message = format!("`{}` depends on the {kind} `{path}`, which does not exist", component.name);
        let finding = Diagnostic::new(&rules::MISSING_DEPENDENCY_PATH, message, Label::at(origin, ""))
            .token(path)
            .help("correct the path; it is relative to the folder that Atmos is started in");
        diagnostics.report(finding);
    }
}
