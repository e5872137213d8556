//! From what was found to what is printed: the settings, the formats and the outcome, the same for every command.
#![allow(clippy::disallowed_methods, reason = "reports and baselines that the user names are files on the disk")]

use super::open::Invocation;
use super::options::env_file::EnvFileArgument;
use super::{Failure, Global, output};
use crate::diagnostic::{Level, baseline};
use crate::report::log::OutputKind;
use crate::report::{self, Detail, Format, Report};
use crate::review::{self, BaselineFile, Completeness, Outcome, Overrides, Review, SettingsFrom};
use crate::rules::Group;
use crate::settings::{Acceptance, FailOn};
use crate::text::count;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum, ValueHint};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable with dangers that are accepted, for one commit for example.
const ACCEPT_VARIABLE: &str = "STACKLINT_ACCEPT";

/// How findings are filtered and printed. `COMPARES` says whether two states are compared, which some formats require.
#[derive(Args, Debug)]
#[command(next_help_heading = "Report")]
#[group(skip)]
pub(super) struct Options<const COMPARES: bool> {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(COMPARES))]
    format: Format,
    /// Write a report in this format to a file, or to standard output as `FORMAT` or `FORMAT=-`; can be repeated, and
    /// replaces --format
    #[arg(long, value_name = "FORMAT[=PATH]", value_parser = |text: &str| output_of(text, COMPARES))]
    output: Vec<Output>,
    /// Show all components and whole values
    #[arg(long)]
    all: bool,
    /// Show values of keys that look like secrets
    #[arg(long)]
    show_secrets: bool,
    /// Show only how many findings there are of each rule, and how many changes of each kind (in the format text)
    #[arg(long, conflicts_with_all = ["format", "all", "quiet"])]
    statistics: bool,
    /// Show only the verdict (in the format text)
    #[arg(short, long, conflicts_with_all = ["format", "all"])]
    quiet: bool,
    #[command(flatten)]
    pub(super) judging: JudgeOptions,
}

/// How findings are judged.
#[derive(Args, Debug)]
#[command(next_help_heading = "Findings")]
#[group(skip)]
pub(super) struct JudgeOptions {
    /// Exit with 1 from this severity on [default: danger]
    #[arg(long, value_name = "LEVEL")]
    fail_on: Option<FailOnName>,
    /// Accept dangers of a rule, in all stacks or in those that match a pattern; can be repeated
    ///
    /// The environment variable `STACKLINT_ACCEPT` has more of these, separated by white space.
    #[arg(long, value_name = "RULE[=STACKS]", value_parser = Acceptance::parse)]
    accept: Vec<Acceptance>,
    /// Do not report findings below this level [default: note]
    #[arg(long, value_name = "LEVEL")]
    min_level: Option<LevelName>,
    /// Fail also if something could not be analyzed
    #[arg(long)]
    strict: bool,
    /// Report also findings of the group `hygiene`, as warnings
    #[arg(long)]
    pedantic: bool,
    /// Report also findings of the group `preview` (rules that are being tested), as warnings
    #[arg(long)]
    preview: bool,
    /// Exit with 0 even if there are findings
    #[arg(long)]
    exit_zero: bool,
    /// A file with the environment variables that are set where the projects are deployed, one `NAME=VALUE` or `NAME` per line;
    /// variables that it does not name are reported as not set
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    env_file: Vec<EnvFileArgument>,
    /// A baseline: a file of existing findings that are not reported
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// From which side of a comparison settings, baselines and comments that silence findings are taken. From the base, a
    /// change cannot hide what is wrong with it
    #[arg(long, value_name = "SIDE", default_value = "base")]
    settings_from: SideName,
    /// Let `[limits]` of stacklint.toml raise limits above their defaults, not only lower them
    #[arg(long)]
    raise_limits: bool,
    /// Write all findings into a file for --baseline, and report none of them
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
}

/// The name of a level from which findings fail the run.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FailOnName {
    /// Dangers and errors
    Danger,
    /// Errors, but no dangers
    Error,
    Warning,
    Note,
    /// Findings never fail the run
    Never,
}

