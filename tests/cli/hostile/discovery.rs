//! Which repository is under review: nothing that a change commits decides it.

use super::{DEV, project};
use crate::common::{ATMOS, Repo, Run, git_in, run_in};

/// A project below `infra` whose tag `head` breaks an import that its tag `base` does not have.
fn reviewed() -> Repo {
    let repo = Repo::new();
    repo.write("infra/atmos.yaml", ATMOS).write("infra/stacks/deploy/dev.yaml", DEV).commit("base");
    repo.tag("base").write("infra/stacks/deploy/dev.yaml", format!("import: [gone]\n{DEV}"));
    repo
}

/// Writes a bare repository, in which `base` and `head` are one harmless commit, into a folder, to be committed.
fn plant(repo: &Repo, folder: &str, config: &str) {
    let other = repo.beside("other");
    std::fs::create_dir(&other).unwrap();
    for arguments in [&["init", "--quiet", "."][..], &["add", "."], &["commit", "--quiet", "--allow-empty", "-m", "x"]]
    {
        git_in(&other, arguments);
    }
    std::fs::create_dir_all(other.join("stacks/deploy")).unwrap();
    std::fs::write(other.join("stacks/deploy/dev.yaml"), DEV).unwrap();
    std::fs::write(other.join("atmos.yaml"), ATMOS).unwrap();
    for arguments in
        [&["add", "."][..], &["commit", "--quiet", "-m", "y"], &["tag", "base"], &["tag", "head"], &["branch", "topic"]]
    {
        git_in(&other, arguments);
    }
    let bare = repo.beside("other.git");
    git_in(repo.root(), &["clone", "--quiet", "--bare", other.to_str().unwrap(), bare.to_str().unwrap()]);
    std::fs::remove_dir_all(bare.join("hooks")).ok();
    repo.copy(&bare, &format!("{folder}/"));
    repo.write(&format!("{folder}/refs/keep"), "").write(&format!("{folder}/config"), config);
}

const BARE: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

#[track_caller]
fn finds_the_import(run: Run) {
    run.ends_with(1).says("unresolved-import");
}

#[test]
fn a_committed_bare_repository_is_not_the_one_under_review() {
    let repo = reviewed();
    let outside = repo.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    let worktree = BARE.replace("true", "false") + &format!("\tworktree = {}\n", outside.display());
    plant(&repo, "infra", BARE);
    for config in [BARE, &worktree, "[include]\n\tpath = /nonexistent\n[core]\n\tbare = true\n"] {
        repo.write("infra/config", config).commit("head");
        repo.tag("head");
        finds_the_import(repo.run_in("infra", &["diff", "base..head"]));
        for folder in ["infra/refs", "infra/objects"] {
            let json = repo.run_in(folder, &["diff", "base..head", "--format", "json"]).json();
            assert_eq!(json["head"]["commit"], repo.git(&["rev-parse", "head"]).trim());
        }
        finds_the_import(repo.run(&["-C", "infra", "diff", "base..head"]));
        finds_the_import(repo.run(&["-C", "infra", "ci", "--base", "base", "--head", "head"]));
        finds_the_import(repo.run_in("infra", &["check"]));
        // The hook goes where the commits of the worktree go.
        repo.run_in("infra", &["hook", "install"]).ends_with(0);
        assert!(repo.root().join(".git/hooks/pre-commit").exists());
        assert!(!repo.root().join("infra/hooks").exists() && std::fs::read_dir(&outside).unwrap().next().is_none());
    }
    // The same tree in a fresh clone has the same verdict.
    let clone = repo.beside("clone");
    repo.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let arguments = ["diff", "base..head", "--format", "json"];
    assert_eq!(run_in(&clone.join("infra"), &arguments, &[]), repo.run_in("infra", &arguments));
}

#[test]
fn a_bare_repository_is_used_where_it_is_named() {
    let repo = project(&[]);
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    run_in(&bare, &["check"], &[]).ends_with(0);
    let explicit =
        [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.bareRepository"), ("GIT_CONFIG_VALUE_0", "explicit")];
    run_in(&bare, &["check"], &explicit).ends_with(2).complains("safe.bareRepository");
    let named = [&explicit[..], &[("GIT_DIR", bare.to_str().unwrap())]].concat();
    run_in(&bare, &["check"], &named).ends_with(0);
    // A bare repository above the start folder was not named by anybody.
    run_in(&bare.join("refs"), &["check"], &[]).ends_with(2).complains("no project found in");
}

#[test]
fn a_worktree_elsewhere_is_rejected() {
    let repo = project(&[]);
    let outside = repo.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("atmos.yaml"), ATMOS).unwrap();
    for path in [outside.to_str().unwrap(), "/", ".", "../../.."] {
        repo.git(&["config", "core.worktree", path]);
        repo.run(&["check"]).ends_with(2).complains("core.worktree");
    }
    for path in ["..", repo.root().to_str().unwrap()] {
        repo.git(&["config", "core.worktree", path]);
        repo.run(&["check"]).ends_with(0);
    }
    // The environment is the user's own choice.
    repo.git(&["config", "core.worktree", "/"]);
    repo.run_with(&["check"], &[("GIT_WORK_TREE", repo.root().to_str().unwrap())]).ends_with(0);
}

