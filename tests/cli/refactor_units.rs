//! `refactor` in the files of Terragrunt: expressions stay as they are written.

use crate::common::Repo;
use crate::refactor::{proved, read, refused};

const ROOT: &str = "remote_state {\n  backend = \"s3\"\n  config = {\n    bucket = \"b\"\n    key    = \
                    \"${path_relative_to_include()}/terraform.tfstate\"\n  }\n}\n\ninputs = {\n  owner = \"net\"\n}\n";

/// A unit that includes the root, with more blocks and inputs.
fn unit(blocks: &str, inputs: &str) -> String {
    format!(
        "# The unit.\ninclude \"root\" {{\n  path = find_in_parent_folders(\"root.hcl\")\n}}\n\nterraform {{\n  source = \
         \"../../../modules/app\"\n}}\n{blocks}\ninputs = {{\n{inputs}}}\n"
    )
}

const DEV: &str = "live/dev/app/terragrunt.hcl";
const PROD: &str = "live/prod/app/terragrunt.hcl";

fn repo(dev: &str, prod: &str) -> Repo {
    let repo = Repo::new();
    let code = "variable \"size\" {}\nvariable \"owner\" {}\nvariable \"tags\" {\n  default = {}\n}\noutput \"size\" {\n  value = \
                var.size\n}\n";
    repo.write("modules/app/main.tf", code).write("root.hcl", ROOT).write(DEV, dev).write(PROD, prod).commit("base");
    repo
}

#[test]
fn what_all_units_repeat_moves_into_the_file_that_they_include() {
    let inputs = "  size = 5 # GB\n  tags = {\n    a = \"x\"\n    b = 1\n  }\n";
    let repo = repo(&unit("", inputs), &unit("", &format!("  name = \"prod\"\n{inputs}")));
    proved(&repo, &["hoist", "inputs.size"]);
    assert_eq!(read(&repo, "root.hcl"), ROOT.replace("\"net\"\n", "\"net\"\n  size  = 5 # GB\n"));
    let rest = inputs.replace("  size = 5 # GB\n", "");
    assert_eq!(read(&repo, DEV), unit("", &rest));
    repo.commit("hoisted");
    proved(&repo, &["hoist", "inputs.tags"]);
    assert!(read(&repo, "root.hcl").ends_with(&format!("  size  = 5 # GB\n{rest}}}\n")), "{}", read(&repo, "root.hcl"));
    // All inputs are gone, and the argument with them.
    assert!(!read(&repo, DEV).contains("inputs"), "{}", read(&repo, DEV));
    repo.commit("hoisted more");
    let run = proved(&repo, &["inline", "inputs.size"]);
    assert!(run.stderr.contains("`inputs.size` moves from root.hcl into 2 files"), "{run}");
    assert!(read(&repo, DEV).ends_with("}\n\ninputs = {\n  size = 5 # GB\n}\n"), "{}", read(&repo, DEV));
}

#[test]
fn no_blank_lines_are_left_and_comments_that_stay_are_named() {
    let text = "locals {\n  size = 5\n}\n\ninclude \"root\" {\n  path = find_in_parent_folders(\"root.hcl\")\n}\n\nterraform {\n  \
                source = \"../../../modules/app\"\n}\n\ninputs = {\n  tags = {}\n\n  # In GB.\n  size = local.size\n}\n";
    let repo = repo(text, &unit("", "  size = 5\n  tags = {}\n"));
    repo.run(&["refactor", "inline", "locals.size", "--from", DEV, "--write"]).ends_with(0);
    let inlined = text.replace("locals {\n  size = 5\n}\n\n", "").replace("local.size", "5");
    assert_eq!(read(&repo, DEV), inlined);
    repo.commit("inlined");
    let run = proved(&repo, &["hoist", "inputs.size"]);
    assert!(run.stderr.contains("into root.hcl; comments above it stay: live/dev/app/terragrunt.hcl:12\n"), "{run}");
    repo.git(&["reset", "--quiet", "--hard"]);
    proved(&repo, &["hoist", "inputs.tags"]);
    assert_eq!(read(&repo, DEV), inlined.replace("  tags = {}\n\n", ""));
    repo.commit("hoisted");
    let last = read(&repo, DEV).replace("  # In GB.\n", "");
    repo.write(DEV, &last).commit("the last input");
    proved(&repo, &["hoist", "inputs.size"]);
    assert!(read(&repo, DEV).ends_with("modules/app\"\n}\n"), "{}", read(&repo, DEV));
}

#[test]
fn what_would_differ_in_a_unit_is_refused() {
    let repo = repo(&unit("", "  size = 5\n"), &unit("", "  size = 5\n"));
    let none = unit("", "  owner = \"x\"\n");
    repo.write("live/test/app/terragrunt.hcl", &none).commit("a unit without the input");
    refused(&repo, &["hoist", "inputs.size"], "no file is imported only by files that write `inputs.size`");
    refused(&repo, &["hoist", "inputs.size", "--into", "root.hcl"], "inputs.size of app in live/test: – → 5");
    repo.write(PROD, unit("", "  size = 6\n")).remove("live/test/app/terragrunt.hcl").commit("another value");
    refused(&repo, &["hoist", "inputs.size"], "are written differently");
    refused(&repo, &["hoist", "inputs.nothing"], "no file writes `inputs.nothing`");
    let locals = |size: &str| unit(&format!("\nlocals {{\n  size = {size}\n}}\n"), "  size = local.size\n");
    repo.write(DEV, locals("1")).write(PROD, locals("2")).commit("locals");
    // The included file does not have the local.
    refused(&repo, &["hoist", "inputs.size"], "Not provable");
}