impl FailOnName {
    /// The level.
    pub(super) fn level(self) -> FailOn {
        match self {
            FailOnName::Danger => FailOn::Danger,
            FailOnName::Error => FailOn::Error,
            FailOnName::Warning => FailOn::Warning,
            FailOnName::Note => FailOn::Note,
            FailOnName::Never => FailOn::Never,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SideName {
    Base,
    Head,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LevelName {
    Note,
    Warning,
    Error,
    Danger,
}

/// A report and its destination.
#[derive(Clone, Debug)]
pub(super) struct Output {
    format: Format,
    /// `None` for standard output.
    path: Option<PathBuf>,
}

/// The formats of reports about two states, or about one.
fn available(compares: bool) -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(move |format| compares || !format.needs_comparison())
}

fn format_of(name: &str, compares: bool) -> Option<Format> {
    available(compares).find(|f| f.name() == name)
}

fn formats(compares: bool) -> impl TypedValueParser<Value = Format> {
    let names = available(compares).map(Format::name);
    PossibleValuesParser::new(names).try_map(move |name| format_of(&name, compares).ok_or("no format"))
}

/// Reads `FORMAT` or `FORMAT=PATH`.
///
/// # Errors
/// There is no such format for reports about two states, or about one; or the path is empty.
pub(super) fn output_of(text: &str, compares: bool) -> Result<Output, String> {
    let (name, path) = text.split_once('=').unwrap_or((text, "-"));
    let format = format_of(name, compares).ok_or_else(|| {
        let names: Vec<&str> = available(compares).map(Format::name).collect();
        match crate::text::nearest(name, names.iter().copied()) {
            _ if format_of(name, true).is_some() => {
                format!(
                    "format `{name}` needs two revisions: use `stacklint diff`; available formats: {}",
                    names.join(", ")
                )
            }
            Some(near) => format!("there is no format `{name}`; did you mean `{near}`?"),
            None => format!("there is no format `{name}`; available formats: {}", names.join(", ")),
        }
    })?;
    if path.is_empty() {
        return Err(format!("`{text}` has no file name after `=`"));
    }
    Ok(Output { format, path: (path != "-").then(|| PathBuf::from(path)) })
}

impl JudgeOptions {
    /// The files with environment variables.
    pub(super) fn env_files(&self) -> &[EnvFileArgument] {
        &self.env_file
    }

    /// Returns the settings from the command line, with the files that it names read.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(super) fn overrides(&self, place: &Invocation) -> Result<Overrides, Failure> {
        let fail_on = self.fail_on.map(FailOnName::level);
        let min_level = self.min_level.map(|l| match l {
            LevelName::Note => Level::Note,
            LevelName::Warning => Level::Warning,
            LevelName::Error => Level::Error,
            LevelName::Danger => Level::Danger,
        });
        let mut accepted = self.accept.clone();
        let more = std::env::var(ACCEPT_VARIABLE).unwrap_or_default();
        for text in more.split_whitespace() {
            let one = Acceptance::parse(text).map_err(|e| Failure::Message(format!("{ACCEPT_VARIABLE}: {e}")))?;
            accepted.push(one);
        }
        let groups = [(self.pedantic, Group::Hygiene), (self.preview, Group::Preview)];
        let groups = groups.into_iter().filter_map(|(asked, group)| asked.then_some(group)).collect();
        let mut variables: Option<BTreeSet<String>> = None;
        for file in &self.env_file {
            variables.get_or_insert_default().extend(file.read()?.names.iter().cloned());
        }
        let baseline = match (&self.baseline, &self.write_baseline) {
            (_, Some(_)) => BaselineFile::Nowhere,
            (Some(path), None) => {
                let inside = std::path::absolute(path).ok().and_then(|path| place.inside(&path).ok());
                BaselineFile::Given(path.display().to_string(), read(path, "baseline")?, inside)
            }
            (None, None) => BaselineFile::OfSettings,
        };
        let settings_from = match self.settings_from {
            SideName::Base => SettingsFrom::Base,
            SideName::Head => SettingsFrom::Head,
        };
        let (strict, exit_zero, raise_limits) = (self.strict, self.exit_zero, self.raise_limits);
        Ok(Overrides {
            fail_on,
            accepted,
            min_level,
            strict,
            groups,
            variables,
            baseline,
            expect: None,
            exit_zero,
            settings_from,
            raise_limits,
            seconds: None,
        })
    }

    /// Writes the reports of a review, and returns how the run ended.
    ///
    /// # Errors
    /// A baseline cannot be written, or what `write` says.
    pub(super) fn finish(
        &self,
        mut review: Review,
        overrides: &Overrides,
        place: &Invocation,
        demand: Completeness,
        write: impl FnOnce(&Report<'_>) -> Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        if let Some(path) = &self.write_baseline {
            let mut text = Vec::new();
            let all = review.findings.iter().filter(|f| f.is_present());
            baseline::write(&mut text, all, &review.files)?;
            crate::source::write_file(path, &text).map_err(|e| cannot_write(path, &e))?;
            let number = count(review.findings.len(), "finding");
            output::eprint(&format!("stacklint: wrote {number} to the baseline {}", path.display()));
            review.findings.clear();
        }
        let remote = place.repository.as_ref().and_then(crate::source::Repository::remote_url);
        place.timings.phase("report", || write(&Report::of(&review, remote.as_deref())))?;
        let outcome = review.outcome(overrides, demand);
        place.leftovers.leave(review);
        Ok(outcome)
    }
}

impl Output {
    /// Whether it is about two states.
    pub(super) fn has_comparison(&self) -> bool {
        self.format.needs_comparison()
    }

    /// Writes a report in its format to its place. On a terminal, places below the folder `root` become links.
    ///
    /// # Errors
    /// It cannot be written, or there is nothing to write about a single state.
    pub(super) fn write(
        &self,
        report: &Report<'_>,
        root: Option<&Path>,
        options: &report::RenderOptions,
    ) -> Result<(), Failure> {
        let Output { format, path } = self;
        if format.needs_comparison() && report.comparison.is_none() {
            let name = format.name();
            return Err(Failure::Message(format!("format `{name}` needs two revisions: use `stacklint diff`")));
        }
        match path {
            None => {
                let root = root.filter(|_| format.kind() == OutputKind::Text);
                let mut out = output::stdout_linked(OutputKind::Raw, options.show_secrets, root);
                format.write(&mut out, report, options)?;
                out.flush()?;
            }
            Some(path) => {
                let mut text = Vec::new();
                format.write(&mut text, report, &report::RenderOptions { color: false, ..*options })?;
                crate::source::write_file(path, &text).map_err(|e| cannot_write(path, &e))?;
            }
        }
        Ok(())
    }
}

impl<const COMPARES: bool> Options<COMPARES> {
    fn outputs(&self) -> Vec<Output> {
        match self.output.is_empty() {
            true => vec![Output { format: self.format, path: None }],
            false => self.output.clone(),
        }
    }

    /// How much text has.
    fn detail(&self) -> Detail {
        match (self.statistics, self.quiet) {
            (true, _) => Detail::Statistics,
            (_, true) => Detail::Verdict,
            _ => Detail::Full,
        }
    }

    /// Whether one of the formats is made from the jobs of a pipeline.
    pub(super) fn has_jobs(&self) -> bool {
        self.outputs().iter().any(|output| output.format.has_jobs())
    }

    /// Whether one of the formats is a list of affected components, and whether all are.
    pub(super) fn lists_affected(&self) -> (bool, bool) {
        let is_list = |output: &Output| output.format.is_affected_list();
        let outputs = self.outputs();
        (outputs.iter().any(is_list), outputs.iter().all(is_list))
    }

    /// Writes a report about a place to its destination.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, report: &Report<'_>, place: &Invocation, global: &Global) -> Result<(), Failure> {
        let outputs = self.outputs();
        let options = output::options(global);
        let lines = options.lines.filter(|_| !self.all);
        let (show_secrets, all, detail) = (self.show_secrets, self.all, self.detail());
        let options = report::RenderOptions { show_secrets, all, lines, detail, ..options };
        outputs.iter().try_for_each(|output| output.write(report, Some(place.root()), &options))?;
        if !outputs.iter().any(|output| output.format.shows_coverage()) {
            report.coverage_lines().iter().for_each(|line| output::eprint(&format!("stacklint: {line}")));
        }
        Ok(())
    }

    /// Passes a result on. If the repository is rejected, machine-readable reports say so first: a missing or empty
    /// report could be mistaken for success.
    pub(super) fn or_rejected<T>(&self, result: Result<T, Failure>, global: &Global) -> Result<T, Failure> {
        let Err(Failure::Untrusted(message, place)) = &result else { return result };
        let review = review::rejected(message, place);
        let report = Report::of(&review, None);
        let options = output::options(global);
        let is_for_people = |output: &Output| output.format == Format::Text && output.path.is_none();
        for output in self.outputs().iter().filter(|o| !o.has_comparison() && !is_for_people(o)) {
            output.write(&report, None, &options)?;
        }
        result
    }

    /// Whether nothing is to be left out.
    pub(super) fn shows_all(&self) -> bool {
        self.all
    }

    /// How much has to be resolved: where the report lists what to deploy, all of it.
    pub(super) fn demand(&self) -> Completeness {
        match self.lists_affected().0 {
            true => Completeness::All,
            false => Completeness::default(),
        }
    }
}

fn read(path: &Path, what: &str) -> Result<String, Failure> {
    crate::source::read_named(path)
        .map_err(|e| Failure::Message(format!("cannot read the {what} {}: {e}", path.display())))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Message(format!("cannot write {}: {error}", path.display()))
}
