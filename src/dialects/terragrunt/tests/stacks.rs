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

const PLAIN: (&str, &str) = ("units/vpc/terragrunt.hcl", "");

#[test]
fn blocks_see_where_others_are_generated() {
    let stack = r#"
locals {
  name = "n"
}
unit "vpc" {
  source = "../units/vpc"
  path   = "net/vpc"
}
stack "inner" {
  source = "../stacks/inner"
  path   = "inner"
  values = { vpc = unit.vpc.path }
}
unit "app" {
  source = "../units/app"
  path   = "app"
  values = { name = "v", shown = stack.inner.path }
  autoinclude {
    dependency "vpc" {
      config_path  = unit.vpc.path
      mock_outputs = { id = local.name }
    }
    inputs = {
      vpc  = unit.vpc.path
      name = local.name
      dir  = get_terragrunt_dir()
      data = values.missing
    }
  }
}
"#;
    let inner = "unit \"user\" {\n  source = \"${get_repo_root()}/units/user\"\n  path = \"user\"\n  values = { vpc = values.vpc }\n}\n";
    let user = (
        "units/user/terragrunt.hcl",
        "dependency \"vpc\" {\n  config_path = values.vpc\n}\ninputs = {\n  id = dependency.vpc.outputs.id\n}\n",
    );
    let files = [
        ("live/terragrunt.stack.hcl", stack),
        ("live/terragrunt.values.hcl", "missing = 7\n"),
        ("stacks/inner/terragrunt.stack.hcl", inner),
        user,
        PLAIN,
        APP,
        DATA,
    ];
    let world = World::new(&files);
    let vpc = "<repo>/live/.terragrunt-stack/net/vpc";
    let app = world.unit("live app");
    assert_eq!(app["inputs"], json!({"vpc": vpc, "name": "n", "dir": "<repo>/live", "data": 7}));
    assert_eq!(app["dependency"]["vpc"]["config_path"], "../net/vpc", "a path is written as seen from the unit");
    assert_eq!(app["dependency"]["vpc"]["mock_outputs"], json!({"id": "n"}));
    assert_eq!(world.unit("live inner/user")["dependency"]["vpc"]["config_path"], vpc);
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn a_stack_adds_blocks_to_the_file_of_another() {
    let stack = r#"
stack "net" {
  source = "../stacks/net"
  path   = "net"
  autoinclude {
    unit "vpc" {
      source = "${get_repo_root()}/units/other"
      path   = "vpc"
    }
    unit "more" {
      source = "${get_repo_root()}/units/vpc"
      path   = "more"
    }
  }
}
"#;
    let net = "unit \"vpc\" {\n  source = \"${get_repo_root()}/units/vpc\"\n  path = \"vpc\"\n  autoinclude {\n    inputs = { gone = 1 }\n  }\n}\n";
    let other = ("units/other/terragrunt.hcl", "inputs = { other = 1 }\n");
    let world =
        World::new(&[("live/terragrunt.stack.hcl", stack), ("stacks/net/terragrunt.stack.hcl", net), PLAIN, other]);
    assert_eq!(world.unit("live net/vpc")["inputs"], json!({"other": 1}));
    world.unit("live net/more");
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn what_is_merged_over_a_unit_gives_it_dependencies_and_hides_mistakes() {
    let stack = r#"
unit "vpc" {
  source = "../units/vpc"
  path   = "vpc"
}
unit "app" {
  source = "../units/net"
  path   = "app"
  values = {}
  autoinclude {
    dependency "vpc" {
      config_path = unit.vpc.path
    }
    inputs = {
      a = 1
    }
  }
}
"#;
    let unit = "inputs = {\n  a = values.gone\n  b = dependency.vpc.outputs.id\n}\n";
    let world = World::new(&[("live/terragrunt.stack.hcl", stack), ("units/net/terragrunt.hcl", unit), PLAIN]);
    let inputs = world.unit("live app")["inputs"].clone();
    assert_eq!(inputs["a"], 1);
    assert!(inputs["b"]["$unknown"].is_string(), "{inputs}");
    assert_eq!(world.findings(), [""; 0]);
    let unit = "inputs = {\n  a = tonumber(\"x\")\n}\n";
    let world = World::new(&[("live/terragrunt.stack.hcl", stack), ("units/net/terragrunt.hcl", unit), PLAIN]);
    assert!(world.findings()[0].contains("units/net/terragrunt.hcl:2"), "{:?}", world.findings());
}

#[test]
fn a_catalog_waits_for_values() {
    let unit = "inputs = {\n  a = values.a\n  b = 1\n}\n";
    let stack = "unit \"a\" {\n  source = \"git::https://example.com/catalog.git//units/a?ref=${values.version}\"\n  path = \"a\"\n}\n";
    let catalog = World::new(&[("stacks/s/terragrunt.stack.hcl", stack), ("units/a/terragrunt.hcl", unit)]);
    assert_eq!(catalog.findings(), [""; 0]);
    let inputs = catalog.unit("units a")["inputs"].clone();
    assert!(inputs["a"]["$unknown"].is_string() && inputs["b"] == 1, "{inputs}");
    let fixed = stack.replace("${values.version}", "v1");
    let named = [("live/terragrunt.stack.hcl", fixed.as_str()), ("units/a/terragrunt.hcl", unit)];
    assert_eq!(World::new(&named).findings(), [""; 0], "an address names the folder of the unit");
    let alone = World::new(&[("units/a/terragrunt.hcl", unit)]).findings();
    assert!(alone[0].contains("no variable named \"values\""), "{alone:?}");
}

#[test]
fn all_units_and_stacks_of_a_copied_folder_are_generated() {
    let stack = "unit \"all\" {\n  source = \"../catalog\"\n  path = \"all\"\n  no_validation = true\n}\nstack \"beside\" {\n  source = \"../catalog/app\"\n  path = \"beside\"\n  no_dot_terragrunt_stack = true\n}\n";
    let nested = "unit \"again\" {\n  source = \"../app\"\n  path = \"again\"\n  values = { n = 2 }\n}\n";
    let app = "inputs = {\n  n = try(values.n, 1)\n}\n";
    let files = [
        ("live/terragrunt.stack.hcl", stack),
        ("catalog/db/terragrunt.hcl", "inputs = { dir = get_path_from_repo_root() }\n"),
        ("catalog/app/terragrunt.hcl", app),
        ("catalog/more/terragrunt.stack.hcl", nested),
    ];
    let world = World::new(&files);
    assert_eq!(world.unit("live all/db")["inputs"]["dir"], "live/.terragrunt-stack/all/db");
    assert_eq!(world.unit("live all/more/again")["inputs"]["n"], 2);
    assert_eq!(world.unit("live beside")["inputs"]["n"], 1, "without a check, a unit where a stack should be");
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn files_that_a_nested_stack_reads_are_evaluated_for_its_folder() {
    let outer = "stack \"dev\" {\n  source = \"../stacks/env\"\n  path   = \"dev\"\n}\n";
    let inner = "locals {\n  c = read_terragrunt_config(\"${get_repo_root()}/c.hcl\")\n}\nunit \"app\" {\n  source = \"${get_repo_root()}/units/app\"\n  path   = \"app\"\n  values = { name = local.c.locals.dir }\n}\n";
    let common = ("c.hcl", "locals {\n  dir = get_original_terragrunt_dir()\n}\n");
    let files = [("live/terragrunt.stack.hcl", outer), ("stacks/env/terragrunt.stack.hcl", inner), common, APP, DATA];
    let world = World::new(&files);
    assert_eq!(world.unit("live dev/app")["inputs"]["name"], "<repo>/live/.terragrunt-stack/dev");
}

#[test]
fn what_is_merged_over_a_unit_comes_before_its_includes() {
    let root = "inputs = {\n  m = { a = 1 }\n  l = [1]\n}\n";
    let unit = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n  merge_strategy = \"deep\"\n}\ninputs = {\n  m = { b = 2 }\n  l = \"x\"\n}\n";
    let over = "inputs = {\n  m = { c = 3 }\n  l = [2]\n}\n";
    let files = [("root.hcl", root), ("live/app/terragrunt.hcl", unit), ("live/app/terragrunt.autoinclude.hcl", over)];
    let world = World::new(&files);
    assert_eq!(world.unit("live app")["inputs"], json!({"m": {"a": 1, "c": 3}, "l": [1, 2]}));
    assert_eq!(world.findings(), [""; 0], "the list is never merged with text");
}

#[test]
fn what_a_unit_of_a_stack_does_not_have_is_ignored() {
    for (inside, outside, expected) in [("  x = 1\n  y {\n  }\n", "", 0), ("", "x = 1\n", 1), ("", "y {\n}\n", 1)] {
        let stack = format!("unit \"a\" {{\n  source = \"../units/a\"\n  path   = \"a\"\n{inside}}}\n{outside}");
        let world = World::new(&[("live/terragrunt.stack.hcl", &stack), ("units/a/terragrunt.hcl", "inputs = {}\n")]);
        assert_eq!(world.findings().len(), expected, "{stack}: {:?}", world.findings());
    }
}
