//! Markdown for a comment on a pull request or the summary of a job: what changes, in which stacks, because of which
//! lines, and the findings, with links to the lines if the remote of the repository shows files.
//!
//! It never exceeds the maximum length of a comment: the largest pieces are omitted as a whole, and the report says so.

mod edits;
mod escape;
mod findings;

pub(crate) use escape::code;

use super::links::Web;
use super::{Finding, Novelty, RenderOptions, Report, Revision, coverage, headline};
use crate::code::CodeChange;
use crate::diff::group::{self, Group};
use crate::diff::{Diff, Side, Status};
use escape::{cell, cut, prose};
use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// GitHub accepts 65,536 characters; some are reserved for the text around the report. Counted in UTF-16 code units, of
/// which there are never fewer than characters.
const MAX_LENGTH: usize = 65_000;
/// The maximum length of the frame: headings, notes about omissions, the footer.
const FRAME: usize = 2_000;
/// About so many lines of edits are shown without a click.
const MAX_EXPANDED: usize = 40;
/// The maximum number of rows of the table of stacks.
const MAX_STACKS: usize = 20;
/// The maximum number of names in one list.
const MAX_NAMES: usize = 5;
/// The maximum number of lines of a table behind which the findings are still in sight. Before a longer one the worst of them are named.
const SHORT_TABLE: usize = 6;
/// Longer names are cut.
const MAX_NAME: usize = 100;
/// Longer sentences are cut.
const MAX_SENTENCE: usize = 1_000;

/// Writes a report.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let page = Page { report, options, web: report.remote.and_then(Web::of), templates: templates()? };
    out.write_all(page.render()?.as_bytes())
}

/// Shared state for rendering the pieces of a report.
struct Page<'a> {
    report: &'a Report<'a>,
    options: &'a RenderOptions,
    web: Option<Web>,
    templates: Environment<'static>,
}

/// An independent piece of the report, and its replacement if there is no room for it.
struct Piece {
    full: String,
    brief: String,
}

#[derive(Serialize)]
struct Frame {
    title: String,
    findings_line: String,
    intro: Vec<String>,
    edits: Vec<String>,
    edits_left_out: Option<String>,
    findings: Vec<String>,
    findings_left_out: Option<String>,
    fixed: String,
    footer: String,
}

fn templates() -> io::Result<Environment<'static>> {
    let mut templates = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    templates.set_syntax(syntax.map_err(io::Error::other)?);
    for (name, source) in [
        ("report", include_str!("../templates/report.md.j2")),
        ("edit", include_str!("../templates/edit.md.j2")),
        ("finding", include_str!("../templates/finding.md.j2")),
        ("fixed", include_str!("../templates/fixed.md.j2")),
    ] {
        templates.add_template(name, source).map_err(io::Error::other)?;
    }
    Ok(templates)
}

