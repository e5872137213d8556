//! Text for people: what changed and why, what is wrong and where.
//!
//! Nothing that comes from files reaches the output unescaped, and what looks like a secret is masked.

pub(super) mod addresses;
pub(super) mod causes;
pub(super) mod changes;
mod findings;
mod locals;
pub mod style;
pub mod value;
pub(super) mod words;

pub use findings::write as write_finding;

use crate::diff::Diff;
use crate::diff::group;
use crate::files::Files;
use crate::report::{Comparison, Finding, Novelty, Options, Report, headline};
use crate::resolution::Address;
use std::io;
use style::Theme;

/// Writes what differs, if two states were compared, and then what is wrong.
///
/// # Errors
/// Those of the writer.
pub fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &Options) -> io::Result<()> {
    if let Some(comparison) = &report.comparison {
        write_diff(out, comparison.diff, report.files, options)?;
        if report.shown().next().is_none() && report.suppressed.is_empty() && report.troubles.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
    }
    write_findings(out, report, options)
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
    if report.shown().next().is_some() || !report.troubles.is_empty() {
        write_findings(out, report, options)?;
    }
    match &report.comparison {
        Some(Comparison { diff, .. }) if !diff.components.is_empty() => {
            let line = headline::changes(diff, &group::group(diff, report.files));
            writeln!(out, "{}", Theme::new(options.color).bold(&line))
        }
        _ => Ok(()),
    }
}

/// Writes what differs, one block for each edit with the lines of the edit, the paths that change because of it and the
/// components they change in, and a line that sums it up.
pub(super) fn write_diff(out: &mut dyn io::Write, diff: &Diff, files: &Files, options: &Options) -> io::Result<()> {
    let theme = Theme::new(options.color);
    if diff.components.is_empty() {
        locals::write(out, &diff.locals, options)?;
        writeln!(out, "{}", theme.bold(&headline::changes(diff, &[])))?;
        return write_unresolved(out, diff);
    }
    let several_types = diff.components.iter().any(|c| c.kind != diff.components[0].kind);
    let groups = group::group(diff, files);
    let mut before: &[Address] = &[];
    for block in groups.chunk_by(|a, b| a.causes == b.causes) {
        let all_secret =
            block.iter().all(|g| !g.changes.is_empty() && g.changes.iter().all(|c| changes::is_masked(c, options)));
        causes::write(out, &block[0].causes, all_secret, files, options)?;
        for group in block {
            writeln!(out)?;
            if group.changes.is_empty() {
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
    locals::write(out, &diff.locals, options)?;
    writeln!(out, "{}", theme.bold(&headline::changes(diff, &groups)))?;
    write_unresolved(out, diff)
}

/// Says what was not compared.
fn write_unresolved(out: &mut dyn io::Write, diff: &Diff) -> io::Result<()> {
    if diff.unresolved.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = diff.unresolved.iter().map(|n| style::escape(n).to_string()).collect();
    writeln!(out, "Not compared, because it could not be resolved: {}", names.join(", "))
}
