//! The paths that change, with the values before and after.

use super::style::{self, Theme, escape};
use super::value;
use super::words::{self, Piece};
use crate::diff::group::{Folded, is_alike};
use crate::diff::{Change, ChangeKind, Moved, mask, pointer};
use crate::report::RenderOptions;
use crate::resolution::Address;
use crate::value::{Data, Value};
use similar::{Algorithm, ChangeTag, TextDiff};

/// The maximum number of lines of one value, unless all are requested.
const MAX_LINES: usize = 12;
/// The maximum number of examples of values if each component has its own.
const MAX_EXAMPLES: usize = 3;
/// The maximum number of changes of a group whose values take several lines.
const MAX_LONG: usize = 3;
/// Longer lines are not repeated for another path with the same values.
const MAX_REPEATED: usize = 60;
/// Paths are aligned up to this width.
const MAX_ALIGNED: usize = 44;
/// The notes for a list item with a new index, and for one that keeps its index while others move around it.
const MOVED: [&str; 2] = ["moved", "others moved past it"];
/// The least columns of the value of a list item that moves.
const MIN_MOVED: usize = 20;
/// The note for a call that is only written differently.
const SAME_CALL: &str = " (the same call)";
/// The note for an input that the code does not read.
const IDLE: &str = " (nothing in the code reads it)";
/// Values of more lines are not compared line by line.
const MAX_COMPARED_LINES: usize = 500;
/// Larger texts are not compared line by line.
const MAX_COMPARED: usize = 200_000;

/// The changes of a group as lines, with the values aligned in one column if they fit. Unless everything is requested, values
/// that the change before has too are not repeated, and only some of those that take several lines are shown.
pub(super) fn items(changes: &[Folded], options: &RenderOptions) -> Vec<Vec<String>> {
    let theme = Theme::new(options.color);
    let repeats: Vec<bool> = (0..changes.len())
        .map(|i| {
            let lines = || one(&changes[i], style::width(&name(&changes[i])), options);
            let is_long = || lines().len() > 1 || style::visible_width(&lines()[0]) > MAX_REPEATED;
            !options.all && i > 0 && is_likewise(&changes[i - 1], &changes[i]) && is_long()
        })
        .collect();
    let told: Vec<&Folded> = changes.iter().zip(&repeats).filter(|(_, repeats)| !**repeats).map(|(c, _)| c).collect();
    let column = told.iter().map(|c| style::width(&name(c))).filter(|w| *w <= MAX_ALIGNED).max().unwrap_or(0);
    let mut items: Vec<Vec<String>> = Vec::new();
    let (mut long, mut left_out): (usize, Vec<String>) = (0, Vec::new());
    for (change, repeats) in changes.iter().zip(repeats) {
        if repeats {
            let line = format!("  {} {}", paint(theme, change, "="), theme.path(&name(change)));
            items.push(vec![format!("{line} {}", theme.dim("likewise"))]);
            continue;
        }
        let lines = one(change, column, options);
        if !options.all && lines.len() > 1 && long >= MAX_LONG {
            left_out.push(name(change));
        } else {
            long += usize::from(lines.len() > 1);
            items.push(lines);
        }
    }
    if !left_out.is_empty() {
        let line = format!("  … and {} more: {}", left_out.len(), left_out.join(", "));
        items.push(vec![theme.dim(&style::cut(&line, options.width))]);
    }
    items
}

/// Whether both changes are of the same values in the same components.
fn is_likewise(a: &Folded, b: &Folded) -> bool {
    let mut pairs = a.variants.iter().zip(&b.variants);
    a.kind == b.kind && a.holders == b.holders && pairs.all(|(a, b)| is_alike(a, b))
}

/// Whether the value at the path of a change is not shown.
pub(in crate::report) fn is_masked(change: &Folded, options: &RenderOptions) -> bool {
    let by_key = change.variants.iter().any(|c| c.is_secret);
    let secret = |v: &Option<Value>| v.as_ref().is_some_and(|v| value::is_hidden(v, by_key) || value::has_token(v));
    !options.show_secrets && change.variants.iter().any(|c| secret(&c.before) || secret(&c.after))
}

