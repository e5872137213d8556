//! Pull requests of a Garden project.

use crate::common::Repo;
use crate::runner::{Job, Runner};
use serde_json::{Value, json};

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
spec: {deployCommand: [deploy, '--replicas=${var.replicas}']}
";

/// The job of a pull request that edits a project, and the runner that holds its files.
fn job(edit: impl FnOnce(&Repo), inputs: &[(&str, &str)]) -> (Runner, Job) {
    let origin = Repo::new();
    let base = origin.write("project.garden.yml", PROJECT).write("api/garden.yml", ACTIONS).commit("base");
    origin.git(&["checkout", "--quiet", "-b", "topic"]);
    edit(&origin);
    let head = origin.commit("change");
    let runner = Runner::new(origin);
    runner.checkout(&head, 1);
    let pull = json!({"number": 1, "base": {"sha": base}, "head": {"sha": head}});
    let event = json!({"pull_request": pull, "repository": {"default_branch": "main"}});
    let job = runner.run("pull_request", &event, inputs);
    (runner, job)
}

#[test]
fn a_change_of_one_environment_is_summed_up() {
    let edit = |repo: &Repo| {
        repo.edit("project.garden.yml", "replicas: 3", "replicas: 5");
    };
    let (_runner, job) = job(edit, &[]);
    let job = job.ends_with(0);
    let job = job.sets(&[
        ("conclusion", "success"),
        ("changed", "true"),
        // The deployment and the variables of the project.
        ("components", "2"),
        ("findings", "0"),
        ("unresolved", "0"),
        ("stacks", "[\"prod\"]"),
        // There is nothing to run for a project.
        (
            "matrix",
            "{\"include\":[{\"stack\":\"prod\",\"component\":\"api\",\"component_path\":\"api\",\"component_type\":\"deploy\"}]}",
        ),
    ]);
    let coverage: Value = serde_json::from_str(&job.outputs["coverage"]).unwrap();
    assert_eq!(coverage["projects"][0]["dialect"], "garden");
    for text in ["--replicas=5", "project.garden.yml", "prod"] {
        assert!(job.summary.contains(text), "{text}: {}", job.summary);
    }
    assert_eq!(job.log.lines().filter(|line| line.starts_with("::error")).count(), 0, "{job:#?}");
    let affected: Value = serde_json::from_str(&job.file("affected-file")).unwrap();
    let deploy = affected.as_array().unwrap().iter().find(|item| item["component_type"] == "deploy").unwrap();
    assert_eq!((&deploy["stack"], &deploy["affected"]), (&json!("prod"), &json!("stack.spec")));
    assert!(job.file("comment-file").contains("--replicas=5") && job.file("page-file").contains("--replicas=5"));
}

#[test]
fn a_mistake_is_an_annotation_at_its_line() {
    let edit = |repo: &Repo| {
        repo.edit("api/garden.yml", "[build.api]", "[build.apu]");
    };
    let (_runner, job) = job(edit, &[]);
    let job = job.ends_with(1);
    let job = job.sets(&[("conclusion", "failure"), ("errors", "1"), ("findings", "1"), ("changed", "unknown")]);
    let annotations: Vec<&str> = job.log.lines().filter(|line| line.starts_with("::error file=")).collect();
    assert_eq!(annotations.len(), 1, "both environments have the same mistake: {job:#?}");
    for text in ["file=api/garden.yml", "line=9", "undefined-dependency", "no Build action `apu`"] {
        assert!(annotations[0].contains(text), "{text}: {annotations:?}");
    }
    assert_eq!(job.outputs["unresolved"], "2", "no environment has a graph");
    // An unresolved part is not removed, and may be affected.
    let matrix: Value = serde_json::from_str(&job.outputs["matrix"]).unwrap();
    let jobs: Vec<_> =
        matrix["include"].as_array().unwrap().iter().map(|job| (&job["stack"], &job["component_type"])).collect();
    let expected =
        [("dev", "build"), ("dev", "deploy"), ("prod", "build"), ("prod", "deploy")].map(|(s, k)| (json!(s), json!(k)));
    assert!(jobs.iter().copied().eq(expected.iter().map(|(stack, kind)| (stack, kind))), "{jobs:?}");
    assert_eq!(job.outputs["components"], "0");
    let sarif: Value = serde_json::from_str(&job.file("sarif-file")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "stacklint/undefined-dependency");
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "api/garden.yml");
    assert!(job.summary.contains("no longer resolve"), "{}", job.summary);
}

#[test]
fn a_mistake_fails_nothing_where_it_may_not() {
    let edit = |repo: &Repo| {
        repo.edit("api/garden.yml", "[build.api]", "[build.apu]");
    };
    let (_runner, job) = job(edit, &[("fail-on", "never"), ("annotations", "false")]);
    let job = job.ends_with(0);
    assert!(!job.log.contains("::error"), "{job:#?}");
    job.sets(&[("conclusion", "incomplete"), ("changed", "unknown"), ("errors", "1")]);
}

#[test]
fn sources_of_an_action_are_affected() {
    let edit = |repo: &Repo| {
        repo.write("api/main.c", "int main(void) { return 1; }\n");
    };
    let (_runner, job) = job(edit, &[]);
    let job = job.ends_with(0);
    let affected: Value = serde_json::from_str(&job.file("affected-file")).unwrap();
    let all: Vec<&str> = affected.as_array().unwrap().iter().map(|item| item["affected"].as_str().unwrap()).collect();
    assert!(!all.is_empty() && all.iter().all(|reason| *reason == "component"), "{affected}");
    assert!(job.outputs["matrix"].contains("\"component_type\":\"build\""), "{job:#?}");
}

#[test]
fn words_change_nothing() {
    let edit = |repo: &Repo| {
        repo.write("README.md", "words\n");
    };
    let (_runner, job) = job(edit, &[]);
    let job = job.ends_with(0);
    assert!(job.summary.contains("No effective change"), "{}", job.summary);
    job.sets(&[("changed", "false"), ("components", "0"), ("stacks", "[]"), ("matrix", "{\"include\":[]}")]);
}
