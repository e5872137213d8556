//! What the code of components makes of the values of stacks: what changes, why, and what is wrong with it.

use crate::common::{ATMOS, Repo, Run};
use crate::contracts::{schema, validate};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const MAIN: &str = "components/terraform/web/main.tf";
const CATALOG: &str = "stacks/catalog/web.yaml";
const CODE: &str = r#"variable "size" {
  type    = number
  default = 1
  validation {
    condition     = var.size < 10
    error_message = "the size is too big"
  }
}
variable "stage" {
  type = string
}
variable "n" {
  default = 2
}
variable "unread" {
  default = null
}
variable "region" {
  default = "a"
}
provider "aws" {
  region = var.region
  dynamic "assume_role" {
    for_each = compact([var.region])
    content {
      role_arn = assume_role.value
    }
  }
}
locals {
  tags = {
    stage = var.stage
    space = terraform.workspace
  }
}
resource "aws_instance" "web" {
  count = var.n
  size  = var.size
  tags  = local.tags
}
module "lb" {
  source  = "acme/lb/aws"
  version = "1.0.0"
  timeout = var.size * 10
}
output "size" {
  value = var.size
}
"#;

fn catalog(vars: &str) -> String {
    format!("components:\n  terraform:\n    web:\n      vars:\n{vars}")
}

fn stack(stage: &str, more: &str) -> String {
    format!("import: [catalog/web]\nvars: {{stage: {stage}}}\n{more}")
}

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("atmos.yaml", ATMOS)
        .write(MAIN, CODE)
        .write(CATALOG, catalog("        size: 3\n        n: 2\n"))
        .write("stacks/deploy/dev.yaml", stack("dev", ""))
        .write("stacks/deploy/prod.yaml", stack("prod", ""))
        .commit("base");
    repo
}

fn diff(repo: &Repo, arguments: &[&str]) -> Run {
    repo.run(&[&["diff", "HEAD", "--worktree"], arguments].concat())
}

/// What differs of what code makes: the stack, the address and the paths.
fn resources(repo: &Repo) -> Vec<(String, String, Vec<String>)> {
    let report = diff(repo, &["--format", "json"]).json();
    validate(&schema("report-v1.json"), &report);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let one = |resource: &Value| {
        let paths = resource["changes"].as_array().unwrap().iter().map(|change| text(&change["path"])).collect();
        (text(&resource["stack"]), text(&resource["component"]), paths)
    };
    report["resources"].as_array().unwrap().iter().map(one).collect()
}

fn made(stacks: &[&str], expected: &[(&str, &[&str])]) -> Vec<(String, String, Vec<String>)> {
    let one = |stack: &&str| {
        let stack = (*stack).to_owned();
        expected.iter().map(move |(name, paths)| {
            (stack.clone(), (*name).to_owned(), paths.iter().map(|path| (*path).to_owned()).collect())
        })
    };
    let mut all: Vec<_> = stacks.iter().flat_map(one).collect();
    all.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    all
}

fn sorted(mut all: Vec<(String, String, Vec<String>)>) -> Vec<(String, String, Vec<String>)> {
    all.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    all
}

const OF_SIZE: &[(&str, &[&str])] = &[
    ("aws_instance.web[0]", &["/size"]),
    ("aws_instance.web[1]", &["/size"]),
    ("lb", &["/inputs/timeout"]),
    ("size", &["/value"]),
];

#[test]
fn a_value_of_a_catalog_reaches_the_arguments_of_all_stacks() {
    let repo = repo();
    repo.edit(CATALOG, "size: 3", "size: 4");
    assert_eq!(sorted(resources(&repo)), made(&["dev/web", "prod/web"], OF_SIZE));
    let run = diff(&repo, &[]).ends_with(0);
    let run =
        run.says("1 change reaches 2 components in 2 stacks; 4 resources and 2 module calls of 2 components change");
    run.says("vars.size  3 → 4").says("inputs.timeout  30 → 40").hides("run different code");
    let report = diff(&repo, &["--format", "json"]).json();
    let first = &report["resources"][0];
    assert_eq!(first["made_by"], json!({"stack": "dev", "type": "terraform", "component": "web"}));
    assert_eq!((&first["causes"][1]["file"], &first["causes"][1]["line"]), (&json!(CATALOG), &json!(5)));
    // What Atmos describes does not contain resources.
    assert_eq!(report["components"].as_array().unwrap().len(), 2);
    diff(&repo, &["--no-code"]).says("1 change reaches 2 components in 2 stacks").hides("timeout");
}

