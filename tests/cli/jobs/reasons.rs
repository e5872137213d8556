//! Why a component runs or not.

use super::{repo, waves};
use crate::common::Repo;
use insta::assert_snapshot;

#[test]
fn every_job_and_every_skip_has_a_reason() {
    let run = repo().run(&["diff", "HEAD~1..HEAD", "--format", "matrix", "--include-dependents", "--explain"]);
    assert_snapshot!("jobs_explained", run.stderr);
}

#[test]
fn a_job_leads_to_the_edited_line() {
    let repo = repo();
    let why = |component: &str| repo.run(&["why-affected", "dev", component, "HEAD~1..HEAD"]);
    assert_eq!(
        why("network").ends_with(0).stdout,
        "dev/network (terraform), wave 1: stack.vars\n  stacks/deploy/dev.yaml:4\n"
    );
    let database = why("database").ends_with(0).stdout;
    let expected = "dev/database (terraform), wave 2: dependency\n  needs dev/network (terraform)\ndev/network (terraform), wave 1: \
                    stack.vars\n  stacks/deploy/dev.yaml:4\n";
    assert_eq!(database, expected);
    why("web").ends_with(0).says("component.module").says("modules/m/main.tf:2");
    why("dns")
        .ends_with(0)
        .says("needs no run: configuration and code unchanged")
        .says("the code in components/terraform/dns");
    why("off").ends_with(0).says("needs no run: disabled");
    why("old").ends_with(0).says("deleted");
    why("nothing").ends_with(2).complains("neither revision has a component `nothing` in a stack `dev`");
}

#[test]
fn locked_components_are_left_out_on_request() {
    let repo = repo();
    assert_eq!(waves(&repo, &[]), [vec!["fixed", "network"], vec!["web"]]);
    assert_eq!(waves(&repo, &["--exclude-locked"]), [vec!["network"], vec!["web"]]);
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "waves", "--exclude-locked", "--explain"])
        .complains("1 component needs no run: locked")
        .complains("dev/fixed");
}

/// Edits that change nothing of what runs, in each of the systems.
#[test]
fn an_edit_without_effect_is_no_job() {
    let atmos = |text: &str| ("stacks/deploy/dev.yaml", text.to_owned());
    let stack = "import: [defaults]\nvars: {stage: dev}\ncomponents: {terraform: {a: {vars: {x: 1}}}}\n";
    for (path, text) in [
        atmos(&format!("# a comment\n{stack}")),
        atmos(&stack.replace("{x: 1}", "{ x: 1 }")),
        ("stacks/defaults.yaml", "vars: {x: 6, stage: none}\n".to_owned()),
    ] {
        let repo = Repo::atmos();
        repo.write("stacks/deploy/dev.yaml", stack)
            .write("stacks/defaults.yaml", "vars: {x: 5, stage: none}\n")
            .write("components/terraform/a/main.tf", "variable \"x\" {\n  default = 0\n}\n\nvariable \"stage\" {}\n")
            .commit("base");
        repo.write(path, text).commit("head");
        assert_eq!(waves(&repo, &["--by", "configuration"]), Vec::<Vec<String>>::new(), "{path}");
    }
    let code = "terraform {\n  backend \"local\" {}\n}\nvariable \"n\" {\n  default = 1\n}\nlocals {\n  unused = 1\n}\nresource \"r\" \"x\" {\n  size = 3\n}\n";
    for text in [format!("# a comment\n{code}"), code.replace("size = 3", "size   =   3")] {
        let repo = Repo::new();
        repo.write("root/main.tf", code).commit("base");
        repo.write("root/main.tf", &text).commit("head");
        assert_eq!(waves(&repo, &["--by", "configuration"]), Vec::<Vec<String>>::new(), "{text}");
    }
    // What is used is a job, and what is not known is one. A local or a default may reach what is not compared.
    for (from, to) in [("size = 3", "size = 4"), ("size = 3", "size = timestamp()"), ("unused = 1", "unused = 2")] {
        let text = code.replace(from, to);
        let repo = Repo::new();
        repo.write("root/main.tf", code).commit("base");
        repo.write("root/main.tf", &text).commit("head");
        assert_eq!(waves(&repo, &["--by", "configuration"]), [["root"]], "{text}");
    }
}
