//! Of small projects of every system each leaf is replaced by each thing that is known only at run time, or that git does not have, on
//! either side and on both: that is never "No effective change", removed, fixed, known, or an error about something missing.

use crate::common::Repo;
use serde_json::Value;

const LFS: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
const ATMOS: &str = "vars: {stage: dev}\nimport: [catalog/a]\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        a: LEAF\n        b: !include data.yaml\n        c: OTHER\n";
const GARDEN: &str = "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n\
    varfile: values/vars.yml\nvariables: {a: LEAF, c: OTHER}\n";
const ACTION: &str = "kind: Run\ntype: exec\nname: x\nspec: {command: [\"${var.a}\", \"${var.b}\", \"${var.c}\"]}\n";
const TOFU: &str = "terraform {\n  backend \"local\" {}\n}\nvariable \"b\" {}\nlocals {\n  a = LEAF\n}\n\
    resource \"terraform_data\" \"r\" {\n  input = [local.a, var.b, file(\"data/x.txt\"), OTHER]\n}\n";
const UNIT: &str = "include \"root\" {\n  path = \"../shared/root.hcl\"\n}\ninputs = {\n  a = LEAF\n  b = read_tfvars_file(\"b.tfvars\")\n  c = OTHER\n}\n";
const INFRA: &str = "imports: [more/more.yaml]\nenvironments:\n  prod: {provider: harbor, region: south}\nmodules:\n  - name: db\n    type: infra.database\n    config: {a: LEAF, c: OTHER}\n";

/// A project of one system, whose files have the texts `LEAF` and `OTHER` where values are.
struct System {
    files: &'static [(&'static str, &'static str)],
    /// How a text is written in the place of a leaf.
    text: fn(&str) -> String,
    /// What is known only at run time, as written there.
    at_run_time: &'static [&'static str],
    /// The files that may be pointers, ignored or generated; the first one is alone in its folder.
    read: &'static [&'static str],
}

const SYSTEMS: [System; 5] = [
    System {
        files: &[
            ("atmos.yaml", crate::common::ATMOS),
            ("stacks/deploy/dev.yaml", ATMOS),
            ("stacks/catalog/a.yaml", "components: {terraform: {vpc: {vars: {d: 1}}, more: {vars: {d: 2}}}}\n"),
            ("data.yaml", "x: 1\n"),
        ],
        text: |text| text.to_owned(),
        at_run_time: &["!env ZONE", "!exec date", "'{{ env \"ZONE\" }}'", "!store ssm vpc key"],
        read: &["stacks/catalog/a.yaml", "data.yaml"],
    },
    System {
        files: &[("project.garden.yml", GARDEN), ("garden.yml", ACTION), ("values/vars.yml", "b: x\n")],
        text: |text| text.to_owned(),
        at_run_time: &["\"${local.env.ZONE}\"", "\"x-${git.branch}\""],
        read: &["values/vars.yml"],
    },
    System {
        files: &[("live/main.tf", TOFU), ("live/data/x.txt", "1"), ("live/terraform.tfvars", "b = 1\n")],
        text: |text| format!("\"{text}\""),
        at_run_time: &["timestamp()", "uuid()", "terraform.workspace == \"x\" ? 1 : timestamp()"],
        read: &["live/data/x.txt", "live/terraform.tfvars"],
    },
    System {
        files: &[
            ("shared/root.hcl", "inputs = {\n  d = 1\n}\n"),
            ("unit/terragrunt.hcl", UNIT),
            ("unit/b.tfvars", "x = 1\n"),
        ],
        text: |text| format!("\"{text}\""),
        at_run_time: &["get_env(\"ZONE\")", "run_cmd(\"date\")", "timestamp()"],
        read: &["shared/root.hcl", "unit/b.tfvars"],
    },
    System {
        files: &[
            ("infra.yaml", INFRA),
            ("more/more.yaml", "modules:\n  - name: vpc\n    type: infra.vpc\n    config: {cidr: a}\n"),
        ],
        text: |text| text.to_owned(),
        at_run_time: &["\"${ZONE}\"", "\"x-$ZONE\""],
        read: &["more/more.yaml"],
    },
];

