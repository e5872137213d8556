//! `stacklint check`: what is wrong in one state.

use super::open::{self, Place, State};
use super::{FailOn, Failure, Global, Outcome, output};
use crate::dialects::atmos::Atmos;
use crate::files::Files;
use crate::report::{Finding, json, text};
use clap::{Args, ValueEnum};
use std::io::Write;

/// Report what is wrong in the configuration.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Look at this revision instead of the worktree
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    rev: Option<String>,
    /// Look at what is staged for commit
    #[arg(long)]
    staged: bool,
    /// How to print the findings
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Exit with 1 from this severity on
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    fail_on: FailOn,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let place = Place::find(global)?;
    let state = match (&options.rev, options.staged) {
        (Some(rev), _) => State::Revision(rev.clone()),
        (None, true) => State::Index,
        (None, false) => place.default_state(),
    };
    let source = place.open(&state)?;
    let files = Files::default();
    let estate = open::resolve(&Atmos::new(), &*source, &place, &files)?;
    let findings: Vec<Finding<'_>> = estate.findings.iter().map(open::finding).collect();
    let mut out = output::stdout();
    match options.format {
        Format::Text => text::write_findings(&mut out, &findings, &files, &output::text_options(global))?,
        Format::Json => json::write_check(&mut out, &findings, &files)?,
    }
    out.flush()?;
    let failed = findings.iter().any(|f| options.fail_on.fails(f.level));
    Ok(if failed { Outcome::Findings } else { Outcome::Clean })
}
