//! `stacklint ci`: reviews the change that a CI system runs for, and writes what the system can show.
#![allow(clippy::disallowed_methods, reason = "CI systems speak through variables and files")]

mod detect;
mod facts;
mod github;
mod merging;
mod range;

use super::open::Invocation;
use super::reporting::{JudgeOptions, Output, output_of};
use super::{Failure, Global, output};
use crate::diagnostic::Finding;
use crate::report::jobs::explain;
use crate::report::log::OutputKind;
use crate::report::{self, Format, RenderOptions, Report, text};
use crate::review::{self, Completeness, Filter, Outcome, Overrides, Request};
use clap::Args;
use detect::{Base, Job, System};
use facts::Facts;
use merging::CheckedMerge;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Check the change that a CI system runs for.
///
/// The revisions to compare are determined from the variables of GitHub Actions (and its event), GitLab CI, Azure
/// Pipelines and Jenkins; elsewhere set them with --base. If the system provides nothing to compare with, only HEAD is
/// checked, as by `stacklint check --rev HEAD`. In GitHub Actions, annotations go into the log, and the outputs of the
/// step and the summary of the job are written.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Compare with the merge base of the head and this revision
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Analyze this revision instead of the one that the CI system names
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    /// Prove what the change does, as `stacklint diff --expect`: `none`, `moves` or `only=GLOB`
    #[arg(long, value_name = "WHAT", value_parser = review::Expectation::parse)]
    expect: Option<review::Expectation>,
    /// Only print the git directory (`repository PATH`) and what has to be fetched (`commit ID`, `branch NAME`,
    /// `history`, `objects ID` of a commit), and do nothing else
    #[arg(long)]
    needs: bool,
    /// Write no annotations into the log of GitHub Actions
    #[arg(long)]
    no_annotations: bool,
    /// Write report.json, report.html, report.sarif, comment.md, affected.json, matrix.json and waves.json into this folder
    #[arg(long, value_name = "DIR")]
    reports: Option<PathBuf>,
    /// Write a report in this format to a file; can be repeated
    #[arg(long, value_name = "FORMAT=PATH", value_parser = |text: &str| output_of(text, true))]
    output: Vec<Output>,
    /// Show all components and whole values
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    affected: super::affected::Options,
    #[command(flatten)]
    judging: JudgeOptions,
}

/// The reports of `--reports`: the output that names it, its file and its format.
const REPORTS: [(&str, &str, Format); 6] = [
    ("report-file", "report.json", Format::Json),
    ("sarif-file", "report.sarif", Format::Sarif),
    ("comment-file", "comment.md", Format::Markdown),
    ("affected-file", "affected.json", Format::Affected),
    ("matrix-file", "matrix.json", Format::Matrix),
    ("waves-file", "waves.json", Format::Waves),
];

/// GitHub accepts comments of so many bytes.
const MAX_COMMENT: usize = 65_000;

/// The output that names the page of a change, and its file.
const PAGE: (&str, &str) = ("page-file", "report.html");

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let in_github = std::env::var("GITHUB_ACTIONS").is_ok_and(|v| !v.is_empty());
    let mut facts = Facts::default();
    let ended = judge(options, global, &mut facts);
    if let Err(Failure::Untrusted(message, place)) = &ended {
        write_rejected(&review::rejected(message, place), options, global, &mut facts)?;
    }
    if in_github && !options.needs {
        let (text, left_out) = github::outputs(&facts, ended.as_ref().ok());
        github::append("GITHUB_OUTPUT", &text)?;
        if !left_out.is_empty() {
            say(&report::github::message("warning", &format!("too long for an output: {}", left_out.join(", "))))?;
        }
        if let Some(message) = ended.as_ref().err().and_then(Failure::message) {
            say(&report::github::message("error", message))?;
            let text: String = report::log::plain(message).lines().map(|line| format!("    {line}\n")).collect();
            github::append("GITHUB_STEP_SUMMARY", &format!("stacklint could not run:\n\n{text}"))?;
        }
    }
    ended
}

