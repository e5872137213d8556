//! A place in the text of a template, and the words of the language.

use super::ast::{LanguageVersion, Span};
use super::error::{ParseError, TOO_DEEP};
use crate::text::Text;

/// How deep expressions and blocks nest.
const MAX_DEPTH: usize = 100;

/// A place in a text that is being parsed.
pub(super) struct Cursor<'a> {
    raw: &'a Text,
    path: &'a Text,
    at: usize,
    era: LanguageVersion,
    depth: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(raw: &'a Text, path: &'a Text, era: LanguageVersion, depth: usize) -> Self {
        Cursor { raw, path, at: 0, era, depth }
    }

    pub(super) fn era(&self) -> LanguageVersion {
        self.era
    }

    /// The path of the template in its document.
    pub(super) fn path(&self) -> &'a Text {
        self.path
    }

    /// How many expressions there are around this place.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Runs a function one level deeper; `None` if that is too deep.
    ///
    /// # Errors
    /// Those of what is run, and that it is too deep.
    pub(super) fn deeper<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<Option<T>, ParseError>,
    ) -> Result<Option<T>, ParseError> {
        if self.is_too_deep(1) {
            return Err(self.error(TOO_DEEP, self.position()..self.end()));
        }
        self.depth += 1;
        let done = run(self);
        self.depth -= 1;
        done
    }

    /// Whether so many more levels are too deep.
    pub(super) fn is_too_deep(&self, more: usize) -> bool {
        self.depth + more > MAX_DEPTH
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.raw[self.at..]
    }

    pub(super) fn position(&self) -> u32 {
        self.at as u32
    }

    pub(super) fn end(&self) -> u32 {
        self.raw.len() as u32
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.raw.len()
    }

    pub(super) fn back_to(&mut self, position: u32) {
        self.at = position as usize;
    }

    pub(super) fn go_to_end(&mut self) {
        self.at = self.raw.len();
    }

    pub(super) fn span_from(&self, start: u32) -> Span {
        start..self.position()
    }

    pub(super) fn text_from(&self, start: u32) -> Text {
        self.raw[start as usize..self.at].into()
    }

    pub(super) fn error(&self, message: &'static str, span: Span) -> ParseError {
        ParseError { raw: Text::clone(self.raw), message, span }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn starts_with(&self, word: &str) -> bool {
        self.rest().starts_with(word)
    }

    /// Reads a word, if it comes next.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let there = self.starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    /// Reads a character that passes a test, if it comes next.
    pub(super) fn eat_if(&mut self, test: impl FnOnce(char) -> bool) -> Option<char> {
        let next = self.peek().filter(|c| test(*c))?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Whether an expression or an escape begins here.
    pub(super) fn is_at_start(&self) -> bool {
        self.starts_with("${") || self.starts_with("$${")
    }

    /// Reads text up to where an expression or an escape begins, or to the end.
    pub(super) fn skip_text(&mut self) {
        while !self.is_at_end() && !self.is_at_start() {
            self.eat_if(|_| true);
            if let Some(dollar) = self.rest().find('$') {
                self.at += dollar;
            } else {
                self.go_to_end();
            }
        }
    }

    /// Reads up to and with a character; nothing if it is not there.
    pub(super) fn skip_behind(&mut self, end: char) -> bool {
        let found = self.rest().find(end);
        if let Some(found) = found {
            self.at += found + end.len_utf8();
        }
        found.is_some()
    }

    /// Reads blanks, which line breaks are not; whether there was one.
    pub(super) fn skip_blanks(&mut self) -> bool {
        let before = self.at;
        while self.eat_if(is_blank).is_some() {}
        self.at > before
    }

    /// Reads a keyword that no identifier continues.
    pub(super) fn eat_keyword(&mut self, word: &str) -> bool {
        let before = self.at;
        if self.eat(word) && !self.peek().is_some_and(continues_identifier) {
            return true;
        }
        self.at = before;
        false
    }
}

/// White space on one line.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\t' | '\u{b}' | '\u{c}' | ' ' | '\u{a0}' | '\u{feff}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Whether a character ends a line, which string literals cannot contain.
pub(super) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Whether a character can begin an identifier. Characters outside of the basic plane are not letters in this language.
pub(super) fn begins_identifier(c: char) -> bool {
    matches!(c, '$' | '_') || (c.is_alphabetic() && (c as u32) < 0x1_0000)
}

/// Whether a character can continue an identifier.
pub(super) fn continues_identifier(c: char) -> bool {
    begins_identifier(c)
        || c == '-'
        || ((c as u32) < 0x1_0000 && c.is_numeric())
        || matches!(c, '\u{200c}' | '\u{200d}' | '\u{203f}' | '\u{2040}' | '\u{300}'..='\u{36f}')
}
