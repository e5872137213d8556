//! `graph`.

use super::contracts::{schema, validate};
use crate::common::Repo;
use serde_json::Value;

const DEV: &str = "\
import: [catalog/all]
locals: {a: x, b: \"{{ .locals.a }}\"}
vars: {stage: dev}
components:
  terraform:
    app:
      metadata: {inherits: [base]}
      settings: {depends_on: {1: {component: vpc}}}
    vpc: {vars: {x: 1}}
";

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", DEV)
        .write("stacks/deploy/prod.yaml", "vars: {stage: prod}\nimport: ['catalog/*']\n");
    repo.write("stacks/catalog/all.yaml", "import: [catalog/base]\n");
    repo.write(
        "stacks/catalog/base.yaml",
        "components: {terraform: {base: {metadata: {type: abstract}, vars: {n: 1}}}}\n",
    );
    repo.write("components/terraform/app/main.tf", "module \"net\" {\n  source = \"../../../modules/net\"\n}\n");
    repo.write("modules/net/main.tf", "variable \"x\" {}\n").commit("base");
    repo.tag("base");
    repo
}

#[track_caller]
fn graph(repo: &Repo, arguments: &[&str]) -> Value {
    let run = repo.run(&[&["graph"], arguments, &["--format", "json"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    validate(&schema("graph.json"), &run.json());
    run.json()
}

/// `from -> to`, with what happens if something does.
fn edges(graph: &Value) -> Vec<String> {
    let change = |edge: &Value| if edge["change"] == "same" { String::new() } else { format!(" {}", edge["change"]) };
    let text = |edge: &Value| format!("{} -> {}{}", edge["from"], edge["to"], change(edge)).replace('"', "");
    graph["edges"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn graphs_of_one_state() {
    let repo = repo();
    let (dev, all, base) = ("stacks/deploy/dev.yaml", "stacks/catalog/all.yaml", "stacks/catalog/base.yaml");
    assert_eq!(
        edges(&graph(&repo, &["imports", "-s", "dev"])),
        [format!("{all} -> {base}"), format!("{dev} -> {all}")]
    );
    assert_eq!(edges(&graph(&repo, &["inheritance"])), ["dev/terraform/app -> dev/terraform/base"]);
    assert_eq!(edges(&graph(&repo, &["dependencies"])), ["dev/terraform/app -> dev/terraform/vpc"]);
    assert_eq!(edges(&graph(&repo, &["references"])), [""; 0]);
    assert_eq!(edges(&graph(&repo, &["locals"])), [format!("{dev}: global.b -> {dev}: global.a")]);
    let modules = edges(&graph(&repo, &["modules", "-s", "dev"]));
    assert!(modules.contains(&"components/terraform/app -> modules/net".to_owned()), "{modules:?}");
    assert!(modules.contains(&"dev/terraform/app -> components/terraform/app".to_owned()), "{modules:?}");
}

#[test]
fn a_focus_shows_what_is_near() {
    let repo = repo();
    let near = graph(&repo, &["imports", "--focus", "stacks/catalog/base.yaml"]);
    assert_eq!(near["nodes"].as_array().unwrap().len(), 3, "{near}");
    let run = repo.run(&["graph", "imports", "--focus", "stacks/catalog/bse.yaml"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("did you mean `stacks/catalog/base.yaml`?"), "{}", run.stderr);
    let run = repo.run(&["graph", "imports", "-s", "dve"]);
    assert_eq!((run.status, run.stderr.contains("no stack matches `dve`; did you mean `dev`?")), (2, true));
}

#[test]
fn the_graph_of_a_change() {
    let repo = repo();
    repo.write(
        "stacks/catalog/base.yaml",
        "components: {terraform: {base: {metadata: {type: abstract}, vars: {n: 2}}}}\n",
    );
    repo.write(
        "stacks/deploy/dev.yaml",
        DEV.replace("vpc: {vars", "db: {}\n    vpc: {vars").replace("component: vpc", "component: db"),
    );
    repo.commit("head");
    let imports = graph(&repo, &["imports", "base..HEAD"]);
    let change = |name: &str| {
        let nodes = imports["nodes"].as_array().unwrap();
        nodes.iter().find(|n| n["name"] == name).map(|n| n["change"].as_str().unwrap().to_owned())
    };
    assert_eq!(change("stacks/catalog/base.yaml").as_deref(), Some("changed"));
    assert_eq!(change("stacks/catalog/all.yaml").as_deref(), Some("reached"));
    let needs = graph(&repo, &["dependencies", "base..HEAD"]);
    assert_eq!(
        edges(&needs),
        ["dev/terraform/app -> dev/terraform/db added", "dev/terraform/app -> dev/terraform/vpc removed"]
    );
}

#[test]
fn what_one_side_could_not_resolve_is_not_removed() {
    let repo = repo();
    repo.edit("stacks/deploy/dev.yaml", "catalog/all", "catalog/al");
    repo.commit("head");
    for (about, name) in [
        ("imports", "stacks/deploy/dev.yaml"),
        ("inheritance", "dev/terraform/app"),
        ("dependencies", "dev/terraform/vpc"),
        ("modules", "components/terraform/app"),
        ("modules", "modules/net"),
    ] {
        for (range, side) in [("base..HEAD", "head"), ("HEAD..base", "base")] {
            let run = repo.run(&["graph", about, range, "--all", "--format", "json"]).ends_with(1);
            validate(&schema("graph.json"), &run.json());
            let graph = run.json();
            let nodes = graph["nodes"].as_array().unwrap();
            let change = nodes.iter().find(|n| n["name"] == name).map(|n| n["change"].as_str().unwrap());
            let is_claimed = nodes.iter().any(|n| n["change"] == "removed" || n["change"] == "added");
            assert!(
                change.is_some_and(|c| !["added", "removed"].contains(&c)) && !is_claimed,
                "{about} {side} {graph:#}"
            );
        }
    }
    repo.run(&["graph", "dependencies", "base..HEAD"]).ends_with(1).says("? dev/terraform/app").hides("- dev");
}

#[test]
fn what_systems_with_dependencies_of_their_own_need() {
    let repo = Repo::new();
    repo.copy(&crate::common::fixture("demo-garden/base"), "")
        .copy(&crate::common::fixture("demo-garden/head"), "")
        .commit("all");
    let edges_of = |repo: &Repo, about: &str| edges(&graph(repo, &[about]));
    let needs = edges_of(&repo, "dependencies");
    assert!(needs.contains(&"dev/deploy/web -> dev/deploy/api".to_owned()), "{needs:?}");
    let repo = Repo::new();
    repo.copy(&crate::common::fixture("infra/base"), "").copy(&crate::common::fixture("infra/head"), "").commit("all");
    let needs = edges_of(&repo, "dependencies");
    assert!(needs.contains(&"prod/infra.database/db -> prod/infra.vpc/vpc".to_owned()), "{needs:?}");
    assert!(!edges_of(&repo, "references").is_empty());
}

#[test]
fn graphs_as_text_and_pictures() {
    let repo = repo();
    let run = |format: &str| repo.run(&["graph", "imports", "--format", format]).stdout;
    insta::assert_snapshot!(run("text"));
    assert!(run("dot").starts_with("digraph \"imports\" {\n"));
    assert!(run("mermaid").starts_with("flowchart LR\n  n0[\"stacks/catalog/all.yaml\"]\n"));
    assert!(run("svg").starts_with("<svg xmlns="));
}

#[test]
fn graphs_of_module_calls() {
    let repo = Repo::new();
    repo.write(
        "live/main.tf",
        "terraform {\n  backend \"local\" {}\n}\n\
         module \"net\" {\n  source = \"../modules/net\"\n}\n\
         module \"app\" {\n  source = \"registry/app/aws\"\n  net = module.net.id\n}\n\
         module \"last\" {\n  source = \"../modules/leaf\"\n  depends_on = [module.app]\n}\n",
    );
    repo.write(
        "modules/net/main.tf",
        "module \"leaf\" {\n  source = \"../leaf\"\n}\noutput \"id\" {\n  value = 1\n}\n",
    );
    repo.write("modules/leaf/main.tf", "variable \"x\" {\n  default = 1\n}\n").commit("base");
    let modules = edges(&graph(&repo, &["modules"]));
    for edge in [
        "live/module/net -> modules/net",
        "live/module/net.leaf -> modules/leaf",
        "live/module/app -> registry/app/aws",
        "modules/net -> modules/leaf",
    ] {
        assert!(modules.contains(&edge.to_owned()), "{edge}: {modules:?}");
    }
    let (reads, waits) = ("live/module/app -> live/module/net", "live/module/last -> live/module/app");
    assert_eq!(edges(&graph(&repo, &["references"])), [reads]);
    assert_eq!(edges(&graph(&repo, &["dependencies"])), [reads, waits]);
}
