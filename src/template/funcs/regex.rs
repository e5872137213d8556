//! Regular expressions in Go's syntax.

use regex::{NoExpand, Regex, RegexBuilder};

/// Compiles a pattern. What Go calls a digit, a word character or a space is ASCII.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(&translate(pattern)).size_limit(4 << 20).nest_limit(200).build().map_err(|error| {
        let text = error.to_string();
        let known = [("unclosed group", "missing closing ): "), ("unopened group", "unexpected ): ")];
        let why = known.iter().find(|k| text.contains(k.0)).map_or("", |k| k.1);
        format!("error parsing regexp: {why}`{pattern}`")
    })
}

/// Go's syntax in that of the crate.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    let mut class = 0usize;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => rest = escape(&mut out, rest, class > 0),
            '[' if class > 0 => match rest.strip_prefix(':').and_then(|r| r.find(":]")) {
                Some(end) => {
                    out.push('[');
                    out.push_str(&rest[..end + 3]);
                    rest = &rest[end + 3..];
                }
                None => out.push_str("\\["),
            },
            '[' => {
                class = 1;
                out.push('[');
                if let Some(after) = rest.strip_prefix('^') {
                    out.push('^');
                    rest = after;
                }
                if let Some(after) = rest.strip_prefix(']') {
                    out.push_str("\\]");
                    rest = after;
                }
            }
            ']' if class > 0 => {
                class = 0;
                out.push(']');
            }
            '&' | '~' if class > 0 => {
                out.push('\\');
                out.push(c);
            }
            '{' if class == 0 && !is_repetition(rest) => out.push_str("\\{"),
            c => out.push(c),
        }
    }
    out
}

fn is_repetition(rest: &str) -> bool {
    let Some((inner, _)) = rest.split_once('}') else { return false };
    let (min, max) = inner.split_once(',').unwrap_or((inner, "0"));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    !min.is_empty() && digits(min) && digits(max)
}

fn escape<'a>(out: &mut String, rest: &'a str, in_class: bool) -> &'a str {
    let Some(c) = rest.chars().next() else {
        out.push('\\');
        return rest;
    };
    let after = &rest[c.len_utf8()..];
    match (c, in_class) {
        ('d', false) => out.push_str("[0-9]"),
        ('d', true) => out.push_str("0-9"),
        ('D', _) => out.push_str("[^0-9]"),
        ('w', false) => out.push_str("[0-9A-Za-z_]"),
        ('w', true) => out.push_str("0-9A-Za-z_"),
        ('W', _) => out.push_str("[^0-9A-Za-z_]"),
        ('s', false) => out.push_str("[\\t\\n\\f\\r ]"),
        ('s', true) => out.push_str("\\t\\n\\f\\r "),
        ('S', _) => out.push_str("[^\\t\\n\\f\\r ]"),
        ('b', false) => out.push_str("(?-u:\\b)"),
        ('B', false) => out.push_str("(?-u:\\B)"),
        ('Q', false) => {
            let (literal, after) = after.split_once("\\E").unwrap_or((after, ""));
            out.push_str(&regex::escape(literal));
            return after;
        }
        _ => {
            out.push('\\');
            out.push(c);
        }
    }
    after
}

/// The first match, or nothing.
pub(super) fn find(pattern: &str, text: &str) -> Result<String, String> {
    Ok(compile(pattern)?.find(text).map_or_else(String::new, |m| m.as_str().to_owned()))
}

fn limit(count: i64) -> usize {
    if count < 0 { usize::MAX } else { usize::try_from(count).unwrap_or(usize::MAX) }
}

/// The first `count` matches, all if it is negative.
pub(super) fn find_all(pattern: &str, text: &str, count: i64) -> Result<Vec<String>, String> {
    Ok(compile(pattern)?.find_iter(text).take(limit(count)).map(|m| m.as_str().to_owned()).collect())
}

/// Compiles a pattern for a replacement, unless the result would be huge.
fn bounded(pattern: &str, text: &str, with: &str) -> Result<Regex, String> {
    let regex = compile(pattern)?;
    // A group can be as long as the text, and a replacement can name it in every third byte.
    let groups = with.matches('$').count();
    let longest = regex.find_iter(text).map(|m| m.len()).max().unwrap_or(0);
    let length = with.len().saturating_add(groups.saturating_mul(longest));
    if super::call::affordable(text.len(), regex.find_iter(text).count(), length) {
        return Ok(regex);
    }
    Err("the result of the replacement is too long".into())
}

/// Replaces every match; `$1` and `${name}` refer to groups.
pub(super) fn replace(pattern: &str, text: &str, with: &str) -> Result<String, String> {
    let regex = bounded(pattern, text, with)?;
    Ok(regex.replace_all(text, with).into_owned())
}

/// Every match replaced by the text as it is.
pub(super) fn replace_literal(pattern: &str, text: &str, with: &str) -> Result<String, String> {
    let regex = bounded(pattern, text, with)?;
    Ok(regex.replace_all(text, NoExpand(with)).into_owned())
}

/// The parts between the matches, `count` at most unless it is negative.
pub(super) fn split(pattern: &str, text: &str, count: i64) -> Result<Vec<String>, String> {
    let regex = compile(pattern)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    if !pattern.is_empty() && text.is_empty() {
        return Ok(vec![String::new()]);
    }
    let mut parts = Vec::new();
    let (mut begin, mut end) = (0, 0);
    for found in regex.find_iter(text).take(limit(count)) {
        if count > 0 && parts.len() + 1 == limit(count) {
            break;
        }
        end = found.start();
        if found.end() != 0 {
            parts.push(text[begin..end].to_owned());
        }
        begin = found.end();
    }
    if end != text.len() {
        parts.push(text[begin..].to_owned());
    }
    Ok(parts)
}

/// `regexp.QuoteMeta`.
pub(super) fn quote_meta(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax() {
        for (pattern, text, want) in [
            (r"\d+", "٣4", "4"),
            (r"[\w-]+", "é a-b_", "a-b_"),
            (r"[]a]+", "x]a", "]a"),
            (r"[[:alpha:]&&]+", "a&&", "a&&"),
            (r"a{,2}", "a{,2}", "a{,2}"),
            (r"\Qa.b\E", "axb a.b", "a.b"),
            (r"[a[b]+", "[b", "[b"),
            (r"x{2}", "xxx", "xx"),
        ] {
            assert_eq!(find(pattern, text).unwrap(), want, "{pattern}");
        }
        assert!(compile("(").is_err());
        assert_eq!(split(",", "a,b,c", 2).unwrap(), ["a", "b,c"]);
        assert_eq!(split("", "ab", -1).unwrap(), ["a", "b"]);
        assert_eq!(replace("(a)(b)", "xaby", "$2$1-$x").unwrap(), "xba-y");
    }
}
