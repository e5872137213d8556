//! Renders the Markdown pages of rules for a terminal: headings, paragraphs, lists, tables and blocks of code. Other
//! syntax stays as written.

use crate::report::RenderOptions;
use crate::report::text::style::{Theme, escape, visible_width, width};

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Face {
    Plain,
    Strong,
    Code,
}

/// Text without spaces, in pieces.
type Word = Vec<(Face, String)>;

/// Renders a page. `subtitle` goes below its first heading.
pub(super) fn render(page: &str, subtitle: &str, options: &RenderOptions) -> Vec<String> {
    let mut layout = Layout { theme: Theme::new(options.color), columns: options.width.max(40), lines: Vec::new() };
    let mut lines = page.lines().peekable();
    let mut has_title = false;
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            layout.blank();
        } else if let Some(fence) = fence(line) {
            let code: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
            layout.code(&code);
        } else if let Some(title) = heading(line) {
            layout.heading(title);
            if !std::mem::replace(&mut has_title, true) {
                layout.lines.push(subtitle.to_owned());
            }
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(row);
            }
            layout.table(&rows);
        } else {
            let mut text = line.trim().to_owned();
            let goes_on = |line: &&str| {
                let is_text = !line.trim().is_empty() && heading(line).is_none() && fence(line).is_none();
                is_text && !line.starts_with('|') && marker(line).is_empty()
            };
            while let Some(next) = lines.next_if(goes_on) {
                text.push(' ');
                text.push_str(next.trim());
            }
            let indent = line.len() - line.trim_start().len();
            layout.paragraph(&text, indent);
        }
    }
    layout.lines
}

/// The fence that opens a block of code.
fn fence(line: &str) -> Option<&str> {
    let length = line.bytes().take_while(|byte| *byte == b'`').count();
    (length >= 3).then(|| &line[..length])
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (title.len() < line.len() && title.starts_with(' ')).then(|| title.trim())
}

/// The marker of a list item; empty if the line is not the start of one.
fn marker(line: &str) -> &str {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match text.as_bytes() {
        [b'-' | b'*' | b'>', b' ', ..] => 2,
        rest if digits > 0 && rest[digits..].starts_with(b". ") => digits + 2,
        _ => 0,
    };
    &text[..length]
}

/// The lines so far, and how to make more.
struct Layout {
    theme: Theme,
    columns: usize,
    lines: Vec<String>,
}

impl Layout {
    /// An empty line, unless there is one.
    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    fn heading(&mut self, title: &str) {
        let words = self.words(title);
        let plain: Vec<String> = words.iter().map(|word| self.word(word, Face::Strong)).collect();
        self.lines.push(plain.join(" "));
    }

    /// Code keeps its lines, however long they are.
    fn code(&mut self, lines: &[&str]) {
        for line in lines {
            let line = escape(line);
            let text = if line.is_empty() { String::new() } else { format!("    {}", self.theme.dim(&line)) };
            self.lines.push(text);
        }
    }

    /// Adds a paragraph, or an item of a list with its continuation lines.
    fn paragraph(&mut self, text: &str, indent: usize) {
        let marker = marker(text);
        let hanging = indent + marker.len();
        let lines = self.wrapped(&self.words(&text[marker.len()..]), self.columns.saturating_sub(hanging));
        for (i, line) in lines.into_iter().enumerate() {
            let start = if i == 0 { format!("{}{marker}", " ".repeat(indent)) } else { " ".repeat(hanging) };
            self.lines.push(format!("{start}{line}"));
        }
    }

    /// Words in lines of some columns.
    fn wrapped(&self, words: &[Word], columns: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut used = 0;
        for word in words {
            let size = Self::size(word);
            let text = self.word(word, Face::Plain);
            match lines.last_mut() {
                Some(line) if used + 1 + size <= columns => {
                    line.push(' ');
                    line.push_str(&text);
                    used += 1 + size;
                }
                _ => {
                    lines.push(text);
                    used = size;
                }
            }
        }
        lines
    }

    /// A table: its columns below each other, the widest one in several lines where all together are too wide.
    fn table(&mut self, rows: &[&str]) {
        let is_rule = |row: &str| row.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
        let words = |row: &str| cells(row).iter().map(|cell| self.words(cell)).collect();
        let rows: Vec<Vec<Vec<Word>>> = rows.iter().filter(|row| !is_rule(row)).map(|row| words(row)).collect();
        let number = rows.iter().map(Vec::len).max().unwrap_or(0);
        let size = |cell: &Vec<Word>| cell.iter().map(|word| Self::size(word) + 1).sum::<usize>().saturating_sub(1);
        let mut widths: Vec<usize> =
            (0..number).map(|i| rows.iter().filter_map(|row| row.get(i)).map(size).max().unwrap_or(0)).collect();
        let total = |widths: &[usize]| widths.iter().sum::<usize>() + 2 * number.saturating_sub(1);
        while total(&widths) > self.columns {
            let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > 10) else { break };
            *widest -= 1;
        }
        for (i, row) in rows.iter().enumerate() {
            let cells: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, w)| self.wrapped(cell, *w)).collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for line in 0..height {
                let mut text = String::new();
                for (cell, columns) in cells.iter().zip(&widths) {
                    let part = cell.get(line).map_or("", String::as_str);
                    let pad = columns.saturating_sub(visible_width(part));
                    text.push_str(&format!("{part}{}  ", " ".repeat(pad)));
                }
                let text = text.trim_end();
                self.lines.push(if i == 0 { self.theme.bold(text) } else { text.to_owned() });
            }
        }
    }

    /// The columns of a word.
    fn size(word: &Word) -> usize {
        word.iter().map(|(_, text)| width(text)).sum()
    }

    /// Splits a text into words: code keeps its backticks if there are no colors.
    fn words(&self, text: &str) -> Vec<Word> {
        words(text, !self.theme.has_color())
    }

    fn word(&self, word: &Word, base: Face) -> String {
        let paint = |(face, text): &(Face, String)| match (face, base) {
            (Face::Code, _) => self.theme.place(text),
            (Face::Strong, _) | (_, Face::Strong) => self.theme.bold(text),
            _ => text.clone(),
        };
        word.iter().map(paint).collect()
    }
}

