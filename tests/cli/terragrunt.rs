//! Units and stacks of Terragrunt, through the binary.

use crate::common::Repo;

const ROOT: &str = "locals {\n  env = read_terragrunt_config(find_in_parent_folders(\"env.hcl\"))\n}\ninputs = {\n  region = local.env.locals.region\n}\n";
const INCLUDE: &str = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("root.hcl", ROOT);
    repo.write("live/env.hcl", "locals {\n  region = \"eu\"\n}\n");
    repo.write("live/vpc/terragrunt.hcl", format!("{INCLUDE}terraform {{\n  source = \"../../modules/vpc\"\n}}\n"));
    let dependency =
        "dependency \"vpc\" {\n  config_path = \"../vpc\"\n}\ninputs = {\n  vpc = dependency.vpc.outputs.id\n}\n";
    repo.write("live/app/terragrunt.hcl", format!("{INCLUDE}{dependency}"));
    repo.write("live/app/main.tf", "variable \"vpc\" {}\nvariable \"region\" {}\nprovider \"aws\" {}\n");
    repo.write("modules/vpc/main.tf", "variable \"region\" {}\noutput \"id\" {\n  value = var.region\n}\n");
    repo.commit("base");
    repo
}

#[test]
fn a_change_of_a_shared_file_names_its_units_and_its_line() {
    let repo = repo();
    repo.write("live/env.hcl", "locals {\n  region = \"us\"\n}\n");
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    assert!(run.stdout.contains("live/env.hcl:2") && run.stdout.contains("app") && run.stdout.contains("vpc"), "{run}");
    let why = repo.run(&["why", "live", "app", "/inputs/region"]);
    assert!(why.stdout.contains("live/env.hcl:2"), "{why}");
    let impact = repo.run(&["impact", "live/env.hcl:2"]);
    assert!(impact.stdout.contains("app") && impact.stdout.contains("vpc"), "{impact}");
}

/// A skeleton that is copied to where the file is: where it is, it fails.
#[test]
fn a_file_that_is_in_no_folder_above_is_no_other_one() {
    let repo = Repo::new();
    repo.write("root.hcl", ROOT);
    repo.write("skeleton/app/terragrunt.hcl", INCLUDE);
    repo.write("skeleton/app/main.tf", "variable \"region\" {}\nprovider \"aws\" {}\n").commit("base");
    for path in ["README.md", "partitions/env.hcl"] {
        repo.write(path, "locals {\n  region = \"eu\"\n}\n").commit("head");
        repo.run(&["diff", "HEAD~1..HEAD"]).hides("region").hides("inputs");
    }
    repo.write("skeleton/env.hcl", "locals {\n  region = \"eu\"\n}\n").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("inputs.region");
}

#[test]
fn affected_lists_units_whose_code_changes_and_their_dependents_on_request() {
    let repo = repo();
    repo.write("modules/vpc/main.tf", "variable \"region\" {}\noutput \"id\" {\n  value = upper(var.region)\n}\n");
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]);
    assert!(run.stdout.contains("\"vpc\"") && !run.stdout.contains("\"component\": \"app\""), "{run}");
}

#[test]
fn the_code_of_units_is_no_root_module() {
    let run = repo().run(&["describe", "stacks", "--format", "json"]);
    assert!(run.stdout.contains("\"unit\"") && !run.stdout.contains("\"provider\""), "{run}");
}

#[test]
fn the_source_of_a_unit_is_no_root_module() {
    let repo = Repo::new();
    let moved = "moved {\n  from = x_y.a\n  to   = x_y.b\n}\nresource \"x_y\" \"b\" {\n  region = var.region\n}\n";
    let include = "include \"root\" {\n  path = find_in_parent_folders(\"terragrunt.hcl\")\n}\n";
    let unit = |source: &str| format!("{include}terraform {{\n  source = {source}\n}}\n");
    repo.write("terragrunt.hcl", "generate \"v\" {\n  path      = \"v.tf\"\n  if_exists = \"overwrite\"\n  contents  = \"variable \\\"region\\\" {}\"\n}\n");
    repo.write("live/app/terragrunt.hcl", unit("\"${get_repo_root()}/code//app\""));
    let chosen = "get_env(\"STAGE\") == \"prod\" ? \"git::https://x.example/y//db?ref=v1\" : \"../../code//db\"";
    repo.write("live/db/terragrunt.hcl", unit(chosen));
    for name in ["app", "db", "other"] {
        repo.write(&format!("code/{name}/main.tf"), moved);
    }
    repo.commit("base");
    let run = repo.run(&["check"]).ends_with(1);
    run.says("code/other/main.tf").hides("code/app").hides("code/db");
    // Code that a unit may run is a part of what changes.
    repo.edit("code/db/main.tf", "var.region", "upper(var.region)").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(3);
    run.says("1 component").says("runs different code").hides("No effective change");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]).says("\"db\"").hides("\"app\"");
}

