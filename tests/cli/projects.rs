//! Which projects are found, from where.

use crate::common::{ATMOS, Repo, Run, run_in};
use serde_json::Value as Json;

const DEV: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n";

/// Three projects of one system and one of another; what is vendored or hidden is not a project of ours.
fn repo() -> Repo {
    let repo = Repo::new();
    for folder in ["infra", "platform/a", "platform/b", "vendor/x", ".cache/y", "app/node_modules/z"] {
        repo.write(&format!("{folder}/atmos.yaml"), ATMOS.replace("base_path: .\n", "base_path: ./\n"));
        repo.write(&format!("{folder}/stacks/deploy/dev.yaml"), DEV);
    }
    repo.write("services/infra.yaml", "modules: [{name: db, type: infra.database, config: {size: s}}]\n");
    repo.write("README.md", "x").commit("base");
    repo.tag("base");
    repo.edit("infra/stacks/deploy/dev.yaml", "size: 1", "size: 2");
    repo.edit("platform/b/stacks/deploy/dev.yaml", "size: 1", "size: 3").commit("head");
    repo
}

fn paths(run: &Run) -> Vec<String> {
    let json = run.json();
    let projects = json["coverage"]["projects"].as_array().unwrap();
    projects.iter().map(|p| p["path"].as_str().unwrap().to_owned()).collect()
}

const DIFF: [&str; 4] = ["diff", "base..HEAD", "--format", "json"];

#[test]
fn all_projects_below_are_analyzed_together() {
    let repo = repo();
    let run = repo.run(&DIFF).ends_with(0);
    assert_eq!(paths(&run), ["infra", "platform/a", "platform/b", "services"]);
    let changed: Vec<Json> =
        run.json()["components"].as_array().unwrap().iter().map(|c| c["project"].clone()).collect();
    assert_eq!(changed, ["infra", "platform/b"]);
    let text = repo.run(&["diff", "base..HEAD"]).ends_with(0).says("Project infra").says("Project platform/b");
    let text = text.hides("Project platform/a").says("1 → 2").says("1 → 3").says("in 4 projects");
    assert!(text.stdout.contains("2 changes reach 2 components in 2 stacks"), "{text}");
    repo.run(&["diff", "base..HEAD", "--format", "markdown"]).ends_with(0).says("Project `platform/b`");
    assert_eq!(paths(&repo.run_in("platform", &DIFF).ends_with(0)), ["platform/a", "platform/b"]);
    assert_eq!(paths(&repo.run(&["check", "--format", "json"]).ends_with(0)).len(), 4);
    // The hook and the CI command see the same.
    repo.edit("platform/a/stacks/deploy/dev.yaml", "size: 1", "size: 4").git(&["add", "--all"]);
    repo.run(&["hook", "run"]).ends_with(0).says("1 change reaches 1 component").says("4 projects");
    let ci = repo.run_with(&["ci", "--base", "base"], &[]);
    assert!(ci.stdout.contains("Project infra"), "{ci}");
}

#[test]
fn every_folder_of_a_project_gives_the_answer_of_its_root() {
    let repo = repo();
    let root = repo.run_in("infra", &DIFF).ends_with(0);
    assert_eq!(paths(&root), ["infra"]);
    for folder in ["infra/stacks", "infra/stacks/deploy"] {
        assert_eq!(repo.run_in(folder, &DIFF), root, "{folder}");
        let text = ["describe", "stacks", "--format", "json"];
        assert_eq!(repo.run_in(folder, &text), repo.run_in("infra", &text), "{folder}");
    }
}

