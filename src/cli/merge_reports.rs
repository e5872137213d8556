//! `stacklint merge-reports`: the report of a whole check, from those of its shards.
#![allow(clippy::disallowed_methods, reason = "the reports that the user names are files on the disk")]

use super::reporting::FailOnName;
use super::{Failure, Outcome, output};
use crate::dialects::Dialects;
use crate::report::log::OutputKind;
use crate::report::merge::{Source, merge};
use clap::{Args, ValueHint};
use std::io::Write;
use std::path::PathBuf;

/// Combine the reports of all runs of `check --shard` into one.
///
/// The reports are of the format `json`, or all of the format `sarif`. The exit code is that of one `check` with all of their
/// findings. It is an error if a shard is missing, or if reports are of different revisions, versions or options.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// The reports, one of each shard
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Write the report to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Exit with 1 from this severity on [default: what the shards were told]
    #[arg(long, value_name = "LEVEL")]
    fail_on: Option<FailOnName>,
}

pub(super) fn run(options: &Options) -> Result<Outcome, Failure> {
    let read = |path: &PathBuf| {
        let text = crate::source::read_named(path);
        text.map_err(|e| Failure::Message(format!("cannot read the report {}: {e}", path.display())))
    };
    let texts = options.files.iter().map(read).collect::<Result<Vec<String>, Failure>>()?;
    let names: Vec<String> = options.files.iter().map(|path| path.display().to_string()).collect();
    let sources: Vec<Source<'_>> = names.iter().zip(&texts).map(|(name, text)| Source { name, text }).collect();
    let merged = merge(&sources, &Dialects::names()).map_err(Failure::Message)?;
    match &options.out {
        None => {
            let mut out = output::stdout_of(OutputKind::Raw);
            merged.write(&mut out)?;
            out.flush()?;
        }
        Some(path) => {
            let mut text = Vec::new();
            merged.write(&mut text)?;
            let written = crate::source::write_file(path, &text);
            written.map_err(|e| Failure::Message(format!("cannot write {}: {e}", path.display())))?;
        }
    }
    output::eprint(&format!("stacklint: {}", merged.summary()));
    Ok(merged.outcome(options.fail_on.map(FailOnName::level)))
}
