//! Resources of which it becomes known, or unknown, which instances there are.

use crate::common::{ATMOS, Repo};
use serde_json::Value;

const HEAD: &str = "variable \"n\" {\n  type = number\n}\nterraform {\n  backend \"s3\" {}\n}\n";

/// The report of a change of a file `main.tf`, beside a module with two resources.
fn change(base: &str, head: &str) -> Value {
    let repo = Repo::new();
    repo.write("m/main.tf", "resource \"disk\" \"d\" {}\nresource \"disk\" \"e\" {\n  count = 2\n}\n");
    repo.write("main.tf", format!("{HEAD}{base}")).commit("base");
    repo.write("main.tf", format!("{HEAD}{head}")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "json", "--fail-on", "never"]).ends_with(0).json()
}

/// What is said of resources: `modified web[0] /count`.
fn said(report: &Value) -> Vec<String> {
    let components = report["components"].as_array().unwrap().iter().filter(|c| c["type"] == "resource");
    let of = |c: &Value| {
        let paths =
            c["changes"].as_array().into_iter().flatten().map(|change| change["path"].as_str().unwrap().to_owned());
        let head = format!("{} {}", c["status"].as_str().unwrap(), c["component"].as_str().unwrap());
        std::iter::once(head).chain(paths).collect::<Vec<_>>().join(" ")
    };
    components.map(of).collect()
}