#[test]
fn projects_can_be_selected() {
    let repo = repo();
    assert_eq!(paths(&repo.run(&[&DIFF[..], &["--project", "platform/b"]].concat()).ends_with(0)), ["platform/b"]);
    let two = [&DIFF[..], &["--project", "infra", "--project", "platform"]].concat();
    assert_eq!(paths(&repo.run(&two).ends_with(0)), ["infra", "platform/a", "platform/b"]);
    assert_eq!(paths(&repo.run_in("infra", &two).ends_with(0)), ["infra", "platform/a", "platform/b"]);
    repo.run(&["diff", "base..HEAD", "--project", "app/src"]).ends_with(2).complains("app/src");
    repo.run(&["diff", "base..HEAD", "--project", "../x"]).ends_with(2).complains("relative to the root");
    let bare = repo.beside("bare.git");
    repo.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    assert_eq!(paths(&run_in(&bare, &two, &[]).ends_with(0)), ["infra", "platform/a", "platform/b"]);
    repo.write("stacklint.toml", "projects = ['infra', 'platform/*']\n").commit("settings");
    // A selection in a change takes effect from the next commit on.
    let run = repo.run(&DIFF).ends_with(0).says("review-changed");
    assert_eq!(
        paths(&run.says("it selects the projects `infra`, `platform/*` for analysis instead of all projects")).len(),
        4
    );
    let of_head = [&DIFF[..], &["--settings-from", "head"]].concat();
    assert_eq!(paths(&repo.run(&of_head).ends_with(0)), ["infra", "platform/a", "platform/b"]);
    repo.write("stacklint.toml", "projects = ['infra']\n").commit("settings");
    assert_eq!(repo.run(&["describe", "stacks"]), repo.run_in("infra", &["describe", "stacks"]).ends_with(0));
    repo.write("stacklint.toml", "projects = ['nothing']\n").commit("settings");
    repo.run(&of_head).ends_with(2).complains("infra");
    repo.run(&["describe", "stacks"]).ends_with(2).complains("infra");
}

#[test]
fn a_stack_of_several_projects_is_not_shown_by_its_name_alone() {
    let repo = repo();
    repo.run(&["describe", "stacks"]).ends_with(2).complains("--project");
    repo.run(&["describe", "stacks", "--project", "infra"]).ends_with(0).says("box");
}

#[test]
fn the_only_configuration_is_used_wherever_it_is() {
    let repo = Repo::new();
    let config = "rootfs/usr/local/etc/atmos/atmos.yaml";
    for base in ["''", "./", "/"] {
        repo.write(config, ATMOS.replace("base_path: .\n", &format!("base_path: {base}\n")));
        repo.write("stacks/deploy/dev.yaml", DEV).commit("one");
        let run = repo.run(&["check"]).ends_with(0).says("checked 1 stack, 1 component");
        let lead = run.stdout.split("\n\n").next().unwrap_or_default().to_owned();
        assert!(lead.contains("a folder that Atmos does not search") && lead.contains(config), "{run}");
        repo.run_in("stacks", &["describe", "stacks"]).ends_with(0).says("dev");
    }
    // Edited, it is edited configuration; moved to the stacks, it is the same project.
    repo.edit(config, "{terraform: {", "{terraform: {workspaces_enabled: false, ").commit("two");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).hides("No effective change");
    repo.git(&["mv", config, "atmos.yaml"]);
    repo.edit("stacks/deploy/dev.yaml", "size: 1", "size: 2").commit("three");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("1 → 2").says("1 change reaches 1 component");
}

#[test]
fn of_several_configurations_one_has_to_be_named() {
    let repo = Repo::new();
    for image in ["a", "b"] {
        repo.write(&format!("images/{image}/atmos.yaml"), ATMOS.replace("base_path: .\n", "base_path: ''\n"));
    }
    repo.write("stacks/deploy/dev.yaml", DEV).commit("one");
    let run = repo.run(&["check"]).ends_with(2).complains("images/a/atmos.yaml, images/b/atmos.yaml");
    repo.run(&["check", "--config", "images/a/atmos.yaml"]).ends_with(0).says("checked 1 stack, 1 component");
    assert_eq!(run.stdout, "");
    repo.write("atmos.yaml", ATMOS).commit("two");
    repo.run(&["check"]).ends_with(0).says("checked 1 stack, 1 component");
}