fn judge(options: &Options, global: &Global, facts: &mut Facts) -> Result<Outcome, Failure> {
    let place = Invocation::find(global)?;
    let repository = place.repository()?;
    if repository.is_submodule() {
        return Err(Failure::Message(format!(
            "{} is a submodule, which the change under review could point at any other repository: start in the repository that the job runs for",
            place.root().display()
        )));
    }
    let job = job(options)?;
    if options.needs {
        // The script that fetches does not search for the repository again.
        say(&format!("repository {}", repository.git_dir().display()))?;
        for line in range::needs(&job, repository) {
            say(&line)?;
        }
        return Ok(Outcome::Clean);
    }
    if job.base == Base::Deleted {
        (facts.changed, facts.has_changes) = ("false", "false");
        say(&format!("Nothing to analyze: {}.", job.note))?;
        return Ok(Outcome::Clean);
    }
    let sides = range::sides(&job, repository)?;
    let head = repository.at(&sides.head)?;
    let overrides = Overrides { expect: options.expect.clone(), ..options.judging.overrides(&place)? };
    let request =
        Request { filter: Filter::default(), overrides: &overrides, affected: Some(options.affected.options(true)) };
    let mut page = None;
    let review = match &sides.base {
        Some(base) => {
            let base = repository.at(base)?;
            let review = review::compare(&*base, &*head, &place.workspace(), &request)?;
            if let Some(folder) = &options.reports {
                let path = folder.join(PAGE.1);
                crate::source::make_folder(folder).map_err(|e| unwritten(folder, &e))?;
                super::report::write(&review, &[base, head], &place, &path)?;
                page = Some(path);
            }
            review
        }
        None => {
            output::eprint(&format!(
                "stacklint: nothing to compare with ({}): checking the current state only",
                job.note
            ));
            review::check(&*head, &place.workspace(), &request)?
        }
    };
    let style = RenderOptions { all: options.all, ..output::options(global) };
    let merge = merging::check(&job, &place, &options.judging, &style)?;
    // As `diff` or `check`: nothing that was compared is no success.
    let demand = if review.comparison.is_some() { Completeness::default() } else { Completeness::Any };
    let outcome = options.judging.finish(review, &overrides, &place, demand, |report| {
        *facts = Facts::of(report)?;
        facts.files.extend(page.map(|path| (PAGE.0, path)));
        publish(report, merge.as_ref(), options, (&job, &place, global), facts)
    })?;
    Ok(match (outcome, merge.map(|merge| merge.outcome)) {
        (Outcome::Fails(why), Some(Outcome::Fails(effects))) => {
            Outcome::Fails(format!("{why}; in the merge: {effects}"))
        }
        (Outcome::Clean, Some(Outcome::Fails(effects))) => Outcome::Fails(format!("in the merge: {effects}")),
        (Outcome::Clean, Some(merge)) => merge,
        (outcome, _) => outcome,
    })
}

/// Returns the detected job, with the command-line options applied.
fn job(options: &Options) -> Result<Job, Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    let event = match variable("GITHUB_EVENT_PATH").filter(|p| !p.is_empty()) {
        Some(path) => {
            let fail = |e: String| Failure::Message(format!("cannot read the event {path}: {e}"));
            let text = std::fs::read(&path).map_err(|e| fail(e.to_string()))?;
            serde_json::from_slice(&text).map_err(|e| fail(e.to_string()))?
        }
        None => serde_json::Value::Null,
    };
    let found = detect::detect(&variable, &event);
    let named = options.base.as_ref().map(|name| Base::Since(name.clone()));
    let mut job = match (found, &named) {
        (Some(job), _) => job,
        (None, Some(_)) => Job { system: System::Other, head: "HEAD".to_owned(), base: Base::Nothing, note: "" },
        (None, None) => {
            return Err(Failure::Message(
                "not running in a known CI system: set the revision to compare with by --base REV".to_owned(),
            ));
        }
    };
    job.base = named.unwrap_or(job.base);
    job.head = options.head.clone().unwrap_or(job.head);
    Ok(job)
}

