//! Files and blocks.

use super::super::ast::{Attribute, Block, Body, Name, Span};
use super::{Broken, Parser, Read};
use crate::text::Text;
use std::sync::Arc;

impl Parser<'_> {
    /// The content of the whole file.
    pub(super) fn file(&mut self) -> Body {
        let start = self.pos;
        let mut body = Body::default();
        while !self.at_end() {
            self.items(&mut body);
            if !self.at_end() {
                let span = self.next_span();
                if self.peek() == b'}' {
                    self.error(
                        "Argument or block definition required",
                        "An argument or block definition is required here.",
                        span,
                    );
                    self.pos += 1;
                }
            }
        }
        body.span = Span::new(start, self.text.len());
        body
    }

    /// Items up to a closing brace or the end.
    fn items(&mut self, body: &mut Body) {
        loop {
            self.blank_lines();
            if self.at_end() || self.peek() == b'}' {
                return;
            }
            let before = self.pos;
            if self.item(body).is_err() {
                self.recover();
            }
            if self.pos == before {
                self.pos += self.rest().chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    /// An argument or a block, with the line end behind it.
    fn item(&mut self, body: &mut Body) -> Read<()> {
        let Some(name) = self.name() else {
            let span = self.next_span();
            let detail = "An argument or block definition is required here.";
            return Err(self.error("Argument or block definition required", detail, span));
        };
        self.blank();
        match self.peek() {
            b'=' if !self.at("==") => {
                self.pos += 1;
                let expr = Arc::new(self.expression()?);
                body.attributes.push(Attribute { name, expr });
                self.line_end("Missing newline after argument", "An argument definition must end with a newline.")
            }
            b'"' | b'{' => self.block(name, body),
            _ if self.at_name() => self.block(name, body),
            _ => {
                let span = self.next_span();
                let detail = "An argument or block definition is required here. To set an argument, use the equals sign \
                              \"=\" to introduce the argument value.";
                Err(self.error("Argument or block definition required", detail, span))
            }
        }
    }

    fn line_end(&mut self, summary: &'static str, detail: &str) -> Read<()> {
        self.blank();
        if self.at_line_end() || self.peek() == b'}' {
            return Ok(());
        }
        let span = self.next_span();
        Err(self.error(summary, detail, span))
    }

    fn block(&mut self, kind: Name, body: &mut Body) -> Read<()> {
        let mut labels = Vec::new();
        loop {
            self.blank();
            match self.peek() {
                b'{' => break,
                b'"' => labels.push(self.label()?),
                _ => match self.name() {
                    Some(name) => labels.push(name),
                    None => {
                        let span = self.next_span();
                        let detail = "Either a quoted string block label or an opening brace (\"{\") is expected here.";
                        return Err(self.error("Invalid block definition", detail, span));
                    }
                },
            }
        }
        let start = self.pos;
        self.pos += 1;
        let mut inner = Body::default();
        let result = self.nested(|p| {
            p.items(&mut inner);
            Ok(())
        });
        inner.span = Span::new(start, self.pos + 1);
        let closed = result.is_ok() && self.take("}");
        let opening = Span::new(start, start + 1);
        body.blocks.push(Block { kind, labels, body: inner });
        result?;
        if !closed {
            let detail = "There is no closing brace for this block before the end of the file. This may be caused by \
                          incorrect brace nesting elsewhere in this file.";
            return Err(self.error("Unclosed configuration block", detail, opening));
        }
        self.line_end("Missing newline after block definition", "A block definition must end with a newline.")
    }

    fn label(&mut self) -> Read<Name> {
        let start = self.pos;
        let expr = self.quoted()?;
        let span = Span::new(start, self.pos);
        match super::super::walk::constant_text(&expr) {
            Some(text) => Ok(Name { text: Text::from(text), span }),
            None => {
                let detail = "Template sequences are not allowed in this string.";
                Err(self.error("Invalid string literal", detail, span))
            }
        }
    }

    /// Skips what is left of a broken item: to a line end outside of brackets.
    fn recover(&mut self) {
        let mut open = 0_usize;
        while !self.at_end() {
            match self.peek() {
                b'{' | b'[' | b'(' => open += 1,
                b'}' if open == 0 => return,
                b'}' | b']' | b')' => open = open.saturating_sub(1),
                b'\n' if open == 0 => return,
                b'"' => {
                    self.skip_quoted();
                    continue;
                }
                b'#' => {
                    self.blank();
                    continue;
                }
                _ => {}
            }
            self.pos += self.rest().chars().next().map_or(1, char::len_utf8);
        }
    }

    /// Skips a string up to its end or the end of the line.
    fn skip_quoted(&mut self) {
        self.pos += 1;
        while !self.at_end() {
            match self.peek() {
                b'\\' => self.pos += 1,
                b'"' => {
                    self.pos += 1;
                    return;
                }
                b'\n' => return,
                _ => {}
            }
            self.pos += self.rest().chars().next().map_or(0, char::len_utf8);
        }
    }
}

/// What a caller does with an item that is broken: nothing.
impl From<Broken> for () {
    fn from(_: Broken) {}
}
