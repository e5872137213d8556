//! Mistakes in units: each is a unit more, in a folder beside the others.

use super::Planting;
use super::plant::Plant;

pub(crate) const ALL: &[Planting] = &[
    ("terragrunt-deprecated", |p| unit(p, "include {\n  path = \"shared.hcl\"\n}\n", "include {")),
    ("terragrunt-environment", |p| unit(p, "inputs = {\n  planted = get_env(\"PLANTED\")\n}\n", "get_env(")),
    ("terragrunt-generate-collision", |p| {
        let file = |name: &str| {
            format!(
                "generate \"{name}\" {{\n  path      = \"planted.tf\"\n  if_exists = \"overwrite\"\n  contents  = \"#\"\n}}\n"
            )
        };
        unit(p, &format!("{}{}", file("one"), file("two")), "path      = \"planted.tf\"");
    }),
    ("terragrunt-invalid-block", |p| unit(p, "planted = true\n", "planted = true")),
    ("terragrunt-invalid-syntax", |p| unit(p, "inputs = {\n  planted = [1 2]\n}\n", "[1 2]")),
    ("terragrunt-invalid-value", |p| unit(p, "inputs = {\n  planted = [\"a\"][1]\n}\n", "[\"a\"][1]")),
    ("terragrunt-missing-mock", |p| {
        let text = "dependency \"self\" {\n  config_path = \"../other\"\n  mock_outputs = {\n    a = 1\n  }\n}\n\n\
                    inputs = {\n  planted = dependency.self.outputs.b\n}\n";
        other(p);
        unit(p, text, "outputs.b");
    }),
    ("terragrunt-mock-type", |p| {
        p.write("planted/other/main.tf", "output \"planted\" {\n  value = [\"a\"]\n}\n");
        p.write("planted/other/terragrunt.hcl", "inputs = {}\n");
        let text = "dependency \"other\" {\n  config_path = \"../other\"\n  mock_outputs = {\n    planted = \"a\"\n  }\n}\n\n\
                    inputs = {\n  planted = dependency.other.outputs.planted\n}\n";
        unit(p, text, "planted = \"a\"");
    }),
    ("terragrunt-relative-source", |p| {
        p.write("planted/code/main.tf", "output \"planted\" {\n  value = 1\n}\n");
        p.write("planted/unit/shared.hcl", "terraform {\n  source = \"../code\"\n}\n");
        let text = "include \"shared\" {\n  path = \"shared.hcl\"\n}\n";
        p.write("planted/unit/terragrunt.hcl", text);
        p.expect("source = \"../code\"");
    }),
    ("terragrunt-repeated-block", |p| {
        unit(p, "feature \"a\" {\n  default = 1\n}\n\nfeature \"a\" {\n  default = 2\n}\n", "feature \"a\"");
    }),
    ("terragrunt-runs-command", |p| unit(p, "inputs = {\n  planted = run_cmd(\"date\")\n}\n", "run_cmd(")),
    ("terragrunt-source-without-version", |p| {
        let text = "terraform {\n  source = \"git::https://example.com/planted.git//a\"\n}\n";
        unit(p, text, "planted.git");
    }),
    ("terragrunt-stack", |p| {
        let text = "unit \"planted\" {\n  source = \"./planted\"\n  path   = \"planted\"\n}\n";
        p.write("planted/stack/terragrunt.stack.hcl", text);
        p.expect("source = \"./planted\"");
    }),
    ("terragrunt-unused-dependency", |p| {
        other(p);
        unit(p, "dependency \"other\" {\n  config_path = \"../other\"\n}\n", "dependency \"other\"");
    }),
    ("dependency-cycle", |p| {
        let to = |name: &str| {
            format!(
                "dependency \"next\" {{\n  config_path = \"../{name}\"\n}}\n\ninputs = {{\n  next = dependency.next.outputs.x\n}}\n"
            )
        };
        p.write("planted/other/terragrunt.hcl", to("unit"));
        unit(p, &to("other"), "config_path");
    }),
    ("local-cycle", |p| {
        unit(p, "locals {\n  a = local.b\n  b = local.a\n}\n\ninputs = {\n  a = local.a\n}\n", "= local.")
    }),
    ("missing-required-variable", |p| {
        p.write("planted/code/main.tf", "variable \"planted\" {\n  type = string\n}\n");
        unit(p, "terraform {\n  source = \"../code\"\n}\n", "terraform {");
    }),
    ("undeclared-variable", |p| {
        p.write("planted/code/main.tf", "variable \"planted\" {\n  default = \"\"\n}\n");
        unit(p, "terraform {\n  source = \"../code\"\n}\n\ninputs = {\n  palnted = 1\n}\n", "palnted");
    }),
    ("undefined-dependency", |p| {
        let text =
            "dependency \"gone\" {\n  config_path = \"../gone\"\n}\n\ninputs = {\n  x = dependency.gone.outputs.x\n}\n";
        unit(p, text, "../gone");
    }),
    ("undefined-local", |p| unit(p, "inputs = {\n  planted = local.planted\n}\n", "local.planted")),
    ("unresolved-include", |p| {
        unit(
            p,
            "include \"root\" {\n  path = find_in_parent_folders(\"planted.hcl\", \"gone.hcl\")\n}\n",
            "planted.hcl",
        );
    }),
    ("unused-local", |p| unit(p, "locals {\n  planted = 1\n}\n", "planted = 1")),
];

/// Adds a unit, and a file beside it.
fn unit(p: &mut Plant, text: &str, mark: &str) {
    p.write("planted/unit/terragrunt.hcl", text);
    p.write("planted/unit/shared.hcl", "");
    p.expect(mark);
}

/// Adds another unit.
fn other(p: &mut Plant) {
    p.write("planted/other/terragrunt.hcl", "inputs = {}\n");
}
