//! The coverage of a report in sentences: unresolved parts come first in a report, the summary of the analysis last.

use super::text::style::{count, escape};
use super::{Report, headline};
use crate::review::coverage::{Lacking, Unresolved};
use serde::Serialize;
use std::collections::BTreeSet;

/// More names than this are counted.
const MAX_NAMES: usize = 5;
/// More reasons than this are counted.
const MAX_LINES: usize = 20;

/// The key for grouping reasons: the sides that lack something, whether the rest was resolved, the noun for it, and the reason.
type Group<'a> = (Lacking, bool, &'static str, &'a str);

/// Returns a sentence for each reason why something could not be resolved, and for each assumption. Nothing is escaped.
pub(super) fn lead(report: &Report<'_>) -> Vec<String> {
    let assumptions: BTreeSet<&String> = report.coverage.projects.iter().flat_map(|p| &p.assumptions).collect();
    let mut lines: Vec<String> = assumptions.into_iter().cloned().collect();
    lines.splice(0..0, report.coverage.narrowed.clone());
    lines.extend(report.coverage.warnings.iter().map(|warning| format!("warning: {warning}")));
    if !report.coverage.unread.is_empty() {
        lines.push(format!("{}: {}", headline::unread(report.coverage), shown(&report.coverage.unread)));
    }
    let is_in_proof = report.comparison.as_ref().is_some_and(|comparison| comparison.proof.is_some());
    if !report.coverage.run_settings.is_empty() && !is_in_proof {
        let names = shown(&report.coverage.run_settings);
        lines.push(format!("{}: {names}", headline::run_settings(report.coverage)));
    }
    if !report.coverage.run_files.is_empty() && !is_in_proof {
        let all = &report.coverage.run_files;
        let what = if all.len() == 1 { "it" } else { "them" };
        lines.push(format!("{}: {}; no job covers {what}", headline::run_files(report.coverage), shown(all)));
    }
    for project in report.coverage.projects.iter().filter(|p| p.is_empty() && p.lacking().is_empty()) {
        let verb = if report.comparison.is_some() { "compared" } else { "checked" };
        let place = if project.path == "." { String::new() } else { format!(" in {}", project.path) };
        lines.push(format!("no stack with a component found{place}, so nothing is {verb}"));
    }
    let mut groups: Vec<(Group<'_>, Vec<&Unresolved>)> = Vec::new();
    let lacking = report.coverage.lacking();
    for (which, one) in &lacking {
        let key = (*which, one.is_partial, noun(one), one.reason.as_str());
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, list)) => list.push(one),
            None => groups.push((key, vec![one])),
        }
    }
    let left_out = groups.len().saturating_sub(MAX_LINES);
    let shown = groups.iter().take(MAX_LINES);
    lines.extend(shown.map(|(group, list)| sentence(report, *group, list)));
    if left_out > 0 {
        lines.push(format!("… and {} for others that could not be resolved", count(left_out, "other reason")));
    }
    lines
}

/// Some names, separated by commas; the rest is counted.
pub(super) fn shown<T: AsRef<str>>(all: &[T]) -> String {
    let mut names: Vec<String> = all.iter().take(MAX_NAMES).map(|name| name.as_ref().to_owned()).collect();
    if all.len() > MAX_NAMES {
        names.push(format!("… {} more", all.len() - MAX_NAMES));
    }
    names.join(", ")
}

fn noun(one: &Unresolved) -> &'static str {
    match (&one.component, &one.stack) {
        (Some(_), _) => "component",
        (None, Some(_)) => "stack",
        (None, None) => "file",
    }
}

fn sentence(report: &Report<'_>, (which, is_partial, noun, reason): Group<'_>, list: &[&Unresolved]) -> String {
    let number = count(list.len(), noun);
    let one = list.len() == 1;
    let is_not_compared = if one { "is not compared" } else { "are not compared" };
    let (is, was) = if one { ("is", "was") } else { ("are", "were") };
    let what = match (which, report.comparison.is_some()) {
        (Lacking::Head, true) if is_partial => format!("{number} {is} no longer fully resolved"),
        (Lacking::Base, _) if is_partial => format!("{number} {was} not fully resolved before"),
        (Lacking::Both, _) if is_partial => format!("{number} {is} not fully compared"),
        (Lacking::Head, false) if is_partial => format!("{number} {is} not fully resolved"),
        (Lacking::Head, true) if one => format!("{number} no longer resolves"),
        (Lacking::Head, true) => format!("{number} no longer resolve"),
        (Lacking::Base, _) => format!("{number} did not resolve before and {is_not_compared}"),
        (Lacking::Both, _) if one => format!("{number} resolves on neither side and {is_not_compared}"),
        (Lacking::Both, _) => format!("{number} resolve on neither side and {is_not_compared}"),
        (Lacking::Head, false) if one => format!("{number} does not resolve"),
        (Lacking::Head, false) => format!("{number} do not resolve"),
    };
    let names: Vec<String> = list.iter().map(|one| one.name()).collect();
    // A finding says it at its place.
    if report.shown().any(|finding| finding.counts() && finding.diagnostic.message == reason) {
        return format!("{what}: {}", shown(&names));
    }
    let place = list[0].place.as_ref().map_or_else(String::new, |(file, line)| format!(" ({file}:{line})"));
    format!("{what}: {}: {reason}{place}", shown(&names))
}

