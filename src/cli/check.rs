//! `stacklint check`: what is wrong in one state.

use super::open::{self, Place, State};
use super::reporting::{self, Seen};
use super::{Failure, Global, Outcome};
use crate::diagnostic::Side;
use crate::dialects::atmos::Atmos;
use crate::files::Files;
use clap::Args;

/// Report what is wrong in the configuration.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Look at this revision instead of the worktree
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    rev: Option<String>,
    /// Look at what is staged for commit
    #[arg(long)]
    staged: bool,
    #[command(flatten)]
    reporting: reporting::Options,
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
    let load = options.reporting.load(&*source, &place, &files)?;
    let estate = open::resolve(&Atmos::new(), &*source, &place, &files)?;
    let mut side = Side { files: estate.files(), diagnostics: estate.findings };
    side.add_settings(load.findings, load.file.as_ref().map(|f| f.id));
    let seen = Seen { files: &files, head: &*source, comparison: None };
    options.reporting.finish(&seen, &load.settings, (side, None), &place, global)
}
