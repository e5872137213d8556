//! The line that shows what a long run is doing.

use crate::common::Repo;

#[test]
fn nothing_is_shown_where_nobody_looks_at_a_terminal() {
    let repo = Repo::review();
    let run = repo.run(&["diff", "base..head"]);
    assert!(run.stderr.lines().all(|line| line.starts_with("stacklint: exit code 1: ")), "{run}");
}

#[test]
fn the_line_disappears_before_the_report() {
    let repo = Repo::review();
    let plain = repo.run(&["diff", "base..head"]);
    let run = repo.run_with(&["diff", "base..head"], &[("STACKLINT_PROGRESS", "always")]);
    assert_eq!((run.status, &run.stdout), (plain.status, &plain.stdout));
    assert!(run.stderr.contains("stacklint: ") && run.stderr.contains('…'), "{run:?}");
    let (_, last) = run.stderr.rsplit_once("\r\u{1b}[K").unwrap();
    assert!(last.starts_with("stacklint: exit code 1: ") && last.lines().count() == 1, "{run:?}");
    // Messages are on separate lines.
    let run = repo.run_with(&["diff", "base..head", "--stack", "nowhere"], &[("STACKLINT_PROGRESS", "always")]);
    assert!(run.stderr.contains("\r\u{1b}[Kstacklint: no stack matches `nowhere`"), "{run:?}");
}
