//! Edited lines with what changes because of them, folded away: one piece for each edit.

use super::escape::{code, cut, diff_block, html, text};
use super::{MAX_NAME, MAX_NAMES, Page, Piece};
use crate::diff::group::{Effect, Folded, Group, Renamed, by_lines};
use crate::diff::{Cause, Change, ChangeKind, Side, mask};
use crate::report::RenderOptions;
use crate::report::text::{addresses, causes, changes, style, value, words};
use crate::resolution::Address;
use crate::value::Value;
use serde::Serialize;
use std::borrow::Cow;
use std::io;

/// The most edited lines that are shown for one edit.
const MAX_LINES: usize = 30;
/// Longer lines are cut.
const MAX_LINE: usize = 160;
/// The maximum number of changes of a group, and the most groups of an edit.
const MAX_CHANGES: usize = 30;
/// The maximum number of files that an edit names.
const MAX_FILES: usize = 8;
/// The maximum number of examples of values if each component has its own.
const MAX_EXAMPLES: usize = 3;
/// The maximum number of rows of components with stacks.
const MAX_ROWS: usize = 6;
/// The width of lines in blocks, in columns.
const WIDTH: usize = 120;
/// Values up to this many columns are shown in one line.
const MAX_VALUE: usize = 60;

#[derive(Serialize)]
struct Edit {
    place: String,
    what: String,
    links: String,
    lines: String,
    groups: Vec<Block>,
    groups_left_out: Option<String>,
}

#[derive(Serialize)]
struct Block {
    changes: Vec<String>,
    whole: String,
    #[serde(rename = "where")]
    place: String,
}

