//! Regular expressions in Go's syntax (`regexp/syntax`), compiled by the crate `regex`.

use regex::{Regex, RegexBuilder};

/// Compiles a pattern. What Go calls a digit, a word character or a space is ASCII.
pub fn compile(pattern: &str) -> Result<Regex, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_of_go() {
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
            assert_eq!(compile(pattern).unwrap().find(text).unwrap().as_str(), want, "{pattern}");
        }
        assert_eq!(compile("(").unwrap_err(), "error parsing regexp: missing closing ): `(`");
    }
}