/// Summarizes the analysis in one line: `compared 6 stacks, 31 components; atmos.yaml`. Many files of configuration are counted:
/// each unit of Terragrunt is one. Empty if nothing was analyzed.
pub(super) fn summary(report: &Report<'_>) -> String {
    let coverage = report.coverage;
    if coverage.projects.is_empty() {
        return String::new();
    }
    let (stacks, components) = coverage.totals();
    let what = if report.comparison.is_some() { "compared" } else { "checked" };
    let mut line = format!("{what} {}, {}", count(stacks, "stack"), count(components, "component"));
    let untouched = coverage.untouched();
    if untouched > 0 {
        line.push_str(&format!(" (no edit reaches {untouched} of the stacks)"));
    }
    if coverage.projects.len() > 1 {
        line.push_str(&format!(" in {}", count(coverage.projects.len(), "project")));
    }
    let lacking = coverage.lacking();
    let partial = lacking.iter().filter(|(_, one)| one.is_partial).count();
    for (number, what) in [(lacking.len() - partial, "not resolved"), (partial, "not fully resolved")] {
        if number > 0 {
            line.push_str(&format!("; {number} {what}"));
        }
    }
    let elsewhere: BTreeSet<&str> =
        coverage.projects.iter().flat_map(|p| &p.not_evaluated).map(|name| &**name).collect();
    if !elsewhere.is_empty() {
        let names: Vec<&str> = elsewhere.into_iter().collect();
        line.push_str(&format!(", without the code of {}, which is elsewhere or not known", shown(&names)));
    }
    let all = || coverage.projects.iter().flat_map(|p| &p.config).map(|path| &**path);
    // What an assumption is about stands before the report already.
    let is_named =
        |path: &str| coverage.projects.iter().flat_map(|p| &p.assumptions).any(|text| text.starts_with(path));
    let files: BTreeSet<&str> = all().filter(|path| !is_named(path)).collect();
    let files: Vec<&str> = files.into_iter().collect();
    match (files.is_empty(), all().next()) {
        (true, Some(_)) => line,
        (true, None) => format!("{line}; no configuration file"),
        (false, _) if files.len() > MAX_NAMES => format!("{line}; configured by {}", count(files.len(), "file")),
        (false, _) => format!("{line}; {}", shown(&files)),
    }
}

/// The same for a terminal or a log.
pub(super) fn escaped(lines: Vec<String>) -> Vec<String> {
    lines.iter().map(|line| escape(line).to_string()).collect()
}

/// The coverage as JSON has it.
#[derive(Serialize)]
pub(crate) struct CoverageJson<'a> {
    projects: Vec<ProjectJson<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_analyzed: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    run_settings: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    run_files: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    narrowed: Option<&'a str>,
}

#[derive(Serialize)]
struct ProjectJson<'a> {
    dialect: &'a str,
    path: &'a str,
    config: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    assumptions: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_evaluated: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<SideJson<'a>>,
    head: SideJson<'a>,
}

#[derive(Serialize)]
struct SideJson<'a> {
    stacks: usize,
    components: usize,
    untouched: usize,
    unresolved: Vec<UnresolvedJson<'a>>,
}

#[derive(Serialize)]
struct UnresolvedJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<&'a str>,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<&'a str>,
    reason: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
}

impl<'a> CoverageJson<'a> {
    /// Converts the coverage of a review.
    pub(crate) fn of(coverage: &'a crate::review::Coverage) -> Self {
        let unresolved = |u: &'a Unresolved| {
            let (file, line) = u.place.as_ref().map_or((&u.file, None), |(file, line)| (file, Some(*line)));
            UnresolvedJson {
                stack: u.stack.as_deref(),
                file,
                line,
                r#type: u.component.as_ref().map(|c| &*c.0),
                component: u.component.as_ref().map(|c| &*c.1),
                reason: &u.reason,
                partial: u.is_partial,
            }
        };
        let side = |side: &'a crate::review::coverage::SideCoverage| SideJson {
            stacks: side.stacks,
            components: side.components,
            untouched: side.untouched,
            unresolved: side.unresolved.iter().map(unresolved).collect(),
        };
        let project = |p: &'a crate::review::coverage::ProjectCoverage| ProjectJson {
            dialect: p.dialect,
            path: &p.path,
            config: p.config.iter().map(|path| &**path).collect(),
            assumptions: &p.assumptions,
            not_evaluated: p.not_evaluated.iter().map(|name| &**name).collect(),
            base: p.base.as_ref().map(side),
            head: side(&p.head),
        };
        let projects = coverage.projects.iter().map(project).collect();
        CoverageJson {
            projects,
            not_analyzed: &coverage.not_analyzed,
            warnings: &coverage.warnings,
            unread: coverage.unread.iter().map(|path| &**path).collect(),
            run_settings: &coverage.run_settings,
            run_files: coverage.run_files.iter().map(|path| &**path).collect(),
            narrowed: coverage.narrowed.as_deref(),
        }
    }
}