#[test]
fn a_part_of_a_configuration_is_no_project() {
    let repo = Repo::atmos();
    let parts = ["profiles/github", "env/profiles/ci", "atmos.d", "conf"];
    repo.edit("atmos.yaml", "base_path: .", "base_path: .\nimport: [conf/atmos]\nprofiles: {base_path: env/profiles}");
    for part in parts {
        repo.write(&format!("{part}/atmos.yaml"), "stacks: {inherit: {metadata: true}}\n");
    }
    repo.write("stacks/deploy/dev.yaml", DEV).commit("base");
    for part in parts {
        repo.write(&format!("{part}/atmos.yaml"), "logs: {level: Info}\n");
    }
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--strict", "--format", "json"]).ends_with(0);
    assert_eq!(paths(&run), ["."]);
}

#[test]
fn projects_of_all_systems_are_analyzed() {
    let root = |size: &str| {
        format!(
            "terraform {{\n  backend \"local\" {{}}\n}}\nmodule \"m\" {{\n  source = \"../m\"\n  size = {size}\n}}\n"
        )
    };
    let repo = Repo::new();
    repo.write("live/a/main.tf", root("1")).write("live/m/main.tf", "variable \"size\" {}\n").commit("roots");
    // A change that adds a project of another system hides no root module, also if it claims the folder.
    let atmos = ATMOS.replace("components/terraform", "live");
    repo.write("atmos.yaml", atmos)
        .write("stacks/deploy/dev.yaml", DEV)
        .edit("live/a/main.tf", "= 1", "= 2")
        .commit("both");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).says("live/a").says("1 → 2");
    assert_eq!(run.stdout.matches("Project ").count(), 2, "{run}");
    // From then on its components are no roots of their own.
    repo.edit("live/a/main.tf", "= 2", "= 3")
        .write("other/m/main.tf", "variable \"size\" {}\n")
        .write("other/b/main.tf", root("1"))
        .commit("component");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]);
    let json = run.json();
    let changed: Vec<&str> =
        json["components"].as_array().unwrap().iter().map(|c| c["stack"].as_str().unwrap()).collect();
    assert!(changed.iter().all(|stack| *stack == "other/b") && !changed.is_empty(), "{run}");
}

#[test]
fn a_project_without_stacks_hides_no_root_module() {
    let repo = Repo::new();
    let root =
        |size: &str| format!("terraform {{\n  backend \"local\" {{}}\n}}\noutput \"a\" {{\n  value = {size}\n}}\n");
    repo.write("atmos.yaml", ATMOS.replace("components/terraform", "live")).write("stacks/catalog/x.yaml", DEV);
    repo.write("live/a/main.tf", root("1")).commit("base");
    repo.write("live/a/main.tf", root("2")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("live/a").says("1 → 2");
    repo.write("stacks/deploy/dev.yaml", DEV).commit("stacks");
    repo.write("live/a/main.tf", root("3")).commit("component");
    repo.run(&["diff", "HEAD~1..HEAD"]).hides("2 → 3");
}

#[test]
fn a_project_that_goes_or_comes_is_no_other_one() {
    let repo = repo();
    repo.remove("platform/a/atmos.yaml").commit("gone");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1);
    assert_eq!(run.json()["components"].as_array().unwrap().len(), 0, "{run}");
    assert_eq!(run.json()["coverage"]["projects"][1]["head"]["unresolved"][0]["stack"], "dev", "{run}");
    let run = repo.run(&["diff", "HEAD..HEAD~1", "--format", "json"]);
    assert_eq!(run.json()["components"].as_array().unwrap().len(), 0, "{run}");
}

