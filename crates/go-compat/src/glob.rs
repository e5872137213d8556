//! Patterns of the package `path`.

/// `path.Match`: `*`, `?`, `[a-z]`, `[^a]`, `\x`.
pub fn matches(pattern: &str, name: &str) -> Result<bool, String> {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // Go reports a bad pattern only where it reaches it, but always checks the rest after a mismatch.
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

/// Returns where the pattern continues if its element at `p` matches the character.
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
    use proptest::prelude::*;

    /// Tries every length for every star.
    fn matches_slowly(pattern: &[u8], name: &[u8]) -> bool {
        let Some((first, rest)) = pattern.split_first() else { return name.is_empty() };
        let takes = |c: &u8| if matches!(first, b'*' | b'?') { *c != b'/' } else { c == first };
        let next = name.split_first().filter(|(c, _)| takes(c)).map(|(_, after)| after);
        match first {
            b'*' => matches_slowly(rest, name) || next.is_some_and(|after| matches_slowly(pattern, after)),
            _ => next.is_some_and(|after| matches_slowly(rest, after)),
        }
    }

    proptest! {
        #[test]
        fn stars_take_what_they_can(pattern in "[ab/*?]{0,8}", name in "[ab/]{0,8}") {
            let slowly = matches_slowly(pattern.as_bytes(), name.as_bytes());
            prop_assert_eq!(matches(&pattern, &name), Ok(slowly), "{} {}", pattern, name);
        }
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
