//! Where the project is found: sub-folders, options, environment, folders without git.

use crate::common::{ATMOS, Repo, Run};

const DEV: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n";

/// A repository with the project in `infra`, and another one beside it.
fn monorepo() -> Repo {
    let repo = Repo::new();
    repo.write("infra/atmos.yaml", ATMOS.replace("base_path: .", "base_path: ./"));
    repo.write("infra/stacks/deploy/dev.yaml", DEV).write("stacks/deploy/wrong.yaml", DEV.replace("box", "wrong"));
    repo.write("app/src/main.txt", "x").commit("base");
    repo.tag("base").write("infra/stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2")).commit("head");
    repo
}

fn names_in(run: &Run) -> Vec<String> {
    let json = run.json();
    let components = json.as_object().unwrap().values().flat_map(|s| s["components"]["terraform"].as_object().unwrap());
    components.map(|(name, _)| name.clone()).collect()
}

#[test]
fn a_project_in_a_folder_of_the_repository() {
    let repo = monorepo();
    let stacks = ["describe", "stacks", "--format", "json"];
    assert_eq!(names_in(&repo.run_in("infra", &stacks).ends_with(0)), ["box"]);
    assert_eq!(names_in(&repo.run_in("infra/stacks/deploy", &stacks).ends_with(0)), ["box"]);
    assert_eq!(names_in(&repo.run(&[&["-C", "infra"], &stacks[..]].concat()).ends_with(0)), ["box"]);
    assert_eq!(names_in(&repo.run(&[&stacks[..], &["--config", "infra/atmos.yaml"]].concat()).ends_with(0)), ["box"]);
    let here = repo.run_in("infra", &["diff", "base..HEAD"]).ends_with(0).says("1 → 2");
    assert!(here.stdout.contains("infra/stacks/deploy/dev.yaml"), "paths are from the root:\n{here}");
    assert_eq!(repo.run(&["-C", "infra", "diff", "base..HEAD"]), here);
    assert_eq!(repo.run(&["diff", "base..HEAD", "-C", "infra"]), here);
    assert_eq!(repo.run(&["--config", "infra/atmos.yaml", "diff", "base..HEAD"]), here);
}

#[test]
fn folders_that_are_not_there() {
    let repo = monorepo();
    repo.run(&["-C", "nowhere", "check"]).ends_with(2).complains("there is no folder nowhere");
    repo.run(&["--config", "../other/atmos.yaml", "check"]).ends_with(2).complains("outside of the repository");
    repo.run(&["--config", "gone.yaml", "check"]).ends_with(1).says("gone.yaml");
}

#[test]
fn the_environment_names_the_configuration() {
    let repo = monorepo();
    let absolute = repo.root().join("infra");
    for path in ["infra", absolute.to_str().unwrap()] {
        let run = repo.run_with(&["describe", "stacks", "--format", "json"], &[("ATMOS_CLI_CONFIG_PATH", path)]);
        assert_eq!(names_in(&run.ends_with(0)), ["box"], "{path}");
    }
}

#[test]
fn the_environment_names_the_base_path() {
    let repo = monorepo();
    let run = |folder: &str, base: &str| {
        let folder = repo.root().join(folder);
        let environment = [("ATMOS_BASE_PATH", base)];
        crate::common::run_in(&folder, &["describe", "stacks", "--format", "json"], &environment).ends_with(0)
    };
    // Relative to where the command starts.
    assert_eq!(names_in(&run("infra", "..")), ["wrong"]);
    assert_eq!(names_in(&run("infra", ".")), ["box"]);
    assert_eq!(names_in(&run("infra", repo.root().to_str().unwrap())), ["wrong"]);
}

#[test]
fn the_environment_overrides_settings() {
    let repo = monorepo();
    let run = |name: &str, value: &str| {
        let environment = [(name, value)];
        crate::common::run_in(&repo.root().join("infra"), &["describe", "stacks", "--format", "json"], &environment)
    };
    assert!(run("ATMOS_STACKS_NAME_PATTERN", "{stage}-{stage}").json().get("dev-dev").is_some());
    assert!(run("ATMOS_STACKS_NAME_TEMPLATE", "x-{{ .vars.stage }}").json().get("x-dev").is_some());
    let none = run("ATMOS_STACKS_INCLUDED_PATHS", "nothing/**/*").ends_with(1);
    none.complains("no stack manifests found");
}

#[test]
fn without_git_a_state_can_be_seen_but_not_compared() {
    let folder = Repo::plain();
    folder.write("atmos.yaml", ATMOS).write("stacks/deploy/dev.yaml", DEV);
    folder.run(&["describe", "stacks"]).ends_with(0).says("box");
    folder.run(&["describe", "component", "box", "-s", "dev"]).ends_with(0).says("size: 1");
    folder.run(&["check"]).ends_with(0);
    folder.run(&["diff"]).ends_with(2).complains("is not in a git repository");
    folder.run(&["diff", "a..b"]).ends_with(2).complains("is not in a git repository");
    folder.run(&["check", "--rev", "HEAD"]).ends_with(2).complains("is not in a git repository");
    folder.run(&["check", "--staged"]).ends_with(2).complains("is not in a git repository");
}

#[test]
fn a_folder_of_a_plain_folder() {
    let folder = Repo::plain();
    folder.write("infra/atmos.yaml", ATMOS).write("infra/stacks/deploy/dev.yaml", DEV);
    let run = folder.run(&["-C", "infra", "describe", "stacks", "--format", "json"]).ends_with(0);
    assert_eq!(names_in(&run), ["box"]);
}

#[test]
fn without_any_configuration_the_defaults_hold() {
    let repo = Repo::new();
    let vars = "vars: {tenant: shop, environment: eu, stage: dev}\n";
    repo.write("stacks/orgs/shop/dev.yaml", format!("{vars}components: {{terraform: {{box: {{}}}}}}\n")).commit("one");
    repo.run(&["describe", "stacks"]).ends_with(0).says("shop-eu-dev");
}

#[test]
fn a_project_in_a_folder_of_a_bare_repository() {
    let repo = monorepo();
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let arguments = ["diff", "base..HEAD", "--config", "infra/atmos.yaml"];
    assert_eq!(crate::common::run_in(&bare, &arguments, &[]), repo.run(&arguments).ends_with(0));
}
