//! Functions with regular expressions in Go's syntax.

pub(super) use go_compat::regexp::compile;
use regex::{NoExpand, Regex};

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
    fn matches_are_split_and_replaced() {
        assert_eq!(find(r"\d+", "a12b").unwrap(), "12");
        assert_eq!(split(",", "a,b,c", 2).unwrap(), ["a", "b,c"]);
        assert_eq!(split("", "ab", -1).unwrap(), ["a", "b"]);
        assert_eq!(replace("(a)(b)", "xaby", "$2$1-$x").unwrap(), "xba-y");
    }
}
