//! Dangers: what reverting a commit does not undo. They fail a run, come first, and are accepted from outside of the change.

use crate::common::{Repo, Run};

fn stack(stage: &str) -> String {
    format!("vars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    vpc: {{vars: {{size: 1}}}}\n")
}

/// Two stacks, one of which goes away in the newer commit.
fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", stack("dev")).write("stacks/deploy/prod.yaml", stack("prod")).commit("base");
    repo.tag("base").remove("stacks/deploy/prod.yaml").commit("head");
    repo
}

fn diff(repo: &Repo, options: &[&str]) -> Run {
    repo.run(&[&["diff", "base..HEAD"], options].concat())
}

#[test]
fn every_format_says_that_it_is_a_danger() {
    let repo = repo();
    let formats = [
        ("text", "danger[stack-removed]"),
        ("json", "\"danger\": true"),
        ("sarif", "\"level\": \"error\""),
        ("github", "::error "),
        ("gitlab", "\"severity\": \"critical\""),
        ("junit", "<failure"),
        ("rdjson", "\"severity\": \"ERROR\""),
        ("markdown", "danger"),
    ];
    for (format, says) in formats {
        let run = diff(&repo, &["--format", format]).ends_with(1);
        assert!(run.stdout.contains(says) || run.stdout.contains(&says.replace(": ", ":")), "{format}: {run}");
        assert!(run.stderr.ends_with("1 new finding: stack-removed in stacks/deploy/prod.yaml:1\n"), "{format}: {run}");
    }
}

#[test]
fn what_fails_a_run() {
    let repo = repo();
    for (level, code) in [("danger", 1), ("error", 0), ("warning", 1), ("note", 1), ("never", 0)] {
        diff(&repo, &["--fail-on", level]).ends_with(code);
    }
    repo.write("stacklint.toml", "fail-on = \"error\"\n").commit("settings of the head do not count");
    diff(&repo, &[]).ends_with(1);
}

#[test]
fn a_danger_is_accepted_from_outside() {
    let repo = repo();
    for accepted in ["stack-removed", "stack-removed=prod", "stack-removed=p*"] {
        let run = diff(&repo, &["--accept", accepted]).ends_with(0);
        run.says("warning[stack-removed]").says(&format!("a danger, accepted by `{accepted}`")).hides("danger[");
    }
    let run = diff(&repo, &["--accept", "stack-removed=dev"]).ends_with(1);
    run.says("danger[stack-removed]").says("there is no danger that `stack-removed=dev` accepts");
    diff(&repo, &["--accept", "stack-removd"]).ends_with(2).complains("did you mean `stack-removed`?");
    let run = repo.run_with(&["diff", "base..HEAD"], &[("STACKLINT_ACCEPT", "component-removed  stack-removed=prod")]);
    run.ends_with(0).says("accepted by `stack-removed=prod`");
    repo.run_with(&["diff", "base..HEAD"], &[("STACKLINT_ACCEPT", "x")]).ends_with(2).complains("STACKLINT_ACCEPT");
}

#[test]
fn the_settings_of_the_base_accept_dangers_and_those_of_the_change_do_not() {
    let repo = Repo::atmos();
    repo.write("stacklint.toml", "accept = [\"stack-removed=dev\"]\n");
    repo.write("stacks/deploy/dev.yaml", stack("dev")).write("stacks/deploy/prod.yaml", stack("prod")).commit("base");
    repo.tag("base").remove("stacks/deploy/dev.yaml").commit("less");
    diff(&repo, &[]).ends_with(0).says("accepted by `stack-removed=dev`");
    repo.remove("stacks/deploy/prod.yaml").write("stacklint.toml", "accept = [\"stack-removed\"]\n").commit("nothing");
    diff(&repo, &[]).ends_with(1).says("danger[stack-removed]: stack `prod` is removed").says("review-changed");
}

