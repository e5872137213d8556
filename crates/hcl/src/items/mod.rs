//! What a file says, without comments and layout: two files with the same items mean the same.

mod objects;
#[cfg(test)]
mod tests;

use crate::ast::Span;
use objects::Objects;
use std::collections::HashMap;

/// An argument or a block at the top of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// The words of an argument, or of a block up to its brace.
    pub head: Words,
    /// The arguments and blocks in a block, in their order.
    pub children: Vec<Words>,
    /// The place of all of it.
    pub span: Span,
}

/// Words of a file, each as it is written, with a separator in between.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Words {
    /// The words with the separators; see [`Words::words`].
    pub text: String,
    /// The bytes from the first word to the last one.
    pub span: Span,
}

impl Words {
    /// Each word.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split([WORD, LINE])
    }

    /// The first word: the name of an argument, or the type of a block.
    pub fn first(&self) -> &str {
        self.words().next().unwrap_or_default()
    }
}

impl Item {
    /// All words.
    pub fn text(&self) -> String {
        let children = self.children.iter().map(|child| &*child.text);
        [&*self.head.text].into_iter().chain(children).collect::<Vec<_>>().join("\n\n")
    }
}

/// Where each head is among items. Of equal heads the first one counts.
pub fn by_head(items: &[Item]) -> HashMap<&str, usize> {
    items.iter().enumerate().rev().map(|(at, item)| (&*item.head.text, at)).collect()
}

/// The arguments and blocks at the top of a file in the native syntax, in their order. Comments, blanks, empty lines and trailing
/// commas are left out, and entries of objects are in the order of their keys; texts are kept as they are. Of a text that is no
/// configuration, the items differ if its words do.
pub fn items(text: &str) -> Vec<Item> {
    scanned(text, false)
}

/// The same; of an expression, a text that is nothing but a reference is the reference itself.
fn scanned(text: &str, is_expression: bool) -> Vec<Item> {
    let pos = text.strip_prefix('\u{feff}').map_or(0, |rest| text.len() - rest.len());
    let mut scan = Scan {
        text,
        pos,
        open: Vec::new(),
        is_expression,
        objects: Objects::default(),
        ends: Vec::new(),
        words: Words::default(),
        item: None,
        items: Vec::new(),
        is_separated: false,
        is_argument: false,
    };
    while scan.step() {}
    scan.finish_item();
    scan.items
}

/// What the text of an expression says: expressions that differ in comments, layout, trailing commas and the order of entries only say
/// the same, and so do `"${a.b}"` and `a.b`.
pub fn said(text: &str) -> String {
    scanned(text, true).iter().map(Item::text).collect::<Vec<_>>().join("\n\n")
}

/// The text of an expression with one blank where there are several, behind commas, and none inside of brackets and parentheses,
/// where line ends are blanks; without comments and trailing commas. Texts in it stay as they are.
pub fn plainly(text: &str) -> String {
    laid_out(text, false)
}

/// The same in one line, however it is written: entries of objects have commas in between.
pub fn in_one_line(text: &str) -> String {
    laid_out(text, true)
}

fn laid_out(text: &str, in_one_line: bool) -> String {
    let (mut out, mut open) = (String::with_capacity(text.len()), Vec::new());
    let (mut gap, mut pos) = (None, 0);
    let mut ends: Vec<usize> = Vec::new();
    while let Some(c) = text[pos..].chars().next() {
        let rest = &text[pos..];
        if ends.pop_if(|end| *end == pos).is_some() {
            pos += END.len();
            continue;
        }
        if let Some(end) = reference_in(rest) {
            ends.push(pos + end);
            pos += START.len();
            continue;
        }
        let line = || rest.find('\n').unwrap_or(rest.len());
        let is_inside = matches!(open.last(), Some('(' | '['));
        let length = match c {
            '\n' if !is_inside => {
                gap = Some('\n');
                pos += 1;
                continue;
            }
            _ if c.is_whitespace() => {
                gap = gap.or(Some(' '));
                pos += c.len_utf8();
                continue;
            }
            '#' => {
                pos += line();
                continue;
            }
            '/' if rest.starts_with("//") => {
                pos += line();
                continue;
            }
            '/' if rest.starts_with("/*") => {
                gap = gap.or(Some(' '));
                pos += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            '"' => quoted(rest),
            '<' if rest.starts_with("<<") => heredoc(rest).unwrap_or(2),
            _ if is_of_name(c) => rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()),
            _ => c.len_utf8(),
        };
        if matches!(c, ']' | ')' | '}') && out.ends_with(',') {
            out.pop();
        }
        let is_close = matches!(c, ',' | ']' | ')') || c == '}' && out.ends_with('{');
        if out.ends_with(',') && !is_close {
            gap = gap.or(Some(' '));
        }
        if gap == Some('\n') && in_one_line {
            let is_between = !matches!(c, '}') && !out.ends_with(['{', ',']) && !out.is_empty();
            out.extend(is_between.then_some(','));
            gap = Some(' ');
        }
        if !out.is_empty() && !is_close && !out.ends_with(['[', '(']) {
            out.extend(gap);
        }
        // Line ends mean nothing in an object that is computed.
        if out.trim_end().ends_with('{') && &rest[..length] == "for" {
            open.pop();
            open.push('(');
        }
        gap = None;
        match c {
            '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => drop(open.pop()),
            _ => {}
        }
        out.push_str(&rest[..length]);
        pos += length;
    }
    out
}

