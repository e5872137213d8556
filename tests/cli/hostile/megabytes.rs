//! A megabyte of input costs no more than seconds, whatever it holds.

use crate::common::{Repo, Run};
use std::time::{Duration, Instant};

/// What a run of the unoptimized program may take; with work that grows with the square, these inputs take minutes.
const QUICK: Duration = Duration::from_secs(60);

/// A command over a repository whose last commit adds these files, which ends in time.
#[track_caller]
fn is_quick(base: &[(&str, &str)], head: &[(&str, &str)], arguments: &[&str]) -> Run {
    let repo = Repo::new();
    for files in [base, head] {
        for (path, text) in files {
            repo.write(path, text);
        }
        repo.commit("next");
    }
    let start = Instant::now();
    let run = repo.run(arguments);
    assert!(start.elapsed() < QUICK, "{:?}", start.elapsed());
    run
}

const DIFF: &[&str] = &["diff", "HEAD~1..HEAD", "--expect", "none"];

/// A configuration of jitsubst whose module `n` has this text.
fn infra(text: &str) -> String {
    format!(
        "modules:\n  - {{name: m, type: infra.vpc, config: {{a: b}}}}\n  \
         - {{name: n, type: infra.vpc, config: {{env_vars: {{a: '{text}'}}}}}}\n"
    )
}

#[test]
fn equal_references_in_one_text() {
    let text = infra(&"${m.id}".repeat(30_000));
    is_quick(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &text)], DIFF).ends_with(3);
}

#[test]
fn different_references_in_one_text() {
    let all: String = (0..20_000).map(|i| format!("${{A{i}}}${{m.f{i}}}")).collect();
    is_quick(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &infra(&all))], DIFF).ends_with(3);
}

#[test]
fn references_that_are_never_closed() {
    let text = infra(&"${".repeat(200_000)).replace("env_vars", "other");
    is_quick(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &text)], &["check"]).ends_with(0);
}
