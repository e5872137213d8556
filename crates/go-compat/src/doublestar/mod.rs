//! Path patterns as deployment tools written in Go read them (the `doublestar` library).
//!
//! | pattern | matches |
//! | --- | --- |
//! | `*` | any run of characters except `/` |
//! | `**` as a whole path segment | any number of segments, also none |
//! | `?` | one character (not one byte) except `/` |
//! | `[a-z]`, `[^a-z]`, `[!a-z]` | one character of a class |
//! | `{a,b}` | either alternative; alternatives may nest and may hold `/` |
//! | `\c` | the character `c` itself |
//!
//! Dot files are nothing special. Whether a pattern is malformed is noticed by [`Glob::new`]; [`path_match`] notices it
//! as late as that library does, which matters where a late error changes what a stack list contains.
//!
//! Matching is greedy with one point of return per kind of star, exactly like the original: a few odd patterns (a class
//! that swallows a `/` behind a star) match less than a textbook matcher would, and users see the same here.

use std::rc::Rc;

/// The maximum number of combinations of alternatives in a pattern.
const MAX_ALTERNATIVES: u64 = 4096;
/// Longest pattern, in bytes; no path is longer than that on the systems that matter.
const MAX_PATTERN: usize = 4096;
/// Elementary steps one match may take.
const MAX_STEPS: usize = 1 << 20;

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// An open class, an open or stray brace, or a trailing backslash.
    #[error("malformed pattern `{0}`: close every `[` and `{{`, and put a character after a `\\`")]
    Malformed(Box<str>),
    /// Valid, but standing for more combinations than is reasonable.
    #[error("pattern `{0}` is too complex here: use fewer alternatives, and no links between folders that lead back")]
    TooComplex(Box<str>),
}

/// A checked pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    pattern: Box<str>,
}

impl Glob {
    /// Checks `pattern` as a whole.
    pub fn new(pattern: &str) -> Result<Self, BadPattern> {
        if !is_valid(pattern.as_bytes()) {
            return Err(BadPattern::Malformed(pattern.into()));
        }
        check_size(pattern)?;
        Ok(Self { pattern: pattern.into() })
    }

    /// Whether `path` (separated by `/`) matches as a whole.
    pub fn matches(&self, path: &str) -> bool {
        path_match(&self.pattern, path).unwrap_or(false)
    }

    /// The text this was made from.
    pub fn as_str(&self) -> &str {
        &self.pattern
    }
}

/// Matches `path` against a pattern that was not checked before.
///
/// A malformed pattern is an error only when matching runs into the malformed part, or fails before it.
pub fn path_match(pattern: &str, path: &str) -> Result<bool, BadPattern> {
    check_size(pattern)?;
    run(pattern, path, true).map_err(|fault| fault.into_error(pattern))
}

/// Like [`path_match`], but what is behind the point of failure is not examined.
pub fn segment_match(pattern: &str, name: &str) -> Result<bool, BadPattern> {
    run(pattern, name, false).map_err(|fault| fault.into_error(pattern))
}

/// Checks the number of alternatives in a pattern.
pub fn check_size(pattern: &str) -> Result<(), BadPattern> {
    // One level per open brace: combinations of the current alternative, and the sum of those before it.
    let mut levels = vec![(1u64, 0u64)];
    let mut bytes = pattern.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'{' => levels.push((1, 0)),
            b',' if levels.len() > 1 => {
                if let Some((product, sum)) = levels.last_mut() {
                    *sum = sum.saturating_add(*product);
                    *product = 1;
                }
            }
            b'}' if levels.len() > 1 => {
                let (product, sum) = levels.pop().unwrap_or((1, 0));
                if let Some(outer) = levels.last_mut() {
                    outer.0 = outer.0.saturating_mul(product.saturating_add(sum));
                }
            }
            _ => {}
        }
    }
    let combinations = levels.first().map_or(1, |level| level.0);
    if pattern.len() > MAX_PATTERN || combinations > MAX_ALTERNATIVES {
        return Err(BadPattern::TooComplex(pattern.into()));
    }
    Ok(())
}

/// Whether classes and braces are closed and nothing ends in a backslash.
pub fn is_valid(pattern: &[u8]) -> bool {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'\\' => {
                at += 1;
                if at >= pattern.len() {
                    return false;
                }
            }
            b'[' => match class_end(pattern, at + 1) {
                Some(end) => at = end,
                None => return false,
            },
            b'{' => depth += 1,
            b'}' if depth == 0 => return false,
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    depth == 0
}

/// Where the class whose first byte is at `at` closes; `None` when it is empty or open.
fn class_end(pattern: &[u8], mut at: usize) -> Option<usize> {
    if matches!(pattern.get(at), Some(b'^' | b'!')) {
        at += 1;
    }
    if pattern.get(at) == Some(&b']') {
        return None;
    }
    find(pattern, at, |byte, _| byte == b']')
}

