//! The paths that change, with the values before and after.

use super::style::{self, Theme, escape};
use super::value;
use super::words::{self, Piece};
use crate::diff::group::Folded;
use crate::diff::{Change, ChangeKind, mask, pointer};
use crate::report::Options;
use crate::value::{Data, Value};
use similar::{Algorithm, ChangeTag, TextDiff};
use std::io;

/// The most lines of one value, unless all are asked for.
const MAX_LINES: usize = 12;
/// The most examples of values where each component has its own.
const MAX_EXAMPLES: usize = 3;
/// Paths are aligned up to this width.
const MAX_ALIGNED: usize = 44;
/// What is said of a call that is only spelled differently.
const SAME_CALL: &str = " (the same call)";
/// Larger texts are not compared line by line.
const MAX_COMPARED: usize = 200_000;

/// Writes the changes of a group, with the values in one column where they fit.
pub(super) fn write(out: &mut dyn io::Write, changes: &[Folded], options: &Options) -> io::Result<()> {
    let column = changes.iter().map(|c| style::width(&path(c.path))).filter(|w| *w <= MAX_ALIGNED).max().unwrap_or(0);
    for change in changes {
        one(out, change, column, options)?;
    }
    Ok(())
}

/// Whether the value at the path of a change is not shown.
pub(in crate::report) fn is_masked(change: &Folded, options: &Options) -> bool {
    let by_key = change.variants.iter().any(|c| c.is_secret);
    let secret = |v: &Option<Value>| v.as_ref().is_some_and(|v| by_key && value::is_maskable(v) || value::has_token(v));
    !options.show_secrets && change.variants.iter().any(|c| secret(&c.before) || secret(&c.after))
}

fn one(out: &mut dyn io::Write, change: &Folded, column: usize, options: &Options) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let name = path(change.path);
    let sign = paint(theme, change.kind, &change.kind.sign().to_string());
    let pad = " ".repeat(column.saturating_sub(style::width(&name)));
    let label = format!("  {sign} {}", theme.path(&name));
    let room = options.width.saturating_sub(6 + column.max(style::width(&name)));
    if is_masked(change, options) {
        let note = format!("(secret, {})", change.kind.name());
        return writeln!(out, "{label}{pad}  {} {}", mask::MASK, theme.dim(&note));
    }
    let lines: Vec<String> = change.variants.iter().filter_map(|c| short(c, room, options)).collect();
    if let ([_], [line]) = (&change.variants[..], &lines[..]) {
        return writeln!(out, "{label}{pad}  {line}");
    }
    if let [only] = change.variants[..] {
        writeln!(out, "{label}")?;
        return long(out, only, options);
    }
    let note = format!("{} different values", change.variants.len());
    writeln!(out, "{label}{pad}  {}", theme.dim(&note))?;
    let shown = if options.all || change.variants.len() <= MAX_EXAMPLES { change.variants.len() } else { MAX_EXAMPLES };
    for variant in &change.variants[..shown] {
        match short(variant, options.width.saturating_sub(8), options) {
            Some(line) => writeln!(out, "      {line}")?,
            None => long(out, variant, options)?,
        }
    }
    if shown < change.variants.len() {
        let rest = format!("… and {} more like these", change.variants.len() - shown);
        writeln!(out, "      {}", theme.dim(&rest))?;
    }
    Ok(())
}

/// `before → after` if it fits into `room` columns.
fn short(change: &Change, room: usize, options: &Options) -> Option<String> {
    let theme = Theme::new(options.color);
    let secret = change.is_secret;
    let text = |v: &Option<Value>| v.as_ref().map(|v| value::inline(v, secret, options));
    let multi_line =
        |v: &Option<Value>| v.as_ref().and_then(Value::as_str).is_some_and(|s| s.trim_end().contains('\n'));
    if multi_line(&change.before) || multi_line(&change.after) {
        return None;
    }
    let (before, after) = (text(&change.before), text(&change.after));
    let width = |t: &Option<String>| t.as_ref().map_or(0, |t| style::width(t));
    if width(&before) + width(&after) + 3 > room {
        return None;
    }
    Some(match (before, after) {
        (Some(b), Some(a)) => {
            let mark = if change.is_same_call { theme.dim(SAME_CALL) } else { String::new() };
            format!("{} {} {}{mark}", theme.removed(&b), theme.dim("→"), theme.added(&a))
        }
        (Some(b), None) => theme.removed(&b),
        (None, Some(a)) => theme.added(&a),
        (None, None) => String::new(),
    })
}

