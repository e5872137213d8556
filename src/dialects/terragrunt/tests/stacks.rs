//! Stack files.

use super::World;
use serde_json::json;

const APP: (&str, &str) = (
    "units/app/terragrunt.hcl",
    "inputs = {\n  name = values.name\n  data = file(\"data.txt\")\n  dir = get_path_from_repo_root()\n}\n",
);
const DATA: (&str, &str) = ("units/app/data.txt", "x");

#[test]
fn units_are_evaluated_where_they_are_generated() {
    let stack = "locals {\n  n = \"a\"\n}\nunit \"app\" {\n  source = \"../units/app\"\n  path   = \"app\"\n  values = {\n    name = local.n\n  }\n}\n";
    let world = World::new(&[("live/terragrunt.stack.hcl", stack), APP, DATA]);
    let inputs = json!({"name": "a", "data": "x", "dir": "live/.terragrunt-stack/app"});
    assert_eq!(world.unit("live app")["inputs"], inputs);
    assert_eq!(world.findings(), [""; 0], "the source of a unit is no unit");
}

#[test]
fn stacks_nest() {
    let outer = "stack \"dev\" {\n  source = \"../stacks/env\"\n  path   = \"dev\"\n  values = { env = \"dev\" }\n}\n";
    let inner = "unit \"app\" {\n  source = \"${get_repo_root()}/units/app\"\n  path   = \"app\"\n  values = { name = values.env }\n}\n";
    let files = [("live/terragrunt.stack.hcl", outer), ("stacks/env/terragrunt.stack.hcl", inner), APP, DATA];
    let world = World::new(&files);
    assert_eq!(world.unit("live dev/app")["inputs"]["name"], json!("dev"));
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn what_cannot_be_expanded_is_found() {
    let unit =
        |source: &str, path: &str| format!("unit \"a\" {{\n  source = \"{source}\"\n  path   = \"{path}\"\n}}\n");
    for (stack, line) in [
        (unit("../gone", "a"), 2),
        (unit("../units/app", "../a"), 3),
        (unit("../units", "a"), 1),
        (unit("../units/app", "a") + &unit("../units/app", "a"), 5),
        ("locals {}\n".to_owned(), 1),
    ] {
        let found = World::new(&[("live/terragrunt.stack.hcl", &stack), APP, DATA]).findings();
        let expected = format!("terragrunt-stack live/terragrunt.stack.hcl:{line} ");
        assert!(found.iter().any(|finding| finding.starts_with(&expected)), "{stack}: {found:?}");
    }
}

#[test]
fn a_stack_that_generates_itself_ends() {
    let stack = "stack \"a\" {\n  source = \"${get_repo_root()}/live\"\n  path   = \"a\"\n}\n";
    let other = "stack \"a\" {\n  source = \"${get_repo_root()}/live\"\n  path   = \"b\"\n}\n";
    let world = World::new(&[("live/terragrunt.stack.hcl", stack), ("top/terragrunt.stack.hcl", other)]);
    assert!(world.findings().iter().any(|finding| finding.starts_with("limit-exceeded")), "{:?}", world.findings());
}
