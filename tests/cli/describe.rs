//! `describe`: stacks and components with their values, and the stacks that contain a component.

use super::contracts::{schema, validate};
use crate::common::Repo;

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write(
        "stacks/catalog/vpc.yaml",
        "components:\n  terraform:\n    vpc:\n      env: {A: one}\n      vars:\n        cidr: 10.0.0.0/16\n        name: net\n",
    );
    for (stage, cidr) in [("dev", "10.1.0.0/16"), ("prod", "10.2.0.0/16")] {
        let text = format!(
            "import: [catalog/vpc]\nvars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        cidr: {cidr}\n"
        );
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    repo.write(
        "stacks/deploy/test.yaml",
        "vars: {stage: test}\ncomponents:\n  terraform:\n    bucket: {vars: {size: 1}}\n    queue: {vars: {size: 2}}\n",
    );
    repo
}

#[test]
fn everything_in_a_stack_begins_with_its_variables() {
    let repo = repo();
    for name in ["test", "deploy/test", "te*"] {
        let run = repo.run(&["describe", "stack", name]).ends_with(0).says("bucket (terraform) in test");
        let run = run.says("queue (terraform) in test").hides("vpc");
        let lines: Vec<&str> = run.stdout.lines().collect();
        assert_eq!(lines[2], "vars:", "{run}");
    }
    let json = repo.run(&["describe", "stack", "test", "--format", "json"]).ends_with(0);
    validate(&schema("describe-stacks.json"), &json.json());
    assert_eq!(json.json()["test"]["components"]["terraform"]["queue"]["vars"]["size"], 2);
    assert!(json.json().as_object().unwrap().len() == 1);
    let at = |key: &str| json.stdout.find(&format!("\"{key}\"")).unwrap();
    assert!(at("vars") < at("atmos_component") && at("vars") < at("backend"), "{json}");
    let yaml = repo.run(&["describe", "stack", "test", "--format", "yaml"]).ends_with(0);
    assert!(yaml.stdout.starts_with("test:\n  components:\n    terraform:\n      bucket:\n        vars:\n"), "{yaml}");
    repo.run(&["describe", "stack", "test", "--component", "que*"]).ends_with(0).says("queue").hides("bucket");
    repo.run(&["describe", "stack", "tets"]).ends_with(2).complains("did you mean `test`?");
    repo.run(&["describe", "stack", "["]).ends_with(2).complains("malformed pattern");
}

#[test]
fn stacks_and_components_may_be_patterns() {
    let repo = repo();
    let run = repo.run(&["describe", "component", "vpc", "-s", "{dev,prod}"]).ends_with(0);
    run.says("vpc (terraform) in dev").says("vpc (terraform) in prod").hides("bucket");
    let json = repo.run(&["describe", "component", "*", "-s", "t*", "--format", "json"]).ends_with(0).json();
    assert_eq!(json["test"]["components"]["terraform"].as_object().unwrap().len(), 2);
    repo.run(&["describe", "component", "vcp*", "-s", "*"]).ends_with(2).complains("no component");
    repo.run(&["describe", "component", "vpc", "-s", "*", "--type", "helmfile"]).ends_with(2).complains("`helmfile`");
}

#[test]
fn replaced_values_are_shown_with_their_places() {
    let repo = repo();
    let run = repo.run(&["describe", "component", "vpc", "-s", "dev", "--history"]).ends_with(0);
    run.says("cidr: \"10.1.0.0/16\"").says("# replaces \"10.0.0.0/16\"").says("# stacks/catalog/vpc.yaml:6");
    repo.run(&["describe", "component", "vpc", "-s", "dev"]).ends_with(0).hides("10.0.0.0/16");
    repo.run(&["describe", "stack", "prod", "--history"]).ends_with(0).says("# replaces \"10.0.0.0/16\"");
    let json = ["describe", "component", "vpc", "-s", "dev", "--history", "--format", "json"];
    repo.run(&json).ends_with(2).complains("--history works with --format text");
}

#[test]
fn without_a_stack_a_component_lists_its_stacks() {
    let repo = repo();
    let run = repo.run(&["describe", "component", "vpc"]).ends_with(0);
    assert_eq!(run.stdout, "vpc (terraform) in 2 stacks\n  dev\n  prod\n");
    let run = repo.run(&["describe", "component", "vpc", "--format", "json"]).ends_with(0);
    validate(&schema("component-stacks.json"), &run.json());
    assert_eq!(run.json()[1]["stack"], "prod");
    let concise = repo.run(&["describe", "component", "[bq]*", "--format", "concise"]).ends_with(0);
    assert_eq!(concise.stdout, "test terraform bucket\ntest terraform queue\n");
    repo.run(&["describe", "component", "vcp"]).ends_with(2).complains("did you mean `vpc`?");
}

#[test]
fn concise_is_a_line_for_each_value() {
    let repo = repo();
    let run = repo.run(&["describe", "component", "vpc", "-s", "dev", "--format", "concise"]).ends_with(0);
    let first = "dev terraform vpc vars.cidr: \"10.1.0.0/16\" # stacks/deploy/dev.yaml:7";
    assert_eq!(run.stdout.lines().next(), Some(first), "{run}");
    let stacks = repo.run(&["describe", "stacks", "--format", "concise"]).ends_with(0);
    assert_eq!(stacks.stdout.lines().count(), 4, "{stacks}");
    repo.run(&["describe", "locals", "-s", "dev", "--format", "concise"]).ends_with(2);
}

#[test]
fn secrets_are_masked_in_every_description() {
    let repo = repo();
    repo.write(
        "stacks/deploy/test.yaml",
        "import: [catalog/db]\nvars: {stage: test}\ncomponents: {terraform: {db: {vars: {db_password: swordfish}}}}\n",
    );
    repo.write("stacks/catalog/db.yaml", "components: {terraform: {db: {vars: {db_password: hunter2}}}}\n");
    for arguments in [
        &["describe", "stack", "test", "--history"][..],
        &["describe", "component", "db", "-s", "test", "--history"],
        &["describe", "component", "db", "-s", "test", "--format", "concise"],
    ] {
        repo.run(arguments).ends_with(0).says("db_password").hides("hunter2").hides("swordfish");
    }
}

#[test]
fn places_stay_in_the_width_of_the_terminal() {
    let repo = repo();
    let long = "x".repeat(60);
    repo.write(
        "stacks/deploy/test.yaml",
        format!(
            "vars: {{stage: test}}\ncomponents:\n  terraform:\n    box:\n      vars:\n        a: {long}\n        b: 1\n"
        ),
    );
    for columns in ["80", "100", "120", "160"] {
        let run = repo.run_with(&["describe", "component", "box", "-s", "test"], &[("COLUMNS", columns)]).ends_with(0);
        let width: usize = columns.parse().unwrap();
        assert!(run.stdout.lines().all(|line| line.chars().count() <= width), "{run}");
    }
}
