//! Text for people: what changed and why, and the findings with their places.
//!
//! Nothing that comes from files reaches the output unescaped, and what looks like a secret is masked.

pub(super) mod addresses;
mod blocks;
pub(super) mod brief;
pub(super) mod causes;
pub(super) mod changes;
mod code;
mod findings;
mod locals;
pub(crate) mod style;
mod summary;
pub(crate) mod value;
pub(super) mod words;

pub(crate) use findings::write as write_finding;

use crate::diff::Diff;
use crate::diff::group::{self, Effect};
use crate::files::Files;
use crate::report::{Comparison, Finding, Novelty, RenderOptions, Report, coverage, headline};
use crate::resolution::Address;
use blocks::{Block, Chosen};
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use style::Theme;

/// Reports of more lines start with a summary: a small terminal shows 24, with the command and the prompt.
const SCREEN: usize = 20;

/// Writes the unresolved parts, the changes if two states were compared, the findings, and the summary of the analysis.
/// A report that is longer than a screen starts with a summary.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let diff = report.comparison.as_ref().map(|comparison| diff_blocks(comparison, report, options)).transpose()?;
    let (changes, verdict) = diff.map_or_else(|| (Vec::new(), None), |(blocks, verdict)| (blocks, Some(verdict)));
    let findings = finding_blocks(report, options)?;
    let end = closing(report, options)?;
    let lead = lead(report, options);
    let height = |blocks: &[Block]| blocks.iter().map(Block::height).sum::<usize>();
    let total = lead.len() + height(&changes) + height(&findings) + end.len();
    let is_long = total > SCREEN;
    let start = if is_long { summary::lines(report, verdict.as_deref(), options) } else { lead };
    // Two notes and the verdict take some more.
    let room = options.lines.map(|lines| lines.saturating_sub(start.len() + end.len() + 6));
    let (changes, findings) = match room.filter(|room| height(&changes) + height(&findings) > *room) {
        None => (blocks::all(&changes), blocks::all(&findings)),
        Some(room) => {
            let share = room.saturating_sub(height(&changes)).max(room / 2);
            let findings = blocks::choose(&findings, share);
            (blocks::choose(&changes, room.saturating_sub(findings.lines.len())), findings)
        }
    };
    let mut lines = start;
    add(&mut lines, &changes, "block of changes", theme);
    let is_empty = report.findings.iter().all(|f| f.novelty == Some(Novelty::Known))
        && report.suppressed.is_empty()
        && report.unreadable.is_empty();
    if let Some(verdict) = verdict {
        lines.extend(style::wrap(&verdict, options.width, 2).iter().map(|line| theme.bold(line)));
        if !is_empty {
            lines.push(String::new());
        }
    }
    if report.comparison.is_none() || !is_empty {
        add(&mut lines, &findings, "finding", theme);
        lines.extend(end);
    }
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    write_summary(out, report, options)
}

/// Adds the selected blocks, and a line about omitted ones.
fn add(lines: &mut Vec<String>, chosen: &Chosen, noun: &str, theme: Theme) {
    lines.extend(chosen.lines.iter().cloned());
    let plural = |n: usize| match noun {
        "block of changes" if n != 1 => format!("{n} more blocks of changes"),
        noun => style::count(n, &format!("more {noun}")),
    };
    if chosen.left_out > 0 {
        lines.push(theme.dim(&format!("… and {}; --all shows everything in full", plural(chosen.left_out))));
        lines.push(String::new());
    } else if chosen.shortened > 0 {
        lines.push(theme.dim("Lines without an excerpt are shortened; --all shows everything in full"));
        lines.push(String::new());
    }
}

/// Returns the output of a writer as lines, without empty ones at the end.
fn rendered(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<Vec<String>> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    Ok(lines)
}

/// Lines that are wider than the terminal, broken between words.
fn wrapped(lines: Vec<String>, options: &RenderOptions) -> Vec<String> {
    let wrap = |line: String| match style::visible_width(&line) > options.width && !options.all {
        true => style::wrap(&line, options.width, 8),
        false => vec![line],
    };
    lines.into_iter().flat_map(wrap).collect()
}

/// The unresolved parts and assumptions, followed by an empty line.
fn lead(report: &Report<'_>, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    let lead = coverage::escaped(coverage::lead(report));
    let mut lines: Vec<String> = lead.iter().flat_map(|line| style::wrap(line, options.width, 2)).collect();
    if !lines.is_empty() {
        lines.iter_mut().for_each(|line| *line = theme.bold(line));
        lines.push(String::new());
    }
    lines
}

