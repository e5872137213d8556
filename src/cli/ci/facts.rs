//! Results of a run for later steps of a job.

use crate::diagnostic::Level;
use crate::report::jobs::waves::Waves;
use crate::report::{Format, RenderOptions, Report};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

/// Results for later steps.
#[derive(Debug)]
pub(super) struct Facts {
    /// Whether the configuration or the code of a component differs: `true`, `false`, or `unknown` where something could not be compared.
    pub(super) changed: &'static str,
    /// What differs, in one sentence as every report has it.
    pub(super) headline: String,
    /// The number of components that differ.
    pub(super) components: usize,
    /// The number of stacks and components that could not be resolved on a side.
    pub(super) unresolved: usize,
    /// The coverage, as JSON on one line.
    pub(super) coverage: String,
    /// The numbers of errors, warnings and notes that count.
    pub(super) counts: [usize; 4],
    /// The ids of the commits; empty if unknown.
    pub(super) base: String,
    pub(super) head: String,
    /// The stacks whose configuration or code differs, as a JSON list.
    pub(super) stacks: String,
    /// The components to deploy, as JSON on one line.
    pub(super) matrix: String,
    /// The same in matrices to run one after another, as a JSON list on one line.
    pub(super) waves: String,
    /// Whether there is a job or something to destroy: `true`, `false`, or `unknown` where something could not be compared.
    pub(super) has_changes: &'static str,
    /// The number of components that need no run.
    pub(super) skipped: usize,
    /// Reports that were written, by the name of their output.
    pub(super) files: Vec<(&'static str, PathBuf)>,
}

impl Default for Facts {
    fn default() -> Self {
        Facts {
            changed: "unknown",
            headline: "Nothing was compared.".to_owned(),
            components: 0,
            unresolved: 0,
            coverage: r#"{"projects":[]}"#.to_owned(),
            counts: [0; 4],
            base: String::new(),
            head: String::new(),
            stacks: "[]".to_owned(),
            matrix: r#"{"include":[]}"#.to_owned(),
            waves: "[]".to_owned(),
            has_changes: "unknown",
            skipped: 0,
            files: Vec::new(),
        }
    }
}

impl Facts {
    /// Collects the results from a report.
    pub(super) fn of(report: &Report<'_>) -> io::Result<Self> {
        let diff = report.comparison.as_ref().map(|c| c.diff);
        let components = diff.map(|d| &d.components[..]).unwrap_or_default();
        let code = report.comparison.map(|c| c.code).unwrap_or_default();
        let run = code.iter().flat_map(|change| &change.components).map(|(stack, ..)| &**stack);
        let stacks: BTreeSet<&str> = components.iter().map(|c| &*c.stack).chain(run).collect();
        let is_listed = report.comparison.is_some_and(|c| !c.affected.is_empty());
        let waves = Waves::of(report);
        let mut matrix = Vec::new();
        Format::Matrix.write(&mut matrix, report, &RenderOptions::default())?;
        Ok(Facts {
            changed: match (report.coverage.is_whole(), components.is_empty() && code.is_empty() && !is_listed) {
                (false, _) => "unknown",
                (true, true) => "false",
                (true, false) => "true",
            },
            headline: report.headline(),
            components: components.len(),
            unresolved: report.coverage.lacking().len(),
            coverage: report.coverage_json()?,
            counts: Level::ALL.map(|level| report.count(level)),
            base: report.comparison.as_ref().and_then(|c| c.base.commit.clone()).unwrap_or_default(),
            head: report.head.commit.clone().unwrap_or_default(),
            stacks: serde_json::to_string(&stacks)?,
            matrix: String::from_utf8_lossy(&matrix).trim_end().to_owned(),
            waves: serde_json::to_string(&waves.waves)?,
            has_changes: match (waves.has_changes, report.coverage.is_whole()) {
                (true, _) => "true",
                (false, true) => "false",
                (false, false) => "unknown",
            },
            skipped: waves.skipped,
            files: Vec::new(),
        })
    }
}
