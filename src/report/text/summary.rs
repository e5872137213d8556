//! The start of a long report: the verdict, what is wrong in words, and what is at risk.

use super::style::{self, Theme, count};
use crate::report::{Finding, Options, Report, coverage, headline};
use std::collections::BTreeSet;

/// The most findings that are named.
const MAX_FINDINGS: usize = 3;

/// The lines of the summary, wrapped, with an empty one at the end. `changes` says what differs.
pub(super) fn lines(report: &Report<'_>, changes: Option<&str>, options: &Options) -> Vec<String> {
    let theme = Theme::new(options.color);
    let mut lines = Vec::new();
    for line in changes.into_iter().map(str::to_owned).chain([headline::findings(report)]) {
        lines.extend(style::wrap(&line, options.width, 2).iter().map(|line| theme.bold(line)));
    }
    for line in coverage::escaped(coverage::lead(report)) {
        lines.extend(style::wrap(&line, options.width, 2).iter().map(|line| theme.bold(line)));
    }
    if let Some(comparison) = &report.comparison {
        let risks = headline::at_risk(comparison).map(|line| style::escape(&line).into_owned());
        lines.extend(risks.iter().flat_map(|line| style::wrap(&format!("  {line}"), options.width, 4)));
    }
    lines.extend(worst(report, options));
    lines.push(String::new());
    lines
}

/// The most severe findings that count, a line each.
fn worst(report: &Report<'_>, options: &Options) -> Vec<String> {
    let theme = Theme::new(options.color);
    let mut findings: Vec<&Finding> = report.findings.iter().filter(|f| f.counts()).collect();
    findings.sort_by_key(|f| (std::cmp::Reverse(f.level), std::cmp::Reverse(f.diagnostic.subjects.len())));
    // Of many findings of one rule, one stands for all.
    let mut rules = BTreeSet::new();
    let first: Vec<&&Finding> = findings.iter().filter(|f| rules.insert(f.diagnostic.rule.id)).collect();
    let line = |f: &&&Finding| {
        let d = &f.diagnostic;
        let alike = findings.iter().filter(|other| other.diagnostic.rule == d.rule).count() - 1;
        let more = if alike > 0 { format!(" (and {alike} more of {})", d.rule.id) } else { String::new() };
        let level = f.level.name();
        let room = options.width.saturating_sub(level.len() + 4 + more.len());
        let message = style::escape(&d.message);
        format!("  {}: {}{more}", theme.level(f.level, level), style::cut(&message, room))
    };
    let mut lines: Vec<String> = first.iter().take(MAX_FINDINGS).map(line).collect();
    if first.len() > MAX_FINDINGS {
        lines.push(format!("  … and findings of {}", count(first.len() - MAX_FINDINGS, "more rule")));
    }
    lines
}
