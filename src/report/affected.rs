//! What `describe affected` prints, from a comparison: a list of items with the fields and reasons of the deployment tool, and the
//! matrix that jobs of GitHub Actions are made from. The words here are those of the deployment tool, because its consumers read them.
//!
//! Every component that differs is an item. The deployment tool is silent about some of them (abstract and disabled components, sections
//! that it does not compare): such an item has `"deployable": false`, or reasons named after its sections.
//! `schemas/affected.json` and `schemas/matrix.json` describe both.

use super::Report;
use crate::diff::{ComponentChange, Diff, Status};
use crate::resolution::Component;
use crate::value::Value;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;

/// The sections that the deployment tool compares, in the order in which it names them. Reference: describe affected.
const SECTIONS: [&str; 25] = [
    "metadata",
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
    // Those that only components of Kubernetes and Helm have.
    "provider",
    "paths",
    "manifests",
    "render",
    "values",
    "values_files",
    "chart",
    "repositories",
    "settings",
];

#[derive(Serialize)]
struct Item<'a> {
    component: &'a str,
    component_type: &'a str,
    component_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<&'a str>,
    stack: &'a str,
    stack_slug: String,
    affected: String,
    affected_all: Vec<String>,
    dependents: Option<()>,
    included_in_dependents: bool,
    settings: Option<()>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_type: Option<&'static str>,
    deployable: bool,
}

#[derive(Serialize)]
struct Matrix<'a> {
    include: Vec<Job<'a>>,
}

#[derive(Serialize)]
struct Job<'a> {
    stack: &'a str,
    component: &'a str,
    component_path: &'a str,
    component_type: &'a str,
}

/// Writes the list of affected components, and a line end. Without a comparison nothing is affected.
///
/// # Errors
/// Those of the writer.
pub fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &items(report))?;
    writeln!(out)
}

/// Writes the matrix on one line: the components that there is something to deploy of.
///
/// # Errors
/// Those of the writer.
pub fn write_matrix(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let items = items(report);
    let jobs = items.iter().filter(|i| i.deployable && !i.deleted).map(|i| Job {
        stack: i.stack,
        component: i.component,
        component_path: i.component_path,
        component_type: i.component_type,
    });
    serde_json::to_writer(&mut *out, &Matrix { include: jobs.collect() })?;
    writeln!(out)
}

fn items<'a>(report: &Report<'a>) -> Vec<Item<'a>> {
    let Some(comparison) = report.comparison else { return Vec::new() };
    comparison.diff.components.iter().map(|c| item(c, comparison.diff)).collect()
}

fn item<'a>(change: &'a ComponentChange, diff: &Diff) -> Item<'a> {
    let deleted = change.status == Status::Removed;
    let component = change.after.as_deref().or(change.before.as_deref());
    let text = |path: &[&str]| {
        component.and_then(|c| c.value.at_path(path.iter().copied())).and_then(Value::as_str).filter(|s| !s.is_empty())
    };
    // Only what is gone has to be found again by what its variables say.
    let context = |name: &str| if deleted { text(&["vars", name]) } else { None };
    let whole_stack = deleted && diff.gone.contains(&change.stack);
    let reasons = match (deleted, whole_stack) {
        (false, _) => reasons(change),
        (true, false) => vec!["deleted".to_owned()],
        (true, true) => vec!["deleted.stack".to_owned()],
    };
    Item {
        component: &change.name,
        component_type: &change.kind,
        component_path: text(&["component_info", "component_path"]).unwrap_or_default(),
        namespace: context("namespace"),
        tenant: context("tenant"),
        environment: context("environment"),
        stage: context("stage"),
        stack: &change.stack,
        stack_slug: format!("{}-{}", change.stack, change.name.replace('/', "-")),
        affected: reasons.first().cloned().unwrap_or_default(),
        affected_all: reasons,
        dependents: None,
        included_in_dependents: false,
        settings: None,
        deleted,
        deletion_type: deleted.then_some(if whole_stack { "stack" } else { "component" }),
        deployable: component.is_some_and(|c| is_deployable(c, deleted)),
    }
}

/// Whether it is something that can be deployed, or could be before it was deleted. What is deleted counts also if it was
/// disabled, as it does for the deployment tool: it may have been deployed earlier.
fn is_deployable(component: &Component, deleted: bool) -> bool {
    let of = |key| component.value.at_path(["metadata", key]);
    let is_abstract = of("type").and_then(Value::as_str) == Some("abstract");
    let is_enabled = of("enabled").and_then(Value::as_bool).unwrap_or(true);
    !is_abstract && (is_enabled || deleted)
}

/// Why: sections that the deployment tool compares where there is one of them, else those that it does not.
fn reasons(change: &ComponentChange) -> Vec<String> {
    let has = |name: &str| change.after.as_deref().is_some_and(|c| c.value.get(name).is_some());
    let sections: BTreeSet<&str> = match change.status {
        Status::Added => SECTIONS.into_iter().filter(|s| has(s)).collect(),
        _ => change.changes.iter().filter_map(|c| c.path.split('/').nth(1)).collect(),
    };
    let named = |names: &mut dyn Iterator<Item = &str>| names.map(|s| format!("stack.{s}")).collect::<Vec<_>>();
    // the deployment tool looks only at sections that the head has.
    let known = named(&mut SECTIONS.into_iter().filter(|s| sections.contains(s) && has(s)));
    if known.is_empty() { named(&mut sections.iter().copied()) } else { known }
}
