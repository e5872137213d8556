//! Schemas and policies of a repository, over two commits.

use crate::common::Repo;

const POLICY: &str = "package atmos\nerrors[message] {\n  input.vars.size > 3\n  message = sprintf(\"%v is too big\", [input.vars.size])\n}\n";

/// Two stacks whose component is checked against a policy and a schema.
fn repo() -> Repo {
    let repo = Repo::atmos();
    let stack = |stage: &str, size: &str| {
        format!(
            "vars: {{stage: {stage}}}\nimport: [catalog/box]\ncomponents: {{terraform: {{box: {{vars: {{size: {size}}}}}}}}}\n"
        )
    };
    repo.write("stacks/deploy/dev.yaml", stack("dev", "2"))
        .write("stacks/deploy/prod.yaml", stack("prod", "!terraform.state vpc size"))
        .write(
            "stacks/catalog/box.yaml",
            "components:\n  terraform:\n    box:\n      settings:\n        validation:\n          \
             size: {schema_type: opa, schema_path: checks/size.rego}\n          \
             shape: {schema_type: jsonschema, schema_path: checks/box.json}\n",
        )
        .write("checks/size.rego", POLICY)
        .write("checks/box.json", "{}")
        .commit("base");
    repo
}

fn found(repo: &Repo, args: &[&str]) -> Vec<String> {
    let run = repo.run(args);
    let lines = run.stdout.lines().filter(|l| l.contains("[component-validation]"));
    lines.map(str::to_owned).collect()
}

#[test]
fn what_a_change_of_a_policy_or_a_schema_refuses_is_new() {
    let repo = repo();
    assert_eq!(found(&repo, &["check", "--format", "concise"]), [""; 0]);
    repo.write("checks/size.rego", POLICY.replace("> 3", "> 1")).commit("smaller");
    let new = found(&repo, &["diff", "HEAD~1..HEAD", "--format", "concise"]);
    assert_eq!(new.len(), 1, "{new:?}");
    assert!(new[0].starts_with("stacks/catalog/box.yaml:6:") && new[0].contains("2 is too big"), "{new:?}");
    repo.write("checks/box.json", r#"{"properties":{"vars":{"required":["name"]}}}"#).commit("stricter");
    let new = found(&repo, &["diff", "HEAD~1..HEAD", "--format", "concise"]);
    assert_eq!(new.len(), 1, "{new:?}");
    assert!(new[0].contains("`vars` lacks the required key `name` (component `box`)"), "{new:?}");
}
