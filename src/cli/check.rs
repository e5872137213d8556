//! `stacklint check`: the findings of one state.

use super::open::{Invocation, State};
use super::options::functions;
use super::{Failure, Global, fix, reporting};
use crate::review::{self, Completeness, Filter, Outcome, Request};
use clap::Args;
use std::path::PathBuf;

/// Report problems in the configuration of one state.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Report only what these files affect: files, folders or patterns
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only stacks whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    stack: Option<String>,
    /// Only components whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    component: Option<String>,
    /// Analyze this revision instead of the worktree
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    rev: Option<String>,
    /// Analyze what is staged for commit
    #[arg(long)]
    staged: bool,
    #[command(flatten)]
    reporting: reporting::Options<false>,
    #[command(flatten)]
    fixing: fix::Options,
    #[command(flatten)]
    merging: functions::Merging,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let mut place = options.reporting.or_rejected(Invocation::find(global), global)?;
    options.merging.apply(options.reporting.judging.env_files(), &mut place)?;
    place.project.inputs.stack.clone_from(&options.stack);
    let paths = place.all_inside(&options.paths)?;
    let filter =
        || Filter::new(options.stack.as_deref(), options.component.as_deref()).and_then(|f| f.with_paths(&paths));
    if options.fixing.is_asked()
        && let Some(outcome) = fix::run(&options.fixing, &options.reporting.judging, &place, &filter, global)?
    {
        return Ok(outcome);
    }
    let state = match (&options.rev, options.staged) {
        (Some(rev), _) => State::Revision(rev.clone()),
        (None, true) => State::Index,
        (None, false) => place.default_state(),
    };
    let source = place.timings.phase("open", || place.open(&state))?;
    let overrides = options.reporting.judging.overrides(&place)?;
    let request = Request { filter: filter()?, overrides: &overrides, affected: None };
    let review = review::check(&*source, &place.workspace(), &request)?;
    let reporting = &options.reporting;
    reporting
        .judging
        .finish(review, &overrides, &place, Completeness::Any, |report| reporting.write(report, &place, global))
}
