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
mod statistics;
pub(crate) mod style;
pub(crate) mod value;
pub(super) mod words;

pub(crate) use findings::write as write_finding;

use crate::diagnostic::Level;
use crate::diff::Diff;
use crate::diff::group::{self, Effect};
use crate::files::Files;
use crate::report::{Comparison, Detail, Finding, Novelty, RenderOptions, Report, coverage, headline};
use crate::resolution::Address;
use crate::text::Text;
use crate::value::FileId;
use blocks::{Block, Chosen};
use findings::Edits;
use std::collections::{BTreeSet, HashMap};
use std::io;
use style::Theme;

/// The lines that the findings get at least if there is not room for everything: this part of all.
const SHARE_OF_FINDINGS: usize = 2;

/// Writes as much of a report as the options say.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    match options.detail {
        Detail::Full => write_full(out, report, options),
        Detail::Statistics => statistics::write(out, report, options),
        Detail::Verdict => {
            let lines = verdict_lines(report, &RenderOptions { width: usize::MAX, ..*options });
            lines.iter().filter(|line| !line.is_empty()).try_for_each(|line| writeln!(out, "{line}"))
        }
    }
}

/// Writes the verdict, the dangers and errors, the changes, the other findings, and what was analyzed. Nothing is said twice.
fn write_full(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let urgent = |f: &Finding| f.counts() && f.level >= Level::Error;
    let (first, others): (Vec<&Finding>, Vec<&Finding>) = report.shown().partition(|f| urgent(f));
    let mut edits = Edits::default();
    let (changes, start) = match &report.comparison {
        Some(comparison) => {
            let (changes, summary) = diff_blocks(comparison, report, &mut edits, options)?;
            (changes, verdict(report, &summary, options))
        }
        None => (Vec::new(), lead(report, options)),
    };
    let first = finding_blocks(first, report, &edits, options)?;
    let others = finding_blocks(others, report, &edits, options)?;
    let end = closing(report, options);
    let height = |blocks: &[Block]| blocks.iter().map(Block::height).sum::<usize>();
    // The line about what is left out, and the one about what was analyzed, take some more.
    let room = options.lines.map(|lines| lines.saturating_sub(start.len() + end.len() + 4));
    let total = height(&first) + height(&changes) + height(&others);
    let (first, changes, others) = match room.filter(|room| total > *room) {
        None => (blocks::all(&first), blocks::all(&changes), blocks::all(&others)),
        Some(room) => {
            let of_findings = room.saturating_sub(height(&changes)).max(room / SHARE_OF_FINDINGS);
            let first = blocks::choose(&first, of_findings, theme);
            let others = blocks::choose(&others, of_findings.saturating_sub(first.lines.len()), theme);
            let left = room.saturating_sub(first.lines.len() + others.lines.len());
            (first, blocks::choose(&changes, left, theme), others)
        }
    };
    let mut lines = start;
    if total == 0 && report.unreadable.is_empty() && report.comparison.is_some() {
        lines.pop();
    }
    add(&mut lines, &first, "finding", theme);
    add(&mut lines, &changes, "block of changes", theme);
    add(&mut lines, &others, "finding", theme);
    lines.extend(end);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let is_shortened = [&first, &changes, &others].iter().any(|part| part.left_out + part.shortened > 0);
    write_summary(out, report, is_shortened, options)
}

