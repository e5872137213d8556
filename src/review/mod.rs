//! A review: which projects of which revisions are analyzed, what changes, the findings, and the verdict.
//!
//! Every command with a verdict runs [`compare`] or [`check`]; [`resolve`] is for commands that only show the
//! configuration. The callers open sources and write reports; nothing here reads the disk, the clock or the
//! environment.

mod age;
mod align;
mod check;
mod code_run;
mod compare;
pub(crate) mod coverage;
mod examined;
mod expect;
mod filter;
mod fixed;
mod jobs;
mod judge;
mod merge;
mod outcome;
mod pair;
mod paths;
mod reach;
mod rejected;
mod renamed;
mod resolve;
mod selection;
mod session;
mod whole;

pub(crate) use crate::source::CommitInfo;
pub(crate) use age::{DriftAges, History, Since};
pub(crate) use check::check_again;
pub(crate) use coverage::Coverage;
pub(crate) use expect::{Counterexample, Expectation, Open, Proof, Renaming, Subject, Unkept, Verdict};
pub(crate) use filter::Filter;
pub(crate) use judge::{BaselineFile, Overrides, SettingsFrom};
pub(crate) use merge::MergeReview;
pub(crate) use outcome::{Completeness, Outcome};
pub(crate) use pair::ResolvedPair;
pub(crate) use rejected::rejected;
pub(crate) use resolve::{Resolved, make};
pub(crate) use session::Session;
pub(crate) use whole::{check, compare, merge, resolve, resolve_pair};

use crate::affected::{self, Affected};
use crate::code::CodeChange;
use crate::diagnostic::{Finding, Level, RuleRef, Suppressed};
use crate::dialects::{Dialects, Project};
use crate::diff::Diff;
use crate::files::Files;
use crate::limits::Limits;
use crate::resolution::Resolution;
use crate::settings::Settings;
use crate::source::{self, Source};
use crate::text::Text;
use crate::threads;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The data that all reviews of one place share.
pub(crate) struct Workspace<'a> {
    /// Where projects are searched, and their settings from the environment.
    pub project: &'a Project,
    /// The folders whose projects are analyzed, from the root of the repository, if any are named.
    pub folders: &'a [String],
    /// The only system whose projects are analyzed, if one is named.
    pub dialect: Option<&'a str>,
    /// The program around the review.
    pub host: &'a dyn Host,
}

/// The options of a review.
pub(crate) struct Request<'a> {
    /// The components that are compared.
    pub filter: Filter,
    /// Overrides of settings.
    pub overrides: &'a Overrides,
    /// The options of the list of affected components; `None` without such a list.
    pub affected: Option<affected::AffectedOptions>,
}

