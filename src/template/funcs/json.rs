//! JSON text as Go's `encoding/json` reads and writes it.

use crate::go::escape::{JsonText, push_json};
use crate::go::strconv;
use crate::text::Text;
use crate::value::{Data, Map, Value};
use std::fmt::Write;

/// Deeper nesting than Go reads.
const MAX_DEPTH: usize = 500;

/// How JSON text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `<`, `>` and `&` are escaped.
    Html,
    /// They are not.
    Raw,
    /// As the library behind gomplate: escaped, and whole floats keep a fraction (`1.0`).
    Codec,
}

fn codec_float(f: f64) -> String {
    let size = f.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        return strconv::format_float(f, 'e', None);
    }
    if f.fract() == 0.0 && size < 9_007_199_254_740_992.0 { format!("{f:.1}") } else { format!("{f}") }
}

/// Writes data. Fails for numbers that JSON does not have.
pub(super) fn encode(data: &Data, html: Style) -> Result<String, String> {
    let mut out = String::new();
    write(&mut out, data, html)?;
    Ok(out)
}

fn write(out: &mut String, data: &Data, html: Style) -> Result<(), String> {
    match data {
        Data::Null => out.push_str("null"),
        Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Data::Int(n) => {
            let _ = write!(out, "{n}");
        }
        Data::Uint(n) => {
            let _ = write!(out, "{n}");
        }
        Data::Float(f) if f.is_finite() && html == Style::Codec => out.push_str(&codec_float(*f)),
        Data::Float(f) if f.is_finite() => out.push_str(&strconv::json_float(*f)),
        Data::Float(f) => return Err(format!("json: unsupported value: {}", strconv::float(*f))),
        Data::Str(s) => write_text(out, s, html),
        Data::Unknown(u) => write_text(out, &u.text, html),
        Data::Time(t) => write_text(out, &t.rfc3339(), html),
        Data::List(list) => {
            for (i, value) in list.iter().enumerate() {
                out.push(if i == 0 { '[' } else { ',' });
                write(out, &value.data, html)?;
            }
            out.push_str(if list.is_empty() { "[]" } else { "]" });
        }
        Data::Map(map) => {
            for (i, entry) in map.iter().enumerate() {
                out.push(if i == 0 { '{' } else { ',' });
                write_text(out, &entry.key, html);
                out.push(':');
                write(out, &entry.value.data, html)?;
            }
            out.push_str(if map.is_empty() { "{}" } else { "}" });
        }
    }
    Ok(())
}

fn write_text(out: &mut String, text: &str, style: Style) {
    push_json(out, text, if style == Style::Raw { JsonText::Raw } else { JsonText::Html });
}

