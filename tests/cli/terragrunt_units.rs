//! Units of Terragrunt beside each other: states, cycles, mocks, and the order in which they are deployed.

use crate::common::Repo;

const CODE: &str = "variable \"x\" {\n  default = null\n}\noutput \"id\" {\n  value = [\"a\"]\n}\n";

/// A unit that generates its backend, with this key.
fn generates(key: &str) -> String {
    format!(
        "terraform {{\n  source = \"../../code//app\"\n}}\ngenerate \"backend\" {{\n  path      = \"backend.tf\"\n  \
         if_exists = \"overwrite\"\n  contents  = <<-EOT\n    terraform {{\n      backend \"s3\" {{\n        bucket = \"b\"\n        \
         key    = \"{key}\"\n      }}\n    }}\n  EOT\n}}\n"
    )
}

/// A unit that needs others.
fn needs(others: &[&str]) -> String {
    let block = |other: &&str| {
        let name = other.rsplit('/').next().unwrap_or(other);
        format!("dependency \"{name}\" {{\n  config_path = \"{other}\"\n}}\n")
    };
    let read = |other: &&str| format!("dependency.{}.outputs.id, ", other.rsplit('/').next().unwrap_or(other));
    let blocks: String = others.iter().map(block).collect();
    let reads: String = others.iter().map(read).collect();
    format!("terraform {{\n  source = \"../../code//app\"\n}}\n{blocks}inputs = {{\n  x = [{reads}]\n}}\n")
}

fn repo(units: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    repo.write("code/app/main.tf", CODE);
    for (folder, text) in units {
        repo.write(&format!("{folder}/terragrunt.hcl"), text);
    }
    repo.commit("base");
    repo
}

#[test]
fn generated_backends_are_places_of_states() {
    let repo = repo(&[("live/a", &generates("a")), ("live/b", &generates("b"))]);
    repo.run(&["check"]).ends_with(0).hides("shared-state-address");
    repo.edit("live/b/terragrunt.hcl", "\"b\"\n      }", "\"a\"\n      }").commit("the same key");
    repo.run(&["check"]).ends_with(1).says("shared-state-address").says("`a` and `b`").says("key a");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("state-address-changed").says("shared-state-address");
    // The same place, written in another way.
    let state = "terraform {\n  source = \"../../code//app\"\n}\nremote_state {\n  backend = \"s3\"\n  config = {\n    bucket = \"b\"\n    key    = \"a\"\n  }\n}\n";
    repo.write("live/a/terragrunt.hcl", state).remove("live/b/terragrunt.hcl").commit("another block");
    repo.run(&["diff", "HEAD~1..HEAD"]).hides("state-address-changed");
    repo.write("live/b/terragrunt.hcl", generates("${get_env(\"KEY\")}")).commit("a key that is not known");
    repo.run(&["check"]).hides("shared-state-address");
}

#[test]
fn a_backend_of_the_code_is_that_of_each_unit() {
    let repo = repo(&[("live/a", &needs(&[])), ("live/b", &needs(&[]))]);
    let backend = |kind: &str, key: &str| format!("terraform {{\n  backend \"{kind}\" {{\n    {key}\n  }}\n}}\n{CODE}");
    repo.write("code/app/main.tf", backend("s3", "bucket = \"b\"\n    key = \"a\""));
    repo.run(&["check"]).ends_with(1).says("shared-state-address");
    for (kind, key) in [("s3", ""), ("local", "")] {
        repo.write("code/app/main.tf", backend(kind, key));
        repo.run(&["check"]).ends_with(0).hides("shared-state-address");
    }
}

#[test]
fn a_cycle_over_stacks_is_found() {
    let repo = repo(&[
        ("net/vpc", &needs(&["../../apps/web"])),
        ("apps/web", &needs(&["../../data/db"])),
        ("data/db", &needs(&["../../net/vpc"])),
    ]);
    repo.run(&["check"]).ends_with(1).says("dependency-cycle").says("web").says("db").says("vpc");
    repo.write("data/db/terragrunt.hcl", needs(&[])).commit("no cycle");
    repo.run(&["check"]).ends_with(0).hides("dependency-cycle");
    repo.run(&["diff", "HEAD..HEAD~1"]).ends_with(1).says("dependency-cycle");
}

