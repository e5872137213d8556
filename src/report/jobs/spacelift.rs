//! Stacks of Spacelift and which of them to run, as data: `schemas/spacelift.json` describes it. A configuration of Spacelift makes
//! stacks from it, a script triggers them.

use super::{jobs, needs};
use crate::affected::jobs::Job;
use crate::report::{Report, indented_json};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// The key of the name that Spacelift knows a component by.
const NAME: &str = "spacelift_stack";

#[derive(Serialize)]
struct Data<'a> {
    /// By the names of jobs.
    stacks: BTreeMap<&'a str, Stack<'a>>,
    /// The names of the jobs to trigger, in their order.
    triggers: Vec<&'a str>,
    /// The names of what is removed.
    destroy: Vec<&'a str>,
}

#[derive(Serialize)]
struct Stack<'a> {
    /// The name that its configuration has for it, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    spacelift_stack: Option<&'a String>,
    stack: &'a str,
    component: &'a str,
    component_type: &'a str,
    project_root: &'a str,
    additional_project_globs: Vec<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terraform_workspace: Option<&'a str>,
    depends_on: Vec<&'a str>,
    wave: usize,
}

/// Writes the data.
///
/// # Errors
/// Those of the writer.
pub(in crate::report) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let all = jobs(report);
    let run = all.map(|jobs| &jobs.run[..]).unwrap_or_default();
    let destroy = all.map(|jobs| &jobs.destroy[..]).unwrap_or_default();
    let stacks = run.iter().map(|job| (&*job.name, Stack::of(job, run))).collect();
    let (triggers, destroy) = (names(run), names(destroy));
    indented_json::write(out, &Data { stacks, triggers, destroy })
}

fn names(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| &*job.name).collect()
}

impl<'a> Stack<'a> {
    /// A job of a list.
    fn of(job: &'a Job, all: &'a [Job]) -> Self {
        Stack {
            spacelift_stack: job.names.get(NAME),
            stack: &job.stack,
            component: &job.component,
            component_type: &job.component_type,
            project_root: &job.folder,
            additional_project_globs: job.reads.iter().collect(),
            terraform_workspace: job.workspace.as_deref(),
            depends_on: needs(job, all),
            wave: job.wave,
        }
    }
}
