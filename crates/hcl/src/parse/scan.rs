//! Blanks, comments, names and numbers.

use super::{Broken, Parser, Read};
use crate::ast::{Name, Span};

impl Parser<'_> {
    /// The remaining text.
    pub(super) fn rest(&self) -> &str {
        &self.text[self.pos..]
    }

    /// The next byte; zero at the end.
    pub(super) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.pos).copied().unwrap_or(0)
    }

    pub(super) fn at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Consumes a text if it comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    /// The place of the next character.
    pub(super) fn next_span(&self) -> Span {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        Span::new(self.pos, self.pos + length)
    }

    /// Skips blanks and comments, and line ends where they mean nothing.
    pub(super) fn blank(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            while matches!(bytes.get(self.pos), Some(b' ' | b'\t')) {
                self.pos += 1;
            }
            match self.peek() {
                b'\r' if self.at("\r\n") && self.free => self.pos += 2,
                b'\n' if self.free => self.pos += 1,
                b'#' => self.skip_line(),
                b'/' if self.at("//") => self.skip_line(),
                b'/' if self.at("/*") => match self.rest().find("*/") {
                    Some(end) => self.pos += end + 2,
                    None => self.unclosed_comment(),
                },
                _ => return,
            }
        }
    }

    /// Reports a comment without end once, and skips it.
    fn unclosed_comment(&mut self) {
        let span = Span::new(self.pos, self.pos + 2);
        self.pos = self.text.len();
        if self.errors.iter().all(|error| error.span != span) {
            self.error("Unclosed comment", "There is no end of this comment before the end of the file.", span);
        }
    }

    fn skip_line(&mut self) {
        self.pos = self.rest().find('\n').map_or(self.text.len(), |end| self.pos + end);
    }

    /// Skips blanks, comments and line ends.
    pub(super) fn blank_lines(&mut self) {
        self.with_lines(true, Self::blank);
    }

    /// Whether a line ends here.
    pub(super) fn at_line_end(&self) -> bool {
        self.at_end() || self.peek() == b'\n' || self.at("\r\n")
    }

    pub(super) fn at_name(&self) -> bool {
        match self.peek() {
            byte if byte.is_ascii() => byte == b'_' || byte.is_ascii_alphabetic(),
            _ => self.rest().chars().next().is_some_and(starts_name),
        }
    }

    /// Consumes a name.
    pub(super) fn name(&mut self) -> Option<Name> {
        self.name_span().map(|span| self.name_at(span))
    }

    /// The name at a place.
    pub(super) fn name_at(&self, span: Span) -> Name {
        Name { text: shared_text::intern(&self.text[span.start as usize..span.end as usize]), span }
    }

    /// Consumes a name, of which only the place is needed so far.
    pub(super) fn name_span(&mut self) -> Option<Span> {
        if !self.at_name() {
            return None;
        }
        let start = self.pos;
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        while self.text.as_bytes().get(self.pos).is_some_and(is_plain) {
            self.pos += 1;
        }
        if !self.peek().is_ascii() {
            self.pos += self.rest().find(|c: char| !continues_name(c)).unwrap_or(self.rest().len());
        }
        Some(Span::new(start, self.pos))
    }

    /// Consumes a keyword if it comes next as a whole word.
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let follows = self.rest().get(word.len()..).and_then(|rest| rest.chars().next());
        let found = self.at(word) && !follows.is_some_and(continues_name);
        if found {
            self.pos += word.len();
        }
        found
    }

    /// The digits of a number, with a fraction and an exponent unless only digits may come.
    pub(super) fn digits(&mut self, only_digits: bool) -> &str {
        let start = self.pos;
        let skip = |parser: &mut Self| {
            while parser.peek().is_ascii_digit() {
                parser.pos += 1;
            }
        };
        skip(self);
        let follows = |parser: &Self, ahead: usize| {
            parser.text.as_bytes().get(parser.pos + ahead).is_some_and(u8::is_ascii_digit)
        };
        if !only_digits {
            if self.peek() == b'.' && follows(self, 1) {
                self.pos += 1;
                skip(self);
            }
            if matches!(self.peek(), b'e' | b'E') {
                let sign = usize::from(matches!(self.text.as_bytes().get(self.pos + 1), Some(b'+' | b'-')));
                if follows(self, 1 + sign) {
                    self.pos += 1 + sign;
                    skip(self);
                }
            }
        }
        &self.text[start..self.pos]
    }

    /// Consumes a required text.
    pub(super) fn expect(&mut self, text: &str, summary: &'static str, detail: &str) -> Read<()> {
        self.blank();
        if self.take(text) {
            return Ok(());
        }
        let span = self.next_span();
        let _: Broken = self.error(summary, detail, span);
        Err(Broken)
    }
}

fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

pub(super) fn continues_name(c: char) -> bool {
    c == '_' || c == '-' || c.is_alphanumeric()
}