#[test]
fn units_are_listed_behind_those_that_they_need() {
    let repo = repo(&[
        ("live/a", &needs(&["../m"])),
        ("live/m", &needs(&["../z"])),
        ("live/z", &needs(&[])),
        ("live/b", &needs(&[])),
        ("live/y", &needs(&["../x"])),
        ("live/x", &needs(&["../y"])),
    ]);
    for unit in ["a", "z", "b", "x", "y"] {
        repo.edit(&format!("live/{unit}/terragrunt.hcl"), "inputs = {", "inputs = {\n  y = 1");
    }
    repo.commit("head");
    let names = |list: &serde_json::Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|item| item["component"].as_str().unwrap().to_owned()).collect()
    };
    let list = |format: &str| repo.run(&["diff", "HEAD~1..HEAD", "--format", format, "--fail-on", "never"]);
    assert_eq!(names(&list("affected").json()), ["z", "a", "b", "y", "x"], "by way of m, which does not change");
    assert_eq!(names(&list("matrix").json()["include"]), ["z", "a", "b", "y", "x"]);
    assert_eq!(list("terragrunt-filter").stdout.lines().next(), Some("{./live/z}"));
}

#[test]
fn mocks_have_the_types_of_the_outputs() {
    let unit = |mock: &str| {
        format!(
            "dependency \"net\" {{\n  config_path = \"../net\"\n  mock_outputs = {{\n    id = {mock}\n  }}\n}}\ninputs = {{\n  x = dependency.net.outputs.id\n}}\n"
        )
    };
    let repo = repo(&[("live/net", &needs(&[])), ("live/app", &unit("[\"mock\"]"))]);
    repo.run(&["check"]).hides("terragrunt-mock-type");
    repo.write("live/app/terragrunt.hcl", unit("\"mock\"")).commit("head");
    let says = "the mock of id of dependency \"net\" is a string, and the output is a list";
    repo.run(&["check"]).ends_with(0).says("note[terragrunt-mock-type]").says(says);
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("note[terragrunt-mock-type]");
    repo.edit("code/app/main.tf", "[\"a\"]", "x_y.z.id");
    repo.run(&["check"]).hides("terragrunt-mock-type");
}

#[test]
fn files_beside_a_unit_and_scripts_of_hooks_are_a_part_of_what_it_runs() {
    let unit = |source: &str| {
        format!(
            "prevent_destroy = true\nterraform {{\n  source = \"{source}\"\n  before_hook \"x\" {{\n    commands = [\"apply\"]\n    \
             execute  = [\"${{get_repo_root()}}/scripts/x.sh\", \"a\"]\n  }}\n}}\n"
        )
    };
    for (source, module) in
        [("../../modules/m", "modules/m/main.tf"), ("git::https://example.com/m.git?ref=v1", "x.txt")]
    {
        let repo = Repo::new();
        repo.write("live/vpc/terragrunt.hcl", unit(source)).write(module, "resource \"x_y\" \"r\" {}\n");
        repo.write("live/vpc/.terraform.lock.hcl", "a = 1\n").write("live/vpc/extra.tf", "locals {\n  a = 1\n}\n");
        repo.write("scripts/x.sh", "one\n")
            .write("scripts/y.sh", "one\n")
            .write("live/vpc/README.md", "one\n")
            .commit("base");
        for (path, text, is_run) in [
            ("live/vpc/.terraform.lock.hcl", "a = 2\n", true),
            ("live/vpc/extra.tf", "locals {\n  a = 2\n}\n", true),
            ("scripts/x.sh", "two\n", true),
            ("scripts/y.sh", "two\n", false),
            ("live/vpc/README.md", "two\n", false),
        ] {
            repo.write(path, text).commit("edit");
            let run = repo.run(&["diff", "HEAD^..HEAD", "--exit-code"]).ends_with(if is_run { 3 } else { 0 });
            assert_eq!(run.stdout.contains("different code"), is_run, "{path}: {run}");
            let run = repo.run(&["diff", "HEAD^..HEAD", "--format", "matrix"]).ends_with(0);
            assert_eq!(run.stdout.contains("\"vpc\""), is_run, "{path}: {run}");
        }
        repo.edit("live/vpc/terragrunt.hcl", "destroy = true", "destroy = false").commit("unprotected");
        let run = repo.run(&["diff", "HEAD^..HEAD"]).ends_with(1);
        assert!(run.stdout.contains("danger[destroy-protection-removed]"), "{run}");
    }
}

