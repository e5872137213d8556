//! The hook, as git runs it.

use crate::common::{Repo, bin, git_in, limited, try_git_in};

const GOOD: &str = "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {cidr: 10.0.0.0/16}}}}\n";
const BAD: &str = "import: [catalog/absent]\nvars: {stage: dev}\n";
const STACK: &str = "stacks/deploy/dev.yaml";

/// A project with a first commit and the hook.
fn project() -> Repo {
    let repo = Repo::atmos();
    repo.write(STACK, GOOD).write("README.md", "one\n").commit("first");
    repo.run(&["hook", "install"]).ends_with(0).says("Installed");
    repo
}

/// Runs `git commit`; returns its output, and whether it succeeded.
fn commit(repo: &Repo, more: &[&str]) -> (bool, String) {
    try_git_in(repo.root(), &[&["commit", "--quiet", "--message", "change"], more].concat())
}

#[track_caller]
fn passes(repo: &Repo, more: &[&str]) -> String {
    let (ok, text) = commit(repo, more);
    assert!(ok, "{text}");
    text
}

#[track_caller]
fn fails(repo: &Repo, more: &[&str], why: &str) {
    let (ok, text) = commit(repo, more);
    assert!(!ok && text.contains(why), "expected {why:?} in:\n{text}");
}

#[test]
fn a_good_commit_passes_and_its_effect_is_summed_up() {
    let repo = project();
    repo.edit(STACK, "10.0", "10.1").git(&["add", "."]);
    let effect = "~ 1 change reaches 1 component in 1 stack\ncompared 1 stack, 1 component; atmos.yaml";
    assert_eq!(passes(&repo, &[]).trim(), effect);
    // What is judged is said, also if nothing reads it.
    repo.write("README.md", "two\n").git(&["add", "."]);
    assert_eq!(passes(&repo, &[]), "✓ No effective change.\ncompared 1 stack, 1 component; atmos.yaml\n");
    assert_eq!(passes(&repo, &["--allow-empty"]), "");
}

#[test]
fn what_is_staged_counts_and_not_what_lies_in_the_worktree() {
    let repo = project();
    repo.write(STACK, BAD).git(&["add", "."]);
    repo.write(STACK, GOOD);
    fails(&repo, &[], "unresolved-import");
    repo.git(&["add", "."]);
    repo.write(STACK, BAD).write("README.md", "two\n").git(&["add", "README.md"]);
    passes(&repo, &[]);
    // `git commit -a` stages into another index, which is the one that counts.
    fails(&repo, &["--all"], "unresolved-import");
    fails(&repo, &["--", STACK], "unresolved-import");
    passes(&repo, &["--all", "--no-verify"]);
    // An existing mistake does not block a commit.
    repo.write("README.md", "three\n");
    passes(&repo, &["--all"]);
}

#[test]
fn what_is_taken_away_counts() {
    let repo = Repo::atmos();
    repo.write(STACK, "import: [catalog/base]\nvars: {stage: dev}\n")
        .write("stacks/catalog/base.yaml", "vars: {a: 1}\n");
    repo.commit("first");
    repo.run(&["hook", "install"]).ends_with(0);
    repo.remove("stacks/catalog/base.yaml").git(&["add", "--all"]);
    fails(&repo, &[], "catalog/base");
}

#[test]
fn the_first_commit_is_judged_as_a_whole() {
    let repo = Repo::atmos();
    repo.run(&["hook", "install"]).ends_with(0);
    repo.write(STACK, BAD).git(&["add", "."]);
    fails(&repo, &[], "unresolved-import");
    repo.write(STACK, GOOD).git(&["add", "."]);
    assert!(passes(&repo, &[]).contains("1 component"));
}

#[test]
fn a_repository_without_a_project_is_none_of_its_business() {
    let repo = Repo::new();
    repo.run(&["hook", "install"]).ends_with(0);
    repo.write("a.yaml", "a: {").git(&["add", "."]);
    assert_eq!(passes(&repo, &[]), "");
}

