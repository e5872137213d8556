//! Repositories that are broken, busy or unusual.

use super::{DEV, project};
use crate::common::{Repo, bin, run_in};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A file of the git directory with this text leads to a message, or is of no consequence.
fn is_survived(_: &str, (file, text): (&str, &str)) {
    let repo = project(&[]);
    repo.write(file, text);
    for arguments in [&["check", "--rev", "HEAD"][..], &["check"], &["diff"]] {
        let run = repo.run(arguments);
        assert!(run.status <= 2, "{file}: {run}");
        assert!(run.status < 2 || !run.stderr.is_empty(), "{file}: {run}");
    }
}

cases! {
    is_survived:
    head_leads_outside => (".git/HEAD", "ref: refs/heads/../../../etc/passwd\n");
    head_is_no_reference => (".git/HEAD", "nonsense");
    head_is_empty => (".git/HEAD", "");
    a_branch_that_is_itself => (".git/refs/heads/main", "ref: refs/heads/main\n");
    a_branch_that_is_no_commit => (".git/refs/heads/main", "zzzz");
    broken_configuration => (".git/config", "[core\nbroken");
    configuration_that_includes_itself => (".git/config", "[include]\n\tpath = config\n[core]\n\trepositoryformatversion = 0\n");
    broken_packed_references => (".git/packed-refs", "\0\0\0");
    alternates_in_a_circle => (".git/objects/info/alternates", "/nonexistent\n../objects\n");
    a_broken_list_of_shallow_commits => (".git/shallow", "nonsense\n");
}

#[test]
fn what_is_staged_in_unusual_ways() {
    let repo = project(&[("stacks/deploy/other.yaml", &DEV.replace("stage: dev", "stage: other"))]);
    // Intent to add: there is no content yet.
    repo.write("stacks/deploy/new.yaml", DEV.replace("stage: dev", "stage: new"));
    repo.git(&["add", "--intent-to-add", "stacks/deploy/new.yaml"]);
    repo.run(&["diff", "--staged"]).ends_with(0).says("No effective change.");
    repo.run(&["describe", "stacks"]).ends_with(0).says("new");
    repo.git(&["rm", "--quiet", "--cached", "stacks/deploy/new.yaml"]);
    repo.remove("stacks/deploy/new.yaml");
    // A rename.
    repo.git(&["mv", "stacks/deploy/other.yaml", "stacks/deploy/renamed.yaml"]);
    let json = repo.run(&["diff", "--staged", "--format", "json"]).ends_with(0).json();
    let paths: Vec<&str> =
        json["components"][0]["changes"].as_array().unwrap().iter().map(|c| c["path"].as_str().unwrap()).collect();
    assert!(paths.iter().all(|p| p.contains("atmos_") || p.contains("manifest")), "{paths:?}");
    repo.git(&["reset", "--quiet", "--hard"]);
    // Without its files in the worktree, and with most of them missing.
    repo.git(&["update-index", "--skip-worktree", "stacks/deploy/other.yaml"]);
    repo.remove("stacks/deploy/other.yaml");
    repo.run(&["diff", "--staged"]).ends_with(0).says("No effective change.");
    repo.git(&["update-index", "--no-skip-worktree", "stacks/deploy/other.yaml"]);
    repo.git(&["sparse-checkout", "set", "--no-cone", "/atmos.yaml"]);
    repo.run(&["diff", "--staged"]).ends_with(0).says("No effective change.");
    repo.run(&["check", "--rev", "HEAD"]).ends_with(0);
}

#[test]
fn conflicts_in_the_index() {
    let repo = project(&[]);
    repo.git(&["switch", "--quiet", "--create", "a"]);
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2")).commit("a");
    repo.git(&["switch", "--quiet", "--create", "b", "main"]);
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 3")).commit("b");
    let (merged, _) = crate::common::try_git_in(repo.root(), &["merge", "a"]);
    assert!(!merged);
    repo.run(&["diff", "--staged"]).ends_with(2).complains("conflict").complains("dev.yaml");
    repo.run(&["check"]).ends_with(1).says("stacks/deploy/dev.yaml");
    repo.run(&["check", "--rev", "HEAD"]).ends_with(0);
}

#[test]
fn a_huge_pack_of_small_changes() {
    let repo = project(&[]);
    let lines: String = (0..2000).map(|i| format!("# line {i}\n")).collect();
    for i in 0..60 {
        repo.write(
            "stacks/deploy/dev.yaml",
            format!("{}{lines}# {i}\n", DEV.replace("size: 1", &format!("size: {i}"))),
        );
        repo.commit(&i.to_string());
    }
    repo.git(&["repack", "-a", "-d", "-f", "-q", "--depth=4000", "--window=100"]);
    repo.run(&["diff", "HEAD~59..HEAD"]).ends_with(0).says("0 → 59");
}

fn start(repo: &Repo, arguments: &[&str]) -> std::process::Child {
    let mut command = Command::new(bin());
    command.args(arguments).current_dir(repo.root()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn several_runs_at_once_say_the_same() {
    let repo = project(&[]);
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2")).commit("head");
    let arguments = ["diff", "HEAD~1..HEAD", "--format", "json"];
    let expected = repo.run(&arguments).ends_with(0);
    let children: Vec<_> = (0..6).map(|_| start(&repo, &arguments)).collect();
    for child in children {
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0));
        assert_eq!(String::from_utf8(ended.stdout).unwrap(), expected.stdout);
    }
    // Two writers of one report: one of them wins, whole.
    let path = repo.beside("report.json");
    let output = format!("json={}", path.display());
    let children: Vec<_> = (0..6).map(|_| start(&repo, &["diff", "HEAD~1..HEAD", "--output", &output])).collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected.stdout);
}

#[test]
fn while_git_packs_and_commits() {
    let repo = project(&[]);
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2")).commit("head");
    repo.tag("one");
    let arguments = ["diff", "one~1..one", "--format", "json"];
    let expected = repo.run(&arguments).ends_with(0);
    let (folder, done) = (repo.root().to_owned(), AtomicBool::new(false));
    let runs = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // On a busy machine git may be far ahead.
            for i in (0..500).take_while(|i| *i < 25 || runs.load(Ordering::Relaxed) <= 3) {
                repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", &format!("size: {i}")));
                repo.commit(&i.to_string());
                if i % 3 == 0 {
                    repo.git(&["gc", "--quiet", "--prune=now"]);
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            assert_eq!(run_in(&folder, &arguments, &[]), expected);
            // Content that changes during the run may be any of its states, but is one of them.
            for moving in [&["check", "--rev", "HEAD"][..], &["check", "--staged"], &["check"]] {
                let run = run_in(&folder, moving, &[]);
                assert!(run.status <= 2, "{run}");
                assert!(run.status == 0 || run.stderr.len() + run.stdout.len() > 20, "{run}");
            }
            runs.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(runs.into_inner() > 3);
}
