//! Dangers that depend on what is not known: it is neither the same nor absent.

use crate::common::{ATMOS, Repo, Run};

const UNIT: &str = "terraform {\n  source = \"../../modules/web\"\n}\n";
const CODE: &str = "resource \"aws_s3_bucket\" \"logs\" {\n  bucket = \"logs\"\n}\n";

/// The difference between two texts of a file, with the others beside it.
pub(crate) fn diff(path: &str, [before, after]: [&str; 2], others: &[(&str, &str)]) -> Run {
    let repo = Repo::new();
    for (path, text) in others {
        repo.write(path, text);
    }
    repo.write(path, before).commit("base");
    repo.write(path, after).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"])
}

/// The difference of a unit of Terragrunt with local code.
fn diff_unit(before: &str, after: &str) -> Run {
    let texts = [before, after].map(|text| format!("{UNIT}{text}"));
    diff("live/web/terragrunt.hcl", [&texts[0], &texts[1]], &[("modules/web/main.tf", CODE)])
}

fn diff_code(before: &str, after: &str) -> Run {
    diff("main.tf", [before, after], &[])
}

fn remote_state(config: &str) -> String {
    format!("remote_state {{\n  backend = \"s3\"\n  config = {config}\n}}\n")
}

fn keyed(key: &str) -> String {
    remote_state(&format!("{{\n    bucket = \"a\"\n    key    = {key}\n  }}"))
}

#[test]
fn a_state_whose_place_is_not_known_may_move() {
    let account = "\"a-${get_aws_account_id()}\"";
    for (before, after, says) in [
        ("\"a\"", account, "`remote_state.config.key` `a` →"),
        (account, "\"a\"", "→ `a`"),
        (account, "\"b-${get_aws_account_id()}\"", "→ `\"b-${get_aws_account_id()}\"`"),
    ] {
        let run = diff_unit(&keyed(before), &keyed(after));
        run.ends_with(1).says("danger[state-address-changed]: `web` in `live` may use another state").says(says);
    }
    let prefixed = |prefix: &str| format!("locals {{\n  prefix = \"{prefix}\"\n}}\n");
    let key = keyed("\"${local.prefix}-${get_aws_account_id()}\"");
    let run = diff_unit(&(prefixed("a") + &key), &(prefixed("b") + &key));
    run.ends_with(1).says("may use another state").says("(it reads `local.prefix`, which differs)");
    // One part that is known to differ is enough.
    let run = diff_unit(&keyed(account), &keyed("\"b\"").replace("\"a\"", "\"z\""));
    run.ends_with(1).says("will use another state");
    diff_unit(&keyed(account), &format!("{}inputs = {{}}\n", keyed(account))).ends_with(0).hides("danger[");
}

#[test]
fn a_configuration_of_an_unknown_path_is_no_code() {
    let key = "locals {\n  file = get_env(\"FILE\")\n  all  = read_terragrunt_config(\"${get_repo_root()}/${local.file}\").locals\n}\n";
    let unit = format!("{UNIT}{key}{}", keyed("local.all.key"));
    let run = |path: &str, before: &str, after: &str| {
        let beside = [("modules/web/main.tf", CODE), ("live/web/terragrunt.hcl", &*unit)];
        diff(path, [before, after], &beside)
    };
    for code in ["modules/web/variables.tf", "modules/web/NOTES.md", "rules/kafka.json"] {
        run(code, "# one\n", "# two\n").ends_with(0).hides("another state");
    }
    for configuration in ["values/prod.hcl", "values/prod.hcl.json", "values/prod"] {
        let run = run(configuration, "{}", "{ }");
        run.ends_with(1).says("may use another state").says("(it reads `local.all.key`, which differs)");
    }
}

#[test]
fn a_file_of_an_unknown_path_is_no_code() {
    let unit = |path: &str| format!("{UNIT}{}", keyed(&format!("file({path})")));
    let run = |unit: &str, path: &str| {
        diff(path, ["# a\n", "# b\n"], &[("modules/web/main.tf", CODE), ("live/web/terragrunt.hcl", unit)])
    };
    let any = unit("get_env(\"KEY\")");
    run(&any, "modules/web/more.tf").ends_with(0).hides("danger[");
    run(&any, "other/more.hcl").ends_with(0).hides("danger[");
    run(&any, "keys/a.txt").ends_with(1).says("it reads `keys/a.txt`, which differs");
    // Its name says that it is.
    let named = unit("\"${get_env(\"FOLDER\")}/more.tf\"");
    run(&named, "modules/web/more.tf").ends_with(1).says("may use another state");
}

