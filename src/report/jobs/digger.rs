//! The configuration of a repository for Digger, `digger.yml`.

use super::{folder, needs, reads, write_yaml};
use crate::report::Report;
use serde::Serialize;
use std::io;

/// The key of the folder of a component that Terragrunt runs.
const TERRAGRUNT: &str = "terragrunt_folder";

#[derive(Serialize)]
struct Repository<'a> {
    projects: Vec<Project<'a>>,
}

#[derive(Serialize)]
struct Project<'a> {
    name: &'a str,
    dir: &'a str,
    workspace: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    terragrunt: bool,
    /// Patterns from the folder: those that begin with a dot are.
    include_patterns: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<&'a str>,
}

/// Writes `digger.yml`.
///
/// # Errors
/// Those of the writer.
pub(in crate::report) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let jobs = super::jobs(report);
    let run = jobs.map(|jobs| &jobs.run[..]).unwrap_or_default();
    let projects = run.iter().map(|job| Project {
        name: &job.name,
        dir: folder(job),
        workspace: job.workspace.as_deref().unwrap_or("default"),
        terragrunt: job.names.contains_key(TERRAGRUNT),
        include_patterns: reads(job),
        depends_on: needs(job, run),
    });
    write_yaml(out, jobs, &Repository { projects: projects.collect() })
}
