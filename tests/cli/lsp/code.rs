//! Code in HCL: names, hovers, completion, outlines; and files of Garden.

use super::client::Client;
use super::{labels, place, places, text, typed};
use crate::common::Repo;
use serde_json::json;

const MAIN: &str = "\
variable \"cidr\" {
  type        = string
  description = \"The range 😀 of the network.\"
  default     = \"10.0.0.0/16\"
}
locals {
  name = \"net-${var.cidr}\"
}
module \"vpc\" {
  source = \"./modules/vpc\"
  cidr   = var.cidr
  name   = local.name
}
provider \"aws\" {
  region = \"eu\"
}
output \"id\" {
  value = module.vpc.id
}
";

const MODULE: &str = "\
variable \"cidr\" { type = string }
variable \"name\" {}
output \"id\" { value = var.cidr }
";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("main.tf", MAIN)
        .write("modules/vpc/main.tf", MODULE)
        .write("terraform.tfvars", "cidr = \"10.1.0.0/16\"\n");
    repo.write("other.tf", "terraform {\n  backend \"local\" {}\n}\n");
    repo
}

#[test]
fn names_lead_to_their_declarations() {
    let repo = repo();
    let mut client = Client::start(&repo);
    client.open("main.tf", MAIN);
    client.open("modules/vpc/main.tf", MODULE);
    client.open("terraform.tfvars", "cidr = \"10.1.0.0/16\"\n");
    let definition = "textDocument/definition";
    let vpc = ["main.tf", "main.tf"];
    assert_eq!(places(&client.at(definition, "main.tf", MAIN, "= var.cidr", 6)), [place("main.tf", 0)]);
    assert_eq!(places(&client.at(definition, "main.tf", MAIN, "${var.cidr", 6)), [place("main.tf", 0)]);
    assert_eq!(places(&client.at(definition, "main.tf", MAIN, "local.name", 8)), [place("main.tf", 6)]);
    assert_eq!(places(&client.at(definition, "main.tf", MAIN, "module.vpc.id", 9)), [place("main.tf", 8)]);
    // Into the module that is called.
    for (needle, by, line) in [("module.vpc.id", 12, 2), ("cidr   =", 1, 0), ("name   =", 1, 1), ("vpc\" {", 1, 0)] {
        let found = client.at(definition, "main.tf", MAIN, needle, by);
        assert_eq!(places(&found), [place(vpc[0], line)], "{needle}");
        assert!(found[0]["uri"].as_str().unwrap().ends_with("modules/vpc/main.tf"), "{found}");
    }
    let found = client.at(definition, "terraform.tfvars", "cidr = ", "cidr", 1);
    assert_eq!(places(&found), [place("main.tf", 0)]);
    let found = client.at("textDocument/references", "main.tf", MAIN, "\"cidr\"", 2);
    let expected = [place("main.tf", 0), place("main.tf", 6), place("main.tf", 10), place("terraform.tfvars", 0)];
    assert_eq!(places(&found), expected);
    // From the module to those who call it.
    let found = client.at("textDocument/references", "modules/vpc/main.tf", MODULE, "\"id\"", 2);
    assert_eq!(places(&found), [place("main.tf", 17), place("main.tf", 2)]);
    let found = client.at("textDocument/references", "modules/vpc/main.tf", MODULE, "\"name\"", 2);
    assert_eq!(places(&found), [place("main.tf", 11), place("main.tf", 1)]);
    let links = client.at("textDocument/documentLink", "main.tf", MAIN, "variable", 0);
    assert!(links[0]["target"].as_str().unwrap().ends_with("modules/vpc/main.tf"), "{links}");
    client.shut_down();
}

#[test]
fn hovers_outlines_and_lenses_of_code() {
    let repo = repo();
    let mut client = Client::start(&repo);
    client.open("main.tf", MAIN);
    let hover = client.at("textDocument/hover", "main.tf", MAIN, "= var.cidr", 6);
    let shown = text(&hover);
    for part in [
        "`var.cidr`: optional `string`",
        "`The range 😀 of the network.`",
        "declared at `main.tf:1`",
        "`\"10.1.0.0/16\"` in `.`",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    let hover = client.at("textDocument/hover", "main.tf", MAIN, "local.name", 8);
    assert!(text(&hover).contains("`\"net-10.1.0.0/16\"` in `.`"), "{hover}");
    let hover = client.at("textDocument/hover", "main.tf", MAIN, "module.vpc.id", 8);
    assert!(text(&hover).contains("module `vpc`: `modules/vpc`"), "{hover}");
    let outline = client.at("textDocument/documentSymbol", "main.tf", MAIN, "variable", 0);
    let names: Vec<&str> = outline.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["variable.cidr", "locals", "module.vpc", "provider.aws", "output.id"]);
    assert_eq!(outline[2]["children"][1]["name"], "cidr");
    let lenses = client.at("textDocument/codeLens", "main.tf", MAIN, "variable", 0);
    let lens = lenses.as_array().unwrap().iter().find(|l| l["range"]["start"]["line"] == 8).unwrap();
    let resolved = client.request("codeLens/resolve", lens.clone());
    assert_eq!(resolved["command"]["title"], "1 component in 1 stack");
    let found = client.request("workspace/symbol", json!({"query": "vpc"}));
    assert_eq!(found[0]["name"], "vpc", "{found}");
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let document = json!({"uri": client.uri("main.tf")});
    let hints = client.request("textDocument/inlayHint", json!({"textDocument": document, "range": range}));
    let shown: Vec<(u64, &str)> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| (hint["position"]["line"].as_u64().unwrap(), hint["label"].as_str().unwrap()))
        .collect();
    let (range, name) = ("= \"10.1.0.0/16\"", "= \"net-10.1.0.0/16\"");
    assert_eq!(shown, [(10, range), (11, name), (17, range)], "{hints}");
    client.shut_down();
}

