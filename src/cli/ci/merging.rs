//! The merge that a change becomes, where its target has moved: checked beside the change itself.

use super::detect::Job;
use super::range;
use crate::cli::merge::Versions;
use crate::cli::open::Invocation;
use crate::cli::reporting::JudgeOptions;
use crate::cli::{Failure, Outcome};
use crate::report::RenderOptions;
use crate::report::merged::{markdown, text};
use crate::source::Merged;

/// What was found about a merge.
pub(super) struct CheckedMerge {
    pub(super) outcome: Outcome,
    /// The report for a log.
    pub(super) text: Vec<u8>,
    /// The report for a comment.
    pub(super) markdown: Vec<u8>,
}

/// Checks the merge of a job; `None` if the target has not moved, or the clone lacks its history.
///
/// # Errors
/// The merge cannot be made or judged.
pub(super) fn check(
    job: &Job,
    place: &Invocation,
    judging: &JudgeOptions,
    style: &RenderOptions,
) -> Result<Option<CheckedMerge>, Failure> {
    let repository = place.repository()?;
    let Some(([base, ours, theirs], result)) = range::merge(job, repository) else { return Ok(None) };
    let merged = match &result {
        Some(result) => Merged::Tree(repository.at(result)?),
        None => repository.merge(None, &ours, &theirs)?,
    };
    let sources = [repository.at(&base)?, repository.at(&ours)?, repository.at(&theirs)?];
    let (mut plain, mut comment) = (Vec::new(), Vec::new());
    let outcome = Versions { sources, merged }.judge(place, judging, &judging.overrides(place)?, &mut |report| {
        text::write(&mut plain, report, style)?;
        markdown::write(&mut comment, report, &RenderOptions { color: false, ..*style })?;
        Ok(())
    })?;
    Ok(Some(CheckedMerge { outcome, text: plain, markdown: comment }))
}
