//! Projects in memory, resolved.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod dependencies;
mod properties;
mod stacks;

use super::*;
use crate::source::Memory;
use serde_json::{Value as Json, json};

/// A project in memory.
#[derive(Clone, Debug, Default)]
struct World {
    files: BTreeMap<String, Vec<u8>>,
    project: Project,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        World { files, project: Project::default() }
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.project.inputs.env.insert(name.to_owned(), value.to_owned());
        self
    }

    fn resolve(&self, files: &Files) -> Resolution {
        let source = Memory::new("memory", self.files.clone());
        Terragrunt::default().resolve(&source, &self.project, files, Scope::All)
    }

    /// The configuration of a unit by its address: `live app`.
    #[track_caller]
    fn unit(&self, address: &str) -> Json {
        let all = self.resolve(&Files::default()).components();
        let found = all.iter().find(|((stack, _, name), _)| format!("{stack} {name}") == address);
        let (_, placed) = found.unwrap_or_else(|| panic!("no {address} in {:?}; {:?}", all.keys(), self.findings()));
        serde_json::to_value(&placed.component.value).unwrap()
    }

    /// `rule path:line message` of all findings.
    fn findings(&self) -> Vec<String> {
        let files = Files::default();
        let resolution = self.resolve(&files);
        let shown = |finding: &Diagnostic| {
            let file = files.get(finding.primary.file);
            let line = file.line(finding.primary.start);
            format!("{} {}:{line} {}", finding.rule.id(), file.path, finding.message)
        };
        resolution.findings.iter().map(shown).collect()
    }
}