/// First unescaped byte from `at` on for which `wanted(byte, braces open)` holds. A closing brace is asked about before
/// it is counted.
fn find(pattern: &[u8], mut at: usize, wanted: impl Fn(u8, usize) -> bool) -> Option<usize> {
    let mut depth = 0usize;
    while let Some(&byte) = pattern.get(at) {
        if byte == b'\\' {
            at += 1;
        } else if wanted(byte, depth) {
            return Some(at);
        } else if byte == b'{' {
            depth += 1;
        } else if byte == b'}' {
            depth = depth.saturating_sub(1);
        }
        at += 1;
    }
    None
}

/// Where the brace group whose first byte is at `at` closes.
pub fn group_end(pattern: &[u8], at: usize) -> Option<usize> {
    find(pattern, at, |byte, depth| byte == b'}' && depth == 0)
}

/// The comma that ends the alternative starting at `at` in a group that closes at `end`.
pub fn next_comma(pattern: &[u8], at: usize, end: usize) -> Option<usize> {
    find(pattern.get(..end)?, at, |byte, depth| byte == b',' && depth == 0)
}

/// Why a match came to no answer.
enum Fault {
    Malformed,
    Exhausted,
}

impl Fault {
    fn into_error(self, pattern: &str) -> BadPattern {
        match self {
            Self::Malformed => BadPattern::Malformed(pattern.into()),
            Self::Exhausted => BadPattern::TooComplex(pattern.into()),
        }
    }
}

/// A position to continue from: offsets in the pattern and in the path.
#[derive(Clone, Copy, Default)]
struct Place {
    pattern: usize,
    path: usize,
}

/// One attempt: a pattern whose braces before `at` are replaced by a choice.
struct Attempt {
    pattern: Rc<str>,
    at: Place,
    star: Option<Place>,
    globstar: Option<Place>,
}

/// A brace group, and how many of its alternatives are still to be tried.
struct Group {
    before: Attempt,
    next: usize,
    end: usize,
}

enum Task {
    Try(Attempt),
    Choose(Group),
}

/// The result of an attempt.
enum Outcome {
    Yes,
    No,
    Choose(Group),
}

fn run(pattern: &str, path: &str, validate: bool) -> Result<bool, Fault> {
    let first = Attempt { pattern: pattern.into(), at: Place::default(), star: None, globstar: None };
    let mut steps = MAX_STEPS;
    // A stack of work instead of recursion: the depth is the pattern's choice.
    let mut tasks = vec![Task::Try(first)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Try(attempt) => match attempt.run(path, validate, &mut steps)? {
                Outcome::Yes => return Ok(true),
                Outcome::No => {}
                Outcome::Choose(group) => tasks.push(Task::Choose(group)),
            },
            Task::Choose(mut group) => {
                steps = steps.checked_sub(group.before.pattern.len()).ok_or(Fault::Exhausted)?;
                let before = &group.before;
                let (pattern, rest) = substitute(&before.pattern, before.at.pattern, group.next, group.end);
                let attempt =
                    Attempt { pattern: pattern.into(), at: before.at, star: before.star, globstar: before.globstar };
                if let Some(next) = rest {
                    group.next = next;
                    tasks.push(Task::Choose(group));
                }
                tasks.push(Task::Try(attempt));
            }
        }
    }
    Ok(false)
}

/// Replaces the group opening at `open` and closing at `end` by its alternative that starts at `from`; also returns
/// where the next alternative starts.
fn substitute(pattern: &str, open: usize, from: usize, end: usize) -> (String, Option<usize>) {
    let comma = next_comma(pattern.as_bytes(), from, end);
    let chosen = &pattern[from..comma.unwrap_or(end)];
    ([&pattern[..open], chosen, &pattern[end + 1..]].concat(), comma.map(|at| at + 1))
}

/// The character at `at` and its length; a replacement character of length 0 behind the end.
fn char_at(text: &str, at: usize) -> (char, usize) {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(('\u{FFFD}', 0), |c| (c, c.len_utf8()))
}

