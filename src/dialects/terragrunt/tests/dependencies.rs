//! Dependencies that several files declare together.

use super::World;
use serde_json::json;

const VPC: (&str, &str) = ("live/vpc/terragrunt.hcl", "");
const APP: &str = r#"
include "inputs" {
  path           = find_in_parent_folders("inputs.hcl")
  merge_strategy = "deep"
}
include "vpc" {
  path           = find_in_parent_folders("vpc.hcl")
  merge_strategy = "deep"
}
dependency "vpc" {
  config_path  = "../vpc"
  skip_outputs = true
  mock_outputs = { id = "app" }
}
"#;

#[test]
fn included_files_see_the_dependencies_of_the_unit() {
    let world = World::new(&[
        ("inputs.hcl", "inputs = {\n  id = dependency.vpc.outputs.id\n  name = dependency.vpc.outputs.name\n}\n"),
        (
            "vpc.hcl",
            "dependency \"vpc\" {\n  config_path = \"\"\n  mock_outputs = { id = \"low\", name = \"low\" }\n}\n",
        ),
        ("live/app/terragrunt.hcl", APP),
        VPC,
    ]);
    assert_eq!(world.unit("live app")["inputs"], json!({"id": "app", "name": "low"}));
    assert_eq!(world.findings(), [""; 0], "the empty path is replaced");
}

#[test]
fn an_included_file_fails_without_the_dependency() {
    let app = "include \"inputs\" {\n  path = find_in_parent_folders(\"inputs.hcl\")\n}\n";
    let inputs = ("inputs.hcl", "inputs = {\n  id = dependency.vpc.outputs.id\n}\n");
    let found = World::new(&[inputs, ("live/app/terragrunt.hcl", app)]).findings();
    assert!(found.len() == 1 && found[0].starts_with("terragrunt-invalid-value inputs.hcl:2 "), "{found:?}");
}

#[test]
fn an_empty_path_is_found_unless_the_dependency_is_off() {
    let found = |more: &str| {
        let unit = format!(
            "dependency \"a\" {{\n  config_path = \"\"\n  mock_outputs = {{ x = 1 }}\n{more}}}\ninputs = {{ x = dependency.a.outputs.x }}\n"
        );
        World::new(&[("app/terragrunt.hcl", unit.as_str())]).findings()
    };
    assert_eq!(found("  enabled = false\n"), [""; 0]);
    assert!(
        found("").iter().any(|f| f.starts_with("terragrunt-invalid-value app/terragrunt.hcl:2 ")),
        "{:?}",
        found("")
    );
}

#[test]
fn blocks_of_an_included_file_that_are_read_first_see_no_dependency() {
    let text = "dependency \"vpc\" {\n  config_path = \"../vpc\"\n}\nexclude {\n  if      = dependency.vpc.outputs.off\n  actions = [\"all\"]\n}\n";
    let include = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n";
    let own = World::new(&[("live/app/terragrunt.hcl", text), VPC]);
    assert_eq!(own.findings(), [""; 0]);
    let findings = World::new(&[("root.hcl", text), ("live/app/terragrunt.hcl", include), VPC]).findings();
    assert!(findings.len() == 1 && findings[0].contains("root.hcl:5 unknown variable"), "{findings:?}");
}