fn one(change: &Folded, column: usize, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    let name = name(change);
    let sign = paint(theme, change, &change.sign().to_string());
    let pad = " ".repeat(column.saturating_sub(style::width(&name)));
    let label = format!("  {sign} {}", theme.path(&name));
    let room = options.width.saturating_sub(6 + column.max(style::width(&name)));
    if is_masked(change, options) {
        let note = format!("(secret, {})", change.kind_name());
        return vec![format!("{label}{pad}  {} {}", mask::MASK, theme.dim(&note))];
    }
    if let [only] = &change.variants[..] {
        if let Some(line) = short(only, room, options) {
            return vec![format!("{label}{pad}  {line}")];
        }
        let lines = long_lines(only, options).into_iter().map(|line| format!("      {line}"));
        return std::iter::once(label).chain(lines).collect();
    }
    let note = format!("{} different values", change.variants.len());
    let mut lines = vec![format!("{label}{pad}  {}", theme.dim(&note))];
    let shown =
        if options.all || change.variants.len() <= MAX_EXAMPLES + 1 { change.variants.len() } else { MAX_EXAMPLES };
    for (i, variant) in change.variants[..shown].iter().enumerate() {
        let whose = change.holders.get(i).map_or_else(String::new, |of| holders(of, options));
        let room = options.width.saturating_sub(8);
        match short(variant, room.saturating_sub(style::width(&whose) + 2), options) {
            Some(line) => lines.push(format!("      {line}  {}", theme.dim(&whose))),
            None => {
                lines.push(format!("      {}", theme.dim(&format!("{whose}:"))));
                lines.extend(long_lines(variant, options).into_iter().map(|line| format!("        {line}")));
            }
        }
    }
    if shown < change.variants.len() {
        let rest = format!("… and {}", style::count(change.variants.len() - shown, "more value"));
        lines.push(format!("      {}", theme.dim(&rest)));
    }
    lines
}

/// Which components have a value: `in vpc of dev`, or `in 3 components of dev, prod`.
pub(in crate::report) fn holders(of: &[Address], options: &RenderOptions) -> String {
    if let [only] = of {
        return format!("in {} of {}", escape(&only.2), escape(&only.0));
    }
    let mut stacks: Vec<&str> = of.iter().map(|address| &*address.0).collect();
    stacks.dedup();
    let shown = if options.all || stacks.len() <= MAX_EXAMPLES + 1 { stacks.len() } else { MAX_EXAMPLES };
    let mut names: Vec<String> = stacks[..shown].iter().map(|stack| escape(stack).into_owned()).collect();
    if shown < stacks.len() {
        names.push(format!("… {} more", stacks.len() - shown));
    }
    let mut components: Vec<&str> = of.iter().map(|address| &*address.2).collect();
    components.sort_unstable();
    components.dedup();
    match components[..] {
        [one] => format!("in {} of {}", escape(one), names.join(", ")),
        _ => format!("in {} of {}", style::count(of.len(), "component"), names.join(", ")),
    }
}

/// The text of what is not known on either side, and written the same: only what it reads differs.
pub(in crate::report) fn once<'t>(change: &Change, before: Option<&'t str>, after: Option<&str>) -> Option<&'t str> {
    before.filter(|_| before == after && !change.edited_reads().is_empty())
}

/// Returns `before → after` if it fits into `room` columns.
fn short(change: &Change, room: usize, options: &RenderOptions) -> Option<String> {
    let theme = Theme::new(options.color);
    let secret = change.is_secret;
    let text = |v: &Option<Value>| v.as_ref().map(|v| value::inline(v, secret, options));
    if let Some((moved, value)) = change.moved.zip(text(&change.after)) {
        let note = format!(" ({})", what_moved(moved));
        let room = if options.all { usize::MAX } else { room.saturating_sub(style::width(&note)).max(MIN_MOVED) };
        return Some(format!("{}{}", style::cut(&value, room), theme.dim(&note)));
    }
    let multi_line =
        |v: &Option<Value>| v.as_ref().and_then(Value::as_str).is_some_and(|s| s.trim_end().contains('\n'));
    if multi_line(&change.before) || multi_line(&change.after) {
        return None;
    }
    let (before, after) = (text(&change.before), text(&change.after));
    if let Some(text) = once(change, before.as_deref(), after.as_deref()) {
        let note = remark(change);
        let room = if options.all { usize::MAX } else { room.saturating_sub(style::width(&note)).max(MIN_MOVED) };
        return Some(format!("{}{}", style::cut(text, room), theme.dim(&note)));
    }
    let width = |t: &Option<String>| t.as_ref().map_or(0, |t| style::width(t));
    if width(&before) + width(&after) + 3 > room {
        return None;
    }
    Some(match (before, after) {
        (Some(b), Some(a)) => {
            let mark = match remark(change) {
                mark if mark.is_empty() && a == b => theme.dim(&looks_same(change)),
                mark => theme.dim(&mark),
            };
            format!("{} {} {}{mark}", theme.removed(&b), theme.dim("→"), theme.added(&a))
        }
        (Some(b), None) => format!("{}{}", theme.removed(&b), theme.dim(&remark(change))),
        (None, Some(a)) => format!("{}{}", theme.added(&a), theme.dim(&remark(change))),
        (None, None) => String::new(),
    })
}