#[cfg(unix)]
#[test]
fn the_hook_that_was_there_runs_first_and_comes_back() {
    let repo = project();
    repo.run(&["hook", "uninstall"]).ends_with(0).says("Removed");
    repo.run(&["hook", "status"]).ends_with(1).says("Not installed");
    let other = "#!/bin/sh\necho other >&2\ntest ! -f stop\n";
    repo.write(".git/hooks/pre-commit", other).executable(".git/hooks/pre-commit");
    repo.run(&["hook", "install"]).ends_with(0).says("runs first");
    repo.run(&["hook", "status"]).ends_with(0).says("pre-commit.before-stacklint runs first").hides("renews");
    repo.run(&["hook", "install"]).ends_with(0).says("up to date");
    assert_eq!(passes(&repo, &["--allow-empty"]), "other\n");
    repo.write(STACK, BAD).git(&["add", STACK]);
    fails(&repo, &[], "unresolved-import");
    repo.write(STACK, GOOD).write("stop", "").git(&["add", "."]);
    fails(&repo, &[], "other");
    repo.run(&["hook", "uninstall"]).ends_with(0).says("is restored");
    assert_eq!(std::fs::read_to_string(repo.root().join(".git/hooks/pre-commit")).unwrap(), other);
    assert!(!repo.root().join(".git/hooks/pre-commit.before-stacklint").exists());
    repo.run(&["hook", "uninstall"]).ends_with(0).says("No stacklint hook is installed");
}

#[cfg(unix)]
#[test]
fn a_hook_that_another_tool_moved_aside_is_found() {
    let repo = project();
    let hooks = repo.root().join(".git/hooks");
    std::fs::rename(hooks.join("pre-commit"), hooks.join("pre-commit.legacy")).unwrap();
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\n").executable(".git/hooks/pre-commit");
    repo.run(&["hook", "status"]).ends_with(0).says("pre-commit.legacy").says("Another tool");
    repo.run(&["hook", "uninstall"]).ends_with(0);
    assert!(!hooks.join("pre-commit.legacy").exists() && hooks.join("pre-commit").exists());
}

#[test]
fn linked_worktrees_share_it() {
    let repo = project();
    let tree = repo.beside("tree");
    repo.git(&["worktree", "add", "--quiet", "-b", "other", tree.to_str().unwrap()]);
    std::fs::write(tree.join(STACK), BAD).unwrap();
    let (ok, text) = try_git_in(&tree, &["commit", "--quiet", "--all", "--message", "bad"]);
    assert!(!ok && text.contains("unresolved-import"), "{text}");
    let status = crate::common::run_in(&tree, &["hook", "status"], &[]).ends_with(0);
    assert!(status.stdout.contains("repo/.git/hooks"), "{status}");
}

