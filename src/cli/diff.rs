//! `stacklint diff`: what changes, and which line causes it.

use super::open::{Invocation, State};
use super::options::functions;
use super::{Failure, Global, reporting};
use crate::report::jobs::explain;
use crate::review::{self, Filter, Outcome, Overrides, Request};
use crate::source::{Memory, Source, Spec, beside};
use clap::Args;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Show how the configuration of every component changes between two states.
///
/// REVISIONS is `A..B`, `A B` (the same), `A...B` (from the merge base of both), `A^!` (what a commit changes), or one revision,
/// which is compared with the worktree. Without it, HEAD is compared with the worktree. `-- PATH…` limits the report to what these files affect.
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(flatten)]
    revisions: Revisions,
    /// Only stacks whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    stack: Option<String>,
    /// Only components whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    component: Option<String>,
    /// Report only what these files affect: files, folders or patterns, behind `--`
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Exit with 3 if there are effective changes and no findings
    #[arg(long)]
    exit_code: bool,
    /// Prove that the change has no effect (`none`), changes addresses that keep their state (`moves`), or has effects only in stacks
    /// and components that match (`only=GLOB`): exit with 0 if that is proved, with 3 if it is refuted, with 1 if it is not provable
    #[arg(long, value_name = "WHAT", value_parser = review::Expectation::parse)]
    expect: Option<review::Expectation>,
    /// List everything that the newer state has, as if all of it were new
    #[arg(long)]
    everything: bool,
    #[command(flatten)]
    affected: super::affected::Options,
    #[command(flatten)]
    reporting: reporting::Options<true>,
    #[command(flatten)]
    merging: functions::Merging,
}

/// The two states that are compared.
#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct Revisions {
    /// The revisions to compare
    #[arg(value_name = "REVISIONS")]
    revisions: Option<String>,
    /// The newer revision, if the first argument names only the older one
    #[arg(value_name = "REVISION")]
    newer: Option<String>,
    /// Compare with what is staged for commit
    #[arg(long, conflicts_with = "worktree")]
    staged: bool,
    /// Compare with the worktree
    #[arg(long)]
    worktree: bool,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let mut place = options.reporting.or_rejected(Invocation::find(global), global)?;
    options.merging.apply(options.reporting.judging.env_files(), &mut place)?;
    place.project.inputs.stack.clone_from(&options.stack);
    run_at(&place, options, global)
}

/// Runs the command in a place.
pub(super) fn run_at(place: &Invocation, options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let (base, head) = place.timings.phase("open", || options.revisions.sources(place))?;
    let base = if options.everything { beside(Box::new(nothing()), &*head) } else { base };
    let filter = Filter::new(options.stack.as_deref(), options.component.as_deref())?;
    let filter = filter.with_paths(&place.all_inside(&options.paths)?)?;
    let judging = &options.reporting.judging;
    let overrides = Overrides { expect: options.expect.clone(), ..judging.overrides(place)? };
    let (any_list, only_lists) = options.reporting.lists_affected();
    let has_jobs = options.reporting.has_jobs();
    let affected = (any_list || options.affected.explain).then(|| options.affected.options(has_jobs));
    let request = Request { filter, overrides: &overrides, affected };
    let review = review::compare(&*base, &*head, &place.workspace(), &request)?;
    let has_changes = review.has_changes();
    let is_whole = review.coverage.is_whole() && !review.coverage.has_empty_project();
    let is_resolved = review.coverage.is_resolved() && !review.coverage.has_empty_project();
    let incomplete = review.is_list_incomplete() || any_list && !is_resolved;
    for affected in review.comparison.iter().map(|comparison| &comparison.affected) {
        for note in affected.notes.iter().chain(&affected.unresolved) {
            super::output::eprint(&format!("stacklint: affected components: {note}"));
        }
    }
    let demand = options.reporting.demand();
    let outcome = judging.finish(review, &overrides, place, demand, |report| {
        options.reporting.write(report, place, global)?;
        if let Some(comparison) = report.comparison.filter(|_| options.affected.explain) {
            super::output::eprint(explain::text(comparison.jobs, options.reporting.shows_all()).trim_end());
        }
        Ok(())
    })?;
    Ok(match outcome {
        // A list of what to deploy fails if it may lack something, not for what rules find.
        Outcome::Fails(_) if only_lists && !incomplete => Outcome::Clean,
        Outcome::Clean if incomplete && !overrides.exit_zero => {
            Outcome::Fails("the list of affected components may lack some".to_owned())
        }
        Outcome::Clean if options.exit_code && has_changes => Outcome::Changes,
        Outcome::Clean if options.exit_code && !is_whole => {
            Outcome::Fails("what could not be resolved may differ".to_owned())
        }
        outcome => outcome,
    })
}

/// A state without any file.
fn nothing() -> Memory {
    Memory::new("nothing", BTreeMap::new())
}

impl Revisions {
    /// The revisions that are meant, as one text.
    fn text(&self) -> Result<Cow<'_, str>, Failure> {
        match (self.revisions.as_deref(), self.newer.as_deref()) {
            (Some(older), Some(newer)) if is_range(older) || is_range(newer) => {
                let range = if is_range(older) { older } else { newer };
                Err(Failure::Message(format!("`{range}` is a range with both sides: remove the other revision")))
            }
            (Some(older), Some(newer)) => Ok(format!("{older}..{newer}").into()),
            (one, _) => Ok(one.unwrap_or("HEAD").into()),
        }
    }

    /// The two states that are meant.
    pub(super) fn sources(&self, place: &Invocation) -> Result<Sides, Failure> {
        let repository = place.repository()?;
        let text = &*self.text()?;
        if is_range(text) {
            if self.staged || self.worktree {
                return Err(Failure::Message(format!(
                    "`{text}` is a range with both sides: remove --staged and --worktree"
                )));
            }
            let range = repository.range(text)?;
            return Ok((repository.at(&range.base)?, repository.at(&range.head)?));
        }
        let head = if self.staged { State::Index } else { State::Worktree };
        if self.revisions.is_none()
            && let Some(nothing) = repository.before_first_commit()
        {
            let head = place.open(&head)?;
            return Ok((beside(nothing, &*head), head));
        }
        let head = place.open(&head)?;
        Ok((beside(repository.revision(text)?, &*head), head))
    }
}

fn is_range(text: &str) -> bool {
    Spec::parse(text).is_range()
}

/// Base and head.
type Sides = (Box<dyn Source>, Box<dyn Source>);
