//! `stacklint check --fix`: changes files of the worktree so that findings go away, or shows what would change.

use super::open::{Invocation, State};
use super::{Failure, Global, output, reporting};
use crate::diagnostic::Applicability;
use crate::diagnostic::fix::{self, Fixed};
use crate::files::Files;
use crate::report::unified;
use crate::review::{self, Filter, Outcome, Request};
use clap::Args;
use std::io::Write;
use std::sync::Arc;

/// A fix can uncover the next finding; more rounds than this are not made.
const MAX_ROUNDS: usize = 10;

#[derive(Args, Debug)]
#[command(next_help_heading = "Fixes")]
#[group(skip)]
pub(super) struct Options {
    /// Apply safe fixes
    #[arg(long, conflicts_with_all = ["rev", "staged"])]
    pub(super) fix: bool,
    /// Apply also fixes that may not be what was meant
    #[arg(long, conflicts_with_all = ["rev", "staged"])]
    pub(super) unsafe_fixes: bool,
    /// Print the changes of --fix or --unsafe-fixes as a diff, without writing them
    #[arg(long, conflicts_with_all = ["rev", "staged"])]
    pub(super) diff: bool,
}

impl Options {
    /// Whether files are to be changed, or shown as they would be.
    pub(super) fn is_asked(&self) -> bool {
        self.fix || self.unsafe_fixes || self.diff
    }

    fn least(&self) -> Applicability {
        if self.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe }
    }
}

/// Shows what would change (then findings are the outcome if anything would), or changes it.
///
/// # Errors
/// The project cannot be read, or a file cannot be changed.
pub(super) fn run(
    options: &Options,
    judging: &reporting::JudgeOptions,
    place: &Invocation,
    filter: &dyn Fn() -> Result<Filter, review::Error>,
    global: &Global,
) -> Result<Option<Outcome>, Failure> {
    let mut applied = 0;
    for _ in 0..MAX_ROUNDS {
        let (files, fixed) = propose(options, judging, place, filter()?)?;
        if options.diff {
            let mut out = output::stdout();
            for (id, new) in &fixed.texts {
                let file = files.get(*id);
                unified::write(&mut out, &file.path, &file.text, new, output::options(global).color)?;
            }
            out.flush()?;
            output::eprint(&format!("stacklint: would apply {}", count(fixed.applied)));
            let would = || Outcome::Fails(format!("{} would be applied", count(fixed.applied)));
            return Ok(Some(if fixed.texts.is_empty() { Outcome::Clean } else { would() }));
        }
        if fixed.applied == 0 {
            break;
        }
        for (id, new) in &fixed.texts {
            let file = files.get(*id);
            crate::source::replace(place.root(), &file.path, file.text.as_bytes(), new.as_bytes())?;
        }
        applied += fixed.applied;
    }
    output::eprint(&format!("stacklint: applied {}", count(applied)));
    Ok(None)
}

fn count(fixes: usize) -> String {
    if fixes == 1 { "1 fix".to_owned() } else { format!("{fixes} fixes") }
}

/// The fixes of what is reported about the worktree, and its files.
fn propose(
    options: &Options,
    judging: &reporting::JudgeOptions,
    place: &Invocation,
    filter: Filter,
) -> Result<(Arc<Files>, Fixed), Failure> {
    let source = place.open(&State::Worktree)?;
    let overrides = judging.overrides(place)?;
    let request = Request { filter, overrides: &overrides, affected: None };
    let review = review::check(&*source, &place.workspace(), &request)?;
    let fixes = review.findings.iter().filter_map(|f| f.diagnostic.fix.as_ref());
    let fixed = fix::apply(fixes, options.least(), &review.files);
    Ok((review.files, fixed))
}