fn rules(report: &Value) -> Vec<&str> {
    report["diagnostics"].as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

fn web(repetition: &str) -> String {
    format!("resource \"vm\" \"web\" {{\n  {repetition}\n  size = 1\n}}\n")
}

#[test]
fn a_count_that_becomes_unknown_removes_nothing() {
    let report = change(&web("count = 2"), &web("count = var.n"));
    assert_eq!(said(&report), ["modified vm.web[0] /count", "modified vm.web[1] /count"]);
    assert_eq!(rules(&report), ["value-became-unknown"]);
    let count = &report["components"][0]["changes"][0];
    assert_eq!(count["before"], 2);
    assert_eq!(count["after"]["$unknown"], "no value is given for var.n");
}

#[test]
fn a_count_that_becomes_known_adds_nothing() {
    let report = change(&web("count = var.n"), &web("count = 2"));
    assert_eq!(said(&report), ["modified vm.web[0] /count", "modified vm.web[1] /count"]);
    assert!(rules(&report).is_empty(), "{report}");
}

#[test]
fn keys_that_become_unknown_remove_nothing() {
    let report = change(&web("for_each = toset([\"a\"])"), &web("for_each = toset(var.n > 1 ? [\"a\"] : [])"));
    assert_eq!(said(&report), ["modified vm.web[\"a\"] /for_each"]);
}

#[test]
fn what_else_changes_is_said() {
    let report = change(&web("count = 1"), &web("count = var.n").replace("size = 1", "size = 2"));
    assert_eq!(said(&report), ["modified vm.web[0] /size /count"]);
}

#[test]
fn a_module_whose_instances_become_unknown() {
    let call = |keys: &str| format!("module \"m\" {{\n  source   = \"./m\"\n  for_each = toset({keys})\n}}\n");
    let report = change(&call("[\"a\"]"), &call("var.n > 1 ? [\"a\"] : []"));
    let expected =
        ["disk.d", "disk.e[0]", "disk.e[1]"].map(|name| format!("modified module.m[\"a\"].{name} /for_each"));
    assert_eq!(said(&report), expected);
}

#[test]
fn what_was_not_repeated_is_the_first_of_a_count_and_none_of_a_for_each() {
    let report = change(&web(""), &web("count = var.n"));
    assert_eq!(said(&report), ["modified vm.web /count"]);
    let report = change(&web(""), &web("for_each = toset(var.n > 1 ? [\"a\"] : [])"));
    assert_eq!(said(&report), ["removed vm.web", "added vm.web[*]"]);
    assert!(rules(&report).contains(&"component-renamed"), "{report}");
}

#[test]
fn instances_of_another_module_are_removed() {
    let call = |name: &str, count: &str| format!("module \"{name}\" {{\n  source = \"./m\"\n  {count}\n}}\n");
    let report = change(&format!("{}{}", call("a", ""), call("b", "")), &call("a", "count = var.n"));
    let said = said(&report);
    assert_eq!(said.iter().filter(|line| line.starts_with("removed module.b.")).count(), 3, "{said:?}");
    assert_eq!(said.iter().filter(|line| line.starts_with("modified module.a.")).count(), 3, "{said:?}");
    assert!(rules(&report).contains(&"component-removed"), "{report}");
}

#[test]
fn a_count_that_a_stack_gives_and_that_becomes_unknown() {
    let repo = Repo::new();
    let stack =
        |n: &str| format!("vars:\n  stage: dev\ncomponents:\n  terraform:\n    web:\n      vars:\n        n: {n}\n");
    repo.write("atmos.yaml", ATMOS).write("stacks/dev.yaml", stack("2"));
    repo.write(
        "components/terraform/web/main.tf",
        format!("variable \"n\" {{}}\nvariable \"stage\" {{}}\n{}", web("count = var.n")),
    );
    repo.commit("base");
    repo.write("stacks/dev.yaml", stack("!store prod/ssm web n")).commit("head");
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    let resources: Vec<&Value> = report["resources"].as_array().unwrap().iter().collect();
    assert!(resources.iter().all(|resource| resource["status"] == "modified"), "{resources:?}");
    let report = report.to_string();
    assert!(!report.contains("component-removed") && !report.contains("component-renamed"), "{report}");
}

#[test]
fn a_file_that_a_data_source_may_write_is_not_missing() {
    let check = |path: &str| {
        let repo = Repo::new();
        let archive = "data \"archive_file\" \"z\" {\n  source_dir  = \"src\"\n  output_path = \"z.zip\"\n}\nresource \"a_b\" \"d\" {\n  out = \"z.zip\"\n}\n";
        let rest = format!(
            "locals {{\n  out = data.archive_file.z.output_path\n}}\nresource \"a_b\" \"c\" {{\n  hash = filemd5({path})\n}}\n"
        );
        repo.write("main.tf", format!("terraform {{}}\n{archive}{rest}")).write("src/a.py", "").commit("base");
        repo.run(&["check", "--format", "concise"])
    };
    for path in
        ["data.archive_file.z.output_path", "local.out", "\"${path.module}/${data.archive_file.z.output_path}\""]
    {
        check(path).ends_with(0).hides("error");
    }
    // A resource is made later, as OpenTofu says.
    for path in ["\"z.zip\"", "a_b.d.out"] {
        check(path).ends_with(1).says("no file exists at \"z.zip\"");
    }
}

#[test]
fn a_mistake_in_a_workspace_that_nobody_selected_is_a_note() {
    let repo = Repo::new();
    let code = "terraform {}\nlocals {\n  all = {\n    dev  = 1\n    prod = 2\n  }\n}\nresource \"a_b\" \"c\" {\n  size = local.all[terraform.workspace]\n}\n";
    repo.write("main.tf", code).commit("base");
    let run = repo.run(&["check"]).ends_with(0);
    run.says("note[incomplete-analysis]: in the workspace `default`, which may not be used: invalid index")
        .hides("error");
    repo.run(&["check", "--workspace", "default"]).ends_with(1).says("error[tofu-invalid-value]: invalid index");
    repo.run(&["check", "--workspace", "dev"]).ends_with(0).hides("invalid index");
    // What is wrong in each workspace stays an error.
    repo.write(
        "main.tf",
        format!("{code}output \"a\" {{\n  value = file(\"${{terraform.workspace}}/../nope\") + tonumber(\"x\")\n}}\n"),
    );
    repo.run(&["check"]).ends_with(1).says("error[tofu-invalid-value]");
    repo.write("stacklint.toml", "workspaces = [\"dev\", \"qa\"]\n").write("main.tf", code);
    repo.run(&["check"]).ends_with(1).says("error[tofu-invalid-value]: invalid index");
}
