//! From what was found to what is printed: the settings, the formats and the outcome, the same for every command.
#![allow(clippy::disallowed_methods, reason = "reports and baselines that the user names are files on the disk")]

use super::open::Place;
use super::{Failure, Global, Outcome, output};
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diagnostic::{Baseline, Finding, Level, Policy, Side, Verdict, baseline};
use crate::diff::Diff;
use crate::files::Files;
use crate::report::{self, Comparison, Format, Report, Revision};
use crate::resolution::Resolution;
use crate::rules::{self, Group};
use crate::settings::{FailOn, From, Load, Setting, Settings, Sourced};
use crate::source::Source;
use crate::terraform::Modules;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How findings are judged and printed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Report")]
#[group(skip)]
pub(super) struct Options {
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats())]
    format: Format,
    /// Write a report in this format to a file, or to standard output as `FORMAT` or `FORMAT=-`; can be repeated, and
    /// takes the place of --format
    #[arg(long, value_name = "FORMAT[=PATH]", value_parser = output_of)]
    output: Vec<Output>,
    /// Show all components and whole values
    #[arg(long)]
    all: bool,
    /// Show values whose keys look secret
    #[arg(long)]
    show_secrets: bool,
    #[command(flatten)]
    pub(super) judging: Judging,
}

/// How findings are judged.
#[derive(Args, Debug)]
#[command(next_help_heading = "Findings")]
#[group(skip)]
pub(super) struct Judging {
    /// Exit with 1 from this severity on [default: error]
    #[arg(long, value_name = "LEVEL")]
    fail_on: Option<FailOnName>,
    /// Do not report findings below this level [default: note]
    #[arg(long, value_name = "LEVEL")]
    min_level: Option<LevelName>,
    /// Fail also if something could not be analysed
    #[arg(long)]
    strict: bool,
    /// Report also what could be tidier (the group hygiene), as warnings
    #[arg(long)]
    pedantic: bool,
    /// Report also what rules find that are not proven yet (the group preview), as warnings
    #[arg(long)]
    preview: bool,
    /// Always exit with 0 where only findings would make it 1
    #[arg(long)]
    exit_zero: bool,
    /// A file with the environment variables that are set where the projects are deployed, `NAME=VALUE` or `NAME` a line;
    /// only the names count. Others are reported as not set
    #[arg(long, value_name = "FILE")]
    env_file: Vec<PathBuf>,
    /// A file of known findings that are not reported
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all findings into a file to be given as --baseline, and report none of them
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FailOnName {
    Error,
    Warning,
    Note,
    /// Findings never fail the run
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LevelName {
    Note,
    Warning,
    Error,
}

/// A report and where it goes.
#[derive(Clone, Debug)]
pub(super) struct Output {
    format: Format,
    /// None for standard output.
    path: Option<PathBuf>,
}

fn format_of(name: &str) -> Option<Format> {
    Format::ALL.into_iter().find(|f| f.name() == name)
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| format_of(&name).ok_or("no format"))
}

pub(super) fn output_of(text: &str) -> Result<Output, String> {
    let (name, path) = text.split_once('=').unwrap_or((text, "-"));
    let format = format_of(name).ok_or_else(|| {
        format!("there is no format `{name}`; there are {}", Format::ALL.map(Format::name).join(", "))
    })?;
    if path.is_empty() {
        return Err(format!("`{text}` names no file"));
    }
    Ok(Output { format, path: (path != "-").then(|| PathBuf::from(path)) })
}

/// What was found in one state that was resolved as a whole: by resolving it, by the rules, in the settings.
pub(super) fn side(mut resolution: Resolution, load: &Load, source: &dyn Source, files: &Files, place: &Place) -> Side {
    let cache = place.code();
    let modules = Modules::new(source, files, &cache);
    let withheld = rules::Withheld::default();
    let context = rules::Context::new(files, &resolution, &|_| true, &load.settings.limits, &withheld);
    let found = rules::check_state(&context, &modules, &load.settings.enabled());
    resolution.findings.extend(found);
    let mut side = Side { files: resolution.files(), diagnostics: resolution.into_findings() };
    add_settings(&mut side, load);
    side
}

/// Takes over what is wrong with the settings themselves.
pub(super) fn add_settings(side: &mut Side, load: &Load) {
    side.diagnostics.extend(load.findings.iter().cloned());
    side.files.extend(load.file.as_ref().map(|f| f.id));
}

/// What a run looked at.
pub(super) struct Seen<'a> {
    /// The files.
    pub(super) files: &'a Files,
    /// The state that was looked at, of two the newer one.
    pub(super) head: &'a dyn Source,
    /// What it was compared with, and what differs.
    pub(super) comparison: Option<(&'a dyn Source, &'a Diff)>,
}

