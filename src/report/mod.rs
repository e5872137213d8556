//! Reports for users and programs: one format per file, pure functions from a [`Report`] to bytes.

pub(crate) mod answers;
pub(crate) mod catalogue;
pub(crate) mod concise;
pub(crate) mod coverage;
pub(crate) mod describe;
pub(crate) mod environments;
pub(crate) mod github;
pub(crate) mod gitlab;
mod headline;
mod indented_json;
pub(crate) mod jobs;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod links;
pub(crate) mod locals;
pub(crate) mod log;
pub(crate) mod markdown;
pub(crate) mod merged;
pub(crate) mod page;
pub(crate) mod proof;
pub(crate) mod rdjson;
pub(crate) mod sarif;
mod secrets;
mod subjects;
pub(crate) mod text;
pub(crate) mod unified;

pub(crate) use crate::diagnostic::{Finding, Novelty, Suppressed};
pub(crate) use crate::review::Revision;

use crate::affected::Item;
use crate::affected::jobs::Jobs;
use crate::code::CodeChange;
use crate::diagnostic::Level;
use crate::diagnostic::RuleRef;
use crate::diff::Diff;
use crate::files::Files;
use crate::review::{Coverage, Proof, Review};
use crate::text::Text;
use std::io::{self, Write as _};

/// Everything that a run reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report<'a> {
    /// The files that findings and causes point into.
    pub files: &'a Files,
    /// The findings, sorted by file and place; those that the head no longer has come last.
    pub findings: &'a [Finding],
    /// The findings that comments and the baseline suppress.
    pub suppressed: &'a [Suppressed],
    /// The state that was examined; of two the newer one.
    pub head: &'a Revision,
    /// The comparison, if two states are compared.
    pub comparison: Option<Comparison<'a>>,
    /// The rules that are on, sorted by id, with the level of their findings.
    pub rules: &'a [(RuleRef, Level)],
    /// The web address of the repository, from its remote, without credentials.
    pub remote: Option<&'a str>,
    /// What was analyzed, and what could not be resolved.
    pub coverage: &'a Coverage,
    /// Files that stacklint could not read, although the rest is reported.
    pub unreadable: &'a [String],
}

/// Two states compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison<'a> {
    /// The older state.
    pub base: &'a Revision,
    /// The changes of all projects together.
    pub diff: &'a Diff,
    /// The changes of each project, in the order of the coverage; empty if there is only one.
    pub parts: &'a [Diff],
    /// The code that differs.
    pub code: &'a [CodeChange],
    /// The components that the change affects; empty unless a format needs them.
    pub affected: &'a [Item],
    /// What a pipeline runs for the change; empty unless a format needs it.
    pub jobs: &'a Jobs,
    /// The protected stacks in which something differs, sorted.
    pub protected: &'a [Text],
    /// Whether the change does what is expected, if that is asked.
    pub proof: Option<&'a Proof>,
}

#[cfg(test)]
impl<'a> Comparison<'a> {
    /// A comparison of the configuration of one project.
    pub(crate) fn new(base: &'a Revision, diff: &'a Diff) -> Self {
        static NONE: Jobs = Jobs { run: Vec::new(), destroy: Vec::new(), skipped: Vec::new() };
        Comparison { base, diff, parts: &[], code: &[], affected: &[], jobs: &NONE, protected: &[], proof: None }
    }
}

/// How a report is written. Formats for machines use only what concerns them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenderOptions {
    /// Whether to color it.
    pub color: bool,
    /// The columns of the terminal.
    pub width: usize,
    /// Whether to write everything in full: all components, whole values.
    pub all: bool,
    /// Whether to show values that look like secrets.
    pub show_secrets: bool,
    /// The maximum number of lines of text; longer output is shortened, and says so. `None` for no limit.
    pub lines: Option<usize>,
    /// How much of a report is written as text.
    pub detail: Detail,
}

/// How much of a report text for people has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Everything.
    Full,
    /// The verdict, and numbers by rule and by kind of change.
    Statistics,
    /// The verdict alone.
    Verdict,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions { color: false, width: 100, all: false, show_secrets: false, lines: None, detail: Detail::Full }
    }
}

impl RenderOptions {
    /// What is printed for values that are hidden from output; none if they are shown.
    fn mask(&self) -> Option<&'static str> {
        (!self.show_secrets).then_some(crate::diff::mask::MASK)
    }
}

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Format {
    /// For people: excerpts of the files, causes, advice.
    Text,
    /// A line for each change and each finding.
    Concise,
    /// `stacklint/report/v1`.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
    /// For a comment on a pull request or the summary of a job.
    Markdown,
    /// A code quality report of GitLab.
    Gitlab,
    /// JUnit XML.
    Junit,
    /// The diagnostic format of reviewdog.
    Rdjson,
    /// The components that differ, as `describe affected` of the deployment tool lists them.
    Affected,
    /// The components to deploy, as the matrix of a job of GitHub Actions.
    Matrix,
    /// The folders to deploy, as a file of filters that Terragrunt reads.
    Filter,
    /// The projects of `atlantis.yaml`.
    Atlantis,
    /// The projects of `digger.yml`.
    Digger,
    /// A child pipeline of GitLab.
    GitlabChild,
    /// Stacks of Spacelift and which to trigger, as data.
    Spacelift,
    /// A pipeline of Buildkite.
    Buildkite,
    /// The jobs in waves, each a matrix of GitHub Actions.
    Waves,
}

impl Format {
    pub(crate) const ALL: [Format; 18] = [
        Format::Text,
        Format::Concise,
        Format::Json,
        Format::Sarif,
        Format::Github,
        Format::Markdown,
        Format::Gitlab,
        Format::Junit,
        Format::Rdjson,
        Format::Affected,
        Format::Matrix,
        Format::Filter,
        Format::Atlantis,
        Format::Digger,
        Format::GitlabChild,
        Format::Spacelift,
        Format::Buildkite,
        Format::Waves,
    ];