#[test]
fn included_files_are_evaluated_as_if_they_lay_in_the_unit() {
    let world = World::new(&[
        (
            "root.hcl",
            "locals {\n  a = basename(get_terragrunt_dir())\n}\ninputs = {\n  a = local.a\n  key = \"${path_relative_to_include()}/x\"\n  m = { x = 1 }\n}\n",
        ),
        (
            "live/app/terragrunt.hcl",
            "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\ninputs = {\n  m = { y = 2 }\n}\n",
        ),
        (
            "live/db/terragrunt.hcl",
            "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n  merge_strategy = \"deep\"\n}\ninputs = {\n  m = { y = 2 }\n}\n",
        ),
    ]);
    let app = json!({"a": "app", "key": "live/app/x", "m": {"y": 2}});
    assert_eq!(world.unit("live app")["inputs"], app);
    assert_eq!(world.unit("live db")["inputs"]["m"], json!({"x": 1, "y": 2}));
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn what_only_a_run_knows_hides_nothing_else() {
    let world = World::new(&[
        ("vpc/terragrunt.hcl", "inputs = {}\n"),
        (
            "app/terragrunt.hcl",
            "dependency \"vpc\" {\n  config_path = \"../vpc\"\n  mock_outputs = { id = \"m\" }\n}\ninputs = {\n  id = dependency.vpc.outputs.id\n  e = get_env(\"E\")\n  c = run_cmd(\"date\")\n  n = 1\n}\n",
        ),
    ]);
    let inputs = world.unit(". app")["inputs"].clone();
    let reason = |name: &str| inputs[name]["$unknown"].as_str().unwrap_or_default().to_owned();
    assert!(reason("id").contains("../vpc") && reason("id").contains("mocks"), "{inputs}");
    assert!(reason("e").contains("get_env") && reason("c").contains("run_cmd"), "{inputs}");
    assert_eq!(inputs["n"], json!(1));
    assert_eq!(world.env("E", "x").unit(". app")["inputs"]["e"], json!("x"));
}

#[test]
fn mistakes_are_found_at_their_places() {
    for (text, expected) in [
        ("inputs = {\n  a = local.x\n}\n", "undefined-local a/terragrunt.hcl:2"),
        ("locals {\n  a = local.b\n  b = local.a\n}\ninputs = local\n", "local-cycle a/terragrunt.hcl:"),
        ("include \"r\" {\n  path = \"gone.hcl\"\n}\n", "unresolved-include a/terragrunt.hcl:2"),
        (
            "locals {\n  a = read_terragrunt_config(\"b.hcl\")\n}\ninputs = local\n",
            "terragrunt-invalid-value a/terragrunt.hcl:2",
        ),
        ("inputs = \"x\"\n", "terragrunt-invalid-value a/terragrunt.hcl:1"),
        ("skip = true\n", "terragrunt-invalid-block a/terragrunt.hcl:1"),
        ("inputs = {\n", "terragrunt-invalid-syntax a/terragrunt.hcl:1"),
        ("/* x\n", "terragrunt-invalid-syntax a/terragrunt.hcl:1"),
        ("dependencies {\n  paths = [\"../b\"]\n}\n", "undefined-dependency a/terragrunt.hcl:2"),
        (
            "include {\n  path = \"../r.hcl\"\n}\ninclude {\n  path = \"../r.hcl\"\n}\n",
            "terragrunt-invalid-block a/terragrunt.hcl:4",
        ),
        ("inputs = {\n  a = sops_decrypt_file(\"gone.yaml\")\n}\n", "terragrunt-invalid-value a/terragrunt.hcl:2"),
    ] {
        let found = World::new(&[("a/terragrunt.hcl", text), ("r.hcl", "")]).findings();
        assert!(found.iter().any(|finding| finding.starts_with(expected)), "{text}: {found:?}");
    }
}

#[test]
fn generated_files_as_values_need_fewer_arguments_than_blocks() {
    let of =
        |entry: &str| World::new(&[("a/terragrunt.hcl", &format!("generate = {{ x = {{ {entry} }} }}\n"))]).findings();
    assert_eq!(of("path = \"p.tf\", if_exists = \"skip\""), [""; 0]);
    assert_eq!(of("if_exists = \"skip\", disable = true"), [""; 0]);
    assert_eq!(of("if_exists = \"skip\"").len(), 1);
    assert_eq!(of("path = \"p.tf\"").len(), 1);
}

#[test]
fn signals_have_one_type() {
    let of = |signals: &str| {
        let unit = format!(
            "errors {{\n  ignore \"i\" {{\n    ignorable_errors = [\".*\"]\n    signals = {signals}\n  }}\n}}\n"
        );
        let world = World::new(&[("a/terragrunt.hcl", &unit)]);
        (world.unit(". a")["errors"]["ignore"]["i"]["signals"].clone(), world.findings())
    };
    assert_eq!(of("{ a = true, b = \"x\" }"), (json!({"a": "true", "b": "x"}), Vec::new()));
    assert_eq!(of("{ a = null, b = 1, c = \"x\" }"), (json!({"a": null, "b": "1", "c": "x"}), Vec::new()));
    assert_eq!(of("{ a = 1, b = true }").1.len(), 1);
}

#[test]
fn files_that_read_each_other_end() {
    let world = World::new(&[
        ("a/terragrunt.hcl", "locals {\n  b = read_terragrunt_config(\"../b.hcl\")\n}\ninputs = local\n"),
        ("b.hcl", "locals {\n  c = read_terragrunt_config(\"c.hcl\")\n}\n"),
        ("c.hcl", "locals {\n  b = read_terragrunt_config(\"b.hcl\")\n}\n"),
    ]);
    assert!(world.findings()[0].contains("reads itself"), "{:?}", world.findings());
}

#[test]
fn unused_locals_of_files_that_others_read_are_used() {
    let unit = "locals {\n  a = 1\n}\n";
    let reader = "locals {\n  b = read_terragrunt_config(\"../a/terragrunt.hcl\")\n}\ninputs = local.b.locals\n";
    assert_eq!(World::new(&[("a/terragrunt.hcl", unit)]).findings().len(), 1);
    let both = World::new(&[("a/terragrunt.hcl", unit), ("b/terragrunt.hcl", reader)]);
    assert_eq!(both.findings(), [""; 0]);
}

#[test]
fn an_unknown_value_is_the_same_only_with_the_same_text_and_reads() {
    let of = |text: &str| {
        let world = World::new(&[("a/terragrunt.hcl", text), ("a/x.sh", "1")]);
        let all = world.resolve(&Files::default()).components();
        all.values().next().unwrap().component.value.get("inputs").unwrap().get("v").unwrap().clone()
    };
    let with =
        |local: &str, input: &str| of(&format!("locals {{\n  e = {local}\n}}\ninputs = {{\n  v = {input}\n}}\n"));
    let first = with("get_env(\"A\")", "\"x-${local.e}\"");
    assert_eq!(first, with("get_env( \"A\" ) # note", "\"x-${local.e}\""));
    assert_ne!(first, with("get_env(\"B\")", "\"x-${local.e}\""));
    assert_ne!(first, with("get_env(\"A\")", "\"y-${local.e}\""));
    assert_eq!(
        with("get_env(\"A\")", "local.e"),
        of("locals {\n  other = get_env(\"A\")\n}\ninputs = {\n  v = local.other\n}\n")
    );
    // A text that names a file does not read it.
    let reads_script = |input: &str| match with("get_env(\"A\")", input).data {
        crate::value::Data::Unknown(unknown) => unknown.reads.iter().any(|read| *read.name == *"a/x.sh"),
        other => panic!("{other:?}"),
    };
    let of_inputs =
        ["\"${local.e}/x.sh\"", "file(\"${local.e}/x.sh\")", "\"${run_cmd(\"./x.sh\")}/y\""].map(reads_script);
    assert_eq!(of_inputs, [false, true, true]);
}

#[test]
fn unknown_parts_of_one_value_are_not_the_same() {
    let of = |local: &str, input: &str| {
        let unit = format!("locals {{\n  v = {local}\n}}\ninputs = {{\n  v = {input}\n}}\n");
        let common = "locals {\n  a = get_env(\"A\")\n  b = get_env(\"B\")\n  more = 1\n}\n";
        let world = World::new(&[("a/terragrunt.hcl", &unit), ("common.hcl", common)]);
        let all = world.resolve(&Files::default()).components();
        let value = all.values().next().unwrap().component.value.get("inputs").unwrap().get("v").unwrap().clone();
        match &value.data {
            crate::value::Data::Unknown(unknown) => unknown.text.to_string(),
            other => panic!("{other:?}"),
        }
    };
    // A file that is read: its own expressions.
    let read = "read_terragrunt_config(\"../common.hcl\")";
    assert_eq!(of(read, "local.v.locals.a"), "get_env(\"A\")");
    assert_eq!(of(read, "local.v.locals.b"), "get_env(\"B\")");
    assert_eq!(of(&format!("({read}).locals"), "local.v.b"), format!("({read}).locals.b"));
    let merged = "merge({a = [get_env(\"A\")], \"b c\" = 1}, merge({\"b c\" = get_env(\"B\")}, null))";
    assert_eq!(of(merged, "local.v.a[0]"), "get_env(\"A\")");
    assert_eq!(of(merged, "local.v[\"b c\"]"), "get_env(\"B\")");
    let chosen = "merge([{a = [get_env(\"A\")]}, {\"b c\" = get_env(\"B\")}]...)";
    assert_eq!(of(chosen, "local.v.a[0]"), format!("{chosen}.a[0]"));
    assert_eq!(of(chosen, "local.v[\"b c\"]"), format!("{chosen}[\"b c\"]"));
    assert_eq!(of("true ? {a = get_env(\"A\")} : null", "local.v.a"), "(true ? {a = get_env(\"A\")} : null).a");
    assert_eq!(of("true ? get_env(\"A\") : null", "local.v"), "true ? get_env(\"A\") : null");
}

/// A unit of a local module that is called with its inputs, below a root file that generates a provider.
const OF_MODULE: [(&str, &str); 3] = [
    (
        "live/app/terragrunt.hcl",
        "terraform {\n  source = \"../../modules/app\"\n}\ngenerate \"more\" {\n  path = \"more.tf\"\n  if_exists = \"overwrite\"\n  contents = <<-EOT\n    resource \"x_more\" \"m\" {\n      a = local.name\n    }\n  EOT\n}\ndependency \"vpc\" {\n  config_path = \"../vpc\"\n  mock_outputs = { id = \"mock\" }\n}\ninputs = {\n  name = \"app\"\n  zones = [\"a\", \"b\"]\n  vpc = dependency.vpc.outputs.id\n  size = 3\n}\n",
    ),
    ("live/vpc/terragrunt.hcl", ""),
    (
        "modules/app/main.tf",
        "variable \"name\" {}\nvariable \"zones\" {\n  type = list(string)\n}\nvariable \"vpc\" {}\nvariable \"size\" {}\nlocals {\n  name = upper(var.name)\n}\nresource \"x_zone\" \"z\" {\n  for_each = toset(var.zones)\n  name = \"${var.name}-${each.key}\"\n  vpc = var.vpc\n  size = \"${var.size}\"\n}\noutput \"names\" {\n  value = [for z in x_zone.z : z.name]\n}\n",
    ),
];

#[test]
fn resources_of_local_modules_are_components_of_their_unit() {
    let world = World::new(&OF_MODULE);
    assert_eq!(world.findings(), [""; 0]);
    let zone = world.unit("live/app x_zone.z[\"a\"]");
    assert_eq!(zone["name"], "app-a");
    assert_eq!(zone["size"], "3", "text of the environment");
    let reason = zone["vpc"].to_string();
    assert!(reason.contains("outputs of the dependency") || reason.contains("unknown"), "{reason}");
    assert_eq!(world.unit("live/app x_more.m")["a"], "APP", "a generated file");
    assert_eq!(world.unit("live/app names")["value"], json!(["app-a", "app-b"]));
}

#[test]
fn places_in_generated_files_are_those_of_their_contents() {
    let mut files = OF_MODULE.to_vec();
    files[0].1.find("local.name").unwrap();
    let broken = files[0].1.replace("local.name", "local.nothing");
    files[0].1 = &broken;
    let found = World::new(&files).findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("undefined-local live/app/terragrunt.hcl:7"), "{found:?}");
}

