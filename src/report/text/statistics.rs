//! A report in numbers: how many findings there are of each rule, and how many changes of each kind.

use super::style::{self, Theme};
use super::verdict_lines;
use crate::diagnostic::{Level, RuleRef};
use crate::diff::group::{self, Effect};
use crate::report::headline::MADE;
use crate::report::{Comparison, RenderOptions, Report};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

/// Writes the verdict, a row for each rule with findings that count (the most severe first, then the most frequent), and one
/// for each kind of change.
///
/// # Errors
/// Those of the writer.
pub(super) fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let rules = rules(report);
    let changes = report.comparison.as_ref().map(|comparison| changes(comparison, report)).unwrap_or_default();
    let numbers = rules.iter().map(|(.., number)| number).chain(changes.iter().map(|(_, number)| number));
    let digits = numbers.map(|number| number.to_string().len()).max().unwrap_or(0) + 2;
    let level_width = rules.iter().map(|(level, ..)| level.name().len()).max().unwrap_or(0);
    let id_width = rules.iter().map(|(_, rule, _)| style::width(rule.id())).max().unwrap_or(0);
    verdict_lines(report, options).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    for (level, rule, number) in &rules {
        let name = theme.level(*level, &format!("{:level_width$}", level.name()));
        let id = theme.bold(&format!("{:id_width$}", rule.id()));
        let summary = style::escape(rule.summary());
        let room = options.width.saturating_sub(digits + level_width + id_width + 6);
        let summary = theme.dim(&style::cut(&summary, if options.all { usize::MAX } else { room }));
        writeln!(out, "{number:digits$}  {name}  {id}  {summary}")?;
    }
    if !rules.is_empty() && !changes.is_empty() {
        writeln!(out)?;
    }
    changes.iter().try_for_each(|(what, number)| writeln!(out, "{number:digits$}  {what}"))
}

/// The rules with findings that count, with the level and the number of these.
fn rules<'a>(report: &Report<'a>) -> Vec<(Level, &'a RuleRef, usize)> {
    let mut numbers: BTreeMap<(Reverse<Level>, &str), (&RuleRef, usize)> = BTreeMap::new();
    for finding in report.findings.iter().filter(|f| f.counts()) {
        let rule = &finding.diagnostic.rule;
        numbers.entry((Reverse(finding.level), rule.id())).or_insert((rule, 0)).1 += 1;
    }
    let mut rows: Vec<_> = numbers.into_iter().map(|((level, _), (rule, number))| (level.0, rule, number)).collect();
    rows.sort_by_key(|(level, _, number)| Reverse((*level, *number)));
    rows
}

/// The kinds of changes with their numbers: components, values of their configuration (equal changes of several components
/// are one, as in the verdict), what code makes, and files of code.
fn changes(comparison: &Comparison<'_>, report: &Report<'_>) -> Vec<(String, usize)> {
    let diff = comparison.diff;
    let renamed = |i: usize| diff.renames.iter().find(|rename| rename.from == i || rename.to == i);
    // By the order of the rows, what they count, and what happened.
    let mut numbers: BTreeMap<(usize, &str, &str), usize> = BTreeMap::new();
    for (i, component) in diff.components.iter().enumerate() {
        let effect = match renamed(i) {
            Some(rename) if rename.from == i => continue,
            Some(_) => Effect::Renamed.name(),
            None if component.is_uncertain() => "that may differ",
            None => component.status.name(),
        };
        let made = MADE.iter().position(|(kind, _)| component.is_made() && *component.kind == **kind);
        let key = made.map_or((0, "component", effect), |made| (2 + made, MADE[made].1, effect));
        *numbers.entry(key).or_default() += 1;
    }
    let parts = if comparison.parts.is_empty() { std::slice::from_ref(diff) } else { comparison.parts };
    let groups: Vec<_> = parts.iter().flat_map(|part| group::group(part, report.files)).collect();
    for change in groups.iter().filter(|group| !group.is_made).flat_map(|group| &group.changes) {
        *numbers.entry((1, "value", change.kind_name())).or_default() += 1;
    }
    let mut rows: Vec<(String, usize)> = numbers
        .into_iter()
        .map(|((_, noun, what), number)| (format!("{} {what}", plural(noun, number)), number))
        .collect();
    let files: usize = comparison.code.iter().map(|code| code.files.len()).sum();
    rows.extend((files > 0).then(|| (format!("{} of code modified", plural("file", files)), files)));
    rows
}

/// The noun without its number.
fn plural(noun: &str, number: usize) -> String {
    style::count(number, noun).split_once(' ').map_or_else(String::new, |(_, noun)| noun.to_owned())
}
