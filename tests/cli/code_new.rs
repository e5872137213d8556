//! The code of components that only the newer side has or deploys.

use crate::common::{ATMOS, Repo, Run};

const CODE: &str = "variable \"size\" {\n  type = number\n  validation {\n    condition     = var.size < 10\n    \
                    error_message = \"the size is too big\"\n  }\n}\nresource \"aws_instance\" \"web\" {\n  size = var.size\n}\n";
const MAIN: &str = "components/terraform/web/main.tf";

/// A stack with a component that has these keys.
fn stack(name: &str, component: &str) -> String {
    format!("vars: {{stage: {name}}}\ncomponents: {{terraform: {{web: {{{component}}}}}}}\n")
}

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("atmos.yaml", ATMOS).write(MAIN, CODE);
    repo.write("stacks/deploy/dev.yaml", stack("dev", "vars: {size: 1}")).commit("base");
    repo
}

/// The difference of the last commit.
fn diff(repo: &Repo) -> Run {
    repo.run(&["diff", "HEAD~1..HEAD"])
}

#[test]
fn what_is_added_or_switched_on_is_evaluated() {
    let repo = repo();
    let is_wrong = |run: Run| _ = run.says("error[tofu-failed-condition]").says("the size is too big").says("1 error");
    let add = |more: &str| repo.write("stacks/deploy/test.yaml", stack("test", &format!("vars: {{size: 12}}{more}")));
    add("").commit("a stack");
    is_wrong(diff(&repo).ends_with(1));
    // What is not deployed is not evaluated, until it is.
    add(", metadata: {enabled: false}").commit("disabled");
    diff(&repo).hides("error[");
    add("").commit("enabled");
    is_wrong(diff(&repo).ends_with(1));
    // Nor is code that is not there.
    repo.remove(MAIN).commit("no code");
    repo.write(MAIN, CODE).commit("code");
    is_wrong(diff(&repo).ends_with(1));
}

#[test]
fn what_others_have_found_in_the_same_code_is_known() {
    let repo = repo();
    repo.edit(MAIN, "size = var.size", "size = var.gone").commit("broken");
    diff(&repo).ends_with(1).says("error[tofu-undefined-name]");
    repo.write("stacks/deploy/test.yaml", stack("test", "vars: {size: 1}")).commit("a stack");
    diff(&repo).ends_with(0).says("1 known").hides("error[");
}
