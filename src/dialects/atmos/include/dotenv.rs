//! Dotenv files, as the Go library godotenv reads them.

use std::collections::BTreeMap;

/// Reads a dotenv file: names with their text; a later line replaces an earlier one.
///
/// # Errors
/// A name with characters that no name has, or an open quote.
pub(super) fn parse(bytes: &[u8]) -> Result<BTreeMap<String, String>, String> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let mut values = BTreeMap::new();
    let mut rest = text.as_str();
    while let Some(start) = statement(rest) {
        let (key, tail) = name(start)?;
        let (value, tail) = value(tail, &values)?;
        values.insert(key, value);
        rest = tail;
    }
    Ok(values)
}

/// Spaces that do not end a line.
fn is_space(c: char) -> bool {
    matches!(c, '\t' | '\x0b' | '\x0c' | '\r' | ' ' | '\u{85}' | '\u{a0}')
}

fn statement(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start();
        if text.is_empty() {
            return None;
        }
        if !text.starts_with('#') {
            return Some(text);
        }
        text = &text[text.find('\n')?..];
    }
}

fn name(text: &str) -> Result<(String, &str), String> {
    let mut text = text.trim_start_matches(is_space);
    if let Some(tail) = text.strip_prefix("export")
        && tail.starts_with(is_space)
    {
        text = tail.trim_start_matches(is_space);
    }
    if text.is_empty() {
        return Err("zero length string".to_owned());
    }
    // Byte by byte: a letter of several bytes is judged by each of them.
    for (i, b) in text.bytes().enumerate() {
        match char::from(b) {
            '=' | ':' => return Ok((text[..i].trim_end().to_owned(), text[i + 1..].trim_start_matches(is_space))),
            '_' | '.' => {}
            c if is_space(c) || c.is_alphanumeric() => {}
            c => return Err(format!("unexpected character {:?} in variable name near {text:?}", c.to_string())),
        }
    }
    // Without a separator the whole rest is read as the value of an empty name.
    Ok((String::new(), text))
}

fn value<'a>(text: &'a str, known: &BTreeMap<String, String>) -> Result<(String, &'a str), String> {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        let end = text.find(['\n', '\r']).unwrap_or(text.len());
        return Ok((expand(bare(&text[..end]), known), &text[end..]));
    };
    let bytes = text.as_bytes();
    let close = (1..bytes.len()).find(|&i| bytes[i] == quote as u8 && bytes[i - 1] != b'\\');
    let Some(close) = close else {
        return Err(format!("unterminated quoted value {}", text.split('\n').next().unwrap_or_default()));
    };
    let inner = text[..close].trim_matches(quote);
    let value = if quote == '"' { expand(&unescape(inner), known) } else { inner.to_owned() };
    Ok((value, &text[close + 1..]))
}

/// An unquoted value without its comment; of several `#` after a space the last one counts first, so the scan goes left.
fn bare(line: &str) -> &str {
    let mut end = line.len();
    let mut before: Vec<(usize, char)> = line.char_indices().collect();
    while let Some((i, c)) = before.pop() {
        if c == '#' && before.last().is_some_and(|&(_, p)| is_space(p)) {
            end = i;
            break;
        }
    }
    line[..end].trim_matches(is_space)
}

/// Two passes: line breaks first, then every escape but `\$` loses its backslash.
fn unescape(text: &str) -> String {
    let mut first = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            first.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => first.push('\n'),
            Some('r') => first.push('\r'),
            Some(other) => first.extend([c, other]),
            None => first.push(c),
        }
    }
    let mut out = String::with_capacity(first.len());
    let mut chars = first.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&next)) if next != '$' => {
                out.push(next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

/// Replaces `$NAME`, `${NAME}` and the `$(NAME` of `$(NAME)`; `\$NAME` loses its backslash instead.
fn expand(text: &str, known: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        let escaped = rest[..dollar].ends_with('\\');
        let start = dollar - usize::from(escaped);
        out.push_str(&rest[..start]);
        let mut end = dollar + 1;
        let tail = |end: usize| rest[end..].chars().next();
        let call = tail(end) == Some('(');
        end += usize::from(call);
        end += usize::from(tail(end) == Some('{'));
        let from = end;
        while tail(end).is_some_and(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
            end += 1;
        }
        let name = &rest[from..end];
        end += usize::from(tail(end) == Some('}'));
        if escaped {
            out.push_str(&rest[start + 1..end]);
        } else if !name.is_empty() {
            out.push_str(known.get(name).map_or("", String::as_str));
        } else {
            out.push_str(&rest[start..end]);
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<String, String> {
        parse(text.as_bytes()).map(|m| m.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(";"))
    }

    #[test]
    fn lines() {
        for (text, want) in [
            ("A=1\r\nB=\"two words\"\n# c\nC='x y'\nexport D=d\nE=\nF=a#b", "A=1;B=two words;C=x y;D=d;E=;F=a#b"),
            ("A=x # c # d", "A=x # c"),
            ("A: yaml\nB.c = 2", "A=yaml;B.c=2"),
            ("A=1\nB=${A}$A-$C\\$A", "A=1;B=11-$A"),
            ("A=\"x\\ny\\t\\\"z\\\" \"", "A=x\nyt\"z\" "),
            ("A='$B\\n'", "A=$B\\n"),
            ("B=1\nA=\"$(B)\"", "A=1);B=1"),
        ] {
            assert_eq!(one(text).as_deref(), Ok(want), "{text}");
        }
        assert!(one("A-B=1").is_err() && one("A=\"x").is_err());
    }
}
