//! The files of a runner of GitHub: outputs of the step, and the summary of the job.
#![allow(clippy::disallowed_methods, reason = "the runner names files on the disk to be written")]

use super::facts::Facts;
use crate::cli::Failure;
use crate::review::Outcome;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// GitHub rejects larger outputs (1 MiB for all of a job).
const MAX_OUTPUT: usize = 400_000;

/// Appends to the file that a variable of the runner names; does nothing if the variable is not set.
///
/// # Errors
/// The file cannot be written.
pub(super) fn append(variable: &str, text: &str) -> Result<(), Failure> {
    let Some(path) = std::env::var_os(variable).filter(|p| !p.is_empty()) else { return Ok(()) };
    let path = Path::new(&path);
    let file = OpenOptions::new().append(true).create(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|e| Failure::Message(format!("cannot write {}: {e}", path.display())))
}

/// The outputs of the step. No value has a line end: revisions are ids, the rest is JSON on one line.
///
/// Also returns the names of the outputs that were too long to be set.
pub(super) fn outputs(facts: &Facts, ended: Option<&Outcome>) -> (String, Vec<&'static str>) {
    let conclusion = match ended {
        Some(Outcome::Fails(_) | Outcome::Changes) => "failure",
        Some(Outcome::Clean) if facts.unresolved > 0 => "incomplete",
        Some(Outcome::Clean) => "success",
        Some(Outcome::InternalError) | None => "error",
    };
    let mut left_out = Vec::new();
    let mut text = String::new();
    let mut set = |name: &'static str, value: &str| {
        let value: String = value.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
        match value.len() <= MAX_OUTPUT {
            true => text.push_str(&format!("{name}={value}\n")),
            false => left_out.push(name),
        }
    };
    set("conclusion", conclusion);
    set("changed", facts.changed);
    set("headline", &facts.headline);
    set("components", &facts.components.to_string());
    set("findings", &facts.counts.iter().sum::<usize>().to_string());
    set("dangers", &facts.counts[0].to_string());
    set("errors", &facts.counts[1].to_string());
    set("warnings", &facts.counts[2].to_string());
    set("base", &facts.base);
    set("head", &facts.head);
    set("unresolved", &facts.unresolved.to_string());
    set("coverage", &facts.coverage);
    set("stacks", &facts.stacks);
    set("matrix", &facts.matrix);
    set("waves", &facts.waves);
    set("has-changes", facts.has_changes);
    set("skipped", &facts.skipped.to_string());
    for (name, path) in &facts.files {
        set(name, &path.to_string_lossy());
    }
    (text, left_out)
}
