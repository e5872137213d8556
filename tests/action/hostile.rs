//! Attacks of a pull request on the action itself.

use crate::common::{ATMOS, Repo, git_in};
use crate::runner::Runner;
use serde_json::json;

const STACK: &str = "infra/stacks/deploy/dev.yaml";
const DEV: &str = "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {cidr: one}}}}\n";

/// A pull request that breaks an import below `infra`, with whatever else it commits.
fn pull_request(change: impl FnOnce(&Repo)) -> (Runner, serde_json::Value) {
    let origin = Repo::new();
    let base = origin.write("infra/atmos.yaml", ATMOS).write(STACK, DEV).commit("base");
    change(origin.write(STACK, format!("import: [gone]\n{DEV}")));
    let head = origin.commit("head");
    let runner = Runner::new(origin);
    runner.checkout(&head, 1);
    let pull = json!({"number": 1, "base": {"sha": base}, "head": {"sha": head}});
    (runner, json!({"pull_request": pull, "repository": {"default_branch": "main"}}))
}

#[test]
fn a_committed_bare_repository_neither_executes_nor_decides() {
    let (runner, event) = pull_request(|origin| {
        let bare = origin.beside("bare.git");
        git_in(origin.root(), &["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
        std::fs::remove_dir_all(bare.join("hooks")).ok();
        origin.copy(&bare, "infra/").write("infra/refs/keep", "");
        let marker = origin.beside("pwned");
        let url = format!("ext::sh -c touch% {}", marker.display());
        let config = format!(
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[protocol \"ext\"]\n\tallow = always\n\
             [remote \"origin\"]\n\turl = {url}\n"
        );
        origin.write("infra/config", config);
    });
    let job = runner.run("pull_request", &event, &[("working-directory", "infra")]).ends_with(1);
    let job = job.says("unresolved-import").sets(&[("conclusion", "failure"), ("errors", "1")]);
    assert!(!runner.origin.beside("pwned").exists(), "{job:#?}");
}

#[test]
fn a_committed_link_does_not_lead_to_another_repository() {
    let other = Repo::new();
    other.write("atmos.yaml", ATMOS).write("stacks/deploy/dev.yaml", DEV).commit("other");
    other.git(&["remote", "add", "origin", "ext::sh -c touch% pwned"]);
    other.git(&["config", "protocol.ext.allow", "always"]);
    let (runner, event) = pull_request(|origin| {
        std::fs::remove_dir_all(origin.root().join("infra")).unwrap();
        origin.link("infra", other.root().to_str().unwrap());
    });
    let job = runner.run("pull_request", &event, &[("working-directory", "infra")]).ends_with(2);
    job.says("symbolic link").sets(&[("conclusion", "error")]);
    assert!(!other.root().join("pwned").exists());
}

#[test]
fn a_lone_carriage_return_breaks_no_line_of_the_summary() {
    let (runner, event) = pull_request(|origin| {
        origin
            .write("infra/stacks/deploy/x.yaml", "vars: {stage: \"x\\r# heading\"}\nimport: [\"gone\\r# heading\"]\n");
        origin.write("infra/stacklint.toml", "\"a\\r# heading\" = 1\n");
    });
    for inputs in [&[("working-directory", "infra")][..], &[("working-directory", "infra"), ("base", "x\r# heading")]] {
        let job = runner.run("pull_request", &event, inputs);
        assert!(!job.summary.is_empty() && !job.summary.contains('\r'), "{job:#?}");
    }
}
