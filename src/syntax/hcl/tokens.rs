//! Finds comments and strings in a text in HCL, even if it cannot be parsed: a single pass over the text.

use crate::hcl::parse::end_of_heredoc;
use crate::syntax::Comment;
use std::ops::Range;

/// The comments of a text outside of strings, and its strings and heredocs, each in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) comments: Vec<Comment>,
    pub(super) strings: Vec<Range<usize>>,
}

/// The context of the scanner.
enum Mode {
    /// Blocks and expressions, inside of so many braces.
    Code(usize),
    /// A string in quotes.
    Quotes,
    /// A heredoc that ends with a marker.
    Heredoc(Range<usize>),
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    modes: Vec<Mode>,
    /// Where the outermost string began.
    start: usize,
    found: Tokens,
}

/// Finds the comments and strings of a text.
pub(super) fn tokens(text: &str) -> Tokens {
    let modes = vec![Mode::Code(0)];
    let mut scan = Scan { text, bytes: text.as_bytes(), at: 0, modes, start: 0, found: Tokens::default() };
    while scan.at < text.len() {
        match scan.modes.last() {
            Some(Mode::Quotes) => scan.quotes(),
            Some(Mode::Heredoc(marker)) => {
                let marker = marker.clone();
                scan.heredoc(&marker);
            }
            _ => scan.code(),
        }
    }
    scan.at = text.len();
    if scan.modes.len() > 1 {
        scan.found.strings.push(scan.start..text.len());
    }
    scan.found
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Moves to the next byte that means something, or the end; from `ahead` bytes on.
    fn seek(&mut self, ahead: usize, means: impl Fn(u8) -> bool) {
        let from = (self.at + ahead).min(self.bytes.len());
        let rest = &self.bytes[from..];
        self.at = from + rest.iter().position(|byte| means(*byte)).unwrap_or(rest.len());
    }

    fn code(&mut self) {
        self.seek(0, |byte| matches!(byte, b'#' | b'/' | b'"' | b'<' | b'{' | b'}'));
        match (self.peek(0), self.peek(1)) {
            (b'#', _) => self.line_comment(1),
            (b'/', b'/') => self.line_comment(2),
            (b'/', b'*') => self.block_comment(),
            (b'"', _) => {
                self.open(Mode::Quotes);
                self.at += 1;
            }
            (b'<', b'<') => self.begin_heredoc(),
            (b'{', _) => {
                self.nest(|depth| Some(depth + 1));
                self.at += 1;
            }
            (b'}', _) => {
                self.at += 1;
                self.nest(|depth| depth.checked_sub(1));
            }
            _ => self.at += 1,
        }
    }

    /// Changes the number of braces that the code is in. Without one, the sequence of a string ends.
    fn nest(&mut self, change: impl Fn(usize) -> Option<usize>) {
        let is_sequence = self.modes.len() > 1;
        if let Some(Mode::Code(depth)) = self.modes.last_mut() {
            match change(*depth) {
                Some(changed) => *depth = changed,
                None if is_sequence => {
                    self.modes.pop();
                }
                None => {}
            }
        }
    }

    fn open(&mut self, mode: Mode) {
        if self.modes.len() == 1 {
            self.start = self.at;
        }
        self.modes.push(mode);
    }

    /// Ends a string in front of the current place.
    fn close(&mut self) {
        self.modes.pop();
        if self.modes.len() == 1 {
            self.found.strings.push(self.start..self.at);
        }
    }

    fn comment(&mut self, span: Range<usize>, body: Range<usize>) {
        self.at = span.end;
        if self.modes.len() == 1 {
            self.found.comments.push(Comment { span, body });
        }
    }

    fn line_comment(&mut self, sign: usize) {
        let start = self.at;
        self.seek(0, |byte| byte == b'\n');
        let end = start + self.text[start..self.at].trim_end_matches('\r').len();
        self.comment(start..end, start + sign..end);
    }

    fn block_comment(&mut self) {
        let (start, inner) = (self.at, self.at + 2);
        let close = self.text[inner..].find("*/").map(|length| inner + length);
        let body = inner..close.unwrap_or(self.text.len());
        self.comment(start..close.map_or(self.text.len(), |close| close + 2), body);
    }

    fn begin_heredoc(&mut self) {
        let start = self.at + 2 + usize::from(self.peek(2) == b'-');
        let rest = &self.text[start..];
        let continues = |c: char| c == '_' || c == '-' || c.is_alphanumeric();
        let length = rest.find(|c| !continues(c)).unwrap_or(rest.len());
        let line_end = ["\n", "\r\n"].into_iter().find(|end| rest[length..].starts_with(end));
        match line_end.filter(|_| length > 0) {
            Some(line_end) => {
                self.open(Mode::Heredoc(start..start + length));
                self.at = start + length + line_end.len();
                self.end_heredoc(&(start..start + length));
            }
            None => self.at += 2,
        }
    }

    /// Ends a heredoc if the line that begins here is its marker.
    fn end_heredoc(&mut self, marker: &Range<usize>) {
        if let Some(length) = end_of_heredoc(&self.text[self.at..], &self.text[marker.clone()]) {
            self.at += length;
            self.close();
        }
    }

    fn heredoc(&mut self, marker: &Range<usize>) {
        self.seek(0, |byte| matches!(byte, b'$' | b'%' | b'\n'));
        if self.peek(0) == b'\n' {
            self.at += 1;
            self.end_heredoc(marker);
        } else {
            self.sequence();
        }
    }

    fn quotes(&mut self) {
        self.seek(0, |byte| matches!(byte, b'$' | b'%' | b'\\' | b'"' | b'\n'));
        match self.peek(0) {
            // A string ends with its line, whatever that lacks.
            b'\n' => self.close(),
            b'"' => {
                self.at += 1;
                self.close();
            }
            b'\\' => self.at += if self.peek(1) == b'\n' { 1 } else { 2 },
            _ => self.sequence(),
        }
    }

    /// A dollar or percent sign in a string: an interpolation or directive, an escaped one, or only that character.
    fn sequence(&mut self) {
        let sign = self.peek(0);
        match (self.peek(1), self.peek(2)) {
            (b'{', _) => {
                self.at += 2;
                self.modes.push(Mode::Code(0));
            }
            (next, b'{') if next == sign => self.at += 3,
            _ => self.at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Vec<&str>, Vec<&str>) {
        let tokens = tokens(text);
        let comments = tokens.comments.iter().map(|c| &text[c.body.clone()]).collect();
        (comments, tokens.strings.iter().map(|s| &text[s.clone()]).collect())
    }

    #[test]
    fn comments_are_distinguished_from_strings() {
        for (text, comments, strings) in [
            ("a = 1 # one\n// two\r\n/* three\n*/ b = 2", vec![" one", " two", " three\n"], vec![]),
            ("a = \"# x // y /* z\" # one", vec![" one"], vec!["\"# x // y /* z\""]),
            ("a = \"${b[\"# x\"]} # y\" # one", vec![" one"], vec!["\"${b[\"# x\"]} # y\""]),
            ("a = \"$${ # x\" # one", vec![" one"], vec!["\"$${ # x\""]),
            ("a = \"\\\" # x\" # one", vec![" one"], vec!["\"\\\" # x\""]),
            ("a = <<-E\n  # x\n  E y\n  E\n# one", vec![" one"], vec!["<<-E\n  # x\n  E y\n  E"]),
            ("a = <<E\n${b /* x */}\nE\n# one", vec![" one"], vec!["<<E\n${b /* x */}\nE"]),
            ("a = <<E\nE\n# one", vec![" one"], vec!["<<E\nE"]),
            ("a = <<E\n# x\nE \r\n# one", vec![" one"], vec!["<<E\n# x\nE "]),
            ("a = \"open # x\n# one", vec![" one"], vec!["\"open # x"]),
            ("a = <<E\n# x\n", vec![], vec!["<<E\n# x\n"]),
            ("a = 1 / 2 < 3 << 4 # one", vec![" one"], vec![]),
            ("}}{ # one\n/* x", vec![" one", " x"], vec![]),
        ] {
            assert_eq!(found(text), (comments, strings), "{text}");
        }
    }
}
