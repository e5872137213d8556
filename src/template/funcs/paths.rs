//! Slash-separated paths as Go's `path` treats them.

/// The last element; `.` for nothing, `/` for slashes only.
pub(super) fn base(path: &str) -> String {
    if path.is_empty() {
        return ".".into();
    }
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return "/".into();
    }
    trimmed.rsplit('/').next().unwrap_or(trimmed).to_owned()
}

/// All but the last element, cleaned.
pub(super) fn dir(path: &str) -> String {
    clean(split(path).0)
}

/// What is up to the last slash and what follows.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |i| i + 1))
}

/// From the last point of the last element on.
pub(super) fn ext(path: &str) -> String {
    let name = split(path).1;
    name.rfind('.').map_or_else(String::new, |i| name[i..].to_owned())
}

/// The shortest path that means the same.
pub(super) fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    match (rooted, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".into(),
        (false, false) => parts.join("/"),
    }
}

/// The elements that are not empty, joined and cleaned.
pub(super) fn join(parts: &[String]) -> String {
    let joined = parts.iter().filter(|p| !p.is_empty()).map(String::as_str).collect::<Vec<_>>().join("/");
    if joined.is_empty() { joined } else { clean(&joined) }
}

/// `filepath.Rel`.
pub(super) fn relative(from: &str, to: &str) -> Result<String, String> {
    let (base, target) = (clean(from), clean(to));
    if base == target {
        return Ok(".".into());
    }
    let base = if base == "." { String::new() } else { base };
    let fail = || Err(format!("Rel: can't make {to} relative to {from}"));
    if base.starts_with('/') != target.starts_with('/') {
        return fail();
    }
    let split = |p: &str| -> Vec<String> { p.split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect() };
    let (base, target) = (split(&base), split(&target));
    let target: Vec<String> = if target == ["."] { Vec::new() } else { target };
    let common = base.iter().zip(&target).take_while(|(a, b)| a == b).count();
    if base[common..].iter().any(|p| p == "..") {
        return fail();
    }
    let up = base.len() - common;
    let parts: Vec<&str> = std::iter::repeat_n("..", up).chain(target[common..].iter().map(String::as_str)).collect();
    Ok(parts.join("/"))
}

/// `path.Match`: `*`, `?`, `[a-z]`, `[^a]`, `\x`.
pub(super) fn matches(pattern: &str, name: &str) -> Result<bool, String> {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // Go reports a bad pattern only where it gets to, but always checks what follows a mismatch.
    check(&pattern)?;
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            None if n == name.len() => return Ok(true),
            None => None,
            Some('*') => {
                star = Some((p + 1, n));
                Some((p + 1, n))
            }
            Some(_) => name.get(n).and_then(|c| one(&pattern, p, *c)).map(|next| (next, n + 1)),
        };
        match (step, star) {
            (Some(next), _) => (p, n) = next,
            (None, Some((after, at))) if name.get(at).is_some_and(|c| *c != '/') => {
                star = Some((after, at + 1));
                (p, n) = (after, at + 1);
            }
            _ => return Ok(false),
        }
    }
}

fn check(pattern: &[char]) -> Result<(), String> {
    let mut i = 0;
    while i < pattern.len() {
        i = match pattern[i] {
            '[' => class_end(pattern, i).ok_or("syntax error in pattern")?,
            '\\' if i + 1 == pattern.len() => return Err("syntax error in pattern".into()),
            '\\' => i + 2,
            _ => i + 1,
        };
    }
    Ok(())
}

/// Where the class that starts at `i` ends (exclusive).
fn class_end(pattern: &[char], i: usize) -> Option<usize> {
    let mut at = i + 1;
    if pattern.get(at) == Some(&'^') {
        at += 1;
    }
    let mut count = 0;
    loop {
        if pattern.get(at)? == &']' && count > 0 {
            return Some(at + 1);
        }
        at = class_char(pattern, at)?.1;
        if pattern.get(at) == Some(&'-') {
            at = class_char(pattern, at + 1)?.1;
        }
        count += 1;
    }
}

fn class_char(pattern: &[char], at: usize) -> Option<(char, usize)> {
    match pattern.get(at)? {
        '-' | ']' => None,
        '\\' => Some((*pattern.get(at + 1)?, at + 2)),
        c => Some((*c, at + 1)),
    }
}

/// Where the pattern goes on if its element at `p` takes the character.
fn one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match pattern[p] {
        '?' => (c != '/').then_some(p + 1),
        '\\' => (pattern.get(p + 1) == Some(&c)).then_some(p + 2),
        '[' => {
            let end = class_end(pattern, p)?;
            let negated = pattern.get(p + 1) == Some(&'^');
            let mut at = p + 1 + usize::from(negated);
            let mut found = false;
            while at < end - 1 {
                let (low, next) = class_char(pattern, at)?;
                at = next;
                let mut high = low;
                if pattern.get(at) == Some(&'-') {
                    (high, at) = class_char(pattern, at + 1)?;
                }
                found |= (low..=high).contains(&c);
            }
            (found != negated).then_some(end)
        }
        other => (other == c).then_some(p + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert_eq!(
            [base(""), base("/"), base("a/b/"), dir("x"), dir("/a/b"), dir("a/b/")],
            [".", "/", "b", ".", "/a", "a/b"]
        );
        assert_eq!(
            [clean("a/../b/./c//d"), clean("../../x"), clean("/.."), ext("a.b/c"), ext("a/b.tar.gz")],
            ["b/c/d", "../../x", "/", "", ".gz"]
        );
        assert_eq!(relative("/a/b", "/a/c/d"), Ok("../c/d".into()));
    }

    #[test]
    fn patterns() {
        for (pattern, name, want) in [
            ("*.txt", "x.txt", true),
            ("a/*", "a/b/c", false),
            ("[^a-c]?", "dx", true),
            ("*a*b*", "xxaybz", true),
            ("\\*", "*", true),
        ] {
            assert_eq!(matches(pattern, name), Ok(want), "{pattern}");
        }
        assert!(matches("[", "x").is_err());
    }
}