/// Adds the selected blocks, and a line about omitted ones.
fn add(lines: &mut Vec<String>, chosen: &Chosen, noun: &str, theme: Theme) {
    lines.extend(chosen.lines.iter().cloned());
    let plural = |n: usize| match noun {
        "block of changes" if n != 1 => format!("{n} more blocks of changes"),
        noun => style::count(n, &format!("more {noun}")),
    };
    if chosen.left_out > 0 {
        lines.push(theme.dim(&format!("… and {}", plural(chosen.left_out))));
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
    let lead = coverage::escaped(report.lead());
    let mut lines: Vec<String> = lead.iter().flat_map(|line| style::wrap(line, options.width, 2)).collect();
    if !lines.is_empty() {
        lines.iter_mut().for_each(|line| *line = theme.bold(line));
        lines.push(String::new());
    }
    lines
}

/// The verdict with its sign, and the unresolved parts. `changes` sums up what differs. Removed and moved things are named
/// unless a finding does.
fn verdict(report: &Report<'_>, changes: &str, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    let (mark, level) = headline::mark(report);
    let line = format!("{mark} {}", headline::verdict(report, changes));
    let mut lines: Vec<String> = style::wrap(&line, options.width, 2);
    lines.iter_mut().for_each(|line| *line = level.map_or_else(|| theme.bold(line), |level| theme.level(level, line)));
    let risks = report.comparison.as_ref().filter(|_| report.count(Level::Danger) == 0).and_then(headline::at_risk);
    let risks = risks.map(|line| format!("  {}", style::escape(&line)));
    lines.extend(risks.iter().flat_map(|line| style::wrap(line, options.width, 4)));
    let lead = lead(report, options);
    if lead.is_empty() {
        lines.push(String::new())
    } else {
        lines.extend(lead)
    }
    lines
}

/// The verdict and the unresolved parts, each followed by an empty line.
fn verdict_lines(report: &Report<'_>, options: &RenderOptions) -> Vec<String> {
    match &report.comparison {
        Some(comparison) => verdict(report, &headline::changes_of_all(comparison, report), options),
        None => {
            let mut lines = lead(report, options);
            lines.extend(closing(report, options));
            lines.push(String::new());
            lines
        }
    }
}

/// Writes what was analyzed.
fn write_summary(
    out: &mut dyn io::Write,
    report: &Report<'_>,
    is_shortened: bool,
    options: &RenderOptions,
) -> io::Result<()> {
    let mut parts = vec![coverage::summary(report)];
    parts.extend(is_shortened.then(|| "shortened, --all shows everything".to_owned()));
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return Ok(());
    }
    style::wrap(&style::escape(&parts.join("; ")), options.width, 2).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// What joins findings of one rule: the first one is shown, and of the others the message.
#[derive(PartialEq, Eq, Hash)]
enum Shared<'a> {
    /// The notes and the help of findings about edited lines that the report shows with the changes.
    Advice(&'a [String], &'a Option<String>),
    /// The place: a shared file is wrong for each unit that reads it.
    Place(FileId, u32, u32),
}

