//! The JSON syntax: a JSON text with places, which a caller reads as bodies, blocks and expressions.

use crate::ast::{Expr, ExprKind, Name, Span, SyntaxError};
use crate::parse::parse_template_at;
use crate::val::number::Number;
use shared_text::Text;

/// How deep a text nests.
const MAX_DEPTH: usize = 150;

/// A JSON value with its place.
#[derive(Clone, Debug)]
pub struct Json {
    /// Its place.
    pub span: Span,
    /// Its kind.
    pub kind: JsonKind,
}

/// The kind of a JSON value.
#[derive(Clone, Debug)]
pub enum JsonKind {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    Str(Text),
    /// A sequence.
    Array(Vec<Json>),
    /// Names and values in the order of the text; a name can come twice.
    Object(Vec<(Name, Json)>),
}

impl Json {
    /// The value as an expression: strings are templates, and so are keys. With `literal`, strings are plain text.
    pub fn expr(&self, literal: bool, errors: &mut Vec<SyntaxError>) -> Expr {
        let span = self.span;
        let text = |text: &Text, span: Span, errors: &mut Vec<SyntaxError>| {
            if literal {
                return crate::parse_text(text, span);
            }
            parse_template_at(text, span).unwrap_or_else(|found| {
                errors.extend(found);
                Expr { span, kind: ExprKind::Null }
            })
        };
        let kind = match &self.kind {
            JsonKind::Null => ExprKind::Null,
            JsonKind::Bool(b) => ExprKind::Bool(*b),
            JsonKind::Number(n) => ExprKind::Number(n.clone()),
            JsonKind::Str(s) => return text(s, span, errors),
            JsonKind::Array(items) => ExprKind::Tuple(items.iter().map(|item| item.expr(literal, errors)).collect()),
            JsonKind::Object(items) => {
                let one = |(name, value): &(Name, Json)| {
                    let key = text(&name.text, name.span, errors);
                    // A template as a key is evaluated, not used as a name.
                    let key = Expr { span: key.span, kind: ExprKind::Paren(Box::new(key)) };
                    (key, value.expr(literal, errors))
                };
                ExprKind::Object(items.iter().map(one).collect())
            }
        };
        Expr { span, kind }
    }

    /// The entries of an object.
    pub fn entries(&self) -> Option<&[(Name, Json)]> {
        match &self.kind {
            JsonKind::Object(entries) => Some(entries),
            _ => None,
        }
    }
}

/// Parses a JSON text. After an error, the part before it is returned.
pub fn parse_json(text: &str) -> (Option<Json>, Vec<SyntaxError>) {
    let mut parser = JsonParser { text, pos: 0, errors: Vec::new() };
    if text.starts_with('\u{feff}') {
        parser.pos = '\u{feff}'.len_utf8();
    }
    let found = parser.value(0);
    if parser.errors.is_empty() {
        parser.blank();
        if parser.pos < text.len() {
            parser.error("Extraneous data after value", "Extra characters appear after the JSON value.");
        }
    }
    (found, parser.errors)
}

struct JsonParser<'a> {
    text: &'a str,
    pos: usize,
    errors: Vec<SyntaxError>,
}

