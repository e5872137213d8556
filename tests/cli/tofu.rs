//! Root modules of OpenTofu: the effect of an edit of a value, a file or a module, and the line that causes it.

use crate::common::{Repo, Run};
use serde_json::{Value, json};

const MAIN: &str = "\
locals {
  common = yamldecode(file(\"${path.module}/../common.yaml\"))
  dir    = \"modules\"
}

terraform {
  backend \"s3\" {
    bucket = local.common.bucket
    key    = \"${var.stage}/state\"
  }
}

provider \"aws\" {
  alias    = \"by_region\"
  for_each = toset(var.regions)
}

module \"network\" {
  source = \"../../${local.dir}/network\"
  zones  = length(var.regions)
}
";
const VARIABLES: &str = "\
variable \"stage\" {
  type    = string
  default = \"dev\"
}

variable \"regions\" {
  type = list(string)
}
";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("envs/prod/main.tf", MAIN)
        .write("envs/prod/variables.tf", VARIABLES)
        .write("envs/prod/prod.auto.tfvars", "regions = [\"eu\", \"us\"]\nstage = \"prod\"\n")
        .write("envs/common.yaml", "org: acme\nbucket: acme-state\n")
        .write("modules/network/main.tf", "variable \"zones\" {\n  type = number\n}\n")
        .commit("base");
    repo
}

fn describe(repo: &Repo, more: &[&str]) -> Value {
    repo.run(&[&["describe", "stacks", "--format", "json"], more].concat()).json()
}

/// `type/name: path` of each change, with its causes.
fn changes(run: &Run) -> Vec<String> {
    let json = run.json();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for component in json["components"].as_array().unwrap() {
        for change in component["changes"].as_array().unwrap() {
            let causes = change["causes"].as_array().unwrap().iter();
            let mut causes: Vec<String> = causes.map(|c| format!("{}:{}", text(&c["file"]), c["line"])).collect();
            causes.dedup();
            let (kind, name) = (text(&component["type"]), text(&component["component"]));
            found.push(format!("{kind}/{name}{} <- {}", text(&change["path"]), causes.join(" ")));
        }
    }
    found
}

#[test]
fn a_root_module_is_resolved() {
    let all = describe(&repo(), &[]);
    let components = &all["envs/prod"]["components"];
    assert_eq!(components["backend"]["s3"], json!({"bucket": "acme-state", "key": "prod/state"}));
    assert_eq!(components["provider"]["aws.by_region"], json!({"for_each": ["eu", "us"]}));
    let network = json!({"source": "../../modules/network", "dir": "modules/network", "inputs": {"zones": 2}});
    assert_eq!(components["module"]["network"], network);
    assert_eq!(all.as_object().map(|m| m.len()), Some(1), "what another module calls is no root module");
}

#[test]
fn options_win_over_files_in_their_order() {
    let repo = repo();
    repo.write("other.tfvars", "stage = \"file\"\n");
    let key = |more: &[&str]| describe(&repo, more)["envs/prod"]["components"]["backend"]["s3"]["key"].clone();
    assert_eq!(key(&["--env", "TF_VAR_stage=env"]), "prod/state");
    assert_eq!(key(&["--var", "stage=a", "--var-file", "other.tfvars"]), "file/state");
    assert_eq!(key(&["--var-file", "other.tfvars", "--var", "stage=b"]), "b/state");
}

#[test]
fn the_line_behind_a_change_is_named_across_files() {
    let repo = repo();
    repo.write("envs/common.yaml", "org: acme\nbucket: acme-state-2\n").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1);
    assert_eq!(changes(&run), ["backend/s3/bucket <- envs/common.yaml:2"]);
    repo.write("envs/prod/prod.auto.tfvars", "regions = [\"eu\"]\nstage = \"prod\"\n").commit("regions");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]);
    let found = changes(&run);
    assert!(found.iter().all(|c| c.ends_with(" <- envs/prod/prod.auto.tfvars:1")), "{found:?}");
    assert!(found.iter().any(|c| c.starts_with("provider/aws.by_region/for_each")), "{found:?}");
    assert!(found.iter().any(|c| c.starts_with("module/network/inputs/zones")), "{found:?}");
}

#[test]
fn a_chain_leads_to_what_is_wrong() {
    let repo = repo();
    repo.edit("envs/prod/main.tf", "\"modules\"", "random_pet.x.id");
    let run = repo.run(&["check", "--format", "json"]).ends_with(1);
    let json = run.json();
    let found = &json["diagnostics"][0];
    assert_eq!(found["rule"], "tofu-not-static");
    assert_eq!((found["file"].as_str(), found["line"].as_u64()), (Some("envs/prod/main.tf"), Some(3)));
    assert_eq!(found["related"][0]["message"], "module.network.source depends on local.dir");
}