impl Page<'_> {
    fn template(&self, name: &str, values: impl Serialize) -> io::Result<String> {
        let template = self.templates.get_template(name).map_err(io::Error::other)?;
        template.render(Serde(values)).map_err(io::Error::other)
    }

    fn render(&self) -> io::Result<String> {
        let report = self.report;
        let parts: &[Diff] = match &report.comparison {
            Some(c) if c.parts.is_empty() => std::slice::from_ref(c.diff),
            Some(c) => c.parts,
            None => &[],
        };
        let groups: Vec<Vec<Group>> = parts.iter().map(|part| group::group(part, report.files)).collect();
        let summary = headline::findings(report);
        let (title, findings_line) = match &report.comparison {
            Some(comparison) => {
                let changes = headline::changes(comparison, &groups.concat(), report.coverage);
                (changes, format!("**{summary}**"))
            }
            None => (summary, String::new()),
        };
        let mut room = MAX_LENGTH - FRAME;
        let (intro, _) = fit(self.intro(), &mut room);
        let (new, fixed) = (self.new_findings()?, self.fixed()?);
        let (fixed, _) = fit(fixed, &mut room);
        let edits = self.project_edits(&groups)?;
        // Findings take what edits leave, but at least half.
        let wanted = edits.iter().map(|piece| length(&piece.full) + 2).sum();
        let mut share = room.saturating_sub(wanted).max(room / 2);
        let available = share;
        let (findings, findings_left_out) = fit(new, &mut share);
        room -= available - share;
        let (edits, edits_left_out) = fit(edits, &mut room);
        let count = |n: usize, noun: &str| (n > 0).then(|| super::text::style::count(n, noun));
        let mut text = self.template(
            "report",
            Frame {
                title: title.trim_end_matches('.').to_owned(),
                findings_line,
                intro,
                edits,
                edits_left_out: count(edits_left_out, "more edit"),
                findings,
                findings_left_out: count(findings_left_out, "more finding"),
                fixed: fixed.concat(),
                footer: self.footer(),
            },
        )?;
        text.push('\n');
        Ok(text)
    }

    /// The table of stacks, and what was not examined.
    fn intro(&self) -> Vec<Piece> {
        let lead = coverage::lead(self.report);
        let mut parts: Vec<String> = lead.iter().map(|line| format!("> {}", sentence(line))).collect();
        if let Some(comparison) = &self.report.comparison {
            let risk = headline::at_risk(comparison);
            parts.extend(risk.map(|line| format!("> **{}**", sentence(&line.replacen("at risk", "At risk", 1)))));
            let stacks = self.stacks();
            let is_long = stacks.as_ref().is_some_and(|table| table.lines().count() > SHORT_TABLE);
            parts.extend(is_long.then(|| self.worst()).flatten());
            parts.extend(stacks);
            parts.extend(code_changes(comparison.code));
        }
        parts.extend(list("Could not be read", self.report.unreadable.iter().map(String::as_str).collect()));
        let brief = String::new();
        parts.into_iter().map(|full| Piece { full, brief: brief.clone() }).collect()
    }

    /// The most severe findings as a list; `None` if nothing was found.
    fn worst(&self) -> Option<String> {
        let (worst, others) = headline::worst(self.report);
        let line = |(finding, more): &(&Finding, String)| {
            let message = sentence(&finding.diagnostic.message);
            format!("- **{}**: {message}{}", finding.level.name(), escape::text(more))
        };
        let lines: Vec<String> = worst.iter().map(line).chain(others.map(|words| format!("- {words}"))).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The edits of all projects, under the name of each where there are several.
    fn project_edits(&self, groups: &[Vec<Group<'_>>]) -> io::Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut left = MAX_EXPANDED;
        for (i, groups) in groups.iter().enumerate() {
            let mut edits = self.edits(groups)?;
            for edit in &mut edits {
                let lines = edit.full.lines().count();
                if lines <= left {
                    left -= lines;
                    edit.full = edit.full.replacen("<details>", "<details open>", 1);
                }
            }
            if let (Some(project), Some(first)) = (self.report.coverage.projects.get(i), edits.first_mut())
                && self.report.coverage.projects.len() > 1
            {
                let heading = format!("**Project {}**\n\n", code(&cut(&self.report.coverage.name(project), MAX_NAME)));
                first.full.insert_str(0, &heading);
                if !first.brief.is_empty() {
                    first.brief.insert_str(0, &heading);
                }
            }
            pieces.extend(edits);
        }
        Ok(pieces)
    }

    /// Lists the changes by stack.
    fn stacks(&self) -> Option<String> {
        let diff = self.report.comparison.as_ref()?.diff;
        let mut stacks: BTreeMap<String, ([usize; 3], Vec<&str>)> = BTreeMap::new();
        let old_names: BTreeSet<usize> = diff.renames.iter().map(|r| r.from).collect();
        let new_names: BTreeSet<usize> = diff.renames.iter().map(|r| r.to).collect();
        for (i, component) in diff.components.iter().enumerate().filter(|(i, _)| !old_names.contains(i)) {
            let stack = match &*component.project {
                "" => component.stack.to_string(),
                project => format!("{project}: {}", component.stack),
            };
            let (counts, names) = stacks.entry(stack).or_default();
            counts[match component.status {
                Status::Modified => 0,
                // Renamed stacks existed before.
                Status::Added if new_names.contains(&i) => 0,
                Status::Added => 1,
                Status::Removed => 2,
            }] += 1;
            names.push(&component.name);
        }
        if stacks.is_empty() {
            return None;
        }
        let total = stacks.len();
        let mut rows: Vec<_> = stacks.into_iter().collect();
        rows.sort_by_key(|(_, (_, names))| std::cmp::Reverse(names.len()));
        let mut table =
            "| Stack | Changed | Added | Removed | Components |\n| :-- | --: | --: | --: | :-- |\n".to_owned();
        for (stack, ([changed, added, removed], names)) in rows.iter().take(MAX_STACKS) {
            let number = |n: &usize| if *n > 0 { n.to_string() } else { String::new() };
            let mut cells: Vec<String> = names.iter().take(MAX_NAMES).map(|n| cell(&cut(n, MAX_NAME))).collect();
            if names.len() > MAX_NAMES {
                cells.push(format!("… {} more", names.len() - MAX_NAMES));
            }
            let (changed, added, removed) = (number(changed), number(added), number(removed));
            let stack = cell(&cut(stack, MAX_NAME));
            table.push_str(&format!("| {stack} | {changed} | {added} | {removed} | {} |\n", cells.join(", ")));
        }
        if total > MAX_STACKS {
            table.push_str(&format!("\n… and {} more stacks\n", total - MAX_STACKS));
        }
        Some(table.trim_end().to_owned())
    }

    /// The revisions and the version.
    fn footer(&self) -> String {
        let name = |revision: &Revision| {
            let short = |commit: &str| code(commit.get(..12).unwrap_or(commit));
            match &revision.commit {
                Some(commit) if *commit != revision.rev => {
                    format!("{} ({})", code(&cut(&revision.rev, MAX_NAME)), short(commit))
                }
                Some(commit) => short(commit),
                None => code(&cut(&revision.rev, MAX_NAME)),
            }
        };
        let head = name(self.report.head);
        let revisions = match &self.report.comparison {
            Some(comparison) => format!("{} → {head}", name(comparison.base)),
            None => head,
        };
        let covered = coverage::summary(self.report);
        let covered = if covered.is_empty() { covered } else { format!("{} · ", sentence(&covered)) };
        format!("{covered}{revisions} · stacklint {}", env!("CARGO_PKG_VERSION"))
    }

    /// A place, with a link where its line is shown on the web.
    fn place(&self, side: Side, path: &str, first: u32, last: u32) -> String {
        let revision = match (side, &self.report.comparison) {
            (Side::Base, Some(comparison)) => comparison.base,
            _ => self.report.head,
        };
        let lines = if last > first { format!("{first}-{last}") } else { first.to_string() };
        let words = code(&format!("{path}:{lines}"));
        let link = self.web.as_ref().zip(revision.commit.as_ref()).and_then(|(w, c)| w.lines(c, path, first, last));
        match link {
            // A path that could break out of a link is not linked.
            Some(link) if !path.contains(['[', ']']) => format!("[{words}]({link})"),
            _ => words,
        }
    }
}

/// The folders of code that differ, each with how far it reaches.
fn code_changes(changes: &[CodeChange]) -> Option<String> {
    let line = |change: &CodeChange| {
        format!("- {} changed: {}", code(&cut(change.place(), MAX_NAME)), headline::runners(change))
    };
    let mut lines: Vec<String> = changes.iter().take(MAX_STACKS).map(line).collect();
    if changes.len() > MAX_STACKS {
        lines.push(format!("- … {} more", changes.len() - MAX_STACKS));
    }
    (!changes.is_empty()).then(|| format!("**Code**\n\n{}", lines.join("\n")))
}

/// `Not compared: a, b, … 3 more`.
fn list(what: &str, names: Vec<&str>) -> Option<String> {
    let mut shown: Vec<String> = names.iter().take(MAX_STACKS).map(|n| code(&cut(n, MAX_NAME))).collect();
    if names.len() > MAX_STACKS {
        shown.push(format!("… {} more", names.len() - MAX_STACKS));
    }
    (!names.is_empty()).then(|| format!("{what}: {}", shown.join(", ")))
}

/// Returns the pieces that fit, in full, in brief or not at all, and the number of omitted ones.
fn fit(pieces: Vec<Piece>, room: &mut usize) -> (Vec<String>, usize) {
    let mut missing = 0;
    let mut fitting = Vec::new();
    for piece in pieces {
        let choice = [piece.full, piece.brief].into_iter().find(|t| !t.is_empty() && length(t) + 2 <= *room);
        match choice {
            Some(text) => {
                *room -= length(&text) + 2;
                fitting.push(text);
            }
            None => missing += 1,
        }
    }
    (fitting, missing)
}

/// The length as GitHub may count it.
fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A sentence of bounded length.
fn sentence(text: &str) -> String {
    prose(&cut(text, MAX_SENTENCE))
}

#[cfg(test)]
mod tests;