/// What is done with a report once it is judged.
pub(super) type Sink<'a> = &'a mut dyn FnMut(&Report<'_>) -> Result<(), Failure>;

impl Judging {
    /// The files with environment variables.
    pub(super) fn env_files(&self) -> &[PathBuf] {
        &self.env_file
    }

    /// The settings of a state, with what was typed on top.
    ///
    /// # Errors
    /// The settings file cannot be used.
    pub(super) fn load(&self, source: &dyn Source, place: &Place, files: &Files) -> Result<Load, Failure> {
        let mut load = Load::find(source, &place.project.start, files).map_err(Failure::Message)?;
        self.apply(&mut load.settings)?;
        Ok(load)
    }

    /// Judges what was found, hands the report over, and says how the run ended.
    ///
    /// # Errors
    /// A baseline cannot be read or written, or a report cannot be written.
    pub(super) fn finish(
        &self,
        seen: &Seen<'_>,
        settings: &Settings,
        (head, base): (Side, Option<Side>),
        place: &Place,
        write: Sink<'_>,
    ) -> Result<Outcome, Failure> {
        let has_defect =
            [Some(&head), base.as_ref()].iter().flatten().any(|s| s.diagnostics.iter().any(|d| d.is_defect()));
        let mut verdict = place.timings.phase("judge", || self.judge(seen, settings, head, base))?;
        if let Some(path) = &self.write_baseline {
            let mut text = Vec::new();
            let all = verdict.findings.iter().filter(|f| f.novelty != Some(report::Novelty::Fixed));
            baseline::write(&mut text, all, seen.files)?;
            output::write_file(path, &text).map_err(|e| cannot_write(path, &e))?;
            let number = verdict.findings.len();
            output::eprint(&format!("stacklint: wrote {number} findings into the baseline {}", path.display()));
            verdict.findings.clear();
        }
        let side = |s: &dyn Source| Revision { rev: s.name().to_owned(), commit: s.commit() };
        let (head, base) = (side(seen.head), seen.comparison.map(|(base, _)| side(base)));
        let rules = settings.enabled();
        let remote = place.repository.as_ref().and_then(crate::source::Repository::remote_url);
        let report = Report {
            files: seen.files,
            findings: &verdict.findings,
            suppressed: &verdict.suppressed,
            head: &head,
            comparison: base.as_ref().zip(seen.comparison).map(|(base, (_, diff))| Comparison { base, diff }),
            rules: &rules,
            remote: remote.as_deref(),
            troubles: seen.head.unreadable(),
        };
        place.timings.phase("report", || write(&report))?;
        Ok(match self.fails(settings, &verdict.findings) {
            _ if has_defect => Outcome::Defect,
            true => Outcome::Findings,
            false => Outcome::Clean,
        })
    }

    /// What is reported of what was found.
    ///
    /// # Errors
    /// The baseline cannot be read.
    pub(super) fn judge(
        &self,
        seen: &Seen<'_>,
        settings: &Settings,
        head: Side,
        base: Option<Side>,
    ) -> Result<Verdict, Failure> {
        let baseline = match &self.write_baseline {
            Some(_) => None,
            None => self.find_baseline(seen.head, settings)?,
        };
        let compared = base.is_some();
        let policy = Policy {
            files: seen.files,
            level: &|rule, path| settings.level(rule, path),
            rules: &rules::RULES,
            examined: &|rule| compared || rule.group != Group::Change,
            min_level: settings.min_level.value,
            require_reasons: settings.require_reasons.value,
            baseline: baseline.as_ref(),
        };
        Ok(policy.judge(head, base))
    }

    fn find_baseline(&self, source: &dyn Source, settings: &Settings) -> Result<Option<Baseline>, Failure> {
        let (name, text) = match (&self.baseline, &settings.baseline.value) {
            (Some(path), _) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|e| Failure::Message(format!("cannot read the baseline {}: {e}", path.display())))?;
                (path.display().to_string(), text)
            }
            (None, Some(path)) => {
                let Ok(entry) = source.listing().resolve(path) else {
                    let name = source.name();
                    return Err(Failure::Message(format!(
                        "the baseline {path} that the settings name is not in {name}"
                    )));
                };
                (path.clone(), String::from_utf8_lossy(&source.read(entry)?).into_owned())
            }
            (None, None) => return Ok(None),
        };
        Baseline::parse(&text).map(Some).map_err(|e| Failure::Message(format!("{name}: {e}")))
    }

    /// Puts what was typed on top of the settings.
    ///
    /// # Errors
    /// A file that was typed cannot be read.
    fn apply(&self, settings: &mut Settings) -> Result<(), Failure> {
        let fail_on = self.fail_on.map(|f| match f {
            FailOnName::Error => FailOn::Error,
            FailOnName::Warning => FailOn::Warning,
            FailOnName::Note => FailOn::Note,
            FailOnName::Never => FailOn::Never,
        });
        let min_level = self.min_level.map(|l| match l {
            LevelName::Note => Level::Note,
            LevelName::Warning => Level::Warning,
            LevelName::Error => Level::Error,
        });
        settings.fail_on = settings.fail_on.clone().or_typed(fail_on);
        settings.min_level = settings.min_level.clone().or_typed(min_level);
        settings.strict = settings.strict.clone().or_typed(self.strict.then_some(true));
        for (asked, group) in [(self.pedantic, Group::Hygiene), (self.preview, Group::Preview)] {
            if asked {
                let on = Sourced { value: Setting::Warning, from: From::CommandLine };
                settings.groups.insert(group, on);
            }
        }
        for path in &self.env_file {
            let text = std::fs::read_to_string(path)
                .map_err(|e| Failure::Message(format!("cannot read the variables in {}: {e}", path.display())))?;
            let mut names = settings.variables.value.take().unwrap_or_default();
            names.extend(variable_names(&text).map(str::to_owned));
            settings.variables = Sourced { value: Some(names), from: From::CommandLine };
        }
        Ok(())
    }

    fn fails(&self, settings: &Settings, findings: &[Finding]) -> bool {
        let fails = |f: &Finding| {
            let incomplete = settings.strict.value && f.diagnostic.rule == &INCOMPLETE_ANALYSIS;
            f.counts() && (incomplete || settings.fail_on.value.fails(f.level))
        };
        // What could not be known is no mistake, so it fails nothing unless asked to.
        let counted = |f: &Finding| settings.strict.value || f.diagnostic.rule != &INCOMPLETE_ANALYSIS;
        !self.exit_zero && findings.iter().any(|f| counted(f) && fails(f))
    }
}

