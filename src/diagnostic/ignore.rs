//! Comments that silence findings: `# stacklint: ignore[rule, rule] reason` on a line or above it, and
//! `# stacklint: ignore-file[rule] reason` in the leading comment of a file; in HCL with `//` and `/* … */` as well.

use crate::files::File;
use crate::syntax::Syntax;

/// The prefix of our comments, after the comment sign.
const MARK: &str = "stacklint:";

/// A comment that silences findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ignore {
    /// The line (from 1) whose findings it suppresses; `None` for the whole file.
    pub line: Option<u32>,
    /// The rules that it names, with the span of each name.
    pub rules: Vec<(String, u32, u32)>,
    /// The reason in the comment; may be empty.
    pub reason: String,
    /// First byte of the comment.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

/// A comment that looks as if it should silence findings, and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
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

/// Whether a text may have comments that silence findings, or look as if they should.
pub(crate) fn may_have_comments(text: &str) -> bool {
    text.contains(MARK)
}

pub(super) fn comments(file: &File) -> Comments {
    let mut found = Comments::default();
    if !may_have_comments(&file.text) {
        return found;
    }
    let syntax = Syntax::of(file);
    let content = syntax.content_lines();
    let leading = content.first().copied().unwrap_or(file.line_count() + 1);
    for comment in syntax.comments(MARK) {
        let (start, end) = (comment.span.start as u32, comment.span.end as u32);
        let end_of_body = comment.body.end;
        let Some(body) = file.text[comment.body].trim_start().strip_prefix(MARK) else { continue };
        match parse(body.trim_start()) {
            Ok((true, _, _)) if file.line(start) >= leading => found.malformed.push(Malformed {
                why: "`ignore-file` counts only in the comment at the start of a file",
                start,
                end,
            }),
            Ok((whole, names, reason)) => {
                let line = (!whole).then(|| covered(file, &content, start, end));
                let rule = |(name, before_end): &(&str, usize)| {
                    let at = end_of_body - before_end;
                    ((*name).to_owned(), at as u32, (at + name.len()) as u32)
                };
                let rules = names.iter().map(rule).collect();
                let reason = reason.lines().map(str::trim).collect::<Vec<_>>().join(" ");
                found.ignores.push(Ignore { line, rules, reason, start, end });
            }
            Err(why) => found.malformed.push(Malformed { why, start, end }),
        }
    }
    found
}

/// The line that a comment applies to: its own if there is other text on it, otherwise the next one with content.
fn covered(file: &File, content: &[u32], start: u32, end: u32) -> u32 {
    let (first, last) = (file.line(start), file.line(end));
    let own = [first, last].into_iter().find(|line| content.binary_search(line).is_ok());
    own.or_else(|| content.get(content.partition_point(|line| *line <= last)).copied()).unwrap_or(last)
}

/// Whether it is about the whole file, the rules with how many bytes before the end of the text each begins, the reason.
type Parsed<'a> = (bool, Vec<(&'a str, usize)>, &'a str);

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
    let mut left = rest.len();
    let names = names.split(',').map(|item| {
        let (name, before_end) = (item.trim_start(), left);
        left -= item.len() + 1;
        (name.trim_end(), before_end - (item.len() - name.len()))
    });
    let names: Vec<(&str, usize)> = names.collect();
    if names.iter().any(|(name, _)| name.is_empty()) {
        return Err("name the rules: `ignore[rule] reason`");
    }
    Ok((whole, names, reason.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;

    fn read(text: &str) -> Comments {
        read_as("a.yaml", text)
    }

    fn read_as(path: &str, text: &str) -> Comments {
        let files = Files::default();
        comments(&files.get(files.add(path, "1", || text.into())))
    }

    #[test]
    fn comments_in_hcl_silence_lines_and_files() {
        // (text, line that is silenced (0: the file), reason)
        let cases = [
            ("a = 1 // stacklint: ignore[x] why\n", 1, "why"),
            ("a = 1 /* stacklint: ignore[x] why */\n", 1, "why"),
            ("/* stacklint: ignore[x] why */ a = 1\n", 1, "why"),
            ("a = 1 # stacklint: ignore[x]\n", 1, ""),
            ("a = 1 # words // stacklint: ignore[x]\n", 1, ""),
            ("// stacklint: ignore[x]\n\n/* more\n*/\na = 1\n", 5, ""),
            ("/*\n  stacklint: ignore[x] of two\n  lines\n*/\na = 1\n", 5, "of two lines"),
            ("a = 1 /* stacklint: ignore[x]\n*/\nb = 1\n", 1, ""),
            ("b {\n  // stacklint: ignore[x]\n  a = \"// stacklint: ignore[x]\"\n}\n", 3, ""),
            ("/* words */\n// stacklint: ignore-file[x] old\na = 1\n", 0, "old"),
            ("a = (\n// stacklint: ignore[x]\nb = 1\n", 3, ""),
        ];
        for (text, line, reason) in cases {
            let found = read_as("a.tf", text);
            assert_eq!(found.malformed, [], "{text}");
            let [ignore] = &found.ignores[..] else { panic!("{text}: {found:?}") };
            assert_eq!((ignore.line.unwrap_or(0), &*ignore.reason), (line, reason), "{text}");
            let (name, start, end) = &ignore.rules[0];
            assert_eq!(&text[*start as usize..*end as usize], name, "{text}");
        }
        for text in ["a = 1\n// stacklint: ignore-file[x]\nb = 1\n", "a = 1 /* stacklint: ignore */\n"] {
            assert_eq!(read_as("a.tf", text).malformed.len(), 1, "{text}");
        }
        for text in [
            "a = <<E\n  # stacklint: ignore[x]\n  // stacklint: ignore[x]\nE\n",
            "a = \" # stacklint: ignore[x] // stacklint: ignore[x] /* stacklint: ignore[x] */\"\n",
            "a = \"${b /* stacklint: ignore[x] */}\"\n",
        ] {
            assert_eq!(read_as("a.tf", text), Comments::default(), "{text}");
        }
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
    fn what_cannot_be_understood_is_reported() {
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
