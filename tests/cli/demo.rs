//! The demonstration, through the binary, on a machine where nothing is set up.

use std::path::Path;
use std::process::{Command, Output};

/// Runs `stacklint demo` in an environment that would mislead anything that examined it.
fn demo(arguments: &[&str]) -> Output {
    let elsewhere = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_stacklint"))
        .arg("demo")
        .args(arguments)
        .env_clear()
        .env("TMPDIR", std::env::temp_dir())
        .env("GIT_DIR", "/nowhere")
        .env("ATMOS_BASE_PATH", "nowhere")
        .current_dir(elsewhere.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    output
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn other_dialects_have_an_example() {
    for (dialect, words) in
        [("garden", "registry"), ("opentofu", "resource-index-shifted"), ("terragrunt", "eu-central-1")]
    {
        let shown = text(&demo(&["--dialect", dialect]));
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn colors_are_as_requested() {
    assert!(!text(&demo(&["--color", "never"])).contains('\u{1b}'));
    assert!(text(&demo(&["--color", "always"])).contains('\u{1b}'));
}

#[test]
fn a_kept_example_is_a_clean_repository_with_the_same_diff() {
    let shown = text(&demo(&["--keep"]));
    let (before, folder) = shown.trim_end().rsplit_once("The example is in ").unwrap();
    let folder = Path::new(folder);
    assert!(folder.join("atmos.yaml").is_file());
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        text(&output)
    };
    assert_eq!(run("git", &["status", "--porcelain"]), "");
    run("git", &["fsck", "--strict"]);
    let diff = run(env!("CARGO_BIN_EXE_stacklint"), &["diff", "HEAD~1..HEAD", "--color", "never"]);
    assert!(!diff.is_empty() && before.contains(&diff));
    let worktree = run(env!("CARGO_BIN_EXE_stacklint"), &["diff", "HEAD~1", "--color", "never"]);
    assert_eq!(worktree, diff);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_dialect_may_have_an_example_of_its_own() {
    let shown = text(&demo(&["--dialect", "garden"]));
    assert!(shown.contains("project.garden.yml") && shown.contains("registry"), "{shown}");
}