const LOCALS: &str = "\nlocals {\n  size  = 5\n  names = [\"a\", \"local.size\"]\n  label = \"app-${local.size}\"\n}\n";

#[test]
fn a_local_of_a_unit_gets_another_name_or_goes() {
    let text = unit(LOCALS, "  size = local.size\n  tags = { label = local.label }\n");
    let repo = repo(&text, &unit(LOCALS, "  size = local.size\n"));
    let rename = ["rename", "local", "size", "width", "--file", DEV];
    let run = repo.run(&[&["refactor"][..], &rename, &["--write"]].concat()).ends_with(0);
    assert!(run.stderr.contains("Proved: no effect") && run.stderr.contains("becomes `width`, in 3 places"), "{run}");
    let expected = text.replace("  size  = 5", "  width  = 5").replace("${local.size", "${local.width");
    assert_eq!(read(&repo, DEV), expected.replace("  size = local.size", "  size = local.width"));
    repo.git(&["checkout", "--quiet", "."]);
    refused(&repo, &["rename", "local", "size", "width"], "several files define `size`, choose one");
    refused(&repo, &["rename", "local", "size", "label", "--file", DEV], "`label` is already defined");
    repo.run(&["refactor", "inline", "locals.label", "--from", DEV, "--write"]).ends_with(0);
    let inlined = text.replace("  label = \"app-${local.size}\"\n", "").replace("local.label", "\"app-${local.size}\"");
    assert_eq!(read(&repo, DEV), inlined);
}

#[test]
fn another_file_that_reads_a_local_refuses_its_new_name() {
    let repo = repo(&unit("", "  size = 5\n"), &unit("", "  size = 5\n"));
    let exposed = unit("", "  size = include.root.locals.size\n").replace("hcl\")\n}", "hcl\")\n  expose = true\n}");
    repo.write("root.hcl", format!("locals {{\n  size = 5\n}}\n\n{ROOT}")).write(DEV, exposed).commit("exposed");
    refused(&repo, &["rename", "local", "size", "width"], "it is not proved");
}

const DB: &str = "live/dev/db/terragrunt.hcl";

/// A unit whose code is in another repository.
fn elsewhere(blocks: &str, inputs: &str) -> String {
    unit(blocks, inputs).replace("../../../modules/app", "git::https://acme.example/modules.git//app?ref=v1")
}

/// Such a unit that depends on another one.
fn dependent(size: &str) -> String {
    let blocks = "\ndependency \"app\" {\n  config_path = \"../app\" # first\n}\n\ndependencies {\n  paths = [\"../app\", \
                  \"../../prod/app\"]\n}\n";
    elsewhere(blocks, &format!("  size = {size}\n"))
}

#[test]
fn a_unit_moves_with_all_paths_that_lead_to_it() {
    let repo = repo(&elsewhere("", "  size = 5\n"), &elsewhere("", "  size = 6\n"));
    repo.write(DB, dependent("1")).commit("a dependent unit");
    let rename = ["rename", "component", "live/dev/app", "live/web"];
    refused(&repo, &rename, "the state of app in live/dev would be searched elsewhere");
    refused(
        &repo,
        &["rename", "component", "app", "web"],
        "no file has `app` as a key, name its folder: live/dev/app, ",
    );
    let run = repo.run(&[&["refactor"][..], &rename, &["--move-state"]].concat()).ends_with(0);
    assert!(run.stderr.contains("Proved: only a name changes, `live/dev/app` to `live/web`"), "{run}");
    let moves = "remote_state.config.key \"live/dev/app/terraform.tfstate\" → \"live/web/terraform.tfstate\"";
    assert!(run.stderr.contains(&format!("the state of app in live/dev has to move: {moves}")), "{run}");
    assert!(!run.stderr.contains("keep"), "{run}");
    repo.run(&[&["refactor"][..], &rename, &["--move-state", "--write"]].concat()).ends_with(0);
    let db = dependent("1").replace("= \"../app\"", "= \"../../web\"").replace("[\"../app\"", "[\"../../web\"");
    assert_eq!(read(&repo, DB), db);
    assert_eq!(read(&repo, "live/web/terragrunt.hcl"), elsewhere("", "  size = 5\n"));
    assert!(!repo.root().join(DEV).exists());
}

#[test]
fn outputs_of_a_unit_that_moves_are_the_same() {
    let repo = repo(&elsewhere("", "  size = 5\n"), &elsewhere("", "  size = 6\n"));
    repo.write(DB, dependent("dependency.app.outputs.size")).commit("a unit that reads outputs");
    let run =
        repo.run(&["refactor", "rename", "component", "live/dev/app", "live/dev/web", "--move-state"]).ends_with(0);
    assert!(run.stderr.contains("Proved"), "{run}");
    // Outputs of another unit are others.
    let repo = repo_moved_by_hand();
    let run = repo.run(&["diff", "HEAD", "--worktree", "--expect", "moves"]);
    assert_ne!(run.status, 0, "{run}");
}