#[test]
fn a_file_that_units_include_is_not_deployed_by_itself() {
    let repo = Repo::new();
    let root = "remote_state {\n  backend = \"s3\"\n  config = {\n    bucket = \"a\"\n    key    = \"${path_relative_to_include()}/state\"\n  }\n}\n";
    repo.write("live/dev/app/terragrunt.hcl", "include {\n  path = find_in_parent_folders()\n}\n");
    repo.write("live/dev/app/main.tf", "provider \"x\" {\n}\n").write("live/terragrunt.hcl", root).commit("base");
    repo.edit("live/terragrunt.hcl", "\"a\"", "\"b\"").commit("bucket");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1);
    run.says("state-address-changed").says("`app` in `live/dev` will use").hides("`live` in `.` will use");
    // It reads what only the folders of units have.
    let read = format!("locals {{\n  env = read_terragrunt_config(find_in_parent_folders(\"env.hcl\"))\n}}\n{root}");
    repo.write("live/dev/env.hcl", "locals {\n}\n").write("live/terragrunt.hcl", &read).commit("env");
    repo.run(&["check"]).ends_with(0).hides("env.hcl");
    repo.remove("live/terragrunt.hcl").write("live/root.hcl", &read);
    repo.edit("live/dev/app/terragrunt.hcl", "folders()", "folders(\"root.hcl\")").commit("rename");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("component-removed");
    // With code, or without units that include it, it is a unit as any other.
    repo.write("live/alone/terragrunt.hcl", &read).commit("alone");
    repo.run(&["check"]).ends_with(1).says("live/alone/terragrunt.hcl:2").says("env.hcl");
}

#[test]
fn a_deleted_unit_is_removed() {
    let repo = repo();
    repo.remove("live/app/terragrunt.hcl");
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    assert!(run.stdout.contains("component-removed"), "{run}");
}

#[test]
fn graphs_have_dependencies() {
    let run = repo().run(&["graph", "dependencies", "--format", "mermaid"]);
    assert!(run.stdout.contains("vpc") && run.stdout.contains("app"), "{run}");
}

#[test]
fn a_list_of_filters_names_the_folders_to_deploy() {
    let repo = repo();
    repo.write("live/env.hcl", "locals {\n  region = \"us\"\n}\n");
    repo.remove("live/app/terragrunt.hcl");
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "terragrunt-filter"]);
    assert_eq!(run.stdout, "{./live/vpc}\n", "{run}");
}

/// A unit whose module makes a resource for each zone, and one that depends on it.
fn modules() -> Repo {
    let repo = Repo::new();
    repo.write("root.hcl", "inputs = {\n  prefix = \"p\"\n}\n");
    let net = "terraform {\n  source = \"../../modules/net\"\n}\ninputs = {\n  zones = [\"a\"]\n}\n";
    repo.write("live/net/terragrunt.hcl", format!("{INCLUDE}{net}"));
    let app = "terraform {\n  source = \"../../modules/app\"\n}\ndependency \"net\" {\n  config_path = \"../net\"\n}\ninputs = {\n  names = dependency.net.outputs.names\n}\n";
    repo.write("live/app/terragrunt.hcl", app);
    let code = "variable \"zones\" {\n  type = list(string)\n}\nvariable \"prefix\" {}\nresource \"x_zone\" \"z\" {\n  for_each = toset(var.zones)\n  name = \"${var.prefix}-${each.key}\"\n}\noutput \"names\" {\n  value = [for z in x_zone.z : z.name]\n}\n";
    repo.write("modules/net/main.tf", code);
    repo.write("modules/app/main.tf", "variable \"names\" {\n  type = list(string)\n}\n");
    repo.commit("base");
    repo
}