/// What must hold of the comparison of two commits of which at least one has something unknown.
fn holds(repo: &Repo, range: &str, what: &str) {
    let run = repo.run(&["diff", range, "--format", "json"]);
    let at = format!("{what}: {range}\n{run}");
    assert!(run.status < 2, "{at}");
    let json = run.json();
    assert_ne!(json["headline"], "No effective change.", "{at}");
    let list = |value: &'_ Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    for component in list(&json, "components") {
        assert_eq!(component["status"], "modified", "{at}");
        // What a text of `infra.yaml` refers to is listed beside it.
        let changes = list(&component, "changes").into_iter().filter(|change| change["path"] != "/references");
        assert!(changes.into_iter().all(|change| change["kind"] == "changed"), "{at}");
    }
    for finding in list(&json, "diagnostics") {
        let is_note = finding["rule"] == "incomplete-analysis" || finding["level"] == "note";
        assert!(finding["level"] != "error" && finding["level"] != "danger", "{at}");
        assert!(is_note || finding["status"] != "fixed" && finding["status"] != "known", "{at}");
    }
    let strict = repo.run(&["diff", range, "--exit-code"]);
    assert!(matches!(strict.status, 1 | 3), "{at}\n{strict}");
    assert!(strict.status == 3 || strict.stderr.trim_end().lines().last().is_some_and(|l| l.contains("exit code 1")));
}

/// Commits a project, the same with something unknown, and that with another value edited; compares them.
fn replaced(system: &System, what: &str, replace: &dyn Fn(&Repo)) {
    let repo = Repo::new();
    for (path, text) in system.files {
        repo.write(path, text.replace("LEAF", &(system.text)("a")).replace("OTHER", &(system.text)("c")));
    }
    repo.commit("known");
    let first = repo.run(&["check"]);
    assert_eq!(first.status, 0, "{what}: {first}");
    replace(&repo);
    repo.commit("unknown");
    holds(&repo, "HEAD~1..HEAD", what);
    holds(&repo, "HEAD..HEAD~1", what);
    edited(system, &repo, what);
}

/// Commits another edit of a project with something unknown, and compares both.
fn edited(system: &System, repo: &Repo, what: &str) {
    let (path, _) = system.files.iter().find(|(_, text)| text.contains("OTHER")).expect("a file with values");
    let text = std::fs::read_to_string(repo.root().join(path)).expect("its text");
    let other = (system.text)("c");
    let at = text.rfind(&other).expect("the other value");
    repo.write(path, format!("{}{}{}", &text[..at], (system.text)("changed"), &text[at + other.len()..]));
    repo.commit("another edit");
    holds(repo, "HEAD~1..HEAD", what);
}

#[test]
fn what_is_known_only_at_run_time_is_a_change_of_its_own() {
    for system in &SYSTEMS {
        for unknown in system.at_run_time {
            replaced(system, unknown, &|repo| {
                for (path, text) in system.files.iter().filter(|(_, text)| text.contains("LEAF")) {
                    repo.write(path, text.replace("LEAF", unknown).replace("OTHER", &(system.text)("c")));
                }
            });
        }
    }
}

#[test]
fn what_git_does_not_have_is_a_change_of_its_own() {
    for system in &SYSTEMS {
        for path in system.read {
            replaced(system, &format!("LFS {path}"), &|repo| _ = repo.write(path, LFS));
            replaced(system, &format!("git-crypt {path}"), &|repo| _ = repo.write(path, b"\0GITCRYPT\0\x93\xc8\x01"));
        }
    }
}

#[test]
fn submodules_that_are_not_in_the_clone_are_a_change_of_their_own() {
    for system in &SYSTEMS {
        let folder = system.read[0].rsplit_once('/').expect("a folder").0;
        let commit = |repo: &Repo, digit: &str| {
            std::fs::remove_dir_all(repo.root().join(folder)).expect("its files");
            std::fs::create_dir(repo.root().join(folder)).expect("the folder");
            repo.git(&["rm", "-r", "--quiet", "--cached", folder]);
            repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},{folder}", digit.repeat(40))]);
        };
        replaced(system, &format!("submodule {folder}"), &|repo| commit(repo, "1"));
    }
}

#[test]
fn files_that_git_ignores_are_unknown() {
    for system in &SYSTEMS {
        for path in system.read {
            for rules in [".gitignore", ".git/info/exclude"] {
                let (repo, what) = (Repo::new(), format!("{rules} {path}"));
                for (path, text) in system.files {
                    repo.write(path, text.replace("LEAF", &(system.text)("a")).replace("OTHER", &(system.text)("c")));
                }
                let text = std::fs::read_to_string(repo.root().join(path)).expect("its text");
                repo.remove(path).write(rules, format!("/{path}\n")).commit("unknown");
                assert_eq!(repo.run(&["check"]).status, 0, "{what}: {}", repo.run(&["check"]));
                repo.write(path, text).git(&["add", "--force", path]);
                repo.commit("known");
                holds(&repo, "HEAD~1..HEAD", &what);
                // A deletion is one, whatever git ignores.
                repo.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
                edited(system, &repo, &what);
            }
        }
    }
}

