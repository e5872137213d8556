//! Reads JSONPath expressions, with the oddities of the parser of Kubernetes.

use super::{Outcome, Stop, fail};
use crate::text::{Unit, is_alphanumeric, unicode_point, unquote_char};
use go_compat::strconv;

/// A step of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// A text in quotes.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A word that is not a boolean.
    Identifier(String),
    /// `.name`, `['name']`.
    Field(String),
    /// `.*`: everything inside.
    Wildcard,
    /// `..`: everything inside, however deep.
    Recursive,
    /// `[start:end:step]`.
    Slice(Slice),
    /// `[0,2]`, `['a','b']`: the results of each of the lists, one after the other.
    Union(Vec<Vec<Node>>),
    /// `[?(@.a == 1)]`; without an operator, the left side only has to find something.
    Filter { left: Vec<Node>, operator: Option<String>, right: Vec<Node> },
}

/// The numbers of a slice that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slice {
    /// The first index; `0` if it is missing.
    pub start: i64,
    /// The index behind the last one.
    pub end: Option<i64>,
    /// There is one index and no end: `[-1]`.
    pub is_single: bool,
    /// Each how many items one is taken.
    pub step: Option<i64>,
}

/// The steps of an expression.
///
/// # Errors
/// What the library says of it.
pub(super) fn parse(path: &str) -> Outcome<Vec<Node>> {
    if path.contains(['{', '}']) {
        return Err(Stop::Unknown("with braces in its expression is not evaluated"));
    }
    let text = format!("{path}}}");
    let mut parser = Parser { text: &text, at: 0, nodes: Vec::new() };
    parser.action()?;
    Ok(parser.nodes)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    nodes: Vec<Node>,
}

fn is_terminator(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Whether the character before the last one that was read is a backslash.
    fn is_escaped(&self) -> bool {
        self.at.checked_sub(2).is_some_and(|at| self.text.as_bytes()[at] == b'\\')
    }

    /// Everything up to the closing brace.
    fn action(&mut self) -> Outcome<()> {
        loop {
            if self.rest().starts_with("[?(") {
                self.filter()?;
                continue;
            }
            if self.rest().starts_with("..") {
                self.recursive()?;
                continue;
            }
            let start = self.at;
            match self.next() {
                Some('}') => return Ok(()),
                None | Some('\r' | '\n') => return fail("unclosed action"),
                Some(' ' | '@' | '$') => {}
                Some('[') => self.array()?,
                Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
                Some('.') => self.field(),
                Some(c) if matches!(c, '+' | '-') || c.is_ascii_digit() => self.number(start)?,
                Some(c) if c == '_' || c.is_alphabetic() => self.identifier(start),
                Some(c) if is_alphanumeric(c) => {
                    return Err(Stop::Unknown("with digits beyond ASCII is not evaluated"));
                }
                Some(c) => return fail(format!("unrecognized character in action: {}", unicode_point(Some(c)))),
            }
        }
    }

    fn recursive(&mut self) -> Outcome<()> {
        if self.nodes.last() == Some(&Node::Recursive) {
            return fail("invalid multiple recursive descent");
        }
        self.at += 2;
        self.nodes.push(Node::Recursive);
        if self.rest().starts_with(is_alphanumeric) {
            self.field();
        }
        Ok(())
    }

    /// A name behind its point. A backslash takes the next character for a part of the name.
    fn field(&mut self) {
        let start = self.at;
        while let Some(c) = self.rest().chars().next().filter(|c| !is_terminator(*c)) {
            self.at += c.len_utf8();
            if c == '\\' {
                self.next();
            }
        }
        self.nodes.push(match &self.text[start..self.at] {
            "*" => Node::Wildcard,
            name => Node::Field(name.replace('\\', "")),
        });
    }

    fn identifier(&mut self, start: usize) {
        let length = self.rest().find(is_terminator).unwrap_or(self.rest().len());
        self.at += length;
        self.nodes.push(match &self.text[start..self.at] {
            word @ ("true" | "false") => Node::Bool(word == "true"),
            word => Node::Identifier(word.to_owned()),
        });
    }

    fn number(&mut self, start: usize) -> Outcome<()> {
        let length = self.rest().find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(self.rest().len());
        self.at += length;
        let text = &self.text[start..self.at];
        self.nodes.push(match (strconv::atoi(text), strconv::parse_float(text)) {
            (Ok(number), _) => Node::Int(number),
            (Err(_), Ok(number)) => Node::Float(number),
            (Err(_), Err(_)) => return fail(format!("cannot parse number {text}")),
        });
        Ok(())
    }

    fn quoted(&mut self, quote: char) -> Outcome<()> {
        let start = self.at;
        loop {
            match self.next() {
                None | Some('\n') => return fail("unterminated quoted string"),
                Some(c) if c == quote && !self.is_escaped() => break,
                Some(_) => {}
            }
        }
        let inside = &self.text[start..self.at - 1];
        let Some(bytes) = unquote(inside, quote) else {
            return fail(format!("unquote string {quote}{inside}{quote} error invalid syntax"));
        };
        let Ok(text) = String::from_utf8(bytes) else {
            return Err(Stop::Unknown("with bytes that are no UTF-8 is not evaluated"));
        };
        self.nodes.push(Node::Text(text));
        Ok(())
    }

    fn array(&mut self) -> Outcome<()> {
        let start = self.at;
        loop {
            match self.next() {
                None | Some('\n') => return fail("unterminated array"),
                Some(']') => break,
                Some(_) => {}
            }
        }
        let text = &self.text[start..self.at - 1];
        let text = if text == "*" { ":" } else { text };
        if text.contains(',') {
            let lists = text.split(',').map(|part| parse(&format!("[{}]", part.trim_matches(' '))));
            self.nodes.push(Node::Union(lists.collect::<Outcome<_>>()?));
            return Ok(());
        }
        let name = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).filter(|name| !name.contains('\''));
        match name {
            Some(name) => self.nodes.extend(parse(&format!(".{name}"))?),
            None => self.nodes.push(Node::Slice(slice(text)?)),
        }
        Ok(())
    }

    fn filter(&mut self) -> Outcome<()> {
        self.at += 3;
        let start = self.at;
        let (mut pair, mut is_closed) = (None, false);
        loop {
            match self.next() {
                None | Some('\n') => return fail("unterminated filter"),
                Some(quote @ ('"' | '\'')) => match pair {
                    None => pair = Some(quote),
                    Some(open) => is_closed |= open == quote && !self.is_escaped(),
                },
                Some(')') if pair.is_some() == is_closed => break,
                Some(_) => {}
            }
        }
        let text = &self.text[start..self.at - 1];
        if self.next() != Some(']') {
            return fail("unclosed array expect ]");
        }
        self.nodes.push(match comparison(text) {
            None => Node::Filter { left: parse(text)?, operator: None, right: Vec::new() },
            Some((left, operator, right)) => {
                Node::Filter { left: parse(left)?, operator: Some(operator.to_owned()), right: parse(right)? }
            }
        });
        Ok(())
    }
}

