//! Files that git holds in another way: submodules, ignored folders, Git LFS, git-crypt, sops. They are not missing.

use crate::common::{ATMOS, Repo};

const STACK: &str = "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {cidr: a}}}}\n";
const LIVE: &str = "terraform {\n  backend \"s3\" {\n    key = \"a\"\n  }\n}\n";
const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";

/// A repository with another one as its submodule `shared`, which is checked out.
fn with_submodule(files: &[(&str, &str)], base: Repo) -> (Repo, Repo) {
    let other = Repo::new();
    files.iter().for_each(|(path, text)| _ = other.write(path, text));
    other.commit("inner");
    base.git(&["submodule", "--quiet", "add", other.root().to_str().unwrap(), "shared"]);
    base.commit("submodule");
    (base, other)
}

/// The submodule has other files now, and its commit is used.
fn bump(repo: &Repo, other: &Repo, path: &str, text: &str) {
    other.write(path, text).commit("more");
    let shared = repo.root().join("shared");
    let shared = shared.to_str().unwrap();
    repo.git(&["-C", shared, "fetch", "--quiet"]);
    repo.git(&["-C", shared, "checkout", "--quiet", "origin/HEAD"]);
    repo.commit("bump");
}

/// As in a clone whose submodules are not there.
fn drop_submodule(repo: &Repo) {
    std::fs::remove_dir_all(repo.root().join(".git/modules")).unwrap();
    std::fs::remove_dir_all(repo.root().join("shared")).unwrap();
    std::fs::create_dir(repo.root().join("shared")).unwrap();
}

fn live(module: &str) -> Repo {
    let repo = Repo::new();
    let text = format!("{LIVE}module \"m\" {{\n  source = \"../{module}\"\n}}\n");
    repo.write("live/main.tf", text);
    repo
}

#[test]
fn submodules_are_read_like_other_folders() {
    let repo = Repo::atmos();
    let link = "import: [../shared/base]\n".to_owned() + STACK;
    repo.write("atmos.yaml", "base_path: ./\nstacks: {base_path: ., included_paths: [stacks/deploy/*], name_template: '{{ .vars.stage }}'}\n");
    repo.write("stacks/deploy/dev.yaml", link.replace("../shared", "shared"));
    let (repo, other) = with_submodule(&[("base.yaml", "vars: {zone: p}\n")], repo);
    let zone = |args: &[&str]| {
        let args = [&["describe", "component", "vpc", "-s", "dev", "--format", "json"], args].concat();
        repo.run(&args).ends_with(0).json()["vars"]["zone"].as_str().unwrap().to_owned()
    };
    assert_eq!([zone(&[]), zone(&["--rev", "HEAD"])], ["p", "p"]);
    repo.run(&["check", "--staged"]).ends_with(0);
    repo.run(&["diff", "--exit-code"]).ends_with(0);
    bump(&repo, &other, "base.yaml", "vars: {zone: q}\n");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("shared/base.yaml:1").says("\"p\" → \"q\"");
    repo.run(&["diff", "--exit-code"]).ends_with(0);
    // What is edited in the submodule is an edit.
    repo.write("shared/base.yaml", "vars: {zone: r}\n");
    repo.run(&["diff"]).ends_with(0).says("\"q\" → \"r\"");
    repo.write("shared/base.yaml", "vars: {zone: q}\n");
    drop_submodule(&repo);
    let lacks = "in a submodule whose commit";
    repo.run(&["check"]).ends_with(0).says("note[incomplete-analysis]").says(lacks).hides("not found");
    repo.run(&["diff", "HEAD~1..HEAD"]).says(lacks).hides("No effective change").hides("removed");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(1);
}

#[test]
fn projects_of_submodules_are_those_of_other_repositories() {
    let (repo, _) = with_submodule(&[("m/main.tf", "locals {\n}\n"), ("live/main.tf", LIVE)], live("shared/m"));
    repo.run(&["check"]).ends_with(0).says("checked 1 stack").hides("shared/live");
}

#[test]
fn code_in_a_submodule_that_is_not_there_is_unknown() {
    let (repo, other) = with_submodule(&[("m/main.tf", "locals {\n  a = 1\n}\n")], live("shared/m"));
    bump(&repo, &other, "m/main.tf", "locals {\n  a = 2\n}\n");
    drop_submodule(&repo);
    repo.run(&["check"]).ends_with(0).says("note[incomplete-analysis]").hides("does not exist");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(3).hides("No effective change");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "matrix"]).ends_with(0).says("\"live\"");
}

