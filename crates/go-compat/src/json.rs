//! The package `encoding/json`: its decoder, and indentation.

use super::strconv;

/// `json.Indent` without prefix.
pub fn indent(compact: &str, indent: &str) -> String {
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

/// The result of `json.Unmarshal` into an untyped value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Every number is a float.
    Number(f64),
    /// A text. Half a surrogate pair is U+FFFD.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// Keys and values in their order; of equal keys the last one counts.
    Map(Vec<(String, Json)>),
}

/// `json.Unmarshal` into `any`. Go rejects what is nested more than 10,000 levels deep; here the limit is `max_depth`.
///
/// # Errors
/// The message of Go.
pub fn decode(text: &str, max_depth: usize) -> Result<Json, String> {
    let mut reader = Reader { source: text, text: text.as_bytes(), at: 0, max_depth };
    reader.space();
    let value = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.invalid("after top-level value")),
    }
}

struct Reader<'a> {
    source: &'a str,
    text: &'a [u8],
    at: usize,
    max_depth: usize,
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
            // Go compares bytes, not characters.
            Some(b) => format!("invalid character {} {context}", strconv::quote_char(char::from(b), false)),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > self.max_depth {
            return Err("exceeded max depth".into());
        }
        match self.peek() {
            Some(b'{') => self.map(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.invalid("looking for beginning of value")),
        }
    }

    fn word(&mut self, word: &'static str, data: Json) -> Result<Json, String> {
        for b in word.bytes() {
            if self.peek() != Some(b) {
                let context = format!("in literal {word} (expecting {})", strconv::quote_char(char::from(b), false));
                return Err(self.invalid(&context));
            }
            self.at += 1;
        }
        Ok(data)
    }

    fn number(&mut self) -> Result<Json, String> {
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
        Ok(Json::Number(value))
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len());
            out.push_str(&self.source[self.at..self.at + plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    out.push(self.escape()?);
                }
                _ => return Err(self.invalid("in string literal")),
            }
        }
        self.at += 1;
        Ok(out)
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

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        let mut items = Vec::new();
        self.at += 1;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::List(items));
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
        Ok(Json::List(items))
    }

    fn map(&mut self, depth: usize) -> Result<Json, String> {
        let mut pairs = Vec::new();
        self.at += 1;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Map(pairs));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                let place = "looking for beginning of object key string";
                return Err(self.invalid(place));
            }
            let key = self.string()?;
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
        Ok(Json::Map(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn documents() {
        let text = r#" {"a": [1, -2.5e1, "x\n\u00e9\ud83d\ude00\ud800", null, true], "b": {}} "#;
        let items = vec![
            Json::Number(1.0),
            Json::Number(-25.0),
            Json::Text("x\né😀\u{fffd}".into()),
            Json::Null,
            Json::Bool(true),
        ];
        let map = vec![("a".to_owned(), Json::List(items)), ("b".to_owned(), Json::Map(Vec::new()))];
        assert_eq!(decode(text, 500), Ok(Json::Map(map)));
        for bad in ["[1,]", "{\"a\":1,}", "01", "1.", "nul", "\"a", "\"\n\"", "{} x", "1e999", "{a:1}"] {
            assert!(decode(bad, 500).is_err(), "{bad}");
        }
    }

    #[test]
    fn indentation() {
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
            assert_eq!(decode(text, 500).unwrap_err(), want, "{text}");
        }
        assert!(decode(&"[".repeat(100_000), 500).is_err());
    }

    /// The same by another library.
    fn read(json: serde_json::Value) -> Json {
        match json {
            serde_json::Value::Null => Json::Null,
            serde_json::Value::Bool(b) => Json::Bool(b),
            serde_json::Value::Number(n) => Json::Number(n.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::String(text) => Json::Text(text),
            serde_json::Value::Array(items) => Json::List(items.into_iter().map(read).collect()),
            serde_json::Value::Object(map) => Json::Map(map.into_iter().map(|(k, v)| (k, read(v))).collect()),
        }
    }

    proptest! {
        #[test]
        fn texts_are_read_as_by_others(pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"é\\u0041\\n\"", "\"\\ud83d\\ude00\"", "1", "-0.5", "1e3", "null", "true", " ", "\n", "x", "\"",
        ]), 0..12)) {
            let text = pieces.concat();
            let mine = decode(&text, 100);
            prop_assert_eq!(mine.is_ok(), serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
            if let (Ok(mine @ (Json::List(_) | Json::Text(_) | Json::Number(_))), false) = (mine, text.contains('{')) {
                prop_assert_eq!(mine, read(serde_json::from_str(&text).unwrap()));
            }
        }
    }
}