#[test]
fn a_stack_that_overrides_a_value_is_not_reached() {
    let repo = repo();
    let own = "components: {terraform: {web: {vars: {size: 7}}}}\n";
    repo.write("stacks/deploy/dev.yaml", stack("dev", own)).commit("own value");
    repo.edit(CATALOG, "size: 3", "size: 4");
    assert_eq!(sorted(resources(&repo)), made(&["prod/web"], OF_SIZE));
}

#[test]
fn an_input_that_nothing_reads_says_so_and_one_that_only_a_provider_reads_does_not() {
    let note = "(nothing in the code reads it)";
    let repo = repo();
    repo.write(CATALOG, catalog("        size: 3\n        n: 2\n        unread: 1\n        region: a\n"))
        .commit("more");
    repo.edit(CATALOG, "unread: 1", "unread: 2");
    diff(&repo, &[]).says(&format!("vars.unread  1 → 2 {note}"));
    repo.edit(CATALOG, "unread: 2", "unread: 1").edit(CATALOG, "region: a", "region: b");
    diff(&repo, &[]).says("vars.region  \"a\" → \"b\"").hides(note);
    // A generated file that is not known may read anything.
    repo.edit(CATALOG, "region: b", "region: a");
    let generated = catalog(
        "        size: 3\n        n: 2\n        unread: 1\n        region: a\n      generate:\n        more.tf: {a: 1}\n",
    );
    repo.write(CATALOG, generated).commit("generated");
    repo.edit(CATALOG, "unread: 1", "unread: 2");
    diff(&repo, &[]).says("vars.unread  1 → 2").hides(note);
}

#[test]
fn an_edit_of_the_code_says_what_changes_in_which_stacks() {
    let repo = repo();
    repo.edit(MAIN, "timeout = var.size * 10", "timeout = 60");
    assert_eq!(sorted(resources(&repo)), made(&["dev/web", "prod/web"], &[("lb", &["/inputs/timeout"])]));
    let run = diff(&repo, &[]).says("No change of configuration; 2 module calls of 2 components change");
    run.says("inputs.timeout  30 → 60").hides("different code");
    // What cannot be seen in an argument is still told.
    let other = repo_with(&CODE.replace("source  = ", "# a comment\n  source  = "));
    other.write(MAIN, CODE);
    diff(&other, &[]).says("No effective change");
    let other = repo_with(&format!("{CODE}locals {{\n  spare = 1\n}}\n"));
    other.write(MAIN, CODE);
    let nothing = "but no argument of a resource or of a provider, no setting and no output differs";
    diff(&other, &[]).says(&format!("run different code, {nothing}"));
}

#[test]
fn a_provider_of_the_code_acts_where_its_variables_say() {
    let repo = repo();
    repo.write("stacks/deploy/prod.yaml", stack("prod", "components: {terraform: {web: {vars: {region: b}}}}\n"));
    let run =
        diff(&repo, &[]).ends_with(1).says("danger[provider-target-changed]: `aws` in `prod/web` acts somewhere else");
    run.says("1 provider configuration of 1 component changes").says("stacks/deploy/prod.yaml:").hides("`dev/web`");
    // The code itself.
    let other = repo_with(&CODE.replace("region = var.region", "region = \"b\""));
    other.write(MAIN, CODE);
    let run = diff(&other, &[]).ends_with(1).says("danger[provider-target-changed]");
    run.says("No change of configuration; 2 provider configurations of 2 components change").hides("different code");
}

fn repo_with(code: &str) -> Repo {
    let repo = repo();
    repo.write(MAIN, code).commit("other code");
    repo
}

#[test]
fn instances_that_go_are_a_danger() {
    let repo = repo();
    repo.edit(CATALOG, "n: 2", "n: 1");
    let run = diff(&repo, &[]).ends_with(1).says("danger[component-removed]");
    run.says("2 resources in 2 components are removed, and the next run destroys them").says("web.yaml:6");
    assert!(sorted(resources(&repo)).contains(&("dev/web".into(), "aws_instance.web[1]".into(), Vec::new())));
}