#[test]
fn a_merged_setting_is_that_of_the_file_that_has_it() {
    let account = |more: &str| format!("locals {{\n  id = get_env(\"ACCOUNT\")\n{more}}}\n");
    let region = "locals {\n  region = \"a\"\n}\n";
    let unit = |merge: &str| {
        let read = |name: &str| format!("read_terragrunt_config(find_in_parent_folders(\"{name}.hcl\"))");
        let locals = format!("  account = {}\n  region = {}\n", read("account"), read("region"));
        format!("{UNIT}locals {{\n{locals}  all = merge({merge})\n}}\n{}", keyed("\"${local.all.id}/b\""))
    };
    for merge in ["local.account.locals, local.region.locals", "local.region.locals, local.account.locals, null"] {
        let unit = unit(merge);
        let run = |path: &str, before: &str, after: &str| {
            let (account, code) = (account("  more = 1\n"), ("modules/web/main.tf", CODE));
            let files = [("account.hcl", &*account), ("region.hcl", region), ("live/web/terragrunt.hcl", &*unit), code];
            let others: Vec<(&str, &str)> = files.into_iter().filter(|(other, _)| *other != path).collect();
            diff(path, [before, after], &others)
        };
        run("account.hcl", &account("  more = 1\n"), &account("  more = 2\n")).ends_with(0).hides("danger[");
        run("account.hcl", &account("  more = 1\n"), &account("")).ends_with(0).hides("danger[");
        let other = account("").replace("ACCOUNT", "OTHER");
        run("account.hcl", &account(""), &other).ends_with(1).says("may use another state");
        let given = region.replace("region =", "id =");
        let run = run("region.hcl", region, &given);
        // The last one with the key gives it.
        if merge.starts_with("local.account") {
            run.ends_with(1).says("another state");
        } else {
            run.ends_with(0).hides("danger[");
        }
    }
}

#[test]
fn a_configuration_that_is_not_found_is_no_other_one() {
    let key = "locals {\n  region = read_terragrunt_config(find_in_parent_folders(\"region.hcl\")).locals.name\n}\n";
    let unit = format!("{UNIT}{key}{}", keyed("local.region"));
    let others = [("modules/web/main.tf", CODE), ("live/web/terragrunt.hcl", &*unit)];
    let region = "locals {\n  name = \"a\"\n}\n";
    let elsewhere = diff("other/region.hcl", [region, &region.replace("\"a\"", "\"b\"")], &others);
    elsewhere.ends_with(0).hides("danger[");
    diff("live/region.hcl", ["locals {}\n", region], &others).ends_with(1).says("another state");
}

#[test]
fn settings_that_are_not_known_as_a_whole_are_not_gone() {
    let (known, unknown) = (keyed("\"a\""), remote_state("jsondecode(run_cmd(\"./config\"))"));
    let run = diff_unit(&known, &unknown);
    run.ends_with(1).says("may use another state: `remote_state.config` is not known").hides("is gone");
    let run = diff_unit(&unknown, &known);
    run.ends_with(1).says("may use another state: `remote_state.config` was not known").hides("is new");
    let run = diff_unit(&unknown, &unknown.replace("./config", "./other"));
    run.ends_with(1).says("may use another state: `remote_state.config` is not known");
}