#[test]
fn an_input_changes_the_resources_of_its_unit_and_plans_only_the_unit() {
    let repo = modules();
    repo.edit("live/net/terragrunt.hcl", "[\"a\"]", "[\"a\", \"b\"]").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    assert!(run.stdout.contains("x_zone.z[\"b\"]") && run.stdout.contains("live/net/terragrunt.hcl:8"), "{run}");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "terragrunt-filter"]);
    assert_eq!(run.stdout, "{./live/net}\n", "{run}");
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected", "--include-dependents"]).json();
    let items = json.as_array().unwrap();
    assert_eq!((items.len(), &items[0]["component"]), (1, &"net".into()), "{json}");
    assert_eq!(items[0]["dependents"][0]["component"], "app", "{json}");
    let why = repo.run(&["why", "live/net", "x_zone.z[\"b\"]", "/name"]);
    assert!(why.stdout.contains("root.hcl:2") && why.stdout.contains("modules/net/main.tf:7"), "{why}");
    let impact = repo.run(&["impact", "root.hcl:2"]);
    assert!(impact.stdout.contains("x_zone.z") && !impact.stdout.contains("live/app"), "{impact}");
}

#[test]
fn inputs_are_compared_with_the_variables_of_the_module() {
    let repo = modules();
    repo.write(
        "live/net/terragrunt.hcl",
        "terraform {\n  source = \"../../modules/net\"\n}\ninputs = {\n  zones = { a = 1 }\n  prefixx = \"p\"\n}\n",
    );
    let run = repo.run(&["check", "--format", "concise"]);
    assert!(run.stdout.contains("live/net/terragrunt.hcl:5") && run.stdout.contains("variable-type-mismatch"), "{run}");
    assert!(run.stdout.contains("live/net/terragrunt.hcl:6") && run.stdout.contains("undeclared-variable"), "{run}");
}

#[test]
fn a_generated_file_takes_the_place_of_one_of_the_module() {
    let repo = modules();
    repo.write("modules/net/provider.tf", "provider \"x\" {}\n");
    let generate = |mode: &str, name: &str| {
        format!("generate \"p\" {{\n  path = \"{name}\"\n  if_exists = \"{mode}\"\n  contents = \"\"\n}}\n")
    };
    let unit = "terraform {\n  source = \"../../modules/net\"\n}\ninputs = {\n  zones = [\"a\"]\n  prefix = \"p\"\n}\n";
    for (mode, name, is_reported) in [
        ("overwrite", "provider.tf", true),
        ("error", "provider.tf", true),
        ("skip", "provider.tf", false),
        ("overwrite", "other.tf", false),
        // It was generated before, and committed.
        ("overwrite", "same.tf", false),
        ("error", "same.tf", true),
    ] {
        repo.write("modules/net/same.tf", "\n")
            .write("live/net/terragrunt.hcl", format!("{unit}{}", generate(mode, name)));
        let run = repo.run(&["check", "--format", "concise"]);
        let is_found =
            run.stdout.contains("live/net/terragrunt.hcl:9") && run.stdout.contains("terragrunt-generate-collision");
        assert_eq!(is_found, is_reported, "{mode} {name}: {run}");
    }
}

#[test]
fn imports_are_a_graph_and_policies_see_units() {
    let repo = modules();
    let run = repo.run(&["graph", "imports", "--format", "mermaid"]);
    assert!(run.stdout.contains("root.hcl") && run.stdout.contains("live/net/terragrunt.hcl"), "{run}");
    let policy = "[[require]]\nid = \"two-zones\"\nwhere = \"component.type == 'unit' && has(component.inputs.zones)\"\nthat = \"size(component.inputs.zones) >= 2\"\nmessage = \"at least two zones\"\n";
    repo.write("stacklint.toml", policy);
    let run = repo.run(&["check", "--format", "concise"]).ends_with(1);
    assert!(run.stdout.contains("live/net/terragrunt.hcl:8") && run.stdout.contains("two-zones"), "{run}");
}

