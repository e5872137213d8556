//! Splits template text into tokens, the way Go's `text/template/parse` does, trim markers included.

use super::text::{is_alphanumeric, unicode_point};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// The text cannot be tokenised; the lexer holds the message.
    Error,
    Bool,
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    Eof,
    Field,
    Ident,
    LeftDelim,
    LeftParen,
    Number,
    Pipe,
    RawString,
    RightDelim,
    RightParen,
    Space,
    Str,
    Text,
    Variable,
    Block,
    Break,
    Continue,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl TokenKind {
    /// Whether it is one of the reserved words (the cursor `.` counts, as in Go).
    pub(super) fn is_keyword(self) -> bool {
        use TokenKind::{Block, Break, Continue, Define, Dot, Else, End, If, Nil, Range, Template, With};
        matches!(self, Block | Break | Continue | Dot | Define | Else | End | If | Nil | Range | Template | With)
    }
}

/// A token with its position in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The scanner.
pub(super) struct Lexer<'a> {
    input: &'a str,
    left: &'a str,
    right: &'a str,
    pos: usize,
    start: usize,
    paren_depth: u32,
    inside_action: bool,
    /// `break` is a keyword (no function has that name).
    pub(super) break_ok: bool,
    /// `continue` is a keyword.
    pub(super) continue_ok: bool,
    /// The message of the [`TokenKind::Error`] token.
    pub(super) error: String,
    /// Some left delimiter was seen, possibly of a comment.
    pub(super) saw_delim: bool,
    /// Some comment was seen.
    pub(super) saw_comment: bool,
    /// A trim marker reaches the first or the last byte of the text.
    pub(super) trims_outside: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a str, left: &'a str, right: &'a str) -> Self {
        Lexer {
            input,
            left: if left.is_empty() { "{{" } else { left },
            right: if right.is_empty() { "}}" } else { right },
            pos: 0,
            start: 0,
            paren_depth: 0,
            inside_action: false,
            break_ok: true,
            continue_ok: true,
            error: String::new(),
            saw_delim: false,
            saw_comment: false,
            trims_outside: false,
        }
    }

    /// The next token; after an error, or at the end, the same again.
    pub(super) fn next_item(&mut self) -> Item {
        if !self.error.is_empty() {
            return Item { kind: TokenKind::Error, start: self.start, end: self.start };
        }
        if self.inside_action { self.inside() } else { self.text() }
    }

    fn rest(&self) -> &'a str {
        &self.input[self.pos..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn emit(&mut self, kind: TokenKind) -> Item {
        let item = Item { kind, start: self.start, end: self.pos };
        self.start = self.pos;
        item
    }

    fn fail(&mut self, message: impl Into<String>) -> Item {
        self.error = message.into();
        Item { kind: TokenKind::Error, start: self.start, end: self.start }
    }

    fn text(&mut self) -> Item {
        loop {
            let Some(x) = self.rest().find(self.left) else {
                self.pos = self.input.len();
                return self.emit(if self.pos > self.start { TokenKind::Text } else { TokenKind::Eof });
            };
            self.saw_delim = true;
            let delim = self.pos + x;
            let trim = has_left_trim(&self.input[delim + self.left.len()..]);
            let before = &self.input[self.start..delim];
            let kept = if trim { trim_end(before) } else { before };
            if trim && trim_end(&self.input[..delim]).is_empty() {
                self.trims_outside = true;
            }
            let text = Item { kind: TokenKind::Text, start: self.start, end: self.start + kept.len() };
            self.pos = delim;
            self.start = delim;
            if !kept.is_empty() {
                return text;
            }
            if let Some(item) = self.left_delim(trim) {
                return item;
            }
        }
    }

    /// The delimiter at the current place; nothing if it began a comment, which is then skipped.
    fn left_delim(&mut self, trim: bool) -> Option<Item> {
        self.pos += self.left.len();
        let skip = if trim { 2 } else { 0 };
        if self.input[self.pos + skip..].starts_with("/*") {
            self.pos += skip;
            self.start = self.pos;
            return self.comment();
        }
        let item = self.emit(TokenKind::LeftDelim);
        self.inside_action = true;
        self.pos += skip;
        self.start = self.pos;
        self.paren_depth = 0;
        Some(item)
    }

    fn comment(&mut self) -> Option<Item> {
        self.saw_comment = true;
        self.pos += 2;
        let Some(x) = self.rest().find("*/") else { return Some(self.fail("unclosed comment")) };
        self.pos += x + 2;
        let Some(trim) = self.at_right_delim() else {
            return Some(self.fail("comment ends before closing delimiter"));
        };
        self.close(trim);
        self.start = self.pos;
        None
    }

    /// Moves past the right delimiter and what it trims; the end of the delimiter itself.
    fn close(&mut self, trim: bool) -> usize {
        self.pos += if trim { 2 } else { 0 } + self.right.len();
        let end = self.pos;
        if trim {
            let rest = self.rest();
            let kept = rest.trim_start_matches(SPACES);
            self.trims_outside |= kept.is_empty();
            self.pos += rest.len() - kept.len();
        }
        end
    }

    /// Whether a right delimiter is here, and if so whether it has a trim marker.
    fn at_right_delim(&self) -> Option<bool> {
        let rest = self.rest();
        if has_right_trim(rest) && rest[2..].starts_with(self.right) {
            return Some(true);
        }
        rest.starts_with(self.right).then_some(false)
    }

    fn right_delim(&mut self, trim: bool) -> Item {
        let start = self.pos + if trim { 2 } else { 0 };
        let end = self.close(trim);
        self.start = self.pos;
        self.inside_action = false;
        Item { kind: TokenKind::RightDelim, start, end }
    }

    fn inside(&mut self) -> Item {
        if let Some(trim) = self.at_right_delim() {
            if self.paren_depth == 0 {
                return self.right_delim(trim);
            }
            return self.fail("unclosed left paren");
        }
        let Some(c) = self.next() else { return self.fail("unclosed action") };
        match c {
            ' ' | '\t' | '\r' | '\n' => self.space(),
            '=' => self.emit(TokenKind::Assign),
            ':' => {
                if self.next() == Some('=') {
                    self.emit(TokenKind::Declare)
                } else {
                    self.fail("expected :=")
                }
            }
            '|' => self.emit(TokenKind::Pipe),
            '"' => self.quoted('"', TokenKind::Str, "unterminated quoted string"),
            '\'' => self.quoted('\'', TokenKind::CharConstant, "unterminated character constant"),
            '`' => match self.rest().find('`') {
                Some(x) => {
                    self.pos += x + 1;
                    self.emit(TokenKind::RawString)
                }
                None => self.fail("unterminated raw quoted string"),
            },
            '$' => self.word(TokenKind::Variable),
            '.' if !self.peek().is_none_or(|c| c.is_ascii_digit()) => self.word(TokenKind::Field),
            '.' | '+' | '-' | '0'..='9' => {
                self.pos -= 1;
                self.number()
            }
            '(' => {
                self.paren_depth += 1;
                self.emit(TokenKind::LeftParen)
            }
            ')' if self.paren_depth == 0 => self.fail("unexpected right paren"),
            ')' => {
                self.paren_depth -= 1;
                self.emit(TokenKind::RightParen)
            }
            c if is_alphanumeric(c) => self.identifier(),
            '!'..='~' => self.emit(TokenKind::Char),
            c => self.fail(format!("unrecognized character in action: {}", unicode_point(Some(c)))),
        }
    }

    /// A run of spaces; the last one may belong to a trim marker.
    fn space(&mut self) -> Item {
        let rest = self.rest();
        self.pos += rest.len() - rest.trim_start_matches(SPACES).len();
        let last = &self.input[self.pos - 1..];
        if has_right_trim(last) && last[2..].starts_with(self.right) {
            self.pos -= 1;
            if self.pos == self.start {
                return self.right_delim(true);
            }
        }
        self.emit(TokenKind::Space)
    }

    fn run_of_alphanumerics(&mut self) {
        while self.peek().is_some_and(is_alphanumeric) {
            self.next();
        }
    }

    fn identifier(&mut self) -> Item {
        self.run_of_alphanumerics();
        if !self.at_terminator() {
            return self.bad_character();
        }
        let kind = match &self.input[self.start..self.pos] {
            "block" => TokenKind::Block,
            "break" if self.break_ok => TokenKind::Break,
            "continue" if self.continue_ok => TokenKind::Continue,
            "define" => TokenKind::Define,
            "else" => TokenKind::Else,
            "end" => TokenKind::End,
            "if" => TokenKind::If,
            "range" => TokenKind::Range,
            "nil" => TokenKind::Nil,
            "template" => TokenKind::Template,
            "with" => TokenKind::With,
            "true" | "false" => TokenKind::Bool,
            _ => TokenKind::Ident,
        };
        self.emit(kind)
    }

    /// A field or a variable whose first character is past.
    fn word(&mut self, kind: TokenKind) -> Item {
        if self.at_terminator() {
            return self.emit(if kind == TokenKind::Variable { kind } else { TokenKind::Dot });
        }
        self.run_of_alphanumerics();
        if !self.at_terminator() {
            return self.bad_character();
        }
        self.emit(kind)
    }

    fn bad_character(&mut self) -> Item {
        let message = format!("bad character {}", unicode_point(self.peek()));
        self.fail(message)
    }

    /// Whether a character is next that may follow an identifier.
    fn at_terminator(&self) -> bool {
        match self.peek() {
            None | Some(' ' | '\t' | '\r' | '\n' | '.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(_) => self.rest().starts_with(self.right),
        }
    }

    fn quoted(&mut self, quote: char, kind: TokenKind, message: &str) -> Item {
        loop {
            match self.next() {
                Some('\\') => match self.next() {
                    None | Some('\n') => return self.fail(message),
                    Some(_) => {}
                },
                None | Some('\n') => return self.fail(message),
                Some(c) if c == quote => return self.emit(kind),
                Some(_) => {}
            }
        }
    }

    fn number(&mut self) -> Item {
        let mut ok = self.scan_number();
        let mut kind = TokenKind::Number;
        if ok && matches!(self.peek(), Some('+' | '-')) {
            // Two numbers in one word can only be a complex constant.
            kind = TokenKind::Complex;
            ok = self.scan_number() && self.input[..self.pos].ends_with('i');
        }
        if ok {
            return self.emit(kind);
        }
        let text = super::text::quote(&self.input[self.start..self.pos]);
        self.fail(format!("bad number syntax: {text}"))
    }

    fn accept(&mut self, set: &str) -> bool {
        let found = self.peek().is_some_and(|c| set.contains(c));
        if found {
            self.pos += 1;
        }
        found
    }

    fn accept_run(&mut self, set: &str) {
        while self.accept(set) {}
    }

    fn scan_number(&mut self) -> bool {
        self.accept("+-");
        let mut digits = "0123456789_";
        if self.accept("0") {
            if self.accept("xX") {
                digits = "0123456789abcdefABCDEF_";
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        if (digits.len() == 11 && self.accept("eE")) || (digits.len() == 23 && self.accept("pP")) {
            self.accept("+-");
            self.accept_run("0123456789_");
        }
        self.accept("i");
        if self.peek().is_some_and(is_alphanumeric) {
            self.next();
            return false;
        }
        true
    }
}

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

fn trim_end(text: &str) -> &str {
    text.trim_end_matches(SPACES)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn has_left_trim(text: &str) -> bool {
    matches!(text.as_bytes(), [b'-', space, ..] if is_space(*space))
}

fn has_right_trim(text: &str) -> bool {
    matches!(text.as_bytes(), [space, b'-', ..] if is_space(*space))
}
