//! Findings as list items.

use super::{Novelty, Page, Piece, sentence};
use crate::diagnostic::{Applicability, Label, Level};
use crate::diff::Side;
use crate::report::text::style;
use crate::report::{Finding, links, subjects};
use serde::Serialize;
use std::cmp::Reverse;
use std::io;

/// The maximum number of steps or related places of a finding.
const MAX_RELATED: usize = 12;
/// The maximum number of components of a finding that are named, each in a note.
const MAX_SUBJECTS: usize = 100;
/// The maximum number of notes of a finding.
const MAX_NOTES: usize = 6;
/// The maximum number of findings of one rule that are listed.
const MAX_ALIKE: usize = 20;
/// The maximum number of findings that are listed as fixed.
const MAX_FIXED: usize = 20;
/// Longer addresses are cut.
const MAX_ADDRESS: usize = 200;
/// The maximum number of stacks that are named.
const MAX_STACKS: usize = 5;

#[derive(Serialize)]
struct Item {
    level: &'static str,
    rule: String,
    page: String,
    place: String,
    message: String,
    steps: Vec<String>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Fixed {
    number: String,
    findings: Vec<String>,
    left_out: usize,
}

impl Page<'_> {
    /// The findings that are not known from the base, the most severe first.
    pub(super) fn counted(&self) -> Vec<&Finding> {
        let mut findings: Vec<&Finding> = self.report.findings.iter().filter(|f| f.counts()).collect();
        // Errors are listed individually; other findings are grouped by rule.
        findings.sort_by_key(|f| (Reverse(f.level), if f.level == Level::Error { "" } else { f.diagnostic.rule.id() }));
        findings
    }

    /// A piece for each finding, or for each rule with several.
    pub(super) fn findings(&self, findings: &[&Finding]) -> io::Result<Vec<Piece>> {
        let is_alike = |a: &&Finding, b: &&Finding| {
            a.level == b.level && a.level != Level::Error && a.diagnostic.rule == b.diagnostic.rule
        };
        let mut pieces = Vec::new();
        for alike in findings.chunk_by(is_alike) {
            match alike {
                [only] => pieces.push(self.piece(only)?),
                several => pieces.push(self.folded(several)?),
            }
        }
        Ok(pieces)
    }

    pub(super) fn piece(&self, finding: &Finding) -> io::Result<Piece> {
        let (full, brief) =
            (self.template("finding", self.item(finding))?, self.template("finding", self.line(finding))?);
        Ok(Piece { full: full.trim_end().to_owned(), brief: brief.trim_end().to_owned() })
    }

    /// Findings of one rule, folded away.
    fn folded(&self, alike: &[&Finding]) -> io::Result<Piece> {
        let first = alike[0];
        let (level, rule) = (first.level.name(), first.diagnostic.rule.id());
        let number = style::count(alike.len(), "finding");
        let items: Vec<String> =
            alike.iter().take(MAX_ALIKE).map(|f| Ok(self.piece(f)?.full)).collect::<io::Result<_>>()?;
        let rest = alike.len() - items.len();
        let more = if rest > 0 { format!("\n\n… and {}", style::count(rest, "more finding")) } else { String::new() };
        let summary = format!("<b>{level}</b> {}: {number}", super::escape::html(rule));
        let full = format!("\n<details>\n<summary>{summary}</summary>\n\n{}{more}\n\n</details>\n", items.join("\n"));
        Ok(Piece { full, brief: format!("- **{level}** {}: {number}", super::code(rule)) })
    }

    /// Findings that the head no longer has, in a folded section.
    pub(super) fn fixed(&self) -> io::Result<Vec<Piece>> {
        let fixed = self.report.findings.iter().filter(|f| f.novelty == Some(Novelty::Fixed));
        let fixed: Vec<&Finding> = fixed.collect();
        if fixed.is_empty() {
            return Ok(Vec::new());
        }
        let line = |f: &&Finding| Ok(self.template("finding", self.line(f))?.trim_end().to_owned());
        let findings: Vec<String> = fixed.iter().take(MAX_FIXED).map(line).collect::<io::Result<_>>()?;
        let left_out = fixed.len() - findings.len();
        let number = style::count(fixed.len(), "finding");
        let full = self.template("fixed", Fixed { number: number.clone(), findings, left_out })?;
        Ok(vec![Piece { full, brief: format!("{number} fixed") }])
    }

    fn line(&self, finding: &Finding) -> Item {
        let d = &finding.diagnostic;
        let is_gone = finding.novelty == Some(Novelty::Fixed) || d.at_head.is_some();
        let side = if is_gone { Side::Base } else { Side::Head };
        Item {
            level: finding.level.name(),
            rule: d.rule.id().to_owned(),
            page: links::rule_page(&d.rule),
            place: self.label(side, &d.primary),
            message: sentence(&d.message),
            steps: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A finding with all of its details.
    fn item(&self, finding: &Finding) -> Item {
        let d = &finding.diagnostic;
        let mut item = self.line(finding);
        let related = |label: &Label| {
            let place = self.label(Side::Head, label);
            if label.message.is_empty() { place } else { format!("{place}: {}", sentence(&label.message)) }
        };
        let places = d.related.iter().take(MAX_RELATED).map(related);
        if d.is_chain {
            item.steps.extend(places);
        } else {
            item.notes.extend(places);
        }
        if d.related.len() > MAX_RELATED {
            item.notes.push(format!("… and {}", style::count(d.related.len() - MAX_RELATED, "more place")));
        }
        // The table of changes says what becomes of each component.
        let is_in_table = finding.level == Level::Danger && self.report.comparison.is_some();
        let subjects = if is_in_table { Vec::new() } else { subjects::notes(d, self.options.all) };
        item.notes.extend(subjects.iter().take(MAX_SUBJECTS).map(|note| sentence(note)));
        item.notes.extend(d.notes.iter().take(MAX_NOTES).map(|note| sentence(note)));
        item.notes
            .extend(d.address.iter().map(|address| format!("in {}", super::code(&super::cut(address, MAX_ADDRESS)))));
        if d.stacks.len() > usize::from(d.address.is_some()) && d.subjects.len() < 2 {
            let mut names: Vec<String> =
                d.stacks.iter().take(MAX_STACKS).map(|s| super::code(&super::cut(s, super::MAX_NAME))).collect();
            if d.stacks.len() > MAX_STACKS {
                names.push(format!("… {} more", d.stacks.len() - MAX_STACKS));
            }
            item.notes.push(format!("reaches {}: {}", style::count(d.stacks.len(), "stack"), names.join(", ")));
        }
        // The text of the fix need not be repeated.
        let help = d.help.iter().filter(|help| d.fix.as_ref().is_none_or(|fix| fix.title != **help));
        item.notes.extend(help.map(|help| format!("**help:** {}", sentence(help))));
        if let Some(fix) = d.fix.as_ref().filter(|f| f.applicability != Applicability::DisplayOnly) {
            let trust = if fix.applicability == Applicability::Safe { "" } else { " (unsafe)" };
            item.notes.push(format!("**fix{trust}:** {}", sentence(&fix.title)));
        }
        item
    }

    fn label(&self, side: Side, label: &Label) -> String {
        let file = self.report.files.get(label.file);
        let first = file.line(label.start);
        let end = file.trimmed_end(label.start, label.end);
        let last = file.line(end.saturating_sub(1).max(label.start));
        self.place(side, &file.path, first, last)
    }
}
