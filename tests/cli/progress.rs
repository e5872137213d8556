//! The line that shows what a long run is doing.

use crate::common::Repo;

#[test]
fn nothing_is_shown_where_nobody_looks_at_a_terminal() {
    let repo = Repo::review();
    let run = repo.run(&["diff", "base..head"]);
    assert_eq!(run.stderr, "", "{run}");
}

#[test]
fn the_line_disappears_before_the_report() {
    let repo = Repo::review();
    let plain = repo.run(&["diff", "base..head"]);
    let run = repo.run_with(&["diff", "base..head"], &[("STACKLINT_PROGRESS", "always")]);
    assert_eq!((run.status, &run.stdout), (plain.status, &plain.stdout));
    assert!(run.stderr.contains("stacklint: ") && run.stderr.contains('…'), "{run:?}");
    assert!(run.stderr.ends_with("\r\u{1b}[K"), "{run:?}");
    // Messages are on separate lines.
    let run = repo.run_with(&["diff", "base..head", "--stack", "nowhere"], &[("STACKLINT_PROGRESS", "always")]);
    assert!(run.stderr.contains("\r\u{1b}[Kstacklint: no stack matches `nowhere`"), "{run:?}");
}