/// Commands and hooks name scripts in several ways, and scripts name other files.
#[test]
fn what_commands_and_hooks_read_is_a_part_of_a_unit() {
    let repo = Repo::new();
    repo.write("root.hcl", "locals {\n  tool = \"${get_repo_root()}/tools/list.sh\"\n}\n");
    let unit = "include \"root\" {\n  path   = find_in_parent_folders(\"root.hcl\")\n  expose = true\n}\nterraform {\n  source = \"../../modules/m\"\n  before_hook \"h\" {\n    commands    = [\"plan\"]\n    execute     = [\"bash\", \"./hook.sh\"]\n    working_dir = \"${get_repo_root()}/scripts\"\n  }\n}\nlocals {\n  tool = include.root.locals.tool\n}\ninputs = {\n  a = run_cmd(\"bash\", \"${get_repo_root()}/scripts/a.sh\")\n  b = run_cmd(local.tool, \"x\")\n}\n";
    repo.write("live/u/terragrunt.hcl", unit);
    let other = "dependency \"u\" {\n  config_path = \"../u\"\n}\nterraform {\n  source = \"../../modules/m\"\n}\ninputs = {\n  a = dependency.u.outputs.a\n  b = 1\n}\n";
    repo.write("live/other/terragrunt.hcl", other);
    repo.write("modules/m/main.tf", "variable \"a\" {}\nvariable \"b\" {}\noutput \"a\" {\n  value = var.a\n}\n");
    let files = [
        ("scripts/a.sh", "cat ../data/a.txt\n", 1),
        ("data/a.txt", "1\n", 1),
        ("tools/list.sh", "true\n", 1),
        ("scripts/hook.sh", "cat more.txt\n", 1),
        ("scripts/more.txt", "1\n", 1),
        ("scripts/unread.sh", "true\n", 0),
        ("live/u/files/policy.json", "{}\n", 1),
        ("live/u/files/README.md", "text\n", 0),
        ("live/u/README.md", "text\n", 0),
        ("live/u/.hidden/x.txt", "text\n", 0),
    ];
    files.iter().for_each(|(path, text, _)| _ = repo.write(path, text));
    repo.commit("base");
    for (path, text, expected) in files {
        repo.write(path, format!("{text}\n"));
        let jobs = repo.run(&["diff", "--format", "matrix"]).json();
        assert_eq!(jobs["include"].as_array().unwrap().len(), expected, "{path}: {jobs}");
        let run = repo.run(&["diff"]).ends_with(0);
        assert_eq!(run.stdout.contains("No effective change."), expected == 0, "{path}: {run}");
        repo.git(&["checkout", "--quiet", "."]);
    }
}

/// A stack copies the folder of a unit, and so do runs of it.
#[test]
fn files_beside_the_source_of_a_generated_unit_are_a_part_of_it() {
    let repo = Repo::new();
    let stack = "unit \"u\" {\n  source = \"../../units/u\"\n  path   = \"u\"\n}\n";
    repo.write("live/s/terragrunt.stack.hcl", stack);
    repo.write("units/u/terragrunt.hcl", "terraform {\n  source = \"${get_repo_root()}/modules/m\"\n}\n");
    repo.write("units/u/policy.json", "{}\n").write("modules/m/main.tf", "locals {}\n").commit("base");
    repo.write("units/u/policy.json", "[]\n");
    let jobs = repo.run(&["diff", "--format", "matrix"]).json();
    assert_eq!(jobs["include"].as_array().unwrap().len(), 1, "{jobs}");
}