/// Writes what was analyzed.
fn write_summary(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let line = coverage::summary(report);
    if line.is_empty() {
        return Ok(());
    }
    style::wrap(&style::escape(&line), options.width, 2).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// The findings, most severe first, each with a brief line; then the fixed ones.
fn finding_blocks(report: &Report<'_>, options: &RenderOptions) -> io::Result<Vec<Block>> {
    let (removed, mut there): (Vec<&Finding>, Vec<&Finding>) =
        report.shown().partition(|f| f.novelty == Some(Novelty::Fixed));
    // They are sorted by file and line already.
    there.sort_by_key(|f| std::cmp::Reverse(f.level));
    let mut rules = BTreeSet::new();
    let mut blocks = Vec::new();
    for finding in there {
        let full = rendered(|out| findings::write(out, finding, report.files, options))?;
        let brief = rendered(|out| findings::write_brief(out, finding, report.files, options))?;
        // The first finding of a rule represents the others.
        let is_first = rules.insert(finding.diagnostic.rule.id());
        let weight = finding.level as usize * 2 + usize::from(is_first);
        blocks.push(Block { full, brief, weight });
    }
    if !removed.is_empty() {
        let full = rendered(|out| {
            removed.iter().try_for_each(|finding| findings::write_fixed(out, finding, report.files, options))
        })?;
        let brief = if removed.len() == 1 {
            full.clone()
        } else {
            vec![format!("{} fixed", style::count(removed.len(), "finding"))]
        };
        blocks.push(Block { full, brief, weight: 0 });
    }
    Ok(blocks)
}

/// Files that could not be read, and a line that summarizes the findings.
fn closing(report: &Report<'_>, options: &RenderOptions) -> io::Result<Vec<String>> {
    let theme = Theme::new(options.color);
    let mut lines = Vec::new();
    if !report.unreadable.is_empty() {
        let paths: Vec<_> = report.unreadable.iter().map(|path| style::escape(path)).collect();
        lines.extend(style::wrap(&format!("Could not be read: {}", paths.join(", ")), options.width, 2));
        lines.push(String::new());
    }
    lines.push(theme.bold(&headline::findings(report)));
    Ok(lines)
}

/// Writes what is wrong, and of what differs only the line that sums it up.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_brief(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    lead(report, options).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let has_findings = report.shown().next().is_some() || !report.unreadable.is_empty();
    if has_findings {
        let findings = blocks::all(&finding_blocks(report, options)?);
        let end = closing(report, options)?;
        findings.lines.iter().chain(&end).try_for_each(|line| writeln!(out, "{line}"))?;
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
    if has_findings || has_changes || !report.coverage.is_whole() {
        write_summary(out, report, options)
    } else {
        Ok(())
    }
}

/// The changes by project, and a line that summarizes them.
fn diff_blocks(
    comparison: &Comparison<'_>,
    report: &Report<'_>,
    options: &RenderOptions,
) -> io::Result<(Vec<Block>, String)> {
    let theme = Theme::new(options.color);
    let parts = if comparison.parts.is_empty() { std::slice::from_ref(comparison.diff) } else { comparison.parts };
    let mut all = Vec::new();
    let mut blocks = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let groups = group::group(part, report.files);
        if let Some(project) = report.coverage.projects.get(i).filter(|_| parts.len() > 1)
            && !(part.components.is_empty() && part.locals.is_empty())
        {
            let line = theme.bold(&format!("Project {} ({})", style::escape(&project.path), project.dialect));
            blocks.push(Block { full: vec![line.clone()], brief: vec![line], weight: usize::MAX });
        }
        blocks.extend(group_blocks(part, &groups, report.files, options)?);
        blocks.push(listed(rendered(|out| locals::write(out, &part.locals, options))?));
        all.extend(groups);
    }
    blocks.push(listed(wrapped(rendered(|out| code::write(out, comparison.code, options))?, options)));
    blocks.retain(|block| !block.full.is_empty());
    Ok((blocks, headline::changes(comparison, &all, report.coverage)))
}

/// A list with a heading; its first lines are the brief form.
fn listed(full: Vec<String>) -> Block {
    const SHORT: usize = 5;
    let mut brief: Vec<String> = full.iter().take(SHORT).cloned().collect();
    match full.len().saturating_sub(SHORT) {
        0 => {}
        1 => brief.clone_from(&full),
        rest => brief.push(format!("  … {}", style::count(rest, "more line"))),
    }
    Block { full, brief, weight: 1 }
}

/// One block for each edit with the lines of the edit, the paths that change because of it and the components they
/// change in.
fn group_blocks(
    diff: &Diff,
    groups: &[group::Group<'_>],
    files: &Files,
    options: &RenderOptions,
) -> io::Result<Vec<Block>> {
    let several_types = diff.components.iter().any(|c| c.kind != diff.components[0].kind);
    let mut before: &[Address] = &[];
    let mut blocks = Vec::new();
    for block in groups.chunk_by(|a, b| a.causes == b.causes) {
        let full = rendered(|out| {
            write_causes(out, block, files, options)?;
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
            Ok(())
        })?;
        let full = wrapped(full, options);
        let brief = wrapped(block.iter().map(|group| brief::line(group, files, options)).collect(), options);
        let weight = block.iter().map(|g| g.addresses.len() * if g.effect == Effect::Modified { 2 } else { 3 }).sum();
        blocks.push(Block { full, brief, weight });
    }
    Ok(blocks)
}

/// Writes the edited lines of a block.
fn write_causes(
    out: &mut dyn io::Write,
    block: &[group::Group<'_>],
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let all_secret =
        block.iter().all(|g| !g.changes.is_empty() && g.changes.iter().all(|c| changes::is_masked(c, options)));
    let is_whole = block.iter().all(|g| matches!(g.effect, Effect::Added | Effect::Removed));
    causes::write(out, &block[0].causes, all_secret, is_whole, files, options)
}
