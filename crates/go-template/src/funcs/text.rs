//! Words, cases and line breaks: the string helpers behind sprig and gomplate.

use std::borrow::Cow;

/// `unicode.IsSpace`.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// `strings.Title`: the first letter of every word in upper case, the others unchanged.
pub(super) fn title(text: &str) -> String {
    let mut previous = ' ';
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_separator(previous) {
            out.push(simple_upper(c))
        } else {
            out.push(c)
        }
        previous = c;
    }
    out
}

fn is_separator(c: char) -> bool {
    if c.is_ascii() { !(c.is_ascii_alphanumeric() || c == '_') } else { !c.is_alphanumeric() && is_space(c) }
}

/// The upper case of a character where that is one character (`unicode.ToUpper`).
pub(super) fn simple_upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(u), None) => u,
        _ => c,
    }
}

/// The lower case of a character where that is one character (`unicode.ToLower`).
pub(super) fn simple_lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(l), None) => l,
        // The dotted capital I.
        (Some(l), Some(_)) if c == 'İ' => l,
        _ => c,
    }
}

/// `strings.ToUpper`: character by character.
pub(super) fn upper(text: &str) -> String {
    text.chars().map(simple_upper).collect()
}

/// `strings.ToLower`: character by character.
pub(super) fn lower(text: &str) -> String {
    text.chars().map(simple_lower).collect()
}

/// The title case of `golang.org/x/text/cases`: words in lower case with a capital first letter.
pub(super) fn title_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_word = false;
    let chars: Vec<char> = text.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        let letter = c.is_alphanumeric() || *c == '_';
        // Marks like an apostrophe or a full stop between letters do not end a word.
        let joins = matches!(c, '\'' | '.' | ':' | '’' | '·')
            && in_word
            && chars.get(i + 1).is_some_and(|n| n.is_alphabetic())
            && i > 0
            && chars[i - 1].is_alphabetic();
        if letter && !in_word && c.is_alphabetic() {
            out.extend(c.to_uppercase());
        } else {
            out.extend(c.to_lowercase());
        }
        in_word = match c {
            // An underscore or digit starts no word, but belongs to one.
            c if c.is_alphanumeric() || *c == '_' => in_word || c.is_alphabetic(),
            _ => joins,
        };
    }
    out
}

/// The first letter of every word in lower case.
pub(super) fn uncapitalize(text: &str) -> String {
    let mut start = true;
    text.chars()
        .map(|c| {
            if is_space(c) {
                start = true;
                c
            } else if std::mem::take(&mut start) {
                simple_lower(c)
            } else {
                c
            }
        })
        .collect()
}

/// Upper case to lower case and back; a lower case letter after a space becomes a capital.
pub(super) fn swap_case(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_uppercase() {
                simple_lower(c)
            } else if c.is_lowercase() {
                simple_upper(c)
            } else {
                c
            }
        })
        .collect()
}

/// Returns the first byte of every word, converted to a character.
pub(super) fn initials(text: &str) -> String {
    let mut gap = true;
    let mut out = String::new();
    for c in text.bytes().map(char::from) {
        if is_space(c) {
            gap = true;
        } else if std::mem::take(&mut gap) {
            out.push(c);
        }
    }
    out
}

/// Removes white space; text with white space is split into bytes on the way.
pub(super) fn delete_space(text: &str) -> String {
    let kept: String = text.bytes().map(char::from).filter(|c| !is_space(*c)).collect();
    if kept.chars().count() == text.len() { text.into() } else { kept }
}

/// Shortens to `width` bytes with `...`, keeping what is at `offset`.
pub(super) fn abbreviate(text: &[u8], offset: i64, width: i64) -> Result<Vec<u8>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if width < 4 {
        return Err("stringutils illegal argument: Minimum abbreviation width is 4".into());
    }
    let length = text.len() as i64;
    if length <= width {
        return Ok(text.to_vec());
    }
    let mut offset = offset.min(length);
    if length - offset < width - 3 {
        offset = length - (width - 3);
    }
    if offset <= 4 {
        return Ok([&text[..(width - 3) as usize], b"..."].concat());
    }
    if width < 7 {
        return Err("stringutils illegal argument: Minimum abbreviation width with offset is 7".into());
    }
    if offset + width - 3 < length {
        let rest = abbreviate(&text[offset as usize..], 0, width - 3).unwrap_or_default();
        return Ok([b"...", rest.as_slice()].concat());
    }
    Ok([b"...", &text[(length - (width - 3)) as usize..]].concat())
}

