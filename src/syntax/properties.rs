//! Queries about text of strangers: they end, stay within the text, and take no string for a comment.

use super::Syntax;
use super::secrets;
use crate::files::Files;
use crate::hcl::parse::{Layout, parse_body};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const PIECES: &[&str] = &[
    "a = ",
    "b \"c\" {\n",
    "}\n",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\"x\"",
    "${",
    "$${",
    "%{ if true }",
    "%{ endif }",
    "~}",
    "<<E\n",
    "<<-E\n",
    "\nE\n",
    "\n  E\n",
    "#",
    "//",
    "/*",
    "*/",
    " # stacklint: ignore[x] y\n",
    "// stacklint: ignore[x]\n",
    "/* stacklint: ignore[x] */",
    "\n",
    "\r\n",
    " ",
    "\\",
    "\\\"",
    "1",
    "password = \"hunter2\"\n",
    "token",
    "é",
    "\u{feff}",
    "var.x",
    ",",
    ":",
    "=",
    "a = 1\n",
    "a = \"b\" ",
];

fn text() -> impl Strategy<Value = String> {
    vec(select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(crate::fuzz::cases(256))]

    #[test]
    fn any_text_can_be_asked_about(text in text(), at in 0..200_u32) {
        for path in ["a.tf", "a.yaml"] {
            let files = Files::default();
            let file = files.get(files.add(path, "1", || text.as_str().into()));
            let syntax = Syntax::of(&file);
            syntax.path_at(at);
            syntax.is_within_text(at);
            prop_assert!(syntax.content_lines().iter().all(|line| (1..=file.line_count()).contains(line)));
            for comment in syntax.comments("stacklint:") {
                prop_assert!(text[comment.body].trim_start().starts_with("stacklint:"));
                prop_assert!(text.is_char_boundary(comment.span.start) && text.is_char_boundary(comment.span.end));
            }
            for number in 1..=file.line_count() {
                let line = file.line_text(number);
                syntax.subject(file.line_span(number).start, line);
                for all in [false, true] {
                    let ranges = secrets::in_line(&file, number, line, all);
                    prop_assert!(ranges.iter().all(|range| line.get(range.clone()).is_some()), "{ranges:?}");
                    prop_assert!(ranges.is_sorted_by(|a, b| a.end <= b.start), "{ranges:?}");
                }
            }
        }
    }

    /// Comments and strings do not overlap. In a text without errors, only comments and strings contain comment signs,
    /// and the meaning does not change without its comments.
    #[test]
    fn comments_are_distinguished_from_strings(text in text()) {
        let source = super::hcl::Source::read(&text.as_str().into());
        let (comments, strings) = source.tokens();
        let mut spans: Vec<_> = comments.iter().chain(strings).cloned().collect();
        spans.sort_by_key(|span| span.start);
        prop_assert!(spans.is_sorted_by(|a, b| a.end <= b.start), "{spans:?}");
        let parsed = parse_body(&text, Layout::Lenient);
        if parsed.errors.is_empty() {
            let mut bytes = text.clone().into_bytes();
            comments.iter().for_each(|span| bytes[span.clone()].fill(b' '));
            let without = String::from_utf8(bytes.clone()).unwrap();
            prop_assert_eq!(format!("{:?}", parse_body(&without, Layout::Lenient)), format!("{parsed:?}"));
            strings.iter().for_each(|span| bytes[span.clone()].fill(b' '));
            prop_assert!(!bytes.contains(&b'#') && !bytes.contains(&b'"'), "{:?}", String::from_utf8(bytes));
        }
    }
}
