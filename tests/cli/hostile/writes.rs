//! Files are written where the user said, whatever links a change commits.
#![cfg(unix)]

use super::project;
use crate::common::{Repo, run_in};
use std::path::PathBuf;

/// A project that commits links to a file and to a folder outside.
fn linked() -> (Repo, PathBuf) {
    let repo = project(&[]);
    let outside = repo.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("kept"), "kept").unwrap();
    repo.link("report.json", "../outside/kept").link("reports", "../outside").link("deep/er/reports", "../../reports");
    repo.link("dangling.json", "../outside/new").commit("links");
    (repo, outside)
}

#[track_caller]
fn is_untouched(outside: &PathBuf) {
    let names: Vec<_> = std::fs::read_dir(outside).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["kept"]);
    assert_eq!(std::fs::read(outside.join("kept")).unwrap(), b"kept");
}

#[test]
fn reports_do_not_follow_committed_links() {
    let (repo, outside) = linked();
    for path in ["report.json", "dangling.json", "./deep/../report.json"] {
        let run = repo.run(&["check", "--output", &format!("json={path}")]).ends_with(0);
        is_untouched(&outside);
        // The file is there, in the place of the link.
        let there = std::fs::symlink_metadata(repo.root().join(path)).unwrap();
        assert!(there.is_file(), "{run}");
    }
    for path in ["reports/new.json", "reports/kept", "deep/er/reports/new.json", "reports/../reports/new.json"] {
        for option in ["--output=json=", "--write-baseline="] {
            let run = repo.run(&["check", &format!("{option}{path}")]).ends_with(2);
            run.complains("symbolic link");
        }
        is_untouched(&outside);
        let absolute = repo.root().join(path);
        let argument = format!("--output=json={}", absolute.display());
        run_in(outside.parent().unwrap(), &["-C", "repo", "check", &argument], &[]).ends_with(2);
        is_untouched(&outside);
    }
    repo.link("known.json", "../outside/kept");
    repo.run(&["check", "--write-baseline", "known.json"]).ends_with(0);
    is_untouched(&outside);
}

#[test]
fn folders_of_reports_are_no_committed_links() {
    let (repo, outside) = linked();
    repo.tag("base");
    for folder in ["reports", "reports/new", "deep/er/reports"] {
        repo.run(&["ci", "--base", "base", "--reports", folder]).ends_with(2).complains("symbolic link");
        is_untouched(&outside);
    }
    repo.run(&["ci", "--base", "base", "--reports", "new/reports"]).ends_with(0);
    assert!(repo.root().join("new/reports/report.json").exists());
}

#[test]
fn hooks_do_not_follow_committed_links() {
    let (repo, outside) = linked();
    repo.git(&["config", "core.hooksPath", "reports"]);
    repo.run(&["hook", "install", "--force"]).ends_with(2).complains("symbolic link");
    is_untouched(&outside);
    // The user's own links in `.git` lead on.
    repo.git(&["config", "--unset", "core.hooksPath"]);
    std::fs::remove_dir_all(repo.root().join(".git/hooks")).ok();
    let own = repo.beside("own");
    std::fs::create_dir(&own).unwrap();
    std::os::unix::fs::symlink(&own, repo.root().join(".git/hooks")).unwrap();
    repo.run(&["hook", "install"]).ends_with(0);
    assert!(own.join("pre-commit").exists());
}

#[test]
fn named_files_are_no_committed_links() {
    let (repo, outside) = linked();
    std::fs::write(outside.join("secret"), "TOKEN=hunter2\n").unwrap();
    repo.link("known.json", "../outside/secret").link("variables.env", "../outside/secret");
    for option in ["--baseline=known.json", "--baseline=reports/secret", "--env-file=variables.env"] {
        let run = repo.run(&["check", option]).ends_with(2).complains("symbolic link");
        assert!(!run.stderr.contains("hunter2") && !run.stdout.contains("hunter2"), "{run}");
    }
    std::fs::write(repo.beside("baseline.json"), "x").unwrap();
    repo.run(&["check", "--baseline", "../baseline.json"]).ends_with(2).complains("baseline.json");
    // A file descriptor from a shell is read.
    let line = format!("{} check --env-file <(echo TOKEN=1) --output json=/dev/stdout", crate::common::bin().display());
    let output = std::process::Command::new("bash").args(["-c", &line]).current_dir(repo.root()).output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"{"), "{output:?}");
}