#[test]
fn hostile_configuration_ends() {
    let repo = Repo::new();
    let doubled: String = (1..60).map(|i| format!("  a{i} = [local.a{0}, local.a{0}]\n", i - 1)).collect();
    let chain: String = (1..3000).map(|i| format!("  c{i} = local.c{}\n", i - 1)).collect();
    let text = format!(
        "locals {{\n  a0 = [1]\n{doubled}  c0 = 1\n{chain}  deep = {}\n}}\nmodule \"self\" {{\n  source = \"./\"\n}}\n\
         module \"other\" {{\n  source = \"./\"\n}}\nmodule \"big\" {{\n  source = \"./${{length(local.a59)}}\"\n}}\n\
         module \"long\" {{\n  source = \"./${{local.c2999}}\"\n}}\n",
        "[".repeat(5000)
    );
    repo.write("main.tf", text)
        .write("b.tf", "module \"m\" {\n  source = join(\"\", [for a in range(1024) : format(\"%4096s\", \"\")])\n}\n");
    repo.run(&["check"]).ends_with(1);
    repo.run(&["describe", "stacks", "--format", "json"]);
}

/// A root module may hold nothing but resources.
#[test]
fn a_root_without_components_is_a_stack() {
    let repo = Repo::new();
    repo.write("main.tf", "provider \"aws\" {}\n").commit("one");
    repo.run(&["check"]).ends_with(0).says("checked 1 stack, 0 components");
    repo.write("more.tf", "resource \"a\" \"b\" {}\n").commit("two");
    repo.run(&["diff", "HEAD~1..HEAD"])
        .ends_with(0)
        .says("1 resource in 1 root module changes")
        .says("compared 1 stack");
}

/// The findings about arguments of calls: file, line and rule.
fn argument_findings(repo: &Repo) -> Vec<String> {
    let run = repo.run(&["check", "--dialect", "opentofu", "--format", "json"]);
    let json = run.json();
    let rules = ["tofu-module-argument"];
    let all = json["diagnostics"].as_array().unwrap().iter();
    let found = all.filter(|finding| rules.iter().any(|rule| finding["rule"] == **rule));
    found.map(|f| format!("{}:{} {}", f["file"].as_str().unwrap(), f["line"], f["rule"].as_str().unwrap())).collect()
}