/// A unit that reads the outputs of another unit than before.
fn repo_moved_by_hand() -> Repo {
    let repo = repo(&elsewhere("", "  size = 5\n"), &elsewhere("", "  size = 6\n"));
    repo.write(DB, dependent("dependency.app.outputs.size")).commit("a unit that reads outputs");
    repo.write(DB, dependent("dependency.app.outputs.size").replace("= \"../app\"", "= \"../../prod/app\""));
    repo
}

/// Moves the unit of `live/dev` with its state.
const MOVE: [&str; 6] = ["refactor", "rename", "component", "live/dev/app", "live/dev/web", "--move-state"];

#[test]
fn what_code_makes_moves_with_its_unit() {
    // A module in the repository, with an output.
    let local = repo(&unit("", "  size = 5\n"), &unit("", "  size = 6\n"));
    let run = local.run(&MOVE).ends_with(0);
    assert!(run.stderr.contains("Proved"), "{run}");
    // A provider that the configuration writes beside the code.
    let generated = format!(
        "generate \"provider\" {{\n  path      = \"provider.tf\"\n  if_exists = \"overwrite\"\n  contents  = <<EOT\nprovider \"aws\" {{\n  \
         region = \"eu-west-1\"\n}}\nEOT\n}}\n\n{ROOT}"
    );
    let repo = repo(&elsewhere("", "  size = 5\n"), &elsewhere("", "  size = 6\n"));
    repo.write("root.hcl", &generated).commit("a provider");
    let run = repo.run(&MOVE).ends_with(0);
    assert!(run.stderr.contains("Proved"), "{run}");
    // Another region where the unit will be.
    let other = generated.replace("\"eu-west-1\"", "\"${basename(get_original_terragrunt_dir())}\"");
    repo.write("root.hcl", other).commit("a region that is computed");
    let run = repo.run(&MOVE).ends_with(1);
    assert!(run.stderr.contains("generate.provider.contents of app in live/dev would differ"), "{run}");
}

#[test]
fn a_local_that_other_files_read_keeps_its_name() {
    let region = "locals {\n  region = \"eu-west-1\"\n  area   = local.region\n}\n";
    let reads = |name: &str| {
        let read = "locals {\n  of = read_terragrunt_config(find_in_parent_folders(\"region.hcl\"))\n}\n";
        unit(&format!("\n{read}"), &format!("  size = local.of.locals.{name}\n"))
    };
    let repo = repo(&reads("area"), &unit("", "  size = 1\n"));
    repo.write("live/region.hcl", region).commit("a file that is read");
    let rename = ["rename", "local", "region", "code", "--file", "live/region.hcl"];
    let words = [&["refactor"][..], &rename, &["--write"]].concat();
    repo.run(&words).ends_with(0);
    assert_eq!(
        read(&repo, "live/region.hcl"),
        region.replace("region ", "code ").replace("local.region", "local.code")
    );
    repo.git(&["checkout", "--quiet", "."]);
    repo.write(DEV, reads("region")).commit("another file reads it");
    refused(&repo, &rename, "it is not proved");
}

#[test]
fn a_unit_stays_where_its_path_is_a_value() {
    let path = |size: &str| elsewhere("", &format!("  size = {size}\n  owner = path_relative_to_include()\n"));
    let repo = repo(&path("5"), &path("6"));
    let rename = |new| ["rename", "component", "live/dev/app", new, "--move-state"];
    refused(&repo, &rename("live/dev/web"), "inputs.owner of app in live/dev would differ");
    refused(&repo, &rename("live/prod/app"), "live/prod/app exists already");
    for path in ["../app", "live/../../app", "live//app", "live/./app", ""] {
        refused(&repo, &rename(path), "cannot be the path of a unit");
    }
    refused(&repo, &["rename", "component", "live/dev/nothing", "live/x"], "no component has the name");
    // A path that is put together is not written anew.
    let computed = "\ndependency \"app\" {\n  config_path = \"${get_terragrunt_dir()}/../${local.app}\"\n}\n\nlocals {\n  app = \
                    \"app\"\n}\n";
    repo.write(DEV, elsewhere("", "  size = 5\n"))
        .write(DB, elsewhere(computed, "  size = 1\n"))
        .commit("a computed path");
    refused(&repo, &rename("live/dev/web"), "names it by a path that is computed");
}

#[test]
fn what_repeats_an_included_file_is_pruned() {
    let repo = repo(&unit("", "  owner = \"net\"\n  size  = 5\n"), &unit("", "  owner = \"other\"\n  size  = 5\n"));
    proved(&repo, &["prune"]);
    assert_eq!(read(&repo, DEV), unit("", "  size  = 5\n"));
    assert!(read(&repo, PROD).contains("owner = \"other\""), "{}", read(&repo, PROD));
}