#[test]
fn an_edit_of_one_unit_resolves_no_other_one() {
    let repo = modules();
    repo.write("live/other/terragrunt.hcl", "inputs = {\n  a = 1\n}\n").commit("base");
    repo.edit("live/other/terragrunt.hcl", "a = 1", "a = 2").commit("head");
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    assert_eq!(json["components"].as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(json["components"][0]["component"], "other", "{json}");
}

#[test]
fn an_edited_file_that_only_code_reads_reaches_its_unit() {
    let repo = Repo::new();
    let code = "locals {\n  settings = file(\"${path.module}/../../settings.hcl\")\n}\nresource \"x_y\" \"a\" {\n  text = local.settings\n}\n";
    repo.write("code/app/main.tf", code).write("settings.hcl", "size = 1\n");
    repo.write("live/app/terragrunt.hcl", "terraform {\n  source = \"../../code//app\"\n}\n");
    repo.write("live/other/terragrunt.hcl", "inputs = {a = 1}\n").commit("base");
    repo.write("settings.hcl", "size = 2\n").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(3).says("x_y.a").says("size = 2");
}

#[test]
fn arguments_that_are_not_known_may_set_variables() {
    let repo = Repo::new();
    let code = "variable \"size\" {\n  default = \"small\"\n}\nresource \"x_y\" \"a\" {\n  size = var.size\n}\n";
    repo.write("code/app/main.tf", code);
    let unit = |arguments: &str| {
        format!(
            "terraform {{\n  source = \"../../code//app\"\n  extra_arguments \"a\" {{\n    commands = [\"plan\"]\n    {arguments}\n  }}\n}}\n"
        )
    };
    let is_known = |arguments: &str| {
        repo.write("live/app/terragrunt.hcl", unit(arguments)).commit("edit");
        let json = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).json().to_string();
        assert!(json.contains("x_y.a"), "{json}");
        json.contains("\"size\":\"small\"")
    };
    assert!(is_known("arguments = [\"-lock-timeout=${get_env(\"T\")}\"]"), "another option");
    assert!(is_known("optional_var_files = [\"${get_terragrunt_dir()}/gone.tfvars\"]"), "a file that is not there");
    assert!(!is_known("env_vars = {\n      TF_VAR_size = get_env(\"SIZE\")\n    }"), "a variable");
    assert!(!is_known("arguments = [\"-var-file=${get_env(\"F\")}\"]"), "a file that is not known");
    assert!(!is_known("optional_var_files = [\"${get_env(\"F\")}.tfvars\"]"), "another one");
    repo.write("live/app/some.tfvars", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n");
    assert!(!is_known("optional_var_files = [\"${get_terragrunt_dir()}/some.tfvars\"]"), "a pointer of Git LFS");
}

#[test]
fn a_generated_provider_of_another_region_is_a_danger() {
    for source in ["../../modules/vpc", "git::https://example.com/vpc.git?ref=v1"] {
        let repo = Repo::new();
        repo.write("modules/vpc/main.tf", "output \"id\" {\n  value = 1\n}\n");
        let provider = "generate \"provider\" {\n  path      = \"provider.tf\"\n  if_exists = \"overwrite\"\n  contents  = \"provider \\\"aws\\\" {\\n  region = \\\"eu-west-1\\\"\\n}\\n\"\n}\n";
        repo.write("root.hcl", provider);
        repo.write("live/vpc/terragrunt.hcl", format!("{INCLUDE}terraform {{\n  source = \"{source}\"\n}}\n"));
        repo.commit("base");
        repo.write("root.hcl", provider.replace("eu-west-1", "us-east-1"));
        repo.commit("head");
        let run = repo.run(&["diff", "HEAD~1..HEAD"]);
        assert!(run.stdout.contains("danger[provider-target-changed]") && run.stdout.contains("root.hcl:4"), "{run}");
    }
}

#[test]
fn affected_lists_units_that_begin_to_fail() {
    let repo = Repo::new();
    let root = "locals {\n  unused = \"a\"\n}\nremote_state {\n  backend = \"local\"\n  config  = { path = upper(\"a\") }\n}\n";
    repo.write("root.hcl", root);
    let own = "remote_state {\n  backend = \"local\"\n  config  = { path = \"own\" }\n}\n";
    repo.write("live/vpc/terragrunt.hcl", format!("{INCLUDE}{own}"));
    repo.write("catalog/app/terragrunt.hcl", "inputs = {}\n");
    let stack = "unit \"app\" {\n  source = \"../catalog/app\"\n  path   = \"app\"\n}\n";
    repo.write("stack/terragrunt.stack.hcl", stack);
    repo.commit("base");
    repo.write("root.hcl", root.replace("upper", "uper"));
    repo.write("stack/terragrunt.stack.hcl", stack.replace("path", "paths"));
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]);
    let items: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let stacks: Vec<&str> = items.as_array().unwrap().iter().filter_map(|item| item["stack"].as_str()).collect();
    assert_eq!(stacks, ["catalog", "live", "stack"], "without its stack, the source is a unit by itself: {run}");
}

