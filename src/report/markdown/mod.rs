//! Markdown for a comment on a pull request or the summary of a job: what changes, in which stacks, because of which
//! lines, and the findings, with links to the lines if the remote of the repository shows files.
//!
//! It never exceeds the maximum length of a comment: the largest pieces are omitted as a whole, and the report says so.

mod edits;
mod escape;
mod findings;
mod overview;

pub(crate) use escape::code;

use super::jobs::explain;
use super::links::Web;
use super::{Finding, Novelty, RenderOptions, Report, Revision, coverage, headline};
use crate::code::CodeChange;
use crate::diagnostic::Level;
use crate::diff::group::{self, Group};
use crate::diff::{Diff, Side};
use crate::resolution::Address;
use escape::{cut, prose};
use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use serde::Serialize;
use std::io;

/// GitHub accepts 65,536 characters; some are reserved for the text around the report. Counted in UTF-16 code units, of
/// which there are never fewer than characters.
const MAX_LENGTH: usize = 65_000;
/// The maximum length of the frame: headings, notes about omissions, the footer.
const FRAME: usize = 2_000;
/// The lines that a comment should have, as far as edits can be named instead of written in full, and the lines around its parts.
const MAX_COMMENT: usize = 120;
const LINES_OF_FRAME: usize = 15;
/// The lines of edits that are written in full, and the number of further ones that are named.
const MAX_LINES: usize = 75;
const MAX_BRIEF: usize = 10;
/// The maximum number of names in a list of their own.
const MAX_STACKS: usize = 20;
/// The maximum number of names in one list.
const MAX_NAMES: usize = 5;
/// More edits, or folders of code, are folded.
const MAX_OPEN: usize = 5;
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