impl JsonParser<'_> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.pos).copied().unwrap_or(0)
    }

    fn blank(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.pos += 1;
        }
    }

    fn error(&mut self, summary: &'static str, detail: &str) {
        let width = self.text[self.pos.min(self.text.len())..].chars().next().map_or(0, char::len_utf8);
        let span = Span::new(self.pos, self.pos + width);
        if self.errors.is_empty() {
            self.errors.push(SyntaxError { summary, detail: detail.to_owned(), span });
        }
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        self.blank();
        let start = self.pos;
        if depth > MAX_DEPTH {
            self.error("Too deep nesting", "Objects and arrays nest too deep.");
            return None;
        }
        let kind = match self.peek() {
            b'{' => self.object(depth),
            b'[' => self.array(depth)?,
            b'"' => JsonKind::Str(self.string()?),
            b'-' | b'0'..=b'9' => self.number()?,
            _ => self.keyword()?,
        };
        Some(Json { span: Span::new(start, self.pos), kind })
    }

    fn keyword(&mut self) -> Option<JsonKind> {
        for (word, kind) in [("null", JsonKind::Null), ("true", JsonKind::Bool(true)), ("false", JsonKind::Bool(false))]
        {
            if self.text[self.pos..].starts_with(word) {
                self.pos += word.len();
                return Some(kind);
            }
        }
        let (summary, detail) = match self.pos >= self.text.len() {
            true => ("Missing JSON item", "Expected an opening brace, a string, a number or another value."),
            false => ("Invalid JSON keyword", "A JSON value is expected here."),
        };
        self.error(summary, detail);
        None
    }

    fn number(&mut self) -> Option<JsonKind> {
        let start = self.pos;
        while matches!(self.peek(), b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') {
            self.pos += 1;
        }
        let text = &self.text[start..self.pos];
        match Number::parse(text).filter(|_| is_number(text)) {
            Some(number) => Some(JsonKind::Number(number)),
            None => {
                self.pos = start;
                self.error("Invalid JSON number", "This is not a number.");
                None
            }
        }
    }

    fn string(&mut self) -> Option<Text> {
        let start = self.pos;
        self.pos += 1;
        while self.pos < self.text.len() {
            match self.peek() {
                b'"' => {
                    self.pos += 1;
                    let Ok(text) = serde_json::from_str::<String>(&self.text[start..self.pos]) else {
                        self.pos = start;
                        self.error(
                            "Invalid JSON string",
                            "This string has an escape or a character that JSON does not allow.",
                        );
                        return None;
                    };
                    return Some(text.into());
                }
                b'\\' => self.pos += 2,
                b'\n' => break,
                _ => self.pos += 1,
            }
        }
        self.pos = start;
        self.error("Invalid JSON string", "This string has no end.");
        None
    }

    fn array(&mut self, depth: usize) -> Option<JsonKind> {
        self.pos += 1;
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.peek() == b']' {
                if !items.is_empty() {
                    self.error(
                        "Trailing comma in array",
                        "JSON does not permit a trailing comma after the final value in an array.",
                    );
                }
                self.pos += 1;
                return Some(JsonKind::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.blank();
            match self.peek() {
                b',' => self.pos += 1,
                b']' => {
                    self.pos += 1;
                    return Some(JsonKind::Array(items));
                }
                _ => {
                    self.error("Missing item separator", "A comma must be used to separate array items.");
                    return None;
                }
            }
        }
    }

    /// The entries up to the first one that is broken.
    fn object(&mut self, depth: usize) -> JsonKind {
        self.pos += 1;
        let mut entries = Vec::new();
        loop {
            self.blank();
            let start = self.pos;
            match self.peek() {
                b'}' => {
                    if !entries.is_empty() {
                        self.pos -= usize::from(self.text.as_bytes().get(self.pos.wrapping_sub(1)) == Some(&b','));
                        self.error(
                            "Trailing comma in object",
                            "JSON does not permit a trailing comma after the final property in an object.",
                        );
                        self.pos = start;
                    }
                    self.pos += 1;
                    return JsonKind::Object(entries);
                }
                b'"' => {}
                _ => {
                    self.error("Invalid object property", "A JSON object property must start with a quoted name.");
                    return JsonKind::Object(entries);
                }
            }
            let Some(text) = self.string() else { return JsonKind::Object(entries) };
            let name = Name { text, span: Span::new(start, self.pos) };
            self.blank();
            if self.peek() != b':' {
                self.error(
                    "Missing property value colon",
                    "A colon must appear between an object property's name and its value.",
                );
                return JsonKind::Object(entries);
            }
            self.pos += 1;
            let Some(value) = self.value(depth + 1) else { return JsonKind::Object(entries) };
            entries.push((name, value));
            self.blank();
            match self.peek() {
                b',' => self.pos += 1,
                b'}' => {
                    self.pos += 1;
                    return JsonKind::Object(entries);
                }
                _ => {
                    self.error("Missing attribute separator", "A comma must be used to separate object properties.");
                    return JsonKind::Object(entries);
                }
            }
        }
    }
}
/// Whether a text is a number of JSON (RFC 8259, section 6): no zeros in front of it, digits around the point.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(m, e)| (m, Some(e)));
    let mantissa = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}
