//! The start of a long report: the verdict, a summary of the findings, and risks.

use super::style::{self, Theme};
use crate::report::{Finding, RenderOptions, Report, coverage, headline};

/// Returns the lines of the summary, wrapped, with an empty one at the end. `changes` summarizes the changes.
pub(super) fn lines(report: &Report<'_>, changes: Option<&str>, options: &RenderOptions) -> Vec<String> {
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
fn worst(report: &Report<'_>, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    let (worst, others) = headline::worst(report);
    let line = |(finding, more): &(&Finding, String)| {
        let level = finding.level.name();
        let room = options.width.saturating_sub(level.len() + 4 + more.len());
        let message = style::escape(&finding.diagnostic.message);
        format!("  {}: {}{more}", theme.level(finding.level, level), style::cut(&message, room))
    };
    let mut lines: Vec<String> = worst.iter().map(line).collect();
    lines.extend(others.map(|words| format!("  {words}")));
    lines
}
