//! Positions of the protocol: lines from 0, and columns in units of the encoding that client and server agree on.

use ls_types::{GeneralClientCapabilities, Position, PositionEncodingKind, Range};

/// The unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every client supports.
    #[default]
    Utf16,
}

impl Encoding {
    /// Selects bytes if the client supports them.
    pub(super) fn negotiate(general: Option<&GeneralClientCapabilities>) -> Self {
        let offered = general.and_then(|general| general.position_encodings.as_ref());
        match offered.is_some_and(|kinds| kinds.contains(&PositionEncodingKind::UTF8)) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        }
    }

    /// Its name in the protocol.
    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn width(self, c: char) -> u32 {
        match self {
            Encoding::Utf8 => c.len_utf8() as u32,
            Encoding::Utf16 => c.len_utf16() as u32,
        }
    }

    fn width_of(self, text: &str) -> u32 {
        match self {
            Encoding::Utf16 if !text.is_ascii() => text.chars().map(|c| self.width(c)).sum(),
            _ => text.len() as u32,
        }
    }
}

/// A text with the starts of its lines, which end with LF, CRLF or a lone CR.
pub(super) struct Lines<'t> {
    text: &'t str,
    encoding: Encoding,
    starts: Vec<usize>,
    /// The units before each byte whose offset is a multiple of [`STEP`], so that a place in a long line is found soon.
    widths: Vec<u32>,
}

/// See [`Lines::widths`].
const STEP: usize = 256;

impl<'t> Lines<'t> {
    /// The lines of a text. Editors do not show a byte-order mark, so the first line starts after it.
    pub(super) fn new(text: &'t str, encoding: Encoding) -> Self {
        let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let bytes = text.as_bytes();
        let (mut starts, mut widths, mut width) = (vec![first], Vec::with_capacity(text.len() / STEP + 1), 0);
        // Most texts have no other ends of lines than LF, which is found faster than both.
        match text.contains('\r') {
            true => {
                let is_end = |i: &usize| bytes[*i] == b'\n' || bytes[*i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
                starts.extend((0..bytes.len()).filter(is_end).map(|i| i + 1));
            }
            false => starts.extend(text.match_indices('\n').map(|(i, _)| i + 1)),
        }
        let mut at = 0;
        while at < bytes.len() {
            widths.push(width);
            let end = text.ceil_char_boundary(at / STEP * STEP + STEP);
            // At the start of the step, or after a character that extends into it.
            width += encoding.width_of(&text[at..end]);
            at = end;
        }
        widths.push(width);
        Lines { text, encoding, starts, widths }
    }

    /// The units before a byte offset at the start of a character.
    fn width(&self, offset: usize) -> u32 {
        let step = (offset / STEP).min(self.widths.len() - 1);
        let mut start = step * STEP;
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        let rest = self.text.get(start..offset).unwrap_or_default();
        self.widths[step] + self.encoding.width_of(rest)
    }

    /// The position of a byte offset; an offset past the end is the end, and one within a line end its start.
    pub(super) fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).clamp(self.starts[0], self.text.len().max(self.starts[0]));
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let end = self.starts[line] + self.line(line as u32).map_or(0, str::len);
        let offset = offset.min(end.max(self.starts[line]));
        Position { line: line as u32, character: self.width(offset).saturating_sub(self.width(self.starts[line])) }
    }

    /// The byte offset of a position. A column past the end of its line is that end, a line past the last one the end of the
    /// text, and a column within a character its start.
    pub(super) fn offset(&self, position: Position) -> usize {
        let Some(line) = self.line(position.line) else { return self.text.len() };
        let mut column = 0;
        for (at, c) in line.char_indices() {
            column += self.encoding.width(c);
            if column > position.character {
                return self.starts[position.line as usize] + at;
            }
        }
        self.starts[position.line as usize] + line.len()
    }

    /// The positions of two byte offsets.
    pub(super) fn range(&self, start: u32, end: u32) -> Range {
        Range { start: self.position(start), end: self.position(end.max(start)) }
    }

    /// The text of a line (from 0) without its end; `None` past the last one.
    pub(super) fn line(&self, line: u32) -> Option<&'t str> {
        let start = *self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(self.text.len());
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }

    /// The byte offset at which a line (from 0) starts; the end of the text past the last one.
    pub(super) fn start(&self, line: u32) -> usize {
        self.starts.get(line as usize).copied().unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn columns_count_units_of_the_encoding() {
        let text = "a: 😀b\r\nc: é\rd\n";
        let at = |encoding, offset| {
            let Position { line, character } = Lines::new(text, encoding).position(offset);
            (line, character)
        };
        assert_eq!([at(Encoding::Utf16, 7), at(Encoding::Utf8, 7)], [(0, 5), (0, 7)]);
        assert_eq!([at(Encoding::Utf16, 15), at(Encoding::Utf8, 15)], [(1, 4), (1, 5)]);
        assert_eq!(at(Encoding::Utf16, 16), (2, 0));
        assert_eq!(at(Encoding::Utf16, 99), (3, 0));
        let lines = Lines::new(text, Encoding::Utf16);
        assert_eq!(lines.offset(Position::new(0, 4)), 3, "within the surrogate pair");
        assert_eq!(lines.offset(Position::new(0, 99)), 8);
        assert_eq!(lines.offset(Position::new(99, 0)), text.len());
    }

    #[test]
    fn a_byte_order_mark_is_not_shown() {
        let lines = Lines::new("\u{feff}ab", Encoding::Utf16);
        assert_eq!((lines.position(4), lines.offset(Position::new(0, 1))), (Position::new(0, 1), 4));
        assert_eq!(lines.position(0), Position::new(0, 0));
    }

    proptest! {
        #![proptest_config(crate::fuzz::cases(100))]

        /// The columns of a long line are those that counting gives.
        #[test]
        fn long_lines(parts in prop::collection::vec("[a😀é]{0,9}", 100..300), at in 0..2_000_usize, utf8: bool) {
            let (text, encoding) = (parts.concat(), if utf8 { Encoding::Utf8 } else { Encoding::Utf16 });
            let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let counted: u32 = text[..at].chars().map(|c| encoding.width(c)).sum();
            prop_assert_eq!(Lines::new(&text, encoding).position(at as u32), Position::new(0, counted));
        }

        #[test]
        fn there_and_back(text in "[a😀é\r\n]{0,20}", offset in 0..60_u32, utf8: bool) {
            let lines = Lines::new(&text, if utf8 { Encoding::Utf8 } else { Encoding::Utf16 });
            let position = lines.position(offset);
            let back = lines.offset(position);
            prop_assert!(text.is_char_boundary(back));
            prop_assert_eq!(lines.position(back as u32), position);
            if (offset as usize) < text.len() && text.is_char_boundary(offset as usize) && !text[offset as usize..].starts_with('\n') {
                prop_assert_eq!(back, offset as usize);
            }
        }
    }
}
