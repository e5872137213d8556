//! What consumers of `atmos describe affected` read.

use super::contracts::{schema, validate};
use crate::common::Repo;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn affected(repo: &Repo, range: &str) -> Vec<Value> {
    let json = repo.run(&["diff", range, "--format", "affected"]).ends_with(0).json();
    validate(&schema("affected.json"), &json);
    json.as_array().unwrap().clone()
}

fn matrix(repo: &Repo, range: &str) -> Vec<Value> {
    let run = repo.run(&["diff", range, "--format", "matrix"]).ends_with(0);
    assert_eq!(run.stdout.lines().count(), 1, "{run}");
    validate(&schema("matrix.json"), &run.json());
    run.json()["include"].as_array().unwrap().clone()
}

#[track_caller]
fn item(items: &[Value], stack: &str, component: &str) -> Value {
    let found = items.iter().find(|i| i["stack"] == stack && i["component"] == component);
    found.unwrap_or_else(|| panic!("no {component} of {stack} in {items:#?}")).clone()
}

/// A repository whose second commit has one change of each kind.
fn repo() -> Repo {
    let repo = Repo::atmos();
    let base = "
vars: {stage: dev, namespace: acme}
components:
  terraform:
    app/web: {metadata: {component: app}, vars: {size: 1}, settings: {a: 1}}
    base: {metadata: {type: abstract}, vars: {size: 1}}
    off: {metadata: {enabled: false}, vars: {size: 1}}
    hooked: {hooks: {before: {events: [a], command: b}}}
    same: {vars: {size: 1}}
    old: {vars: {size: 1}}
";
    let prod = "vars: {stage: prod, namespace: acme}\ncomponents: {terraform: {vpc: {vars: {a: 1}}}}\n";
    repo.write("stacks/deploy/dev.yaml", base).write("stacks/deploy/prod.yaml", prod).commit("base");
    let head = base.replace("size: 1}, settings: {a: 1}", "size: 2}, settings: {a: 2}").replace("[a]", "[c]");
    let head = head.replace("type: abstract}, vars: {size: 1}", "type: abstract}, vars: {size: 2}");
    let head = head.replace("enabled: false}, vars: {size: 1}", "enabled: false}, vars: {size: 2}");
    let head = head.replace("    old: {vars: {size: 1}}", "    new: {vars: {size: 1}}");
    repo.write("stacks/deploy/dev.yaml", head).remove("stacks/deploy/prod.yaml").commit("head");
    repo
}

#[test]
fn items_have_the_fields_and_reasons_of_atmos() {
    let items = affected(&repo(), "HEAD~1..HEAD");
    assert_eq!(
        item(&items, "dev", "app/web"),
        json!({
            "component": "app/web",
            "component_type": "terraform",
            "component_path": "components/terraform/app",
            "stack": "dev",
            "stack_slug": "dev-app-web",
            "affected": "stack.vars",
            "affected_all": ["stack.vars", "stack.settings"],
            "dependents": null,
            "included_in_dependents": false,
            "settings": null,
            "deployable": true
        })
    );
    let new = item(&items, "dev", "new");
    assert_eq!(new["affected"], new["affected_all"][0]);
    assert!(new["affected_all"].as_array().unwrap().contains(&json!("stack.vars")), "{new}");
    let hooked = item(&items, "dev", "hooked");
    assert_eq!(hooked["affected_all"], json!(["stack.hooks"]));
    for name in ["base", "off"] {
        assert_eq!(item(&items, "dev", name)["deployable"], false, "{name}");
    }
}

#[test]
fn a_new_component_is_affected_by_its_metadata_first() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\n").commit("base");
    let stack = "vars: {stage: dev}\ncomponents: {terraform: {a: {metadata: {component: b}, vars: {x: 1}}}}\n";
    repo.write("stacks/deploy/dev.yaml", stack).commit("head");
    let item = item(&affected(&repo, "HEAD~1..HEAD"), "dev", "a");
    assert_eq!(item["affected"], "stack.metadata");
}

#[test]
fn what_is_gone_says_whether_the_whole_stack_is() {
    let items = affected(&repo(), "HEAD~1..HEAD");
    let (old, vpc) = (item(&items, "dev", "old"), item(&items, "prod", "vpc"));
    assert_eq!((&old["affected"], &old["deletion_type"]), (&json!("deleted"), &json!("component")));
    assert_eq!((&vpc["affected"], &vpc["deletion_type"]), (&json!("deleted.stack"), &json!("stack")));
    assert_eq!((&vpc["namespace"], &vpc["stage"]), (&json!("acme"), &json!("prod")));
    assert_eq!(vpc["deleted"], true);
    assert_eq!(vpc["component_path"], "components/terraform/vpc");
}

#[test]
fn the_matrix_has_what_can_be_deployed() {
    let jobs = matrix(&repo(), "HEAD~1..HEAD");
    let names: Vec<&str> = jobs.iter().map(|j| j["component"].as_str().unwrap()).collect();
    assert_eq!(names, ["app/web", "hooked", "new"]);
    assert_eq!(
        jobs[0],
        json!({"stack": "dev", "component": "app/web", "component_path": "components/terraform/app", "component_type": "terraform"})
    );
    assert_eq!(matrix(&repo(), "HEAD..HEAD"), Vec::<Value>::new());
}

#[test]
fn every_component_that_differs_is_affected() {
    let repo = Repo::review();
    for range in ["base..head", "head..base", "base..base"] {
        let key = |v: &Value, kind: &str| ["stack", kind, "component"].map(|k| v[k].as_str().unwrap().to_owned());
        let report = repo.run(&["diff", range, "--format", "json", "--exit-zero"]).json();
        let differs: BTreeSet<_> = report["components"].as_array().unwrap().iter().map(|c| key(c, "type")).collect();
        let run = repo.run(&["diff", range, "--format", "affected", "--exit-zero"]).json();
        validate(&schema("affected.json"), &run);
        let items: BTreeSet<_> = run.as_array().unwrap().iter().map(|c| key(c, "component_type")).collect();
        assert_eq!(items, differs, "{range}");
        assert_eq!(items.is_empty(), range == "base..base");
    }
}

#[test]
fn one_state_affects_nothing_and_that_is_said() {
    for format in ["affected", "matrix"] {
        Repo::review().run(&["check", "--format", format]).ends_with(2).complains("stacklint diff");
    }
}
