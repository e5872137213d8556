//! A child pipeline of GitLab: a stage for each wave. What a job runs is said by `.stacklint-job` and `.stacklint-destroy`, which the
//! pipeline includes beside this.

use super::{jobs, variables, write_yaml};
use crate::affected::jobs::Job;
use crate::report::Report;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// GitLab accepts no more `needs` of one job. With more, it waits for all earlier stages.
const MAX_NEEDS: usize = 50;
/// The stage of what somebody may destroy.
const DESTROY: &str = "destroy";

#[derive(Serialize)]
struct Pipeline<'a> {
    stages: Vec<String>,
    #[serde(flatten)]
    jobs: BTreeMap<String, PipelineJob<'a>>,
}

#[derive(Serialize)]
struct PipelineJob<'a> {
    stage: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    extends: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    variables: BTreeMap<&'static str, Variable<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<[&'static str; 1]>,
}

/// A value; as it is if it looks like a reference to another variable.
#[derive(Serialize)]
#[serde(untagged)]
enum Variable<'a> {
    Plain(&'a str),
    Literal { value: &'a str, expand: bool },
}

/// Writes the pipeline.
///
/// # Errors
/// Those of the writer.
pub(in crate::report) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let all = jobs(report);
    let run = all.map(|jobs| &jobs.run[..]).unwrap_or_default();
    let destroy = all.map(|jobs| &jobs.destroy[..]).unwrap_or_default();
    let stage = |job: &Job| format!("wave-{}", job.wave + 1);
    let of_run = |job: &Job| format!("run {}", job.name);
    let of_destroy = |job: &Job| format!("destroy {}", job.name);
    let mut pipeline = Pipeline { stages: Vec::new(), jobs: BTreeMap::new() };
    let stages: BTreeSet<usize> = run.iter().map(|job| job.wave).collect();
    pipeline.stages.extend(stages.iter().map(|wave| format!("wave-{}", wave + 1)));
    for job in run {
        let entry =
            PipelineJob { needs: needs(job, run, of_run), ..PipelineJob::of(job, stage(job), ".stacklint-job") };
        pipeline.jobs.insert(of_run(job), entry);
    }
    for job in destroy {
        let entry = PipelineJob::of(job, DESTROY.to_owned(), ".stacklint-destroy");
        // Not before somebody asks for it.
        let entry = PipelineJob { when: Some("manual"), needs: needs(job, destroy, of_destroy), ..entry };
        pipeline.jobs.insert(of_destroy(job), entry);
    }
    if !destroy.is_empty() {
        pipeline.stages.push(DESTROY.to_owned());
    }
    if pipeline.jobs.is_empty() {
        // GitLab rejects a pipeline without a job.
        pipeline.stages.push("wave-1".to_owned());
        let script = Some(["echo 'No component is affected.'"]);
        let (extends, when, needs, variables) = (None, None, None, BTreeMap::new());
        let nothing = PipelineJob { stage: "wave-1".to_owned(), extends, when, needs, variables, script };
        pipeline.jobs.insert("nothing to run".to_owned(), nothing);
    }
    write_yaml(out, None, &pipeline)
}

/// The jobs that come before one, of a list whose jobs are named so.
fn needs(job: &Job, all: &[Job], name: impl Fn(&Job) -> String) -> Option<Vec<String>> {
    let needs = job.needs.iter().filter_map(|index| all.get(*index)).map(name);
    (job.needs.len() <= MAX_NEEDS).then(|| needs.collect())
}

impl<'a> PipelineJob<'a> {
    fn of(job: &'a Job, stage: String, template: &'static str) -> Self {
        let variable = |value: &'a str| match value.contains('$') {
            true => Variable::Literal { value, expand: false },
            false => Variable::Plain(value),
        };
        let variables = variables(job).into_iter().map(|(name, value)| (name, variable(value))).collect();
        PipelineJob { stage, extends: Some(template), when: None, needs: None, variables, script: None }
    }
}