/// A run that analyzes nothing must not leave a report that reads like a verdict, or none at all.
#[test]
fn a_rejected_repository_is_a_finding_in_every_format_for_machines() {
    let repo = project(&[]);
    repo.git(&["config", "core.worktree", "/"]);
    let config = std::fs::read_to_string(repo.root().join(".git/config")).unwrap();
    let line = config.lines().position(|line| line.trim_start().starts_with("worktree")).unwrap() + 1;
    let at = format!(".git/config:{line}:");
    repo.run(&["check", "--format", "concise"]).ends_with(2).says(&at).says("untrusted-repository");
    repo.run(&["explain", "untrusted-repository"]).ends_with(0).says("core.worktree");
    for arguments in [&["check"][..], &["diff", "HEAD"]] {
        let json = repo.run(&[arguments, &["--format", "json"]].concat()).ends_with(2).complains("core.worktree");
        let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(json["diagnostics"][0]["rule"], "untrusted-repository", "{json:#}");
        assert_eq!(json["coverage"]["not_analyzed"][0], ".", "{json:#}");
        let sarif = repo.run(&[arguments, &["--output", "sarif"]].concat()).ends_with(2);
        let sarif: serde_json::Value = serde_json::from_str(&sarif.stdout).unwrap();
        let (result, invocation) = (&sarif["runs"][0]["results"][0], &sarif["runs"][0]["invocations"][0]);
        assert_eq!(result["ruleId"], "stacklint/untrusted-repository", "{sarif:#}");
        assert_eq!(invocation["executionSuccessful"], false, "{sarif:#}");
    }
    let reports = repo.beside("reports");
    let ci = ["ci", "--base", "HEAD", "--reports", reports.to_str().unwrap()];
    repo.run(&ci).ends_with(2).complains("core.worktree");
    for file in ["report.json", "report.sarif"] {
        let text = std::fs::read_to_string(reports.join(file)).unwrap();
        assert!(text.contains("untrusted-repository"), "{text}");
    }
}

#[test]
fn objects_from_elsewhere_need_trust() {
    let repo = project(&[]);
    let (source, shared) = (repo.root().to_str().unwrap(), repo.beside("shared"));
    repo.git(&["clone", "--quiet", "--shared", source, shared.to_str().unwrap()]);
    run_in(&shared, &["check", "--rev", "HEAD"], &[]).ends_with(2).complains("alternates").complains("safe.directory");
    let trusted = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", source)];
    run_in(&shared, &["check", "--rev", "HEAD"], &trusted).ends_with(0);
    run_in(&shared, &["check"], &[("GIT_DIR", ".git")]).ends_with(0);
    let concise = ["check", "--rev", "HEAD", "--format", "concise"];
    run_in(&shared, &concise, &[]).ends_with(2).says(".git/objects/info/alternates:1:").says("untrusted-repository");
}

#[test]
fn included_configuration_is_not_read() {
    let repo = project(&[]);
    let outside = repo.beside("included");
    std::fs::write(&outside, "[core]\n\tbare = true\n\tworktree = /\n\thooksPath = /tmp\n").unwrap();
    repo.git(&["config", "include.path", outside.to_str().unwrap()]);
    let condition = format!("includeIf.gitdir:{}/.path", repo.root().display());
    repo.git(&["config", &condition, outside.to_str().unwrap()]);
    repo.run(&["check"]).ends_with(0);
    repo.run(&["hook", "status"]).ends_with(1).says(".git/hooks");
}

#[test]
fn hooks_are_not_installed_elsewhere() {
    let repo = project(&[]);
    let outside = repo.beside("hooks");
    std::fs::create_dir(&outside).unwrap();
    repo.git(&["config", "core.hooksPath", outside.to_str().unwrap()]);
    repo.run(&["hook", "install"]).ends_with(2).complains("outside of it");
    assert!(std::fs::read_dir(&outside).unwrap().next().is_none());
    repo.run(&["hook", "install", "--force"]).ends_with(0);
}

#[test]
#[cfg(unix)]
fn a_link_does_not_lead_into_another_repository() {
    let (repo, other) = (project(&[]), project(&[]));
    repo.link("infra", other.root().to_str().unwrap()).commit("link");
    for arguments in [&["-C", "infra", "check"][..], &["-C", "infra/stacks", "diff", "HEAD"]] {
        repo.run(arguments).ends_with(2).complains("symbolic link");
    }
    // A link that stays inside, and one that no repository has, lead on.
    repo.link("inside", "stacks").write("stacks/x", "");
    repo.run(&["-C", "inside", "hook", "status"]).ends_with(1);
    std::os::unix::fs::symlink(other.root(), repo.beside("outer")).unwrap();
    run_in(repo.root(), &["-C", "../outer", "check"], &[]).ends_with(0);
}

#[test]
#[cfg(unix)]
fn a_repository_of_somebody_else_needs_trust() {
    let repo = project(&[]);
    let Ok(()) = std::os::unix::fs::chown(repo.root().join(".git"), Some(12345), None) else {
        return crate::common::skipped("only root can give a folder away");
    };
    repo.run(&["check"]).ends_with(2).complains("safe.directory");
    let root = repo.root().to_str().unwrap();
    let trusted = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", root)];
    repo.run_with(&["check"], &trusted).ends_with(0);
}

#[test]
fn a_submodule_does_not_stand_for_the_change() {
    let (repo, other) = (reviewed(), project(&[]));
    other.tag("base").tag("head");
    repo.git(&["submodule", "--quiet", "add", other.root().to_str().unwrap(), "module"]);
    repo.commit("head");
    repo.run(&["-C", "module", "ci", "--base", "base"]).ends_with(2).complains("is a submodule");
    repo.run(&["-C", "module", "check"]).ends_with(0);
}
