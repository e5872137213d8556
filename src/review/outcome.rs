//! How a review ends, and why.

use super::coverage::{Lacking, Unresolved};
use super::{Expectation, Overrides, Review};
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diagnostic::{Diagnostic, Finding, Group, Level};
use crate::rules::has_check;
use crate::settings::FailOn;
use crate::text::{Text, count};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// More names than this are counted.
const MAX_NAMES: usize = 3;

/// The verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to report.
    Clean,
    /// The run fails: why, as a clause without a full stop. It is the last line of the output, whatever the format.
    Fails(String),
    /// Effective changes, and nothing that fails the run.
    Changes,
    /// A part of the work failed because of a defect of stacklint, which is among the findings.
    InternalError,
}

/// How much must have been resolved for a run to pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Completeness {
    /// Whatever could be resolved before need only be resolved again.
    Any,
    /// Something of every project.
    #[default]
    EachProject,
    /// Everything, on all sides.
    All,
}

impl Review {
    /// The verdict on what is reported.
    pub(crate) fn outcome(&self, overrides: &Overrides, demand: Completeness) -> Outcome {
        if self.has_defect {
            return Outcome::InternalError;
        }
        if let Some(proof) = self.comparison.as_ref().and_then(|comparison| comparison.proof.as_ref())
            && overrides.fail_on.is_none()
        {
            return if overrides.exit_zero { Outcome::Clean } else { proof.outcome() };
        }
        let demand = if self.settings.strict.value { Completeness::All } else { demand };
        let mut reasons: Vec<String> = self.lost().into_iter().chain(self.lacking(demand)).collect();
        reasons.extend(self.failing());
        match reasons.is_empty() || overrides.exit_zero {
            true => Outcome::Clean,
            false => Outcome::Fails(reasons.join("; ")),
        }
    }

    /// What resolves no longer, or is new and does not resolve: that fails a comparison whatever is reported of the cause, which
    /// may be known for long, off or suppressed. Only a run that nothing fails passes.
    fn lost(&self) -> Option<String> {
        self.comparison.as_ref().filter(|_| self.settings.fail_on.value != FailOn::Never)?;
        let lacking = self.coverage.lacking();
        let lost =
            lacking.iter().filter(|(which, one)| *which == Lacking::Head && !one.is_partial).map(|(_, one)| *one);
        let is_edited = |(which, one): &&(Lacking, &Unresolved)| match which {
            Lacking::Head => one.is_partial,
            Lacking::Both => one.is_edited,
            Lacking::Base => false,
        };
        let edited = lacking.iter().filter(is_edited).map(|(_, one)| *one);
        let lost = named(lost, ["does not resolve", "do not resolve"]);
        let edited = named(edited, ["may change in what is not known", "may change in what is not known"]);
        lost.into_iter().chain(edited).reduce(|all, one| format!("{all}; {one}"))
    }

    /// What is missing for what is asked.
    fn lacking(&self, demand: Completeness) -> Option<String> {
        if demand >= Completeness::EachProject && self.coverage.has_empty_project() {
            let empty = self.coverage.empty_projects().next();
            let place = empty.filter(|p| p.path != ".").map_or_else(String::new, |p| format!(" of {}", p.path));
            return Some(format!("no stack{place} could be analyzed"));
        }
        if demand < Completeness::All || self.coverage.is_whole() {
            return None;
        }
        let lacking = self.coverage.lacking();
        let known = lacking.iter().filter(|(which, _)| *which != Lacking::Head || self.comparison.is_none());
        named(known.map(|(_, one)| *one), ["is not resolved", "are not resolved"])
    }

    /// Where the newer state alone has what the deployment tool rejects, but for stacks in which that is expected: what it would make
    /// of the rest is not known.
    pub(super) fn rejected(&self, expectation: &Expectation) -> impl Iterator<Item = String> {
        let is_expected =
            |stacks: &[Text]| !stacks.is_empty() && stacks.iter().all(|one| expectation.allows_stack(one));
        let is_rejected = move |finding: &&Finding| {
            let Diagnostic { rule, stacks, .. } = &finding.diagnostic;
            let is_error = rule.group == Group::Correctness && rule.default_level() == Some(Level::Error);
            // Checks look further than a comparison resolves.
            is_error && !has_check(rule) && finding.counts() && !is_expected(stacks)
        };
        self.findings.iter().filter(is_rejected).map(|finding| self.place(finding))
    }

    /// `main.tf:3`
    fn place(&self, finding: &Finding) -> String {
        let file = self.files.get(finding.diagnostic.primary.file);
        format!("{}:{}", file.path, file.line(finding.diagnostic.primary.start))
    }

    /// The findings that fail the run.
    fn failing(&self) -> Option<String> {
        let settings = &self.settings;
        let fails = |f: &&Finding| {
            // An unknown value is not a mistake, so it fails the run only on request; but no change silences other findings.
            let is_incomplete = f.diagnostic.rule == &INCOMPLETE_ANALYSIS;
            let silences =
                f.diagnostic.withholds && self.comparison.is_some() && settings.fail_on.value != FailOn::Never;
            let counts = match is_incomplete {
                true => settings.strict.value || silences,
                false => settings.fail_on.value.fails(f.level),
            };
            f.counts() && counts
        };
        let mut failing: Vec<&Finding> = self.findings.iter().filter(fails).collect();
        failing.sort_by_key(|finding| Reverse(finding.level));
        let first = failing.first()?;
        let new = if self.comparison.is_some() { "new " } else { "" };
        let place = self.place(first);
        let more = if failing.len() > 1 { format!(" and {} more", failing.len() - 1) } else { String::new() };
        let number = count(failing.len(), &format!("{new}finding"));
        Some(format!("{number}: {} in {place}{more}", first.diagnostic.rule.id()))
    }
}

/// `2 parts are not resolved: vpc in dev, prod`, each name once; `None` if there are none.
fn named<'a>(parts: impl Iterator<Item = &'a Unresolved>, [one, several]: [&str; 2]) -> Option<String> {
    let names: BTreeSet<String> = parts.map(Unresolved::name).collect();
    let mut shown: Vec<String> = names.iter().take(MAX_NAMES).cloned().collect();
    match names.len() {
        0 => return None,
        1 => return Some(format!("{} {one}", shown.concat())),
        n if n > MAX_NAMES => shown.push(format!("… {} more", n - MAX_NAMES)),
        _ => {}
    }
    Some(format!("{} {several}: {}", count(names.len(), "part"), shown.join(", ")))
}