/// Around a reference or a call that is all of a text: `"${a.b}"` is `a.b`.
const START: &str = "\"${";
const END: &str = "}\"";

/// The longest text with nothing but a reference in it that is looked at.
const MAX_REFERENCE: usize = 1_000;

/// Where [`END`] is, if a text begins that is nothing but a reference or a call.
fn reference_in(text: &str) -> Option<usize> {
    let inner = text.strip_prefix(START)?.trim_start();
    let start = text.len() - inner.len();
    let (mut depth, mut at, mut last, mut is_bare) = (0_usize, 0, ' ', true);
    while let Some(c) = inner[at..].chars().next().filter(|_| at < MAX_REFERENCE) {
        match c {
            '"' if depth > 0 => at += quoted(&inner[at..inner.floor_char_boundary(at + MAX_REFERENCE)]) - 1,
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            _ if depth > 0 && !matches!(c, '{' | '}' | '#' | '/' | '<' | '\n') => {}
            '}' | ' ' if depth == 0 => {
                let end = start + at + (inner[at..].len() - inner[at..].trim_start().len());
                let is_end = text[end..].starts_with(END) && !is_bare && last != '.';
                return is_end.then_some(end);
            }
            // `a.b` and `a.b[0].c-d`, and not `a.b[0]-1`.
            '.' if at > 0 => {}
            '-' if matches!(last, ']' | ')') => return None,
            _ if is_of_name(c) && (at > 0 || c.is_alphabetic()) => {}
            _ => return None,
        }
        is_bare &= !matches!(c, '.' | '[' | '(');
        last = c;
        at += c.len_utf8();
    }
    None
}

/// Between the words of a line, and between its lines.
const WORD: char = '\u{1f}';
const LINE: char = '\n';