/// The file in the root that others include is no unit whose folder is copied, and scripts only speak of configuration.
#[test]
fn a_root_file_and_a_script_that_speaks_of_it_reach_nothing_more() {
    let repo = Repo::new();
    repo.write("terragrunt.hcl", "locals {\n  cmd = run_cmd(\"python3\", \"${get_parent_terragrunt_dir()}/locals.py\")\n}\nterraform {\n  extra_arguments \"x\" {\n    commands = [\"plan\"]\n  }\n}\nremote_state {\n  backend = \"s3\"\n  config = {\n    key = local.cmd\n  }\n}\n");
    repo.write("locals.py", "# Called from terragrunt.hcl, reads account.json.\n").write("live/account.json", "{}\n");
    let unit = "include {\n  path = find_in_parent_folders()\n}\nterraform {\n  source = \"../../modules//m\"\n}\ninputs = {\n  a = 1\n}\n";
    repo.write("live/u/terragrunt.hcl", unit)
        .write("modules/m/main.tf", "variable \"a\" {}\n")
        .write("charts/x.yaml", "a: 1\n");
    repo.commit("base");
    repo.write("charts/x.yaml", "a: 2\n");
    repo.run(&["diff"]).ends_with(0).says("No effective change.");
    repo.write("modules/m/main.tf", "variable \"a\" {}\nlocals {\n  b = 1\n}\n");
    let run = repo.run(&["diff"]).ends_with(0);
    assert!(!run.stdout.contains("remote_state"), "{run}");
    repo.write("live/account.json", "[]\n");
    let run = repo.run(&["diff"]);
    assert!(run.stdout.contains("remote_state.config.key"), "{run}");
}

#[test]
fn a_stack_from_elsewhere_is_known_by_its_source_and_values() {
    let repo = Repo::new();
    let stack = |version: &str| {
        format!(
            "stack \"app\" {{\n  source = \"github.com/acme/catalog//stacks/app?ref={version}\"\n  path   = \"app\"\n  \
             values = {{\n    size = 1\n  }}\n}}\n"
        )
    };
    repo.write("live/terragrunt.stack.hcl", stack("v1")).commit("base");
    repo.run(&["check"]).ends_with(0).says("checked 1 stack, 1 component");
    repo.write("live/terragrunt.stack.hcl", stack("v2")).commit("another version");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("~ source").says("ref=v2").says("result not known");
    let filter = repo.run(&["diff", "HEAD~1..HEAD", "--format", "terragrunt-filter"]).ends_with(0).stdout.clone();
    assert_eq!(filter, "{./live/.terragrunt-stack/app/**}\n");
    repo.write("dev/terragrunt.stack.hcl", stack("v2")).commit("another stack");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("+ component added: app of dev");
}

#[test]
fn an_include_that_git_ignores_is_not_known() {
    let repo = Repo::new();
    let unit = |more: &str| {
        format!(
            "include \"secrets\" {{\n  path           = find_in_parent_folders(\"secrets.hcl\")\n  expose         = true\n{more}}}\n\
             inputs = {{\n  size  = 1\n  token = include.secrets.locals.token\n  \
             key   = path_relative_to_include(\"secrets\")\n}}\n"
        )
    };
    let unmerged = unit("  merge_strategy = \"no_merge\"\n");
    repo.write(".gitignore", "secrets.hcl\n").write("live/app/terragrunt.hcl", &unmerged).commit("base");
    let run = repo.run(&["check"]).ends_with(0);
    run.says("git ignores it").hides("no attribute").says("checked 1 stack, 1 component");
    let shown = repo.run(&["describe", "component", "app", "-s", "live", "--format", "json"]).json();
    assert_eq!(shown["inputs"]["size"], 1);
    for unknown in ["token", "key"] {
        assert!(shown["inputs"][unknown].get("$unknown").is_some(), "{shown}");
    }
    repo.edit("live/app/terragrunt.hcl", "size  = 1", "size  = 2").commit("a value beside it");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("inputs.size").hides("token");
    // What is merged could replace everything.
    repo.write("live/app/terragrunt.hcl", unit("")).commit("merged");
    repo.run(&["check"]).hides("no attribute").says("git ignores it");
}

#[test]
fn an_argument_that_was_removed_says_what_replaces_it() {
    let repo = Repo::new();
    repo.write("live/app/terragrunt.hcl", "skip = true\nretry_max_attempts = 3\n").commit("base");
    repo.run(&["check"]).ends_with(1).says("use an exclude block").says("use an errors block");
}