#[test]
fn a_project_in_a_folder_is_looked_at_from_there() {
    let repo = Repo::new();
    let atmos = crate::common::ATMOS;
    repo.write("it's/infra/atmos.yaml", atmos).write(&format!("it's/infra/{STACK}"), GOOD).commit("first");
    repo.run_in("it's/infra", &["hook", "install"]).ends_with(0);
    repo.write(&format!("it's/infra/{STACK}"), BAD).git(&["add", "."]);
    fails(&repo, &[], "unresolved-import");
    passes(&repo, &["--no-verify"]);
    // The same from a linked worktree, where git names the repository in the environment.
    let tree = repo.beside("tree");
    repo.git(&["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap()]);
    std::fs::write(tree.join("it's/infra/stacks/deploy/prod.yaml"), "import: [nowhere]\nvars: {stage: prod}\n")
        .unwrap();
    git_in(&tree, &["add", "."]);
    let (ok, text) = try_git_in(&tree, &["commit", "--quiet", "--message", "bad"]);
    assert!(!ok && text.contains("prod.yaml"), "{text}");
    // Existing errors are mentioned in one line, and are not findings of this commit.
    assert!(text.contains("resolves on neither side") && !text.contains("dev.yaml:1:10"), "{text}");
    // A branch without the folder.
    git_in(&tree, &["checkout", "--quiet", "--orphan", "empty"]);
    git_in(&tree, &["rm", "-rfq", "."]);
    let (ok, text) = try_git_in(&tree, &["commit", "--quiet", "--allow-empty", "--message", "empty"]);
    assert!(ok, "{text}");
}

#[test]
fn core_hooks_path_counts() {
    let repo = Repo::atmos();
    repo.git(&["config", "core.hooksPath", "tools/hooks"]);
    repo.run(&["hook", "install"]).ends_with(0).says("tools/hooks/pre-commit");
    repo.write(STACK, BAD).git(&["add", "."]);
    fails(&repo, &[], "unresolved-import");
    repo.git(&["config", "core.hooksPath", ".husky/_"]);
    repo.run(&["hook", "install"]).ends_with(2).complains(".husky/pre-commit");
    repo.git(&["config", "--unset", "core.hooksPath"]);
    let everywhere = repo.beside("everywhere");
    let global = repo.beside("gitconfig");
    std::fs::write(&global, format!("[core]\nhooksPath = {}\n", everywhere.display())).unwrap();
    let environment = [("GIT_CONFIG_GLOBAL", global.to_str().unwrap())];
    repo.run_with(&["hook", "install"], &environment).ends_with(2).complains("--force");
    assert!(!everywhere.exists());
    repo.run_with(&["hook", "install", "--force"], &environment).ends_with(0);
    assert!(everywhere.join("pre-commit").exists());
}

#[cfg(unix)]
#[test]
fn a_program_that_is_gone_is_searched_and_then_missed() {
    let repo = Repo::atmos();
    let copy = repo.beside("stacklint-copy");
    std::fs::copy(bin(), &copy).unwrap();
    // While another test starts a program, its child may still hold the copy open for writing.
    let install = || std::process::Command::new(&copy).args(["hook", "install"]).current_dir(repo.root()).status();
    let busy = std::io::ErrorKind::ExecutableFileBusy;
    let installed = std::iter::repeat_with(install).find(|s| s.as_ref().err().is_none_or(|e| e.kind() != busy));
    let installed = installed.unwrap().unwrap();
    assert!(installed.success());
    repo.run(&["hook", "status"]).ends_with(0).says("renews");
    std::fs::remove_file(&copy).unwrap();
    repo.write(STACK, BAD).git(&["add", "."]);
    fails(&repo, &[], "stacklint is not installed any more");
}

#[test]
fn it_can_show_the_diff_and_be_stricter() {
    let repo = project();
    repo.edit(STACK, "10.0", "10.1").git(&["add", "."]);
    repo.run(&["hook", "run"]).ends_with(0).hides("vars.cidr");
    repo.run(&["hook", "run", "--diff"]).ends_with(0).says("vars.cidr");
    repo.write(
        STACK,
        "# stacklint: ignore[unresolved-import] gone\nvars: {stage: dev}\ncomponents: {terraform: {vpc: {}}}\n",
    )
    .git(&["add", "."]);
    repo.run(&["hook", "run"]).ends_with(0).says("unused-ignore");
    repo.run(&["hook", "run", "--fail-on", "warning"]).ends_with(1);
}

#[test]
fn a_clean_merge_is_checked() {
    let repo = project();
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("stacks/deploy/prod.yaml", BAD.replace("dev", "prod")).git(&["add", "."]);
    passes(&repo, &["--no-verify"]);
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("README.md", "two\n").git(&["add", "."]);
    passes(&repo, &[]);
    let (ok, text) = try_git_in(repo.root(), &["merge", "--quiet", "--no-edit", "other"]);
    assert!(!ok && text.contains("unresolved-import") && text.contains("stacklint blocked"), "{text}");
    let (ok, text) = try_git_in(repo.root(), &["merge", "--quiet", "--no-edit", "--no-verify", "other"]);
    assert!(ok || text.contains("not concluded"), "{text}");
}

#[test]
fn a_blocked_commit_names_stacklint_and_the_way_out() {
    let repo = project();
    repo.write(STACK, BAD).git(&["add", "."]);
    fails(&repo, &[], "stacklint blocked this commit");
    fails(&repo, &[], "`git commit --no-verify`");
    repo.write(STACK, GOOD).git(&["add", "."]);
    assert!(!passes(&repo, &["--allow-empty"]).contains("no-verify"));
}

#[test]
fn a_push_is_checked_on_request() {
    let repo = project();
    let remote = repo.beside("remote.git");
    let push = |more: &[&str]| try_git_in(repo.root(), &[&["push", "--quiet", "origin"], more].concat());
    git_in(repo.root(), &["init", "--quiet", "--bare", remote.to_str().unwrap()]);
    repo.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    repo.run(&["hook", "status"]).ends_with(0).says("there is no pre-push hook");
    repo.run(&["hook", "install", "--pre-push"]).ends_with(0).says("pre-push");
    // Mistakes in the first push count, because the remote had nothing.
    assert_eq!(
        push(&["main"]),
        (
            true,
            "~ 1 change reaches 1 component in 1 stack (1 added)\ncompared 1 stack, 1 component; atmos.yaml\n"
                .to_owned()
        )
    );
    repo.write(STACK, BAD).git(&["add", "."]);
    passes(&repo, &["--no-verify"]);
    let (ok, text) = push(&["main"]);
    assert!(!ok && text.contains("unresolved-import") && text.contains("`git push --no-verify`"), "{text}");
    // A new branch is compared with what the remote's main branch has of it.
    let (ok, text) = push(&["main:refs/heads/topic"]);
    assert!(!ok && text.contains("unresolved-import"), "{text}");
    assert!(push(&["--no-verify", "main"]).0);
    repo.write("README.md", "two\n").git(&["add", "."]);
    passes(&repo, &[]);
    let (ok, text) = push(&["main", "main:refs/heads/topic"]);
    assert!(ok && text.contains("resolves on neither side"), "{text}");
    assert!(push(&["--delete", "topic"]).0);
    repo.run(&["hook", "uninstall"]).ends_with(0).says("pre-push");
    assert!(!repo.root().join(".git/hooks/pre-push").exists());
}

#[cfg(unix)]
#[test]
fn a_push_hook_that_was_there_gets_what_git_says() {
    let repo = project();
    let remote = repo.beside("remote.git");
    git_in(repo.root(), &["init", "--quiet", "--bare", remote.to_str().unwrap()]);
    repo.write(".git/hooks/pre-push", "#!/bin/sh\ncat >&2\necho \"to $1\" >&2\n").executable(".git/hooks/pre-push");
    repo.run(&["hook", "install", "--pre-push"]).ends_with(0).says("pre-push.before-stacklint and runs first");
    let (ok, text) = try_git_in(repo.root(), &["push", "--quiet", remote.to_str().unwrap(), "main"]);
    assert!(ok && text.contains("refs/heads/main ") && text.contains("to /"), "{text}");
}

#[test]
fn the_range_that_pre_commit_names_is_compared() {
    let repo = project();
    repo.git(&["checkout", "--quiet", "-b", "topic"]);
    repo.write("stacks/deploy/qa.yaml", GOOD.replace("dev", "qa")).git(&["add", "."]);
    passes(&repo, &[]);
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write(STACK, BAD).git(&["add", "."]);
    passes(&repo, &["--no-verify"]);
    let refs = |from, to| [("PRE_COMMIT", "1"), ("PRE_COMMIT_FROM_REF", from), ("PRE_COMMIT_TO_REF", to)];
    // Commits on `main` in the meantime are not changes of `topic`.
    let topic = repo.run_with(&["hook", "run"], &refs("main", "topic")).ends_with(0);
    assert_eq!(
        topic.stdout,
        "~ 1 change reaches 1 component in 1 stack (1 added)\ncompared 2 stacks, 2 components; atmos.yaml\n"
    );
    repo.run_with(&["hook", "run"], &refs("main~1", "main")).ends_with(1).says("unresolved-import");
    repo.run_with(&["hook", "run"], &refs("main", "nowhere")).ends_with(2).complains("nowhere");
    // Empty variables count as unset.
    repo.run_with(&["hook", "run"], &[("PRE_COMMIT_FROM_REF", ""), ("PRE_COMMIT_TO_REF", "")]).ends_with(0);
}

#[test]
fn all_files_means_all_findings_of_the_commit() {
    let repo = project();
    repo.write(STACK, BAD).git(&["add", "."]);
    passes(&repo, &["--no-verify"]);
    let by_hand = [("PRE_COMMIT", "1")];
    repo.run_with(&["hook", "run"], &by_hand).ends_with(1).says("unresolved-import");
    // In a commit, where git sets the index, existing mistakes do not count.
    let index = repo.root().join(".git/index");
    let in_commit = [by_hand[0], ("GIT_INDEX_FILE", index.to_str().unwrap())];
    repo.run_with(&["hook", "run"], &in_commit).ends_with(0).hides("unresolved-import");
    repo.run(&["hook", "run"]).ends_with(0);
}

#[test]
fn files_that_no_manifest_names_count_if_a_system_reads_them() {
    let code = "terraform {\n  backend \"s3\" {\n    bucket = \"b\"\n    key    = trimspace(file(\"${path.module}/key.txt\"))\n  }\n}\n";
    let garden = "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\nvariables: {a: x}\n---\nkind: Run\ntype: exec\nname: r\nspec: {command: [echo, '${var.a}']}\n";
    for (config, text, read) in [("app/main.tf", code, "app/key.txt"), ("project.garden.yml", garden, "garden.env")] {
        let repo = Repo::new();
        repo.write(config, text).write(read, "a=one\n").commit("base");
        repo.write(read, "a=two\n").git(&["add", "--all"]);
        repo.run(&["hook", "run"]).says(" reach").hides("No effective change");
    }
}

#[test]
fn what_the_code_of_a_component_contains_counts_as_in_the_diff() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {vpc: {}}}\n");
    repo.write("components/terraform/vpc/main.tf", "")
        .write("components/terraform/vpc/lambda.py", "a = 1\n")
        .commit("base");
    repo.write("components/terraform/vpc/lambda.py", "a = 2\n").git(&["add", "--all"]);
    repo.run(&["diff", "--staged", "--exit-code"]).ends_with(3);
    repo.run(&["hook", "run"]).ends_with(0).says("1 component in 1 stack runs different code");
}