struct Scan<'a> {
    text: &'a str,
    pos: usize,
    /// The brackets around the place.
    open: Vec<char>,
    /// Whether it is an expression: a text that is nothing but a reference is that reference there.
    is_expression: bool,
    objects: Objects,
    /// Where such texts around the place end.
    ends: Vec<usize>,
    words: Words,
    /// The block that is read.
    item: Option<Item>,
    items: Vec<Item>,
    /// Whether a line end or a comma came since the last word.
    is_separated: bool,
    /// Whether the item at the top is an argument.
    is_argument: bool,
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        &self.text[self.pos..]
    }

    /// Reads one word, blank or comment; `false` at the end.
    fn step(&mut self) -> bool {
        let Some(c) = self.rest().chars().next() else { return false };
        if self.ends.pop_if(|end| *end == self.pos).is_some() {
            self.pos += END.len();
            return true;
        }
        let rest = self.rest();
        if let Some(end) = reference_in(rest).filter(|_| self.is_expression) {
            self.ends.push(self.pos + end);
            self.pos += START.len();
            return true;
        }
        // Only where it is needed: a file can be one line.
        let line = || rest.find('\n').unwrap_or(rest.len());
        match c {
            '\n' => self.separate(true),
            ',' => self.separate(false),
            _ if c.is_whitespace() => self.pos += c.len_utf8(),
            '#' => self.pos += line(),
            '/' if rest.starts_with("//") => self.pos += line(),
            '/' if rest.starts_with("/*") => self.pos += rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => self.word(quoted(rest)),
            '<' if rest.starts_with("<<") => self.word(heredoc(rest).unwrap_or(2)),
            '{' if self.open.is_empty() && !self.is_argument && self.item.is_none() => {
                let head = std::mem::take(&mut self.words);
                let span = Span { start: head.span.start, end: self.pos as u32 + 1 };
                self.item = Some(Item { head, children: Vec::new(), span });
                self.open.push(c);
                self.pos += 1;
            }
            '}' if self.open.len() == 1 && self.item.is_some() => {
                self.finish_child();
                self.open.pop();
                self.pos += 1;
                if let Some(item) = &mut self.item {
                    item.span.end = self.pos as u32;
                }
            }
            '{' | '[' | '(' => {
                self.word(1);
                self.open.push(c);
                self.objects.open(self.words.text.len());
            }
            '}' | ']' | ')' => {
                self.open.pop();
                self.is_separated = false;
                self.objects.close(&mut self.words.text, c == '}');
                self.word(1);
            }
            _ if is_of_name(c) => self.word(rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())),
            _ => {
                self.is_argument |= c == '=' && self.open.is_empty();
                self.word(c.len_utf8());
            }
        }
        true
    }

    /// A line end, or a comma. Line ends mean nothing in parentheses and brackets.
    fn separate(&mut self, is_line: bool) {
        self.pos += 1;
        match (self.open.as_slice(), &self.item) {
            ([], _) => self.finish_item(),
            ([_], Some(_)) => self.finish_child(),
            ([.., '(' | '['], _) if is_line => {}
            _ => self.is_separated = true,
        }
    }

    fn word(&mut self, length: usize) {
        let word = &self.text[self.pos..self.pos + length];
        let words = &mut self.words;
        if words.text.is_empty() {
            words.span.start = self.pos as u32;
        } else {
            let is_next = self.is_separated && !words.text.ends_with(['{', '[', '(']);
            words.text.push(if is_next { LINE } else { WORD });
            if is_next {
                self.objects.next(words.text.len());
            }
        }
        self.is_separated = false;
        match word.contains('\r') {
            true => words.text.push_str(&word.replace("\r\n", "\n")),
            false => words.text.push_str(word),
        }
        self.pos += length;
        words.span.end = self.pos as u32;
    }

    fn finish_child(&mut self) {
        self.is_separated = false;
        let words = std::mem::take(&mut self.words);
        if let (Some(item), false) = (&mut self.item, words.text.is_empty()) {
            item.span.end = words.span.end;
            item.children.push(words);
        }
    }

    fn finish_item(&mut self) {
        match self.item {
            Some(_) => {
                self.finish_child();
                if let Some(item) = self.item.as_mut().filter(|_| self.is_expression) {
                    objects::sort(&mut item.children, |child| &child.text);
                }
            }
            None => {
                let head = std::mem::take(&mut self.words);
                let span = head.span;
                self.item = (!head.text.is_empty()).then(|| Item { head, children: Vec::new(), span });
            }
        }
        (self.is_separated, self.is_argument) = (false, false);
        self.items.extend(self.item.take());
    }
}

/// Whether a character belongs to a name or a number.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// The length of a quoted text with the texts in its templates.
fn quoted(text: &str) -> usize {
    let bytes = text.as_bytes();
    // For each text that is open: the number of braces of its template that are open, if one is.
    let mut open: Vec<Option<usize>> = vec![None];
    let mut at = 1;
    while at < bytes.len() {
        let Some(braces) = open.last_mut() else { return at };
        match (bytes[at], braces) {
            (b'\\', None) => at += 1,
            (b'"', None) => drop(open.pop()),
            (b'$' | b'%', braces @ None) if bytes.get(at + 1) == Some(&b'{') && bytes[at - 1] != bytes[at] => {
                *braces = Some(1);
                at += 1;
            }
            (b'"', Some(_)) => open.push(None),
            (b'{', Some(number)) => *number += 1,
            (b'}', braces @ Some(1)) => *braces = None,
            (b'}', Some(number)) => *number -= 1,
            _ => {}
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// The length of a heredoc; `None` if this is none.
fn heredoc(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("<<")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    let name = &rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())];
    let after = &rest[name.len()..];
    let blank = after.find(|c: char| c == '\n' || !c.is_whitespace())?;
    if name.is_empty() || !after[blank..].starts_with('\n') {
        return None;
    }
    let mut at = text.len() - after.len() + blank + 1;
    for line in text[at..].split_inclusive('\n') {
        if line.trim() == name {
            return Some(at + line.trim_end().len());
        }
        at += line.len();
    }
    Some(text.len())
}
