//! Values in one line, as messages show them: secrets masked, nothing that steers a terminal.

use super::mask;
pub(crate) use crate::resolution::secrets::is_hidden;
use crate::syntax::secrets::{self, tokens};
use crate::text::escape;
use crate::value::{Data, Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Deeper nesting is shown as `…`.
pub(crate) const MAX_DEPTH: usize = 60;
/// The maximum length of a value in one line.
const MAX_INLINE: usize = 4_000;

/// The value in one line: `{cidr: "10.0.0.0/16", azs: ["a", "b"]}`. With `secret`, it is one by its key.
pub(crate) fn inline(value: &Value, secret: bool, show_secrets: bool) -> String {
    let mut text = String::new();
    write_inline(&mut text, value, secret, 0, show_secrets);
    text
}

fn write_inline(text: &mut String, value: &Value, secret: bool, depth: usize, show_secrets: bool) {
    if text.len() > MAX_INLINE || depth > MAX_DEPTH {
        text.push('…');
        return;
    }
    if value.is_sensitive() && !show_secrets {
        text.push_str(&scalar(value, secret, show_secrets));
        return;
    }
    match &value.data {
        Data::Map(map) => {
            text.push('{');
            for (i, entry) in map.iter().enumerate() {
                if text.len() > MAX_INLINE {
                    text.push('…');
                    break;
                }
                let _ = write!(text, "{}{}: ", if i > 0 { ", " } else { "" }, key(&entry.key));
                write_inline(text, &entry.value, mask::is_secret_in(map, secret, &entry.key), depth + 1, show_secrets);
            }
            text.push('}');
        }
        Data::List(items) => {
            text.push('[');
            for (i, item) in items.iter().enumerate() {
                if text.len() > MAX_INLINE {
                    text.push('…');
                    break;
                }
                text.push_str(if i > 0 { ", " } else { "" });
                write_inline(text, item, secret, depth + 1, show_secrets);
            }
            text.push(']');
        }
        _ => text.push_str(&scalar(value, secret, show_secrets)),
    }
}

/// Writes a scalar value in one line.
pub(crate) fn scalar(value: &Value, secret: bool, show_secrets: bool) -> String {
    if !show_secrets && is_hidden(value, secret) {
        return mask::MASK.to_owned();
    }
    if let Some(text) = written(value).filter(|_| !show_secrets) {
        if !tokens::find(text).is_empty() {
            return mask::MASK.to_owned();
        }
        let safe = redacted(text);
        return if value.as_str().is_some() { quote(&safe) } else { escape(&safe).into_owned() };
    }
    match &value.data {
        Data::Null => "null".to_owned(),
        Data::Bool(b) => b.to_string(),
        Data::Int(i) => i.to_string(),
        Data::Uint(u) => u.to_string(),
        Data::Float(f) => match json::Number::of(*f) {
            json::Number::Whole(i) => i.to_string(),
            json::Number::Fraction(f) => format!("{f:?}"),
            json::Number::Word(word) => word.to_owned(),
        },
        Data::Str(s) => quote(s),
        Data::Time(t) => t.rfc3339(),
        Data::Unknown(u) => escape(&u.text).into_owned(),
        Data::List(_) | Data::Map(_) => "…".to_owned(),
    }
}

/// Text with masks in place of passwords and tokens.
pub(crate) fn redacted(text: &str) -> Cow<'_, str> {
    let ranges = secrets::in_text(text);
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut safe = text.to_owned();
    ranges.into_iter().rev().for_each(|range| safe.replace_range(range, mask::MASK));
    Cow::Owned(safe)
}

/// Whether a value is a secret whatever its key is.
pub(crate) fn has_token(value: &Value) -> bool {
    written(value).is_some_and(|text| !secrets::in_text(text).is_empty())
}

/// The text of a value that has one, and the text of one that is not known: it may hold a secret beside what is not known.
pub(super) fn written(value: &Value) -> Option<&str> {
    match &value.data {
        Data::Str(text) => Some(text),
        Data::Unknown(unknown) => Some(&unknown.text),
        _ => None,
    }
}

/// Text in double quotes, escaped.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for part in text.split_inclusive(['"', '\\']) {
        match part.char_indices().next_back() {
            Some((i, last @ ('"' | '\\'))) => {
                let _ = write!(quoted, "{}\\{last}", escape(&part[..i]));
            }
            _ => quoted.push_str(&escape(part)),
        }
    }
    quoted.push('"');
    quoted
}

/// A key, in quotes only if it needs them.
pub(crate) fn key(key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
    if !key.is_empty() && key.chars().all(plain) { key.to_owned() } else { quote(key) }
}
