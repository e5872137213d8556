//! The hook in a Garden project, as git runs it.

use crate::common::{Repo, try_git_in};

const PROJECT: &str = "\
apiVersion: garden.io/v2
kind: Project
name: shop
environments:
  - name: dev
    variables: {replicas: 1}
  - name: prod
    variables: {replicas: 3}
providers: [{name: exec}]
variables: {registry: one.example.com}
";

const ACTIONS: &str = "\
kind: Build
name: api
type: exec
spec: {command: [make]}
---
kind: Deploy
name: api
type: exec
dependencies: [build.api]
spec: {deployCommand: [deploy, '${var.registry}', '--replicas=${var.replicas}']}
";

/// A project with a first commit and the hook.
fn project() -> Repo {
    let repo = Repo::new();
    repo.write("project.garden.yml", PROJECT).write("api/garden.yml", ACTIONS).write("README.md", "one\n");
    repo.commit("first");
    repo.run(&["hook", "install"]).ends_with(0).says("Installed");
    repo
}

/// Commits everything; returns the output of git and the hook, and whether there is a commit.
fn commit(repo: &Repo) -> (bool, String) {
    repo.git(&["add", "--all"]);
    try_git_in(repo.root(), &["commit", "--quiet", "--message", "change"])
}

#[track_caller]
fn passes(repo: &Repo) -> String {
    let (ok, text) = commit(repo);
    assert!(ok, "{text}");
    text
}

/// A commit is rejected for a finding at a place.
#[track_caller]
fn fails(repo: &Repo, rule: &str, place: &str) {
    let before = repo.git(&["rev-parse", "HEAD"]);
    let (ok, text) = commit(repo);
    for expected in [rule, place, "stacklint blocked this commit"] {
        assert!(!ok && text.contains(expected), "expected {expected:?} in:\n{text}");
    }
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
}

#[test]
fn an_edit_that_breaks_is_refused() {
    for (file, from, to, rule, place) in [
        ("api/garden.yml", "[build.api]", "[build.apu]", "undefined-dependency", "api/garden.yml:9:16"),
        ("api/garden.yml", "${var.registry}", "${var.registri}", "undefined-reference", "api/garden.yml:10:"),
        ("api/garden.yml", "${var.registry}", "${var.registry", "template-error", "api/garden.yml:10:"),
        ("api/garden.yml", "command: [make]", "command: {make: 1}", "invalid-config", "api/garden.yml:4:"),
        (
            "project.garden.yml",
            "  - name: prod\n",
            "  - name: prod\n    varfile: absent.env\n",
            "absent.env",
            "garden.yml:8",
        ),
    ] {
        let repo = project();
        repo.edit(file, from, to);
        fails(&repo, rule, place);
        repo.edit(file, to, from);
        assert!(!commit(&repo).0, "nothing is left to commit");
    }
}

#[test]
fn a_removed_action_that_others_need_is_refused() {
    let repo = project();
    repo.write("api/garden.yml", ACTIONS.split_once("---\n").unwrap().1);
    fails(&repo, "undefined-dependency", "api/garden.yml:4:16");
}

#[test]
fn a_good_edit_passes_and_its_effect_is_summed_up() {
    let repo = project();
    repo.edit("project.garden.yml", "replicas: 3", "replicas: 4");
    let compared = "compared 2 stacks, 8 components; project.garden.yml";
    assert_eq!(passes(&repo).trim(), format!("~ 2 changes reach 2 components in 1 stack\n{compared}"));
    repo.edit("project.garden.yml", "one.example.com", "two.example.com");
    assert_eq!(passes(&repo).trim(), format!("~ 2 changes reach 4 components in 2 stacks\n{compared}"));
    // A comment changes nothing, and that is said.
    repo.write("api/garden.yml", format!("# The service.\n{ACTIONS}"));
    assert_eq!(passes(&repo), format!("✓ No effective change.\n{compared}\n"));
}

#[test]
fn an_edit_of_another_file_passes() {
    let repo = project();
    repo.write("README.md", "two\n");
    assert!(passes(&repo).starts_with("✓ No effective change.\n"));
    // Nor does it judge what was wrong before.
    repo.edit("api/garden.yml", "[build.api]", "[build.apu]").git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--no-verify", "--message", "bad"]);
    repo.write("README.md", "three\n");
    passes(&repo);
}