/// The findings, most severe first, those about protected stacks before others, each with a brief line; then the fixed ones.
fn finding_blocks(
    shown: Vec<&Finding>,
    report: &Report<'_>,
    edits: &Edits,
    options: &RenderOptions,
) -> io::Result<Vec<Block>> {
    let (removed, mut there): (Vec<&Finding>, Vec<&Finding>) =
        shown.into_iter().partition(|f| f.novelty == Some(Novelty::Fixed));
    let protected = report.comparison.as_ref().map_or(&[][..], |c| c.protected);
    let reaches_protected = |f: &Finding| f.diagnostic.stacks.iter().any(|stack| protected.contains(stack));
    // They are sorted by file and line already.
    there.sort_by_key(|f| std::cmp::Reverse((f.level, reaches_protected(f))));
    let mut rules = BTreeSet::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut joined: HashMap<(&str, Level, Shared<'_>), usize> = HashMap::new();
    for finding in there {
        let d = &finding.diagnostic;
        let is_beside = d.fix.is_none() && edits.show(d, report.files);
        let shared = if is_beside {
            Shared::Advice(&d.notes, &d.help)
        } else {
            Shared::Place(d.primary.file, d.primary.start, d.primary.end)
        };
        let block = *joined.entry((d.rule.id(), finding.level, shared)).or_insert(blocks.len());
        if let Some(block) = blocks.get_mut(block).filter(|_| !options.all) {
            block.items.push(rendered(|out| findings::write_also(out, finding, report.files, options))?);
            continue;
        }
        let full = rendered(|out| findings::write_beside(out, finding, report.files, edits, options))?;
        let brief = rendered(|out| findings::write_title(out, finding, report.files, options))?;
        // The first finding of a rule represents the others.
        let is_first = rules.insert(finding.diagnostic.rule.id());
        let weight = finding.level as usize * 2 + usize::from(is_first);
        blocks.push(Block::whole(full, brief, weight));
    }
    for block in blocks.iter_mut().filter(|block| !block.items.is_empty()) {
        let more = style::count(block.items.len(), "more finding");
        block.brief.push(Theme::new(options.color).dim(&format!("  … and {more} of this kind")));
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
        blocks.push(Block::whole(full, brief, 0));
    }
    Ok(blocks)
}

/// Files that could not be read; for a single state, a line that sums up the findings.
fn closing(report: &Report<'_>, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    let mut lines = Vec::new();
    if !report.unreadable.is_empty() {
        let paths: Vec<_> = report.unreadable.iter().map(|path| style::escape(path)).collect();
        lines.extend(style::wrap(&format!("Could not be read: {}", paths.join(", ")), options.width, 2));
        lines.push(String::new());
    }
    if report.comparison.is_none() {
        lines.push(theme.bold(&headline::findings(report)));
    }
    lines
}

/// Writes what is wrong, of what differs only the line that sums it up, and what was judged.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_brief(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let has_findings = report.shown().next().is_some() || !report.unreadable.is_empty();
    let summary = report.comparison.as_ref().map(|comparison| headline::whole(comparison, report));
    let mut start = match summary {
        Some(summary) => verdict(report, &summary, options),
        None => lead(report, options),
    };
    if !has_findings {
        start.pop();
    }
    start.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    if has_findings {
        let findings = finding_blocks(report.shown().collect(), report, &Edits::default(), options)?;
        let end = closing(report, options);
        blocks::all(&findings).lines.iter().chain(&end).try_for_each(|line| writeln!(out, "{line}"))?;
    }
    write_summary(out, report, false, options)
}

/// The changes by project, and a line that summarizes them. `edits` receives the edited lines that they show.
fn diff_blocks(
    comparison: &Comparison<'_>,
    report: &Report<'_>,
    edits: &mut Edits,
    options: &RenderOptions,
) -> io::Result<(Vec<Block>, String)> {
    let theme = Theme::new(options.color);
    let parts = if comparison.parts.is_empty() { std::slice::from_ref(comparison.diff) } else { comparison.parts };
    let mut all = Vec::new();
    let mut blocks = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let mut groups = group::group(part, report.files);
        let mut uncertain = Vec::new();
        if !options.all {
            uncertain = group::take_uncertain(&mut groups);
            group::fold(&mut groups);
        }
        if let Some(project) = report.coverage.projects.get(i).filter(|_| parts.len() > 1)
            && !(part.components.is_empty() && part.locals.is_empty())
        {
            let line = theme.bold(&format!("Project {} ({})", style::escape(&project.path), project.dialect));
            blocks.push(Block::whole(vec![line.clone()], vec![line], usize::MAX));
        }
        blocks.extend(group_blocks(part, &groups, comparison.protected, report.files, options)?);
        if !uncertain.is_empty() {
            let lines = rendered(|out| addresses::write_uncertain(out, &uncertain, options))?;
            blocks.push(Block::whole(lines.clone(), lines, 1));
        }
        blocks.push(listed(rendered(|out| locals::write(out, &part.locals, options))?));
        for block in group::by_lines(&groups) {
            edits.add(&causes::shown(&block[0].causes, is_whole(block), options));
        }
        all.extend(groups);
    }
    blocks.push(listed(wrapped(rendered(|out| code::write(out, comparison.code, options))?, options)));
    blocks.retain(|block| block.height() > 1);
    Ok((blocks, headline::changes(comparison, &all, report.coverage)))
}

