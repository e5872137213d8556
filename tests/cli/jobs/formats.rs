//! Each format of jobs as it is written, and whether its tool would take it.

use super::repo;
use crate::common::{Repo, fixture};
use crate::contracts::{schema, validate};
use insta::assert_snapshot;
use serde_json::{Value, json};

const FORMATS: [&str; 6] = ["atlantis", "digger", "gitlab-child", "buildkite", "spacelift", "waves"];

fn text(repo: &Repo, format: &str, arguments: &[&str]) -> String {
    let run = repo.run(&[&["diff", "HEAD~1..HEAD", "--format", format], arguments].concat()).ends_with(0);
    run.stdout
}

/// The file that describes what a tool reads, as its parser takes it.
fn parsed(format: &str, text: &str) -> Value {
    let value: Value = yaml_serde::from_str(text).unwrap_or_else(|e| panic!("{format}: {e}\n{text}"));
    let schema = match format {
        "waves" | "spacelift" => schema(&format!("{format}.json")),
        _ => {
            let path = fixture("").join("../tests/cli/jobs/schemas").join(format!("{format}.json"));
            let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            jsonschema::validator_for(&schema).expect("a valid schema")
        }
    };
    validate(&schema, &value);
    value
}

#[test]
fn each_format_of_the_same_change() {
    let repo = repo();
    for format in FORMATS {
        let text = text(&repo, format, &["--include-dependents"]);
        parsed(format, &text);
        assert_snapshot!(format!("jobs_{format}"), text);
    }
}

#[test]
fn without_a_change_nothing_runs() {
    let repo = repo();
    for format in FORMATS {
        let run = repo.run(&["diff", "HEAD..HEAD", "--format", format]).ends_with(0);
        let value = parsed(format, &run.stdout);
        let none = match format {
            "atlantis" => value["projects"] == json!([]) && value["autodiscover"]["mode"] == "disabled",
            "digger" => value["projects"] == json!([]),
            "gitlab-child" => value["nothing to run"]["script"].is_array(),
            "buildkite" => value["steps"].as_array().unwrap().len() == 1,
            "spacelift" => value["stacks"] == json!({}),
            _ => value["waves"] == json!([]) && value["has_changes"] == false && value["skipped"] == 6,
        };
        assert!(none, "{format}: {run}");
    }
}

#[test]
fn everything_is_listed_without_a_change() {
    let repo = repo();
    let run = repo.run(&["diff", "--everything", "--format", "atlantis"]).ends_with(0);
    let projects = parsed("atlantis", &run.stdout)["projects"].clone();
    let shown = |one: &Value| format!("{} {}", one["name"].as_str().unwrap(), one["execution_order_group"]);
    let shown: Vec<String> = projects.as_array().unwrap().iter().map(shown).collect();
    assert_eq!(shown, ["dev-dns 0", "dev-fixed 0", "dev-network 0", "dev-database 1", "dev-web 2"]);
    // What Atlantis compares with the files that a pull request changes.
    let web = &projects[4];
    assert_eq!(web["dir"], "components/terraform/service");
    let patterns = web["autoplan"]["when_modified"].as_array().unwrap();
    for pattern in ["./**", "../../../modules/m/**", "../../../stacks/deploy/dev.yaml", "../../../atmos.yaml"] {
        assert!(patterns.contains(&json!(pattern)), "{pattern} in {patterns:?}");
    }
}

#[test]
fn names_of_files_are_no_patterns_and_no_references() {
    let repo = Repo::new();
    let code =
        |size: u32| format!("terraform {{\n  backend \"local\" {{}}\n}}\noutput \"x\" {{\n  value = {size}\n}}\n");
    repo.write("a$b {c}/main.tf", code(1)).commit("base");
    repo.write("a$b {c}/main.tf", code(2)).commit("head");
    let atlantis = parsed("atlantis", &text(&repo, "atlantis", &[]));
    assert_eq!(atlantis["projects"][0]["dir"], "a$b {c}");
    assert_eq!(atlantis["projects"][0]["name"], "a-b--c-");
    let gitlab = parsed("gitlab-child", &text(&repo, "gitlab-child", &[]));
    let variables = &gitlab["run a-b--c-"]["variables"];
    assert_eq!(variables["FOLDER"], json!({"value": "a$b {c}", "expand": false}));
    let buildkite = parsed("buildkite", &text(&repo, "buildkite", &[]));
    assert_eq!(buildkite["steps"][0]["env"]["FOLDER"], "a$$b {c}");
    // Atlantis takes brackets for a pattern of folders.
    repo.write("[x]/main.tf", code(1)).commit("brackets");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "atlantis"]).ends_with(2).complains("Atlantis accepts no folder");
}
