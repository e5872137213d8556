//! Values that are not known, in instances of resources and modules: they change if what their own instance is made of
//! changes, and not if only another instance does.

use crate::common::Repo;
use std::collections::BTreeSet;

/// Resources and modules for each of two teams. What is behind `_` is computed by the provider.
const MAIN: &str = r#"
variable "teams" {
  default = {
    a = { name = "one", size = 1 }
    b = { name = "two", size = 2 }
  }
}

locals {
  from_provider = { for k, team in var.teams : k => { name = "${team.name}-${aws_y.y.id}" } }
}

resource "aws_y" "y" {}

resource "aws_x" "x" {
  for_each = var.teams
  name     = "${each.value.name}-${aws_y.y.id}"
  ebs {
    size = "${each.value.size}-${aws_y.y.id}"
  }
}

resource "aws_x" "partly" {
  for_each = local.from_provider
  name     = each.value.name
}

resource "aws_x" "dynamic" {
  for_each = toset(["only"])
  dynamic "ebs" {
    for_each = local.from_provider
    content {
      size = ebs.value.name
    }
  }
}

resource "aws_r" "id_by_key" {
  for_each = var.teams
  value    = aws_x.x[each.key].id
}

resource "aws_r" "name_by_key" {
  for_each = var.teams
  value    = aws_x.x[each.key].name
}

resource "aws_r" "block_by_key" {
  for_each = var.teams
  value    = aws_x.x[each.key].ebs[0].size
}

module "m" {
  source   = "./m"
  for_each = var.teams
  name     = each.value.name
  inner    = "${each.value.size}-${aws_y.y.id}"
}

resource "aws_r" "id_of_module" {
  for_each = var.teams
  value    = module.m[each.key].id
}

resource "aws_r" "name_of_module" {
  for_each = var.teams
  value    = module.m[each.key].name
}

module "elsewhere" {
  source   = "registry.example.org/some/module/any"
  for_each = var.teams
  name     = each.value.name
}

resource "aws_r" "of_module_elsewhere" {
  for_each = var.teams
  value    = module.elsewhere[each.key].arn
}

output "ids" {
  value = { for key, x in aws_x.x : key => x.id }
}

output "splat" {
  value = values(aws_x.x)[*].id
}

output "names" {
  value = [for x in aws_x.x : x.name]
}

output "first" {
  value = aws_x.x["a"].name
}

output "second" {
  value = module.m["b"].name
}

output "all_of_modules" {
  value = values(module.m)[*].name
}
"#;

const MODULE: &str = r#"
variable "name" {}
variable "inner" {}

resource "aws_w" "w" {
  name  = "${var.name}-${aws_w.other.id}"
  inner = var.inner
}

resource "aws_w" "other" {}

output "id" {
  value = aws_w.w.id
}

output "name" {
  value = "${var.name}-${aws_w.w.id}"
}
"#;

/// The resources and outputs that an edit of the root module changes.
fn changed(edit: (&str, &str)) -> BTreeSet<String> {
    let repo = Repo::new();
    repo.write("m/main.tf", MODULE);
    for (commit, text) in [("base", MAIN.to_owned()), ("head", MAIN.replacen(edit.0, edit.1, 1))] {
        repo.write("main.tf", text);
        repo.commit(commit);
    }
    changed_in(&repo)
}

/// The resources and outputs that the last commit changes.
fn changed_in(repo: &Repo) -> BTreeSet<String> {
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    let text = |component: &serde_json::Value, name: &str| component[name].as_str().unwrap_or_default().to_owned();
    let all = json["components"].as_array().unwrap().iter();
    let changed = all.filter(|component| matches!(&*text(component, "type"), "resource" | "output"));
    changed.map(|component| text(component, "component")).collect()
}

#[test]
fn a_name_of_one_instance_changes_what_is_made_of_it() {
    let expected = [
        r#"all_of_modules"#,
        r#"aws_r.name_by_key["a"]"#,
        r#"aws_r.name_of_module["a"]"#,
        r#"aws_r.of_module_elsewhere["a"]"#,
        r#"aws_x.dynamic["only"]"#,
        r#"aws_x.partly["a"]"#,
        // It is not followed through `for` which elements of a local are made of which others.
        r#"aws_x.partly["b"]"#,
        r#"aws_x.x["a"]"#,
        r#"first"#,
        r#"module.m["a"].aws_w.w"#,
        r#"names"#,
    ];
    assert_eq!(changed(("\"one\"", "\"uno\"")), expected.map(str::to_owned).into());
}

