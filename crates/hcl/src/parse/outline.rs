//! Reads of a file only the blocks and those expressions that have certain words or strings in them; all others are skipped, which
//! takes a small part of the time. Whatever does not look as it usually does is left to the whole parser.

use super::Parser;
use crate::ast::Body;

/// How deep strings, heredocs and sequences in them nest.
const MAX_NESTED: usize = 20;

/// Whether an expression is read that has a word, or a string with that text, or that is the value of an argument of that name.
pub(crate) type Wanted = fn(&str) -> bool;

/// Returns the blocks of a file with the arguments whose names or expressions contain a wanted word or string, and no others.
/// `None` if the parsed part is invalid or unusual: then only the full parser knows the content of the file. For a file
/// without errors this is a part of the result of [`super::parse_body`]. Errors inside of skipped expressions are not
/// detected.
pub fn parse_outline(text: &str, wanted: Wanted) -> Option<Body> {
    let mut parser = Parser { outline: Some(wanted), ..Parser::of_file(text) };
    let body = parser.file();
    parser.errors.is_empty().then_some(body)
}

/// Where a scan is, and whether it has seen a word that is wanted.
struct Scan<'a> {
    bytes: &'a [u8],
    text: &'a str,
    pos: usize,
    wanted: Wanted,
    is_wanted: bool,
}