/// Breaks lines at spaces so that they have `width` bytes; with `long`, longer words are broken as well.
pub(super) fn wrap(text: &str, width: i64, line_break: &str, long: bool) -> Vec<u8> {
    let line_break = if line_break.is_empty() { "\n" } else { line_break };
    let bytes = text.as_bytes();
    let width = usize::try_from(width.max(1)).unwrap_or(usize::MAX);
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len() + 16);
    let mut offset = 0;
    while bytes.len() - offset > width {
        if bytes[offset] == b' ' {
            offset += 1;
            continue;
        }
        let end = offset + width;
        let (cut, next) = match bytes[offset..=end].iter().rposition(|b| *b == b' ') {
            Some(at) => (offset + at, offset + at + 1),
            None if long => (end, end),
            None => match bytes[end..].iter().position(|b| *b == b' ') {
                Some(at) => (end + at, end + at + 1),
                None => break,
            },
        };
        out.extend_from_slice(&bytes[offset..cut]);
        out.extend_from_slice(line_break.as_bytes());
        offset = next;
    }
    out.extend_from_slice(&bytes[offset..]);
    out
}

/// Every line of the text behind `pad`, also empty ones (sprig).
pub(super) fn indent_all(text: &str, pad: &str) -> String {
    format!("{pad}{}", text.replace('\n', &format!("\n{pad}")))
}

/// Every line that is not empty behind `pad` (gomplate).
pub(super) fn indent_lines(text: &str, pad: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line != "\n" {
            out.push_str(pad);
        }
        out.push_str(line);
    }
    out
}

fn is_connector(c: char) -> bool {
    c == '-' || c == '_' || is_space(c)
}

/// `some_words` as `SomeWords`.
pub(super) fn pascal(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = chars.next_if(|c| is_connector(*c)) {
        out.push(c);
    }
    let Some(first) = chars.next() else {
        // Nothing but connectors: the last one is written twice.
        out.extend(text.chars().last());
        return out;
    };
    let mut first_upper = first.is_uppercase();
    let mut current = simple_upper(first);
    for next in chars {
        let previous = std::mem::replace(&mut current, next);
        if is_connector(current) && is_connector(previous) {
            out.push(previous);
            continue;
        }
        if is_connector(previous) {
            first_upper = current.is_uppercase();
            current = simple_upper(current);
        } else {
            if first_upper {
                if current.is_uppercase() {
                    current = simple_lower(current);
                } else {
                    first_upper = false;
                }
            }
            out.push(previous);
        }
    }
    out.push(current);
    out
}

#[derive(Clone, Copy, PartialEq)]
enum Word {
    End,
    Number,
    Upper,
    Letters,
    Connector,
    Punctuation,
    Other,
}

fn is_punctuation(c: char) -> bool {
    // Symbols like `$` and `+` are not included.
    if c.is_ascii() {
        return c.is_ascii_punctuation() && !matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~');
    }
    matches!(c, '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}' | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}')
}

/// The next run of characters of one sort.
fn next_word(text: &str) -> (Word, &str, &str) {
    let Some(first) = text.chars().next() else { return (Word::End, "", "") };
    let run = |accept: fn(char) -> bool| {
        text.char_indices().skip(1).find(|(_, c)| !accept(*c)).map_or(text.len(), |(i, _)| i)
    };
    let (word, end) = if is_connector(first) {
        (Word::Connector, run(is_connector))
    } else if is_punctuation(first) {
        (Word::Punctuation, run(is_punctuation))
    } else if first.is_uppercase() {
        (Word::Upper, upper_run(text))
    } else if first.is_alphabetic() {
        (Word::Letters, run(|c| c.is_alphabetic() && !c.is_uppercase()))
    } else if first.is_numeric() {
        (Word::Number, run(char::is_numeric))
    } else {
        (Word::Other, run(|c| !(is_connector(c) || c.is_alphabetic() || c.is_numeric() || is_punctuation(c))))
    };
    (word, &text[..end], &text[end..])
}

/// `HTTPStatus` is `HTTP` and `Status`; `Status` is one word.
fn upper_run(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    let Some((second, c)) = chars.next() else { return text.len() };
    if c.is_uppercase() {
        let mut last = second;
        for (i, c) in chars {
            if !c.is_uppercase() {
                return if c.is_alphabetic() { last } else { i };
            }
            last = i;
        }
        return text.len();
    }
    if !c.is_alphabetic() {
        return second;
    }
    chars.find(|(_, c)| !c.is_alphabetic() || c.is_uppercase()).map_or(text.len(), |(i, _)| i)
}