/// A list with a heading, each item with the lines that are indented more; its first lines are the brief form.
fn listed(full: Vec<String>) -> Block {
    const SHORT: usize = 5;
    const DEEPER: &str = "    ";
    let mut brief: Vec<String> = full.iter().take(SHORT).cloned().collect();
    match full.len().saturating_sub(SHORT) {
        0 => {}
        1 => brief.clone_from(&full),
        rest => brief.push(format!("  … {}", style::count(rest, "more line"))),
    }
    let mut lines = full.into_iter();
    let head = lines.next().into_iter().collect();
    let mut items: Vec<Vec<String>> = Vec::new();
    for line in lines {
        match items.last_mut() {
            Some(item) if line.starts_with(DEEPER) => item.push(line),
            _ => items.push(vec![line]),
        }
    }
    Block { head, items, brief, weight: 1, ..Block::default() }
}

/// One block for each edit with the lines of the edit, the paths that change because of it and the components they
/// change in: those that reach protected stacks first, then by what they reach.
fn group_blocks(
    diff: &Diff,
    groups: &[group::Group<'_>],
    protected: &[Text],
    files: &Files,
    options: &RenderOptions,
) -> io::Result<Vec<Block>> {
    let has_several_types = addresses::has_several_types(&diff.components);
    let mut edits: Vec<&[group::Group<'_>]> = group::by_lines(groups).collect();
    let reach = |block: &[group::Group<'_>]| {
        let addresses: BTreeSet<&Address> = block.iter().flat_map(|group| &group.addresses).collect();
        (addresses.iter().any(|address| protected.contains(&address.0)), addresses.len())
    };
    // What code makes follows what the configuration says.
    edits.sort_by_cached_key(|block| (block.iter().all(|group| group.is_made), std::cmp::Reverse(reach(block))));
    let mut before: &[Address] = &[];
    let mut blocks = Vec::new();
    for block in edits {
        let head = rendered(|out| write_causes(out, block, files, options))?;
        let (mut items, mut tail): (Vec<Vec<String>>, Vec<String>) = (Vec::new(), Vec::new());
        for group in block {
            if let Some(last) = items.last_mut() {
                last.append(&mut tail);
            }
            let several_types = has_several_types || group.is_made;
            if group.effect == Effect::Renamed {
                items.push(rendered(|out| addresses::write_renamed(out, group, several_types, options))?);
            } else if group.changes.is_empty() {
                items.push(rendered(|out| addresses::write_whole(out, group, several_types, options))?);
            } else {
                let mut lines = changes::items(&group.changes, options);
                let again = group.addresses == before;
                tail = rendered(|out| addresses::write(out, &group.addresses, again, several_types, options))?;
                if let ([item], [reach]) = (&mut lines[..], &tail[..])
                    && let [line] = &mut item[..]
                    && style::visible_width(line) + style::visible_width(reach) <= options.width + 2
                {
                    line.push_str(&format!("  {}", reach.trim_start()));
                    tail.clear();
                }
                items.extend(lines);
            }
            before = &group.addresses;
        }
        let wrap = |lines| wrapped(lines, options);
        let brief = wrap(block.iter().map(|group| brief::line(group, files, options)).collect());
        let weight = block.iter().map(|g| g.addresses.len() * if g.effect == Effect::Modified { 2 } else { 3 }).sum();
        let items = items.into_iter().map(wrap).collect();
        blocks.push(Block { head: wrap(head), items, tail: wrap(tail), brief, weight });
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
    causes::write(out, &block[0].causes, all_secret, is_whole(block), files, options)
}

/// Whether a block is only about components that are added or removed.
fn is_whole(block: &[group::Group<'_>]) -> bool {
    block.iter().all(|g| matches!(g.effect, Effect::Added | Effect::Removed))
}
