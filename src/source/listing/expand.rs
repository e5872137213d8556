//! Expanding a path pattern over a listing, in the order the original returns paths.
//!
//! The original has two strategies: patterns with a `**` before their end are walked, the others are split from the
//! right. They differ in order and in how alternatives are merged, so both are here.

use super::{Child, Listing, Node};
use crate::paths::{join, resolve};
use go_compat::doublestar::{BadPattern, check_size, group_end, is_valid, next_comma, segment_match};

/// The maximum number of steps (entries of directories, segments of paths) of one expansion, in addition to some for
/// each entry. Only links to parent folders can reach it.
const MAX_VISITS: usize = 400_000;
const VISITS_PER_ENTRY: usize = 32;
/// Most segments and alternatives of a pattern; bounds recursion.
const MAX_SEGMENTS: usize = 200;

/// All paths of `listing` that match `pattern` (relative to the repository root), directories included.
///
/// Symbolic links are followed inside the repository, so a result can be a path without an entry ([`Listing::resolve`]
/// returns the entry). Directories exist if there are entries below them. A pattern without any special character
/// returns the path itself if it exists. A pattern whose fixed prefix leaves the repository matches nothing. The
/// repository root itself is called `.`.
pub(crate) fn expand(listing: &Listing, pattern: &str) -> Result<Vec<String>, BadPattern> {
    let (base, rest) = split(pattern);
    if !is_valid(rest.as_bytes()) {
        return Err(BadPattern::Malformed(pattern.into()));
    }
    check_size(pattern)?;
    let complex = || BadPattern::TooComplex(pattern.into());
    if rest.bytes().filter(|byte| matches!(byte, b'/' | b'{' | b',')).count() > MAX_SEGMENTS {
        return Err(complex());
    }
    let Some(base) = clean(&unescape(base)) else { return Ok(Vec::new()) };
    let mut expansion = Expansion { listing, base, visits: MAX_VISITS + VISITS_PER_ENTRY * listing.len() };
    let found = if has_inner_globstar(rest.as_bytes()) {
        expansion.walk(rest, true)
    } else {
        expansion.split_from_right(rest, Vec::new(), true)
    };
    let found = found.map_err(|fault| match fault {
        Fault::Pattern(error) => error,
        Fault::Exhausted => complex(),
    })?;
    Ok(found.iter().filter_map(|path| clean(&join(&expansion.base, path))).collect())
}

/// Splits at the last `/` before the first special character: the directory to start in, and the pattern below it.
fn split(pattern: &str) -> (&str, &str) {
    let special = special_at(pattern.as_bytes()).unwrap_or(pattern.len());
    let mut slash = None;
    let mut bytes = pattern[..special].bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'/' => slash = Some(at),
            _ => {}
        }
    }
    match slash {
        Some(0) => ("/", &pattern[1..]),
        Some(at) => (&pattern[..at], &pattern[at + 1..]),
        None => (".", pattern),
    }
}

/// Removes `.`, `..` and empty segments; `None` when the path is absolute or leaves the root. The root is `.`.
fn clean(path: &str) -> Option<String> {
    resolve("", path).map(|path| if path.is_empty() { ".".to_owned() } else { path })
}