#[test]
fn attributes_that_are_read_early_see_no_dependency() {
    let unit = "dependency \"vpc\" {\n  config_path = \"../vpc\"\n}\niam_role = dependency.vpc.outputs.role\ndownload_dir = dependency.vpc.outputs.dir\n";
    let findings = World::new(&[("a/terragrunt.hcl", unit), ("vpc/terragrunt.hcl", "")]).findings();
    assert!(findings.len() == 1 && findings[0].contains("a/terragrunt.hcl:4 unknown variable"), "{findings:?}");
}

#[test]
fn functions_see_labels_and_what_is_not_set() {
    let read = r#"
feature "f" {
  default = 1
}
terraform {
  extra_arguments "e" {
    commands = ["plan"]
  }
}
errors {
  retry "r" {
    retryable_errors   = ["a"]
    max_attempts       = 1
    sleep_interval_sec = 2
  }
}
remote_state {
  backend  = "local"
  config   = {}
  generate = { path = "b.tf", if_exists = "skip", if_disabled = "remove" }
}
"#;
    let unit = "locals {\n  r = read_terragrunt_config(\"../read.hcl\")\n}\ninputs = {\n  f = local.r.feature\n  e = local.r.terraform\n  r = local.r.errors.retry[0].name\n  s = local.r.remote_state.generate\n}\n";
    let world = World::new(&[("a/terragrunt.hcl", unit), ("read.hcl", read)]);
    let inputs = world.unit(". a")["inputs"].clone();
    assert_eq!(inputs["f"], json!({"f": {"name": "f", "default": 1}}));
    assert_eq!(inputs["e"]["before_hook"], json!({}));
    let arguments = json!({"name": "e", "commands": ["plan"], "arguments": null, "env_vars": null, "optional_var_files": null, "required_var_files": null});
    assert_eq!(inputs["e"]["extra_arguments"]["e"], arguments);
    assert_eq!((&inputs["r"], &inputs["s"]), (&json!("r"), &json!({"path": "b.tf", "if_exists": "skip"})));
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn functions_without_arguments_take_none() {
    for (call, is_right) in [
        ("get_repo_root()", true),
        ("get_platform()", true),
        ("get_repo_root(\"x\")", false),
        ("get_platform(\"x\")", false),
        ("get_terraform_commands_that_need_vars(1)", false),
    ] {
        let unit = format!("inputs = {{\n  a = {call}\n}}\n");
        let findings = World::new(&[("a/terragrunt.hcl", &unit)]).findings();
        assert_eq!(findings.is_empty(), is_right, "{call}: {findings:?}");
    }
}

#[test]
fn templates_of_boilerplate_are_no_units() {
    let template = "inputs = {\n  {{ .Name }} = 1\n}\n";
    let folder = "modules/x/.boilerplate";
    let (settings, unit) = (format!("{folder}/boilerplate.yml"), format!("{folder}/live/terragrunt.hcl"));
    let world = World::new(&[(&settings, "variables: []\n"), (&unit, template), ("a/terragrunt.hcl", "")]);
    assert_eq!(world.findings(), [""; 0]);
    assert_eq!(world.resolve(&Files::default()).units.len(), 1);
    // Terragrunt runs what it can read.
    let hidden = World::new(&[(&settings, "variables: []\n"), (&unit, "inputs = {\n  a = \"{{ .Name }}\"\n}\n")]);
    assert_eq!(hidden.resolve(&Files::default()).units.len(), 1);
    let alone = World::new(&[(&unit, template)]).findings();
    assert!(alone[0].contains("invalid-syntax"), "a name of a folder says nothing: {alone:?}");
}