/// The values over several lines below the path.
fn long(out: &mut dyn io::Write, change: &Change, options: &Options) -> io::Result<()> {
    long_lines(change, options).iter().try_for_each(|line| writeln!(out, "      {line}"))
}

/// The values over several lines, each with its sign.
pub(in crate::report) fn long_lines(change: &Change, options: &Options) -> Vec<String> {
    let theme = Theme::new(options.color);
    let limit = if options.all { usize::MAX } else { MAX_LINES };
    let mut lines: Vec<String> = match (&change.before, &change.after) {
        (Some(Value { data: Data::Str(b), .. }), Some(Value { data: Data::Str(a), .. })) => text_lines(b, a, options),
        (before, after) => {
            let secret = change.is_secret;
            let block = |v: &Value| value::block(v, secret, options, None);
            let old = before.iter().flat_map(block).map(|l| (ChangeTag::Delete, l.text));
            let new = after.iter().flat_map(block).map(|l| (ChangeTag::Insert, l.text));
            let fit = |text: String| {
                if options.all { text } else { style::cut(&text, options.width.saturating_sub(8).max(20)).into_owned() }
            };
            old.chain(new)
                .map(|(tag, text)| match tag {
                    ChangeTag::Delete => theme.removed(&format!("- {}", fit(text))),
                    _ => theme.added(&format!("+ {}", fit(text))),
                })
                .collect()
        }
    };
    // A cut that hides a single line saves nothing.
    let shown = if lines.len() <= limit.saturating_add(1) { lines.len() } else { limit };
    if shown < lines.len() {
        let rest = theme.dim(&format!("… {}", style::count(lines.len() - shown, "more line")));
        lines.truncate(shown);
        lines.push(rest);
    }
    lines
}

/// Two texts: line by line if they have several lines, else word by word.
fn text_lines(before: &str, after: &str, options: &Options) -> Vec<String> {
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
                lines.push(theme.dim("⋮"));
            }
            for change in hunk.iter().flat_map(|op| diff.iter_changes(op)) {
                let text = fit(change.value());
                lines.push(match change.tag() {
                    ChangeTag::Equal => theme.dim(&format!("  {text}")),
                    ChangeTag::Delete => theme.removed(&format!("- {text}")),
                    ChangeTag::Insert => theme.added(&format!("+ {text}")),
                });
            }
        }
        return lines;
    }
    let cut = |text: &str| {
        let quoted = value::quote(text);
        if options.all { quoted } else { style::cut(&quoted, room).into_owned() }
    };
    match words::pieces(before, after) {
        Some((mut old, mut new)) => {
            if !options.all {
                let keep = (options.width / 4).max(14);
                words::abbreviate(&mut old, keep);
                words::abbreviate(&mut new, keep);
            }
            let line =
                |pieces: &[Piece], sign: &str, whole: fn(Theme, &str) -> String, word: fn(Theme, &str) -> String| {
                    let mut line = whole(theme, &format!("{sign} \""));
                    for piece in pieces {
                        let text = escape(&piece.text);
                        line.push_str(&if piece.shared { whole(theme, &text) } else { word(theme, &text) });
                    }
                    line.push_str(&whole(theme, "\""));
                    line
                };
            vec![line(&old, "-", Theme::removed, Theme::removed_word), line(&new, "+", Theme::added, Theme::added_word)]
        }
        None => vec![theme.removed(&format!("- {}", cut(before))), theme.added(&format!("+ {}", cut(after)))],
    }
}

fn paint(theme: Theme, kind: ChangeKind, text: &str) -> String {
    match kind {
        ChangeKind::Added => theme.added(text),
        ChangeKind::Removed => theme.removed(text),
        ChangeKind::Changed => theme.changed(text),
    }
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