impl Output {
    /// Writes a report in its format to its place.
    ///
    /// # Errors
    /// It cannot be written, or there is nothing to write about a single state.
    pub(super) fn write(&self, report: &Report<'_>, options: &report::Options) -> Result<(), Failure> {
        let Output { format, path } = self;
        if format.needs_comparison() && report.comparison.is_none() {
            let name = format.name();
            return Err(Failure::Message(format!("`{name}` tells what differs: it is of `stacklint diff`")));
        }
        match path {
            None => {
                let mut out = output::stdout();
                format.write(&mut out, report, options)?;
                out.flush()?;
            }
            Some(path) => {
                let mut text = Vec::new();
                format.write(&mut text, report, &report::Options { color: false, ..*options })?;
                output::write_file(path, &text).map_err(|e| cannot_write(path, &e))?;
            }
        }
        Ok(())
    }
}

impl Options {
    /// Writes a report to where it was asked for.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, report: &Report<'_>, global: &Global) -> Result<(), Failure> {
        let plain = [Output { format: self.format, path: None }];
        let outputs = if self.output.is_empty() { &plain[..] } else { &self.output };
        let options = report::Options { show_secrets: self.show_secrets, all: self.all, ..output::options(global) };
        outputs.iter().try_for_each(|output| output.write(report, &options))
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Message(format!("cannot write {}: {error}", path.display()))
}

/// The names in a file of environment variables.
fn variable_names(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(|line| line.trim().trim_start_matches("export ").trim_start());
    let names =
        lines.filter(|line| !line.starts_with('#')).map(|line| line.split('=').next().unwrap_or_default().trim());
    names.filter(|name| !name.is_empty())
}
