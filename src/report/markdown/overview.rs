//! The part of a comment that is read without a click: dangers, and a table of what changes, where, and because of which line.

use super::escape::{cell, cut};
use super::{MAX_NAME, MAX_NAMES, Page, Piece, code};
use crate::diff::group::{Effect, Folded, Group};
use crate::diff::{Change, Status, mask};
use crate::report::text::{addresses, changes, style, value};
use crate::report::{Finding, RenderOptions};
use crate::resolution::Address;
use crate::value::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The maximum number of rows of the table of changes.
const MAX_ROWS: usize = 12;
/// The maximum number of rows of the table of stacks.
const MAX_STACKS: usize = 20;
/// The maximum number of dangers of one rule that are listed.
const MAX_ALIKE: usize = 4;
/// Values up to this many columns are shown in the table.
const MAX_VALUE: usize = 44;

impl Page<'_> {
    /// The dangers, those of one rule together.
    pub(super) fn dangers(&self, dangers: &[&Finding]) -> io::Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        for alike in dangers.chunk_by(|a, b| a.diagnostic.rule == b.diagnostic.rule) {
            let mut lines = vec![self.piece(alike[0])?.full];
            for finding in alike.iter().skip(1).take(MAX_ALIKE) {
                lines.push(self.piece(finding)?.brief);
            }
            let rest = alike.len().saturating_sub(1 + MAX_ALIKE);
            lines.extend((rest > 0).then(|| format!("- … and {}", style::count(rest, "more danger"))));
            let quoted = lines.join("\n").lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n");
            let number = style::count(alike.len(), "danger");
            let brief = format!("> [!CAUTION]\n> **{number}** of {}", code(alike[0].diagnostic.rule.id()));
            pieces.push(Piece { full: format!("> [!CAUTION]\n{quoted}"), brief });
        }
        Ok(pieces)
    }

    /// The table of what changes: what reaches protected stacks first, then by the number of components.
    /// Below it, what may change, too.
    pub(super) fn overview(&self, groups: &[Vec<Group<'_>>], uncertain: &[Address]) -> Option<String> {
        let protected = self.report.comparison.as_ref().map_or(&[][..], |c| c.protected);
        let mut all: Vec<&Group<'_>> = groups.iter().flatten().collect();
        let reach = |group: &&Group<'_>| {
            (group.addresses.iter().any(|address| protected.contains(&address.0)), group.addresses.len())
        };
        // What code makes follows what the configuration says.
        all.sort_by_key(|group| (group.is_made, Reverse(reach(group))));
        let rows: Vec<[String; 3]> = all.into_iter().flat_map(|group| self.rows_of(group)).collect();
        let uncertain = (!uncertain.is_empty())
            .then(|| format!("Not known, because it reads what changes: {}", reached(uncertain)));
        if rows.is_empty() {
            return uncertain;
        }
        let mut table = "| What changes | Where | Set by |\n| :-- | :-- | :-- |\n".to_owned();
        for [what, place, cause] in rows.iter().take(MAX_ROWS) {
            table.push_str(&format!("| {what} | {place} | {cause} |\n"));
        }
        if rows.len() > MAX_ROWS {
            table.push_str(&format!("\n… and {}\n", style::count(rows.len() - MAX_ROWS, "more change")));
        }
        if let Some(uncertain) = uncertain {
            table.push_str(&format!("\n{uncertain}\n"));
        }
        Some(table.trim_end().to_owned())
    }

    fn rows_of(&self, group: &Group<'_>) -> Vec<[String; 3]> {
        // A path may have bars, which end a cell even inside of code.
        let cause = self.causes(&group.causes).replace('|', "\\|");
        let row = |what: String| [what, reached(&group.addresses), cause.clone()];
        match group.effect {
            Effect::Modified => group.changes.iter().map(|change| row(self.cell_of(change))).collect(),
            Effect::Renamed => {
                let names = |renamed: &crate::diff::group::Renamed<'_>| {
                    let (from, to) = (cell(&cut(renamed.from, MAX_NAME)), cell(&cut(renamed.to, MAX_NAME)));
                    row(format!("{} {from} → {to}", renamed.what))
                };
                group.renames.iter().map(names).collect()
            }
            effect => vec![row(format!("{} {}", style::count(group.addresses.len(), "component"), effect.name()))],
        }
    }

    /// One path with its values, if they are short.
    fn cell_of(&self, change: &Folded<'_>) -> String {
        let name = cell(&cut(&changes::name(change), MAX_NAME));
        if changes::is_masked(change, self.options) {
            return format!("{name} {} (secret, {})", mask::MASK, change.kind_name());
        }
        match &change.variants[..] {
            [only] => match self.short(only) {
                Some(values) => format!("{name} {values}"),
                None => format!("{name} {}", change.kind_name()),
            },
            several => format!("{name}: {} different values", several.len()),
        }
    }

    fn short(&self, change: &Change) -> Option<String> {
        let options = RenderOptions { color: false, all: false, ..*self.options };
        let text = |v: &Option<Value>| v.as_ref().map(|v| value::inline(v, change.is_secret, &options));
        let (before, after) = (text(&change.before), text(&change.after));
        let is_short =
            |t: &Option<String>| t.as_ref().is_none_or(|t| style::width(t) <= MAX_VALUE && !t.contains('\n'));
        if change.moved.is_some() || !is_short(&before) || !is_short(&after) {
            return None;
        }
        let remark = changes::remark(change);
        Some(match (before, after) {
            // What is not known has one text.
            (Some(before), Some(after)) if before == after && !remark.is_empty() => {
                format!("{}{}", cell(&after), super::sentence(&remark))
            }
            (Some(before), Some(after)) => {
                format!("{} → {}{}", cell(&before), cell(&after), super::sentence(&remark))
            }
            (Some(before), None) => format!("{} removed", cell(&before)),
            (None, Some(after)) => format!("{} added", cell(&after)),
            (None, None) => String::new(),
        })
    }

    /// The changes by stack, folded away; stacks with the same ones share a row.
    pub(super) fn stacks(&self) -> Option<String> {
        let diff = self.report.comparison.as_ref()?.diff;
        let mut stacks: BTreeMap<String, ([usize; 3], Vec<&str>)> = BTreeMap::new();
        let old_names: BTreeSet<usize> = diff.renames.iter().map(|r| r.from).collect();
        let new_names: BTreeSet<usize> = diff.renames.iter().map(|r| r.to).collect();
        for (i, component) in diff.components.iter().enumerate().filter(|(i, _)| !old_names.contains(i)) {
            let stack = match &*component.project {
                "" => component.stack.to_string(),
                project => format!("{project}: {}", component.stack),
            };
            let (counts, names) = stacks.entry(stack).or_default();
            counts[match component.status {
                Status::Modified => 0,
                // Renamed stacks existed before.
                Status::Added if new_names.contains(&i) => 0,
                Status::Added => 1,
                Status::Removed => 2,
            }] += 1;
            names.push(&component.name);
        }
        let total = stacks.len();
        let mut alike: BTreeMap<([usize; 3], Vec<&str>), Vec<String>> = BTreeMap::new();
        for (stack, changed) in stacks {
            alike.entry(changed).or_default().push(stack);
        }
        let mut rows: Vec<_> = alike.into_iter().collect();
        rows.sort_by_key(|((_, names), of)| Reverse(names.len() * of.len()));
        if rows.is_empty() {
            return None;
        }
        let mut table =
            "| Stack | Changed | Added | Removed | Components |\n| :-- | --: | --: | --: | :-- |\n".to_owned();
        for (([changed, added, removed], names), of) in rows.iter().take(MAX_STACKS) {
            let number = |n: &usize| if *n > 0 { n.to_string() } else { String::new() };
            let (changed, added, removed) = (number(changed), number(added), number(removed));
            let of: Vec<&str> = of.iter().map(String::as_str).collect();
            table.push_str(&format!("| {} | {changed} | {added} | {removed} | {} |\n", some(&of), some(names)));
        }
        let rest: usize = rows.iter().skip(MAX_STACKS).map(|(_, of)| of.len()).sum();
        if rest > 0 {
            table.push_str(&format!("\n… and {rest} more stacks\n"));
        }
        let summary = style::count(total, "stack");
        Some(format!("<details>\n<summary>Changes by stack: {summary}</summary>\n\n{}\n\n</details>", table.trim_end()))
    }
}

/// Some names in a cell.
fn some(names: &[&str]) -> String {
    let mut cells: Vec<String> = names.iter().take(MAX_NAMES).map(|n| cell(&cut(n, MAX_NAME))).collect();
    if names.len() > MAX_NAMES {
        cells.push(format!("… {} more", names.len() - MAX_NAMES));
    }
    cells.join(", ")
}

/// Where something changes: names as long as there are few.
fn reached(reached: &[Address]) -> String {
    let mut stacks: Vec<&str> = reached.iter().map(|address| &*address.0).collect();
    stacks.sort_unstable();
    stacks.dedup();
    match reached {
        [one] => format!("{} of {}", cell(&cut(&one.2, MAX_NAME)), cell(&cut(&one.0, MAX_NAME))),
        several if stacks.len() == 1 => {
            let names: Vec<&str> = several.iter().map(|address| &*address.2).collect();
            format!("{} of {}", some(&names), cell(&cut(stacks[0], MAX_NAME)))
        }
        several => addresses::totals(several),
    }
}
