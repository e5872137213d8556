//! Which two states are compared, and that the way they are stored does not matter.

use crate::common::{Repo, git_in, run_in};

/// Three commits on `main` (tags `one`, `two`, `three`) and a branch `side` from `one`. Only `size` changes.
fn history() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack("small")).commit("one");
    repo.tag("one").git(&["branch", "side"]);
    repo.write("stacks/deploy/dev.yaml", stack("medium")).commit("two");
    repo.tag("two").write("stacks/deploy/dev.yaml", stack("large")).commit("three");
    repo.git(&["tag", "--annotate", "--message", "three", "three"]);
    repo.git(&["checkout", "--quiet", "side"]);
    repo.write("stacks/deploy/qa.yaml", stack("tiny").replace("stage: dev", "stage: qa")).commit("side");
    repo.git(&["checkout", "--quiet", "main"]);
    repo
}

fn became(before: &str, after: &str) -> String {
    format!("\"{before}\" → \"{after}\"")
}

fn stack(size: &str) -> String {
    format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    box:\n      vars:\n        size: {size}\n")
}

#[test]
fn two_dots_compare_the_two_as_they_are() {
    let repo = history();
    repo.run(&["diff", "one..two"]).ends_with(0).says(&became("small", "medium"));
    repo.run(&["diff", "one..main"]).ends_with(0).says(&became("small", "large"));
    repo.run(&["diff", "one..three"]).ends_with(0).says(&became("small", "large"));
    repo.run(&["diff", "HEAD~1.."]).ends_with(0).says(&became("medium", "large"));
    repo.run(&["diff", "two..two"]).ends_with(0).says("No effective change.");
    repo.run(&["diff", "main..side"]).ends_with(0).says(&became("large", "small")).says("qa");
}

#[test]
fn what_one_commit_changes_is_a_range() {
    let repo = history();
    repo.write("stacks/deploy/dev.yaml", stack("huge"));
    for (range, before, after) in [("two^!", "small", "medium"), ("main^-", "medium", "large")] {
        repo.run(&["diff", range]).ends_with(0).says(&became(before, after)).hides("huge");
    }
    repo.run(&["diff", "one^!"]).ends_with(2).complains("has 0 parents");
    for arguments in [["diff", "main^@"], ["check", "--rev=main^!"]] {
        repo.run(&arguments).ends_with(2).complains("does not name exactly one commit");
    }
}

#[test]
fn two_revisions_are_the_two_sides() {
    let repo = history();
    assert_eq!(repo.run(&["diff", "one", "two"]), repo.run(&["diff", "one..two"]));
    for arguments in [["diff", "one..two", "two"], ["diff", "one", "two...main"]] {
        repo.run(&arguments).ends_with(2).complains("is a range with both sides");
    }
    repo.run(&["diff", "one", "two", "--staged"]).ends_with(2).complains("is a range with both sides");
}

#[test]
fn three_dots_start_at_the_merge_base() {
    let repo = history();
    let run = repo.run(&["diff", "main...side", "--format", "json"]).ends_with(0);
    let json = run.json();
    assert_eq!(json["base"]["commit"], repo.git(&["rev-parse", "one"]).trim());
    assert_eq!(json["components"].as_array().unwrap().len(), 1);
    assert_eq!(json["components"][0]["stack"], "qa");
    assert_eq!(json["components"][0]["status"], "added");
}

#[test]
fn a_single_revision_is_compared_with_the_worktree() {
    let repo = history();
    repo.run(&["diff"]).ends_with(0).says("No effective change.");
    repo.write("stacks/deploy/dev.yaml", stack("huge"));
    repo.run(&["diff"]).ends_with(0).says(&became("large", "huge"));
    repo.run(&["diff", "two"]).ends_with(0).says(&became("medium", "huge"));
    repo.run(&["diff", "two", "--worktree"]).ends_with(0).says(&became("medium", "huge"));
    // Untracked files count as well.
    repo.write("stacks/deploy/new.yaml", stack("tiny").replace("stage: dev", "stage: fresh"));
    repo.run(&["diff"]).ends_with(0).says("fresh");
}

#[test]
fn what_is_staged_is_not_what_lies_in_the_worktree() {
    let repo = history();
    repo.write("stacks/deploy/dev.yaml", stack("staged")).git(&["add", "."]);
    repo.write("stacks/deploy/dev.yaml", stack("unstaged"));
    repo.run(&["diff", "--staged"]).ends_with(0).says(&became("large", "staged")).hides("unstaged");
    repo.run(&["diff", "two", "--staged"]).ends_with(0).says(&became("medium", "staged"));
    repo.run(&["diff"]).ends_with(0).says(&became("large", "unstaged"));
    repo.run(&["check", "--staged"]).ends_with(0);
    repo.run(&["diff", "one..two", "--staged"]).ends_with(2).complains("is a range with both sides");
    repo.run(&["diff", "--staged", "--worktree"]).ends_with(2);
}

