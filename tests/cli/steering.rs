//! Files that steer what runs, and that no configuration names, are said where nothing else differs.

use crate::common::Repo;

/// A project in a folder, with a file beside it.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.write(
        "infra/main.tf",
        "terraform {\n  backend \"s3\" {}\n}\nresource \"a_b\" \"x\" {\n  q = file(\"x.sh\")\n}\n",
    );
    repo.write("infra/x.sh", "echo\n").write("docs/x.txt", "a\n").commit("base");
    repo
}

#[track_caller]
fn is_said(repo: &Repo, path: &str) {
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("No effective change");
    run.says(&format!("1 file differs that steers what runs: {path}; no job covers it"));
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0).json();
    assert_eq!(json["coverage"]["run_files"], serde_json::json!([path]), "{json:#}");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "markdown"]).ends_with(0).says("steers what runs");
    repo.run(&["ci", "--base", "HEAD~1"]).ends_with(0).hides("No effective change");
    repo.run(&["diff", "HEAD~1..HEAD", "--expect", "none"]).ends_with(1);
}

#[test]
fn what_selects_programs_and_their_environment() {
    for path in [
        ".terraform-version",
        ".tool-versions",
        "infra/.envrc",
        "infra/.opentofu-version",
        "infra/deep/.terragrunt-version",
        "infra/.terraformrc",
        ".terragrunt-excludes",
        "atlantis.yaml",
        "aqua.yaml",
        "flake.lock",
        ".mise/config.toml",
        "infra/.env.prod",
        ".spacelift/config.yml",
        "spacelift.yaml",
        "env0.yml",
        "infra/next.tfplan",
    ] {
        let repo = repo();
        repo.write(path, "1\n").commit("steers");
        is_said(&repo, path);
    }
    // Samples of them are read by nobody.
    let repo = repo();
    repo.write("infra/.env.example", "1\n").commit("a sample");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("No effective change").hides("steers");
}

#[test]
fn what_a_run_keeps_in_the_folder_of_its_code() {
    for path in ["infra/.terraform/environment", "infra/.terraform/modules/modules.json", "infra/terraform.tfstate"] {
        let repo = repo();
        repo.write(path, "{}\n").git(&["add", "--all", "--force"]);
        repo.commit("steers");
        is_said(&repo, path);
    }
}

#[test]
fn attributes_that_change_a_checkout() {
    for attributes in ["text eol=crlf", "ident", "filter=x", "working-tree-encoding=UTF-16", "-text", "-diff crlf"] {
        let repo = repo();
        repo.write("infra/.gitattributes", format!("y.sh {attributes}\n")).commit("steers");
        is_said(&repo, "infra/.gitattributes");
    }
    // Others change none, and neither do comments and layout.
    for attributes in ["linguist-generated", "-diff", "merge=union whitespace=-tab", "diff=x export-ignore"] {
        let repo = repo();
        repo.write(".gitattributes", "x.sh   text\n").commit("before");
        repo.write(".gitattributes", format!("# ident\nx.sh text {attributes}\n")).commit("after");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("No effective change").hides("steers");
    }
}

#[test]
fn pipelines_that_run_what_deploys() {
    for path in [
        ".github/workflows/plan.yml",
        ".github/actions/plan/run.sh",
        ".github/scripts/plan.sh",
        ".gitlab-ci.yml",
        "Makefile",
        "infra/justfile",
        "stacks/workflows/deploy.yaml",
    ] {
        let repo = repo();
        repo.write(path, "run: terraform plan\n").commit("before");
        repo.write(path, "run: terraform apply -auto-approve\n").commit("steers");
        is_said(&repo, path);
        // Others run something else.
        repo.write(path, "run: cargo test\n").commit("before");
        repo.write(path, "run: cargo test --all\n").commit("beside");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("No effective change").hides("steers");
    }
}

/// A command in a script, in a pipeline or in a list of tasks may be run, whatever the file is called.
#[test]
fn files_with_commands_of_what_deploys() {
    let paths =
        ["GNUmakefile", "scripts/deploy.sh", "bin/deploy", "package.json", ".buildkite/pipeline.yml", "ops/x.py"];
    for path in paths {
        let repo = repo();
        repo.write(path, "x: terraform -chdir=infra plan\n").commit("before");
        repo.write(path, "x: terraform -chdir=infra apply\n").commit("steers");
        is_said(&repo, path);
        // A command that is gone was one.
        repo.write(path, "x: true\n").commit("gone");
        is_said(&repo, path);
        // Others, comments, documents and tests run nothing.
        repo.write(path, "# terraform apply\nx: terraform fmt\n").commit("before");
        repo.write(path, "# tofu apply\nx: terraform fmt -check\n").write("README.md", "terraform apply\n");
        repo.write("infra/tests/x.sh", "terraform apply\n").commit("beside");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("No effective change").hides("steers");
    }
    // What is compared is said as what it is.
    let repo = repo();
    let provisioner =
        "resource \"a_b\" \"y\" {\n  provisioner \"local-exec\" {\n    command = \"terraform apply\"\n  }\n}\n";
    repo.write("infra/y.tf", provisioner).write("infra/x.sh", "terraform apply\n").commit("code");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("a_b.y").hides("steers");
}