/// The program around a review: it follows the run.
pub(crate) trait Host {
    fn begin(&self, _phase: &'static str) {}

    /// The phase that began last ends.
    fn end(&self, _phase: &'static str) {}

    /// Called with the limits of work from the settings.
    fn limits(&self, _limits: &Limits) {}
}

/// A program that does not follow a run.
pub(crate) struct NoHost;

impl Host for NoHost {}

/// The result of a review.
pub(crate) struct Review {
    /// The files that findings and causes point into.
    pub files: Arc<Files>,
    /// The state that was analyzed; of two the newer one.
    pub head: Revision,
    /// The comparison, if any.
    pub comparison: Option<Comparison>,
    /// The findings, sorted by file and place; those that the head no longer has come last.
    pub findings: Vec<Finding>,
    /// The findings that comments and the baseline suppress.
    pub suppressed: Vec<Suppressed>,
    /// The rules that are on, sorted by id, with the level of their findings.
    pub rules: Vec<(RuleRef, Level)>,
    /// The settings in force.
    pub settings: Settings,
    /// The paths of files of the head that could not be read, though the rest was analyzed.
    pub unreadable: Vec<String>,
    /// Whether a part of the work failed because of a defect of stacklint.
    pub has_defect: bool,
    /// What was analyzed, and what could not be resolved.
    pub coverage: Coverage,
    /// The resolutions, kept so that their owner decides when they are dropped.
    resolved: (Arc<Dialects>, Vec<Resolution>),
}

/// Two states compared.
pub(crate) struct Comparison {
    /// The older state.
    pub base: Revision,
    /// The changes of all projects together.
    pub diff: Diff,
    /// The changes of each project, in the order of the coverage; empty if there is only one.
    pub parts: Vec<Diff>,
    /// The changes of the code that components run.
    pub code: Vec<CodeChange>,
    /// The components that the change affects, if requested.
    pub affected: Affected,
    /// The protected stacks in which something differs, sorted.
    pub protected: Vec<Text>,
    /// Whether the change does what is expected, if that is asked.
    pub proof: Option<Proof>,
}

impl Comparison {
    fn new(base: Revision, mut diffs: Vec<Diff>, coverage: &Coverage) -> Self {
        if diffs.len() == 1 {
            let diff = diffs.pop().unwrap_or_default();
            let (affected, protected) = (Affected::default(), Vec::new());
            return Comparison { base, diff, parts: Vec::new(), code: Vec::new(), affected, protected, proof: None };
        }
        let mut diff = Diff::default();
        for (part, project) in diffs.iter_mut().zip(&coverage.projects) {
            // What projects share changes once.
            part.retain(|change| !diff.components.iter().any(|known| known.is_same(change)));
            part.locals.retain(|local| !diff.locals.contains(local));
            let name = coverage.name(project);
            for component in &mut part.components {
                component.project = Text::from(name.as_str());
            }
            diff.extend_components(part);
            diff.locals.extend(part.locals.iter().cloned());
            diff.unresolved.extend(part.unresolved.iter().map(|part| format!("{name}: {part}")));
            diff.removed_stacks.extend(part.removed_stacks.iter().cloned());
        }
        let (affected, protected) = (Affected::default(), Vec::new());
        Comparison { base, diff, parts: diffs, code: Vec::new(), affected, protected, proof: None }
    }

    /// The stacks in which something differs and that settings protect, sorted.
    fn protected_stacks(&self, settings: &Settings) -> Vec<Text> {
        let globs = &settings.limits.protected;
        let changed: BTreeSet<&Text> = self.diff.components.iter().map(|change| change.deployed_stack()).collect();
        changed.into_iter().filter(|stack| globs.iter().any(|glob| glob.matches(stack))).cloned().collect()
    }
}

/// One side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Revision {
    /// As the user named it, or `index` or `worktree`.
    pub rev: String,
    /// The id of the commit; `None` for the index and the worktree.
    pub commit: Option<String>,
}

impl Revision {
    pub(crate) fn of(source: &dyn Source) -> Self {
        Revision { rev: source.name().to_owned(), commit: source.commit() }
    }
}

/// Why there is no review.
#[derive(Debug)]
pub(crate) enum Error {
    /// There is nothing to analyze; a message for the user.
    NoProject(String),
    /// An argument cannot be used; a message for the user.
    Message(String),
    /// The review was canceled.
    Canceled,
}

impl From<source::Error> for Error {
    fn from(error: source::Error) -> Self {
        Error::Message(error.to_string())
    }
}

impl Review {
    /// Drops the review, most of it in the background: freeing a large one takes a noticeable part of an analysis.
    pub(crate) fn drop_in_background(self) {
        let units: Vec<_> = self.heads().into_iter().flat_map(|resolution| resolution.units.clone()).collect();
        drop(self);
        threads::drop_in_background(units, |unit| unit.thread);
    }

    /// The resolutions of the projects in the analyzed state, or the newer one of two, without findings.
    pub(crate) fn heads(&self) -> Vec<&Resolution> {
        let is_pair = self.comparison.is_some();
        self.resolved.1.iter().skip(usize::from(is_pair)).step_by(1 + usize::from(is_pair)).collect()
    }

    /// The same of the state that it was compared with.
    pub(crate) fn bases(&self) -> Vec<&Resolution> {
        if self.comparison.is_none() { Vec::new() } else { self.resolved.1.iter().step_by(2).collect() }
    }

    /// Whether an effective change was found.
    pub(crate) fn has_changes(&self) -> bool {
        self.comparison.as_ref().is_some_and(|c| !c.diff.components.is_empty() || !c.code.is_empty())
    }

    /// Whether the list of affected components may lack some, because something could not be resolved.
    pub(crate) fn is_list_incomplete(&self) -> bool {
        self.comparison.as_ref().is_some_and(|c| !c.affected.unresolved.is_empty())
    }
}

/// Runs a phase, and returns its result.
fn phase<T>(host: &dyn Host, name: &'static str, run: impl FnOnce() -> T) -> T {
    host.begin(name);
    let result = run();
    host.end(name);
    result
}

#[cfg(test)]
mod tests;
