//! The heading of a block: the edited lines.

use super::style::{self, Theme};
use crate::diff::{Cause, Side, mask};
use crate::files::{File, Files};
use crate::report::RenderOptions;
use crate::syntax::secrets;
use std::io;

/// The most edited lines that are shown for one block, and how many are shown of more.
const MAX_LINES: usize = 8;
const SOME_LINES: usize = 3;
/// The maximum number of bytes of a line that are examined.
const MAX_LINE: usize = 2_000;

/// Writes the files with the edited lines; with `secret`, values in these lines are masked under any key. With
/// `is_whole`, for added or removed components, only the first line of each run is written.
pub(in crate::report) fn write(
    out: &mut dyn io::Write,
    causes: &[Cause],
    secret: bool,
    is_whole: bool,
    files: &Files,
    options: &RenderOptions,
) -> io::Result<()> {
    let theme = Theme::new(options.color);
    if causes.is_empty() {
        return writeln!(out, "{}", theme.place("no edited line found"));
    }
    let path = |c: &Cause| files.get(c.file).path.clone();
    let shown = shown(causes, is_whole, options);
    let rest = causes.len() - shown.len();
    let mut more = (rest > 0).then(|| theme.dim(&format!("… and {}", style::count(rest, "more edited line"))));
    for of_file in shown.chunk_by(|a, b| path(a) == path(b)) {
        let head = of_file.iter().find(|c| c.side == Side::Head);
        let place = match head {
            Some(cause) => format!("{}:{}", style::escape(&path(cause)), cause.line),
            None => format!("{}:{}", style::escape(&path(&of_file[0])), of_file[0].line),
        };
        let note = if head.is_none() { theme.dim(" (removed)") } else { String::new() };
        let lines = source(of_file, secret, files, options);
        let beside = |line: &String| style::width(&place) + 2 + style::visible_width(line) <= options.width;
        if let [line] = &lines[..]
            && beside(line)
        {
            writeln!(out, "{}{note}  {line}", theme.place(&place))?;
            continue;
        }
        let is_last = of_file.last() == shown.last();
        let rest = more.take_if(|_| is_last).map(|rest| format!("  {rest}")).unwrap_or_default();
        writeln!(out, "{}{note}{rest}", theme.place(&place))?;
        lines.iter().try_for_each(|line| writeln!(out, "    {} {line}", theme.dim("│")))?;
    }
    more.iter().try_for_each(|rest| writeln!(out, "    {rest}"))
}

/// The edited lines that a heading shows, see [`write`].
pub(super) fn shown(causes: &[Cause], is_whole: bool, options: &RenderOptions) -> Vec<Cause> {
    if options.all {
        return causes.to_vec();
    }
    let is_next = |a: &Cause, b: &Cause| is_whole && a.side == b.side && a.file == b.file && b.line == a.line + 1;
    let mut shown: Vec<Cause> = causes.chunk_by(is_next).filter_map(|run| run.first().copied()).collect();
    if shown.len() > MAX_LINES {
        shown.truncate(SOME_LINES);
    }
    shown
}

/// The edited lines of one file with colors.
fn source(causes: &[Cause], secret: bool, files: &Files, options: &RenderOptions) -> Vec<String> {
    let theme = Theme::new(options.color);
    let paint = |(side, text): (Side, String)| {
        let text = style::cut(&text, options.width.saturating_sub(8).max(20)).into_owned();
        match side {
            Side::Base => theme.removed(&format!("- {text}")),
            Side::Head => theme.added(&format!("+ {text}")),
        }
    };
    edited_lines(causes, secret, files, options).into_iter().map(paint).collect()
}

/// The edited lines of one file, those of the base before those of the head, without their common indentation, masked and
/// escaped; with `secret`, values in them are masked whatever their keys are.
pub(in crate::report) fn edited_lines(
    causes: &[Cause],
    secret: bool,
    files: &Files,
    options: &RenderOptions,
) -> Vec<(Side, String)> {
    let mut lines: Vec<(Side, String)> = Vec::new();
    for run in causes.chunk_by(|a, b| a.line.abs_diff(b.line) <= 1) {
        for side in [Side::Base, Side::Head] {
            for cause in run.iter().filter(|c| c.side == side) {
                let file = files.get(cause.file);
                lines.push((side, masked(&file, cause.line, secret, options)));
            }
        }
    }
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let common = lines.iter().map(|(_, line)| indent(line)).min().unwrap_or(0);
    lines.into_iter().map(|(side, line)| (side, style::escape(&line[common..]).into_owned())).collect()
}

fn clip(line: &str) -> &str {
    let mut end = line.len().min(MAX_LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

fn masked(file: &File, number: u32, secret: bool, options: &RenderOptions) -> String {
    let line = clip(file.line_text(number));
    let mut text = line.to_owned();
    if !options.show_secrets {
        for range in secrets::in_line(file, number, line, secret).into_iter().rev() {
            text.replace_range(range, mask::MASK);
        }
    }
    text
}