/// The values over several lines, each with its sign.
pub(in crate::report) fn long_lines(change: &Change, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    let limit = if options.all { usize::MAX } else { MAX_LINES };
    let text = |v: &Option<Value>| match v.as_ref().map(|v| &v.data) {
        Some(Data::Str(text)) => Some((text.to_string(), true)),
        Some(Data::Unknown(unknown)) => Some((unknown.text.to_string(), false)),
        _ => None,
    };
    let mut lines: Vec<Line> = match (text(&change.before), text(&change.after)) {
        (Some((b, was)), Some((a, is))) if was == is => text_lines(&b, &a, was, options),
        _ => block_lines(change, options),
    };
    // A cut that hides a single line saves nothing.
    let total = lines.len();
    if total > limit.saturating_add(1) {
        lines = balanced(lines, limit);
    }
    let left_out = total - lines.len();
    let mut lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    if left_out > 0 {
        lines.push(theme.dim(&format!("… {}", style::count(left_out, "more line"))));
    }
    let mark = remark(change);
    if !mark.is_empty() {
        lines.push(theme.dim(mark.trim()));
    }
    lines
}

/// What is to be said of both values of a change, with a blank in front: they are the same call, or why an unknown value may
/// be another one. Empty if there is nothing.
pub(in crate::report) fn remark(change: &Change) -> String {
    if change.is_same_call {
        return SAME_CALL.to_owned();
    }
    let names = change.edited_reads();
    if names.is_empty() {
        return if change.is_idle { IDLE.to_owned() } else { String::new() };
    }
    // What is described in words is no name.
    let quoted = |name: &str| if name.contains(' ') { escape(name).into() } else { format!("`{}`", escape(name)) };
    let mut shown: Vec<String> = names.iter().take(MAX_EXAMPLES).map(|name| quoted(name)).collect();
    if names.len() > MAX_EXAMPLES {
        shown.push(format!("{} more", names.len() - MAX_EXAMPLES));
    }
    format!(" (result not known; it reads {}, which this change edits)", shown.join(", "))
}

/// A line of a value, with what became of it.
type Line = (ChangeTag, String);

/// Selects lines: as many removed as added ones, if there are enough of both, in their order.
fn balanced(lines: Vec<Line>, limit: usize) -> Vec<Line> {
    let number = |tag: ChangeTag| lines.iter().filter(|(of, _)| *of == tag).count();
    let (removed, new) = (number(ChangeTag::Delete), number(ChangeTag::Insert));
    let half = limit / 2;
    let (mut removed, mut new) =
        (removed.min(half.max(limit.saturating_sub(new))), new.min(half.max(limit.saturating_sub(removed))));
    let mut take = |tag: ChangeTag| {
        let left = match tag {
            ChangeTag::Delete => &mut removed,
            ChangeTag::Insert => &mut new,
            ChangeTag::Equal => return false,
        };
        let is_left = *left > 0;
        *left = left.saturating_sub(1);
        is_left
    };
    lines.into_iter().filter(|(tag, _)| take(*tag)).collect()
}

/// Describes the difference between values that look the same.
fn looks_same(change: &Change) -> String {
    let kind = |v: &Option<Value>| match v.as_ref().map(|v| &v.data) {
        Some(Data::Unknown(_)) => "only known when deployed",
        Some(Data::Str(_)) => "text",
        Some(Data::Int(_) | Data::Uint(_) | Data::Float(_)) => "a number",
        Some(Data::Map(_)) => "a map",
        Some(Data::List(_)) => "a list",
        Some(Data::Time(_)) => "a time",
        Some(Data::Bool(_)) => "a boolean",
        Some(Data::Null) | None => "nothing",
    };
    match (kind(&change.before), kind(&change.after)) {
        (before, after) if before == after => " (what it is computed from differs)".to_owned(),
        (before, after) => format!(" (was {before}, is {after})"),
    }
}

