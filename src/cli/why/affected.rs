//! `stacklint why-affected`: why a change makes a component run, or why it does not.

use crate::affected::AffectedOptions;
use crate::cli::diff::Revisions;
use crate::cli::open::Invocation;
use crate::cli::{Failure, Global, output};
use crate::report::jobs::explain;
use crate::report::log::OutputKind;
use crate::review::{self, Completeness, Filter, Outcome, Overrides, Request};
use clap::Args;
use std::io::Write;

/// Show why a change makes a component run, down to the edited lines, or why it needs no run.
///
/// A component that runs only because something runs that it needs leads to the edits of that.
#[derive(Args, Debug)]
pub(in crate::cli) struct Options {
    /// The stack
    #[arg(value_name = "STACK")]
    stack: String,
    /// The component
    #[arg(value_name = "COMPONENT")]
    component: String,
    #[command(flatten)]
    revisions: Revisions,
}

pub(in crate::cli) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let place = Invocation::find(global)?;
    let (base, head) = place.timings.phase("open", || options.revisions.sources(&place))?;
    let overrides = Overrides::default();
    let affected = Some(AffectedOptions { dependents: true, jobs: true, ..AffectedOptions::default() });
    let request = Request { filter: Filter::default(), overrides: &overrides, affected };
    let review = review::compare(&*base, &*head, &place.workspace(), &request)?;
    let Options { stack, component, .. } = options;
    let found = review.comparison.as_ref().and_then(|c| explain::one(&c.affected.jobs, stack, component));
    let Some(text) = found else {
        return Err(Failure::Message(format!("neither revision has a component `{component}` in a stack `{stack}`")));
    };
    let mut out = output::stdout_of(OutputKind::Text);
    out.write_all(text.as_bytes())?;
    out.flush()?;
    // What could not be resolved is a job, and what depends on it may be one.
    let outcome = review.outcome(&Overrides { exit_zero: true, ..overrides }, Completeness::Any);
    global.leftovers.leave(review);
    Ok(outcome)
}
