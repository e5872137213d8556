//! Keys and tokens of well-known services are not shown, whatever the format is (see [`tokens`]).

use crate::diff::mask::MASK;
use crate::syntax::secrets::tokens;
use std::borrow::Cow;

/// A text with the mask in place of tokens.
pub(super) fn hide(text: &str) -> Cow<'_, str> {
    let found = tokens::find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut safe = text.to_owned();
    found.into_iter().rev().for_each(|range| safe.replace_range(range, MASK));
    Cow::Owned(safe)
}

/// Lines of a text in their order.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Whether the lines before began a private key that has not ended.
    is_in_key: bool,
}

impl Lines {
    /// The next line with the mask in place of tokens, and of the lines of a private key. Nothing else is hidden after the
    /// first line of a key, so that one without an end hides nothing of a report.
    pub(super) fn hide<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        let safe = hide(line);
        if matches!(safe, Cow::Owned(_)) {
            self.is_in_key = tokens::starts_private_key(line);
            return safe;
        }
        // An excerpt has the number of the line before a bar, a patch a sign.
        let content = line.rsplit_once('|').map_or(line, |(_, content)| content);
        let content = content.trim_start_matches([' ', '\t', '+', '-']);
        self.is_in_key &= tokens::is_base64(content);
        match self.is_in_key {
            true => Cow::Owned(format!("{}{MASK}", &line[..line.len() - content.len()])),
            false => safe,
        }
    }
}

/// JSON with the mask in place of tokens in its strings. It starts and ends outside of strings.
pub(super) fn hide_in_json(json: &str) -> Cow<'_, str> {
    if !tokens::may_be_in(json) {
        return Cow::Borrowed(json);
    }
    let (mut safe, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(start) = rest.find('"') {
        let (before, from) = rest.split_at(start);
        let (literal, after) = from.split_at(end_of_string(from.as_bytes()).unwrap_or(from.len()));
        safe.push_str(before);
        safe.push_str(&hide_in_literal(literal));
        rest = after;
    }
    safe.push_str(rest);
    Cow::Owned(safe)
}

fn hide_in_literal(literal: &str) -> Cow<'_, str> {
    if !tokens::may_be_in(literal) {
        return Cow::Borrowed(literal);
    }
    let Ok(text) = serde_json::from_str::<String>(literal) else { return Cow::Borrowed(literal) };
    match hide(&text) {
        Cow::Borrowed(_) => Cow::Borrowed(literal),
        Cow::Owned(safe) => serde_json::to_string(&safe).map_or(Cow::Borrowed(literal), Cow::Owned),
    }
}

/// The end of the string literal that JSON starts with.
fn end_of_string(json: &[u8]) -> Option<usize> {
    let mut at = 1;
    while at < json.len() {
        match json[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Where the last complete part of JSON ends that starts outside of strings: at the end of a line, which no string holds,
/// or else of a string.
pub(super) fn end_of_complete_json(json: &[u8]) -> usize {
    if let Some(line) = json.iter().rposition(|b| *b == b'\n') {
        return line + 1;
    }
    let mut end = 0;
    while let Some(start) = json[end..].iter().position(|b| *b == b'"') {
        match end_of_string(&json[end + start..]) {
            Some(length) => end += start + length,
            None => break,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn token() -> String {
        format!("ghp_{}", "a1B2c3D4".repeat(5))
    }

    #[test]
    fn tokens_in_strings_are_hidden() {
        let token = token();
        let value = serde_json::json!({"a": format!("x\n{token}\t\"y\""), "b": [token, 1, "\\"], "c": "plain"});
        for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let safe = hide_in_json(&json);
            assert!(!safe.contains("ghp_"), "{safe}");
            let read: serde_json::Value = serde_json::from_str(&safe).unwrap();
            assert_eq!(read, serde_json::json!({"a": format!("x\n{MASK}\t\"y\""), "b": [MASK, 1, "\\"], "c": "plain"}));
        }
    }

    #[test]
    fn a_private_key_is_hidden_to_its_end() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----";
        assert_eq!(hide(&format!("a {key} b")), format!("a {MASK} b"));
        assert_eq!(hide(&key[..40]), MASK);
    }

    #[test]
    fn the_lines_of_a_private_key_are_hidden_and_no_others() {
        let text =
            "key: |\n  -----BEGIN PRIVATE KEY-----\n  MIIabc+/\n  12ab==\n  -----END PRIVATE KEY-----\nnext: 1\nMII";
        let mut lines = Lines::default();
        let safe: Vec<_> = text.lines().map(|line| lines.hide(line).into_owned()).collect();
        let hidden = format!("  {MASK}");
        assert_eq!(safe, ["key: |", &hidden, &hidden, &hidden, "  -----END PRIVATE KEY-----", "next: 1", "MII"]);
        let mut lines = Lines::default();
        let excerpt = ["3 |   -----BEGIN PRIVATE KEY-----", "4 |   MIIabc", "  = note: this is not shown", "error"];
        let safe: Vec<_> = excerpt.map(|line| lines.hide(line).into_owned()).into();
        assert_eq!(safe[1..], [format!("4 |   {MASK}").as_str(), excerpt[2], excerpt[3]]);
    }

    proptest! {
        /// JSON stays valid, and only strings with tokens change.
        #[test]
        fn json_stays_json(texts in prop::collection::vec("[a \"\\\\\n\u{e9}]{0,6}", 0..5), at in 0..5_usize) {
            let mut texts = texts;
            let plain = serde_json::to_string(&texts).unwrap();
            prop_assert_eq!(hide_in_json(&plain), plain.as_str());
            texts.insert(at.min(texts.len()), format!("\n{}", token()));
            let json = serde_json::to_string(&texts).unwrap();
            let read: Vec<String> = serde_json::from_str(&hide_in_json(&json)).unwrap();
            texts[at.min(read.len() - 1)] = format!("\n{MASK}");
            prop_assert_eq!(read, texts);
            prop_assert!(end_of_complete_json(json.as_bytes()) <= json.len());
        }
    }
}