#[test]
fn a_validation_that_fails_for_one_stack_is_told_at_its_line() {
    let repo = repo();
    repo.write("stacks/deploy/prod.yaml", stack("prod", "components: {terraform: {web: {vars: {size: 12}}}}\n"));
    for run in [diff(&repo, &[]), repo.run(&["check"])] {
        let run =
            run.ends_with(1).says("error[tofu-failed-condition]: invalid value for variable: the size is too big");
        run.says("stacks/deploy/prod.yaml:3:").says("reaches 1 stack: prod").hides("dev, prod");
    }
    repo.run(&["check", "--no-code"]).ends_with(0);
}

#[test]
fn a_value_that_is_not_known_flows_to_the_arguments() {
    let repo = repo();
    let unknown = |of: &str| catalog(&format!("        size: !terraform.state vpc {of}\n        n: 2\n"));
    repo.write(CATALOG, unknown("a")).commit("unknown");
    assert_eq!(resources(&repo), []);
    repo.write(CATALOG, unknown("b"));
    let names: BTreeSet<String> = resources(&repo).into_iter().map(|(_, name, _)| name).collect();
    assert_eq!(names, ["aws_instance.web[0]", "aws_instance.web[1]", "lb", "size"].map(str::to_owned).into());
    diff(&repo, &[]).says("Not known, because it reads what changes");
}

#[test]
fn the_workspace_the_environment_and_generated_files_count() {
    let repo = repo();
    let with = |more: &str| stack("dev", &format!("components: {{terraform: {{web: {more}}}}}\n"));
    let cases = [
        ("{metadata: {terraform_workspace: one}}", "{metadata: {terraform_workspace: two}}", vec!["/tags/space"]),
        (
            "{env: {TF_VAR_region: a}}",
            "{env: {TF_VAR_region: b}}",
            vec!["/arguments/assume_role/0/for_each/0", "/arguments/region"],
        ),
        (
            "{generate: {more.tf: 'resource \"t\" \"r\" { a = 1 }'}}",
            "{generate: {more.tf: 'resource \"t\" \"r\" { a = 2 }'}}",
            vec!["/a"],
        ),
    ];
    for (before, after, expected) in cases {
        repo.write("stacks/deploy/dev.yaml", with(before)).commit("before");
        repo.write("stacks/deploy/dev.yaml", with(after));
        let paths: BTreeSet<String> = resources(&repo).into_iter().flat_map(|(_, _, paths)| paths).collect();
        let expected: BTreeSet<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(paths, expected, "{before}");
    }
    // A variable of the manifest wins over one of the environment.
    let env = |value: &str| with(&format!("{{env: {{TF_VAR_size: \"{value}\"}}}}"));
    repo.write("stacks/deploy/dev.yaml", env("5")).commit("before");
    repo.write("stacks/deploy/dev.yaml", env("6"));
    assert_eq!(resources(&repo), []);
}

#[test]
fn a_renamed_component_makes_the_same() {
    let repo = repo();
    let state = "      metadata: {component: web, terraform_workspace: w}\n      backend_type: s3\n      backend: {s3: {bucket: b, key: k, workspace_key_prefix: p}}\n";
    let named = |name: &str| catalog("        size: 3\n").replace("    web:\n", &format!("    {name}:\n{state}"));
    repo.write(CATALOG, named("api")).commit("before");
    repo.write(CATALOG, named("front"));
    assert_eq!(resources(&repo), []);
}

