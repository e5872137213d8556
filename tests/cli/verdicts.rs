//! What each command and each format says of what is not known, broken or dangerous: its exit code, and the reason.

use crate::common::{Repo, Run};

const STACK: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n";
const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";

/// A kind of change.
struct Kind {
    name: &'static str,
    edit: fn(&Repo),
    /// What every report says.
    says: &'static str,
    /// What the last line says where the run fails.
    why: &'static str,
    /// What the lists of what to deploy name, and the exit code with these formats.
    listed: (&'static str, i32),
    /// The exit code of a check of the newer state, where that is judged by itself.
    check: i32,
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "not known",
        edit: |repo| _ = repo.write("stacks/catalog/a.yaml", POINTER),
        says: "LFS",
        why: "dev may change in what is not known",
        listed: ("dev", 1),
        check: 0,
    },
    Kind {
        name: "broken",
        edit: |repo| _ = repo.edit("stacks/deploy/dev.yaml", "catalog/a", "catalog/gone"),
        says: "catalog/gone",
        why: "dev does not resolve; 1 new finding: unresolved-import in stacks/deploy/dev.yaml:1",
        listed: ("dev", 1),
        check: 1,
    },
    Kind {
        name: "dangerous",
        edit: |repo| _ = repo.remove("stacks/deploy/prod.yaml"),
        says: "stack-removed",
        why: "1 new finding: stack-removed in stacks/deploy/prod.yaml:1",
        listed: ("prod", 0),
        check: 0,
    },
];

const REPORTS: [&str; 9] = ["text", "concise", "json", "sarif", "github", "markdown", "gitlab", "junit", "rdjson"];

/// A run that fails says why in its last line.
fn fails(run: Run, kind: &Kind, of: &str) -> Run {
    assert_eq!(run.status, 1, "{}, {of}: {run}", kind.name);
    let last = run.stderr.lines().last().unwrap_or_default();
    assert_eq!(last, format!("stacklint: exit code 1: {}", kind.why), "{}, {of}: {run}", kind.name);
    run
}

#[test]
fn every_output_says_what_is_wrong() {
    for kind in &KINDS {
        let repo = Repo::atmos();
        repo.write("stacks/catalog/a.yaml", "vars: {zone: a}\n");
        repo.write("stacks/deploy/dev.yaml", format!("import: [catalog/a]\n{STACK}"));
        repo.write("stacks/deploy/prod.yaml", STACK.replace("dev", "prod")).commit("base");
        repo.tag("base");
        (kind.edit)(&repo);
        repo.git(&["add", "--all"]);
        fails(repo.run(&["hook", "run"]), kind, "hook").says(kind.says);
        repo.commit("head");
        for format in REPORTS {
            fails(repo.run(&["diff", "base..HEAD", "--format", format]), kind, format).says(kind.says);
            let check = repo.run(&["check", "--format", format]).ends_with(kind.check);
            // Nothing is removed from a state alone.
            if kind.name != "dangerous" {
                check.says(kind.says);
            }
        }
        for format in ["affected", "matrix"] {
            let (name, code) = kind.listed;
            repo.run(&["diff", "base..HEAD", "--format", format]).ends_with(code).says(name);
        }
        fails(repo.run(&["ci", "--base", "base", "--reports", "out"]), kind, "ci").says(kind.says);
        for (file, says) in [
            ("report.json", kind.says),
            ("report.sarif", kind.says),
            ("comment.md", kind.says),
            ("affected.json", kind.listed.0),
            ("matrix.json", kind.listed.0),
        ] {
            let text = std::fs::read_to_string(repo.root().join("out").join(file)).expect(file);
            assert!(text.contains(says), "{}, {file}: {text}", kind.name);
        }
    }
}

#[test]
fn code_that_nothing_examined_reads_is_no_all_clear() {
    let root = "terraform {\n  backend \"local\" {\n  }\n}\nmodule \"a\" {\n  source = \"../modules/a\"\n}\n";
    let repo = Repo::new();
    repo.write("live/main.tf", root).write("README.md", "a\n");
    for folder in ["modules/a", "modules/b", "modules/b/examples/c", "modules/b/tests"] {
        repo.write(&format!("{folder}/main.tf"), "variable \"x\" {\n  default = 1\n}\n");
    }
    repo.commit("base");
    let after = |path: &str| {
        repo.tag("before");
        repo.write(path, "variable \"x\" {\n  default = 2\n}\n").commit("edit");
        let run = |format: &str| repo.run(&["diff", "HEAD~1..HEAD", "--format", format]).ends_with(0);
        (run("text"), run("markdown"), run("json"))
    };
    let (text, markdown, json) = after("modules/b/main.tf");
    let says = "1 file of code differs that no component is known to read";
    text.says(says).says("modules/b/main.tf").hides("No effective change.");
    markdown.says(says).hides("No effective change.");
    assert_eq!(json.json()["coverage"]["unread"], serde_json::json!(["modules/b/main.tf"]));
    for path in ["modules/b/examples/c/main.tf", "modules/b/tests/main.tf", "README.md"] {
        after(path).0.says("No effective change.").hides("is known to read");
    }
    after("modules/a/main.tf").0.hides("is known to read");
    // Also beside values that nothing loads.
    repo.write("tests/b.tfvars", "x = 3\n");
    let both =
        format!("Nothing that was examined changes; 1 variable file differs that nothing loads by itself; {says}");
    after("modules/b/main.tf").0.hides("No effective change.");
    repo.write("tests/b.tfvars", "x = 4\n")
        .write("modules/b/main.tf", "variable \"x\" {\n  default = 5\n}\n")
        .commit("both");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says(&both);
}

#[test]
fn a_setting_that_says_how_components_are_run_is_no_change_without_effect() {
    let config = "base_path: .\nstacks: {base_path: stacks, included_paths: [\"*.yaml\"], name_pattern: \"{stage}\"}\n\
                  components:\n  terraform:\n    base_path: components/terraform\n    auto_generate_backend_file: true\n";
    let repo = Repo::new();
    repo.write("atmos.yaml", config).write("stacks/dev.yaml", STACK).commit("base");
    repo.edit("atmos.yaml", "file: true", "file: false").commit("head");
    for format in ["text", "markdown", "json"] {
        let run = repo.run(&["diff", "HEAD^..HEAD", "--format", format]).ends_with(0);
        let plain = run.stdout.replace('\\', "");
        assert!(plain.contains("components.terraform.auto_generate_backend_file"), "{format}: {run}");
        assert!(!run.stdout.contains("No effective change"), "{format}: {run}");
    }
    repo.edit("atmos.yaml", "file: false", "file: false # for now").commit("comment");
    let run = repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0);
    assert!(run.stdout.contains("No effective change"), "{run}");
}
