//! A pipeline of Buildkite. The command of its steps is what the variable `STACKLINT_JOB` says when the pipeline is uploaded, for what is
//! removed `STACKLINT_DESTROY`, behind a step that somebody has to unblock.

use super::{jobs, variables, write_yaml};
use crate::affected::jobs::Job;
use crate::report::Report;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

#[derive(Serialize)]
struct Pipeline {
    steps: Vec<Step>,
}

#[derive(Default, Serialize)]
struct Step {
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<String>,
}

/// The key of the step that somebody has to unblock.
const UNBLOCK: &str = "destroy";

/// Writes the pipeline.
///
/// # Errors
/// Those of the writer.
pub(in crate::report) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let all = jobs(report);
    let run = all.map(|jobs| &jobs.run[..]).unwrap_or_default();
    let destroy = all.map(|jobs| &jobs.destroy[..]).unwrap_or_default();
    let mut steps: Vec<Step> = run.iter().map(|job| step(job, run, "run", RUN)).collect();
    if !destroy.is_empty() {
        let key = UNBLOCK.to_owned();
        steps.push(Step { block: Some("Destroy what is removed?"), key, ..Step::default() });
    }
    for job in destroy {
        let mut step = step(job, destroy, "destroy", DESTROY);
        step.depends_on.push(UNBLOCK.to_owned());
        steps.push(step);
    }
    if steps.is_empty() {
        let label = Some("Nothing to run".to_owned());
        steps.push(Step { label, command: Some("echo 'No component is affected.'"), ..Step::default() });
    }
    write_yaml(out, None, &Pipeline { steps })
}

/// The commands: without the variable, the upload fails.
const RUN: &str = "${STACKLINT_JOB:?set it to the command of a job}";
const DESTROY: &str = "${STACKLINT_DESTROY:?set it to the command that destroys}";

fn step(job: &Job, all: &[Job], prefix: &str, command: &'static str) -> Step {
    // The upload replaces variables in texts.
    let literal = |text: &str| text.replace('$', "$$");
    // A key must not be a UUID.
    let key = |job: &Job| format!("{prefix}-{}", job.name.replace('.', "_"));
    Step {
        label: Some(literal(&format!("{} {} of {}", prefix, job.component, job.stack))),
        key: key(job),
        command: Some(command),
        env: variables(job).into_iter().map(|(name, value)| (name, literal(value))).collect(),
        depends_on: job.needs.iter().filter_map(|index| all.get(*index)).map(key).collect(),
        block: None,
    }
}