/// The findings that count, as list items.
///
/// # Errors
/// A template is wrong.
pub(super) fn findings(report: &Report<'_>, options: &RenderOptions) -> io::Result<Vec<String>> {
    let page = Page { report, options, web: report.remote.and_then(Web::of), templates: templates()? };
    let mut room = MAX_LENGTH / 2;
    let (mut shown, left_out) = fit(page.findings(&page.counted())?, &mut room);
    shown.extend((left_out > 0).then(|| format!("\n… and {}", super::text::style::count(left_out, "more finding"))));
    Ok(shown)
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
    intro: Vec<String>,
    dangers: Vec<String>,
    dangers_left_out: Option<String>,
    overview: Vec<String>,
    stacks: String,
    edits: String,
    /// What stands above the edits if they are folded.
    edits_folded: Option<String>,
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
        let mut groups: Vec<Vec<Group>> = parts.iter().map(|part| group::group(part, report.files)).collect();
        let uncertain: Vec<Address> = groups.iter_mut().flat_map(group::take_uncertain).collect();
        groups.iter_mut().for_each(|groups| group::fold(groups));
        let title = match &report.comparison {
            Some(comparison) => {
                let changes = headline::changes(comparison, &groups.concat(), report.coverage);
                format!("{} stacklint: {}", headline::mark(report).0, headline::verdict(report, &changes))
            }
            None => format!("stacklint: {}", headline::findings(report)),
        };
        let mut room = MAX_LENGTH - FRAME;
        let (intro, _) = fit(self.intro(), &mut room);
        let (dangers, others): (Vec<&Finding>, Vec<&Finding>) =
            self.counted().into_iter().partition(|f| f.level == Level::Danger && report.comparison.is_some());
        let (dangers, dangers_left_out) = fit(self.dangers(&dangers)?, &mut room);
        let whole = |text: Option<String>| text.map(|full| Piece { full, brief: String::new() }).into_iter().collect();
        let (overview, _) = fit(whole(self.overview(&groups, &uncertain)), &mut room);
        let code = report.comparison.as_ref().and_then(|comparison| code_changes(comparison.code));
        let (code, _) = fit(whole(code), &mut room);
        let (stacks, _) = fit(whole(self.stacks()), &mut room);
        let (new, fixed) = (self.findings(&others)?, self.fixed()?);
        let (fixed, _) = fit(fixed, &mut room);
        let shown = [&intro, &dangers, &overview, &code, &stacks, &fixed].into_iter().flatten();
        let lines = |text: &String| text.lines().count() + 1;
        let others = shown.map(lines).sum::<usize>() + new.iter().map(|piece| lines(&piece.full)).sum::<usize>();
        let left = MAX_COMMENT.saturating_sub(LINES_OF_FRAME + MAX_BRIEF + others).min(MAX_LINES);
        let edits = self.project_edits(&groups, left)?;
        // Findings take what edits leave, but at least half.
        let wanted = edits.iter().map(|piece| length(&piece.full) + 2).sum();
        let mut share = room.saturating_sub(wanted).max(room / 2);
        let available = share;
        let (findings, findings_left_out) = fit(new, &mut share);
        room -= available - share;
        let (edits, edits_left_out) = fit(edits, &mut room);
        let all_edits = edits.len() + edits_left_out;
        let edits_folded =
            (all_edits > MAX_OPEN).then(|| format!("Changes: {}", super::text::style::count(all_edits, "edit")));
        let count = |n: usize, noun: &str| (n > 0).then(|| super::text::style::count(n, noun));
        let mut text = self.template(
            "report",
            Frame {
                title: title.trim_end_matches('.').to_owned(),
                intro,
                dangers,
                dangers_left_out: count(dangers_left_out, "more danger"),
                overview: [overview, code].concat(),
                stacks: stacks.concat(),
                edits: joined(&edits),
                edits_folded,
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

    /// What was not examined, and what is at risk unless a danger says it.
    fn intro(&self) -> Vec<Piece> {
        let lead = self.report.lead();
        let mut parts: Vec<String> = lead.iter().map(|line| format!("> {}", sentence(line))).collect();
        if let Some(comparison) = &self.report.comparison {
            let risk = headline::at_risk(comparison).filter(|_| self.report.count(Level::Danger) == 0);
            parts.extend(explain::line(comparison.jobs).map(|line| format!("{}.", sentence(&line))));
            parts.extend(risk.map(|line| format!("> **{}**", sentence(&line.replacen("at risk", "At risk", 1)))));
        }
        parts.extend(list("Could not be read", self.report.unreadable.iter().map(String::as_str).collect()));
        let brief = String::new();
        parts.into_iter().map(|full| Piece { full, brief: brief.clone() }).collect()
    }

    /// The edits of all projects, under the name of each where there are several; so many lines of them are written in full.
    fn project_edits(&self, groups: &[Vec<Group<'_>>], lines: usize) -> io::Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        let (mut left, mut brief) = (lines, MAX_BRIEF);
        for (i, groups) in groups.iter().enumerate() {
            let mut edits = self.edits(groups)?;
            for edit in &mut edits {
                let lines = edit.full.lines().count();
                if lines <= left {
                    left -= lines;
                } else if brief > 0 {
                    brief -= 1;
                    edit.full.clone_from(&edit.brief);
                } else {
                    (edit.full, edit.brief) = (String::new(), String::new());
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
            Some(comparison) => match (&comparison.base.commit, &self.report.head.commit) {
                (Some(base), Some(head)) => {
                    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
                    let command = code(&format!("stacklint diff {}..{}", short(base), short(head)));
                    format!("updated for {} · {command}", code(&short(head)))
                }
                _ => format!("{} → {head}", name(comparison.base)),
            },
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
    let lines = lines.join("\n");
    match changes.len() {
        0 => None,
        1..=MAX_OPEN => Some(format!("**Code**\n\n{lines}")),
        number => {
            let changes = super::text::style::count(number, "change");
            Some(format!("<details>\n<summary><b>Code: {changes}</b></summary>\n\n{lines}\n\n</details>"))
        }
    }
}

/// Edits below each other: those that are only named are one list.
fn joined(edits: &[String]) -> String {
    let mut text = String::new();
    let is_item = |edit: &str| edit.starts_with("- ");
    for (i, edit) in edits.iter().enumerate() {
        let is_list = i > 0 && is_item(&edits[i - 1]) && is_item(edit);
        text.push_str(if i == 0 {
            ""
        } else if is_list {
            "\n"
        } else {
            "\n\n"
        });
        text.push_str(edit.trim_end());
    }
    text
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
pub(super) fn sentence(text: &str) -> String {
    prose(&cut(text, MAX_SENTENCE))
}

#[cfg(test)]
mod tests;
