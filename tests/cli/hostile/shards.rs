//! Reports for `merge-reports` that somebody else wrote, and stacks that would bring a split out of step.

use crate::common::Repo;
use std::time::{Duration, Instant};

fn refused(repo: &Repo, name: &str, content: impl AsRef<[u8]>) {
    let path = repo.beside(name);
    std::fs::write(&path, content).unwrap();
    let begin = Instant::now();
    let run = repo.run(&["merge-reports", &path.display().to_string()]).ends_with(2);
    assert!(run.stderr.contains(name) && !run.stderr.contains("internal error"), "{run}");
    assert!(run.stderr.len() < 2_000 && run.stdout.is_empty(), "{name}");
    assert!(begin.elapsed() < Duration::from_secs(60), "{name}");
}

#[test]
fn reports_of_strangers_are_refused_with_words() {
    let repo = Repo::new();
    refused(&repo, "empty.json", "");
    refused(&repo, "text.json", "no report\u{1b}[31m");
    refused(&repo, "number.json", "1e999");
    refused(&repo, "cut.json", "{\"schema\": \"stacklint/report/v1\", \"diagnostics\": [");
    refused(&repo, "binary.json", [0xff, 0xfe, 0, 1]);
    refused(&repo, "other.json", "{\"schema\": \"stacklint/report/v2\"}");
    refused(&repo, "both.json", "{\"schema\": \"stacklint/report/v1\", \"runs\": []}");
    refused(&repo, "runs.json", "{\"$schema\": \"s\", \"version\": \"2.1.0\", \"runs\": []}");
    refused(
        &repo,
        "bare.json",
        "{\"schema\": \"stacklint/report/v1\", \"diagnostics\": [], \"suppressed\": [], \"coverage\": {\"projects\": []}}",
    );
    let deep = "[".repeat(1 << 20);
    refused(&repo, "deep.json", &deep);
    refused(&repo, "inside.json", format!("{{\"schema\": \"stacklint/report/v1\", \"diagnostics\": [{{\"a\": {deep}"));
    refused(&repo, "large.json", vec![b' '; (64 << 20) + 1]);
}

#[test]
fn numbers_of_strangers_do_not_overflow() {
    let repo = Repo::new();
    let shard = |index: usize, components: u64, units: u64| {
        format!(
            r#"{{"schema": "stacklint/report/v1", "diagnostics": [], "suppressed": [], "coverage": {{"projects": [
            {{"dialect": "atmos", "path": ".", "config": [], "head": {{"stacks": 1, "components": {components}, "untouched": 0, "unresolved": []}}}}],
            "shard": {{"index": {index}, "of": 2, "units": {units}, "all_units": {}, "version": "1", "rev": "x", "commit": null,
            "check": "c", "fail_on": "error", "strict": false}}}}}}"#,
            u64::MAX
        )
    };
    for units in [0, u64::MAX] {
        for index in [1, 2] {
            std::fs::write(repo.beside(&format!("{index}.json")), shard(index, u64::MAX, units)).unwrap();
        }
        let [first, second] = [1, 2].map(|index| repo.beside(&format!("{index}.json")).display().to_string());
        let run = repo.run(&["merge-reports", &first, &second]);
        assert!(!run.stderr.contains("internal error") && run.status != 101, "{run}");
    }
    refused(&repo, "shard.json", shard(1, 1, 1).replace("\"of\": 2", "\"of\": 18446744073709551615"));
}

#[test]
fn text_of_strangers_is_no_command_for_the_terminal() {
    let repo = Repo::new();
    let report = r#"{"schema": "stacklint/report/v1", "diagnostics": [], "suppressed": [], "coverage": {"projects": [
        {"dialect": "atmos", "path": ".", "config": ["\u001b[31m::error::x\r\n"], "head": {"stacks": 1, "components": 1, "untouched": 0, "unresolved": []}}],
        "shard": {"index": 1, "of": 1, "units": 1, "all_units": 1, "version": "1", "rev": "x", "commit": null, "check": "c",
        "fail_on": "error", "strict": false}}}"#;
    let path = repo.beside("odd.json");
    std::fs::write(&path, report).unwrap();
    let run = repo.run(&["merge-reports", &path.display().to_string()]);
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains('\r') && run.stderr.lines().count() == 1, "{run:?}");
    let run = repo.run(&["merge-reports", "\u{1b}[31mred.json"]).ends_with(2);
    assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_report_is_not_read_or_written_through_a_link_of_the_repository() {
    let repo = Repo::new();
    repo.write("x.yaml", "a: 1\n").link("report.json", "../outside.json").commit("base");
    std::fs::write(repo.beside("outside.json"), "kept").unwrap();
    repo.run(&["merge-reports", "report.json"]).ends_with(2).complains("link");
    assert_eq!(std::fs::read_to_string(repo.beside("outside.json")).unwrap(), "kept");
}