#[test]
fn code_that_does_not_resolve_leaves_the_units_beside_it() {
    let repo = Repo::new();
    repo.write("root.hcl", "locals {\n  account = read_terragrunt_config(find_in_parent_folders(\"none.hcl\"))\n}\n");
    let unit =
        "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\nterraform {\n  source = \".\"\n}\n";
    for name in ["a", "b"] {
        repo.write(&format!("live/{name}/terragrunt.hcl"), unit);
        repo.write(&format!("live/{name}/main.tf"), "variable \"size\" {\n  type = string\n}\n");
    }
    repo.edit("live/b/main.tf", "string", "\"string\"").commit("base");
    repo.edit("live/a/main.tf", "string", "number").commit("code of the other one");
    // What is wrong in the shared file is wrong for both, and is not why.
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    let run = run.says("1 stack resolves on neither side and is not compared: live/b: invalid quoted type constraints");
    run.says("live/b/main.tf:2").says("live/a");
    repo.run(&["check"]).ends_with(1).says("1 stack does not resolve: live/b\n");
}

#[test]
fn code_beside_a_generated_unit_is_known_though_git_ignores_the_copy() {
    let repo = Repo::new();
    repo.write(".gitignore", ".terragrunt-stack/\n");
    repo.write("live/terragrunt.stack.hcl", "unit \"app\" {\n  source = \"../units/app\"\n  path   = \"app\"\n}\n");
    repo.write("units/app/terragrunt.hcl", "inputs = {\n  size = 1\n}\n");
    let code = "variable \"size\" {}\nmodule \"part\" {\n  source = \"./part\"\n}\n\
                resource \"x_thing\" \"a\" {\n  size = var.size\n}\n";
    repo.write("units/app/main.tf", code);
    repo.write("units/app/part/main.tf", "resource \"x_thing\" \"b\" {\n  name = \"b\"\n}\n").commit("base");
    repo.run(&["check"]).ends_with(0).says("No findings");
    repo.edit("units/app/main.tf", "= var.size", "= 2").commit("an argument");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    run.says("in x_thing.a of live/app").says("units/app changed (main.tf)");
    // What the copy calls is a part of it.
    repo.write("units/app/part/script.sh", "a")
        .write("units/app/part/main.tf", "locals {\n  a = 1\n}\n")
        .commit("called code");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("units/app changed (part/main.tf");
    repo.edit("units/app/terragrunt.hcl", "size = 1", "size = 1\n  none = 2").commit("an input that the code has not");
    repo.run(&["check"]).says("`none`");
}

#[test]
fn a_unit_that_is_elsewhere_may_read_what_lies_above_it() {
    let repo = Repo::new();
    let root = "locals {\n  env = yamldecode(file(find_in_parent_folders(\"env.yaml\")))\n  names = \
                yamldecode(file(\"${get_repo_root()}/shared/names.yaml\"))\n}\n";
    repo.write("root.hcl", root).write("renovate.json", "{}").write("shared/names.yaml", "a: 1\n");
    repo.write("prod/env.yaml", "size: 1\n").write("stage/env.yaml", "size: 1\n").write("stage/account.hcl", "");
    let stack = "unit \"db\" {\n  source = \"git::https://example.com/x.git//units/db?ref=v1\"\n  path   = \"db\"\n}\n";
    repo.write("prod/live/terragrunt.stack.hcl", stack).commit("base");
    for (path, before, after, is_reached) in [
        ("root.hcl", "locals {", "locals {\n  b = 1", true),
        ("prod/env.yaml", "size: 1", "size: 2", true),
        ("shared/names.yaml", "a: 1", "a: 2", true),
        ("stage/env.yaml", "size: 1", "size: 2", false),
        ("stage/account.hcl", "", "locals {}\n", false),
        ("renovate.json", "{}", "{\"a\": 1}", false),
    ] {
        if before.is_empty() { repo.write(path, after) } else { repo.edit(path, before, after) }.commit(path);
        let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
        if is_reached {
            run.says("inputs").says(&format!("{path}:")).says("prod/live").hides("no edited line");
        } else {
            run.says("No effective change");
        }
    }
    let run = repo.run(&["diff", "HEAD~6..HEAD~5", "--format", "affected"]).ends_with(0);
    run.says("db");
    // A file that comes is a nearer one.
    repo.write("prod/root.hcl", "").commit("a nearer root");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("prod/root.hcl");
}