    /// The name that users type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Concise => "concise",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Github => "github",
            Format::Markdown => "markdown",
            Format::Gitlab => "gitlab",
            Format::Junit => "junit",
            Format::Rdjson => "rdjson",
            Format::Affected => "affected",
            Format::Matrix => "matrix",
            Format::Filter => jobs::FILTER,
            Format::Atlantis => "atlantis",
            Format::Digger => "digger",
            Format::GitlabChild => "gitlab-child",
            Format::Spacelift => "spacelift",
            Format::Buildkite => "buildkite",
            Format::Waves => "waves",
        }
    }

    /// Whether the format describes only differences, so that it cannot describe a single state.
    pub(crate) fn needs_comparison(self) -> bool {
        self.is_affected_list()
    }

    /// Whether it is made from the list of affected components.
    pub(crate) fn is_affected_list(self) -> bool {
        matches!(self, Format::Affected | Format::Matrix | Format::Filter) || self.has_jobs()
    }

    /// Whether it is made from the jobs of a pipeline.
    pub(crate) fn has_jobs(self) -> bool {
        use Format::{Atlantis, Buildkite, Digger, GitlabChild, Spacelift, Waves};
        matches!(self, Atlantis | Digger | GitlabChild | Spacelift | Buildkite | Waves)
    }

    /// Whether it has a place for what was analyzed.
    pub(crate) fn shows_coverage(self) -> bool {
        !matches!(self, Format::Concise | Format::Gitlab | Format::Rdjson) && !self.is_affected_list()
    }

    /// How it goes where people and CI systems read along.
    pub(crate) fn kind(self) -> log::OutputKind {
        match self {
            Format::Text | Format::Concise | Format::Filter => log::OutputKind::Text,
            Format::Atlantis | Format::Digger | Format::GitlabChild | Format::Buildkite => log::OutputKind::Text,
            Format::Json | Format::Sarif | Format::Gitlab | Format::Rdjson => log::OutputKind::Json,
            Format::Affected | Format::Matrix | Format::Spacelift | Format::Waves => log::OutputKind::Json,
            // They escape what they hold.
            Format::Github | Format::Junit | Format::Markdown => log::OutputKind::Raw,
        }
    }

    /// Writes a report.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write(self, out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
        let out = &mut log::Filter::new(out, self.kind()).showing_secrets(options.show_secrets);
        match self {
            Format::Text => text::write(out, report, options),
            Format::Concise => concise::write(out, report, options),
            Format::Json => json::write(out, report, options),
            Format::Sarif => sarif::write(out, report),
            Format::Github => github::write(out, report, options),
            Format::Markdown => markdown::write(out, report, options),
            Format::Gitlab => gitlab::write(out, report),
            Format::Junit => junit::write(out, report),
            Format::Rdjson => rdjson::write(out, report),
            Format::Affected => jobs::affected::write(out, report),
            Format::Matrix => jobs::affected::write_matrix(out, report),
            Format::Filter => jobs::affected::write_filter(out, report),
            Format::Atlantis => jobs::atlantis::write(out, report),
            Format::Digger => jobs::digger::write(out, report),
            Format::GitlabChild => jobs::gitlab_child::write(out, report),
            Format::Spacelift => jobs::spacelift::write(out, report),
            Format::Buildkite => jobs::buildkite::write(out, report),
            Format::Waves => jobs::waves::write(out, report),
        }?;
        out.flush()
    }
}

impl<'a> Report<'a> {
    /// Collects the results of a review. `remote` is the web address of the repository.
    pub(crate) fn of(review: &'a Review, remote: Option<&'a str>) -> Self {
        Report {
            files: &review.files,
            findings: &review.findings,
            suppressed: &review.suppressed,
            head: &review.head,
            comparison: review.comparison.as_ref().map(|c| Comparison {
                base: &c.base,
                diff: &c.diff,
                parts: &c.parts,
                code: &c.code,
                affected: &c.affected.items,
                jobs: &c.affected.jobs,
                protected: &c.protected,
                proof: c.proof.as_ref(),
            }),
            rules: &review.rules,
            remote,
            coverage: &review.coverage,
            unreadable: &review.unreadable,
        }
    }

    /// The number of findings of a level that count: all of one state, the new ones between two.
    pub(crate) fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|f| f.level == level && f.counts()).count()
    }

    /// What differs, or else what was found, in one sentence.
    pub(crate) fn headline(&self) -> String {
        match &self.comparison {
            Some(comparison) => headline::whole(comparison, self),
            None => headline::findings(self),
        }
    }

    /// What an expectation fails for, unresolved parts and assumptions, a sentence each. Nothing is escaped.
    fn lead(&self) -> Vec<String> {
        let proof = self.comparison.as_ref().and_then(|comparison| Some((comparison, comparison.proof?)));
        let lines = proof.map(|(comparison, proof)| proof::lines(comparison, proof, self.files));
        lines.unwrap_or_default().into_iter().chain(coverage::lead(self)).collect()
    }

    /// The coverage and unresolved parts, one per line, for formats without a field for them.
    pub(crate) fn coverage_lines(&self) -> Vec<String> {
        let mut lines = self.lead();
        lines.push(coverage::summary(self));
        lines.retain(|line| !line.is_empty());
        coverage::escaped(lines)
    }

    /// The coverage as JSON on one line.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub(crate) fn coverage_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&coverage::CoverageJson::of(self.coverage))
    }

    /// The findings shown to people: those that both revisions have are omitted.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| !matches!(f.novelty, Some(Novelty::Known | Novelty::Removed)))
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