#[test]
fn revisions_can_be_described_and_checked() {
    let repo = history();
    let size = |arguments: &[&str]| {
        let run = repo.run(arguments).ends_with(0);
        run.json()["vars"]["size"].clone()
    };
    assert_eq!(size(&["describe", "component", "box", "-s", "dev", "--format", "json", "--rev", "one"]), "small");
    assert_eq!(size(&["describe", "component", "box", "-s", "dev", "--format", "json"]), "large");
    repo.run(&["check", "--rev", "one"]).ends_with(0);
}

#[test]
fn unknown_revisions_suggest_what_was_meant() {
    let repo = history();
    let run = repo.run(&["diff", "mian..side"]).ends_with(2).complains("`mian`").complains("did you mean `main`?");
    assert_eq!(run.stdout, "");
    repo.run(&["diff", "main..sied"]).ends_with(2).complains("did you mean `side`?");
    repo.run(&["check", "--rev", "thre"]).ends_with(2).complains("did you mean `three`?");
    repo.run(&["diff", "0123456789abcdef0123456789abcdef01234567"]).ends_with(2);
    repo.run(&["diff", "HEAD~40..HEAD"]).ends_with(2).complains("HEAD~40");
}

#[test]
fn a_repository_without_commits() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack("small"));
    repo.run(&["diff"]).ends_with(0).says("(1 added)");
    repo.run(&["diff", "HEAD"]).ends_with(2).complains("has no commit yet");
    repo.run(&["check"]).ends_with(0);
    repo.run(&["describe", "stacks"]).ends_with(0).says("box");
}

#[test]
fn bare_packed_and_linked_repositories_give_the_same_bytes() {
    let repo = Repo::review();
    for format in ["text", "json"] {
        let arguments = ["diff", "base..head", "--format", format];
        let expected = repo.run(&arguments).ends_with(1);

        let bare = repo.beside(&format!("bare-{format}.git"));
        repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
        assert_eq!(run_in(&bare, &arguments, &[]), expected, "bare");

        let linked = repo.beside(&format!("linked-{format}"));
        repo.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap(), "base"]);
        assert_eq!(run_in(&linked, &arguments, &[]), expected, "linked");

        let clone = repo.beside(&format!("clone-{format}"));
        repo.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
        git_in(&clone, &["gc", "--quiet", "--prune=now"]);
        git_in(&clone, &["pack-refs", "--all"]);
        assert_eq!(run_in(&clone, &arguments, &[]), expected, "packed");
    }
}

#[test]
fn a_linked_worktree_is_its_own_worktree() {
    let repo = history();
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap(), "one"]);
    std::fs::write(linked.join("stacks/deploy/dev.yaml"), stack("linked")).unwrap();
    run_in(&linked, &["diff"], &[]).ends_with(0).says(&became("small", "linked"));
    repo.run(&["diff"]).ends_with(0).says("No effective change.");
}

#[test]
fn a_bare_repository_has_revisions_only() {
    let repo = history();
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    run_in(&bare, &["describe", "stacks"], &[]).ends_with(0).says("box");
    run_in(&bare, &["check"], &[]).ends_with(0);
    run_in(&bare, &["diff", "one"], &[]).ends_with(2).complains("bare");
    run_in(&bare, &["check", "--staged"], &[]).ends_with(2).complains("bare");
}

#[test]
fn a_shallow_clone_says_what_to_fetch() {
    let repo = history();
    let source = format!("file://{}", repo.root().display());
    let clone = |name: &str, branches: &[&str]| {
        let path = repo.beside(name);
        let path = path.to_str().unwrap().to_owned();
        repo.git(&[&["clone", "--quiet", "--no-tags", "--depth=1"], branches, &[&source, &path]].concat());
        std::path::PathBuf::from(path)
    };
    let shallow = clone("shallow", &[]);
    let run = run_in(&shallow, &["diff", "HEAD~1..HEAD"], &[]).ends_with(2);
    run.complains("git fetch").complains("fetch-depth");
    run_in(&shallow, &["check"], &[]).ends_with(0);
    let both = clone("both", &["--no-single-branch"]);
    let run = run_in(&both, &["diff", "origin/main...origin/side"], &[]).ends_with(2);
    run.complains("no common ancestor").complains("--deepen");
    run_in(&both, &["diff", "origin/main..origin/side"], &[]).ends_with(0).says("qa");
}

#[test]
fn a_conflicted_index_is_refused() {
    let repo = history();
    repo.git(&["checkout", "--quiet", "side"]);
    repo.write("stacks/deploy/dev.yaml", stack("other")).commit("other");
    let merge = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| repo.git(&["merge", "main"])));
    assert!(merge.is_err(), "the merge has a conflict");
    repo.run(&["diff", "--staged"]).ends_with(2).complains("stacks/deploy/dev.yaml").complains("conflict");
}

