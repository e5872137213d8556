//! The merge for people.

use super::{Group, MergeReport, Shown, groups};
use crate::diff::merged::{BrokenStack, VERSIONS};
use crate::report::text::style::{self, Theme, count, escape};
use crate::report::text::{addresses, causes, changes, value, write_finding};
use crate::report::{RenderOptions, Report, coverage};
use crate::text::Text;
use std::io;

/// Columns of one value.
const VALUE: usize = 40;

/// Writes a merge.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, merge: &MergeReport<'_>, options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let (mark, level) = merge.mark();
    for line in style::wrap(&escape(&format!("{mark} {}", merge.verdict())), options.width, 2) {
        writeln!(out, "{}", level.map_or_else(|| theme.bold(&line), |level| theme.level(level, &line)))?;
    }
    match &merge.shown {
        Shown::Conflicts(conflicts) => {
            conflicts.iter().try_for_each(|path| writeln!(out, "  conflict in {}", theme.place(&escape(path))))?;
            writeln!(out, "\nNothing else was compared: resolve the conflicts, and name the merge by --result.")
        }
        Shown::Merged { projects, report } => {
            let lead = coverage::lead(report).into_iter().chain(projects.iter().flat_map(|p| p.unresolved.clone()));
            for line in lead.flat_map(|line| style::wrap(&escape(&line), options.width, 2)) {
                writeln!(out, "{}", theme.bold(&line))?;
            }
            writeln!(out)?;
            for broken in projects.iter().flat_map(|project| &project.broken) {
                writeln!(out, "{}", stack(broken, theme))?;
            }
            values(out, merge, report, &groups(projects), options)?;
            report.findings.iter().try_for_each(|finding| write_finding(out, finding, report.files, options))?;
            writeln!(out, "{}", escape(&coverage::summary(report)))
        }
    }
}

/// `stack qa does not resolve in merged: stacks/qa.yaml`, and why.
fn stack(broken: &BrokenStack, theme: Theme) -> String {
    let files: Vec<String> = broken.files.iter().map(|path| theme.place(&escape(path))).collect();
    let name = theme.path(&escape(&broken.stack));
    let reason = broken.reason.as_ref().map(|(message, file, line)| {
        format!("    {} {}\n", theme.place(&format!("{}:{line}", escape(file))), escape(message))
    });
    let line = format!("stack {name} does not resolve in {}: {}", broken.versions.join(", "), files.join(", "));
    format!("{line}\n{}", reason.unwrap_or_default())
}

/// The listed values, as many as there is room for.
fn values(
    out: &mut dyn io::Write,
    merge: &MergeReport<'_>,
    report: &Report<'_>,
    groups: &[Group<'_>],
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let mut room = options.lines.unwrap_or(usize::MAX);
    for (i, group) in groups.iter().enumerate() {
        let mut block = Vec::new();
        write_group(&mut block, merge, report, group, options)?;
        let lines = block.iter().filter(|byte| **byte == b'\n').count();
        // The first one is always shown.
        if lines > room && i > 0 {
            let rest = format!("… and {}, --all shows them", count(groups.len() - i, "more difference"));
            return writeln!(out, "{}\n", theme.dim(&rest));
        }
        room = room.saturating_sub(lines);
        out.write_all(&block)?;
    }
    Ok(())
}

/// A value with its versions, and the lines of both sides.
fn write_group(
    out: &mut dyn io::Write,
    merge: &MergeReport<'_>,
    report: &Report<'_>,
    group: &Group<'_>,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let listed = group.listed;
    let what = match group.whole {
        Some(values) => format!("all {}", count(values, "value")),
        None => theme.path(&escape(&changes::path(&listed.value.path))),
    };
    let place = match &group.addresses[..] {
        [(stack, _, name)] => format!("{} of {}", escape(name), escape(stack)),
        several => addresses::totals(several),
    };
    let meaning = merge.meaning(listed.value.effect, &|name| escape(name).into_owned());
    writeln!(out, "{what} in {place}: {meaning}")?;
    if let several @ [_, _, ..] = &group.addresses[..] {
        for (components, stacks) in addresses::folded(several, false) {
            let line = format!("{} in {}", components.join(", "), stacks.join(", "));
            style::wrap(&escape(&line), options.width.saturating_sub(4), 2)
                .iter()
                .try_for_each(|line| writeln!(out, "    {}", theme.dim(line)))?;
        }
    }
    if group.whole.is_none() {
        let shown = |(name, value): (&&str, &Option<crate::value::Value>)| {
            let text =
                value.as_ref().map_or_else(|| "–".to_owned(), |value| value::inline(value, listed.is_secret, options));
            let text = if options.all { text } else { style::cut(&text, VALUE).into_owned() };
            format!("{} {text}", theme.dim(name))
        };
        let versions: Vec<String> = VERSIONS.iter().zip(&listed.value.versions).map(shown).collect();
        style::wrap(&versions.join(" · "), options.width.saturating_sub(4), 2)
            .iter()
            .try_for_each(|line| writeln!(out, "    {line}"))?;
    }
    for (name, lines) in ["ours", "theirs"].iter().zip(&listed.lines).filter(|(_, lines)| !lines.is_empty()) {
        let mut written = Vec::new();
        causes::write(&mut written, lines, listed.is_secret, group.whole.is_some(), report.files, options)?;
        let written = Text::from(String::from_utf8_lossy(&written).trim_end());
        for (i, line) in written.lines().enumerate() {
            let label = if i == 0 { *name } else { "" };
            writeln!(out, "    {}  {line}", theme.dim(&format!("{label:6}")))?;
        }
    }
    writeln!(out)
}