/// What a function or a hook reads may be any file that its path allows, documents too.
#[test]
fn files_with_unknown_names_may_be_read() {
    const HOOK: &str = "terraform {\n  source = \"../../modules/app\"\n  before_hook \"a\" {\n    commands = [\"apply\"]\n    execute  = ";
    let hook = |words: &str| format!("{HOOK}{words}\n  }}\n}}\n");
    let values = |list: &str| {
        format!(
            "terraform {{\n  source = \"../../modules/app\"\n  extra_arguments \"a\" {{\n    commands = [\"apply\"]\n    {list}\n  }}\n}}\n"
        )
    };
    for (unit, paths) in [
        ("inputs = { a = file(\"${get_env(\"D\")}/a.md\") }\n".to_owned(), ["docs/a.md", "docs/b.md"]),
        ("inputs = { a = [fileset(get_env(\"D\"), \"*\"), 1] }\n".to_owned(), ["docs/a.md", ""]),
        ("inputs = { a = run_cmd(\"cat\", \"${get_env(\"D\")}/a.md\") }\n".to_owned(), ["docs/a.md", "docs/b.md"]),
        ("inputs = { a = find_in_parent_folders(\"${get_env(\"D\")}.md\", \"\") }\n".to_owned(), ["a.md", "a.rst"]),
        (hook("[\"cat\", \"${get_env(\"D\")}/a.md\"]"), ["docs/a.md", "docs/b.md"]),
        (hook("[get_env(\"COMMAND\")]"), ["docs/a.md", ""]),
        (hook("[\"echo\", get_env(\"TOKEN\")]"), ["", "docs/a.md"]),
        (values("required_var_files = [\"${get_env(\"D\")}/a.md\"]"), ["docs/a.md", "docs/b.md"]),
        (values("arguments = [\"-var-file=${get_env(\"D\")}/a.md\"]"), ["docs/a.md", "docs/b.md"]),
    ] {
        let repo = Repo::new();
        repo.write("live/a/terragrunt.hcl", &unit).write("modules/app/main.tf", "variable \"a\" {\n  default = 1\n}\n");
        paths.iter().filter(|path| !path.is_empty()).for_each(|path| _ = repo.write(path, "1\n"));
        repo.commit("base");
        for (path, status) in paths.into_iter().zip([1, 0]).filter(|(path, _)| !path.is_empty()) {
            repo.write(path, "2\n").commit("edit");
            let run = repo.run(&["diff", "HEAD~1..HEAD", "--expect", "none"]);
            assert_eq!(run.status, status, "{unit}{path}: {run}");
        }
    }
}

#[test]
fn files_of_values_with_unknown_names_are_a_part_of_what_runs() {
    let repo = Repo::new();
    let unit = "terraform {\n  source = \"../../modules/app\"\n  extra_arguments \"values\" {\n    commands           = \
                [\"plan\"]\n    required_var_files = [\"${get_terragrunt_dir()}/../../vars/${get_env(\"STAGE\")}.tfvars\"]\n  }\n}\n";
    repo.write("live/a/terragrunt.hcl", unit);
    repo.write("modules/app/main.tf", "variable \"size\" {}\nresource \"x_thing\" \"a\" {\n  size = var.size\n}\n");
    repo.write("vars/prod.tfvars", "size = 1\n").write("other/prod.tfvars", "size = 1\n").commit("base");
    repo.write("other/prod.tfvars", "size = 2\n").commit("nothing passes it");
    repo.run(&["diff", "HEAD~1..HEAD"]).hides("runs different code");
    repo.write("vars/prod.tfvars", "size = 2\n").commit("it may be passed");
    repo.run(&["diff", "HEAD~1..HEAD"])
        .says("vars changed (prod.tfvars)")
        .says("runs different code")
        .hides("No effective change");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]).says("live/a");
}

