//! Text for people: what changed and why, what is wrong and where.
//!
//! Nothing that comes from files reaches the output unescaped, and what looks like a secret is masked.

pub(super) mod addresses;
pub(super) mod causes;
pub(super) mod changes;
mod code;
mod findings;
mod locals;
pub mod style;
pub mod value;
pub(super) mod words;

pub use findings::write as write_finding;

use crate::diff::Diff;
use crate::diff::group::{self, Effect};
use crate::files::Files;
use crate::report::{Comparison, Finding, Novelty, Options, Report, coverage, headline};
use crate::resolution::Address;
use std::io;
use style::Theme;

/// Writes what could not be resolved, what differs if two states were compared, what is wrong, and what was analyzed.
///
/// # Errors
/// Those of the writer.
pub fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &Options) -> io::Result<()> {
    write_lead(out, report, options)?;
    if let Some(comparison) = &report.comparison {
        write_diff(out, comparison, report, options)?;
    }
    let is_empty = report.findings.iter().all(|f| f.novelty == Some(Novelty::Known))
        && report.suppressed.is_empty()
        && report.troubles.is_empty();
    if report.comparison.is_none() || !is_empty {
        if report.comparison.is_some() {
            writeln!(out)?;
        }
        write_findings(out, report, options)?;
    }
    write_summary(out, report)
}

/// Writes what could not be resolved, and what is assumed.
fn write_lead(out: &mut dyn io::Write, report: &Report<'_>, options: &Options) -> io::Result<()> {
    let lines = coverage::escaped(coverage::lead(report));
    if lines.is_empty() {
        return Ok(());
    }
    let theme = Theme::new(options.color);
    lines.iter().try_for_each(|line| writeln!(out, "{}", theme.bold(line)))?;
    writeln!(out)
}

/// Writes what was analyzed.
fn write_summary(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let line = coverage::summary(report);
    if line.is_empty() { Ok(()) } else { writeln!(out, "{}", style::escape(&line)) }
}

/// Writes what is wrong, what is no longer, and a line that sums it up.
fn write_findings(out: &mut dyn io::Write, report: &Report<'_>, options: &Options) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let (gone, there): (Vec<&Finding>, Vec<&Finding>) = report.shown().partition(|f| f.novelty == Some(Novelty::Fixed));
    for finding in there {
        findings::write(out, finding, report.files, options)?;
    }
    for finding in &gone {
        findings::write_fixed(out, finding, report.files, options)?;
    }
    if !gone.is_empty() {
        writeln!(out)?;
    }
    if !report.troubles.is_empty() {
        let paths: Vec<_> = report.troubles.iter().map(|path| style::escape(path)).collect();
        writeln!(out, "Could not be read: {}\n", paths.join(", "))?;
    }
    writeln!(out, "{}", theme.bold(&headline::findings(report)))
}

/// Writes what is wrong, and of what differs only the line that sums it up.
///
/// # Errors
/// Those of the writer.
pub fn write_brief(out: &mut dyn io::Write, report: &Report<'_>, options: &Options) -> io::Result<()> {
    write_lead(out, report, options)?;
    let has_findings = report.shown().next().is_some() || !report.troubles.is_empty();
    if has_findings {
        write_findings(out, report, options)?;
    }
    let has_changes = match &report.comparison {
        Some(comparison) if !comparison.diff.components.is_empty() || !comparison.code.is_empty() => {
            let groups = group::group(comparison.diff, report.files);
            let line = headline::changes(comparison, &groups, report.coverage);
            writeln!(out, "{}", Theme::new(options.color).bold(&line))?;
            true
        }
        _ => false,
    };
    if has_findings || has_changes || !report.coverage.is_whole() { write_summary(out, report) } else { Ok(()) }
}

/// Writes what differs, project by project, and a line that sums it up.
fn write_diff(
    out: &mut dyn io::Write,
    comparison: &Comparison<'_>,
    report: &Report<'_>,
    options: &Options,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let parts = if comparison.parts.is_empty() { std::slice::from_ref(comparison.diff) } else { comparison.parts };
    let mut all = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let groups = group::group(part, report.files);
        if let Some(project) = report.coverage.projects.get(i).filter(|_| parts.len() > 1)
            && !(part.components.is_empty() && part.locals.is_empty())
        {
            let line = format!("Project {} ({})", style::escape(&project.path), project.dialect);
            writeln!(out, "{}\n", theme.bold(&line))?;
        }
        write_groups(out, part, &groups, report.files, options)?;
        locals::write(out, &part.locals, options)?;
        all.extend(groups);
    }
    code::write(out, comparison.code, options)?;
    writeln!(out, "{}", theme.bold(&headline::changes(comparison, &all, report.coverage)))
}

/// Writes one block for each edit with the lines of the edit, the paths that change because of it and the components
/// they change in.
fn write_groups(
    out: &mut dyn io::Write,
    diff: &Diff,
    groups: &[group::Group<'_>],
    files: &Files,
    options: &Options,
) -> io::Result<()> {
    let several_types = diff.components.iter().any(|c| c.kind != diff.components[0].kind);
    let mut before: &[Address] = &[];
    for block in groups.chunk_by(|a, b| a.causes == b.causes) {
        let all_secret =
            block.iter().all(|g| !g.changes.is_empty() && g.changes.iter().all(|c| changes::is_masked(c, options)));
        causes::write(out, &block[0].causes, all_secret, files, options)?;
        for group in block {
            writeln!(out)?;
            if group.effect == Effect::Renamed {
                addresses::write_renamed(out, group, several_types, options)?;
            } else if group.changes.is_empty() {
                addresses::write_whole(out, group, several_types, options)?;
            } else {
                changes::write(out, &group.changes, options)?;
                let again = group.addresses == before;
                addresses::write(out, &group.addresses, again, several_types, options)?;
            }
            before = &group.addresses;
        }
        writeln!(out)?;
    }
    Ok(())
}