#[test]
fn a_variable_may_stand_for_the_program() {
    let repo = repo();
    repo.write("GNUmakefile", "deploy:\n\t$(TERRAFORM) plan\n").commit("before");
    repo.write("GNUmakefile", "deploy:\n\t$(TERRAFORM) apply\n").commit("after");
    is_said(&repo, "GNUmakefile");
}

/// A name of a program that is made of parts, and a task that another file has, deploy by the word that they are told.
#[test]
fn variables_and_tasks_deploy_by_their_command() {
    for (before, after) in [("$tool plan", "$tool apply"), ("make test", "make deploy"), ("make lint", "make tf-apply")]
    {
        for path in ["scripts/run.sh", ".github/workflows/main.yml"] {
            let repo = repo();
            repo.write(path, format!("run: {before}\n")).commit("before");
            repo.write(path, format!("run: {after}\n")).commit("after");
            is_said(&repo, path);
        }
    }
    let repo = repo();
    repo.write("scripts/run.sh", "$CC check\nmake test\n").commit("before");
    repo.write("scripts/run.sh", "$CC run\nmake docs\n").commit("after");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("No effective change").hides("steers");
}

/// A list of jobs has none for such a file, and says so. The exit code is that of a list without jobs.
#[test]
fn lists_of_jobs_say_that_they_do_not_cover_it() {
    let repo = repo();
    repo.write("Makefile", "deploy:\n\tterraform plan\n").commit("before");
    repo.write("Makefile", "deploy:\n\tterraform apply\n").commit("steers");
    let words = "1 file differs that steers what runs: Makefile; no job covers it";
    let formats = [
        "affected",
        "matrix",
        "terragrunt-filter",
        "atlantis",
        "digger",
        "gitlab-child",
        "spacelift",
        "buildkite",
        "waves",
        "concise",
    ];
    for format in formats {
        repo.run(&["diff", "HEAD~1..HEAD", "--format", format]).ends_with(0).complains(words).hides("Makefile");
    }
    let (summary, outputs) = (repo.beside("summary.md"), repo.beside("outputs"));
    let env = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ("GITHUB_OUTPUT", outputs.to_str().unwrap()),
    ];
    let run = repo.run_with(&["ci", "--base", "HEAD~1"], &env).ends_with(0);
    run.says(&format!("::warning title=stacklint::{words}"));
    assert!(std::fs::read_to_string(summary).unwrap().contains(words));
    assert!(std::fs::read_to_string(outputs).unwrap().contains("\"run_files\":[\"Makefile\"]"));
}

#[test]
fn what_lies_beside_a_project_steers_nothing_of_it() {
    let repo = Repo::new();
    repo.write("infra/atmos.yaml", crate::common::ATMOS).write("infra/stacks/deploy/dev.yaml", "vars: {stage: dev}\n");
    repo.write("infra/stacks/deploy/prod.yaml", "vars: {stage: prod}\ncomponents: {terraform: {a: {}}}\n")
        .commit("base");
    repo.write("docs/.terraform-version", "1\n").write("docs/.gitattributes", "* text\n").commit("beside");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("No effective change").hides("steers");
}

#[test]
fn it_is_said_beside_other_changes() {
    let repo = repo();
    repo.edit("infra/main.tf", "q = ", "z = 1\n  q = ").write(".terraform-version", "1\n").commit("both");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    run.says("1 file differs that steers what runs: .terraform-version").says("z");
}

/// Settings of `atmos.yaml` that no component shows.
#[test]
fn settings_that_say_how_components_are_run() {
    for (section, name) in [
        ("toolchain: {aliases: {terraform: other}}\n", "toolchain"),
        ("commands: [{name: terraform, commands: [{name: plan, steps: [other]}]}]\n", "commands"),
        ("version: {use: 1.0.0}\n", "version"),
    ] {
        let repo = Repo::atmos();
        repo.write("stacks/deploy/prod.yaml", "vars: {stage: prod}\ncomponents: {terraform: {a: {}}}\n").commit("base");
        repo.write("atmos.yaml", format!("{}{section}", crate::common::ATMOS)).commit("steers");
        let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("No effective change");
        run.says(&format!("1 setting differs that says how components are run: {name}"));
    }
    let config = |place: &str| {
        let source = format!("{{url: 'https://example.com/{place}'}}");
        let engine = format!("gomplate: {{enabled: true, datasources: {{d: {source}}}}}");
        crate::common::ATMOS.replace("sprig: {enabled: true}", &format!("sprig: {{enabled: true}}, {engine}"))
    };
    let repo = Repo::atmos();
    let stack = "vars: {stage: prod}\ncomponents: {terraform: {a: {vars: {b: '{{ (datasource \"d\").a }}'}}}}\n";
    repo.write("stacks/deploy/prod.yaml", stack).write("atmos.yaml", config("a")).commit("base");
    repo.write("atmos.yaml", config("b")).commit("steers");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("No effective change");
    run.says("1 setting differs that says how components are run").says("gomplate.datasources.d.url");
}
