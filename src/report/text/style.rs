//! Colors, widths and what must never reach a terminal as it is.

use crate::diagnostic::Level;
pub(crate) use crate::text::escape;
pub(in crate::report) use crate::text::steers;
use owo_colors::Style;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The styles of elements; with colors off every style is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    color: bool,
}

impl Theme {
    /// A theme with or without colors.
    pub(crate) fn new(color: bool) -> Self {
        Theme { color }
    }

    pub(crate) fn has_color(self) -> bool {
        self.color
    }

    fn paint(self, text: &str, style: Style) -> String {
        if self.color && !text.is_empty() { style.style(text).to_string() } else { text.to_owned() }
    }

    /// Names and headings.
    pub(crate) fn bold(self, text: &str) -> String {
        self.paint(text, Style::new().bold())
    }

    /// Secondary information.
    pub(crate) fn dim(self, text: &str) -> String {
        self.paint(text, Style::new().dimmed())
    }

    /// Files and lines.
    pub(crate) fn place(self, text: &str) -> String {
        self.paint(text, Style::new().cyan().bold())
    }

    /// Paths into configuration and names of components.
    pub(crate) fn path(self, text: &str) -> String {
        self.paint(text, Style::new().bold())
    }

    /// The level of a finding.
    pub(crate) fn level(self, level: Level, text: &str) -> String {
        let style = match level {
            Level::Danger | Level::Error => Style::new().red().bold(),
            Level::Warning => Style::new().yellow().bold(),
            Level::Note => Style::new().cyan().bold(),
        };
        self.paint(text, style)
    }

    pub(crate) fn removed(self, text: &str) -> String {
        self.paint(text, Style::new().red())
    }

    pub(crate) fn added(self, text: &str) -> String {
        self.paint(text, Style::new().green())
    }

    pub(crate) fn changed(self, text: &str) -> String {
        self.paint(text, Style::new().yellow())
    }

    /// The words that differ in removed text.
    pub(crate) fn removed_word(self, text: &str) -> String {
        self.paint(text, Style::new().red().bold().underline())
    }

    /// The words that differ in what is new.
    pub(crate) fn added_word(self, text: &str) -> String {
        self.paint(text, Style::new().green().bold().underline())
    }
}

/// The columns that text takes.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Text cut to some columns, with `…` for what is missing.
pub(crate) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= columns
    };
    let short: String = text.chars().take_while(fits).collect();
    Cow::Owned(short + "…")
}

/// The columns that text takes with the colors of this module in it.
pub(crate) fn visible_width(text: &str) -> usize {
    if text.contains('\u{1b}') { width(&anstream::adapter::strip_str(text).to_string()) } else { width(text) }
}

/// Text in lines of some columns, broken between words only; all lines but the first are indented. Colors take no columns.
pub(crate) fn wrap(text: &str, columns: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split(' ') {
        let width = visible_width(word);
        match lines.last_mut() {
            Some(line) if used + 1 + width <= columns => {
                line.push(' ');
                line.push_str(word);
                used += 1 + width;
            }
            Some(_) => {
                lines.push(format!("{}{word}", " ".repeat(indent)));
                used = indent + width;
            }
            None => {
                lines.push(word.to_owned());
                used = width;
            }
        }
    }
    lines
}

pub(crate) use crate::text::count;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(escape("plain ü 漢"), "plain ü 漢");
        assert_eq!(escape("a\u{1b}[31m\n\u{202e}b\u{7f}\u{9b}"), "a\\u{1b}[31m\\n\\u{202e}b\\u{7f}\\u{9b}");
        assert_eq!(escape("\u{ad}\u{61c}\u{180e}\u{3164}"), "\\u{ad}\\u{61c}\\u{180e}\\u{3164}");
    }

    #[test]
    fn wrapping() {
        assert_eq!(wrap("one two three", 7, 2), ["one two", "  three"]);
        assert_eq!(wrap("\u{1b}[1mone\u{1b}[0m two three", 7, 2), ["\u{1b}[1mone\u{1b}[0m two", "  three"]);
        assert_eq!(wrap("averylongword x", 4, 2), ["averylongword", "  x"]);
        assert_eq!(wrap("", 4, 2), [""]);
    }

    #[test]
    fn cutting() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("漢漢漢", 4), "漢…");
        assert_eq!(cut("abc", 0), "…");
    }
}
