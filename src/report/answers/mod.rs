//! Answers to questions about one state: what depends on a line, where a value comes from. As text or JSON.

mod excerpt;
pub(crate) mod graph;
pub(crate) mod impact;
pub(crate) mod why;

pub(crate) use excerpt::excerpt;

use super::text::style::{self, Theme};
use crate::diff::mask;
use crate::files::{File, Files};
use crate::report::RenderOptions;
use crate::syntax::secrets;
use crate::value::Origin;
use serde::Serialize;

/// Longer lines of files are cut in text, at this many columns.
const MAX_COLUMNS: usize = 160;

/// How much of a line is looked at to show that of it: many findings may be in one long line.
const MAX_BYTES: usize = 16 << 10;

/// A place in a file, as output names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
}

impl Place {
    fn of(origin: Origin, files: &Files) -> Self {
        let file = files.get(origin.file);
        let position = file.position(origin.key);
        Place { file: file.path.to_string(), line: position.line, column: position.column }
    }

    /// `file:line` for a terminal.
    fn shown(&self, theme: Theme) -> String {
        theme.place(&format!("{}:{}", style::escape(&self.file), self.line))
    }
}

/// The line of a file in which something is written, without the space around it, for programs: only what code declares to be
/// secret is masked, and all values if `is_hidden` says so.
fn line_text(origin: Origin, is_hidden: bool, files: &Files, options: &RenderOptions) -> String {
    let file = files.get(origin.file);
    program_line(&file, file.line(origin.key), is_hidden, options)
}

/// The same of a line by its number.
fn program_line(file: &File, number: u32, is_hidden: bool, options: &RenderOptions) -> String {
    let line = file.line_text(number);
    let ranges = match (options.show_secrets, is_hidden) {
        (true, _) => Vec::new(),
        (_, true) => secrets::in_line(file, number, line, true),
        _ => secrets::declared_in_line(file, number, line),
    };
    let mut text = line.to_owned();
    ranges.into_iter().rev().for_each(|range| text.replace_range(range, mask::MASK));
    text.trim().to_owned()
}

/// The same for people: secrets masked, control characters escaped, cut.
pub(in crate::report) fn shown_line(origin: Origin, secret: bool, files: &Files, options: &RenderOptions) -> String {
    masked_line(origin, secret, files, options).trim().to_owned()
}

/// The line of a file in which something is written, for people, with the space that it begins with.
pub(in crate::report) fn masked_line(origin: Origin, secret: bool, files: &Files, options: &RenderOptions) -> String {
    let file = files.get(origin.file);
    let number = file.line(origin.key);
    let line = file.line_text(number);
    let mut text = line.to_owned();
    if !options.show_secrets {
        for range in secrets::in_line(&file, number, line, secret).into_iter().rev() {
            text.replace_range(range, mask::MASK);
        }
    }
    let mut text = text.trim_end().to_owned();
    if text.len() > MAX_BYTES {
        text.truncate(text.floor_char_boundary(MAX_BYTES));
        text.push('…');
    }
    style::cut(&style::escape(&text), MAX_COLUMNS.min(options.width.max(40))).into_owned()
}
