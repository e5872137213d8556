//! `refactor rename`: another name for something, wherever it is named.

use crate::common::Repo;
use crate::refactor::{proved, read, refused};

/// A catalog that files import in several ways.
fn catalog() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", "import: [./defaults]\ncomponents: {terraform: {vpc: {vars: {size: 5}}}}\n")
        .write("stacks/catalog/defaults.yaml", "vars: {owner: net}\n")
        .write("stacks/catalog/all.yaml", "import:\n  - \"./vpc\" # The network.\n")
        .write("stacks/deploy/dev.yaml", "import:\n  - path: catalog/vpc.yaml\nvars: {stage: dev}\n")
        .write("stacks/deploy/prod.yaml", "import: [catalog/all, 'catalog/vpc']\nvars: {stage: prod}\n")
        .commit("base");
    repo
}

#[test]
fn imports_of_a_file_follow_it() {
    let repo = catalog();
    let run = proved(&repo, &["rename", "file", "stacks/catalog/vpc.yaml", "stacks/mixins/net.yaml"]);
    assert!(run.stderr.contains("stacks/catalog/vpc.yaml becomes stacks/mixins/net.yaml, in 3 imports"), "{run}");
    assert!(run.stdout.contains("rename from stacks/catalog/vpc.yaml\nrename to stacks/mixins/net.yaml\n"), "{run}");
    assert!(read(&repo, "stacks/mixins/net.yaml").starts_with("import: [../catalog/defaults]\n"));
    assert_eq!(read(&repo, "stacks/catalog/all.yaml"), "import:\n  - \"../mixins/net\" # The network.\n");
    assert!(read(&repo, "stacks/deploy/dev.yaml").starts_with("import:\n  - path: mixins/net.yaml\n"));
    assert!(read(&repo, "stacks/deploy/prod.yaml").starts_with("import: [catalog/all, 'mixins/net']\n"));
    assert!(!repo.root().join("stacks/catalog/vpc.yaml").exists());
}

#[test]
fn a_file_goes_nowhere_if_that_has_an_effect() {
    let repo = catalog();
    let rename = |new| ["rename", "file", "stacks/catalog/vpc.yaml", new];
    refused(&repo, &rename("stacks/catalog/all.yaml"), "stacks/catalog/all.yaml exists already");
    refused(&repo, &rename("stacks/deploy/vpc.yaml"), "it is not proved");
    refused(&repo, &["rename", "file", "stacks/catalog/nothing.yaml", "stacks/x.yaml"], "is no file");
    for hidden in [".git/vpc.yaml", "stacks/.git/vpc.yaml", "stacks/.GIT/a/vpc.yaml"] {
        let rename = ["refactor", "rename", "file", "stacks/catalog/vpc.yaml", hidden, "--write"];
        repo.run(&rename).ends_with(2).complains("is outside of the repository");
    }
    repo.write(".gitignore", "stacks/tmp/\n").commit("ignored");
    refused(&repo, &rename("stacks/tmp/vpc.yaml"), "stacks/tmp/vpc.yaml cannot be its path");
    refused(&repo, &["rename", "file", "atmos.yaml", "stacks/x.yaml"], "is no file of the configuration that is read");
    // A pattern does not find it any more, and a computed path is not changed.
    repo.edit("stacks/deploy/dev.yaml", "catalog/vpc.yaml", "catalog/v*").commit("a pattern");
    refused(&repo, &rename("stacks/mixins/net.yaml"), "Not provable");
    proved(&repo, &rename("stacks/catalog/v-net.yaml"));
    repo.git(&["reset", "--quiet", "--hard"]);
    repo.remove("stacks/deploy/dev.yaml")
        .write(
            "stacks/deploy/dev.yaml.tmpl",
            "import:\n  - path: catalog/net\n    context: {file: vpc}\nvars: {stage: dev}\n",
        )
        .write("stacks/catalog/net.yaml.tmpl", "import: ['catalog/{{ .file }}']\n")
        .commit("a computed path");
    refused(&repo, &rename("stacks/mixins/net.yaml"), "stacks/catalog/net.yaml.tmpl:1 imports it by a path that is");
}