#[test]
fn the_first_backend_of_a_unit_is_a_danger() {
    let block = "  backend \"s3\" {\n    bucket = \"a\"\n    key    = \"web\"\n  }\n";
    let generated = format!(
        "generate \"b\" {{\n  path = \"b.tf\"\n  if_exists = \"overwrite\"\n  contents = <<EOF\nterraform {{\n{block}}}\nEOF\n}}\n"
    );
    for own in [keyed("\"web\""), generated] {
        let run = diff_unit("", &own);
        run.ends_with(1).says("danger[state-address-changed]").says("backend `s3` is new; the state was kept beside");
        diff_unit(&own, "").ends_with(1).says("danger[state-address-changed]").says("backend `s3` is gone");
    }
    let code = format!("terraform {{\n{block}}}\n{CODE}");
    let run = diff("modules/web/main.tf", [CODE, &code], &[("live/web/terragrunt.hcl", UNIT)]);
    run.ends_with(1).says("danger[state-address-changed]").says("backend `s3` is new; the state was kept beside");
    // A local state without settings is where it was.
    let local = "remote_state {\n  backend = \"local\"\n  config = {}\n}\n";
    diff_unit("", local).ends_with(0).hides("danger[");
    // A unit that is new has no state yet.
    let repo = Repo::new();
    repo.write("modules/web/main.tf", CODE).commit("base");
    repo.write("live/web/terragrunt.hcl", UNIT.to_owned() + &keyed("\"web\"")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("danger[");
}

#[test]
fn a_setting_that_a_backend_gets_or_loses_may_move_the_state() {
    let state = |prefix: &str| {
        format!("remote_state {{\n  backend = \"gcs\"\n  config = {{\n    bucket = \"a\"\n{prefix}  }}\n}}\n")
    };
    for [before, after] in [["", "    prefix = \"web\"\n"], ["    prefix = \"web\"\n", ""]] {
        let run = diff_unit(&state(before), &state(after));
        run.ends_with(1).says("danger[state-address-changed]").says("may use another state").says("prefix");
    }
}

#[test]
fn a_state_that_was_encrypted_with_what_is_not_known_cannot_be_read_without_it() {
    let encryption = |passphrase: &str, method: &str, state: &str| {
        format!(
            "variable \"p\" {{\n  sensitive = true\n}}\nvariable \"q\" {{\n  sensitive = true\n}}\nterraform {{\n  encryption {{\n    \
             key_provider \"pbkdf2\" \"k\" {{\n      passphrase = {passphrase}\n    }}\n    method \"unencrypted\" \"n\" {{}}\n    \
             method \"aes_gcm\" \"{method}\" {{\n      keys = key_provider.pbkdf2.k\n    }}\n    \
             state {{\n      method = method.{state}\n    }}\n  }}\n}}\n"
        )
    };
    let old = encryption("var.p", "m", "aes_gcm.m");
    let run = diff_code(&old, &encryption("var.p", "m", "unencrypted.n"));
    run.ends_with(1).says("danger[encryption-method-removed]").says("cannot decrypt its state");
    let run = diff_code(&old, "variable \"p\" {\n  sensitive = true\n}\n");
    run.ends_with(1).says("danger[encryption-method-removed]").says("cannot decrypt its state");
    let run = diff_code(&old, &encryption("var.q", "m", "aes_gcm.m"));
    let run = run.ends_with(1).says("may not decrypt its state: `method.aes_gcm.m` has different keys");
    run.says("passphrase  ${var.p} → ${var.q}");
    // The state does not name the method that encrypted it.
    diff_code(&old, &encryption("var.p", "renamed", "aes_gcm.renamed")).ends_with(0).hides("danger[");
}

#[test]
fn terragrunt_encrypts_the_state_without_a_fallback() {
    let unit = |encryption: &str, input: &str| {
        let state = remote_state("{\n    bucket = \"a\"\n    key = \"b\"\n  }");
        let file = "  generate = {\n    path = \"backend.tf\"\n    if_exists = \"overwrite\"\n  }\n";
        let state = state.strip_suffix("}\n").unwrap();
        format!("{state}{file}{encryption}}}\ninputs = {{\n  i = {input}\n}}\n")
    };
    let by = |key: &str| format!("  encryption = {{\n    key_provider = \"pbkdf2\"\n    passphrase = {key}\n  }}\n");
    let (one, two) = (by("\"correct-horse-battery\""), by("\"staple-correct-horse\""));
    let lost = "danger[encryption-method-removed]: `web` in `live` cannot decrypt its state";
    for (before, after) in [(&*one, &*two), (&one, ""), ("", &one)] {
        diff_unit(&unit(before, "1"), &unit(after, "1")).ends_with(1).says(lost);
    }
    let given = by("get_env(\"KEY\")");
    for (before, after) in [(&one, &given), (&given, &one), (&given, &by("get_env(\"OTHER\")"))] {
        diff_unit(&unit(before, "1"), &unit(after, "1")).ends_with(1).says("`web` in `live` may not decrypt its state");
    }
    for same in [&one, &given] {
        diff_unit(&unit(same, "1"), &unit(same, "2")).ends_with(0).says("inputs.i").hides("danger[");
    }
}

#[test]
fn what_repeats_a_resource_is_compared_where_its_instances_are_not_known() {
    let code = |repeat: &str| format!("variable \"n\" {{}}\nresource \"aws_s3_bucket\" \"b\" {{\n  {repeat}\n}}\n");
    let run = diff_code(&code("count = var.n"), &code("count = var.n - 1"));
    run.ends_with(0).says("count  ${var.n} → ${var.n - 1}  in aws_s3_bucket.b[*]");
    let run = diff_code(&code("for_each = toset(concat(var.n, [\"a\"]))"), &code("for_each = toset(var.n)"));
    run.ends_with(0).says("for_each  ${toset(concat(var.n, [\"a\"]))} → ${toset(var.n)}  in aws_s3_bucket.b[*]");
}

#[test]
fn a_version_that_cannot_be_computed_is_not_absent() {
    let call = |version: &str| {
        format!(
            "variable \"v\" {{}}\nmodule \"m\" {{\n  source  = \"hashicorp/consul/aws\"\n  version = {version}\n}}\n"
        )
    };
    let run = diff_code(&call("\"1.0.0\""), &call("var.v"));
    let run = run.ends_with(1).says("version  \"1.0.0\" → ${var.v}");
    run.says("warning[value-became-unknown]: `version`").hides("provider-or-version-widened");
}

/// A unit with this source, these inputs and these other blocks, and its module.
fn diff_sources([before, after]: [&str; 2]) -> Run {
    let others = [("modules/web/main.tf", CODE), ("modules/app/main.tf", "output \"a\" {\n  value = 1\n}\n")];
    let texts = [before, after].map(|source| format!("terraform {{\n  source = \"{source}\"\n}}\n"));
    diff("live/web/terragrunt.hcl", [&texts[0], &texts[1]], &others)
}

#[test]
fn resources_of_code_that_cannot_be_read_are_neither_removed_nor_added() {
    let (known, unknown) = ("../../modules/web", "../../modules/${get_env(\\\"M\\\")}".replace('\\', ""));
    for other in [&*unknown, "git::https://example.com/web.git?ref=v1.0.0"] {
        for sources in [[known, other], [other, known]] {
            let run = diff_sources(sources).hides("component removed").hides("component added");
            let run =
                run.says("terraform.source").says("without the code of live/web, which is elsewhere or not known");
            match sources[0] == known {
                true => run.ends_with(1).says("may be removed: its code is elsewhere, or not known"),
                false => run.ends_with(0).hides("aws_s3_bucket.logs"),
            };
        }
    }
    // Of code that is known to be another one, they are.
    diff_sources([known, "../../modules/app"]).ends_with(1).says("danger[component-removed]").hides("not known");
}

#[test]
fn resources_of_modules_that_cannot_be_read_are_neither_removed_nor_added() {
    let call = |source: &str| format!("module \"m\" {{\n  source = \"{source}\"\n}}\n");
    let nested = "module \"n\" {\n  count  = 2\n  source = \"./n\"\n}\n";
    let (local, remote) = ("./m", "git::https://example.com/m.git?ref=v1.0.0");
    let backend = "terraform {\n  backend \"s3\" {}\n}\n";
    // What another one calls is no root module.
    let another = format!("{backend}{}", call("../a/m"));
    let stack = ("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {web: {}}}\n");
    let of_systems = [
        ("a/", vec![("b/main.tf", &*another)]),
        ("modules/web/", vec![("live/web/terragrunt.hcl", UNIT)]),
        ("components/terraform/web/", vec![("atmos.yaml", ATMOS), stack]),
    ];
    for (folder, others) in of_systems {
        let (inner, deeper) = (format!("{folder}m/main.tf"), format!("{folder}m/n/main.tf"));
        let others = [&others[..], &[(&*inner, nested), (&*deeper, CODE)]].concat();
        for [before, after] in [[local, remote], [remote, local]] {
            let texts = [before, after].map(|source| format!("{backend}{}", call(source)));
            let run = diff(&format!("{folder}main.tf"), [&texts[0], &texts[1]], &others);
            let run = run.hides("component removed").hides("is removed").hides("are removed");
            let run = run.says("without the code of module.m, which is elsewhere or not known");
            match before == local {
                true => run.ends_with(1).says("may be removed: the code of `module.m` is elsewhere, or not known"),
                false => run.ends_with(0).hides("danger["),
            };
        }
    }
}

#[test]
fn inputs_that_are_not_known_may_set_any_variable() {
    let code =
        "variable \"name\" {\n  default = \"logs\"\n}\nresource \"aws_s3_bucket\" \"b\" {\n  bucket = var.name\n}\n";
    let unit = |inputs: &str| format!("{UNIT}inputs = {inputs}\n");
    let others = [("modules/web/main.tf", code)];
    let path = "live/web/terragrunt.hcl";
    let run = diff(path, [&unit("{}"), &unit("jsondecode(run_cmd(\"./inputs\"))")], &others).ends_with(0);
    run.says("bucket  \"logs\" → ${var.name}").says("warning[value-became-unknown]");
    let run =
        diff(path, [&unit("merge({ name = \"a\" }, jsondecode(run_cmd(\"a\")))"), &unit("{}")], &others).ends_with(0);
    run.says("bucket  ${var.name} → \"logs\"");
}

#[test]
fn encryption_that_is_generated_for_a_remote_source_must_stay_readable() {
    let unit = |generated: &str| {
        format!("terraform {{\n  source = \"git::https://example.com/web.git?ref=v1.0.0\"\n}}\n{generated}")
    };
    let encryption = "generate \"e\" {\n  path      = \"e.tf\"\n  if_exists = \"overwrite\"\n  contents  = <<EOF\nterraform {\n  encryption                       {\n    key_provider \"pbkdf2\" \"k\" {\n      passphrase = \"correct-horse-battery\"\n    }\n                          method \"aes_gcm\" \"m\" {\n      keys = key_provider.pbkdf2.k\n    }\n                          state {\n      method = method.aes_gcm.m\n    }\n  }\n}\nEOF\n}\n";
    let run = diff("live/web/terragrunt.hcl", [&unit(encryption), &unit("")], &[]).ends_with(1);
    run.says("danger[encryption-method-removed]").says("cannot decrypt its state");
}

#[test]
fn a_provider_with_the_name_of_a_module_that_cannot_be_read_is_compared() {
    let provider = "provider \"aws\" {\n  alias  = \"eu\"\n  region = \"eu-west-1\"\n}\n";
    let call = "module \"aws\" {\n  source = \"git::https://example.com/aws.git?ref=v1.0.0\"\n}\n";
    diff_code(&format!("{call}{provider}"), call).ends_with(0).says("component removed: aws.eu");
}

#[test]
fn a_module_that_a_generated_file_calls_is_named_where_its_text_is_written() {
    let generate = |source: &str| {
        let call = format!("module \"m\" {{\n  source = \"{source}\"\n}}\n");
        format!(
            "generate \"g\" {{\n  path      = \"g.tf\"\n  if_exists = \"overwrite\"\n  contents  = <<EOF\n{call}EOF\n}}\n"
        )
    };
    let texts =
        ["./m", "git::https://example.com/m.git?ref=v1.0.0"].map(|source| format!("{UNIT}{}", generate(source)));
    let others = [("modules/web/main.tf", "locals {}\n"), ("modules/web/m/main.tf", CODE)];
    let run = diff("live/web/terragrunt.hcl", [&texts[0], &texts[1]], &others).ends_with(1);
    run.says("may be removed: the code of `module.m` is elsewhere, or not known").says("live/web/terragrunt.hcl:7");
}