#[test]
fn what_is_not_known_changes_because_of_the_files_it_reads() {
    let repo = Repo::new();
    let unit = "locals {\n  secret = yamldecode(sops_decrypt_file(\"secret.yaml\"))\n}\ninputs = {\n  known  = file(\"known.txt\")\n  secret = local.secret.key\n  page   = templatefile(\"page.tpl\", { n = get_env(\"N\") })\n  made   = run_cmd(\"./make.sh\")\n}\n";
    repo.write("app/terragrunt.hcl", unit);
    let files = ["app/secret.yaml", "app/known.txt", "app/page.tpl", "app/make.sh"];
    files.iter().for_each(|path| _ = repo.write(path, "# first\nkey: one\n"));
    repo.commit("base");
    files.iter().for_each(|path| _ = repo.write(path, "# first\nkey: two\n"));
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]);
    let changes = run.json()["components"][0]["changes"].as_array().unwrap().clone();
    let cause = |path: &str| {
        let change = changes.iter().find(|change| change["path"] == path);
        let causes = change.unwrap_or_else(|| panic!("{path}: {run}"))["causes"].as_array().unwrap().clone();
        let places = causes.iter().map(|cause| format!("{}:{}", cause["file"].as_str().unwrap(), cause["line"]));
        places.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(cause("/inputs/known"), ["app/known.txt:2"]);
    assert_eq!(cause("/inputs/secret"), ["app/secret.yaml:2"]);
    assert_eq!(cause("/inputs/page"), ["app/page.tpl:2"]);
    assert_eq!(cause("/inputs/made"), ["app/make.sh:2"]);
    let text = repo.run(&["diff", "HEAD~1..HEAD"]).stdout;
    assert_eq!(text.matches("run_cmd").count(), 1, "the same text is shown once: {text}");
}

#[test]
fn jobs_run_in_the_folders_of_units_also_of_those_that_neither_revision_resolves() {
    let repo = Repo::new();
    let unit = |size: u32| format!("terraform {{\n  source = \"../../m\"\n}}\ninputs = {{\n  size = {size}\n}}\n");
    let gone =
        |size: u32| format!("include \"root\" {{\n  path = \"../gone.hcl\"\n}}\ninputs = {{\n  size = {size}\n}}\n");
    repo.write("live/a/terragrunt.hcl", unit(1)).write("live/b/terragrunt.hcl", gone(1));
    repo.write("live/c/terragrunt.hcl", gone(1));
    repo.write("m/main.tf", "variable \"size\" {}\nresource \"terraform_data\" \"r\" {\n  input = 1\n}\n")
        .commit("base");
    repo.write("live/a/terragrunt.hcl", unit(2)).write("live/b/terragrunt.hcl", gone(2)).commit("inputs");
    let folders = || {
        let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "matrix"]).json();
        let all =
            json["include"].as_array().unwrap().iter().map(|job| job["component_path"].as_str().unwrap().to_owned());
        all.collect::<Vec<_>>()
    };
    assert_eq!(folders(), ["live/a", "live/b"]);
    repo.edit("m/main.tf", "input = 1", "input = 2").commit("code");
    assert_eq!(folders(), ["live/a"]);
}

#[test]
fn a_file_of_values_that_arguments_pass_is_a_part_of_what_runs() {
    let repo = Repo::new();
    let unit = "terraform {\n  source = \"../../m\"\n  extra_arguments \"values\" {\n    commands           = [\"plan\"]\n    \
        required_var_files = [\"${get_terragrunt_dir()}/../prod.tfvars\"]\n  }\n}\n";
    // Only a provisioner reads it, which is not evaluated.
    let code = "variable \"size\" {}\nresource \"terraform_data\" \"r\" {\n  provisioner \"local-exec\" {\n    command = var.size\n  }\n}\n";
    repo.write("live/a/terragrunt.hcl", unit).write("live/b/terragrunt.hcl", "inputs = {}\n").write("m/main.tf", code);
    repo.write("live/prod.tfvars", "size = 1\n").commit("base");
    repo.write("live/prod.tfvars", "size = 2\n").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(3).says("live changed (prod.tfvars)");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]).says("\"a\"").hides("\"b\"");
}

