//! `stacklint check`: what is wrong in one state.

use super::open::{self, Place, State};
use super::reporting::{self, Judging, Seen, Sink};
use super::{Failure, Global, Outcome, fix, functions};
use crate::files::Files;
use crate::source::Source;
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
    #[command(flatten)]
    fixing: fix::Options,
    #[command(flatten)]
    merging: functions::Merging,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let mut place = Place::find(global)?;
    options.merging.apply(options.reporting.judging.env_files(), &mut place)?;
    if options.fixing.is_asked()
        && let Some(outcome) = fix::run(&options.fixing, &options.reporting, &place, global)?
    {
        return Ok(outcome);
    }
    let state = match (&options.rev, options.staged) {
        (Some(rev), _) => State::Revision(rev.clone()),
        (None, true) => State::Index,
        (None, false) => place.default_state(),
    };
    let source = place.timings.phase("open", || place.open(&state))?;
    look(&*source, &place, &options.reporting.judging, &mut |report| options.reporting.write(report, global))
}

/// Examines one state.
///
/// # Errors
/// There is no project in it, or it cannot be judged or written.
pub(super) fn look(source: &dyn Source, place: &Place, judging: &Judging, write: Sink<'_>) -> Result<Outcome, Failure> {
    let files = Files::default();
    let load = judging.load(source, place, &files)?;
    let resolution = open::resolve(source, place, &load.settings, &files)?;
    let side = place.timings.phase("rules", || reporting::side(resolution, &load, source, &files, place));
    let seen = Seen { files: &files, head: source, comparison: None };
    judging.finish(&seen, &load.settings, (side, None), place, write)
}