/// The end of the expression that begins at a place, and whether it has a word that is wanted; `None` if that is not clear.
pub(super) fn skip(text: &str, start: usize, wanted: Wanted) -> Option<(usize, bool)> {
    let mut scan = Scan { bytes: text.as_bytes(), text, pos: start, wanted, is_wanted: false };
    scan.tokens(None, 0)?;
    Some((scan.pos, scan.is_wanted))
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// Tokens up to the brace that ends a sequence in a string, or to the end of the line.
    fn tokens(&mut self, end: Option<u8>, depth: usize) -> Option<()> {
        let mut open: Vec<u8> = end.into_iter().collect();
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b'\n' if open.is_empty() => return Some(()),
                b'"' => {
                    self.pos += 1;
                    self.quoted(depth)?;
                    continue;
                }
                b'#' => {
                    self.line();
                    continue;
                }
                b'/' if self.peek(1) == b'/' => {
                    self.line();
                    continue;
                }
                b'/' if self.peek(1) == b'*' => {
                    self.pos += 2;
                    self.pos += self.text.get(self.pos..)?.find("*/")? + 1;
                }
                b'(' => open.push(b')'),
                b'[' => open.push(b']'),
                b'{' => open.push(b'}'),
                b')' | b']' | b'}' => {
                    if open.pop() != Some(byte) {
                        return None;
                    }
                    if end.is_some() && open.is_empty() {
                        self.pos += 1;
                        return Some(());
                    }
                }
                b'<' if self.peek(1) == b'<' => {
                    self.heredoc(depth)?;
                    continue;
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    self.word()?;
                    continue;
                }
                b'0'..=b'9' | b' ' | b'\t' | b'\r' | b'\n' => {}
                b'.' | b',' | b'=' | b':' | b'?' | b'!' | b'&' | b'|' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<'
                | b'>' | b'~' => {}
                _ => return None,
            }
            self.pos += 1;
        }
        open.is_empty().then_some(())
    }

    /// To the end of the line.
    fn line(&mut self) {
        let rest = &self.bytes[self.pos..];
        self.pos += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    fn word(&mut self) -> Option<()> {
        let rest = &self.bytes[self.pos..];
        let length = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')));
        let length = length.unwrap_or(rest.len());
        if rest.get(length).is_some_and(|byte| !byte.is_ascii()) {
            return None;
        }
        self.is_wanted = self.is_wanted || (self.wanted)(&self.text[self.pos..self.pos + length]);
        self.pos += length;
        Some(())
    }

    /// The rest of a string, with its closing quote.
    fn quoted(&mut self, depth: usize) -> Option<()> {
        let start = self.pos;
        loop {
            let rest = self.bytes.get(self.pos..)?;
            self.pos += rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'%' | b'\n'))?;
            match self.bytes[self.pos] {
                b'"' => {
                    self.is_wanted = self.is_wanted || (self.wanted)(self.text.get(start..self.pos)?);
                    self.pos += 1;
                    return Some(());
                }
                b'\n' => return None,
                b'\\' => self.pos += 2,
                _ => self.sequence(depth)?,
            }
        }
    }

    /// Reads a text that begins with a dollar or a percent sign: an interpolation, an escaped one, or only that
    /// character.
    fn sequence(&mut self, depth: usize) -> Option<()> {
        let sign = self.bytes[self.pos];
        match (self.peek(1), self.peek(2)) {
            (b'{', _) if depth < MAX_NESTED => {
                self.pos += 2;
                self.tokens(Some(b'}'), depth + 1)
            }
            (b'{', _) => None,
            (next, b'{') if next == sign => {
                self.pos += 3;
                Some(())
            }
            _ => {
                self.pos += 1;
                Some(())
            }
        }
    }

    /// A heredoc up to its marker.
    fn heredoc(&mut self, depth: usize) -> Option<()> {
        self.pos += 2;
        self.pos += usize::from(self.peek(0) == b'-');
        let rest = self.text.get(self.pos..)?;
        let (marker, _) = rest.split_once('\n')?;
        self.pos += marker.len() + 1;
        let marker = marker.strip_suffix('\r').unwrap_or(marker);
        if marker.is_empty() || !marker.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
            return None;
        }
        loop {
            if let Some(length) = super::end_of_heredoc(self.text.get(self.pos..)?, marker) {
                self.pos += length;
                return Some(());
            }
            // Sequences may continue on further lines.
            let start = self.pos;
            loop {
                let rest = self.bytes.get(self.pos..)?;
                self.pos += rest.iter().position(|byte| matches!(byte, b'$' | b'%' | b'\n'))?;
                match self.bytes[self.pos] {
                    b'\n' => break,
                    _ => self.sequence(depth)?,
                }
            }
            self.is_wanted = self.is_wanted || (self.wanted)(self.text.get(start..self.pos)?);
            self.pos += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Layout, parse_body};

    fn wanted(word: &str) -> bool {
        word == "w"
    }

    /// The arguments of a body: names of blocks and of the argument, and the text of the value.
    fn arguments(body: &Body, path: &str, text: &str, out: &mut Vec<String>) {
        for attribute in &body.attributes {
            let span = attribute.expr.span;
            let value = &text[span.start as usize..span.end as usize];
            out.push(format!("{path}{} = {value}", attribute.name.text));
        }
        for block in &body.blocks {
            arguments(&block.body, &format!("{path}{}.", block.kind.text), text, out);
        }
    }

    #[test]
    fn only_what_is_wanted_is_read() {
        let text = "a = \"}${w}{\"\nb = [1, # w\n  \"w w\"]\nw = 1\ns = [\"w\"]\nblock \"x\" {\n  c = <<-E\n    }w ${{\n    }}\n    E \n  d = { e = w, f = \"\\\"${\"w\"}\" }\n  \
                    g = \"$${w} %\"\n  h { w = 1 }\n}\ni = 1 /* w\n */\nj = <<E\n${w}\n E\nk = <<E\nx\nw\nE\n";
        let body = parse_outline(text, wanted).expect("nothing is unusual");
        let mut found = Vec::new();
        arguments(&body, "", text, &mut found);
        assert_eq!(
            found,
            [
                "a = \"}${w}{\"",
                "w = 1",
                "s = [\"w\"]",
                "j = <<E\n${w}\n E",
                "k = <<E\nx\nw\nE",
                "block.d = { e = w, f = \"\\\"${\"w\"}\" }",
                "block.h.w = 1"
            ]
        );
        assert!(parse_body(text, Layout::Strict).errors.is_empty());
    }

    #[test]
    fn what_is_unusual_is_left_to_the_whole_parser() {
        for text in [
            "a = (]\n",
            "a = {\n",
            "a = \"x\n\"\n",
            "a = \"${b\"\n",
            "a = <<E\nx\n",
            "a = é\n",
            "a = b;\n",
            "a {\n  b = 1 }\n",
            "a\n",
            "w = 1 +\n",
            "a = /* b\n",
        ] {
            assert!(parse_outline(text, wanted).is_none(), "{text}");
        }
    }
}