/// First unescaped special character.
fn special_at(pattern: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = pattern.get(at) {
        match byte {
            b'*' | b'?' | b'[' | b'{' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// Whether `**` occurs anywhere but at the very end.
fn has_inner_globstar(pattern: &[u8]) -> bool {
    let mut at = 0;
    while at + 3 < pattern.len() {
        match &pattern[at..at + 2] {
            [b'\\', _] => at += 2,
            b"**" => return true,
            _ => at += 1,
        }
    }
    false
}

/// The last byte of `wanted` that has no backslash right before it.
fn last_of(pattern: &str, wanted: &[u8]) -> Option<usize> {
    let bytes = pattern.as_bytes();
    (0..bytes.len()).rev().find(|&at| wanted.contains(&bytes[at]) && (at == 0 || bytes[at - 1] != b'\\'))
}

/// The brace that opens the group whose closing brace directly follows `pattern`.
fn group_start(pattern: &str) -> Option<usize> {
    let bytes = pattern.as_bytes();
    let mut depth = 0usize;
    for at in (0..bytes.len()).rev() {
        let escaped = at > 0 && bytes[at - 1] == b'\\';
        match bytes[at] {
            b'}' if !escaped => depth += 1,
            b'{' if !escaped && depth == 0 => return Some(at),
            b'{' if !escaped => depth -= 1,
            _ => {}
        }
    }
    None
}

fn escape(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        if "*?[]{}".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Undoes [`escape`]; a backslash before anything else stays.
fn unescape(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match rest.peek() {
            Some(&next) if c == '\\' && "*?[]{}".contains(next) => {
                plain.push(next);
                rest.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

/// How the last segment of a pattern relates to what comes before it.
enum Cut<'p> {
    /// No special character at all.
    Plain,
    /// A directory without special characters, and the last segment.
    Fixed(&'p str, &'p str),
    /// A directory pattern, and the last segment.
    Nested(&'p str, &'p str),
    /// The pattern ends in a brace group, or only has text without `/` behind its last one.
    Group(Group<'p>),
}

/// The last brace group of a pattern.
struct Group<'p> {
    pattern: &'p str,
    /// Directory pattern before the segment the group is in.
    dir: Option<&'p str>,
    /// Where that segment starts.
    start: usize,
    open: usize,
    close: usize,
}

impl Group<'_> {
    /// Returns the patterns for all alternatives, below `dir`. An empty last alternative is ignored.
    fn alternatives(&self, dir: &str) -> Vec<String> {
        let mut patterns = Vec::new();
        let mut from = self.open + 1;
        while from < self.close {
            let to = next_comma(self.pattern.as_bytes(), from, self.close).unwrap_or(self.close);
            let prefix = if dir.is_empty() || dir == "." { String::new() } else { format!("{}/", escape(dir)) };
            let [before, chosen] = [&self.pattern[self.start..self.open], &self.pattern[from..to]];
            patterns.push([&prefix, before, chosen, &self.pattern[self.close + 1..]].concat());
            from = to + 1;
        }
        patterns
    }
}

fn cut(pattern: &str) -> Cut<'_> {
    let Some(special) = special_at(pattern.as_bytes()) else { return Cut::Plain };
    let mut at = last_of(pattern, b"/}");
    if let Some(close) = at.filter(|&at| pattern.as_bytes()[at] == b'}') {
        match group_start(&pattern[..close]) {
            Some(open) if group_end(pattern.as_bytes(), open + 1).is_some() => {
                let slash = last_of(&pattern[..open], b"/}").filter(|&at| pattern.as_bytes()[at] == b'/');
                let dir = slash.map(|at| &pattern[..at]);
                return Cut::Group(Group { pattern, dir, start: slash.map_or(0, |at| at + 1), open, close });
            }
            _ => at = last_of(&pattern[..close], b"/"),
        }
    }
    match at {
        None => Cut::Fixed(".", pattern),
        Some(at) if at <= special => Cut::Fixed(&pattern[..at], &pattern[at + 1..]),
        Some(at) => Cut::Nested(&pattern[..at], &pattern[at + 1..]),
    }
}

/// Why an expansion came to no answer.
enum Fault {
    Pattern(BadPattern),
    /// It examined more entries than it may.
    Exhausted,
}

type Paths = Result<Vec<String>, Fault>;

struct Expansion<'a> {
    listing: &'a Listing,
    /// The directory all paths below are relative to.
    base: String,
    visits: usize,
}

impl Expansion<'_> {
    /// Patterns without a `**` before the end. `found` holds what earlier alternatives found; the original also looks
    /// for the last segment below those, so this does too.
    fn split_from_right(&mut self, pattern: &str, mut found: Vec<String>, files: bool) -> Paths {
        match cut(pattern) {
            Cut::Plain => found.extend(self.existing(pattern)?),
            Cut::Fixed(dir, last) => found.extend(self.in_dir(&unescape(dir), last, files)?),
            Cut::Nested(dir, last) => {
                let dirs = self.split_from_right(dir, found.clone(), false)?;
                for dir in dirs {
                    found.extend(self.in_dir(&dir, last, files)?);
                }
            }
            Cut::Group(group) => {
                let dirs = match group.dir {
                    Some(dir) => self.split_from_right(dir, found.clone(), false)?,
                    None => vec![String::new()],
                };
                for dir in dirs {
                    let first = found.len();
                    for alternative in group.alternatives(&dir) {
                        let latest = found.len();
                        found = self.split_from_right(&alternative, found, files)?;
                        if first != latest && latest != found.len() {
                            self.visits = self.visits.checked_sub(found.len()).ok_or(Fault::Exhausted)?;
                            merge(&mut found, first, latest);
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    /// Patterns with a `**` before the end.
    fn walk(&mut self, pattern: &str, files: bool) -> Paths {
        match cut(pattern) {
            Cut::Plain => Ok(self.existing(pattern)?.into_iter().collect()),
            Cut::Fixed(dir, last) => self.in_dir(&unescape(dir), last, files),
            Cut::Nested(dir, last) => {
                let mut found = Vec::new();
                for dir in self.walk(dir, false)? {
                    found.extend(self.in_dir(&dir, last, files)?);
                }
                Ok(found)
            }
            Cut::Group(group) => {
                let dirs = match group.dir {
                    Some(dir) => self.walk(dir, false)?,
                    None => vec![String::new()],
                };
                let mut found: Vec<String> = Vec::new();
                for dir in dirs {
                    for alternative in group.alternatives(&dir) {
                        found.extend(self.walk(&alternative, files)?);
                    }
                }
                found.sort_unstable();
                found.dedup();
                Ok(found)
            }
        }
    }

    /// The path a pattern without special characters names, if it exists.
    fn existing(&mut self, pattern: &str) -> Result<Option<String>, Fault> {
        let path = unescape(pattern);
        let name = if path.len() > 1 { path.strip_suffix('/').unwrap_or(&path) } else { &path };
        Ok(self.node(name)?.map(|_| path.clone()))
    }

    /// Looks up a path below the base; `None` also for paths with `.`, `..` or empty segments.
    fn node(&mut self, path: &str) -> Result<Option<Node<'_>>, Fault> {
        let segments = 1 + path.bytes().filter(|&byte| byte == b'/').count();
        self.visits = self.visits.checked_sub(segments).ok_or(Fault::Exhausted)?;
        if path != "." && path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Ok(None);
        }
        Ok(self.listing.lookup(&join(&self.base, path)).ok())
    }

    fn is_dir(&mut self, path: &str) -> Result<bool, Fault> {
        Ok(matches!(self.node(path)?, Some(Node::Dir(_))))
    }

    /// Returns the entries of a directory by name, or `None` if it is not a directory.
    fn children(&mut self, dir: &str) -> Result<Option<Vec<(String, Child)>>, Fault> {
        let Some(Node::Dir(real)) = self.node(dir)? else { return Ok(None) };
        let children = self.listing.children(&real);
        self.visits = self.visits.checked_sub(children.len()).ok_or(Fault::Exhausted)?;
        Ok(Some(children.into_iter().map(|(name, child)| (name.to_owned(), child)).collect()))
    }

    /// Whether a directory entry is a directory, or a link to one.
    fn leads_to_dir(&mut self, path: &str, child: Child) -> Result<bool, Fault> {
        match child {
            Child::Dir => Ok(true),
            Child::File => Ok(false),
            Child::Symlink => self.is_dir(path),
        }
    }

    /// Returns the matches of the last segment of a pattern in one directory.
    fn in_dir(&mut self, dir: &str, last: &str, files: bool) -> Paths {
        if last.is_empty() {
            return Ok(if self.is_dir(dir)? { vec![dir.to_owned()] } else { Vec::new() });
        }
        if last == "**" {
            return self.below(dir, files);
        }
        let mut found = Vec::new();
        for (name, child) in self.children(dir)?.unwrap_or_default() {
            // A segment can be malformed where the whole is not: `[a/b]*`.
            if segment_match(last, &name).map_err(Fault::Pattern)? {
                let path = join(dir, &name);
                if files || self.leads_to_dir(&path, child)? {
                    found.push(path);
                }
            }
        }
        Ok(found)
    }

    /// A directory and everything below it, parents first.
    fn below(&mut self, dir: &str, files: bool) -> Paths {
        let Some(children) = self.children(dir)? else { return Ok(Vec::new()) };
        let mut found = vec![dir.to_owned()];
        let mut open = vec![(dir.to_owned(), children.into_iter())];
        while let Some((dir, children)) = open.last_mut() {
            let Some((name, child)) = children.next() else {
                open.pop();
                continue;
            };
            let path = join(dir, &name);
            if self.leads_to_dir(&path, child)? {
                found.push(path.clone());
                let children = self.children(&path)?.unwrap_or_default();
                open.push((path, children.into_iter()));
            } else if files {
                found.push(path);
            }
        }
        Ok(found)
    }
}

/// Merges `found[second..]` into `found[first..second]`, dropping what is in both.
///
/// Both parts are treated as sorted by bytes. They are not always: a directory comes before a sibling whose name
/// continues with a byte below `/`. The steps are those of the original, so that the result for such a list is the
/// same.
fn merge(found: &mut Vec<String>, first: usize, second: usize) {
    for at in first..second {
        if found[at] > found[second] {
            found.swap(at, second);
            let mut to = second;
            while to + 1 < found.len() && found[to + 1] < found[to] {
                found.swap(to, to + 1);
                to += 1;
            }
        } else if found[at] == found[second] {
            found.remove(second);
            if second == found.len() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::source::{Memory, Source as _};

    fn memory() -> Memory {
        let paths = [
            "stacks/a-b/x.yaml",
            "stacks/a/x.yaml",
            "stacks/a/y.yaml",
            "stacks/a.yaml",
            "stacks/.hidden.yaml",
            "stacks/b/deep/z.yaml",
            "stacks/{c}.yaml",
            "top.yaml",
        ];
        let files = paths.iter().map(|path| ((*path).to_owned(), Vec::new())).collect();
        let links = [("l", "stacks/a"), ("stacks/b/up", "../a"), ("stacks/gone", "nowhere"), ("out", "/etc")];
        let links: BTreeMap<_, _> = links.iter().map(|(path, to)| ((*path).to_owned(), (*to).to_owned())).collect();
        Memory::with_links("memory", files, links)
    }

    #[test]
    fn patterns_expand_in_order() {
        let cases: &[(&str, &[&str])] = &[
            ("stacks/*.yaml", &["stacks/.hidden.yaml", "stacks/a.yaml", "stacks/{c}.yaml"]),
            // By segments, not by bytes: `a` comes before `a-b` and before `a.yaml`.
            (
                "stacks/**/*.yaml",
                &[
                    "stacks/.hidden.yaml",
                    "stacks/a.yaml",
                    "stacks/{c}.yaml",
                    "stacks/a/x.yaml",
                    "stacks/a/y.yaml",
                    "stacks/a-b/x.yaml",
                    "stacks/b/deep/z.yaml",
                    "stacks/b/up/x.yaml",
                    "stacks/b/up/y.yaml",
                ],
            ),
            ("stacks/a/**", &["stacks/a", "stacks/a/x.yaml", "stacks/a/y.yaml"]),
            ("stacks/a*", &["stacks/a", "stacks/a-b", "stacks/a.yaml"]),
            ("stacks/a/", &[]),
            ("stacks/*/", &["stacks/a", "stacks/a-b", "stacks/b"]),
            ("", &[]),
            ("l/*", &["l/x.yaml", "l/y.yaml"]),
            ("./stacks/../stacks/a/x.*", &["stacks/a/x.yaml"]),
            ("stacks/{b/deep,a}/*", &["stacks/a/x.yaml", "stacks/a/y.yaml", "stacks/b/deep/z.yaml"]),
            ("stacks/\\{c\\}.yaml", &["stacks/{c}.yaml"]),
            ("top.yaml", &["top.yaml"]),
            ("*.yml", &[]),
            ("none/**/*", &[]),
            ("stacks/gone/*", &[]),
            ("out/*", &[]),
            ("../*", &[]),
            ("/stacks/*", &[]),
        ];
        for (pattern, expected) in cases {
            assert_eq!(expand(memory().listing(), pattern).unwrap(), *expected, "{pattern}");
        }
    }

    #[test]
    fn malformed_and_hostile_patterns() {
        let memory = memory();
        let expand = |pattern: &str| expand(memory.listing(), pattern);
        assert!(matches!(expand("stacks/[a"), Err(BadPattern::Malformed(_))));
        assert!(matches!(expand("stacks/[a/b]*"), Err(BadPattern::Malformed(_))));
        for pattern in
            ["**/".repeat(1000), "*/".repeat(1000), "{a,b}".repeat(500), "{a/".repeat(300) + &"}".repeat(300)]
        {
            assert!(matches!(expand(&pattern), Err(BadPattern::TooComplex(_))), "{pattern}");
        }
        let _ = expand(&"**/".repeat(150));
        assert_eq!(expand(&("*/".repeat(150) + "*")), Ok(Vec::new()));
    }

    #[test]
    fn link_loops_end() {
        let links = [("a/x", ".."), ("a/y", "../a")].map(|(path, to)| (path.to_owned(), to.to_owned()));
        let files = BTreeMap::from([("a/f.yaml".to_owned(), Vec::new())]);
        let memory = Memory::with_links("loops", files, links.into());
        assert!(matches!(expand(memory.listing(), "**/*.yaml"), Err(BadPattern::TooComplex(_))));
    }
}
