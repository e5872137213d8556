//! `refactor rename component`: the component stays what it is, wherever it is named.

use crate::common::{Repo, Run};
use crate::refactor::{read, refused};

const CATALOG: &str = "components:\n  terraform:\n    \"vpc\": # The network.\n      vars: {size: 5}\n";
const DEPLOY: &str = "import: [catalog/vpc]\nvars: {stage: STAGE}\nterraform:\n  backend_type: s3\n  backend: {s3: {bucket: b}}\n\
                      components:\n  terraform:\n    vpc:\n      vars: {name: vpc}\n    eks:\n      dependencies:\n        components:\n\
                      \x20         - component: vpc # first\n      vars:\n        id: !terraform.state vpc vpc # of vpc\n        \
                      other: '{{ (atmos.Component \"vpc\" .stack).outputs.vpc }}'\n";

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.edit("atmos.yaml", "stacks:", "workflows: {base_path: flows}\nstacks:");
    repo.write("stacks/catalog/vpc.yaml", CATALOG);
    for stage in ["dev", "prod"] {
        repo.write(&format!("stacks/deploy/{stage}.yaml"), DEPLOY.replace("STAGE", stage));
    }
    repo.write("flows/all.yaml", "workflows:\n  all:\n    steps:\n      - command: terraform apply vpc -s vpc-dev\n");
    for component in ["vpc", "eks"] {
        let code = "variable \"size\" {}\noutput \"vpc\" {\n  value = 1\n}\n";
        repo.write(&format!("components/terraform/{component}/main.tf"), code);
    }
    repo.commit("base");
    repo
}

/// Renames a component in the worktree.
#[track_caller]
fn renamed(repo: &Repo, old: &str, new: &str) -> Run {
    let run = repo.run(&["refactor", "rename", "component", old, new]).ends_with(0);
    assert!(run.stderr.contains("Proved: only a name changes"), "{run}");
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "nothing is changed without --write");
    repo.run(&["refactor", "rename", "component", old, new, "--write"]).ends_with(0)
}

#[test]
fn a_component_keeps_its_code_and_its_state() {
    let repo = repo();
    let run = renamed(&repo, "vpc", "net/main");
    assert!(run.stderr.contains("2 addresses change and keep their states"), "{run}");
    assert!(run.stderr.contains("other texts stay: stacks/deploy/dev.yaml:9, stacks/deploy/prod.yaml:9"), "{run}");
    let kept = "      metadata:\n        component: vpc\n        terraform_workspace_pattern: '{stage}'\n";
    assert_eq!(read(&repo, "stacks/catalog/vpc.yaml"), CATALOG.replace("\"vpc\"", "\"net/main\"") + kept);
    let expected = DEPLOY
        .replace("    vpc:\n", "    net/main:\n")
        .replace("component: vpc", "component: net/main")
        .replace("state vpc vpc", "state net/main vpc")
        .replace("\"vpc\"", "\"net/main\"");
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), expected.replace("STAGE", "dev"));
    assert!(read(&repo, "flows/all.yaml").contains("terraform apply net/main -s vpc-dev\n"));
    repo.commit("renamed");
    let run = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).stdout;
    assert!(run.contains("\"workspace_key_prefix\": \"vpc\""), "{run}");
}

#[test]
fn what_follows_from_the_name_refuses_another_one() {
    let rename = ["rename", "component", "vpc", "net"];
    let with = |old: &str, new: &str| {
        let repo = repo();
        repo.edit("stacks/deploy/dev.yaml", old, new).commit("edited");
        repo
    };
    refused(&repo(), &["rename", "component", "vpc", "eks"], "dev has a component `eks` already");
    for name in ["a b", "a/../../x", "a//b", "a/./b", "a/"] {
        refused(&repo(), &["rename", "component", "vpc", name], "cannot be the name of a component");
    }
    refused(&repo(), &["rename", "component", "nothing", "x"], "no component has the name `nothing`");
    let name = with("{name: vpc}", "{name: '{{ .atmos_component }}'}");
    refused(&name, &rename, "vars.name of vpc in dev would differ");
    let computed = with("!terraform.state vpc vpc", "!terraform.state {{ .vars.of }} vpc\n        of: vpc");
    refused(&computed, &rename, "it is not proved");
    let unknown = with("\"vpc\" .stack", "(printf \"%s\" .vars.of) .stack");
    refused(&unknown, &rename, "it is not known which component is read");
    let heir = with("    eks:", "    heir: {metadata: {inherits: [vpc]}}\n    eks:");
    refused(&heir, &rename, "for example metadata.");
    let store = with("{name: vpc}", "{name: !store ssm vpc id}");
    refused(&store, &rename, "`!store` reads what is kept under the name `vpc`");
    let hook = with("{name: vpc}", "{}\n      hooks: {a: {command: store, name: ssm, outputs: {id: .id}}}");
    refused(&hook, &rename, "a hook of `vpc` stores outputs under its name");
    // Nothing that could be written keeps this workspace in both stacks.
    let name = with("vars: {stage: dev}", "name: first\nvars: {stage: dev}");
    refused(&name, &rename, "the state of vpc in first would be searched elsewhere: workspace first → first-net");
}

#[test]
fn a_component_whose_workspace_is_printed_in_another_way_keeps_it() {
    // `describe stacks` prints the workspace of a component of other code without its name.
    let (repo, stack) = (repo(), "stacks/deploy/dev.yaml");
    let own = "    web:\n      metadata:\n        component: vpc\n      vars: {name: w}\n    eks:";
    repo.edit(stack, "    eks:", own).commit("edited");
    renamed(&repo, "web", "front");
    let kept = own.replace("web:", "front:").replace(": vpc\n", ": vpc\n        terraform_workspace: dev-web\n");
    assert!(read(&repo, stack).contains(&kept), "{}", read(&repo, stack));
}

#[test]
fn a_base_gets_another_name() {
    let repo = Repo::atmos();
    let base = "components: {terraform: {base: {metadata: {type: abstract}, vars: {a: 1}}}}\n";
    let stack = "import: [catalog/base]\nvars: {stage: dev}\ncomponents:\n  terraform:\n    vpc: {metadata: {inherits: ['base']}}\n";
    repo.write("stacks/catalog/base.yaml", base).write("stacks/deploy/dev.yaml", stack).commit("base");
    renamed(&repo, "base", "defaults");
    assert_eq!(read(&repo, "stacks/catalog/base.yaml"), base.replace("base:", "defaults:"));
    assert_eq!(read(&repo, "stacks/deploy/dev.yaml"), stack.replace("'base'", "'defaults'"));
}
