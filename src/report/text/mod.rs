//! Text for people: what changed and why, what is wrong and where.
//!
//! Nothing that comes from files reaches the output unescaped, and what looks like a secret is masked.

mod addresses;
mod causes;
mod changes;
mod findings;
pub mod style;
pub mod value;
mod words;

pub use findings::write as write_finding;

use crate::diff::group::{self, Group};
use crate::diff::{Diff, Status};
use crate::estate::Address;
use crate::files::Files;
use crate::report::{Options, Report};
use std::collections::BTreeSet;
use std::io;
use style::Theme;

/// Writes what differs, if two states were compared, and then what is wrong.
///
/// # Errors
/// Those of the writer.
pub fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &Options) -> io::Result<()> {
    if let Some(comparison) = &report.comparison {
        write_diff(out, comparison.diff, report.files, options)?;
        if report.shown().next().is_none() && report.suppressed.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
    }
    let theme = Theme::new(options.color);
    for finding in report.shown() {
        findings::write(out, finding, report.files, options)?;
    }
    writeln!(out, "{}", theme.bold(&findings::summary(report)))
}

/// Writes what differs, one block for each edit with the lines of the edit, the paths that change because of it and the
/// components they change in, and a line that sums it up.
pub(super) fn write_diff(out: &mut dyn io::Write, diff: &Diff, files: &Files, options: &Options) -> io::Result<()> {
    let theme = Theme::new(options.color);
    if diff.components.is_empty() {
        if diff.unresolved.is_empty() {
            return writeln!(out, "{}", theme.bold("No effective change."));
        }
        writeln!(out, "{}", theme.bold("No change in what could be resolved."))?;
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
    writeln!(out, "{}", theme.bold(&summary(diff, &groups)))?;
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

/// `3 changes reach 42 components in 7 stacks (1 added, 0 removed)`.
fn summary(diff: &Diff, groups: &[Group]) -> String {
    let changes: usize = groups.iter().map(|g| g.changes.len().max(1)).sum();
    let stacks: BTreeSet<_> = diff.components.iter().map(|c| &c.stack).collect();
    let number = |status| diff.components.iter().filter(|c| c.status == status).count();
    let (added, removed) = (number(Status::Added), number(Status::Removed));
    let whole = if added + removed > 0 { format!(" ({added} added, {removed} removed)") } else { String::new() };
    format!(
        "{} {} {} in {}{whole}",
        style::count(changes, "change"),
        if changes == 1 { "reaches" } else { "reach" },
        style::count(diff.components.len(), "component"),
        style::count(stacks.len(), "stack"),
    )
}