#[test]
fn ignored_folders_are_filled_by_a_tool() {
    let repo = live("modules/m");
    repo.write(".gitignore", "/modules/*\n!/modules/kept\n").commit("base");
    repo.run(&["check"]).ends_with(0).says("note[incomplete-analysis]").says("git ignores it");
    repo.edit("live/main.tf", "modules/m", "modules/kept");
    repo.run(&["check"]).ends_with(1).says("missing-component-directory");
    let atmos = Repo::atmos();
    atmos.write(".gitignore", "stacks/generated\n/gen.txt\n");
    atmos.write("stacks/deploy/dev.yaml", "import: [generated/x]\n".to_owned() + STACK).commit("base");
    atmos.run(&["check"]).ends_with(0).says("note[incomplete-analysis]").hides("not found");
    atmos.write("stacks/deploy/dev.yaml", STACK.replace("cidr: a", "cidr: !include gen.txt"));
    atmos.run(&["check"]).ends_with(0).hides("does not exist");
}

#[test]
fn ignored_files_above_a_unit_are_not_missing() {
    let repo = Repo::new();
    repo.write(".gitignore", "account.yaml\n").write(
        "live/app/terragrunt.hcl",
        "locals {\n  account = yamldecode(file(find_in_parent_folders(\"account.yaml\")))\n}\ninputs = {\n  id = local.account.id\n}\n",
    );
    repo.commit("base");
    repo.run(&["check"]).ends_with(0).hides("could not find");
    repo.edit("live/app/terragrunt.hcl", "account.yaml", "region.yaml");
    repo.run(&["check"]).ends_with(1).says("could not find a region.yaml");
    repo.write("account.yaml", "id: 1\n");
    repo.edit("live/app/terragrunt.hcl", "region.yaml", "account.yaml");
    let shown = repo.run(&["describe", "stacks", "--format", "json"]);
    assert!(shown.stdout.contains("\"id\": 1"), "{shown}");
}

#[test]
fn code_reads_the_same_ignored_file_on_both_sides() {
    let repo = Repo::new();
    let main = LIVE.to_owned() + "resource \"x_y\" \"z\" {\n  name = file(\"${path.module}/own.txt\")\n  size = 1\n}\n";
    repo.write(".gitignore", "own.txt\n").write("live/main.tf", main).commit("base");
    repo.write("live/own.txt", "own").edit("live/main.tf", "size = 1", "size = 2");
    repo.run(&["diff"]).ends_with(0).says("~ size  1 → 2").hides("~ name");
}

#[test]
fn ignored_files_of_variables_may_be_there() {
    let repo = Repo::new();
    let action = "kind: Run\ntype: exec\nname: r\nspec: {command: [echo, '${var.a}', '${var.own}']}\n";
    let project = "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: []\nvariables: {a: one}\n";
    repo.write("project.garden.yml", project).write("garden.yml", action).write(".gitignore", "*.env\n.env.local\n");
    repo.commit("base");
    repo.run(&["check"]).ends_with(0).says("checked 1 stack").hides("incomplete-analysis");
    let shown = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0);
    shown.says("${var.own}");
    repo.write("project.garden.yml", project.replace("a: one", "a: two")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("variables.a").says("spec.command").hides("compared 0");
    for entry in ["{path: .env.local, optional: true}", ".env.local"] {
        repo.write("garden.yml", format!("{action}varfiles: [{entry}]\n")).commit("with a file");
        repo.run(&["check"]).ends_with(0).says("checked 1 stack").says("note[incomplete-analysis]: .env.local");
    }
}

#[test]
fn a_side_that_is_broken_is_said_though_both_lack_a_file() {
    let repo = Repo::new();
    let action = |name: &str| format!("kind: Run\ntype: exec\nname: {name}\nspec: {{command: [echo]}}\n");
    let project = "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: []\n";
    repo.write("project.garden.yml", project).write(".gitignore", "own.env\n");
    repo.write("a/garden.yml", action("r") + "varfiles: [own.env]\n").write("b/garden.yml", action("r")).commit("base");
    repo.write("b/garden.yml", action("s")).commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    run.says("1 stack did not resolve before").says("note[base-already-broken]");
    repo.run(&["diff", "HEAD..HEAD~1"]).ends_with(1).says("1 stack no longer resolves");
}

#[test]
fn no_change_excuses_what_it_deletes() {
    let repo = live("modules/m");
    repo.write("modules/m/main.tf", "locals {\n}\n").commit("base");
    repo.write(".gitignore", "modules\n").remove("modules/m/main.tf").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1);
    run.says("error[missing-component-directory]").says("does not exist");
    repo.run(&["diff", "HEAD~1"]).ends_with(1);
}

