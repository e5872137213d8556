//! Comments that silence findings: `# stacklint: ignore[rule, rule] reason` on a line or above it, and
//! `# stacklint: ignore-file[rule] reason` in the leading comment of a file.

use crate::files::File;
use crate::text::Text;
use crate::yaml::{Document, Kind, document_of};

/// What a comment of ours begins with, after the `#`.
const MARK: &str = "stacklint:";

/// A comment that silences findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ignore {
    /// The line (from 1) whose findings it silences; none for the whole file.
    pub line: Option<u32>,
    /// The rules that it names, with the span of each name.
    pub rules: Vec<(String, u32, u32)>,
    /// Why, as the comment says; may be empty.
    pub reason: String,
    /// First byte of the comment.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

/// A comment that looks as if it should silence findings, and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// What is wrong with it.
    pub why: &'static str,
    /// First byte of the comment.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

/// The comments of a file that speak to stacklint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Comments {
    /// Those that silence findings, in their order.
    pub ignores: Vec<Ignore>,
    /// Those that cannot be understood.
    pub malformed: Vec<Malformed>,
}

/// Reads the comments of a file.
pub(super) fn comments(file: &File) -> Comments {
    let mut found = Comments::default();
    if !file.text.contains(MARK) {
        return found;
    }
    let document = document_of(Text::clone(&file.text)).ok();
    let count = file.line_count();
    let leading = (1..=count).find(|l| !is_blank(file.line_text(*l))).unwrap_or(count + 1);
    for line in 1..=count {
        let text = file.line_text(line);
        let start = file.line_span(line).start;
        let Some(at) = comment(text, start, document.as_ref()) else { continue };
        let (start, end) = (start + at as u32, start + text.len() as u32);
        let body = text[at + 1..].trim_start();
        let Some(body) = body.strip_prefix(MARK) else { continue };
        match parse(body.trim()) {
            Ok((true, _, _)) if line >= leading => found.malformed.push(Malformed {
                why: "`ignore-file` counts only in the comment at the start of a file",
                start,
                end,
            }),
            Ok((whole, names, reason)) => {
                let alone = text[..at].trim().is_empty();
                let below = || (line + 1..=count).find(|l| !is_blank(file.line_text(*l)));
                let covered = if whole {
                    None
                } else if alone {
                    Some(below().unwrap_or(line))
                } else {
                    Some(line)
                };
                let base = start as usize;
                let offset = |name: &str| {
                    let at = name.as_ptr() as usize - file.text.as_ptr() as usize;
                    (at.max(base)) as u32
                };
                let rules = names.iter().map(|n| ((*n).to_owned(), offset(n), offset(n) + n.len() as u32)).collect();
                found.ignores.push(Ignore { line: covered, rules, reason: reason.to_owned(), start, end });
            }
            Err(why) => found.malformed.push(Malformed { why, start, end }),
        }
    }
    found
}

/// Blank, or nothing but a comment.
fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// Where the comment of ours in a line begins: a `#` at its start or after white space, outside of any scalar.
fn comment(line: &str, start: u32, document: Option<&Document>) -> Option<usize> {
    line.match_indices('#').map(|(at, _)| at).find(|at| {
        let before = line[..*at].chars().next_back();
        before.is_none_or(char::is_whitespace)
            && line[at + 1..].trim_start().starts_with(MARK)
            && !document.is_some_and(|d| in_scalar(d, start + *at as u32))
    })
}

fn in_scalar(document: &Document, offset: u32) -> bool {
    document.nodes().any(|(_, node)| {
        matches!(node.kind, Kind::Scalar { .. }) && node.span.start <= offset && offset < node.span.end
    })
}

/// Whether it is about the whole file, the rules, the reason.
type Parsed<'a> = (bool, Vec<&'a str>, &'a str);

fn parse(body: &str) -> Result<Parsed<'_>, &'static str> {
    let (whole, rest) = match (body.strip_prefix("ignore-file"), body.strip_prefix("ignore")) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return Err("expected `ignore[rule] reason` or `ignore-file[rule] reason`"),
    };
    let Some(rest) = rest.trim_start().strip_prefix('[') else {
        return Err("name the rules: `ignore[rule] reason`");
    };
    let Some((names, reason)) = rest.split_once(']') else {
        return Err("the list of rules has no `]`");
    };
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    if names.iter().any(|n| n.is_empty()) {
        return Err("name the rules: `ignore[rule] reason`");
    }
    Ok((whole, names, reason.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;

    fn read(text: &str) -> Comments {
        let files = Files::default();
        comments(&files.get(files.add("a.yaml", "1", || text.into())))
    }

    #[test]
    fn comments_silence_lines_and_files() {
        // (text, line that is silenced (0: the file), rules, reason)
        let cases = [
            ("a: 1 # stacklint: ignore[x] why\n", 1, vec!["x"], "why"),
            ("# stacklint: ignore[x]\na: 1\n", 2, vec!["x"], ""),
            ("# stacklint: ignore[x]\n# more\n\na: 1\n", 4, vec!["x"], ""),
            ("#stacklint:ignore[ x , y ]   two words \na: 1\n", 2, vec!["x", "y"], "two words"),
            ("# stacklint: ignore-file[x] old\na: 1\n", 0, vec!["x"], "old"),
            ("# words\n\n# stacklint: ignore-file[x]\na: 1\n", 0, vec!["x"], ""),
            ("a: 'b # c' # stacklint: ignore[x]\n", 1, vec!["x"], ""),
            ("a: {{ broken\n# stacklint: ignore[x]\n", 2, vec!["x"], ""),
        ];
        for (text, line, rules, reason) in cases {
            let found = read(text);
            assert_eq!(found.malformed, [], "{text}");
            let [ignore] = &found.ignores[..] else { panic!("{text}: {found:?}") };
            assert_eq!(ignore.line.unwrap_or(0), line, "{text}");
            assert_eq!(ignore.rules.iter().map(|r| r.0.as_str()).collect::<Vec<_>>(), rules, "{text}");
            assert_eq!(ignore.reason, reason, "{text}");
            for (name, start, end) in &ignore.rules {
                assert_eq!(&text[*start as usize..*end as usize], name, "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_understood_is_told() {
        for text in [
            "a: 1 # stacklint: ignore\n",
            "a: 1 # stacklint: ignore[]\n",
            "a: 1 # stacklint: ignore[x\n",
            "a: 1 # stacklint: off\n",
            "a: 1\n# stacklint: ignore-file[x]\nb: 1\n",
        ] {
            let found = read(text);
            assert_eq!((found.ignores.len(), found.malformed.len()), (0, 1), "{text}: {found:?}");
        }
    }

    #[test]
    fn text_that_is_no_comment_is_left_alone() {
        for text in
            ["a: 'b # stacklint: ignore[x]'\n", "a: |\n  # stacklint: ignore[x]\n", "a: b#stacklint: ignore[x]\n"]
        {
            assert_eq!(read(text), Comments::default(), "{text}");
        }
    }
}
