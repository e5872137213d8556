//! `stacklint merge`: the effects that a merge has and neither side had.

use super::open::Invocation;
use super::options::functions;
use super::output::{self, AnswerFormat};
use super::reporting::JudgeOptions;
use super::{Failure, Global, Outcome};
use crate::report::merged::{MergeReport, Shown, effects, json, markdown, text};
use crate::review::{self, Completeness, Filter, MergeReview, Overrides, Request, Revision};
use crate::settings::FailOn;
use crate::source::{Merged, Source};
use clap::Args;

/// Check what a merge of two revisions does that neither of them does: values that nobody has seen, changes that get lost,
/// values that both change, stacks and findings that only the merge breaks.
///
/// The merge of THEIRS into OURS is made in memory, as `git merge` would make it. Exits with 0 if the revisions are independent;
/// findings count from `--fail-on` on, which is `warning` here.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// The revision that is merged into, for example the target branch
    #[arg(value_name = "OURS")]
    ours: String,
    /// The revision that is merged
    #[arg(value_name = "THEIRS")]
    theirs: String,
    /// The revision that both started from [default: their merge base]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// A finished merge to check, instead of one made in memory
    #[arg(long, value_name = "REV")]
    result: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: AnswerFormat,
    /// Show all values
    #[arg(long)]
    all: bool,
    /// Show values of keys that look like secrets
    #[arg(long)]
    show_secrets: bool,
    #[command(flatten)]
    judging: JudgeOptions,
    #[command(flatten)]
    merging: functions::Merging,
}

/// The versions of a merge.
pub(super) struct Versions {
    /// The merge base, our side and their side.
    pub(super) sources: [Box<dyn Source>; 3],
    pub(super) merged: Merged,
}

impl Versions {
    /// Judges the merge, and lets `write` write what was found.
    ///
    /// # Errors
    /// It cannot be judged, or what `write` says.
    pub(super) fn judge(
        self,
        place: &Invocation,
        judging: &JudgeOptions,
        overrides: &Overrides,
        write: &mut dyn FnMut(&MergeReport<'_>) -> Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let Versions { sources: [base, ours, theirs], merged } = self;
        let merged = match merged {
            Merged::Conflicts(conflicts) => {
                let versions = [&base, &ours, &theirs].map(|source| Revision::of(&**source));
                write(&MergeReport { versions: versions.each_ref(), shown: Shown::Conflicts(&conflicts) })?;
                let number = crate::text::count(conflicts.len(), "file");
                return Ok(match overrides.exit_zero {
                    true => Outcome::Clean,
                    false => Outcome::Fails(format!("the merge has conflicts in {number}")),
                });
            }
            Merged::Tree(merged) => merged,
        };
        let request = Request { filter: Filter::default(), overrides, affected: None };
        let found = review::merge([&*base, &*ours, &*theirs, &*merged], &place.workspace(), &request)?;
        let MergeReview { versions, review, projects } = found;
        let effects = effects(&projects);
        let outcome = judging.finish(review, overrides, place, Completeness::EachProject, |report| {
            let shown = Shown::Merged { projects: &projects, report: Box::new(*report) };
            write(&MergeReport { versions: versions.each_ref(), shown })
        })?;
        Ok(match (outcome, effects) {
            (Outcome::Clean, Some(effects)) if !overrides.exit_zero => Outcome::Fails(effects),
            (Outcome::Fails(findings), Some(effects)) => Outcome::Fails(format!("{effects}; {findings}")),
            (outcome, _) => outcome,
        })
    }
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let mut place = Invocation::find(global)?;
    options.merging.apply(options.judging.env_files(), &mut place)?;
    let versions = place.timings.phase("open", || options.versions(&place))?;
    let mut overrides = options.judging.overrides(&place)?;
    // Sides are independent only if the merge has no finding of its own.
    overrides.fail_on.get_or_insert(FailOn::Warning);
    versions.judge(&place, &options.judging, &overrides, &mut |report| options.write(report, global))
}

impl Options {
    fn versions(&self, place: &Invocation) -> Result<Versions, Failure> {
        let repository = place.repository()?;
        let (ours, theirs) = (repository.resolve(&self.ours)?, repository.resolve(&self.theirs)?);
        let named = self.base.as_ref().map(|base| repository.resolve(base)).transpose()?;
        let base = named.as_ref().map_or_else(|| repository.merge_base(&ours, &theirs), |base| Ok(base.clone()))?;
        let merged = match &self.result {
            Some(result) => Merged::Tree(repository.revision(result)?),
            None => repository.merge(named.as_ref(), &ours, &theirs)?,
        };
        Ok(Versions { sources: [repository.at(&base)?, repository.at(&ours)?, repository.at(&theirs)?], merged })
    }

    fn write(&self, report: &MergeReport<'_>, global: &Global) -> Result<(), Failure> {
        output::answer(self.format, (self.all, self.show_secrets), global, &mut |out, style| match self.format {
            AnswerFormat::Json => json::write(out, report),
            AnswerFormat::Text => text::write(out, report, style),
            AnswerFormat::Markdown => markdown::write(out, report, style),
        })
    }
}