/// Brings a report to all who want it.
fn publish(
    report: &Report<'_>,
    merge: Option<&CheckedMerge>,
    options: &Options,
    (job, place, global): (&Job, &Invocation, &Global),
    facts: &mut Facts,
) -> Result<(), Failure> {
    let style = RenderOptions { all: options.all, ..output::options(global) };
    let kind = if job.system == System::Github { OutputKind::Raw } else { OutputKind::Text };
    let mut out = output::stdout_of(kind);
    match job.system {
        System::Github if options.no_annotations => report::github::write_log(&mut out, report, &style)?,
        System::Github => report::github::write(&mut out, report, &style)?,
        System::Other => text::write(&mut out, report, &style)?,
    }
    if let Some(merge) = merge {
        let mut out = report::log::Filter::new(&mut out, OutputKind::Text);
        writeln!(out)?;
        out.write_all(&merge.text)?;
        out.flush()?;
    }
    out.flush()?;
    drop(out);
    for output in &options.output {
        output.write(report, None, &style)?;
    }
    let mut markdown = rendered(Format::Markdown, report, &style)?;
    let failing = merge.filter(|merge| merge.outcome != Outcome::Clean);
    if let Some(merge) = failing.filter(|merge| markdown.len() + merge.markdown.len() < MAX_COMMENT) {
        markdown.push(b'\n');
        markdown.extend(&merge.markdown);
    }
    if let Some(comparison) = report.comparison.filter(|_| options.affected.explain) {
        output::eprint(explain::text(comparison.jobs, options.all).trim_end());
    }
    if job.system == System::Github {
        github::append("GITHUB_STEP_SUMMARY", &String::from_utf8_lossy(&markdown))?;
    }
    let Some(folder) = &options.reports else { return Ok(()) };
    // Code scanning treats every result as an open alert, whatever its suppressions or baseline state.
    let open: Vec<Finding> = report.findings.iter().filter(|f| f.is_present()).cloned().collect();
    for (name, file, format) in REPORTS {
        if format.needs_comparison() && report.comparison.is_none() {
            continue;
        }
        let text = match format {
            Format::Markdown => [marker(place, global).as_bytes(), &markdown].concat(),
            Format::Sarif => rendered(format, &Report { findings: &open, suppressed: &[], ..*report }, &style)?,
            format => rendered(format, report, &style)?,
        };
        facts.files.push((name, keep(folder, file, &text)?));
    }
    Ok(())
}

/// Writes the reports about a rejected repository. There is no comment: it belongs to a project, and none was found.
fn write_rejected(
    review: &review::Review,
    options: &Options,
    global: &Global,
    facts: &mut Facts,
) -> Result<(), Failure> {
    let (report, style) = (Report::of(review, None), output::options(global));
    for output in options.output.iter().filter(|output| !output.has_comparison()) {
        output.write(&report, None, &style)?;
    }
    let Some(folder) = &options.reports else { return Ok(()) };
    for (name, file, format) in REPORTS.into_iter().filter(|(.., f)| !f.needs_comparison() && *f != Format::Markdown) {
        facts.files.push((name, keep(folder, file, &rendered(format, &report, &style)?)?));
    }
    Ok(())
}

/// Writes a file into a folder, which is made if it is missing.
fn keep(folder: &Path, file: &str, text: &[u8]) -> Result<PathBuf, Failure> {
    crate::source::make_folder(folder).map_err(|e| unwritten(folder, &e))?;
    let path = folder.join(file);
    crate::source::write_file(&path, text).map_err(|e| unwritten(&path, &e))?;
    Ok(path)
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Message(format!("cannot write {}: {error}", path.display()))
}

fn rendered(format: Format, report: &Report<'_>, style: &RenderOptions) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    format.write(&mut text, report, &RenderOptions { color: false, ..*style })?;
    Ok(text)
}

/// The hidden line by which the comment of an earlier run is found: one for each project and configuration.
fn marker(place: &Invocation, global: &Global) -> String {
    let mut key = place.project.start.clone();
    for path in &global.config {
        key.push_str(&format!(":{}", path.display()));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | ':');
    let key: String = key.chars().take(200).map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("<!-- stacklint:{key} -->\n")
}

/// Prints a line that is made for a runner or a script: commands, and what is to be fetched.
fn say(text: &str) -> Result<(), Failure> {
    let mut out = output::stdout_of(OutputKind::Raw);
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}
