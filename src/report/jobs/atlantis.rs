//! The configuration of a repository for Atlantis, `atlantis.yaml`. Only its projects exist: without any, nothing is planned.

use super::{folder, reads, write_yaml};
use crate::affected::jobs::Job;
use crate::report::Report;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// The key of the name that Atlantis knows a component by.
const NAME: &str = "atlantis_project";

#[derive(Serialize)]
struct Repository<'a> {
    version: u32,
    /// Else Atlantis searches for projects where there are none.
    autodiscover: Autodiscover,
    abort_on_execution_order_fail: bool,
    projects: Vec<Project<'a>>,
}

#[derive(Serialize)]
struct Autodiscover {
    mode: &'static str,
}

#[derive(Serialize)]
struct Project<'a> {
    name: &'a str,
    dir: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<&'a str>,
    autoplan: Autoplan,
    execution_order_group: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<&'a str>,
}

#[derive(Serialize)]
struct Autoplan {
    enabled: bool,
    when_modified: Vec<String>,
}

/// Writes `atlantis.yaml`.
///
/// # Errors
/// Those of the writer, and folders that Atlantis does not accept.
pub(in crate::report) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let jobs = super::jobs(report);
    let run = jobs.map(|jobs| &jobs.run[..]).unwrap_or_default();
    let names = names(run);
    let mut projects = Vec::with_capacity(run.len());
    for (job, name) in run.iter().zip(&names) {
        if job.folder.contains("..") || job.folder.contains(['*', '?', '[']) {
            return Err(io::Error::other(format!("Atlantis accepts no folder named `{}`", job.folder)));
        }
        projects.push(Project {
            name,
            dir: folder(job),
            workspace: job.workspace.as_deref(),
            autoplan: Autoplan { enabled: true, when_modified: reads(job) },
            execution_order_group: job.wave,
            depends_on: job.needs.iter().map(|index| names[*index]).collect(),
        });
    }
    let autodiscover = Autodiscover { mode: "disabled" };
    write_yaml(out, jobs, &Repository { version: 3, autodiscover, abort_on_execution_order_fail: true, projects })
}

/// The names of projects: those that their configuration has, as far as they can be told apart.
fn names(run: &[Job]) -> Vec<&str> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for job in run {
        job.names.get(NAME).into_iter().chain([&job.name]).for_each(|name| *uses.entry(name).or_default() += 1);
    }
    let is_free = |name: &&String, job: &Job| uses.get(&***name) == Some(&(1 + usize::from(**name == job.name)));
    run.iter().map(|job| job.names.get(NAME).filter(|name| is_free(name, job)).unwrap_or(&job.name).as_str()).collect()
}