/// The texts of the cells of a row of a table.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for c in row.trim().trim_start_matches('|').chars() {
        match c {
            '\\' if !is_escaped => {
                is_escaped = true;
                continue;
            }
            '|' if !is_escaped => cells.push(String::new()),
            c => {
                let is_mark = c == '|';
                if let Some(cell) = cells.last_mut() {
                    if is_escaped && !is_mark {
                        cell.push('\\');
                    }
                    cell.push(c);
                }
            }
        }
        is_escaped = false;
    }
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells
}

/// The words of a text. A piece of code that holds spaces is a word for each of its parts.
fn words(text: &str, keeps_marks: bool) -> Vec<Word> {
    let mut found: Vec<Word> = vec![Word::new()];
    for (face, text) in pieces(text) {
        let (face, text) = match face {
            Face::Code if keeps_marks => (Face::Plain, format!("`{text}`")),
            face => (face, text),
        };
        for (i, part) in text.split(' ').enumerate() {
            if i > 0 {
                found.push(Word::new());
            }
            if let (false, Some(word)) = (part.is_empty(), found.last_mut()) {
                word.push((face, escape(part).into_owned()));
            }
        }
    }
    found.retain(|word| !word.is_empty());
    found
}

/// Splits a text at its markup: `` `code` ``, `**strong**`, and links, of which the text and the web address remain.
fn pieces(text: &str) -> Vec<(Face, String)> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let enclosed = |mark: &str| rest.strip_prefix(mark)?.split_once(mark).filter(|(inner, _)| !inner.is_empty());
        let (pieces, after) = if let Some((code, after)) = enclosed("`") {
            (vec![(Face::Code, code.to_owned())], after)
        } else if let Some((strong, after)) = enclosed("**") {
            (vec![(Face::Strong, strong.to_owned())], after)
        } else if let Some((name, address, after)) = link(rest) {
            let mut all = pieces(name);
            if address.starts_with("http") {
                all.push((Face::Plain, format!(" ({address})")));
            }
            (all, after)
        } else {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        found.push((Face::Plain, std::mem::take(&mut plain)));
        found.extend(pieces);
        rest = after;
    }
    found.push((Face::Plain, plain));
    found
}

/// The text and the address of a link that a text begins with, and what follows.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (address, after) = rest.split_once(')')?;
    (!name.contains(['[', ']'])).then_some((name, address, after))
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::report::RenderOptions;
    use crate::rules::RULES;

    const PAGE: &str = "# a-rule\n\nOne **two** `code` [link](other.md) and\n[web](https://example.com/x).\n\n- an item that \
                        goes on and on until it is longer than a line\n  in the source\n- second\n\n| key | meaning |\n| --- | --- \
                        |\n| `a` | b \\| c |\n\n```yaml\nx: 1\n\ny: 2\n```\n";

    fn page(width: usize, color: bool) -> Vec<String> {
        render(PAGE, "group · error by default", &RenderOptions { width, color, ..RenderOptions::default() })
    }

    #[test]
    fn markdown_without_color() {
        let expected = [
            "a-rule",
            "group · error by default",
            "",
            "One two `code` link and web",
            "(https://example.com/x).",
            "",
            "- an item that goes on and on until it",
            "  is longer than a line in the source",
            "- second",
            "",
            "key  meaning",
            "`a`  b | c",
            "",
            "    x: 1",
            "",
            "    y: 2",
        ];
        assert_eq!(page(40, false), expected);
    }

    #[test]
    fn colors_take_the_place_of_marks() {
        let text = page(80, true).join("\n");
        assert!(!text.contains('`') && !text.contains("**") && text.contains("\u{1b}["), "{text}");
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert!(plain.contains("One two code link and web (https://example.com/x)."), "{plain}");
    }

    #[test]
    fn all_pages_fit() {
        for rule in RULES.iter() {
            for width in [80, 100, 120, 160] {
                for line in render(rule.page(), "", &RenderOptions { width, ..RenderOptions::default() }) {
                    // Code is not broken, and a word may be longer than a line.
                    let is_fixed = line.starts_with("    ") || !line.trim_start_matches(['-', ' ']).contains(' ');
                    assert!(is_fixed || line.chars().count() <= width, "{}: {line}", rule.id());
                }
            }
        }
    }
}
