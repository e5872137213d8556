//! Escaping: `encoding/json`, `html/template` and `net/url`.

use super::strconv::{self, is_print};
use std::fmt::Write;

/// Which characters in JSON are escaped beyond the required ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonText {
    /// `<`, `>` and `&` too: `encoding/json`.
    Html,
    /// As little as possible: `encoding/json` with `SetEscapeHTML(false)`.
    Raw,
    /// As little as possible, and backspaces and form feeds by number: `goccy/go-json`.
    Goccy,
}

/// Writes a text in JSON, with its quotes.
pub fn push_json(out: &mut String, text: &str, style: JsonText) {
    out.push('"');
    for c in text.chars() {
        let _ = match c {
            '"' => out.write_str("\\\""),
            '\\' => out.write_str("\\\\"),
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            '\u{8}' if style != JsonText::Goccy => out.write_str("\\b"),
            '\u{c}' if style != JsonText::Goccy => out.write_str("\\f"),
            '<' | '>' | '&' if style == JsonText::Html => write!(out, "\\u{:04x}", c as u32),
            c if c < ' ' || matches!(c, '\u{2028}' | '\u{2029}') => write!(out, "\\u{:04x}", c as u32),
            c => out.write_char(c),
        };
    }
    out.push('"');
}

/// `template.HTMLEscapeString`: for HTML text and attributes.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0' => out.push('\u{fffd}'),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

/// `template.JSEscapeString`: for JavaScript strings.
pub fn js(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '"' => out.push_str("\\\""),
            '<' | '>' | '&' | '=' | '\0'..' ' => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c if c.is_ascii() || is_print(c) => out.push(c),
            c => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
        }
    }
    out
}

/// `url.QueryEscape`.
pub fn query(text: &str) -> String {
    percent(text, "-_.~ ").replace(' ', "+")
}

/// A text in which all but ASCII letters, digits and what is in `plain` is percent-encoded.
pub fn percent(text: &str, plain: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The bytes of a percent-encoded text (`url.PathUnescape`).
///
/// # Errors
/// What is wrong.
pub fn unpercent(text: &str) -> Result<Vec<u8>, String> {
    unescaped(text, false)
}

/// `url.QueryUnescape`: a plus represents a space.
///
/// # Errors
/// What is wrong.
pub fn unquery(text: &str) -> Result<Vec<u8>, String> {
    unescaped(text, true)
}

fn unescaped(text: &str, is_query: bool) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let (mut out, mut i) = (Vec::with_capacity(bytes.len()), 0);
    while i < bytes.len() {
        match bytes[i] {
            b'%' => {
                let code = text.get(i + 1..i + 3).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
                let Some(code) = code.and_then(|h| u8::from_str_radix(h, 16).ok()) else {
                    let shown = text.get(i..(i + 3).min(text.len())).unwrap_or("%");
                    return Err(format!("invalid URL escape {}", strconv::quote(shown, false)));
                };
                out.push(code);
                i += 2;
            }
            b'+' if is_query => out.push(b' '),
            byte => out.push(byte),
        }
        i += 1;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_in_json() {
        let json = |style| {
            let mut out = String::new();
            push_json(&mut out, "a\"\\\n\u{8}\u{1}<\u{2028}\u{e9}\u{7f}", style);
            out
        };
        assert_eq!(json(JsonText::Html), "\"a\\\"\\\\\\n\\b\\u0001\\u003c\\u2028\u{e9}\u{7f}\"");
        assert_eq!(json(JsonText::Raw), "\"a\\\"\\\\\\n\\b\\u0001<\\u2028\u{e9}\u{7f}\"");
        assert_eq!(json(JsonText::Goccy), "\"a\\\"\\\\\\n\\u0008\\u0001<\\u2028\u{e9}\u{7f}\"");
    }

    #[test]
    fn queries() {
        assert_eq!(query("a b&c/\u{e9}~"), "a+b%26c%2F%C3%A9~");
        assert_eq!(unquery("%+a").unwrap_err(), "invalid URL escape \"%+a\"");
        assert_eq!(unpercent("%").unwrap_err(), "invalid URL escape \"%\"");
        assert_eq!([unpercent("a+%2b"), unquery("a+%2b")], [Ok(b"a++".to_vec()), Ok(b"a +".to_vec())]);
    }

    proptest! {
        #[test]
        fn what_is_escaped_reads_back(text in any::<String>()) {
            for style in [JsonText::Html, JsonText::Raw, JsonText::Goccy] {
                let mut json = String::new();
                push_json(&mut json, &text, style);
                prop_assert_eq!(serde_json::from_str::<String>(&json).ok(), Some(text.clone()));
            }
            prop_assert_eq!(unquery(&query(&text)), Ok(text.clone().into_bytes()));
            prop_assert_eq!(unpercent(&percent(&text, "/")), Ok(text.into_bytes()));
        }
    }
}