/// The sides of a comparison around the first run of operator characters. The right one has at least one character.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    let is_operator = |c: char| matches!(c, '!' | '<' | '>' | '=');
    let at = text.find(is_operator).filter(|at| *at > 0)?;
    let end = text[at..].find(|c| !is_operator(c)).map_or(text.len() - 1, |length| at + length);
    (end > at).then(|| (&text[..at], &text[at..end], &text[end..]))
}

fn slice(text: &str) -> Outcome<Slice> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_number = |part: &&str| part.strip_prefix('-').unwrap_or(part).bytes().all(|b| b.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return fail(format!("invalid array index {text}"));
    }
    let number = |i: usize| match parts.get(i) {
        None | Some(&"") => Ok(None),
        Some(part) => match strconv::atoi(part) {
            Ok(number) => Ok(Some(number)),
            Err(_) => fail(format!("array index {part} is not a number")),
        },
    };
    let start = number(0)?.unwrap_or(0);
    let is_single = parts.len() == 1;
    let end = if is_single { Some(start.wrapping_add(1)) } else { number(1)? };
    Ok(Slice { start, end, is_single, step: number(2)? })
}

/// The bytes of a text between quotes of either kind.
fn unquote(inside: &str, quote: char) -> Option<Vec<u8>> {
    if !inside.contains(['\\', quote]) {
        return Some(inside.as_bytes().to_vec());
    }
    let (mut out, mut rest) = (Vec::with_capacity(inside.len()), inside);
    while !rest.is_empty() {
        let (unit, tail) = unquote_char(rest, quote).ok()?;
        match unit {
            Unit::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Unit::Byte(byte) => out.push(byte),
        }
        rest = tail;
    }
    Some(out)
}