#[test]
fn every_reference_of_a_push_is_judged() {
    let repo = project();
    let id = |revision: &str| repo.git(&["rev-parse", revision]).trim().to_owned();
    let (good, none) = (id("HEAD"), "0".repeat(40));
    repo.git(&["update-ref", "refs/remotes/origin/main", &good]);
    repo.write(STACK, BAD).git(&["add", "."]);
    repo.git(&["commit", "--quiet", "--no-verify", "--message", "bad"]);
    let bad = id("HEAD");
    let push = |to: &str, id: &str| format!("refs/heads/x {id} {to} {none}\n");
    let many: String = (0..60).map(|i| push(&format!("refs/heads/b{i}"), &good)).collect();
    let tree = id("HEAD^{tree}");
    for (to, id, expected) in [
        ("refs/heads/bad", &bad, 1),
        ("refs/tags/v1", &bad, 1),
        ("refs/for/main", &bad, 1),
        ("refs/tags/folder", &tree, 0),
    ] {
        let input = repo.beside("pushed");
        std::fs::write(&input, format!("{many}{}", push(to, id))).unwrap();
        let mut run = limited(repo.root(), &["hook", "run", "--pushed-to=origin"]);
        let output = run.stdin(std::fs::File::open(&input).unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(expected), "{to}\n{output:?}");
        // Each judgment names what it is about.
        let said = String::from_utf8(output.stdout).unwrap();
        let short = to.trim_start_matches("refs/heads/").trim_start_matches("refs/tags/");
        assert_eq!(said.lines().any(|line| line == format!("{short}:")), expected == 1, "{to}\n{said}");
    }
}

#[test]
fn a_push_of_damaged_objects_is_not_judged() {
    let repo = project();
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    repo.edit(STACK, "10.0", "10.1").git(&["add", "."]);
    passes(&repo, &["--no-verify"]);
    let id = |name: &str| repo.git(&["rev-parse", name]).trim().to_owned();
    let input = repo.beside("pushed");
    std::fs::write(&input, format!("refs/heads/main {} refs/heads/main {}\n", id("HEAD"), id("HEAD~1"))).unwrap();
    for damaged in [id("HEAD"), id("HEAD~1")] {
        let object = repo.root().join(".git/objects").join(&damaged[..2]).join(&damaged[2..]);
        let bytes = std::fs::read(&object).unwrap();
        std::fs::remove_file(&object).unwrap();
        std::fs::write(&object, &bytes[..bytes.len() / 2]).unwrap();
        let mut run = limited(repo.root(), &["hook", "run", "--pushed-to=origin"]);
        let output = run.stdin(std::fs::File::open(&input).unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        std::fs::write(&object, bytes).unwrap();
    }
}