/// Values other than strings, as YAML; of two values only the lines that differ, with their context.
fn block_lines(change: &Change, options: &RenderOptions) -> Vec<Line> {
    let theme = Theme::new(options.color);
    let block = |v: &Option<Value>| -> Vec<String> {
        let lines = v.iter().flat_map(|v| value::block(v, change.is_secret, options, None));
        lines.map(|line| line.text).collect()
    };
    let (old, new) = (block(&change.before), block(&change.after));
    let paint = |tag: ChangeTag, text: &str| {
        let room = options.width.saturating_sub(8).max(20);
        let text = if options.all { text.into() } else { style::cut(text, room) };
        let line = match tag {
            ChangeTag::Delete => theme.removed(&format!("- {text}")),
            ChangeTag::Insert => theme.added(&format!("+ {text}")),
            ChangeTag::Equal => theme.dim(&format!("  {text}")),
        };
        (tag, line)
    };
    if old.is_empty() || new.is_empty() || old.len().max(new.len()) > MAX_COMPARED_LINES {
        let old = old.iter().map(|line| paint(ChangeTag::Delete, line));
        return old.chain(new.iter().map(|line| paint(ChangeTag::Insert, line))).collect();
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_slices(&old, &new);
    let mut lines = Vec::new();
    for (i, hunk) in diff.grouped_ops(1).iter().enumerate() {
        if i > 0 {
            lines.push((ChangeTag::Equal, theme.dim("⋮")));
        }
        lines.extend(hunk.iter().flat_map(|op| diff.iter_changes(op)).map(|c| paint(c.tag(), c.value())));
    }
    lines
}

/// Compares two texts: line by line if they have several lines, otherwise word by word. Strings are quoted.
fn text_lines(before: &str, after: &str, is_quoted: bool, options: &RenderOptions) -> Vec<Line> {
    let theme = Theme::new(options.color);
    let room = options.width.saturating_sub(10).max(20);
    let several = before.trim_end().contains('\n') || after.trim_end().contains('\n');
    if several && before.len().max(after.len()) <= MAX_COMPARED {
        let fit = |text: &str| {
            let text = escape(text.trim_end_matches(['\n', '\r'])).into_owned();
            if options.all { text } else { style::cut(&text, room).into_owned() }
        };
        let diff = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(before, after);
        let mut lines = Vec::new();
        for (i, hunk) in diff.grouped_ops(1).iter().enumerate() {
            if i > 0 {
                lines.push((ChangeTag::Equal, theme.dim("⋮")));
            }
            for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
                let text = fit(change.value());
                let line = match change.tag() {
                    ChangeTag::Equal => theme.dim(&format!("  {text}")),
                    ChangeTag::Delete => theme.removed(&format!("- {text}")),
                    ChangeTag::Insert => theme.added(&format!("+ {text}")),
                };
                lines.push((change.tag(), line));
            }
        }
        return lines;
    }
    let quote = if is_quoted { "\"" } else { "" };
    match words::pieces(before, after) {
        Some((mut old, mut new)) => {
            if !options.all {
                words::fit(&mut old, room);
                words::fit(&mut new, room);
            }
            let line =
                |pieces: &[Piece], sign: &str, whole: fn(Theme, &str) -> String, word: fn(Theme, &str) -> String| {
                    let mut line = whole(theme, &format!("{sign} {quote}"));
                    for piece in pieces {
                        let text = escape(&piece.text);
                        line.push_str(&if piece.shared { whole(theme, &text) } else { word(theme, &text) });
                    }
                    line.push_str(&whole(theme, quote));
                    line
                };
            vec![
                (ChangeTag::Delete, line(&old, "-", Theme::removed, Theme::removed_word)),
                (ChangeTag::Insert, line(&new, "+", Theme::added, Theme::added_word)),
            ]
        }
        None => {
            let whole = |text: &str| if is_quoted { value::quote(text) } else { escape(text).into_owned() };
            let (old, new) = (whole(before), whole(after));
            let (old, new) = if options.all { (old, new) } else { words::focus(&old, &new, room) };
            vec![
                (ChangeTag::Delete, theme.removed(&format!("- {old}"))),
                (ChangeTag::Insert, theme.added(&format!("+ {new}"))),
            ]
        }
    }
}

fn paint(theme: Theme, change: &Folded, text: &str) -> String {
    match change.kind {
        _ if change.moved.is_some() => theme.changed(text),
        ChangeKind::Added => theme.added(text),
        ChangeKind::Removed => theme.removed(text),
        ChangeKind::Changed => theme.changed(text),
    }
}

/// The location of a change: its path; for a moved list item both places (`vars.subnets[2] → [0]`), for a removed one
/// its place in the base.
pub(in crate::report) fn name(change: &Folded) -> String {
    let list = change.path.rsplit_once('/').map_or("", |(list, _)| list);
    let at = |index: usize| path(&format!("{list}/{index}"));
    match (change.moved, change.base_index) {
        (Some(moved), _) if moved.from == moved.to => at(moved.from),
        (Some(moved), _) => format!("{} → [{}]", at(moved.from), moved.to),
        (None, Some(index)) => at(index),
        (None, None) => path(change.path),
    }
}

/// Describes the move of a list item.
pub(in crate::report) fn what_moved(moved: Moved) -> &'static str {
    MOVED[usize::from(moved.from == moved.to)]
}

/// A JSON Pointer as people write paths: `vars.subnets[0].cidr`.
pub(in crate::report) fn path(path: &str) -> String {
    let mut text = String::new();
    for key in pointer::keys(path) {
        if !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit()) {
            text.push_str(&format!("[{key}]"));
            continue;
        }
        if !text.is_empty() {
            text.push('.');
        }
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '@');
        text.push_str(&if !key.is_empty() && key.chars().all(plain) { key } else { value::quote(&key) });
    }
    if text.is_empty() { "(whole)".to_owned() } else { text }
}