#[test]
fn files_that_inputs_of_code_elsewhere_name_are_a_part_of_it() {
    let repo = Repo::new();
    let inputs = "  policy = \"${get_repo_root()}/policies/p.json\"\n  sources = [\"${get_repo_root()}/src\"]\n  \
                  root = get_repo_root()\n  late = \"${local.x}/late/l.json\"\n";
    let unit = format!(
        "locals {{\n  x = get_env(\"X\")\n}}\nterraform {{\n  source = \"tfr:///acme/app/aws?version=1.0.0\"\n}}\ninputs = {{\n{inputs}}}\n"
    );
    repo.write("live/a/terragrunt.hcl", unit);
    let files = ["policies/p.json", "src/main.py", "late/l.json", "notes/n.txt"];
    files.iter().for_each(|path| _ = repo.write(path, "1\n"));
    repo.commit("base");
    for path in files {
        repo.write(path, "2\n").commit(path);
        let run = repo.run(&["diff", "HEAD~1..HEAD"]);
        assert_eq!(
            run.stdout.contains("1 component in 1 stack runs different code"),
            path != "notes/n.txt",
            "{path}: {run}"
        );
    }
}

#[test]
fn unknown_texts_are_shown_as_they_are_written() {
    let repo = Repo::new();
    let unit = "inputs = {\n  a = run_cmd(\"x\") ==  \"y\" ? max(1,2) : 1\n}\n";
    repo.write("u/terragrunt.hcl", unit).commit("base");
    repo.edit("u/terragrunt.hcl", " : 1", " : 3").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    run.says("run_cmd(\"x\") == \"y\" ? max(1, 2) : 1").says("run_cmd(\"x\") == \"y\" ? max(1, 2) : 3");
    repo.edit("u/terragrunt.hcl", "max(1,2)", "max( # of both\n 1, 2)").commit("layout");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("No effective change.");
    // An object in one line says the same as one over several.
    let of = |object: &str| format!("inputs = {{\n  a = merge(jsondecode(run_cmd(\"x\")), {object})\n}}\n");
    repo.write("u/terragrunt.hcl", of("{ b = 1, c = [2] }")).commit("merge");
    repo.write("u/terragrunt.hcl", of("{\n    b = 1\n    c = [\n      2,\n    ]\n  }")).commit("layout");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("No effective change.");
}

#[test]
fn comments_of_a_unit_beside_code_are_no_code() {
    let repo = Repo::new();
    repo.write("u/main.tf", "variable \"a\" {}\n").write("u/terragrunt.hcl", "inputs = {\n  a = 1\n}\n").commit("base");
    repo.edit("u/terragrunt.hcl", "a = 1", "a   = 1 # the first").commit("comment");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("No effective change.");
    repo.edit("u/terragrunt.hcl", "inputs", "prevent_destroy = true\ninputs").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).hides("No effective change.");
}

#[test]
fn a_searched_file_whose_name_is_computed_is_one_of_those_called_so() {
    let repo = Repo::new();
    let root = "locals {\n  kind = get_env(\"KIND\")\n  backend = read_terragrunt_config(find_in_parent_folders(\"backend_${local.kind}.hcl\"))\n}\n\
                inputs = {\n  b = local.backend.locals.b\n}\n";
    repo.write("live/root.hcl", root)
        .write("live/backend_a.hcl", "locals {\n  b = 1\n}\n")
        .write("live/other.hcl", "# 1\n");
    repo.write("live/u/terragrunt.hcl", "include {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n").commit("base");
    repo.write("live/other.hcl", "# 2\n").write("notes.txt", "1\n").commit("other");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("No effective change");
    repo.write("live/backend_a.hcl", "locals {\n  b = 2\n}\n").commit("a backend");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("live/backend_a.hcl").hides("No effective change");
    repo.write("live/u/backend_b.hcl", "locals {\n  b = 2\n}\n").commit("another one");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("backend_b.hcl").hides("No effective change");
}