impl Attempt {
    fn run(mut self, path: &str, validate: bool, steps: &mut usize) -> Result<Outcome, Fault> {
        let pattern = Rc::clone(&self.pattern);
        let bytes = pattern.as_bytes();
        // Also true when a choice continues in the middle of a segment: `a{**,b}/c` has a working `**`.
        let mut segment_start = true;
        while self.at.path < path.len() {
            *steps = steps.checked_sub(1).ok_or(Fault::Exhausted)?;
            let (c, c_len) = char_at(path, self.at.path);
            match bytes.get(self.at.pattern) {
                Some(b'*') => {
                    self.at.pattern += 1;
                    if bytes.get(self.at.pattern) == Some(&b'*') {
                        self.at.pattern += 1;
                        match bytes.get(self.at.pattern) {
                            None if segment_start => return Ok(Outcome::Yes),
                            Some(b'/') if segment_start => {
                                self.at.pattern += 1;
                                self.globstar = Some(self.at);
                                self.star = None;
                                continue;
                            }
                            _ => {}
                        }
                    }
                    segment_start = false;
                    self.star = Some(self.at);
                    continue;
                }
                Some(b'?') => {
                    segment_start = false;
                    if c != '/' {
                        self.at.pattern += 1;
                        self.at.path += c_len;
                        continue;
                    }
                }
                Some(b'[') => {
                    segment_start = false;
                    let (end, matched) = class(&pattern, self.at.pattern + 1, c)?;
                    self.at.pattern = end;
                    if matched {
                        self.at.path += c_len;
                        continue;
                    }
                }
                Some(b'{') => {
                    let next = self.at.pattern + 1;
                    let end = group_end(bytes, next).ok_or(Fault::Malformed)?;
                    return Ok(Outcome::Choose(Group { before: self, next, end }));
                }
                Some(&byte) => {
                    if byte == b'\\' {
                        self.at.pattern += 1;
                        if self.at.pattern >= bytes.len() {
                            return Err(Fault::Malformed);
                        }
                    }
                    let (wanted, len) = char_at(&pattern, self.at.pattern);
                    if wanted == c {
                        self.at.pattern += len;
                        self.at.path += c_len;
                        segment_start = wanted == '/';
                        continue;
                    }
                    // The rest is checked for faults below, and the escape belongs to it.
                    if self.at.pattern > 0 && bytes[self.at.pattern - 1] == b'\\' {
                        self.at.pattern -= 1;
                    }
                }
                None => {}
            }
            match self.backtrack(path) {
                Some(start) => segment_start = start,
                None if !validate || is_valid(&bytes[self.at.pattern.min(bytes.len())..]) => return Ok(Outcome::No),
                None => return Err(Fault::Malformed),
            }
        }
        matches_nothing(pattern.get(self.at.pattern..).unwrap_or(""), validate, steps).map(|yes| match yes {
            true => Outcome::Yes,
            false => Outcome::No,
        })
    }

    /// Extends the match of the latest star by one character, or of the latest `**` by one segment; returns whether the
    /// pattern then continues at the start of a segment. `None` if there is nothing left to try.
    fn backtrack(&mut self, path: &str) -> Option<bool> {
        if let Some(star) = &mut self.star {
            let (c, len) = char_at(path, star.path);
            if c != '/' {
                star.path += len;
                self.at = *star;
                return Some(false);
            }
        }
        let globstar = self.globstar.as_mut()?;
        let slash = path.as_bytes().get(globstar.path..)?.iter().position(|&byte| byte == b'/')?;
        globstar.path += slash + 1;
        // Nothing is left of the path: only what matches nothing can follow, and that is asked at the end.
        self.at = *globstar;
        Some(true)
    }
}

/// Matches `c` against the class whose first byte is at `at`. Returns where to continue: behind the class after a
/// match, otherwise inside of it (only used to find errors in the rest).
fn class(pattern: &str, mut at: usize, c: char) -> Result<(usize, bool), Fault> {
    let bytes = pattern.as_bytes();
    let negated = matches!(bytes.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    if matches!(bytes.get(at), None | Some(b']')) {
        return Err(Fault::Malformed);
    }
    let mut found = false;
    let mut low: Option<char> = None;
    while bytes.get(at).is_some_and(|&byte| byte != b']') {
        let (mut member, mut len) = char_at(pattern, at);
        at += len;
        if let (Some(first), '-', Some(&next)) = (low, member, bytes.get(at))
            && next != b']'
        {
            at += usize::from(next == b'\\');
            let (last, len) = char_at(pattern, at);
            at += len;
            if first <= c && c <= last {
                found = true;
                break;
            }
            low = None;
            continue;
        }
        if member == '\\' {
            (member, len) = char_at(pattern, at);
            at += len;
        }
        if member == c {
            found = true;
            break;
        }
        low = Some(member).filter(|&member| member != char::MAX);
    }
    if found == negated {
        return if at >= bytes.len() { Err(Fault::Malformed) } else { Ok((at, false)) };
    }
    let end = find(bytes, at, |byte, _| byte == b']').ok_or(Fault::Malformed)?;
    Ok((end + 1, true))
}

/// Whether a pattern (the rest of one) matches the empty string.
fn matches_nothing(pattern: &str, validate: bool, steps: &mut usize) -> Result<bool, Fault> {
    let mut open = vec![(pattern.to_owned(), None)];
    while let Some((pattern, choice)) = open.pop() {
        let bytes = pattern.as_bytes();
        *steps = steps.checked_sub(bytes.len() + 1).ok_or(Fault::Exhausted)?;
        if let Some((from, end)) = choice {
            let (chosen, next) = substitute(&pattern, 0, from, end);
            if let Some(next) = next {
                open.push((pattern, Some((next, end))));
            }
            open.push((chosen, None));
        } else if matches!(pattern.as_str(), "" | "*" | "**" | "/**" | "**/" | "/**/") {
            return Ok(true);
        } else if bytes[0] == b'{' {
            let end = group_end(bytes, 1).ok_or(Fault::Malformed)?;
            open.push((pattern, Some((1, end))));
        } else if validate && !is_valid(bytes) {
            return Err(Fault::Malformed);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