#[test]
fn why_and_impact_lead_from_line_to_resource_and_back() {
    let repo = repo();
    let why = repo.run(&["why", "prod", "web", "aws_instance.web[0].size"]).ends_with(0);
    why.says("set components/terraform/web/main.tf:38").says("reads stacks/catalog/web.yaml:5  size: 3");
    repo.run(&["why", "prod", "web", "module.lb.inputs.timeout"]).says("/inputs/timeout = 30").says(CATALOG);
    repo.run(&["why", "prod", "web", "aws_instance.web[7].size"]).ends_with(2);
    let impact = repo.run(&["impact", "stacks/catalog/web.yaml:5"]).ends_with(0);
    impact.says("2 components in 2 stacks, 4 resources").says("aws_instance.web[0] (resource)").says("/inputs/timeout");
    let impact = repo.run(&["impact", "components/terraform/web/main.tf:38", "--format", "json"]).json();
    validate(&schema("impact.json"), &impact);
    let names: Vec<&str> =
        impact["resources"].as_array().unwrap().iter().map(|one| one["component"].as_str().unwrap()).collect();
    assert_eq!(names, ["aws_instance.web[0]", "aws_instance.web[1]", "aws_instance.web[0]", "aws_instance.web[1]"]);
    // The line of an argument that a local fills.
    repo.run(&["impact", "components/terraform/web/main.tf:39"]).says("4 resources").says("/tags");
    repo.edit(CATALOG, "size: 3", "size: 4").commit("edit");
    let why = repo.run(&["why", "HEAD^..HEAD", "dev", "web", "aws_instance.web[0].size"]).ends_with(0);
    why.says("- stacks/catalog/web.yaml:5  size: 3").says("+ stacks/catalog/web.yaml:5  size: 4");
    let described = repo.run(&["describe", "component", "web", "--stack", "prod"]).ends_with(0);
    described.says("resource (made by its code)").says("aws_instance.web[1]");
}

