//! However git stores a repository, the answers are the same bytes.

use crate::common::{Repo, git_in, run_in};
use std::path::Path;

const BASE: &str = "stacks/catalog/base.yaml";
const LIVE: &str = "terraform {\n  backend \"local\" {}\n}\nlocals {\n  a = 1\n}\nresource \"terraform_data\" \"r\" {\n  input = local.a\n}\n";

/// Questions about revisions that every clone has.
const REVISIONS: [&[&str]; 8] = [
    &["diff", "v1..main"],
    &["diff", "v1...topic", "--format", "json"],
    &["diff", "topic^!", "--format", "affected"],
    &["diff", "main^2~..:/five"],
    &["check", "--rev", "v1^{commit}", "--format", "json"],
    &["describe", "stacks", "--rev", "light~2"],
    &["why", "dev", "vpc", "vars.zone", "v1..main"],
    &["impact", BASE, "--rev", "main"],
];

/// Questions about the worktree and the index.
const WORKTREE: [&[&str]; 4] = [&["diff"], &["diff", "--staged"], &["check"], &["describe", "affected"]];

/// Two branches that are merged, an annotated tag and another one, a link, and edits in the index and the worktree.
fn history() -> Repo {
    let repo = Repo::atmos();
    let stack = |stage: &str| {
        format!(
            "import: [catalog/base]\nvars: {{stage: {stage}}}\ncomponents: {{terraform: {{vpc: {{vars: {{a: 1}}}}}}}}\n"
        )
    };
    let zone = |text: &str| format!("vars: {{zone: {text}}}\n");
    repo.write("stacks/deploy/dev.yaml", stack("dev")).write("stacks/deploy/prod.yaml", stack("prod"));
    repo.write(BASE, zone("one"))
        .write("live/main.tf", LIVE)
        .link("stacks/link.yaml", "catalog/base.yaml")
        .commit("one");
    repo.git(&["tag", "--annotate", "v1", "--message", "v1"]);
    repo.git(&["switch", "--quiet", "--create", "topic"]);
    repo.write(BASE, zone("two")).commit("two");
    repo.edit("live/main.tf", "a = 1", "a = 2").commit("three");
    repo.git(&["switch", "--quiet", "main"]);
    repo.edit("stacks/deploy/prod.yaml", "a: 1", "a: 3").commit("four");
    repo.git(&["merge", "--quiet", "--message", "five", "topic"]);
    repo.tag("light");
    repo.write(BASE, zone("six")).git(&["add", "--all"]);
    repo.write(BASE, zone("seven"));
    repo
}

fn answers(folder: &Path, questions: &[&[&str]]) -> Vec<String> {
    questions.iter().map(|question| format!("{question:?}\n{}", run_in(folder, question, &[]))).collect()
}

#[track_caller]
fn is_same(expected: &[String], folder: &Path, questions: &[&[&str]], what: &str) {
    for (expected, found) in expected.iter().zip(answers(folder, questions)) {
        assert_eq!(*expected, found, "{what}");
    }
}

#[test]
fn packed_and_indexed_repositories_give_the_same_bytes() {
    let repo = history();
    let questions = [&REVISIONS[..], &WORKTREE[..]].concat();
    let expected = answers(repo.root(), &questions);
    assert!(expected[..REVISIONS.len()].iter().all(|answer| !answer.contains("error:")), "{expected:#?}");
    let steps: [&[&str]; 12] = [
        &["pack-refs", "--all"],
        &["commit-graph", "write", "--reachable"],
        &["repack", "-ad", "-q"],
        &["multi-pack-index", "write"],
        &["-c", "pack.indexVersion=1", "repack", "-adF", "-q", "--depth=50"],
        &["commit-graph", "write", "--reachable", "--split", "--changed-paths"],
        &["repack", "-ad", "-q", "--write-bitmap-index"],
        &["multi-pack-index", "write", "--bitmap"],
        &["update-index", "--index-version", "4"],
        &["update-index", "--split-index"],
        &["gc", "--quiet"],
        &["gc", "--quiet", "--aggressive", "--prune=now"],
    ];
    // Each step changes what the steps before it have left.
    for step in steps {
        repo.git(step);
        is_same(&expected, repo.root(), &questions, &step.join(" "));
    }
    if let Err(why) = reftable(&repo) {
        crate::common::skipped(&why);
        return;
    }
    is_same(&expected, repo.root(), &questions, "reftable");
}

#[test]
fn an_index_without_the_files_of_folders_gives_the_same_bytes() {
    let repo = history();
    repo.git(&["reset", "--quiet", "--hard"]);
    let questions = [&REVISIONS[..], &WORKTREE[..]].concat();
    let expected = answers(repo.root(), &questions);
    repo.git(&["sparse-checkout", "init", "--cone", "--sparse-index"]);
    is_same(&expected, repo.root(), &questions, "only the files of the root");
    assert!(repo.git(&["ls-files", "--sparse"]).lines().any(|path| path == "stacks/"));
    repo.git(&["sparse-checkout", "set", "live"]);
    is_same(&expected, repo.root(), &questions, "one folder");
}

/// Stores the references in a table.
///
/// # Errors
/// This git, or the library that reads repositories, knows no such table.
fn reftable(repo: &Repo) -> Result<(), String> {
    let (is_known, said) = crate::common::try_git_in(repo.root(), &["refs", "migrate", "--ref-format=reftable"]);
    if !is_known {
        return Err(format!("git has no reftable: {}", said.lines().next().unwrap_or_default()));
    }
    let run = repo.run(&["check", "--rev", "HEAD"]);
    // It is refused, never read as something else.
    if run.status == 2 && run.stderr.contains("reftable") { Err(run.stderr) } else { Ok(()) }
}

#[test]
fn clones_of_every_form_give_the_same_bytes() {
    let repo = history();
    let expected = answers(repo.root(), &REVISIONS);
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    repo.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", repo.root().display());
    let clone = |name: &str, options: &[&str]| {
        let folder = repo.beside(name);
        git_in(repo.root(), &[&["clone", "--quiet"], options, &[&*url, folder.to_str().unwrap()]].concat());
        folder
    };
    let branch = |folder: &Path| git_in(folder, &["fetch", "--quiet", "--tags", "origin", "topic:topic"]);
    let partial = clone("partial", &["--filter=blob:none"]);
    branch(&partial);
    run_in(&partial, REVISIONS[0], &[]).ends_with(2).complains("the clone is partial");
    git_in(&partial, &["fetch", "--quiet", "--refetch", "--no-filter", "origin"]);
    let shallow = clone("shallow", &["--depth=1"]);
    git_in(&shallow, &["fetch", "--quiet", "--unshallow"]);
    branch(&shallow);
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap(), "HEAD"]);
    for folder in [&partial, &shallow, &linked, &clone("bare", &["--bare"])] {
        is_same(&expected, folder, &REVISIONS, &folder.display().to_string());
    }
}

#[test]
fn replaced_commits_are_those_that_git_reads() {
    let repo = history();
    repo.git(&["replace", "topic", "topic~1"]);
    let expected = answers(repo.root(), &REVISIONS);
    assert_ne!(expected, answers(history().root(), &REVISIONS));
    repo.git(&["pack-refs", "--all"]);
    is_same(&expected, repo.root(), &REVISIONS, "pack-refs");
    repo.git(&["repack", "-ad", "-q"]);
    is_same(&expected, repo.root(), &REVISIONS, "repack");
    repo.git(&["-c", "core.useReplaceRefs=false", "commit-graph", "write", "--reachable"]);
    is_same(&expected, repo.root(), &REVISIONS, "commit-graph");
}