#[test]
fn a_nested_block_of_one_instance_changes_what_reads_it() {
    let found = changed(("size = 1 ", "size = 3 "));
    let is_behind_a_local = |name: &&String| !name.starts_with("aws_x.partly") && !name.starts_with("aws_x.dynamic");
    let found: BTreeSet<&str> = found.iter().filter(is_behind_a_local).map(|name| &**name).collect();
    let expected = [r#"aws_r.block_by_key["a"]"#, r#"aws_x.x["a"]"#, r#"module.m["a"].aws_w.w"#];
    assert_eq!(found, expected.into());
}

#[test]
fn another_key_changes_what_goes_through_all_instances() {
    let found = changed(("    b = {", "    c = {"));
    for name in ["ids", "splat", "names", "all_of_modules", "second"] {
        assert!(found.contains(name), "{name} in {found:?}");
    }
    for name in ["first", r#"aws_x.x["a"]"#, r#"module.m["a"].aws_w.w"#] {
        assert!(!found.contains(name), "{name} in {found:?}");
    }
}

#[test]
fn files_that_a_template_reads_change_what_is_made_of_it() {
    let repo = Repo::new();
    let call = "templatefile(\"${path.module}/t.tpl\", { id = aws_y.y.id })";
    repo.write("main.tf", format!("resource \"aws_y\" \"y\" {{}}\n\nresource \"aws_x\" \"x\" {{\n  v = {call}\n}}\n"));
    repo.write("t.tpl", "${file(\"b.txt\")} ${id}\n");
    for text in ["one", "two"] {
        repo.write("b.txt", text);
        repo.commit(text);
    }
    assert_eq!(changed_in(&repo), ["aws_x.x".to_owned()].into());
    let proof = repo.run(&["diff", "HEAD~1..HEAD", "--expect", "none"]);
    assert_ne!(proof.status, 0, "{proof}");
}

#[test]
fn instances_that_read_the_same_edit_are_one_change() {
    let main = |branch: &str| {
        format!(
            "module \"m\" {{\n  source = \"./m\"\n  for_each = toset([\"a\", \"b\"])\n  name = each.key\n}}\n\n\
             data \"aws_d\" \"d\" {{\n  a = \"x\" == \"x\" ? \"one\" : \"{branch}\"\n}}\n\n\
             resource \"aws_r\" \"of_data\" {{\n  value = data.aws_d.d.id\n}}\n"
        )
    };
    let repo = Repo::new();
    for (text, branch) in [("one", "two"), ("uno", "three")] {
        let local = format!("locals {{\n  made = \"${{aws_w.other.id}}-{text}\"\n}}\n");
        let module = MODULE
            .replace("value = aws_w.w.id\n", "value = local.made\n")
            .replace("inner = var.inner", "inner = local.made");
        repo.write("m/main.tf", format!("{}\n{local}", module.replace("variable \"inner\" {}\n", "")));
        repo.write("main.tf", main(branch));
        repo.commit(text);
    }
    let text = repo.run(&["diff", "HEAD~1..HEAD"]);
    // The branch that is not taken is nothing that the data source is made of.
    assert!(!text.stdout.contains("aws_r.of_data"), "{text}");
    assert!(text.stdout.contains("it reads `module.m:local.made`"), "{text}");
    assert!(!text.stdout.contains("different values"), "{text}");
}

#[test]
fn a_key_that_may_fail_is_no_finding() {
    let repo = Repo::new();
    let value = "try(aws_x.x[each.value.missing].name, aws_y.y.id)";
    let resource = |head: &str, body: &str| format!("resource {head} {{\n{body}}}\n\n");
    let text = [
        resource("\"aws_y\" \"y\"", ""),
        resource("\"aws_x\" \"x\"", "  count = 2\n  name  = aws_y.y.id\n"),
        resource("\"aws_r\" \"r\"", &format!("  for_each = {{ a = {{ b = 1 }} }}\n  value    = {value}\n")),
    ];
    repo.write("main.tf", text.concat());
    repo.commit("base");
    let json = repo.run(&["check", "--format", "json"]).json();
    let rules = json["diagnostics"].as_array().unwrap().iter().filter(|finding| finding["level"] == "error");
    assert_eq!(rules.count(), 0, "{json}");
    let described = repo.run(&["describe", "stacks", "--format", "json"]).stdout;
    assert!(described.contains("\"$unknown\": \"aws_y.y.id\""), "{described}");
}

#[test]
fn zero_has_no_sign_in_what_a_plan_keeps() {
    let repo = Repo::new();
    repo.write("m/main.tf", "variable \"n\" {\n}\noutput \"o\" {\n  value = [var.n * -1, { x = -0 / 7 }]\n}\n");
    let text = "module \"m\" {\n  source = \"./m\"\n  n      = 0\n}\nresource \"aws_x\" \"x\" {\n  v = [0 * -1]\n}\n\
                output \"module\" {\n  value = jsonencode(module.m.o)\n}\noutput \"resource\" {\n  value = jsonencode(aws_x.x.v)\n}\n\
                output \"here\" {\n  value = jsonencode(0 * -1)\n}\n";
    repo.write("main.tf", text).commit("one");
    let json = repo.run(&["describe", "stacks", "--format", "json"]).json();
    let of = |name: &str| json["."]["components"]["output"][name]["value"].as_str().unwrap().to_owned();
    assert_eq!((of("module"), of("resource"), of("here")), ("[0,{\"x\":0}]".into(), "[0]".into(), "-0".into()));
}