#[test]
fn by_configuration_only_what_makes_something_else_is_affected() {
    let affected = |repo: &Repo, by: &str| {
        let list = diff(repo, &["--format", "affected", "--by", by]).json();
        list.as_array().unwrap().iter().map(|item| item["stack"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let check = |from: &str, to: &str, path: &str, by_configuration: &[&str]| {
        let repo = repo();
        repo.write(CATALOG, catalog("        size: 3\n        n: 2\n        unread: 1\n        region: a\n"))
            .commit("more");
        repo.edit(path, from, to);
        assert_eq!(affected(&repo, "files"), ["dev", "prod"], "{to}");
        assert_eq!(affected(&repo, "configuration"), by_configuration, "{to}");
    };
    let both = &["dev", "prod"][..];
    check("unread: 1", "unread: 2", CATALOG, &[]);
    check("region: a", "region: b", CATALOG, both);
    check("size: 3", "size: 4", CATALOG, both);
    check("  value = var.size", "  value = (var.size)", MAIN, &[]);
    check("  size  = var.size", "  size  = var.size + 0", MAIN, &[]);
    // Comments and layout, and files that no code reads.
    check("locals {", "# What all have.\nlocals  {", MAIN, &[]);
    // These may reach a provider or a provisioner, which are not compared.
    check("  default = 1\n", "  default = 2\n", MAIN, both);
    check("locals {", "locals {\n  spare = var.region", MAIN, both);
    check("var.size * 10", "10 * var.size", MAIN, both);
    check("var.size * 10", "var.size * 11", MAIN, both);
    check("  region = var.region", "  region = \"b\"", MAIN, both);
    check("  tags  = local.tags", "  tags  = local.tags\n  depends_on = [module.lb]", MAIN, both);
    check(
        "  tags  = local.tags",
        "  tags  = local.tags\n  provisioner \"local-exec\" {\n    command = \"x\"\n  }",
        MAIN,
        both,
    );
    check("timeout = var.size * 10", "timeout = 30\n  extra = timestamp()", MAIN, both);
}

/// A document is a part of the code if an expression names it.
#[test]
fn documents_that_code_reads_are_code() {
    let reading =
        |name: &str| format!("resource \"a_page\" \"p\" {{\n  text = file(\"${{path.module}}/{name}\")\n}}\n");
    for (document, is_read) in [("README.md", true), ("NOTES.md", false)] {
        let repo = repo();
        repo.edit(MAIN, "locals {", &format!("{}locals {{", reading("README.md")));
        for name in ["README.md", "NOTES.md"] {
            repo.write(&format!("components/terraform/web/{name}"), "one\n");
        }
        repo.commit("documents");
        repo.write(&format!("components/terraform/web/{document}"), "two\n");
        let text = repo.run(&["diff"]).ends_with(0);
        assert_eq!(text.stdout.contains("\"one\\n\" → \"two\\n\""), is_read, "{text}");
        assert_eq!(text.stdout.contains("No effective change."), !is_read, "{text}");
        let jobs = diff(&repo, &["--format", "matrix", "--by", "configuration"]).json();
        assert_eq!(jobs["include"].as_array().unwrap().len(), if is_read { 2 } else { 0 }, "{jobs}");
    }
    // Tests and examples, unless the code calls them.
    let tested = repo();
    let files = ["tests/a.tftest.hcl", "examples/main.tf", ".tflint.hcl", "test/called/main.tf"];
    files
        .iter()
        .for_each(|name| _ = tested.write(&format!("components/terraform/web/{name}"), "locals {\n  x = 1\n}\n"));
    tested.edit(MAIN, "locals {", "module \"t\" {\n  source = \"./test/called\"\n}\nlocals {").commit("tests");
    for name in files {
        tested.write(&format!("components/terraform/web/{name}"), "locals {\n  x = 2\n}\n");
        let text = tested.run(&["diff"]).ends_with(0);
        assert_eq!(text.stdout.contains("No effective change."), !name.contains("called"), "{name}: {text}");
        tested.git(&["checkout", "--quiet", "."]);
    }
    // The whole project may be an example.
    let example = Repo::new();
    let files =
        [("atmos.yaml", ATMOS), ("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {web: {}}}\n")];
    files.iter().for_each(|(path, text)| _ = example.write(&format!("examples/a/{path}"), text));
    example.write("examples/a/components/terraform/web/main.tf", "locals {}\n");
    example.write("examples/a/components/terraform/web/run.sh", "true\n").commit("example");
    example.write("examples/a/components/terraform/web/run.sh", "false\n");
    example.run(&["diff"]).ends_with(0).says("1 component in 1 stack runs different code");
    // Which document it is, is not known.
    let repo = repo();
    repo.edit(MAIN, "locals {", &format!("{}locals {{", reading("${var.region}.md")));
    repo.write("components/terraform/web/a.md", "one\n").commit("documents");
    repo.write("components/terraform/web/a.md", "two\n");
    let text = repo.run(&["diff"]);
    assert!(!text.stdout.contains("No effective change."), "{text}");
}

/// The resources of components are those of the same code as a root module, with the values of the stack in a file of variables.
#[test]
fn resources_are_those_of_the_root_module() {
    let (values, before) = ([0, 1, 3, 9, 11], json!({"size": 3, "n": 2, "stage": "dev", "region": "a"}));
    let tags = "locals {\n  all = merge({ for i in range(var.n) : \"k${i}\" => i * var.size }, { s = upper(var.stage) })\n}\nresource \"t\" \"each\" {\n  for_each = local.all\n  key      = each.key\n  value    = each.value\n}\n";
    let code = format!("{CODE}{tags}").replace("space = terraform.workspace", "space = \"w\"");
    let changed: Vec<Value> =
        values.iter().flat_map(|size| values.iter().map(move |n| json!({"size": size, "n": n}))).collect();
    for change in changed {
        let mut after = before.clone();
        for (name, value) in change.as_object().unwrap() {
            after[name] = value.clone();
        }
        let (component, root) = (Repo::new(), Repo::new());
        component.write("atmos.yaml", ATMOS).write(MAIN, &code);
        root.write("dev/web/main.tf", format!("{code}terraform {{\n  backend \"local\" {{}}\n}}\n"));
        for values in [&before, &after] {
            let stack = json!({"vars": values, "components": {"terraform": {"web": {}}}});
            component.write("stacks/deploy/dev.yaml", stack.to_string()).commit("state");
            root.write("dev/web/terraform.tfvars.json", values.to_string()).commit("state");
        }
        let found = component.run(&["diff", "HEAD^..HEAD", "--format", "json"]).json();
        let expected = root.run(&["diff", "HEAD^..HEAD", "--format", "json"]).json();
        let of = |list: &Value| -> BTreeSet<String> {
            let kinds = ["resource", "output", "module"];
            let ours = list.as_array().unwrap().iter().filter(|one| kinds.contains(&one["type"].as_str().unwrap()));
            ours.map(|one| {
                let changes = one["changes"].as_array().unwrap().iter();
                let changes: Vec<_> = changes.map(|c| (&c["path"], &c["before"], &c["after"])).collect();
                format!("{} {} {} {} {changes:?}", one["stack"], one["type"], one["component"], one["status"])
            })
            .collect()
        };
        assert_eq!(of(&found["resources"]), of(&expected["components"]), "{change}");
    }
}

#[test]
fn code_that_is_elsewhere_is_named_once() {
    let repo = Repo::atmos();
    let stack = |n: u32| {
        let fetched =
            format!("    vpc:\n      source:\n        uri: github.com/acme/vpc\n      vars:\n        n: {n}\n");
        format!("vars:\n  stage: dev\ncomponents:\n  terraform:\n{fetched}    eks:\n      vars:\n        n: {n}\n")
    };
    let vendor = "apiVersion: atmos/v1\nkind: AtmosVendorConfig\nmetadata: {name: x}\nspec:\n  sources:\n    - component: eks\n      \
                  source: github.com/acme/eks\n      version: 1.0.0\n      targets: [components/terraform/eks]\n";
    repo.write("vendor.yaml", vendor).write("stacks/deploy/dev.yaml", stack(1)).commit("base");
    repo.write("stacks/deploy/dev.yaml", stack(2)).commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    run.says("without the code of eks, vpc, which is elsewhere");
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    assert_eq!(report["coverage"]["projects"][0]["not_evaluated"], json!(["eks", "vpc"]));
    validate(&schema("report-v1.json"), &report);
    repo.run(&["diff", "HEAD~1..HEAD", "--no-code"]).hides("which is elsewhere");
    // What does not differ is not named.
    repo.write("README.md", "text\n").commit("nothing");
    repo.run(&["diff", "HEAD~1..HEAD"]).hides("which is elsewhere");
}

#[test]
fn code_is_made_once_where_several_projects_are() {
    let repo = Repo::new();
    for project in ["a", "b"] {
        let config = "base_path: .\nstacks: {base_path: stacks, included_paths: [\"deploy/**/*\"], name_pattern: \"{stage}\"}\ncomponents: {terraform: {base_path: components}}\n";
        repo.write(&format!("{project}/atmos.yaml"), config);
        let stack = format!("vars: {{stage: {project}}}\ncomponents: {{terraform: {{web: {{vars: {{size: 3}}}}}}}}\n");
        repo.write(&format!("{project}/stacks/deploy/dev.yaml"), stack);
        let code =
            "variable \"size\" {}\nvariable \"stage\" {}\nresource \"aws_instance\" \"web\" {\n  cores = var.size\n}\n";
        repo.write(&format!("{project}/components/web/main.tf"), code);
    }
    repo.commit("base");
    let shown = repo.run(&["describe", "component", "web", "-s", "a"]).ends_with(0).stdout.clone();
    assert_eq!(shown.matches("aws_instance.web").count(), 1, "{shown}");
    repo.run(&["report", "--out", "page.html"]).ends_with(0);
    let page = std::fs::read_to_string(repo.root().join("page.html")).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let names = data["made_by"].as_array().unwrap().iter().filter(|row| row.is_array()).count();
    assert_eq!(names, 2, "one resource of each project");
}

#[test]
fn calls_in_code_are_compared_with_what_they_call_once_for_all_who_share_them() {
    let (call, called) = (
        "module \"m\" {\n  source = \"./m\"\n  nope   = 1\n  n      = []\n}\n",
        "variable \"n\" {\n  type = number\n}\nvariable \"need\" {}\n",
    );
    let atmos = repo_with(&format!("{CODE}{call}"));
    atmos.write("components/terraform/web/m/main.tf", called).commit("call");
    let terragrunt = Repo::new();
    terragrunt.write("code/main.tf", call).write("code/m/main.tf", called).write("root.hcl", "");
    for unit in ["a", "b"] {
        terragrunt.write(&format!("{unit}/terragrunt.hcl"), "terraform {\n  source = \"../code\"\n}\n");
    }
    terragrunt.commit("base");
    for (repo, file) in [(atmos, MAIN), (terragrunt, "code/main.tf")] {
        let json = repo.run(&["check", "--format", "json"]).json();
        let all = json["diagnostics"].as_array().unwrap().iter().filter(|finding| finding["file"] == file);
        let found: Vec<&str> = all.map(|finding| finding["rule"].as_str().unwrap()).collect();
        assert_eq!(found, ["tofu-module-argument", "tofu-module-argument", "tofu-invalid-value"], "{json}");
    }
}
