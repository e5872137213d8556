//! Files and blocks.

use super::outline::skip;
use super::{Broken, Layout, Parser, Read};
use crate::ast::{Attribute, Block, Body, Name, Span};
use shared_text::Text;
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
                    self.no_item(span);
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
                self.recover(true);
            }
            if self.pos == before {
                self.pos += self.rest().chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    /// An argument or a block, with the line end behind it.
    fn item(&mut self, body: &mut Body) -> Read<()> {
        let Some(span) = self.name_span() else {
            let span = self.next_span();
            return Err(self.no_item(span));
        };
        self.blank();
        match self.peek() {
            b'=' if !self.at("==") => {
                self.pos += 1;
                if self.skips(span)? {
                    return Ok(());
                }
                let expr = Arc::new(self.expression()?);
                body.attributes.push(Attribute { name: self.name_at(span), expr });
                self.line_end("Missing newline after argument", "An argument definition must end with a newline.")
            }
            b'"' | b'{' => self.block(self.name_at(span), body),
            _ if self.at_name() => self.block(self.name_at(span), body),
            _ => {
                let detail = "An argument or block definition is required here. To set an argument, use the equals sign \
                              \"=\" to introduce the argument value.";
                Err(self.error("Argument or block definition required", detail, span))
            }
        }
    }

    /// Reports that an argument or a block is expected. After another error it is probably a consequence of that one.
    fn no_item(&mut self, span: Span) -> Broken {
        match self.has_errors() {
            true => Broken,
            false => {
                let detail = "An argument or block definition is required here.";
                self.error("Argument or block definition required", detail, span)
            }
        }
    }

    /// Skips the value of an argument that is not read.
    fn skips(&mut self, name: Span) -> Read<bool> {
        let Some(wanted) = self.outline else { return Ok(false) };
        if wanted(&self.text[name.start as usize..name.end as usize]) {
            return Ok(false);
        }
        match skip(self.text, self.pos, wanted) {
            Some((_, true)) => Ok(false),
            Some((end, false)) => {
                self.pos = end;
                Ok(true)
            }
            None => Err(self.error("Unclear expression", "Only the whole parser tells where it ends.", name)),
        }
    }

    fn line_end(&mut self, summary: &'static str, detail: &str) -> Read<()> {
        self.blank();
        if self.at_line_end() || (self.layout == Layout::Lenient && self.peek() == b'}') {
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
            p.blank();
            if p.layout == Layout::Lenient || p.at_line_end() || p.peek() == b'}' {
                p.items(&mut inner);
                return Ok(());
            }
            let result = p.single(&mut inner);
            if result.is_err() {
                p.recover(false);
                p.take("}");
            }
            result
        });
        inner.span = Span::new(start, self.pos + 1);
        let closed = result.is_ok() && self.take("}");
        let opening = Span::new(start, start + 1);
        body.blocks.push(Block { kind, labels, body: inner });
        result?;
        if !closed && self.has_errors() {
            // Where a mistake ends is a guess, which may have gone too far.
            return Err(Broken);
        }
        if !closed {
            let detail = "There is no closing brace for this block before the end of the file. This may be caused by \
                          incorrect brace nesting elsewhere in this file.";
            return Err(self.error("Unclosed configuration block", detail, opening));
        }
        self.line_end("Missing newline after block definition", "A block definition must end with a newline.")
    }

    /// The argument of a block that ends on the line that it begins on.
    fn single(&mut self, body: &mut Body) -> Read<()> {
        let Some(name) = self.name() else {
            let span = self.next_span();
            let detail = "An argument or block definition is required here.";
            return Err(self.error("Argument or block definition required", detail, span));
        };
        self.blank();
        if self.peek() != b'=' || self.at("==") {
            let is_block = matches!(self.peek(), b'"' | b'{') || self.at_name();
            let (summary, detail) = match is_block {
                true => (
                    "Argument definition required",
                    format!(
                        "A single-line block definition can contain only a single argument. If you meant to define argument \
                         \"{}\", use an equals sign to assign it a value. To define a nested block, place it on a line of \
                         its own within its parent block.",
                        name.text
                    ),
                ),
                false => (
                    "Argument or block definition required",
                    "An argument or block definition is required here. To set an argument, use the equals sign \"=\" to \
                     introduce the argument value."
                        .to_owned(),
                ),
            };
            return Err(self.error(summary, detail, name.span));
        }
        self.pos += 1;
        let expr = Arc::new(self.expression()?);
        body.attributes.push(Attribute { name, expr });
        self.blank();
        let detail = match self.peek() {
            b'}' => return Ok(()),
            b',' => {
                "Single-line block syntax can include only one argument definition. To define multiple arguments, use the \
                 multi-line block syntax with one argument definition per line."
            }
            _ if !self.at_line_end() => {
                "A single-line block definition must end with a closing brace immediately after its single argument \
                 definition."
            }
            _ => {
                "An argument definition on the same line as its containing block creates a single-line block definition, \
                 which must also be closed on the same line. Place the block's closing brace immediately after the argument \
                 definition."
            }
        };
        let span = self.next_span();
        Err(self.error("Invalid single-argument block definition", detail, span))
    }

    fn label(&mut self) -> Read<Name> {
        let start = self.pos;
        let expr = self.quoted()?;
        let span = Span::new(start, self.pos);
        match crate::ast::walk::constant_text(&expr) {
            Some(text) => Ok(Name { text: Text::from(text), span }),
            None => {
                let detail = "Template sequences are not allowed in this string.";
                Err(self.error("Invalid string literal", detail, span))
            }
        }
    }

    /// Skips what is left of a broken item: to a closing brace or, with `at_line`, a line end outside of brackets.
    fn recover(&mut self, at_line: bool) {
        let mut open = 0_usize;
        while !self.at_end() {
            match self.peek() {
                b'{' | b'[' | b'(' => open += 1,
                b'}' if open == 0 => return,
                b'}' | b']' | b')' => open = open.saturating_sub(1),
                b'\n' if open == 0 && at_line => return,
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

/// A caller ignores broken items.
impl From<Broken> for () {
    fn from(_: Broken) {}
}
