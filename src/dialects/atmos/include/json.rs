//! JSON as Go's `encoding/json` decodes it into untyped values: numbers are floats, the last of equal keys wins.

use crate::value::{Data, Key, Map, Value};

/// Deeper documents are refused; the reference stops much later, at 10,000.
const MAX_DEPTH: usize = 256;

/// Decodes one document.
///
/// # Errors
/// The text is not JSON, holds a number that no float holds, or is nested too deeply.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader { bytes: text.as_bytes(), text: &text, at: 0 };
    let value = reader.value(0)?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected("after top-level value")),
    }
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next byte that is not a space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b) = self.bytes.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                _ => return Some(*b),
            }
        }
        None
    }

    fn unexpected(&self, what: &str) -> String {
        match self.text.get(self.at..).and_then(|t| t.chars().next()) {
            Some(c) => format!("invalid character {c:?} {what}"),
            None => "unexpected end of JSON input".to_owned(),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err("exceeded max depth".to_owned());
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Value::str(self.string()?)),
            Some(b't') => self.word("true", Data::Bool(true)),
            Some(b'f') => self.word("false", Data::Bool(false)),
            Some(b'n') => self.word("null", Data::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    fn word(&mut self, word: &str, data: Data) -> Result<Value, String> {
        for expected in word.bytes() {
            if self.bytes.get(self.at) != Some(&expected) {
                return Err(self.unexpected(&format!("in literal {word} (expecting {:?})", char::from(expected))));
            }
            self.at += 1;
        }
        Ok(Value::new(data))
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at > start
    }

    fn eat(&mut self, accepted: &[u8]) -> bool {
        let hit = self.bytes.get(self.at).is_some_and(|b| accepted.contains(b));
        self.at += usize::from(hit);
        hit
    }

    fn number(&mut self) -> Result<Value, String> {
        let start = self.at;
        self.eat(b"-");
        if !self.eat(b"0") && !self.digits() {
            return Err(self.unexpected("in numeric literal"));
        }
        if self.eat(b".") && !self.digits() {
            return Err(self.unexpected("after decimal point in numeric literal"));
        }
        if self.eat(b"eE") {
            self.eat(b"+-");
            if !self.digits() {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
        }
        let text = &self.text[start..self.at];
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::new(Data::Float(number))),
            _ => Err(format!("json: cannot unmarshal number {text} into Go value of type float64")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        self.at += 1;
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::list(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::list(items));
                }
                _ => return Err(self.unexpected("after array element")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        self.at += 1;
        let mut pairs: Vec<(Key, Value)> = Vec::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::map(Map::new()));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            let key = self.string()?;
            if self.peek() != Some(b':') {
                return Err(self.unexpected("after object key"));
            }
            self.at += 1;
            pairs.push((key.into(), self.value(depth + 1)?));
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::map(pairs.into_iter().collect()));
                }
                _ => return Err(self.unexpected("after object key:value pair")),
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self.bytes.get(self.at).is_some_and(|b| !matches!(b, b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            out.push_str(&self.text[start..self.at]);
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                _ => return Err(self.unexpected("in string literal")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let c = match self.bytes.get(self.at) {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(*c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.unexpected("in string escape code")),
        };
        self.at += 1;
        Ok(c)
    }

    /// Half a surrogate pair becomes the replacement character.
    fn unicode(&mut self) -> Result<char, String> {
        let high = self.hex()?;
        if (0xd800..0xdc00).contains(&high) && self.bytes[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 1;
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            self.at += 1;
            let digit = self.bytes.get(self.at).and_then(|b| char::from(*b).to_digit(16));
            code = code * 16 + digit.ok_or_else(|| self.unexpected("in \\u hexadecimal character escape"))?;
        }
        self.at += 1;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents() {
        let value =
            parse(br#" {"a": [1, -2.5e1, "x\n\u00e9\ud83d\ude00\ud800", null, true], "b": {}, "b": 2} "#).unwrap();
        let items = value.get("a").and_then(Value::as_list).unwrap();
        assert_eq!(items[0].data, Data::Float(1.0));
        assert_eq!(items[1].data, Data::Float(-25.0));
        assert_eq!(items[2].as_str(), Some("x\né😀\u{fffd}"));
        assert_eq!(value.get("b").unwrap().data, Data::Float(2.0));
        for bad in ["", "{", "[1,]", "{\"a\":1,}", "01", "1.", "nul", "\"a", "\"\n\"", "{} x", "1e999", "{a:1}"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
