//! Strings, heredocs and templates without quotes. Text is cut at line ends, because what `~` and flush heredocs take away is
//! counted by line.

use super::{Parser, Read, text_expr};
use crate::ast::{Expr, ExprKind, Name, Part, Span, TemplateFor};
use shared_text::Text;
use unicode_normalization::UnicodeNormalization;

/// A piece of a template before directives are put together.
enum Piece {
    Text(String),
    Value(Expr),
    If(Expr, Span),
    For { key: Option<Name>, value: Name, collection: Expr, span: Span },
    Else(Span),
    EndIf(Span),
    EndFor(Span),
}

/// Where a template ends.
enum End<'a> {
    Quote,
    Marker(&'a str),
    Text,
}

impl Parser<'_> {
    /// A string in quotes.
    pub(super) fn quoted(&mut self) -> Read<Expr> {
        let start = self.pos;
        self.pos += 1;
        if let Some(text) = self.plain_text() {
            return Ok(text_expr(text, Span::new(start, self.pos)));
        }
        let pieces = self.nested(|p| p.pieces(&End::Quote))?;
        self.template(pieces, Span::new(start, self.pos))
    }

    /// The rest of a string that is all of one piece, as most are: text of ASCII in which no character means anything. Takes it
    /// with its closing quote.
    fn plain_text(&mut self) -> Option<Text> {
        if self.depth >= super::MAX_DEPTH {
            return None;
        }
        let rest = &self.text.as_bytes()[self.pos..];
        let means = |byte: &u8| !byte.is_ascii() || matches!(byte, b'"' | b'$' | b'%' | b'\\' | b'\n');
        let length = rest.iter().position(means).filter(|length| rest[*length] == b'"')?;
        let text = Text::from(&self.text[self.pos..self.pos + length]);
        self.pos += length + 1;
        // As deep as any other string.
        self.height = self.height.max(1);
        Some(text)
    }

    /// All of the text as a template.
    pub(super) fn bare_template(&mut self) -> Read<Expr> {
        let pieces = self.pieces(&End::Text)?;
        self.template(pieces, Span::new(0, self.pos))
    }

    /// `<<MARKER` or `<<-MARKER`, with the lines up to the marker.
    pub(super) fn heredoc(&mut self) -> Read<Expr> {
        let start = self.pos;
        self.pos += 2;
        let is_flush = self.take("-");
        let Some(marker) = self.name() else {
            let span = self.next_span();
            return Err(self.error(
                "Invalid expression",
                "Expected the start of an expression, but found an invalid expression token.",
                span,
            ));
        };
        let has_line = self.take("\r\n") || self.take("\n");
        if !has_line {
            let span = self.next_span();
            return Err(self.error("Invalid expression", "A heredoc marker must be followed by a newline.", span));
        }
        let mut pieces = self.nested(|p| p.pieces(&End::Marker(&marker.text)))?;
        if is_flush {
            flush(&mut pieces);
        }
        self.template(pieces, Span::new(start, self.pos))
    }

    fn template(&mut self, pieces: Vec<Piece>, span: Span) -> Read<Expr> {
        let mut pieces = pieces;
        if let [Piece::Value(_)] = pieces.as_slice()
            && let Some(Piece::Value(inner)) = pieces.pop()
        {
            return Ok(Expr { span, kind: ExprKind::Wrapped(Box::new(inner)) });
        }
        let mut pieces = pieces.into_iter();
        let (parts, closed) = self.parts(&mut pieces, 0, span)?;
        if let Some(piece) = closed {
            let span = piece_span(&piece).unwrap_or(span);
            return Err(self.error(
                "Unexpected directive",
                "The control directives within this template are unbalanced.",
                span,
            ));
        }
        Ok(match parts.as_slice() {
            [Part::Text(text)] => text_expr(text.clone(), span),
            _ => Expr { span, kind: ExprKind::Template(parts) },
        })
    }

    /// Reads parts up to a directive that ends the surrounding one, and returns that directive.
    fn parts(
        &mut self,
        pieces: &mut std::vec::IntoIter<Piece>,
        depth: usize,
        span: Span,
    ) -> Read<(Vec<Part>, Option<Piece>)> {
        if depth > super::MAX_DEPTH {
            return Err(self.error("Too deep nesting", "The directives of this template nest too deep.", span));
        }
        let (mut parts, mut text) = (Vec::new(), String::new());
        while let Some(piece) = pieces.next() {
            if let Piece::Text(more) = &piece {
                text.push_str(more);
                continue;
            }
            push_text(&mut parts, &mut text);
            match piece {
                Piece::Value(expr) => parts.push(Part::Value(expr)),
                Piece::If(condition, at) => {
                    let (yes, end) = self.parts(pieces, depth + 1, span)?;
                    let (no, end) = match end {
                        Some(Piece::Else(_)) => self.parts(pieces, depth + 1, span)?,
                        other => (Vec::new(), other),
                    };
                    if !matches!(end, Some(Piece::EndIf(_))) {
                        let place = end.as_ref().and_then(piece_span).unwrap_or(at);
                        return Err(self.error(
                            "Unexpected end of template",
                            "The if directive is missing its corresponding endif directive.",
                            place,
                        ));
                    }
                    parts.push(Part::If(condition, yes, no));
                }
                Piece::For { key, value, collection, span: at } => {
                    let (body, end) = self.parts(pieces, depth + 1, span)?;
                    if !matches!(end, Some(Piece::EndFor(_))) {
                        let place = end.as_ref().and_then(piece_span).unwrap_or(at);
                        return Err(self.error(
                            "Unexpected end of template",
                            "The for directive is missing its corresponding endfor directive.",
                            place,
                        ));
                    }
                    parts.push(Part::For(Box::new(TemplateFor { key, value, collection, body })));
                }
                closing => return Ok((parts, Some(closing))),
            }
        }
        push_text(&mut parts, &mut text);
        Ok((parts, None))
    }

    fn pieces(&mut self, end: &End<'_>) -> Read<Vec<Piece>> {
        let mut pieces: Vec<Piece> = Vec::new();
        let (mut text, mut trims, mut line_start) = (String::new(), false, true);
        loop {
            if let End::Marker(marker) = end
                && line_start
                && let Some(length) = super::end_of_heredoc(self.rest(), marker)
            {
                self.pos += length;
                break;
            }
            line_start = false;
            if self.at_end() {
                match end {
                    End::Text => break,
                    _ => return Err(self.unclosed_template(end)),
                }
            }
            if matches!(end, End::Quote) && self.peek() == b'"' {
                self.pos += 1;
                break;
            }
            match self.character(end, &mut text)? {
                Next::Character if text.ends_with('\n') && !matches!(end, End::Quote) => {
                    // Each line is a separate piece.
                    flush_text(&mut pieces, &mut text, &mut trims);
                    line_start = true;
                }
                Next::Character => {}
                Next::End => break,
                Next::Sequence(is_value, strips) => {
                    flush_text(&mut pieces, &mut text, &mut trims);
                    if strips && let Some(Piece::Text(last)) = pieces.last_mut() {
                        last.truncate(last.trim_end().len());
                    }
                    trims = self.sequence(is_value, &mut pieces)?;
                }
            }
        }
        flush_text(&mut pieces, &mut text, &mut trims);
        Ok(pieces)
    }

    fn unclosed_template(&mut self, end: &End<'_>) -> super::Broken {
        let span = Span::new(self.text.len(), self.text.len());
        match end {
            End::Marker(_) => {
                self.error("Unterminated template string", "No closing marker was found for the string.", span)
            }
            _ => self.error("Unterminated template string", "No closing marker was found for the string.", span),
        }
    }

    /// Reads one character, an escape, or the start of a sequence.
    fn character(&mut self, end: &End<'_>, text: &mut String) -> Read<Next> {
        let is_quoted = matches!(end, End::Quote);
        for (escaped, plain) in [("$${", "${"), ("%%{", "%{")] {
            if self.take(escaped) {
                text.push_str(plain);
                return Ok(Next::Character);
            }
        }
        for (opening, is_value) in [("${", true), ("%{", false)] {
            if self.take(opening) {
                return Ok(Next::Sequence(is_value, self.take("~")));
            }
        }
        match self.peek() {
            b'\\' if is_quoted => self.escape(text),
            b'\n' if is_quoted => {
                self.multi_line();
                Ok(Next::End)
            }
            _ => {
                // A character, and all up to the next one that may mean something.
                let first = self.rest().chars().next().map_or(0, char::len_utf8);
                let length = match self.peek() {
                    b'\n' => first,
                    _ => {
                        let means = |byte: &u8| matches!(byte, b'$' | b'%' | b'\\' | b'"' | b'\n');
                        let more = &self.text.as_bytes()[self.pos + first..];
                        first + more.iter().position(means).unwrap_or(more.len())
                    }
                };
                text.push_str(&self.text[self.pos..self.pos + length]);
                self.pos += length;
                Ok(Next::Character)
            }
        }
    }

    /// Reports a string that continues on the next line: every line end up to the next quote is an error.
    fn multi_line(&mut self) {
        let detail = "Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \
                      \\n escape to represent a newline character or use the \"heredoc\" multi-line template syntax.";
        let first = self.next_span();
        self.error("Unterminated template string", "No closing marker was found for the string.", first);
        while !self.at_end() {
            match self.peek() {
                b'"' => {
                    self.pos += 1;
                    break;
                }
                b'\n' => {
                    let span = self.next_span();
                    self.error("Invalid multi-line string", detail, span);
                    self.pos += 1;
                }
                _ => self.pos += self.rest().chars().next().map_or(1, char::len_utf8),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Read<Next> {
        let start = self.pos;
        self.pos += 1;
        let letter = self.rest().chars().next().unwrap_or(' ');
        self.pos += letter.len_utf8().min(self.rest().len());
        let plain = match letter {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '"' => '"',
            '\\' => '\\',
            'u' | 'U' => {
                let length = if letter == 'u' { 4 } else { 8 };
                let digits = self.rest().get(..length).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
                let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
                match code {
                    Some(code) => {
                        self.pos += length;
                        char::from_u32(code).unwrap_or('\u{fffd}')
                    }
                    None => {
                        let detail =
                            format!("The \\{letter} escape sequence must be followed by {length} hexadecimal digits.");
                        return Err(self.error("Invalid escape sequence", detail, Span::new(start, self.pos)));
                    }
                }
            }
            _ => {
                let detail = format!("The symbol \"{letter}\" is not a valid escape sequence selector.");
                return Err(self.error("Invalid escape sequence", detail, Span::new(start, self.pos)));
            }
        };
        text.push(plain);
        Ok(Next::Character)
    }

    /// An interpolation or a directive, behind its opening. Returns whether white space behind it is removed.
    fn sequence(&mut self, is_value: bool, pieces: &mut Vec<Piece>) -> Read<bool> {
        let start = self.pos;
        self.with_lines(true, |p| {
            p.blank();
            if is_value {
                let expr = p.expression()?;
                pieces.push(Piece::Value(expr));
            } else {
                let piece = p.directive(start)?;
                pieces.push(piece);
            }
            p.blank();
            if p.take("~}") {
                return Ok(true);
            }
            if p.take("}") {
                return Ok(false);
            }
            let span = p.next_span();
            match p.at_end() {
                true => Err(p.error(
                    "Unclosed template interpolation sequence",
                    "There is no closing brace for this interpolation sequence before the end of the file.",
                    Span::new(start, start),
                )),
                false => Err(p.error(
                    "Extra characters after interpolation expression",
                    "Expected a closing brace to end the interpolation expression, but found extra characters.",
                    span,
                )),
            }
        })
    }

    fn directive(&mut self, start: usize) -> Read<Piece> {
        let word = self.name();
        let span = Span::new(start, self.pos);
        match word.as_ref().map_or("", |w| &*w.text) {
            "if" => {
                let condition = self.expression()?;
                Ok(Piece::If(condition, span))
            }
            "for" => {
                let (first, second) = self.for_names("Invalid 'for' directive")?;
                let collection = self.expression()?;
                let (key, value) = match second {
                    Some(second) => (Some(first), second),
                    None => (None, first),
                };
                Ok(Piece::For { key, value, collection, span })
            }
            "else" => Ok(Piece::Else(span)),
            "endif" => Ok(Piece::EndIf(span)),
            "endfor" => Ok(Piece::EndFor(span)),
            _ => {
                let detail = "A template directive keyword (\"if\", \"for\", etc) is expected at the beginning of a %{ sequence.";
                Err(self.error("Invalid template directive", detail, span))
            }
        }
    }
}

/// The next element of a template.
enum Next {
    Character,
    /// The string ends, because it went on in the next line.
    End,
    /// An opening: of an interpolation or a directive, and whether white space in front of it is removed.
    Sequence(bool, bool),
}

fn piece_span(piece: &Piece) -> Option<Span> {
    match piece {
        Piece::If(_, span) | Piece::Else(span) | Piece::EndIf(span) | Piece::EndFor(span) => Some(*span),
        Piece::For { span, .. } => Some(*span),
        Piece::Text(_) | Piece::Value(_) => None,
    }
}

/// Ends a piece of text. The first one behind a sequence that takes white space away loses what it begins with.
fn flush_text(pieces: &mut Vec<Piece>, text: &mut String, trims: &mut bool) {
    if text.is_empty() {
        return;
    }
    let text = std::mem::take(text);
    let text = if std::mem::take(trims) { text.trim_start().to_owned() } else { text };
    pieces.push(Piece::Text(text));
}

/// Removes from each line the white space that all lines begin with. Empty lines do not count.
fn flush(pieces: &mut [Piece]) {
    let (mut least, mut line_start, mut lines) = (usize::MAX, true, Vec::new());
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Text(text) = piece else {
            if line_start {
                least = 0;
            }
            line_start = false;
            continue;
        };
        if line_start {
            let trimmed = text.trim_start();
            if !(trimmed.is_empty() && text.ends_with('\n')) {
                least = least.min(text[..text.len() - trimmed.len()].chars().count());
                lines.push(index);
            }
        }
        line_start = text.ends_with('\n');
    }
    for index in lines {
        if let Piece::Text(text) = &mut pieces[index] {
            *text = text.chars().skip(least).collect();
        }
    }
}

/// Adds the text that was collected, normalized, and empties it.
fn push_text(parts: &mut Vec<Part>, text: &mut String) {
    if !text.is_empty() {
        let text = std::mem::take(text);
        // Text of ASCII is normal as it is.
        parts.push(Part::Text(if text.is_ascii() { text.into() } else { text.nfc().collect::<String>().into() }));
    }
}