#[test]
fn bytes_that_git_does_not_have_as_they_are() {
    let encrypted: &[u8] = b"\0GITCRYPT\0\x93\xc8\x01\xff = {\xfe\n";
    for bytes in [encrypted, POINTER.as_bytes()] {
        let repo = Repo::new();
        let main = LIVE.to_owned() + "variable \"a\" {}\nmodule \"m\" {\n  source = \"./m\"\n  a      = var.a\n}\n";
        repo.write("live/m/main.tf", "variable \"a\" {}\n").write("live/main.tf", main);
        repo.write("live/terraform.tfvars", bytes).commit("base");
        repo.run(&["check"]).ends_with(0).says("note[incomplete-analysis]").says("live/terraform.tfvars");
        // Another content is another value.
        repo.write("live/terraform.tfvars", [bytes, b"x\n"].concat()).commit("head");
        repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(3).hides("No effective change");
        // A manifest.
        let repo = Repo::atmos();
        repo.write("stacks/catalog/big.yaml", bytes).write("stacks/deploy/prod.yaml", STACK.replace("dev", "prod"));
        repo.write("stacks/deploy/dev.yaml", "import: [catalog/big]\n".to_owned() + STACK).commit("base");
        repo.run(&["check"]).ends_with(0).says("note[incomplete-analysis]").hides("invalid-yaml");
        repo.write("stacks/catalog/big.yaml", "vars: {zone: a}\n").commit("head");
        repo.run(&["diff", "HEAD~1..HEAD"]).hides("No effective change").hides("Fixed");
    }
}

/// Stacks and units are found by where they are: in a submodule that the clone lacks there may be any.
#[test]
fn a_submodule_where_stacks_and_units_are_may_have_some() {
    let stacks = Repo::atmos();
    stacks.write("stacks/deploy/dev.yaml", STACK);
    let units = Repo::new();
    units.write("live/app/terragrunt.hcl", "inputs = {}\n");
    for (repo, path) in [(stacks, "stacks/deploy/more"), (units, "live/more")] {
        repo.commit("base");
        for digit in ["1", "2"] {
            repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},{path}", digit.repeat(40))]);
            repo.git(&["commit", "--quiet", "--message", digit]);
        }
        let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("No effective change");
        run.says(&format!("that no component is known to read: {path}"));
    }
}

