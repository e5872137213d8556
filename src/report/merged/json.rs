//! The merge as JSON; `schemas/merge.json` describes it.

use super::{MergeReport, Shown};
use crate::diff::merged::{Effect, ListedValue, MergedComponent, MergedProject, VERSIONS};
use crate::diff::{Cause, Side};
use crate::files::Files;
use crate::report::coverage::CoverageJson;
use crate::report::indented_json::Object;
use crate::report::json::{self, RevisionJson};
use crate::text::Text;
use crate::value::Value;
use serde::Serialize;
use std::io;

/// The value of the key `schema`.
const SCHEMA: &str = "stacklint/merge/v1";

/// Writes a merge, and a line end.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &MergeReport<'_>) -> io::Result<()> {
    let mut object = Object::begin(out)?;
    object.field("schema", &SCHEMA)?;
    for (name, revision) in VERSIONS.iter().zip(report.versions) {
        object.field(name, &RevisionJson::of(revision))?;
    }
    let nothing: [&str; 0] = [];
    match &report.shown {
        Shown::Conflicts(conflicts) => {
            for name in ["components", "unknown", "broken", "broken_stacks"] {
                object.field(name, &nothing)?;
            }
            object.field("conflicts", conflicts)?;
            for name in ["unresolved", "diagnostics"] {
                object.field(name, &nothing)?;
            }
        }
        Shown::Merged { projects, report } => {
            object.field("merged", &RevisionJson::of(report.head))?;
            let files = report.files;
            let components = |is_shown: fn(&ListedValue) -> bool| {
                let all = projects.iter().flat_map(|project| project.components.iter().map(move |c| (project, c)));
                all.filter_map(|(project, c)| ComponentJson::of(project, c, is_shown, files)).collect::<Vec<_>>()
            };
            object.field("components", &components(|listed| listed.value.effect != Effect::Unknown))?;
            object.field("unknown", &components(|listed| listed.value.effect == Effect::Unknown))?;
            let broken = || projects.iter().flat_map(|project| &project.broken);
            object.field("broken", &broken().map(|one| &one.stack).collect::<Vec<_>>())?;
            let stacks = broken().map(|one| BrokenJson {
                stack: &one.stack,
                versions: &one.versions,
                files: &one.files,
                reason: one.reason.as_ref().map(|(message, ..)| &**message),
            });
            object.field("broken_stacks", &stacks.collect::<Vec<_>>())?;
            object.field("conflicts", &nothing)?;
            let unresolved = projects.iter().flat_map(|project| &project.unresolved);
            object.field("unresolved", &unresolved.collect::<Vec<_>>())?;
            let diagnostics = report.findings.iter().map(|finding| json::diagnostic(finding, files));
            object.field("diagnostics", &diagnostics.collect::<Vec<_>>())?;
            object.field("coverage", &CoverageJson::of(report.coverage))?;
        }
    }
    object.end()
}

#[derive(Serialize)]
struct BrokenJson<'a> {
    stack: &'a str,
    versions: &'a [&'static str],
    files: &'a [Text],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct ComponentJson<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    project: &'a str,
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
    values: Vec<ValueJson<'a>>,
}

impl<'a> ComponentJson<'a> {
    /// A component with some of its values; `None` if it has none of these.
    fn of(
        project: &'a MergedProject,
        component: &'a MergedComponent,
        is_shown: fn(&ListedValue) -> bool,
        files: &Files,
    ) -> Option<Self> {
        let values = component.values.iter().filter(|listed| is_shown(listed));
        let values: Vec<_> = values.map(|listed| ValueJson::of(listed, files)).collect();
        let MergedComponent { stack, kind, name, .. } = component;
        let of_project = ComponentJson { project: &project.project, stack, r#type: kind, component: name, values };
        (!of_project.values.is_empty()).then_some(of_project)
    }
}

/// A listed value. A version that does not have it has no key.
#[derive(Serialize)]
struct ValueJson<'a> {
    path: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ours: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theirs: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<&'a Value>,
    lines: LinesJson,
}

#[derive(Serialize)]
struct LinesJson {
    ours: Vec<LineJson>,
    theirs: Vec<LineJson>,
}

#[derive(Serialize)]
struct LineJson {
    file: Text,
    line: u32,
    column: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
}

impl<'a> ValueJson<'a> {
    fn of(listed: &'a ListedValue, files: &Files) -> Self {
        let [base, ours, theirs, merged] = listed.value.versions.each_ref().map(Option::as_ref);
        let line = |cause: &Cause| LineJson {
            file: Text::clone(&files.get(cause.file).path),
            line: cause.line,
            column: cause.column,
            removed: cause.side == Side::Base,
        };
        let [of_ours, of_theirs] = listed.lines.each_ref().map(|lines| lines.iter().map(line).collect());
        ValueJson {
            path: &listed.value.path,
            kind: listed.value.effect.name(),
            winner: listed.value.effect.winner().map(|winner| winner.name()),
            base,
            ours,
            theirs,
            merged,
            lines: LinesJson { ours: of_ours, theirs: of_theirs },
        }
    }
}