#[test]
fn hooks_name_their_own_index() {
    let repo = history();
    repo.write("stacks/deploy/dev.yaml", stack("hook"));
    // While `git commit FILE` runs, git keeps what will be committed in another index.
    std::fs::copy(repo.root().join(".git/index"), repo.root().join(".git/other")).unwrap();
    repo.git(&["add", "."]);
    std::fs::rename(repo.root().join(".git/index"), repo.root().join(".git/hook")).unwrap();
    std::fs::rename(repo.root().join(".git/other"), repo.root().join(".git/index")).unwrap();
    repo.run(&["diff", "--staged"]).ends_with(0).says("No effective change.");
    let run = repo.run_with(&["diff", "--staged"], &[("GIT_INDEX_FILE", ".git/hook")]);
    run.ends_with(0).says(&became("large", "hook"));
}

#[test]
fn a_file_that_is_gone_from_the_worktree() {
    let repo = history();
    repo.remove("stacks/deploy/dev.yaml").write("stacks/deploy/x.yaml", stack("x").replace("stage: dev", "stage: x"));
    repo.run(&["diff"]).ends_with(1).says("component removed").says("box of dev").says("component added");
    repo.run(&["diff", "--staged"]).ends_with(0).says("No effective change.");
}

#[test]
fn ignored_files_are_no_part_of_the_worktree() {
    let repo = history();
    repo.write(".gitignore", "stacks/deploy/private.yaml\n").commit("ignore");
    repo.write("stacks/deploy/private.yaml", stack("x").replace("stage: dev", "stage: private"));
    // Atmos reads files on the disk, ignored or not.
    repo.run(&["describe", "stacks"]).ends_with(0).says("private");
}

#[test]
fn revisions_that_lead_nowhere_are_explained_in_plain_words() {
    let repo = Repo::review();
    for (revision, message) in [
        ("HEAD~50", "has only 1 earlier commit in this clone"),
        ("HEAD^5", "has only 1 parent"),
        ("HEAD^{tree}", "it is a folder"),
        ("HEAD:atmos.yaml", "it is a file"),
        ("HEAD@{500}", "the reflog does not go back so far"),
        ("HEAD~x", "what follows the name cannot be read"),
        ("HEAD^{nothing}", "what follows the name cannot be read"),
        ("HEAD^@", "it does not name exactly one commit"),
    ] {
        let run = repo.run(&["diff", revision]).ends_with(2).complains(message);
        for word in ["delegate", "input=", "unconsumed", "peel"] {
            assert!(!run.stderr.contains(word), "{run}");
        }
    }
}

#[test]
fn advice_for_shallow_clones_names_full_ids() {
    let repo = Repo::review();
    let clone = repo.beside("shallow");
    let url = format!("file://{}", repo.root().display());
    repo.git(&["clone", "--quiet", "--depth", "1", &url, clone.to_str().unwrap()]);
    let (base, head) = (repo.git(&["rev-parse", "base"]), repo.git(&["rev-parse", "head"]));
    let (base, head) = (base.trim(), head.trim());
    let run = |revision: &str| run_in(&clone, &["diff", revision], &[]).ends_with(2);
    run(base).complains(&format!("git fetch --depth=1 origin {base}"));
    run("HEAD~1").complains(&format!("git fetch --deepen=200 origin {head}"));
    run(&base[..8]).complains("a server finds commits only by their full ids");
}

#[test]
fn a_partial_clone_ends_with_what_to_fetch() {
    let repo = history();
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    repo.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let url = format!("file://{}", repo.root().display());
    git_in(&repo.beside(""), &["clone", "--quiet", "--filter=blob:none", &url, "partial"]);
    let clone = repo.beside("partial");
    let run = |arguments: &[&str]| run_in(&clone, arguments, &[("GIT_NO_LAZY_FETCH", "1")]);
    // What is checked out is there.
    run(&["check"]).ends_with(0);
    run(&["diff", "HEAD~1..HEAD"]).ends_with(2).complains("stacks/deploy/dev.yaml").complains("git fetch");
    run(&["check", "--rev", "HEAD~1"]).ends_with(2).complains("stacks/deploy/dev.yaml");
    run(&["why", "dev", "box", "vars.size", "--rev", "HEAD~1"]).ends_with(2).complains("git fetch");
    let parent = repo.git(&["rev-parse", "HEAD~1"]);
    let ci = ["ci", "--base", "HEAD~1"];
    run(&ci).ends_with(2);
    run(&[&ci[..], &["--needs"]].concat()).ends_with(0).says(&format!("objects {}", parent.trim()));
    git_in(&clone, &["archive", "--output", "../files.tar", "HEAD~1"]);
    run(&ci).ends_with(0).says(&became("medium", "large"));
    run(&[&ci[..], &["--needs"]].concat()).ends_with(0).hides("objects");
}
