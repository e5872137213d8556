//! `refactor inline`: the opposite of a shared definition.

use crate::common::Repo;
use crate::refactor::{proved, read, refused};

const CATALOG: &str = "components:\n  terraform:\n    vpc:\n      vars:\n        size: 5 # GB\n        owner: net\n";

fn stack(stage: &str, rest: &str) -> String {
    format!(
        "import:\n  - catalog/vpc\nvars:\n  stage: {stage}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n{rest}"
    )
}

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", CATALOG)
        .write("stacks/deploy/dev.yaml", stack("dev", "        name: a\n"))
        .write("stacks/deploy/prod.yaml", stack("prod", "        size: 6\n"))
        .commit("base");
    repo
}

const SIZE: &str = "components.terraform.vpc.vars.size";

#[test]
fn a_value_moves_into_the_files_that_import_it() {
    let repo = repo();
    let run = proved(&repo, &["inline", SIZE]);
    assert!(run.stderr.contains("moves from stacks/catalog/vpc.yaml into 1 file"), "{run}");
    assert_eq!(read(&repo, "stacks/catalog/vpc.yaml"), CATALOG.replace("        size: 5 # GB\n", ""));
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), stack("dev", "        name: a\n        size: 5 # GB\n"));
    assert_eq!(read(&repo, "stacks/deploy/prod.yaml"), stack("prod", "        size: 6\n"));
    repo.git(&["reset", "--quiet", "--hard"]);
    refused(&repo, &["inline", "vars.stage"], "no file that others import writes `vars.stage`");
    refused(&repo, &["inline", SIZE, "--from", "stacks/deploy/dev.yaml"], "does not write");
    // A file that it imports after the catalog has another value.
    repo.write("stacks/catalog/big.yaml", "components: {terraform: {vpc: {vars: {size: 9}}}}\n");
    repo.edit("stacks/deploy/dev.yaml", "  - catalog/vpc\n", "  - catalog/vpc\n  - catalog/big\n").commit("overridden");
    let from = ["inline", SIZE, "--from", "stacks/catalog/vpc.yaml"];
    refused(&repo, &from, "for example vars.size of vpc in dev: 9 → 5");
}

#[test]
fn a_local_is_written_where_it_is_read() {
    let repo = Repo::atmos();
    let text = "locals:\n  size: 5\n  name: net-a\n  list: [1]\nvars:\n  stage: dev\n  size: '{{ .locals.size }}'\n  name: \
                \"{{ .locals.name }}-{{ .locals.size }}\"\n  both: '{{ printf \"%s-%d\" .locals.name .locals.size }}'\ncomponents: \
                {terraform: {vpc: {}}}\n";
    repo.write("stacks/deploy/dev.yaml", text).commit("base");
    proved(&repo, &["inline", "locals.name"]);
    let expected = text.replace("  name: net-a\n", "").replace("{{ .locals.name }}", "net-a");
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), expected.replace("\"%s-%d\" .locals.name", "\"%s-%d\" `net-a`"));
    repo.commit("one");
    // The template is the number, and what would be written is a text.
    refused(&repo, &["inline", "locals.size"], "for example vars.size of vpc in dev: 5 → \"5\"");
    refused(&repo, &["inline", "locals.list"], "stacks/deploy/dev.yaml:3 cannot be written elsewhere");
    refused(&repo, &["inline", "locals.nothing"], "no file defines the local `nothing`");
}