#[test]
fn completion_of_code_that_is_typed() {
    let repo = repo();
    let mut client = Client::start(&repo);
    client.open("main.tf", MAIN);
    let mut at = |old: &str, new: &str| labels(&typed(&mut client, "main.tf", (MAIN, old), new));
    let has = |found: Vec<String>, names: &[&str]| {
        names.iter().for_each(|name| assert!(found.iter().any(|l| l == name), "{name} is not in {found:?}"));
    };
    has(at("cidr   = var.cidr", "cidr   = var."), &["cidr"]);
    has(at("cidr   = var.cidr", "cidr   = loc"), &["local", "var", "module", "merge"]);
    has(at("cidr   = var.cidr", "cidr   = local."), &["name"]);
    has(at("  value = module.vpc.id", "  value = module.vpc."), &["id"]);
    has(at("  value = module.vpc.id", "  value = module."), &["vpc"]);
    has(at("  name   = local.name", "  na"), &["name", "cidr", "source", "for_each"]);
    has(at("  default     = \"10.0.0.0/16\"", "  sens"), &["sensitive", "validation"]);
    has(at("locals {", "vari"), &["variable", "resource"]);
    client.shut_down();
}

#[test]
fn completion_where_only_addresses_are_allowed() {
    let repo = repo();
    let text = "terraform {\n  required_providers {\n    aws = {}\n  }\n}\nresource \"aws_a\" \"x\" {\n}\ndata \"aws_b\" \"y\" {\n}\n\
                module \"m\" {\n  source = \"./modules/vpc\"\n}\nresource \"aws_a\" \"z\" {\n  size = 1\n}\n";
    repo.write("other/main.tf", text);
    let mut client = Client::start(&repo);
    client.open("other/main.tf", text);
    let mut at = |new: &str| labels(&typed(&mut client, "other/main.tf", (text, "  size = 1"), new));
    for new in ["  depends_on = [", "  depends_on = [\n    aws_a.x,\n    ¦\n  ]", "  depends_on = [aws_a.x, d¦]"] {
        assert_eq!(at(new), ["aws_a", "data", "module"], "{new}");
    }
    assert_eq!(at("  lifecycle {\n    replace_triggered_by = [¦]\n  }"), ["aws_a"]);
    assert_eq!(at("  lifecycle {\n    ignore_changes = [¦]\n  }"), ["all"]);
    assert_eq!(at("  provider = a"), ["aws"]);
    assert!(at("  size = u").contains(&"upper".to_owned()));
    client.shut_down();
}

#[test]
fn fixes_and_comments_in_code() {
    let repo = repo();
    let text = MAIN.replace("./modules/vpc", "./modules/nothing");
    repo.write("main.tf", &text);
    let mut client = Client::start(&repo);
    client.open("main.tf", &text);
    client.wait_until_idle();
    let found = client.found("main.tf");
    let (rule, line) = found.first().unwrap_or_else(|| panic!("{:?}", client.shown)).clone();
    let at = json!({"line": line, "character": 14});
    let document = json!({"uri": client.uri("main.tf")});
    let params = json!({"textDocument": document, "range": {"start": at, "end": at}, "context": {"diagnostics": []}});
    let actions = client.request("textDocument/codeAction", params);
    let action = actions.as_array().unwrap().iter().find(|a| a["title"].as_str().unwrap().starts_with("Ignore"));
    let action = action.unwrap_or_else(|| panic!("{actions}"));
    let edit = &action["edit"]["changes"][client.uri("main.tf")][0];
    assert_eq!(edit["newText"], format!("  # stacklint: ignore[{rule}] reason\n"));
    client.shut_down();
}

const PROJECT: &str = "\
apiVersion: garden.io/v2
kind: Project
name: demo
environments:
  - name: dev
    varfile: dev.env
providers: [{name: exec}]
variables:
  region: eu
  label: 'x ${var.region}'
";

const ACTIONS: &str = "\
kind: Build
type: exec
name: api
spec: {command: [make, '${var.label}']}
---
kind: Run
type: exec
name: seed
dependencies: [build.api]
spec:
  command: [echo, '${actions.build.api.version}']
";

