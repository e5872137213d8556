//! What a pipeline runs for a change ([`crate::affected`]): a file for each tool that reads it. None of them knows a system: all print
//! the same [`Jobs`].

pub(super) mod affected;
pub(super) mod atlantis;
pub(super) mod buildkite;
pub(super) mod digger;
pub(crate) mod explain;
pub(super) mod gitlab_child;
pub(super) mod spacelift;
pub(crate) mod waves;

pub(super) use affected::FILTER;

use super::Report;
use crate::affected::jobs::{Job, Jobs};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The jobs of a report; none without a comparison.
fn jobs<'a>(report: &Report<'a>) -> Option<&'a Jobs> {
    report.comparison.map(|comparison| comparison.jobs)
}

/// Writes YAML, behind a comment that names what the change removes: a file of what to run has no place for it.
fn write_yaml(out: &mut dyn Write, jobs: Option<&Jobs>, file: &impl Serialize) -> io::Result<()> {
    for job in jobs.iter().flat_map(|jobs| &jobs.destroy) {
        writeln!(out, "# removed, and not destroyed by this: {}", job.name)?;
    }
    out.write_all(yaml_serde::to_string(file).map_err(io::Error::other)?.as_bytes())
}

/// The folder that a tool runs in, as it names that.
fn folder(job: &Job) -> &str {
    if job.folder.is_empty() { "." } else { &job.folder }
}

/// The names of the jobs that come before one in a list.
fn needs<'a>(job: &Job, all: &'a [Job]) -> Vec<&'a str> {
    job.needs.iter().filter_map(|index| all.get(*index)).map(|needed| &*needed.name).collect()
}

/// The variables that tell a script which job it is.
fn variables(job: &Job) -> BTreeMap<&'static str, &str> {
    let workspace = job.workspace.as_deref().map(|workspace| ("WORKSPACE", workspace));
    let always = [
        ("STACK", &*job.stack),
        ("COMPONENT", &*job.component),
        ("COMPONENT_TYPE", &*job.component_type),
        ("FOLDER", folder(job)),
        ("JOB", &*job.name),
    ];
    always.into_iter().chain(workspace).collect()
}

/// The patterns of what a job reads, seen from its folder.
fn reads(job: &Job) -> Vec<String> {
    job.reads.iter().map(|pattern| seen_from(&job.folder, pattern)).collect()
}

/// A pattern from the root of the repository as a tool needs it that looks from a folder.
fn seen_from(folder: &str, pattern: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = pattern.split('/').collect();
    // The last part of a pattern is no folder.
    let shared = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(from.len() - shared);
    let start = if up.is_empty() { "./" } else { &up };
    format!("{start}{}", to[shared..].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_seen_from_folders() {
        for (folder, pattern, expected) in [
            ("", "stacks/dev.yaml", "./stacks/dev.yaml"),
            ("a/b", "a/b/**", "./**"),
            ("a/b", "a/b", "../b"),
            ("a/b", "a/c/*.tf*", "../c/*.tf*"),
            ("a/b", "**", "../../**"),
            ("a", "ab/x", "../ab/x"),
        ] {
            assert_eq!(seen_from(folder, pattern), expected, "{pattern} from {folder}");
        }
    }

    #[test]
    fn a_wave_has_at_most_256_jobs() {
        let job =
            |number: usize| Job { name: format!("j{number}"), wave: usize::from(number >= 300), ..Job::default() };
        let jobs: Vec<Job> = (0..301).map(job).collect();
        let sizes: Vec<usize> = waves::matrices(&jobs).iter().map(waves::Matrix::len).collect();
        assert_eq!(sizes, [256, 44, 1]);
    }
}