impl Page<'_> {
    /// A piece for each edit that made a difference.
    pub(super) fn edits(&self, groups: &[Group]) -> io::Result<Vec<Piece>> {
        let components = self.report.comparison.as_ref().map_or(&[][..], |c| &c.diff.components);
        let several_types = addresses::has_several_types(components);
        by_lines(groups).map(|block| self.edit(block, several_types)).collect()
    }

    fn edit(&self, block: &[Group], several_types: bool) -> io::Result<Piece> {
        let causes = &block[0].causes;
        let path = |c: &Cause| self.report.files.get(c.file).path.to_string();
        let place = match causes.iter().find(|c| c.side == Side::Head).or(causes.first()) {
            Some(first) => format!("{}:{}", path(first), first.line),
            None => "no edited line found".to_owned(),
        };
        let mut reached: Vec<Address> = block.iter().flat_map(|g| g.addresses.iter().cloned()).collect();
        reached.sort();
        reached.dedup();
        let number: usize = block.iter().map(|g| g.changes.len().max(g.renames.len()).max(1)).sum();
        let what = |code: &dyn Fn(&str) -> String| {
            let reached = match &reached[..] {
                [one] => format!("{} of {}", code(&cut(&one.2, MAX_NAME)), code(&cut(&one.0, MAX_NAME))),
                several => addresses::totals(several),
            };
            format!("{} in {reached}", style::count(number, "change"))
        };
        let shown = block.len().min(MAX_CHANGES);
        let edit = Edit {
            place: html(&cut(&place, 2 * MAX_NAME)),
            what: what(&|name| format!("<code>{}</code>", html(name))),
            links: self.causes(causes),
            lines: self.lines(block),
            groups: block[..shown].iter().map(|g| self.block(g, several_types || g.is_made)).collect(),
            groups_left_out: (shown < block.len()).then(|| style::count(block.len() - shown, "more group of changes")),
        };
        let full = self.template("edit", edit)?;
        Ok(Piece { full, brief: format!("- {}: {}", code(&cut(&place, 2 * MAX_NAME)), what(&code)) })
    }

    /// The edited lines as links, a file each.
    pub(super) fn causes(&self, causes: &[Cause]) -> String {
        let files = self.report.files;
        let path = |c: &Cause| files.get(c.file).path.clone();
        let mut links = Vec::new();
        for of_file in causes.chunk_by(|a, b| path(a) == path(b)) {
            let side = if of_file.iter().any(|c| c.side == Side::Head) { Side::Head } else { Side::Base };
            let own = || of_file.iter().filter(|c| c.side == side).map(|c| c.line);
            let (first, last) = (own().min().unwrap_or(1), own().max().unwrap_or(1));
            let note = if side == Side::Base { " (removed)" } else { "" };
            links.push(format!("{}{note}", self.place(side, &path(&of_file[0]), first, last)));
        }
        let rest = links.len().saturating_sub(MAX_FILES);
        links.truncate(MAX_FILES);
        links.extend((rest > 0).then(|| format!("… {}", style::count(rest, "more file"))));
        links.join(", ")
    }

    /// The edited lines themselves; where all that changes is secret, their values are masked whatever their keys are.
    fn lines(&self, block: &[Group]) -> String {
        let all_secret = block
            .iter()
            .all(|g| !g.changes.is_empty() && g.changes.iter().all(|c| changes::is_masked(c, self.options)));
        let path = |c: &Cause| self.report.files.get(c.file).path.clone();
        let causes = &block[0].causes;
        let shown = &causes[..causes.len().min(MAX_LINES)];
        let mut lines = Vec::new();
        for of_file in shown.chunk_by(|a, b| path(a) == path(b)) {
            for (side, line) in causes::edited_lines(of_file, all_secret, self.report.files, self.options) {
                let sign = if side == Side::Base { '-' } else { '+' };
                lines.push(format!("{sign} {}", cut(&line, MAX_LINE)));
            }
        }
        if shown.len() < causes.len() {
            lines.push(format!("… {}", style::count(causes.len() - shown.len(), "more edited line")));
        }
        if lines.is_empty() { String::new() } else { diff_block(&lines, 0) }
    }

    fn block(&self, group: &Group, several_types: bool) -> Block {
        let mut changes: Vec<String> = group.changes.iter().take(MAX_CHANGES).map(|c| self.change(c)).collect();
        if group.changes.len() > MAX_CHANGES {
            changes.push(format!("… and {}", style::count(group.changes.len() - MAX_CHANGES, "more change")));
        }
        let rows = rows(&group.addresses, several_types);
        let status = group.effect.name();
        let (whole, place) = match &group.addresses[..] {
            _ if group.effect == Effect::Renamed => {
                (group.renames.iter().map(renamed).collect::<Vec<_>>().join("\n"), String::new())
            }
            [_] if changes.is_empty() => (format!("**component {status}:** {rows}"), String::new()),
            several if changes.is_empty() => {
                (format!("**{} {status}:** {rows}", addresses::totals(several)), String::new())
            }
            [_] => (String::new(), format!("In {rows}")),
            several => {
                let same = group.changes.iter().all(|c| c.variants.len() == 1);
                let start = if same { "The same in" } else { "In" };
                (String::new(), format!("{start} {}: {rows}", addresses::totals(several)))
            }
        };
        Block { changes, whole, place }
    }

    /// One path with what changes there.
    fn change(&self, change: &Folded) -> String {
        let name = code(&cut(&changes::name(change), 2 * MAX_NAME));
        let kind = change.kind_name();
        if changes::is_masked(change, self.options) {
            return format!("{name}: {} (secret, {kind})", mask::MASK);
        }
        if let [only] = &change.variants[..] {
            return format!("{name} {}", self.values(only, 2));
        }
        let shown = &change.variants[..change.variants.len().min(MAX_EXAMPLES)];
        let whose = |i: usize| change.holders.get(i).map_or_else(String::new, |of| changes::holders(of, self.options));
        let example =
            |(i, c): (usize, &Cow<Change>)| format!("\n  - {}: {}", super::sentence(&whose(i)), self.values(c, 4));
        let examples: Vec<String> = shown.iter().enumerate().map(example).collect();
        format!("{name}: {} different values, such as{}", change.variants.len(), examples.concat())
    }

    /// The values before and after: in one line where they are short, else as a block indented by some spaces.
    fn values(&self, change: &Change, indent: usize) -> String {
        let secret = change.is_secret;
        let options = RenderOptions { color: false, width: WIDTH, all: false, ..*self.options };
        let inline = |v: &Option<Value>| v.as_ref().map(|v| value::inline(v, secret, &options));
        let has_lines =
            |v: &Option<Value>| v.as_ref().and_then(Value::as_str).is_some_and(|s| s.trim_end().contains('\n'));
        let several = has_lines(&change.before) || has_lines(&change.after);
        let (before, after) = (inline(&change.before), inline(&change.after));
        let short = |t: &Option<String>| t.as_ref().is_none_or(|t| style::width(t) <= MAX_VALUE);
        let same = changes::remark(change);
        if let Some((moved, value)) = change.moved.zip(after.as_ref()) {
            return format!("{}: {}", changes::what_moved(moved), code(&cut(value, MAX_VALUE)));
        }
        if !several && short(&before) && short(&after) {
            return match (before, after) {
                (Some(before), Some(after)) if before == after && !same.is_empty() => format!("{}{same}", code(&after)),
                (Some(before), Some(after)) => format!("{} → {}{same}", code(&before), code(&after)),
                (Some(before), None) => format!("removed: {}", code(&before)),
                (None, Some(after)) => format!("added: {}", code(&after)),
                (None, None) => String::new(),
            };
        }
        let text = |v: &Option<Value>| v.as_ref().and_then(Value::as_str).map(ToOwned::to_owned);
        if let (Some(before), Some(after), false) = (text(&change.before), text(&change.after), several)
            && let Some((old, new)) = words::pieces(&before, &after)
        {
            return format!("{} → {}{same}", marked(old), marked(new));
        }
        let word = match change.kind {
            ChangeKind::Added => "added:",
            ChangeKind::Removed => "removed:",
            ChangeKind::Changed => "changed:",
        };
        let lines = changes::long_lines(change, &options);
        format!("{word}\n\n{}", diff_block(&lines, indent))
    }
}