#[test]
fn the_name_of_a_file_may_be_a_name_of_a_stack() {
    let repo = catalog();
    let rename = ["refactor", "rename", "file", "stacks/deploy/dev.yaml", "stacks/deploy/development.yaml"];
    let run = repo.run(&rename).ends_with(0);
    assert!(run.stderr.contains("Proved: only addresses change"), "{run}");
    repo.edit("atmos.yaml", ", name_pattern: '{stage}'", "").commit("stacks have the names of their files");
    let run = repo.run(&rename).ends_with(1);
    assert!(run.stderr.contains("it is not proved") && run.stdout.is_empty(), "{run}");
}

#[test]
fn units_follow_a_file_that_they_include() {
    let repo = Repo::new();
    repo.write("modules/app/main.tf", "variable \"size\" {\n  default = 1\n}\n")
        .write("live/root.hcl", "inputs = {\n  owner = \"net\"\n}\n")
        .write("live/common/env.hcl", "locals {\n  size = 5\n}\n")
        .write(
            "live/dev/app/terragrunt.hcl",
            "include \"root\" {\n  path = find_in_parent_folders(\"root.hcl\") # all\n}\n\nterraform {\n  source = \"../../../modules/app\"\n}\n\nlocals {\n  env = \
             read_terragrunt_config(\"${get_repo_root()}/live/common/env.hcl\")\n}\n\ninputs = {\n  size = \
             local.env.locals.size\n}\n",
        )
        .write("live/prod/app/terragrunt.hcl", "include {\n  path = \"../../root.hcl\"\n}\n\nterraform {\n  source = \"../../../modules/app\"\n}\n")
        .commit("base");
    let run = proved(&repo, &["rename", "file", "live/root.hcl", "live/base.hcl"]);
    assert!(run.stderr.contains("live/root.hcl becomes live/base.hcl, in 2 imports"), "{run}");
    assert!(read(&repo, "live/dev/app/terragrunt.hcl").contains("find_in_parent_folders(\"base.hcl\") # all"));
    assert!(read(&repo, "live/prod/app/terragrunt.hcl").contains("path = \"../../base.hcl\""));
    repo.commit("renamed");
    let rename = ["rename", "file", "live/common/env.hcl", "live/shared/settings.hcl"];
    refused(&repo, &rename, "live/common/env.hcl is read, and not by an import");
}

#[test]
fn what_reads_a_local_follows_it() {
    let repo = Repo::atmos();
    let stack = "# The size.\nlocals: {size: 5, 'twice': \"{{ .locals.size }}-{{ .locals.size_of }}\", size_of: 1}\nvars:\n  \
                 stage: dev\n  size: '{{ .locals.size }}' # size\ncomponents: {terraform: {vpc: {}}}\n";
    repo.write("stacks/deploy/dev.yaml", stack).commit("base");
    let run = proved(&repo, &["rename", "local", "size", "width"]);
    assert!(run.stderr.contains("becomes `width`, in 3 places"), "{run}");
    let expected = stack.replace(".locals.size }}", ".locals.width }}").replace("{size: 5", "{width: 5");
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), expected);
    repo.git(&["reset", "--quiet", "--hard"]);
    refused(&repo, &["rename", "local", "size", "twice"], "`twice` is already defined in stacks/deploy/dev.yaml");
    refused(&repo, &["rename", "local", "size", "a-b"], "cannot be the name of a local");
    refused(&repo, &["rename", "local", "nothing", "x"], "no file defines the local `nothing`");
    repo.write("stacks/deploy/prod.yaml", stack.replace("dev", "prod")).commit("another stack");
    refused(&repo, &["rename", "local", "size", "width"], "several files define `size`, choose one: ");
    proved(&repo, &["rename", "local", "size", "width", "--file", "stacks/deploy/prod.yaml"]);
}