/// `json.Indent` without prefix.
pub(super) fn indent(compact: &str, indent: &str) -> String {
    let mut out = String::with_capacity(compact.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    let mut fresh = false;
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        for _ in 0..depth {
            out.push_str(indent);
        }
    };
    for c in compact.chars() {
        if in_text {
            out.push(c);
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        if fresh && !matches!(c, ']' | '}') {
            depth += 1;
            newline(&mut out, depth);
        }
        match c {
            '{' | '[' => out.push(c),
            ',' => {
                out.push(c);
                newline(&mut out, depth);
            }
            ':' => out.push_str(": "),
            '}' | ']' => {
                if !fresh {
                    depth = depth.saturating_sub(1);
                    newline(&mut out, depth);
                }
                out.push(c);
            }
            _ => {
                in_text = c == '"';
                out.push(c);
            }
        }
        fresh = matches!(c, '{' | '[');
    }
    out
}

/// Reads one JSON text; every number is a float, as in Go.
pub(super) fn decode(text: &str) -> Result<Value, String> {
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    reader.space();
    let value = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.invalid("after top-level value")),
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn invalid(&self, context: &str) -> String {
        match self.peek() {
            None => "unexpected end of JSON input".into(),
            Some(b'\'') => format!("invalid character '\\'' {context}"),
            Some(b'"') => format!("invalid character '\"' {context}"),
            // Go looks at bytes, not at characters.
            Some(b) => format!("invalid character {} {context}", strconv::quote_char(char::from(b), false)),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err("exceeded max depth".into());
        }
        match self.peek() {
            Some(b'{') => self.map(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Value::str(self.string()?)),
            Some(b't') => self.word("true", Data::Bool(true)),
            Some(b'f') => self.word("false", Data::Bool(false)),
            Some(b'n') => self.word("null", Data::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.invalid("looking for beginning of value")),
        }
    }

    fn word(&mut self, word: &'static str, data: Data) -> Result<Value, String> {
        for b in word.bytes() {
            if self.peek() != Some(b) {
                let context = format!("in literal {word} (expecting {})", strconv::quote_char(char::from(b), false));
                return Err(self.invalid(&context));
            }
            self.at += 1;
        }
        Ok(Value::new(data))
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.invalid("in numeric literal")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.invalid("after decimal point in numeric literal"));
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.invalid("in exponent of numeric literal"));
            }
            self.digits();
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]);
        let value = strconv::parse_float(&text)
            .map_err(|_| format!("json: cannot unmarshal number {text} into Go value of type float64"))?;
        Ok(Value::new(Data::Float(value)))
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut out: Vec<u8> = Vec::new();
        loop {
            match self.peek() {
                None | Some(0..=0x1f) => return Err(self.invalid("in string literal")),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    let c = self.escape()?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(b) => {
                    out.push(b);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Ok(super::call::lossy(&out))
    }

    fn escape(&mut self) -> Result<char, String> {
        let c = match self.peek() {
            Some(b @ (b'"' | b'\\' | b'/')) => char::from(b),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                let first = self.hex()?;
                let low = self.text.get(self.at..self.at + 2) == Some(br"\u");
                if (0xd800..0xdc00).contains(&first) && low {
                    let back = self.at;
                    self.at += 2;
                    let second = self.hex()?;
                    if (0xdc00..0xe000).contains(&second) {
                        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                        return Ok(char::from_u32(code).unwrap_or('\u{fffd}'));
                    }
                    self.at = back;
                }
                return Ok(char::from_u32(first).unwrap_or('\u{fffd}'));
            }
            _ => return Err(self.invalid("in string escape code")),
        };
        self.at += 1;
        Ok(c)
    }

    fn hex(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|b| char::from(b).to_digit(16)) else {
                return Err(self.invalid("in \\u hexadecimal character escape"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn list(&mut self, depth: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::list(items));
        }
        loop {
            self.space();
            items.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.invalid("after array element")),
            }
        }
        self.at += 1;
        Ok(Value::list(items))
    }

    fn map(&mut self, depth: usize) -> Result<Value, String> {
        let mut pairs = Vec::new();
        self.at += 1;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::map(Map::new()));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                let place = "looking for beginning of object key string";
                return Err(self.invalid(place));
            }
            let key: Text = self.string()?.into();
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.invalid("after object key"));
            }
            self.at += 1;
            self.space();
            pairs.push((key, self.value(depth + 1)?));
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.invalid("after object key:value pair")),
            }
        }
        self.at += 1;
        Ok(Value::map(pairs.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        for (text, want) in [
            (
                r#"{"b":[1,2.5,1e21,-0.0000001],"a":"<é\u00e9\n>"}"#,
                r#"{"a":"\u003céé\n\u003e","b":[1,2.5,1e+21,-1e-7]}"#,
            ),
            ("[ ]", "[]"),
            (r#" "\ud83d\ude00\ud800" "#, "\"😀\u{fffd}\""),
            ("null", "null"),
        ] {
            assert_eq!(encode(&decode(text).unwrap().data, Style::Html).unwrap(), want);
        }
        let pretty = indent(r#"{"a":{},"b":[1,{"c":"x,]"}],"d":[]}"#, "  ");
        assert_eq!(
            pretty,
            "{\n  \"a\": {},\n  \"b\": [\n    1,\n    {\n      \"c\": \"x,]\"\n    }\n  ],\n  \"d\": []\n}"
        );
    }

    #[test]
    fn errors() {
        for (text, want) in [
            ("{bad", "invalid character 'b' looking for beginning of object key string"),
            ("", "unexpected end of JSON input"),
            ("[1,", "unexpected end of JSON input"),
            ("[1 2]", "invalid character '2' after array element"),
            ("1 2", "invalid character '2' after top-level value"),
            ("tru", "unexpected end of JSON input"),
            ("nope", "invalid character 'o' in literal null (expecting 'u')"),
        ] {
            assert_eq!(decode(text).unwrap_err(), want, "{text}");
        }
        assert!(decode(&"[".repeat(100_000)).is_err());
    }
}