/// A stack or component with its old and its new name.
fn renamed(renamed: &Renamed) -> String {
    let what = renamed.text(|name| code(&cut(name, MAX_NAME)));
    let (what, names) = what.split_once(": ").unwrap_or((&what, ""));
    format!("**{what}:** {names}, {}", text(&addresses::renamed_totals(renamed)))
}

/// A text as code, with the words that differ in bold.
fn marked(mut pieces: Vec<words::Piece>) -> String {
    words::abbreviate(&mut pieces, WIDTH / 4);
    let piece = |piece: &words::Piece| {
        let text = text(&cut(&piece.text, MAX_LINE));
        if piece.shared { text } else { format!("<b>{text}</b>") }
    };
    format!("<code>&quot;{}&quot;</code>", pieces.iter().map(piece).collect::<String>())
}

/// Components with their stacks: `a, b in x, y; c in z`.
fn rows(reached: &[Address], several_types: bool) -> String {
    let names = |all: &[&str]| {
        let mut shown: Vec<String> = all.iter().take(MAX_NAMES).map(|n| code(&cut(n, MAX_NAME))).collect();
        shown.extend((all.len() > MAX_NAMES).then(|| format!("… {} more", all.len() - MAX_NAMES)));
        shown.join(", ")
    };
    let rows = addresses::folded(reached, several_types);
    let row = |(components, stacks): &(Vec<String>, Vec<&str>)| {
        let components: Vec<&str> = components.iter().map(String::as_str).collect();
        let join = if reached.len() == 1 { "of" } else { "in" };
        format!("{} {join} {}", names(&components), names(stacks))
    };
    let mut shown: Vec<String> = rows.iter().take(MAX_ROWS).map(row).collect();
    shown.extend((rows.len() > MAX_ROWS).then(|| "…".to_owned()));
    shown.join("; ")
}