#[test]
fn a_searched_file_that_is_not_there_is_none_of_the_others() {
    let repo = Repo::new();
    let file = "\"${get_terragrunt_dir()}/${find_in_parent_folders(\"account.yaml\")}\"";
    repo.write(
        "live/u/terragrunt.hcl",
        format!("locals {{\n  a = yamldecode(file({file}))\n}}\ninputs = {{\n  a = local.a.id\n}}\n"),
    );
    repo.write("live/v/terragrunt.hcl", "inputs = {\n  a = 1\n}\n").commit("base");
    repo.write("live/v/terragrunt.hcl", "inputs = {\n  a = 2\n}\n").commit("another unit");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("in v of live").hides("u of live");
    repo.write("live/account.yaml", "id: 1\n").commit("the file");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("u of live");
}

#[test]
fn an_edit_below_or_beside_unknown_values_is_a_change() {
    let common = "locals {\n  a = run_cmd(\"a\")\n  b = run_cmd(\"b\")\n  other = 1\n}\n";
    let unit = "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n  merge_strategy = \"deep\"\n}\nlocals {\n  common = read_terragrunt_config(find_in_parent_folders(\"common.hcl\"))\n}\ninputs = {\n  zones = run_cmd(\"zones\")\n  name = local.common.locals.a\n}\n";
    let repo = repo(&[("live/app", unit)]);
    repo.write("root.hcl", "inputs = {\n  zones = [\"z1\"]\n}\n").write("common.hcl", common).commit("base");
    repo.edit("live/app/terragrunt.hcl", "locals.a", "locals.b").commit("another value of a file that is read");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("inputs.name  run_cmd(\"a\") → run_cmd(\"b\")");
    repo.edit("root.hcl", "z1", "z2").commit("a list below one that is not known");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("inputs.zones");
    repo.edit("common.hcl", "other = 1", "other = 2").commit("a value beside");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("locals.common.locals.other").hides("inputs.");
}

#[test]
fn the_reason_is_one_of_the_unit_that_could_not_be_resolved() {
    let broken = "inputs = {\n";
    let repo = repo(&[("live/a", broken), ("live/b", broken)]);
    repo.write("live/b/terragrunt.hcl", "inputs = {\n  x = 1\n}\n").commit("one is repaired");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    run.says("`live/b` cannot be resolved in the older revision").says("--> live/b/terragrunt.hcl:1:10");
}

#[test]
fn a_source_that_is_not_there_is_an_error() {
    let repo = repo(&[("live/a", &needs(&[]))]);
    repo.write("code/net/main.tf", CODE).commit("more code");
    repo.run(&["check"]).ends_with(0);
    repo.remove("code/app/main.tf").commit("the code is gone");
    for command in [["check"].as_slice(), &["diff", "HEAD~1..HEAD"]] {
        let run = repo.run(command).ends_with(1).says("missing-component-directory").says("live/a/terragrunt.hcl:2");
        run.says("leads to code/app, which does not exist");
    }
    // What is fetched, generated or elsewhere is not known to be missing.
    for source in
        ["git::https://example.com/app.git//app?ref=v1", "../../../code/app", "../../.terragrunt-stack/app", ""]
    {
        repo.write("live/a/terragrunt.hcl", format!("terraform {{\n  source = \"{source}\"\n}}\n"));
        repo.run(&["check"]).ends_with(0).hides("missing-component-directory");
    }
    repo.write("live/a/terragrunt.hcl", needs(&[])).write(".gitignore", "/code/app/\n").commit("ignored");
    repo.run(&["check"]).hides("missing-component-directory");
    // The folder of what others include is not where its code is looked for.
    let by_name = "terraform {\n  source = \"${get_repo_root()}/code/${basename(get_terragrunt_dir())}\"\n}\n";
    repo.write("live/terragrunt.hcl", by_name).remove(".gitignore").remove("live/a/terragrunt.hcl");
    repo.write("live/app/terragrunt.hcl", "include {\n  path = find_in_parent_folders()\n}\n");
    repo.write("code/app/main.tf", CODE).commit("a common source");
    repo.run(&["check"]).hides("missing-component-directory");
    // All code may come from elsewhere.
    repo.write("live/a/terragrunt.hcl", needs(&[]))
        .remove("code/app/main.tf")
        .remove("code/net/main.tf")
        .commit("no code");
    repo.run(&["check"]).hides("missing-component-directory");
}
