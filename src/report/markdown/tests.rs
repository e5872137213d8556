use super::*;
use crate::diagnostic::rules as shared;
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::{Cause, Change, ChangeKind, ComponentChange, Diff, Status};
use crate::report::tests::{Fixture, is_balanced, written};
use crate::report::{Comparison, Finding, Format};
use crate::review::Coverage;
use crate::text::Text;
use crate::value::Value;

fn markdown(report: &Report<'_>) -> String {
    let text = written(Format::Markdown, report, &RenderOptions::default());
    assert!(is_balanced(&text), "{text}");
    assert!(text.encode_utf16().count() <= 65_536, "{} characters", text.encode_utf16().count());
    text
}

fn revision(commit: Option<&str>) -> Revision {
    Revision { rev: "main".into(), commit: commit.map(Into::into) }
}

#[test]
fn nothing_changes() {
    let fixture = Fixture::new();
    let (base, diff) = (revision(Some("abc")), Diff::default());
    let comparison = Some(Comparison::new(&base, &diff));
    let coverage = &Coverage::default();
    let nothing = Report { findings: &[], suppressed: &[], unreadable: &[], comparison, coverage, ..fixture.checked() };
    insta::assert_snapshot!(markdown(&nothing));
    let diff = Diff { unresolved: vec!["stacks/`a`.yaml".into()], ..Diff::default() };
    let unresolved = Report { comparison: Some(Comparison::new(&base, &diff)), ..nothing };
    let text = markdown(&unresolved);
    assert!(text.contains("### ! stacklint: No change in what could be resolved\n"));
    let unresolved = Report { coverage: fixture.checked().coverage, ..unresolved };
    assert!(markdown(&unresolved).contains("> 1 stack resolves on neither side and is not compared: old: "));
}

#[test]
fn links_need_a_remote_and_a_commit() {
    let fixture = Fixture::new();
    let worktree = revision(None);
    for (remote, head, links) in [
        (None, fixture.checked().head, 0),
        (Some("/srv/git/a"), fixture.checked().head, 0),
        (Some("https://git.acme.io/a/b.git"), fixture.checked().head, 0),
        (Some("git@gitlab.com:a/b.git"), &worktree, 0),
        (Some("git@gitlab.com:a/b.git"), fixture.checked().head, 11),
    ] {
        let text = markdown(&Report { remote, head, ..fixture.checked() });
        assert_eq!(text.matches("https://gitlab.com/a/b/-/blob/45674567").count(), links, "{remote:?}");
        assert!(!text.contains("git.acme.io"));
    }
}

/// Many components with a change each, of texts that share most of their words.
fn large(fixture: &Fixture, components: usize, size: usize) -> Diff {
    let file = fixture.checked().findings[0].diagnostic.primary.file;
    let component = |i: usize| {
        let causes = vec![Cause { side: Side::Head, file, line: i as u32 % 10 + 1, column: 1 }];
        let value = |word: &str| Some(Value::str(format!("{}{word} `{i}`", "<b>some</b> | words ".repeat(size))));
        let change = Change {
            path: format!("/vars/key{i}"),
            kind: ChangeKind::Changed,
            before: value("old"),
            after: value("new"),
            causes: causes.clone(),
            is_secret: false,
            is_same_call: false,
            is_idle: false,
            moved: None,
            base_index: None,
        };
        ComponentChange {
            project: Text::from(""),
            stack: format!("stack-{i:05}").into(),
            kind: "terraform".into(),
            name: "vpc".into(),
            status: Status::Modified,
            changes: vec![change],
            causes,
            before: None,
            after: None,
        }
    };
    Diff { components: (0..components).map(component).collect(), ..Diff::default() }
}

fn many(fixture: &Fixture, number: usize, message: &str) -> Vec<Finding> {
    let label: Label = fixture.checked().findings[0].diagnostic.primary.clone();
    let finding = |i: usize| {
        let diagnostic = Diagnostic::new(&shared::DUPLICATE_KEY, format!("number {i}: {message}"), label.clone());
        Finding { diagnostic, level: Level::Error, novelty: None, fingerprint: Text::from("0"), also: Vec::new() }
    };
    (0..number).map(finding).collect()
}

#[test]
fn what_is_too_long_is_left_out_and_said() {
    let fixture = Fixture::new();
    let base = revision(Some("abc"));
    let cases = [(0, 1, 1_200, "x"), (1_200, 3, 0, ""), (1_200, 100, 1_200, "@long `code` "), (10, 1, 3, "x")];
    for (components, size, number, message) in cases {
        let diff = large(&fixture, components, size);
        let findings = many(&fixture, number, &message.repeat(2_000));
        let comparison = Some(Comparison::new(&base, &diff));
        let text = markdown(&Report { findings: &findings, comparison, ..fixture.checked() });
        let says = |what: &str| text.lines().any(|l| l.starts_with("… and ") && l.contains(what));
        assert_eq!(says("more findings, left out"), number > 1_000, "{components} {number}");
        assert!(components < 1_000 || says("more change"), "{components} {number}");
        assert_eq!(text.contains(&format!("… {} more |", components.saturating_sub(5))), components > 5);
        assert!(number == 0 || text.contains("number 0:") && text.contains("…"));
        assert!(text.trim_end().ends_with("</sub>"));
    }
}

#[test]
fn ten_thousand_changed_components_are_readable() {
    let fixture = Fixture::new();
    let base = revision(Some("abc"));
    let diff = large(&fixture, 10_000, 1);
    let protected = [Text::from("stack-00001"), Text::from("stack-00002")];
    let comparison = Some(Comparison { protected: &protected, ..Comparison::new(&base, &diff) });
    let findings = many(&fixture, 3, "x");
    // `markdown` holds it against the limit of a comment, and its blocks against each other.
    let text = markdown(&Report { findings: &findings, comparison, ..fixture.checked() });
    let first: Vec<&str> = text.lines().filter(|line| !line.is_empty()).take(6).collect();
    assert!(first.iter().any(|line| line.contains("reach 10000 components in 10000 stacks")), "{first:?}");
    assert!(
        text.contains("**At risk: 2 protected stacks are reached (stack-00001, stack-00002)**"),
        "{}",
        &text[..2_000]
    );
    assert!(text.contains("… 9995 more"));
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("no {words}"));
    assert!(place("| What changes |") < place("| Stack |"), "the changes stand before the stacks");
    assert!(place("number 0") < place("<details"), "errors stand before the changes, without a click");
    assert!(text.contains("more change"), "what is left out is said");
}

#[test]
fn many_edits_are_folded() {
    let fixture = Fixture::new();
    let base = revision(Some("abc"));
    let text = |components: usize| {
        let diff = large(&fixture, components, 1);
        let comparison = Some(Comparison::new(&base, &diff));
        markdown(&Report { findings: &[], suppressed: &[], comparison, ..fixture.checked() })
    };
    assert!(text(3).contains("#### Changes\n") && !text(3).contains("<summary><b>Changes"));
    let folded = text(10);
    assert!(folded.contains("<summary><b>Changes: 10 edits</b></summary>"), "{folded}");
    let (mut depth, mut open) = (0, 0);
    for line in folded.lines().filter(|line| !line.is_empty()) {
        open += usize::from(depth == 0);
        depth += line.matches("<details").count();
        depth -= line.matches("</details").count();
    }
    assert!(open <= 40 && folded.lines().count() <= 120, "{open}: {folded}");
}
