//! Why a component of the head is affected, in the order in which Atmos finds out.

use super::files;
use super::{Comparison, counterpart};
use crate::resolution::{Address, Component};
use crate::value::Value;
use std::sync::Arc;

/// The sections that are compared, in the order of the reasons.
pub(super) const SECTIONS: [&str; 15] = [
    "vars",
    "env",
    "providers",
    "required_providers",
    "required_version",
    "generate",
    "backend",
    "backend_type",
    "remote_state_backend",
    "remote_state_backend_type",
    "auth",
    "command",
    "dependencies",
    "source",
    "provision",
];

/// Those of Kubernetes components, before the others.
const KUBERNETES: [&str; 10] =
    ["vars", "env", "source", "provision", "generate", "provider", "paths", "manifests", "render", "validate"];

/// Those of Helm components, and no others.
const HELM: [&str; 10] =
    ["vars", "env", "source", "provision", "generate", "render", "values", "values_files", "chart", "repositories"];

/// Why a component is affected.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    /// The reasons in order.
    pub(super) all: Vec<String>,
    /// The file that is the first reason.
    pub(super) file: Option<String>,
    /// The folder that is the first reason.
    pub(super) folder: Option<String>,
}

/// Returns the reasons for a component of the head; empty if it is not affected.
pub(super) fn reasons(comparison: &Comparison<'_>, address: &Address, component: &Arc<Component>) -> Reasons {
    let other = counterpart(&comparison.base, address);
    let mut found = Reasons::default();
    let mut add = |reason: &str| found.all.push(reason.to_owned());
    let is_map = |name: &str| component.value.get(name).is_some_and(|v| v.as_map().is_some());
    let differs = |name: &str| differs(component, other, name);
    if is_map("metadata") && differs("metadata") {
        add("stack.metadata");
    }
    let (in_module, in_folder) = comparison.code.of(component);
    if in_module {
        add("component.module");
    }
    if in_folder {
        add("component");
    }
    for section in sections(comparison, &component.kind) {
        let is_there = component.value.get(section).is_some();
        let is_reset = section == "validate" && other.is_some_and(|o| o.value.get(section).is_some());
        if is_there && differs(section) || !is_there && is_reset && &*component.kind == "kubernetes" {
            add(&format!("stack.{section}"));
        }
    }
    if is_map("settings") {
        if differs("settings") {
            add("stack.settings");
        }
        if let Some(dependency) = files::changed_dependency(comparison, component) {
            // Only the first reason names its source.
            if found.all.is_empty() {
                (found.file, found.folder) = (dependency.file, dependency.folder);
            }
            found.all.push(dependency.reason.to_owned());
        }
    }
    found
}

/// The sections of a type that are compared. `describe.affected.sections` replaces the common ones.
pub(super) fn sections<'a>(comparison: &'a Comparison<'_>, kind: &str) -> Vec<&'a str> {
    let configured = comparison.config.all.at_path(["describe", "affected", "sections"]).and_then(Value::as_list);
    let configured: Vec<&str> =
        configured.map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
    let common = if configured.is_empty() { SECTIONS.to_vec() } else { configured };
    match kind {
        "helm" => HELM.to_vec(),
        "kubernetes" => {
            let rest = common.into_iter().filter(|section| !KUBERNETES.contains(section));
            KUBERNETES.into_iter().chain(rest).collect()
        }
        _ => common,
    }
}

/// Whether a section of a component differs from that of the other side, if there is one.
fn differs(component: &Arc<Component>, other: Option<&Arc<Component>>, section: &str) -> bool {
    let Some(other) = other else { return true };
    match (component.value.get(section), other.value.get(section)) {
        (Some(a), Some(b)) => !is_same(a, b),
        // A key that is not there is read as null.
        (Some(a), None) => !a.is_null() || a.as_map().is_some(),
        (None, b) => b.is_some_and(|b| !b.is_null()),
    }
}

/// Whether two values print the same.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    if a.data.is_identical(&b.data) {
        return true;
    }
    match (serde_json::to_value(a), serde_json::to_value(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
