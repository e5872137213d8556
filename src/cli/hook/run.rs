//! `stacklint hook run`: what a commit brings, told in as few words as possible.

use super::relevance;
use crate::cli::open::{Place, State};
use crate::cli::reporting::Judging;
use crate::cli::{Failure, Global, output};
use crate::report::text;
use crate::review::{self, Demand, Filter, Outcome, Overrides, Request};
use crate::source::{Error, Memory, Source, changed};
use clap::Args;
use std::collections::BTreeMap;
use std::io::Write;

/// How long a commit may wait, in seconds, where the settings do not say (`time` in `[limits]`); far longer without optimization.
const SECONDS: u64 = if cfg!(debug_assertions) { 60 } else { 5 };

/// Judge what is staged: this is what the hook does.
///
/// Compares HEAD with the index, as `stacklint diff --staged` does: only what the commit brings counts, not what was wrong
/// before, and not what lies unstaged in the worktree. The first commit of a branch is compared with nothing. Prints new
/// findings and one line that sums the effects up; nothing if there are neither. A repository without a project is fine.
#[derive(Args, Debug)]
pub(in crate::cli) struct Options {
    /// Show what changes in the components, not only how much
    #[arg(long)]
    diff: bool,
    #[command(flatten)]
    judging: Judging,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let place = Place::find(global)?;
    let head = place.open(&State::Index)?;
    let base: Box<dyn Source> = match place.repository()?.revision("HEAD") {
        Err(Error::Unborn { .. }) => Box::new(Memory::new("nothing", BTreeMap::new())),
        base => base?,
    };
    if !relevance::can_matter(&changed(base.listing(), head.listing()), &*base, &*head) {
        return Ok(Outcome::Clean);
    }
    let overrides = Overrides { seconds: Some(SECONDS), ..options.judging.overrides(&place)? };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let review = match review::compare(&*base, &*head, &place.workspace(), &request) {
        Err(review::Error::NoProject(_)) => return Ok(Outcome::Clean),
        review => review?,
    };
    let has_changes = review.has_changes();
    options.judging.finish(review, &overrides, &place, Demand::Nothing, |report| {
        let how = output::options(global);
        let mut out = output::stdout();
        if options.diff && has_changes {
            text::write(&mut out, report, &how)?;
        } else {
            text::write_brief(&mut out, report, &how)?;
        }
        Ok(out.flush()?)
    })
}
