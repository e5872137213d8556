//! A line for each change and each finding: `path:line: change: …`, `path:line:column: level[rule]: message`. Columns count
//! characters, from 1.

use super::text::brief;
use super::text::style::{Theme, escape};
use super::{Finding, Novelty, RenderOptions, Report, headline};
use crate::diff::group;
use std::io;

/// Writes the changes, if two states were compared, and the reported findings; nothing if there are neither.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    if let Some(comparison) = &report.comparison {
        for group in group::group(comparison.diff, report.files) {
            for line in brief::each(&group, report.files, options) {
                writeln!(out, "{line}")?;
            }
        }
        for code in comparison.code {
            let place = theme.bold(&format!("{}:", escape(code.place())));
            writeln!(out, "{place} {}: {}", theme.changed("change"), headline::runners(code))?;
        }
    }
    report.shown().try_for_each(|finding| writeln!(out, "{}", line(finding, report, &theme)))
}

fn line(finding: &Finding, report: &Report<'_>, theme: &Theme) -> String {
    let d = &finding.diagnostic;
    let file = report.files.get(d.primary.file);
    let at = file.position(d.primary.start);
    let place = format!("{}:{}:{}:", escape(&file.path), at.line, at.column);
    let level = theme.level(finding.level, &format!("{}[{}]", finding.level.name(), d.rule.id()));
    let fixed = if finding.novelty == Some(Novelty::Fixed) { " (fixed)" } else { "" };
    format!("{} {level}: {}{fixed}", theme.bold(&place), escape(&d.message))
}
