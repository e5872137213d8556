//! A line of a text with a mark below what is meant.

use crate::report::text::style::{escape, width};
use std::ops::Range;

/// Returns the line and column (from 1, in characters) of a byte range in a text, the text of the line, and a marker
/// below it. Long lines are shortened around the marker to fit into `columns`.
pub(crate) fn excerpt(text: &str, range: &Range<usize>, columns: usize) -> Vec<String> {
    let Some(before) = text.get(..range.start) else { return Vec::new() };
    let number = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.start..].find('\n').map_or(text.len(), |at| range.start + at);
    let column = text[start..range.start].chars().count() + 1;
    let marked = &text[range.start..range.end.clamp(range.start, end)];
    let label = number.to_string();
    let margin = " ".repeat(label.len());
    let room = columns.saturating_sub(label.len() + 3).max(20);
    let (before, marked) = (escape(&text[start..range.start]), escape(marked));
    let marked: String = fitting(marked.chars(), room / 2);
    let before: String = match width(&before) > room / 3 {
        true => format!("…{}", fitting(before.chars().rev(), room / 3).chars().rev().collect::<String>()),
        false => before.into_owned(),
    };
    let used = width(&before) + width(&marked);
    let after = escape(&text[range.end.clamp(range.start, end)..end]).into_owned();
    let after = match used + width(&after) > room {
        true => format!("{}…", fitting(after.chars(), room.saturating_sub(used + 1))),
        false => after,
    };
    let mark = "^".repeat(width(&marked).max(1));
    vec![
        format!("{margin}--> line {number}, column {column} of the template"),
        format!("{margin} |"),
        format!("{label} | {before}{marked}{after}"),
        format!("{margin} | {}{mark}", " ".repeat(width(&before))),
    ]
}

/// Returns as many characters as fit into some columns.
fn fitting(characters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += width(c.encode_utf8(&mut [0; 4]));
        used <= columns
    };
    characters.take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn a_mark_below_what_is_meant() {
        let lines = excerpt("a\nb {{ foo }} c", &(7..10), 80);
        assert_eq!(lines[0], " --> line 2, column 6 of the template");
        assert_eq!(lines[2..], ["2 | b {{ foo }} c", "  |      ^^^"]);
        assert_eq!(excerpt("", &(0..0), 80)[3], "  | ^");
    }

    #[test]
    fn long_lines_fit() {
        let text = format!("{}{{{{ foo }}}}{}", "ä".repeat(500), "\u{1b}漢".repeat(500));
        let at = text.find("foo").unwrap();
        for columns in [40, 80, 160] {
            let lines = excerpt(&text, &(at..at + 3), columns);
            assert!(lines[2].contains("foo") && !lines[2].contains('\u{1b}'), "{lines:?}");
            assert!(unicode_width::UnicodeWidthStr::width(&*lines[2]) <= columns, "{lines:?}");
            let column = lines[2].find("foo").map(|at| lines[2][..at].chars().count());
            assert_eq!(column, lines[3].find('^'), "{lines:?}");
        }
    }
}