#[test]
fn arguments_of_calls_are_held_against_the_variables_of_the_module() {
    let backend = "terraform {\n  backend \"local\" {}\n}\n";
    let child = "variable \"name\" {}\nvariable \"size\" {\n  default = 1\n}\n";
    let call = |more: &str| format!("{backend}module \"m\" {{\n  source = \"../m\"\n{more}}}\n");
    let json_call = r#"{"module": {"m": {"//": "why", "source": "../m", "nam": 1, "count": 2}}}"#;
    for (files, expected) in [
        (
            vec![("live/main.tf", call("  nope = 1\n"))],
            &["live/main.tf:4 tofu-module-argument", "live/main.tf:6 tofu-module-argument"][..],
        ),
        // Meta-arguments, and null, which is a value.
        (
            vec![(
                "live/main.tf",
                call(
                    "  name = null\n  count = 1\n  depends_on = []\n  providers = {}\n  lifecycle {\n    enabled = true\n  }\n",
                ),
            )],
            &[],
        ),
        (vec![("live/main.tf", call("  name = \"x\"\n  for_each = {}\n"))], &[]),
        // Overrides of the call and of the module.
        (
            vec![("live/main.tf", call("")), ("live/main_override.tf", "module \"m\" {\n  name = 1\n}\n".to_owned())],
            &[],
        ),
        (
            vec![("live/main.tf", call("")), ("m/x_override.tf", "variable \"name\" {\n  default = 1\n}\n".to_owned())],
            &[],
        ),
        (
            vec![
                ("live/main.tf", call("  more = 1\n  name = 1\n")),
                ("m/more.tf.json", r#"{"variable": {"more": {}}}"#.to_owned()),
            ],
            &[],
        ),
        (
            vec![("live/main.tf", backend.to_owned()), ("live/call.tf.json", json_call.to_owned())],
            &["live/call.tf.json:1 tofu-module-argument", "live/call.tf.json:1 tofu-module-argument"],
        ),
        // A module that is not there, that cannot be read, or that is elsewhere.
        (vec![("live/main.tf", call("  nope = 1\n").replace("../m", "../gone"))], &[]),
        (vec![("live/main.tf", call("  nope = 1\n")), ("m/broken.tf", "variable {{\n".to_owned())], &[]),
        (vec![("live/main.tf", call("  nope = 1\n").replace("../m", "acme/m/aws"))], &[]),
    ] {
        let repo = Repo::new();
        repo.write("m/main.tf", child);
        for (path, text) in &files {
            repo.write(path, text);
        }
        repo.commit("base");
        let mut found = argument_findings(&repo);
        found.sort();
        assert_eq!(found, expected, "{files:?}");
    }
}

/// Returns the findings about mismatched values: file, line, where the variable is declared, and why.
fn unfit(files: &[(&str, &str)]) -> Vec<String> {
    let repo = Repo::new();
    for (path, text) in files {
        repo.write(path, text);
    }
    repo.commit("base");
    let json = repo.run(&["check", "--dialect", "opentofu", "--format", "json"]).json();
    let all = json["diagnostics"].as_array().unwrap().iter();
    let rules = ["tofu-invalid-value", "tofu-missing-value"];
    let all = all.filter(|finding| rules.iter().any(|rule| finding["rule"] == **rule));
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    all.map(|f| {
        let why = text(&f["message"]);
        let why = why.rsplit(": ").next().unwrap_or_default().to_owned();
        format!(
            "{}:{} {}:{} {why}",
            text(&f["file"]),
            f["line"],
            text(&f["related"][0]["file"]),
            f["related"][0]["line"]
        )
    })
    .collect()
}

#[test]
fn values_of_arguments_are_held_against_the_types_of_the_variables_of_the_module() {
    let at = |text: &str| vec![format!("live/main.tf:6 m/main.tf:1 {text}")];
    for (variable, argument, expected) in [
        ("type = number", "\"x\"", at("a number is required")),
        ("type = number", "\"12\"", vec![]),
        ("type = number", "local.text", at("a number is required")),
        ("type = number", "var.given", at("a number is required")),
        ("type = number", "data.a.b.c", vec![]),
        ("type = number", "timestamp()", vec![]),
        ("type = list(number)", "[1, timestamp(), \"x\"]", at("a number is required")),
        ("type = list(string)", "\"a\"", at("list of string required, but have string")),
        ("type = bool", "\"yes\"", at("a bool is required")),
        ("type = object({ a = string, b = optional(number, 1) })", "{ a = 1 }", vec![]),
        ("type = object({ a = string, b = optional(number) })", "{ a = 1, b = \"x\" }", at("a number is required")),
        ("type = object({ a = string })", "{}", at("attribute \"a\" is required")),
        ("type = any", "[1, \"x\"]", vec![]),
        ("type = list(any)", "[1, {}]", at("all list elements must have the same type")),
        ("", "[1, {}]", vec![]),
        ("type = number", "null", vec![]),
        ("type = number\n  nullable = false", "null", at("var.v is null, which it cannot be")),
        ("type = number\n  nullable = false\n  default = 1", "null", vec![]),
        ("type = number\n  default = 1", "{}", at("number required, but have object")),
        ("type = number", "sensitive(\"x\")", at("a number is required")),
        ("type = number\n  sensitive = true", "sensitive(1)", vec![]),
        ("type = nonsense", "1", vec![]),
    ] {
        let main = format!(
            "terraform {{\n  backend \"local\" {{}}\n}}\nmodule \"m\" {{\n  source = \"../m\"\n  v      = {argument}\n}}\n\
             locals {{\n  text = \"t\"\n}}\nvariable \"given\" {{}}\n"
        );
        let child = format!("variable \"v\" {{\n  {variable}\n}}\n");
        let values = "given = \"x\"\n";
        let files = [("live/main.tf", &*main), ("m/main.tf", &*child), ("live/a.auto.tfvars", values)];
        let found: Vec<String> = unfit(&files).into_iter().filter(|f| f.starts_with("live/main.tf")).collect();
        assert_eq!(found, expected, "{variable} = {argument}");
    }
}

#[test]
fn values_for_modules_that_may_have_no_instances_are_judged_as_far_as_they_are_known() {
    for (more, argument, is_found) in [
        ("count = 2", "local.text", true),
        ("count = 0", "local.text", true),
        ("count = 0", "\"x\"", true),
        ("count = 0", "var.unknown", false),
        ("count = var.unknown", "local.text", true),
        ("for_each = {}", "local.text", true),
        ("for_each = { a = 1 }", "local.text", true),
        ("lifecycle {\n    enabled = false\n  }", "local.text", true),
    ] {
        let main = format!(
            "terraform {{\n  backend \"local\" {{}}\n}}\nmodule \"m\" {{\n  source = \"../m\"\n  v      = {argument}\n  {more}\n}}\n\
             locals {{\n  text = \"t\"\n}}\nvariable \"unknown\" {{}}\n"
        );
        let child = "variable \"v\" {\n  type = number\n}\n";
        assert_eq!(!unfit(&[("live/main.tf", &main), ("m/main.tf", child)]).is_empty(), is_found, "{more}: {argument}");
    }
    // Of a module that cannot be read as a whole, nothing is certain.
    let main = "terraform {\n  backend \"local\" {}\n}\nmodule \"m\" {\n  source = \"../m\"\n  v      = {}\n}\n";
    let child = "variable \"v\" {\n  type = number\n}\n";
    assert!(unfit(&[("live/main.tf", main), ("m/main.tf", child), ("m/broken.tf", "variable {{\n")]).is_empty());
}

#[test]
fn a_variable_that_a_module_gains_is_found_in_the_call_that_lacks_it() {
    let repo = Repo::new();
    let main = "terraform {\n  backend \"local\" {}\n}\nmodule \"m\" {\n  source = \"../m\"\n}\n";
    repo.write("live/main.tf", main).write("m/main.tf", "output \"o\" {\n  value = 1\n}\n").commit("base");
    repo.write("m/main.tf", "variable \"name\" {}\noutput \"o\" {\n  value = var.name\n}\n").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    assert!(run.stdout.contains("tofu-module-argument") && run.stdout.contains("live/main.tf:4"), "{}", run.stdout);
}

/// A repository whose root module has two variable sets, in the state after each of some edits.
fn sets() -> Repo {
    let repo = Repo::new();
    let settings =
        "[variable-sets.dev]\nvar-files = [\"dev.tfvars\"]\n\n[variable-sets.prod]\nvar-files = [\"prod.tfvars\"]\n";
    let main = "locals {\n  name = \"app-${var.stage}\"\n}\n\nterraform {\n  backend \"s3\" {\n    key = local.name\n  }\n}\n\nvariable \"stage\" {}\n";
    repo.write("stacklint.toml", settings).write("live/main.tf", main);
    repo.write("live/dev.tfvars", "stage = \"dev\"\n").write("live/prod.tfvars", "stage = \"prod\"\n").commit("base");
    repo
}

#[test]
fn locals_have_the_values_of_the_variable_set_that_is_requested() {
    let repo = sets();
    for stage in ["dev", "prod"] {
        let stack = format!("live@{stage}");
        let found = repo.run(&["describe", "locals", "-s", &stack, "--format", "json"]).json();
        assert_eq!(found["locals"]["name"], format!("app-{stage}"), "{found}");
        assert_eq!(found["variable"]["locals"]["stage"], stage, "{found}");
        let reported = repo.run(&["describe", "locals", "-s", &stack, "--provenance", "--format", "json"]).json();
        assert_eq!(reported["scopes"].as_array().map(Vec::len), Some(2), "{reported}");
        assert_eq!(reported["merged"]["name"]["value"], format!("app-{stage}"), "{reported}");
    }
}

#[test]
fn locals_are_compared_in_each_variable_set() {
    let repo = sets();
    let locals = |repo: &Repo| -> Vec<String> {
        let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
        let one = |l: &Value| {
            let reached: Vec<&Value> = l["reached"].as_array().unwrap().iter().map(|r| &r["stack"]).collect();
            format!("{} {} {} -> {} {reached:?}", l["stack"], l["name"], l["before"], l["after"]).replace('"', "")
        };
        report["locals"].as_array().unwrap().iter().map(one).collect()
    };
    repo.write("live/dev.tfvars", "stage = \"test\"\n").commit("one set");
    let name = "live@dev name app-dev -> app-test [String(live@dev)]";
    let stage = "live@dev stage dev -> test []";
    assert_eq!(locals(&repo), [name, stage]);
    repo.edit("live/main.tf", "app-", "web-").commit("both sets");
    let name = |set: &str, stage: &str| format!("live@{set} name app-{stage} -> web-{stage} [String(live@{set})]");
    assert_eq!(locals(&repo), [name("dev", "test"), name("prod", "prod")]);
}