#[test]
fn a_clone_that_lacks_objects_ends_the_run() {
    for system in &SYSTEMS {
        // Of a file that is damaged nothing is known, the configuration of the project included.
        for (path, _) in system.files {
            let repo = Repo::new();
            for (path, text) in system.files {
                repo.write(path, text.replace("LEAF", &(system.text)("a")).replace("OTHER", &(system.text)("c")));
            }
            repo.commit("base");
            let text = std::fs::read_to_string(repo.root().join(path)).expect("its text");
            repo.write(path, format!("{text}\n\n")).commit("head");
            let id = repo.git(&["rev-parse", &format!("HEAD:{path}")]);
            let (folder, name) = id.trim().split_at(2);
            std::fs::remove_file(repo.root().join(".git/objects").join(folder).join(name)).expect("a loose object");
            let all = [&["diff", "HEAD~1..HEAD"][..], &["diff", "HEAD..HEAD~1"], &["check", "--rev", "HEAD"]];
            all[..2].iter().for_each(|arguments| _ = repo.run(arguments).ends_with(2).complains("git fsck"));
            // Data that code reads and that nothing can fetch are values that are not known.
            let run = repo.run(all[2]);
            assert!(path.ends_with(".txt") && run.status < 2 || run.status == 2, "{path}: {run}");
            repo.git(&["config", "remote.origin.promisor", "true"]);
            repo.git(&["config", "remote.origin.url", "https://example.invalid/x"]);
            repo.git(&["config", "extensions.partialClone", "origin"]);
            all.iter().for_each(|arguments| _ = repo.run(arguments).ends_with(2).complains("git fetch"));
        }
    }
}

#[test]
fn findings_about_code_that_is_no_longer_known_are_not_fixed() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {typo: 1}}}}\n");
    repo.write("components/terraform/vpc/main.tf", "variable \"stage\" {}\n").commit("base");
    repo.run(&["check"]).says("undeclared-variable");
    repo.write("components/terraform/vpc/main.tf", LFS).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("incomplete-analysis").hides("fixed").hides("No effective change");
    repo.edit("stacks/deploy/dev.yaml", "typo", "other").commit("another edit");
    repo.run(&["diff", "HEAD~2..HEAD"]).says("incomplete-analysis").hides("fixed");
}

#[test]
fn actions_that_may_be_disabled_and_dependencies_that_are_not_known() {
    let repo = Repo::new();
    let build = "---\nkind: Build\ntype: exec\nname: y\n";
    let action = |field: &str| format!("{ACTION}{field}\n{build}");
    repo.write("project.garden.yml", GARDEN.replace("LEAF", "a").replace("OTHER", "c"));
    repo.write("values/vars.yml", "b: x\n");
    for (known, unknown) in [
        ("disabled: false", "disabled: ${local.env.OFF == 'x'}"),
        ("dependencies: [build.y]", "dependencies: [\"${local.env.ON}\"]"),
        ("dependencies: [build.y]", "dependencies: \"${local.env.ON}\""),
    ] {
        repo.write("garden.yml", action(known)).commit("known");
        assert_eq!(repo.run(&["check"]).status, 0, "{known}: {}", repo.run(&["check"]));
        repo.write("garden.yml", action(unknown)).commit("unknown");
        holds(&repo, "HEAD~1..HEAD", unknown);
        holds(&repo, "HEAD..HEAD~1", unknown);
    }
}

#[test]
fn a_value_that_may_be_overridden_shows_no_secret() {
    let repo = Repo::new();
    let project =
        |more: &str| GARDEN.replace("LEAF", "a").replace("OTHER", "c").replace("c: c", &format!("c: c{more}"));
    repo.write("project.garden.yml", project(""))
        .write("values/vars.yml", "b: x\n")
        .write("garden.yml", ACTION)
        .commit("base");
    repo.write("project.garden.yml", project(", db: {password: hunter2hunter2}"))
        .write("values/vars.yml", LFS)
        .commit("head");
    for format in ["text", "json", "markdown"] {
        let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", format]);
        run.says("variables").hides("hunter2hunter2");
    }
}