#[test]
fn values_that_sops_encrypts_are_unknown() {
    let repo = Repo::new();
    let file = |value: &str, mac: &str| {
        format!("{{\"size\": \"ENC[AES256_GCM,data:{value},type:int]\", \"n\": 1, \"sops\": {{\"mac\": \"{mac}\"}}}}")
    };
    let variables = "variable \"size\" {\n  type = number\n}\nvariable \"n\" {}\n";
    let call = "module \"m\" {\n  source = \"./m\"\n  size   = var.size\n}\n";
    repo.write("live/m/main.tf", "variable \"size\" {}\n");
    repo.write("live/main.tf", format!("{LIVE}{variables}{call}"));
    repo.write("live/terraform.tfvars.json", file("a", "1")).commit("base");
    repo.run(&["check"]).ends_with(0).hides("sops");
    repo.write("live/terraform.tfvars.json", file("b", "2")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(3).says("size");
    // Without the key of sops it is text.
    repo.write("live/terraform.tfvars.json", "{\"size\": \"ENC[x]\"}");
    repo.run(&["check"]).ends_with(1);
}

#[test]
fn configuration_that_is_imported_from_elsewhere_and_changes() {
    let repo = Repo::new();
    repo.write("stacks/deploy/dev.yaml", STACK);
    let with = |address: &str| format!("import:\n  - {address}\n{ATMOS}");
    repo.write("atmos.yaml", with("https://example.com/a.yaml")).commit("base");
    repo.write("README.md", "text\n").commit("nothing");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("No effective change");
    repo.write("atmos.yaml", with("https://example.com/b.yaml")).commit("another address");
    repo.run(&["diff", "HEAD~1..HEAD"])
        .hides("No effective change")
        .says("the configuration imports https://example.com/b.yaml, which is not read, so what it sets may differ");
    repo.write("atmos.yaml", ATMOS).commit("none");
    repo.run(&["diff", "HEAD~1..HEAD"]).hides("No effective change").says("https://example.com/b.yaml");
}

#[test]
fn a_file_in_the_home_folder_of_the_user_is_neither_missing_nor_absent() {
    let repo = Repo::new();
    let key = |size: u32| {
        format!(
            "resource \"a_key\" \"k\" {{\n  public_key = chomp(file(\"~/.ssh/id.pub\"))\n  size = {size}\n  has_own = fileexists(\"~/.ssh/id\")\n  \
             text = templatefile(\"~/t.tpl\", {{}})\n}}\n"
        )
    };
    repo.write("main.tf", key(1)).commit("base");
    repo.run(&["check"]).ends_with(0).says("checked 1 stack").hides("error");
    let run = repo.run(&["describe", "stack", "."]);
    run.says("public_key: ${chomp(file(\"~/.ssh/id.pub\"))}").says("has_own: ${fileexists(\"~/.ssh/id\")}");
    repo.write("main.tf", key(2)).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("~ size  1 → 2").hides("public_key");
    repo.write("main.tf", key(2).replace("~/.ssh/id.pub", "~other/id.pub"));
    repo.run(&["check"]).ends_with(1).says("failed to expand ~: cannot expand user-specific home dir");
}

/// Garden searches submodules for actions: one that the clone lacks may have any.
#[test]
fn actions_in_a_submodule_that_is_not_there_are_unknown() {
    let project =
        "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n";
    let web = "kind: Deploy\nname: web\ntype: exec\ndependencies: [deploy.api]\nspec: {deployCommand: [a, '${actions.deploy.api.outputs.url}']}\n";
    let api = "kind: Deploy\nname: api\ntype: exec\nspec: {deployCommand: [b]}\n";
    let render = "kind: RenderTemplate\nname: r\ntemplate: of-core\n";
    let repo = Repo::new();
    repo.write("garden.yml", project).write("web/garden.yml", web).write("api/garden.yml", api).commit("base");
    let link = |path: &str| {
        repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},{path}", "1".repeat(40))]);
        repo.git(&["commit", "--quiet", "--message", "submodule"]);
    };
    repo.remove("api/garden.yml").write("r/garden.yml", render).commit("moved");
    repo.run(&["check", "--rev", "HEAD"]).ends_with(1).says("renders a template `of-core` that does not exist");
    link("core");
    let run = repo.run(&["check", "--rev", "HEAD"]).ends_with(0);
    run.says("the submodule core is not in this clone, so the actions, modules and templates in it are not known");
    let run = repo.run(&["diff", "HEAD~2..HEAD"]).ends_with(1);
    run.says("`api` in `dev` may be removed: its code is elsewhere, or not known").hides("undefined");
    let run = repo.run(&["diff", "HEAD..HEAD~2"]).ends_with(0);
    run.hides("danger[").hides("component added");
    // What is not there on both sides is the same.
    let commit = |path: &str, text: &str| {
        repo.write(path, text).git(&["add", path]);
        repo.git(&["commit", "--quiet", "--message", path]);
    };
    commit("b/garden.yml", &api.replace("api", "b"));
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("component added: b of dev");
    repo.run(&["diff", "HEAD..HEAD~1"]).ends_with(1).says("danger[component-removed]: `b` in `dev` is removed");
    // Garden does not search it.
    commit("garden.yml", &format!("{project}scan: {{exclude: [core/**/*]}}\n"));
    repo.run(&["check", "--rev", "HEAD"]).ends_with(1).says("renders a template `of-core` that does not exist");
}

#[test]
fn a_path_in_the_home_folder_names_nothing_of_the_repository() {
    let code = "variable \"p\" {\n  default = \"~/.ssh\"\n}\n\
                locals {\n  key = \"${pathexpand(var.p)}/id.pub\"\n}\n\
                resource \"a_key\" \"k\" {\n  own    = file(pathexpand(\"~/.ssh/id.pub\"))\n  \
                both   = fileexists(local.key) ? file(local.key) : \"\"\n  \
                either = fileexists(var.p == \"\" ? null : local.key)\n}\n\
                module \"m\" {\n  source = \"./m\"\n  path   = pathexpand(\"~/.kube/config\")\n}\n";
    let module = "variable \"path\" {}\nresource \"a_key\" \"k\" {\n  own = file(var.path)\n}\n";
    let unit = "terraform {\n  source = \"../m\"\n}\nlocals {\n  key = pathexpand(\"~/.ssh/id.pub\")\n}\n\
                inputs = {\n  path = \"main.tf\"\n  text = file(\"~/a\")\n  key = fileexists(local.key) ? file(local.key) : \"\"\n}\n";
    let repo = Repo::new();
    repo.write("main.tf", code).write("m/main.tf", module).write("m/other.tf", "\n").write("other.tf", "\n");
    repo.write("unit/terragrunt.hcl", unit).write("note.txt", "a").commit("base");
    for path in ["other.tf", "m/other.tf", "note.txt"] {
        repo.write(path, "# b\n").commit("head");
        repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise"]).ends_with(0).hides("result not known").hides("~");
    }
    // A text that begins with something else is a path in the repository.
    repo.write("main.tf", code.replace("${pathexpand(var.p)}/id.pub", "./${basename(pathexpand(var.p))}/id.pub"));
    repo.commit("base");
    repo.write("note.txt", "c").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("it reads `note.txt`, which this change edits");
}
