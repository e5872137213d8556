//! A defect of stacklint in one rule or one stack costs the findings of that rule or stack, and nothing else.
#![cfg(debug_assertions)]

use super::{DEV, project};
use crate::common::Repo;

/// Makes one piece of work panic. A release has no such variable.
const PLANT: &str = "STACKLINT_PLANT_DEFECT";

#[test]
fn a_rule_that_fails() {
    let repo = project(&[("stacks/deploy/bad.yaml", "import: [gone]\nvars: {stage: bad}\n")]);
    let healthy = repo.run(&["check", "--format", "json"]).ends_with(1);
    let run = repo.run_with(&["check", "--format", "json"], &[(PLANT, "rule ambiguous-scalar")]).ends_with(2);
    let rules = |run: &crate::common::Run| -> Vec<String> {
        let json = run.json();
        json["diagnostics"].as_array().unwrap().iter().map(|d| d["rule"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(rules(&healthy), ["unresolved-import"]);
    let found = rules(&run);
    assert!(found.contains(&"internal-error".to_owned()) && found.contains(&"unresolved-import".to_owned()), "{run}");
    assert!(run.stdout.contains("rule ambiguous-scalar") && run.stdout.contains("please report it"), "{run}");
    let sarif = repo.run_with(&["check", "--format", "sarif"], &[(PLANT, "rule ambiguous-scalar")]).ends_with(2).json();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    // No level, comment or option hides it.
    let arguments = ["check", "--exit-zero", "--fail-on", "never", "--min-level", "error"];
    repo.run_with(&arguments, &[(PLANT, "rule ambiguous-scalar")]).ends_with(2).says("internal-error");
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2")).commit("head");
    let changed = repo.run_with(&["diff", "HEAD~1..HEAD"], &[(PLANT, "rule type-changed")]).ends_with(2);
    changed.says("internal-error").says("1 → 2");
}

#[test]
fn a_stack_that_fails() {
    let repo = project(&[("stacks/deploy/other.yaml", &DEV.replace("stage: dev", "stage: other"))]);
    let plant = [(PLANT, "stack stacks/deploy/other.yaml")];
    repo.run_with(&["check"], &plant).ends_with(2).says("stacks/deploy/other.yaml").says("internal-error");
    let stacks = repo.run_with(&["describe", "stacks", "--format", "json"], &plant).ends_with(2);
    assert!(stacks.json().get("dev").is_some() && stacks.json().get("other").is_none(), "{stacks}");
    stacks.complains("please report it");
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2"));
    repo.write("stacks/deploy/other.yaml", DEV.replace("stage: dev", "stage: other").replace("size: 1", "size: 3"));
    repo.commit("head");
    // An unknown part is neither changed nor removed.
    let diff = repo.run_with(&["diff", "HEAD~1..HEAD", "--format", "json"], &plant).ends_with(2);
    let json = diff.json();
    let components = json["components"].as_array().unwrap();
    assert_eq!(components.len(), 1, "{diff}");
    assert_eq!(components[0]["stack"], "dev");
}

#[test]
fn a_command_that_fails() {
    let repo = project(&[]);
    let run = repo.run_with(&["check"], &[(PLANT, "the command")]).ends_with(2);
    run.complains("internal error").complains("please report it");
}

#[test]
fn an_environment_that_fails() {
    let infra = "environments: {prod: {}, staging: {}}\nmodules:\n- {name: vpc, type: infra.vpc, config: {size: 1}}\n";
    let repo = Repo::new();
    repo.write("infra.yaml", infra).commit("base");
    let plant = [(PLANT, "environment prod of infra.yaml")];
    repo.run_with(&["check"], &plant).ends_with(2).says("internal-error").says("environment prod of infra.yaml");
    let stacks = repo.run_with(&["describe", "stacks", "--format", "json"], &plant).ends_with(2);
    assert!(stacks.json().get("staging").is_some() && stacks.json().get("prod").is_none(), "{stacks}");
    repo.write("infra.yaml", infra.replace("size: 1", "size: 2")).commit("head");
    // An unknown part is neither changed nor removed.
    let diff = repo.run_with(&["diff", "HEAD~1..HEAD", "--format", "json"], &plant).ends_with(2);
    let json = diff.json();
    let components = json["components"].as_array().unwrap();
    assert!(components.len() == 1 && components[0]["stack"] == "staging", "{diff}");
    // A failed check of everything loses its findings, a failed file its content.
    let arguments = ["describe", "stacks", "--format", "json"];
    let checked = repo.run_with(&arguments, &[(PLANT, "checks graph")]).ends_with(2);
    assert!(checked.json().get("prod").is_some() && checked.json().get("staging").is_some(), "{checked}");
    repo.run_with(&["check"], &[(PLANT, "project infra.yaml")]).ends_with(2).says("internal-error");
}
