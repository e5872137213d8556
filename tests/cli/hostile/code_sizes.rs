//! Code and graphs of files that are only large: no work grows with the square of them.

use super::project;
use crate::common::Repo;
use std::time::{Duration, Instant};

const ROOT: &str = "terraform {\n  backend \"local\" {}\n}\n";

/// What a run of the unoptimized program may take; with work that grows with the square, these inputs take minutes.
const QUICK: Duration = Duration::from_secs(60);

/// `check` of some files that ends in time, with a limit of the memory that its findings must not use up.
#[track_caller]
fn is_quick(files: &[(&str, &str)], status: i32) -> crate::common::Run {
    let repo = Repo::new();
    repo.write("stacklint.toml", "[limits]\nmemory = 1024\n");
    for (path, text) in files {
        repo.write(path, text);
    }
    repo.commit("all");
    let start = Instant::now();
    let run = repo.run(&["check", "--format", "json"]).ends_with(status);
    assert!(start.elapsed() < QUICK, "{:?}", start.elapsed());
    run
}

#[test]
fn resources_that_read_each_other_in_a_chain() {
    let chain: String =
        (1..1_500).map(|i| format!("resource \"x_y\" \"r{i}\" {{\n  v = x_y.r{}.v\n}}\n", i - 1)).collect();
    let text =
        format!("{ROOT}resource \"x_y\" \"r0\" {{\n  v = x_y.other.id\n}}\nresource \"x_y\" \"other\" {{\n}}\n{chain}");
    is_quick(&[("main.tf", &text)], 1).says("limit-exceeded");
}

#[test]
fn names_in_one_list() {
    let names: String = (0..8_000).map(|i| format!("var.v{i}, ")).collect();
    let found = is_quick(&[("main.tf", &format!("{ROOT}output \"o\" {{\n  value = [{names}]\n}}\n"))], 1).json();
    assert_eq!(found["diagnostics"].as_array().unwrap().len(), 8_000);
}

#[test]
fn blocks_of_one_resource() {
    let blocks = "  a {\n    b = 1\n  }\n".repeat(20_000);
    is_quick(&[("main.tf", &format!("{ROOT}resource \"x_y\" \"r\" {{\n{blocks}}}\n"))], 0);
}

/// Each text is small enough.
#[test]
fn long_texts_of_one_module() {
    let long = "replace(format(\"%10000s\", \"x\"), \" \", format(\"%10000s\", \"y\"))";
    let locals: String = (0..120).map(|i| format!("  a{i} = {long}\n")).collect();
    is_quick(&[("main.tf", &format!("{ROOT}locals {{\n{locals}}}\n"))], 1).says("limit-exceeded");
}

#[test]
fn units_of_one_stack() {
    let units: String =
        (0..2_500).map(|i| format!("unit \"u{i}\" {{\n  source = \"./m\"\n  path   = \"p{i}\"\n}}\n")).collect();
    is_quick(&[("terragrunt.stack.hcl", &units), ("m/terragrunt.hcl", "inputs = {\n  a = 1\n}\n")], 0);
}

#[test]
fn keys_that_an_action_does_not_have() {
    let keys: String = (0..3_000).map(|i| format!("k{i}: '${{var.gone{i}}}', ")).collect();
    let action = format!("kind: Run\nname: a\ntype: exec\nspec: {{command: [a]}}\nvariables: {{{keys}}}\n");
    let head = "apiVersion: garden.io/v1\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: local-kubernetes}]\n";
    is_quick(&[("project.garden.yml", head), ("x/garden.yml", &action)], 1);
}

#[test]
fn one_file_imported_again_and_again() {
    let repo = project(&[("stacks/catalog/a.yaml", "vars: {q: 1}\n")]);
    let imports = "- catalog/a\n".repeat(15_000);
    repo.write("stacks/deploy/dev.yaml", format!("import:\n{imports}{}", super::DEV));
    let start = Instant::now();
    let found = repo.run(&["check", "--format", "json"]).json();
    assert!(start.elapsed() < QUICK, "{:?}", start.elapsed());
    let repeated = found["diagnostics"].as_array().unwrap().iter().filter(|one| one["rule"] == "duplicate-import");
    assert_eq!(repeated.count(), 500);
}

/// A message names a few of the keys that are there, and says how many of the first 300 it leaves out.
#[test]
fn keys_that_are_listed() {
    let keys: String = (0..400).map(|i| format!("k{i:03}: 1, ")).collect();
    let action =
        format!("kind: Run\nname: a\ntype: exec\nspec: {{command: ['${{var.gone}}']}}\nvariables: {{{keys}}}\n");
    let head =
        "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n";
    let repo = Repo::new();
    repo.write("project.garden.yml", head).write("garden.yml", action).commit("one");
    repo.run(&["check", "--format", "json"]).ends_with(1).says("k018, k019, and 280 more");
}

/// Files that all import each other have more cycles than could be counted.
#[test]
fn files_that_all_import_each_other() {
    let repo = project(&[]);
    repo.write("stacklint.toml", "[limits]\nmemory = 1024\n");
    for i in 0..40 {
        repo.write(&format!("stacks/catalog/d{i}.yaml"), "import: ['catalog/*']\n");
    }
    repo.write("stacks/deploy/dev.yaml", format!("import: ['catalog/*']\n{}", super::DEV));
    let found = repo.run(&["check", "--format", "json"]).ends_with(1).json();
    let cycles =
        found["diagnostics"].as_array().unwrap().iter().filter(|finding| finding["rule"] == "import-cycle").count();
    assert!((1..=20).contains(&cycles), "{cycles}");
}

#[test]
fn generated_code_whose_values_share_their_past() {
    let chain: String = (1..100).map(|i| format!("  a{i} = length([local.a{0}, local.a{0}])\n", i - 1)).collect();
    let code =
        format!("locals {{\n  a0 = 1\n{chain}}}\nresource \"terraform_data\" \"r\" {{\n  input = local.a99\n}}\n");
    let unit = format!(
        "terraform {{\n  source = \".\"\n}}\ngenerate \"x\" {{\n  path      = \"x.tf\"\n  if_exists = \"overwrite\"\n  contents  = <<EOF\n{code}EOF\n}}\n"
    );
    is_quick(&[("unit/terragrunt.hcl", &unit), ("unit/main.tf", "locals {\n  q = 1\n}\n")], 0);
}

#[test]
fn resources_of_one_file_that_all_get_other_names() {
    let repo = Repo::new();
    let text = |name: &str| -> String {
        let one = |i: usize| format!("resource \"a_b\" \"{name}{i}\" {{}}\n");
        format!("terraform {{\n  backend \"local\" {{}}\n}}\n{}", (0..12_000).map(one).collect::<String>())
    };
    repo.write("main.tf", text("a")).commit("base");
    repo.write("main.tf", text("b")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1).json();
}

/// Files that a change adds beside code which names as many places, and none of these files.
#[test]
fn files_beside_code_that_names_others() {
    let places: String = (0..8_000).map(|i| format!("  a{i} = file(\"d/{i}.sh\")\n")).collect();
    let repo = Repo::new();
    repo.write("main.tf", format!("{ROOT}locals {{\n{places}}}\n"));
    (0..300).for_each(|i| _ = repo.write(&format!("d/{i}.sh"), "x\n"));
    repo.commit("base");
    (0..8_000).for_each(|i| _ = repo.write(&format!("app/{i}.txt"), "x\n"));
    repo.commit("beside");
    repo.run(&["diff", "HEAD~1..HEAD"]).hides("runs different code");
}
