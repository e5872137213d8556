//! The jobs in waves, each a matrix of jobs of GitHub Actions: `schemas/waves.json` describes it.

use super::jobs;
use crate::affected::jobs::{Job, waves};
use crate::report::Report;
use serde::Serialize;
use std::io;

/// GitHub runs no more jobs of one matrix.
const MAX_JOBS: usize = 256;

/// All that runs for a change.
#[derive(Serialize)]
pub(crate) struct Waves<'a> {
    /// Matrices to run one after another. A wave with too many jobs is several.
    pub(crate) waves: Vec<Matrix<'a>>,
    /// What the change removes, in matrices to run one after another.
    pub(crate) destroy: Vec<Matrix<'a>>,
    /// Whether there is anything in them.
    pub(crate) has_changes: bool,
    /// The number of components that need no run.
    pub(crate) skipped: usize,
}

/// A matrix.
#[derive(Serialize)]
pub(crate) struct Matrix<'a> {
    include: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    stack: &'a str,
    component: &'a str,
    component_type: &'a str,
    folder: &'a str,
    /// Empty if it is not known.
    workspace: &'a str,
    reason: String,
}

#[cfg(test)]
impl Matrix<'_> {
    pub(super) fn len(&self) -> usize {
        self.include.len()
    }
}

impl<'a> Waves<'a> {
    /// The waves of a report.
    pub(crate) fn of(report: &Report<'a>) -> Self {
        let all = jobs(report);
        let run = all.map(|jobs| &jobs.run[..]).unwrap_or_default();
        let destroy = all.map(|jobs| &jobs.destroy[..]).unwrap_or_default();
        Waves {
            waves: matrices(run),
            destroy: matrices(destroy),
            has_changes: !run.is_empty() || !destroy.is_empty(),
            skipped: all.map_or(0, |jobs| jobs.skipped.len()),
        }
    }
}

pub(super) fn matrices(jobs: &[Job]) -> Vec<Matrix<'_>> {
    let waves = waves(jobs);
    let chunks = waves.iter().flat_map(|wave| wave.chunks(MAX_JOBS));
    chunks.map(|chunk| Matrix { include: chunk.iter().copied().map(Entry::of).collect() }).collect()
}

impl<'a> Entry<'a> {
    fn of(job: &'a Job) -> Self {
        Entry {
            name: &job.name,
            stack: &job.stack,
            component: &job.component,
            component_type: &job.component_type,
            folder: super::folder(job),
            workspace: job.workspace.as_deref().unwrap_or_default(),
            reason: job.reasons.join(", "),
        }
    }
}

/// Writes the waves on one line.
///
/// # Errors
/// Those of the writer.
pub(in crate::report) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Waves::of(report))?;
    writeln!(out)
}
