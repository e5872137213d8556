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

/// How much work it is to compile a pattern: about the number of instructions of its program.
pub fn cost(pattern: &str) -> usize {
    /// What the largest program costs that is compiled.
    const MOST: usize = 100_000;
    let mut open = vec![0usize];
    let (mut rest, mut last) = (pattern, 0usize);
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let atom = match c {
            '\\' => {
                let escaped = rest.chars().next();
                rest = &rest[escaped.map_or(0, char::len_utf8)..];
                if matches!(escaped, Some('p' | 'P')) { 500 } else { 1 }
            }
            '(' => {
                open.push(0);
                0
            }
            ')' if open.len() > 1 => open.pop().unwrap_or(0).saturating_add(2),
            '{' if is_repetition(rest) => {
                let (count, after) = rest.split_once('}').unwrap_or((rest, ""));
                let (min, max) = count.split_once(',').unwrap_or((count, "0"));
                let times = |text: &str| text.parse::<usize>().unwrap_or(if text.is_empty() { 0 } else { MOST });
                rest = after;
                let whole = last.saturating_mul(times(min).max(times(max)).max(1));
                std::mem::replace(&mut last, whole).abs_diff(whole)
            }
            _ => 1,
        };
        last = if c == '{' { last } else { atom };
        if let Some(group) = open.last_mut() {
            *group = group.saturating_add(atom).min(MOST);
        }
    }
    open.iter().fold(0, |sum: usize, group| sum.saturating_add(*group)).min(MOST)
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
    fn work_grows_with_repetitions() {
        for (pattern, expected) in [
            ("abc", 3),
            ("a{3}", 3),
            ("(ab){0,3}", 12),
            ("(a{0,200}){0,100}b", 20_201),
            ("a{,2}", 5),
            (r"\{5}", 3),
            ("a{9999999999}", 100_000),
            ("((((a{1000}){1000}){1000}", 100_000),
            (")(", 1),
        ] {
            assert_eq!(cost(pattern), expected, "{pattern}");
        }
    }

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