#[test]
fn files_of_garden() {
    let repo = Repo::new();
    repo.write("project.garden.yml", PROJECT).write("api/garden.yml", ACTIONS).write("dev.env", "size=3\n");
    let (path, project) = ("api/garden.yml", "project.garden.yml");
    let mut client = Client::start(&repo);
    client.open(path, ACTIONS);
    client.open(project, PROJECT);
    let definition = "textDocument/definition";
    assert_eq!(places(&client.at(definition, path, ACTIONS, "[build.api]", 8)), [place("garden.yml", 0)]);
    assert_eq!(places(&client.at(definition, path, ACTIONS, "${actions.build.api", 18)), [place("garden.yml", 0)]);
    assert_eq!(places(&client.at(definition, path, ACTIONS, "${var.label", 8)), [place("project.garden.yml", 9)]);
    assert_eq!(places(&client.at(definition, project, PROJECT, "dev.env", 2)), [place("dev.env", 0)]);
    let links = client.at("textDocument/documentLink", project, PROJECT, "kind", 0);
    assert!(links[0]["target"].as_str().unwrap().ends_with("dev.env"), "{links}");
    let found = client.at("textDocument/references", path, ACTIONS, "name: api", 7);
    assert!(places(&found).contains(&place("garden.yml", 8)), "{found}");
    let hover = client.at("textDocument/hover", project, PROJECT, "region: eu", 1);
    assert!(text(&hover).contains("`variables.region` = `\"eu\"` in `dev`"), "{hover}");
    let hover = client.at("textDocument/hover", path, ACTIONS, "${var.label", 8);
    assert!(text(&hover).contains("x eu"), "{hover}");
    let outline = client.at("textDocument/documentSymbol", path, ACTIONS, "kind", 0);
    let names: Vec<&str> = outline.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names.iter().filter(|name| **name == "kind").count(), 2, "{names:?}: both documents");
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let document = json!({"uri": client.uri(project)});
    let hints = client.request("textDocument/inlayHint", json!({"textDocument": document, "range": range}));
    assert_eq!(hints[0]["label"], "= \"x eu\"", "{hints}");
    client.shut_down();
}

#[test]
fn arguments_of_resources_have_their_values_in_each_root_module() {
    let repo = Repo::new();
    let module = "variable \"size\" {}\n\nresource \"aws_instance\" \"web\" {\n  count         = 2\n  instance_type = \"t3.${var.size}\"\n}\n";
    repo.write("modules/web/main.tf", module);
    for (root, size) in [("dev", "nano"), ("prod", "large")] {
        let call = format!("module \"web\" {{\n  source = \"../modules/web\"\n  size   = \"{size}\"\n}}\n");
        repo.write(&format!("{root}/main.tf"), format!("provider \"aws\" {{}}\n\n{call}"));
    }
    repo.commit("base");
    let mut client = Client::start(&repo);
    client.open("modules/web/main.tf", module);
    let hover = client.at("textDocument/hover", "modules/web/main.tf", module, "instance_type", 2).to_string();
    for (root, value) in [("dev", "t3.nano"), ("prod", "t3.large")] {
        assert!(hover.contains(root) && hover.contains(value), "{hover}");
    }
}

#[test]
fn hovers_show_what_code_makes_of_a_value_and_where_an_argument_has_which_value() {
    let repo = Repo::new();
    let stack = |name: &str, size: &str| {
        format!("vars:\n  stage: {name}\ncomponents:\n  terraform:\n    api:\n      vars:\n        size: {size}\n")
    };
    let code = "variable \"size\" {\n  type = string\n}\nvariable \"stage\" {\n  type = string\n}\nlocals {\n  kind = \"m5.${var.size}\"\n}\n\
                resource \"aws_instance\" \"web\" {\n  count         = 2\n  instance_type = local.kind\n}\n";
    repo.write(
        "atmos.yaml",
        "base_path: .\nstacks:\n  base_path: stacks\n  included_paths: [\"*.yaml\"]\n  name_pattern: \"{stage}\"\n\
         components:\n  terraform:\n    base_path: components/terraform\n",
    );
    repo.write("components/terraform/api/main.tf", code).write("stacks/dev.yaml", stack("dev", "small"));
    repo.write("stacks/prod.yaml", stack("prod", "large"));
    let mut client = Client::start(&repo);
    let (path, text) = ("stacks/prod.yaml", stack("prod", "large"));
    client.open(path, &text);
    let of_value = client.at("textDocument/hover", path, &text, "size: large", 1)["contents"]["value"].to_string();
    for part in ["in the code:", "`aws_instance.web[0].instance_type` = `\\\"m5.large\\\"` in `prod`", "web[1]"] {
        assert!(of_value.contains(part), "{part}: {of_value}");
    }
    let path = "components/terraform/api/main.tf";
    client.open(path, code);
    let of_code = client.at("textDocument/hover", path, code, "instance_type", 1)["contents"]["value"].to_string();
    for part in
        ["web[0].instance_type` = `\\\"m5.large\\\"` in `prod`", "web[0].instance_type` = `\\\"m5.small\\\"` in `dev`"]
    {
        assert!(of_code.contains(part), "{part}: {of_code}");
    }
    client.shut_down();
}