#[test]
fn dangers_come_first() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", format!("{}    eks: {{}}\n", stack("dev"))).commit("base");
    repo.tag("base").write("stacks/deploy/dev.yaml", stack("dev"));
    repo.write("stacks/deploy/a.yaml", "vars: {stage: a}\nimport: [gone]\n").commit("head");
    let run = diff(&repo, &[]).ends_with(1);
    let at = |text: &str| run.stdout.find(text).unwrap_or_else(|| panic!("no {text} in {run}"));
    assert!(at("danger[component-removed]") < at("error[unresolved-import]"), "{run}");
    assert!(run.stderr.contains("2 new findings: component-removed in"), "{run}");
}

#[test]
fn a_stack_that_is_removed_is_reported_as_a_whole() {
    let repo = Repo::new();
    let root = "terraform {\n  backend \"local\" {}\n}\nresource \"a_b\" \"c\" {\n}\n";
    repo.write("live/a/main.tf", root).write("live/b/main.tf", root).write("stacklint.toml", "max-components = 0\n");
    repo.commit("base");
    repo.remove("live/a/main.tf").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("stack-removed").hides("wide-blast-radius");
    repo.edit("live/b/main.tf", "\"c\" {", "\"c\" {\n  d = 1").commit("edit");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("wide-blast-radius");
}

#[test]
fn a_state_that_another_schema_or_nothing_places_is_a_danger() {
    let root = |schema: &str| format!("terraform {{\n  backend \"pg\" {{\n    schema_name = \"{schema}\"\n  }}\n}}\n");
    let repo = Repo::new();
    repo.write("live/main.tf", root("a")).commit("base");
    repo.write("live/main.tf", root("b")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("state-address-changed");
    let repo = Repo::new();
    let state = "remote_state {\n  backend = \"s3\"\n  config = {\n    bucket = \"a\"\n    key    = \"k\"\n  }\n}\n";
    repo.write("root.hcl", state)
        .write("live/a/terragrunt.hcl", "include \"root\" {\n  path = \"../../root.hcl\"\n}\n");
    repo.commit("base");
    repo.write("root.hcl", "inputs = {}\n").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1);
    run.says("state-address-changed").says("may use another state").says("backend `s3` is gone");
    let local = "remote_state {\n  backend = \"local\"\n  config = {\n    path = \"/states/a\"\n  }\n}\n";
    repo.write("root.hcl", local).commit("local");
    repo.write("root.hcl", "inputs = {}\n").commit("beside the code");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("backend `local` is gone");
}

#[test]
fn a_backend_that_the_settings_generate_no_longer_is_gone() {
    let settings = |generates: bool| {
        let of_terraform = format!("base_path: components/terraform, auto_generate_backend_file: {generates}");
        let stacks =
            "stacks: {base_path: stacks, included_paths: [\"deploy/**/*\"], name_template: \"{{ .vars.stage }}\"}";
        format!("components: {{terraform: {{{of_terraform}}}}}\n{stacks}\n")
    };
    let repo = Repo::new();
    repo.write("components/terraform/web/main.tf", "output \"a\" {\n  value = 1\n}\n");
    let backend = "terraform: {backend_type: s3, backend: {s3: {bucket: a, key: k}}}";
    repo.write(
        "stacks/deploy/dev.yaml",
        format!("vars: {{stage: dev}}\n{backend}\ncomponents: {{terraform: {{web: {{}}}}}}\n"),
    );
    repo.write("atmos.yaml", settings(true)).commit("on");
    repo.write("atmos.yaml", settings(false)).commit("off");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1);
    run.says("danger[state-address-changed]").says("backend `s3` is gone, so the state is kept beside the code");
    let run = repo.run(&["diff", "HEAD..HEAD~1"]).ends_with(1);
    run.says("danger[state-address-changed]").says("backend `s3` is new; the state was kept beside the code");
    // The code has one, too.
    repo.write("components/terraform/web/b.tf", "terraform {\n  backend \"gcs\" {\n    bucket = \"a\"\n  }\n}\n")
        .commit("code");
    repo.write("atmos.yaml", settings(true));
    let run = repo.run(&["diff", "HEAD", "--worktree"]).ends_with(1);
    run.says("`web` in `dev` may use another state: backend `s3` is new, and its code had `gcs`");
}