#[test]
fn what_a_stack_file_says_of_the_place_of_a_unit_causes_its_changes() {
    let repo = Repo::new();
    repo.write("modules/web/main.tf", "resource \"aws_s3_bucket\" \"logs\" {\n  bucket = \"logs\"\n}\n");
    repo.write("units/web/terragrunt.hcl", "terraform {\n  source = \"${get_repo_root()}/modules/web\"\n}\n");
    repo.write(
        "both/terragrunt.stack.hcl",
        "unit \"web\" {\n  source = \"${get_repo_root()}/units/web\"\n  path   = \"web\"\n}\n",
    );
    let stack = |name: &str| format!("stack \"{name}\" {{\n  source = \"../both\"\n  path   = \"{name}\"\n}}\n");
    repo.write("live/terragrunt.stack.hcl", stack("a")).commit("base");
    // The stack around the unit gets another place.
    repo.write("live/terragrunt.stack.hcl", stack("b")).commit("moved");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("no edited line found");
    run.says("live/terragrunt.stack.hcl:3").says("component renamed: a/web → b/web").says("live/a/web → live/b/web");
    // One more.
    repo.write("live/terragrunt.stack.hcl", stack("b") + &stack("c")).commit("added");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("no edited line found");
    run.says("live/terragrunt.stack.hcl:6").says("2 components of 2 stacks added");
    repo.run(&["impact", "live/terragrunt.stack.hcl:7"]).ends_with(0).says("c/web");
}

#[test]
fn a_generated_call_names_a_module_by_its_absolute_path() {
    let repo = Repo::new();
    repo.write("root.hcl", "generate \"m\" {\n  path = \"m.tf\"\n  if_exists = \"overwrite\"\n  contents = <<EOF\nmodule \"m\" {\n  source = \"${get_parent_terragrunt_dir()}/modules/net\"\n}\nEOF\n}\n");
    repo.write("live/net/terragrunt.hcl", "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n");
    repo.write("live/net/main.tf", "output \"a\" {\n  value = 1\n}\n");
    repo.write("modules/net/main.tf", "module \"inner\" {\n  source = \"../inner\"\n}\n");
    repo.write("modules/inner/main.tf", "resource \"a_b\" \"c\" {\n  size = 1\n}\n").commit("base");
    repo.run(&["check"]).ends_with(0).hides("source");
    repo.write("modules/inner/main.tf", "resource \"a_b\" \"c\" {\n  size = 2\n}\n").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    run.says("~ size  1 → 2").says("module.m.module.inner.a_b.c");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]);
    run.says("live/net");
    repo.remove("modules/net/main.tf");
    repo.run(&["check"]).ends_with(1).says("module \"m\" leads to modules/net, which does not exist");
}

#[test]
fn a_unit_without_code_deploys_nothing() {
    let root = "remote_state {\n  backend = \"s3\"\n  config = {\n    bucket = \"b\"\n    key = path_relative_to_include()\n  }\n}\n";
    let unit = "terraform {\n  source = \"git::https://example.com/m.git?ref=v1\"\n}\ninclude {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n";
    let commented: String = unit.lines().map(|line| format!("#{line}\n")).collect();
    let repo = Repo::new();
    let commit = |text: &str| repo.write("live/web/terragrunt.hcl", text).commit("next");
    repo.write("root.hcl", root);
    commit("");
    commit(unit);
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("danger[");
    commit(&commented);
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1);
    run.says("danger[component-removed]: `web` in `live` has no code any more").hides("state-address-changed");
    commit(unit);
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("danger[");
    // Generated code is code.
    let generate = "generate \"m\" {\n  path = \"m.tf\"\n  if_exists = \"overwrite\"\n  contents = \"\"\n}\n";
    commit(
        &unit
            .replacen("terraform {", "locals {", 1)
            .replace("  source =", "  from =")
            .replace("include", &format!("{generate}include")),
    );
    repo.run(&["diff", "HEAD~1..HEAD"]).hides("has no code");
    commit(&commented);
    repo.remove("live/web/terragrunt.hcl").commit("gone");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("danger[");
}

#[test]
fn a_source_that_is_written_in_another_way_is_the_same_one() {
    let repo = modules();
    repo.commit("base");
    repo.edit("live/net/terragrunt.hcl", "\"../../modules/net\"", "\"${get_repo_root()}/modules//net\"").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("terraform.source").hides("source-changed");
    repo.write("modules/other/main.tf", "").edit("live/net/terragrunt.hcl", "modules//net", "modules//other");
    repo.run(&["diff"]).says("warning[source-changed]");
}