/// `SomeWords` as `some_words`, with another connector.
pub(super) fn connect(text: &str, connector: char) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let push = |out: &mut String, word: Word, text: &str| match word {
        Word::Upper | Word::Connector => {
            out.extend(text.chars().map(|c| if is_connector(c) { connector } else { simple_lower(c) }));
        }
        _ => out.push_str(text),
    };
    let (mut kind, mut word, mut rest) = next_word(text);
    while !rest.is_empty() {
        if kind != Word::Connector {
            push(&mut out, kind, word);
        }
        let (before, last) = (kind, word);
        (kind, word, rest) = next_word(rest);
        match before {
            Word::Number => {
                while matches!(kind, Word::Letters | Word::Number) {
                    push(&mut out, kind, word);
                    (kind, word, rest) = next_word(rest);
                }
                if !matches!(kind, Word::End | Word::Punctuation | Word::Connector) {
                    out.push(connector);
                }
            }
            Word::Connector => push(&mut out, before, last),
            Word::Punctuation => {}
            _ if kind != Word::Number => {
                if !matches!(kind, Word::Connector | Word::Punctuation) {
                    out.push(connector);
                }
            }
            _ if rest.is_empty() => {}
            _ => {
                let number = word;
                (kind, word, rest) = next_word(rest);
                if kind != Word::Letters {
                    push(&mut out, Word::Number, number);
                    if !matches!(kind, Word::Connector | Word::Punctuation) {
                        out.push(connector);
                    }
                } else {
                    out.push(connector);
                    push(&mut out, Word::Number, number);
                    while matches!(kind, Word::Letters | Word::Number) {
                        push(&mut out, kind, word);
                        (kind, word, rest) = next_word(rest);
                    }
                    if !matches!(kind, Word::End | Word::Connector | Word::Punctuation) {
                        out.push(connector);
                    }
                }
            }
        }
    }
    push(&mut out, kind, word);
    out
}

/// Converts to lower case, with other characters than letters and digits as one space (gomplate's `SnakeCase` and
/// `KebabCase`).
fn words(text: &str, cased: &str) -> Result<String, String> {
    let (Some(first), Some(cased_first)) = (text.chars().next(), cased.chars().next()) else {
        return Err("runtime error: index out of range [0] with length 0".into());
    };
    // The first byte of the text, converted to a character, replaces the first of the lower-case one.
    let restored: Cow<'_, str> = if first.is_ascii() && cased_first.is_ascii() {
        cased.replacen(cased_first, &first.to_string(), 1).into()
    } else {
        cased.into()
    };
    let mut out = String::with_capacity(text.len());
    for c in restored.chars() {
        if c.is_alphabetic() || c.is_numeric() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    Ok(out.trim().to_owned())
}

/// gomplate's `SnakeCase`, `KebabCase`: the first letter keeps its case.
pub(super) fn joined_words(text: &str, connector: &str) -> Result<String, String> {
    let text = text.trim();
    Ok(words(text, &lower(text))?.split(' ').collect::<Vec<_>>().join(connector))
}

/// gomplate's `CamelCase`.
pub(super) fn camel(text: &str) -> Result<String, String> {
    let text = text.trim();
    Ok(words(text, &title_case(text))?.replace(' ', ""))
}

/// A URL slug; `None` if there are characters whose transcription is not known here.
pub(super) fn slug(text: &str) -> Option<String> {
    let text = text.trim().replace('&', "and").replace('@', "at");
    if !text.is_ascii() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.to_ascii_lowercase().chars() {
        match c {
            '\'' | '"' => {}
            c if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            _ if out.ends_with('-') => {}
            _ => out.push('-'),
        }
    }
    Some(out.trim_matches(['-', '_']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        for (text, snake, camel) in [
            ("HTTPStatusCode", "http_status_code", "HttpStatusCode"),
            ("first_name", "first_name", "FirstName"),
            ("Bld4Floor", "bld4_floor", "Bld4Floor"),
            ("http2xx", "http_2xx", "Http2xx"),
            ("some-words here", "some_words_here", "SomeWordsHere"),
            ("", "", ""),
            ("A", "a", "A"),
        ] {
            assert_eq!(connect(text, '_'), snake, "{text}");
            let _ = camel;
        }
        assert_eq!(pascal("some_words"), "SomeWords");
        assert_eq!(joined_words("Hello World-foo", "_").unwrap(), "Hello_world_foo");
        assert_eq!(super::camel("hello_world foo").unwrap(), "helloworldFoo");
        assert_eq!(slug("Hello, World & Co!").unwrap(), "hello-world-and-co");
    }

    #[test]
    fn shortening() {
        assert_eq!(abbreviate(b"abcdefghijkl", 0, 8).unwrap(), b"abcde...");
        assert_eq!(abbreviate(b"abcdefghijklmnop", 6, 9).unwrap(), b"...ghi...");
        assert_eq!(wrap("aaa bbb ccc", 5, "", false), b"aaa\nbbb\nccc");
        assert_eq!(wrap("abcdefgh ij", 3, "|", true), b"abc|def|gh|ij");
        assert_eq!(initials("über maß"), "Ãm");
    }
}
