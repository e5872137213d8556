//! `refactor rename stack`: the stack stays what it is, wherever it is named.

use crate::common::{Repo, Run};
use crate::refactor::{read, refused};

const DEV: &str = "import: [catalog/vpc]\nvars: {stage: dev}\ncomponents:\n  terraform:\n    vpc:\n      vars: {size: 5}\n    eks:\n      \
                   metadata:\n        component: vpc\n";
const PROD: &str = "import: [catalog/vpc]\nvars: {stage: prod}\ncomponents:\n  terraform:\n    vpc:\n      dependencies:\n        \
                    components:\n          - component: vpc\n            stack: dev # first\n      vars:\n        id: !terraform.state vpc \
                    dev vpc_id\n        dev: dev\n";

fn repo() -> Repo {
    let repo = Repo::atmos();
    let config = read(&repo, "atmos.yaml") + "workflows: {base_path: flows}\n";
    repo.write("atmos.yaml", config)
        .write("stacks/catalog/vpc.yaml", "terraform: {backend_type: s3, backend: {s3: {bucket: b}}}\ncomponents: {terraform: {vpc: {}, net: {vars: {a: 1}}}}\n")
        .write("stacks/deploy/dev.yaml", DEV)
        .write("stacks/deploy/prod.yaml", PROD)
        .write("flows/all.yaml", "workflows:\n  all:\n    steps:\n      - command: terraform apply vpc -s dev\n")
        .commit("base");
    repo
}

#[track_caller]
fn renamed(repo: &Repo, old: &str, new: &str) -> Run {
    let run = repo.run(&["refactor", "rename", "stack", old, new]).ends_with(0);
    assert!(run.stderr.contains("Proved: only a name changes"), "{run}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "nothing is changed without --write");
    repo.run(&["refactor", "rename", "stack", old, new, "--write"]).ends_with(0)
}

#[test]
fn a_stack_keeps_its_states() {
    let repo = repo();
    let run = renamed(&repo, "dev", "acme-dev");
    assert!(run.stderr.contains("the stack `dev` becomes `acme-dev`, in 1 manifest and 3 other places"), "{run}");
    let others = "; other texts stay: stacks/deploy/dev.yaml:2, stacks/deploy/prod.yaml:12";
    assert!(run.stderr.contains(others), "{run}");
    let kept = "metadata:\n        terraform_workspace: dev";
    let expected = DEV.replace("      vars: {size: 5}\n", &format!("      vars: {{size: 5}}\n      {kept}\n"))
        + "        terraform_workspace: dev-eks\n    net:\n      metadata:\n        terraform_workspace: dev\nname: acme-dev\n";
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), expected);
    let prod = PROD.replace("stack: dev", "stack: acme-dev").replace("vpc dev vpc_id", "vpc acme-dev vpc_id");
    assert_eq!(read(&repo, "stacks/deploy/prod.yaml"), prod);
    assert!(read(&repo, "flows/all.yaml").contains("terraform apply vpc -s acme-dev\n"));
    repo.commit("renamed");
    // The name is written there now.
    renamed(&repo, "acme-dev", "dev2");
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), expected.replace("name: acme-dev", "name: dev2"));
}

#[test]
fn what_cannot_follow_a_stack_refuses_another_name() {
    let rename = ["rename", "stack", "dev", "acme-dev"];
    let with = |path: &str, old: &str, new: &str| {
        let repo = repo();
        repo.edit(path, old, new).commit("edited");
        repo
    };
    refused(&repo(), &["rename", "stack", "nothing", "x"], "no stack has the name `nothing`");
    refused(&repo(), &["rename", "stack", "dev", "prod"], "there is a stack `prod` already");
    for name in ["a b", "a/../../x", "a//b", "a/./b", "a/"] {
        refused(&repo(), &["rename", "stack", "dev", name], "cannot be the name of a stack");
    }
    let value = with("stacks/deploy/dev.yaml", "{size: 5}", "{size: '{{ .atmos_stack }}'}");
    refused(&value, &rename, "vars.size of vpc in dev would differ");
    let computed = with("stacks/deploy/prod.yaml", "vpc dev vpc_id", "vpc {{ .vars.dev }} vpc_id");
    refused(&computed, &rename, "names it by a text that is computed");
}