#[test]
fn a_project_inside_of_another_one_is_analyzed_too() {
    let repo = Repo::atmos();
    for folder in ["stacks/deploy", "examples/demo/stacks/deploy"] {
        repo.write(&format!("{folder}/dev.yaml"), DEV);
    }
    repo.write("examples/demo/atmos.yaml", ATMOS).commit("base");
    repo.edit("examples/demo/stacks/deploy/dev.yaml", "size: 1", "size: 2").commit("head");
    let range = "HEAD~1..HEAD";
    for start in [".", "stacks", "examples"] {
        repo.run_in(start, &["diff", range]).ends_with(0).says("Project examples/demo").says("1 → 2");
    }
    assert_eq!(paths(&repo.run(&["diff", range, "--format", "json"])), [".", "examples/demo"]);
    repo.run(&["diff", range, "--exit-code"]).ends_with(3);
    assert_eq!(paths(&repo.run(&["check", "--format", "json"]).ends_with(0)), [".", "examples/demo"]);
    for asked in [["--project", "examples/demo"], ["-C", "examples/demo"]] {
        repo.run(&["diff", range, asked[0], asked[1]]).ends_with(0).says("1 → 2").hides("2 projects");
    }
    // A question is about the outer one, unless it says otherwise.
    repo.run(&["describe", "stacks"]).ends_with(0).says("1 component in 1 stack");
    repo.run(&["why", "dev", "box", "vars.size", "--project", "examples/demo"]).ends_with(0).says("2");
    // What it has wrong and nobody touches fails no change.
    repo.write("examples/demo/stacks/deploy/dev.yaml", "import: [gone]\n").commit("broken");
    repo.edit("stacks/deploy/dev.yaml", "size: 1", "size: 3").commit("outer");
    repo.run(&["diff", range]).ends_with(0).says("1 → 3");
}

#[test]
fn projects_that_share_stacks_report_once() {
    let repo = Repo::new();
    for cloud in ["aws", "azure", "gcp"] {
        repo.write(&format!("config/{cloud}/atmos.yaml"), ATMOS.replace("base_path: .\n", "base_path: ../..\n"));
    }
    repo.write("stacks/deploy/dev.yaml", DEV).commit("base");
    repo.edit("stacks/deploy/dev.yaml", "size: 1", "size: '{{ .locals.gone }}'").commit("head");
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1).json();
    let of = |rule: &str| json["diagnostics"].as_array().unwrap().iter().filter(|d| d["rule"] == rule).count();
    assert_eq!((json["components"].as_array().unwrap().len(), of("undefined-local")), (1, 1), "{json}");
    let list = repo.run(&["diff", "HEAD~1..HEAD", "--format", "matrix"]).json();
    assert_eq!(list["include"].as_array().unwrap().len(), 1, "{list}");
}

#[test]
fn a_project_that_moves_is_the_same_project() {
    let repo = Repo::new();
    repo.write("infra/stacks/deploy/dev.yaml", DEV).write("infra/atmos.yaml", ATMOS).commit("below");
    repo.git(&["mv", "infra/atmos.yaml", "atmos.yaml"]);
    repo.edit("atmos.yaml", "base_path: .", "base_path: ./infra");
    repo.edit("infra/stacks/deploy/dev.yaml", "size: 1", "size: 2").commit("above");
    for start in [".", "infra"] {
        let run = repo.run_in(start, &["diff", "HEAD~1..HEAD"]).ends_with(0).says("1 → 2");
        run.says("1 change reaches 1 component in 1 stack");
    }
    // With its stacks.
    repo.git(&["mv", "infra", "platform"]);
    repo.edit("atmos.yaml", "./infra", "./platform").commit("all");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(0);
    repo.git(&["mv", "atmos.yaml", "platform/atmos.yaml"]);
    repo.edit("platform/atmos.yaml", "./platform", ".");
    repo.git(&["mv", "platform", "cloud"]);
    repo.edit("cloud/stacks/deploy/dev.yaml", "size: 2", "size: 3").commit("both");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("2 → 3").says("1 change reaches 1 component in 1 stack");
}

#[test]
fn the_only_configuration_may_be_in_a_hidden_folder() {
    let repo = Repo::new();
    let config = "base_path: \"\"\nstacks: {base_path: stacks, included_paths: [\"orgs/**/*\"], name_pattern: \"{stage}\"}\n\
        components: {terraform: {base_path: components/terraform}}\n";
    repo.write(".config/atmos/atmos.yaml", config).write(".terraform/modules/x/atmos.yaml", config);
    repo.write("stacks/orgs/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {size: 1}}}}\n");
    repo.write("components/terraform/vpc/main.tf", "variable \"size\" {}\nvariable \"stage\" {}\n").commit("base");
    repo.edit("stacks/orgs/dev.yaml", "size: 1", "size: 2").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD", "--strict"]).ends_with(0).says("vpc of dev").says(".config/atmos/atmos.yaml");
}
