//! The output for consumers of `atmos describe affected`.

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
    assert_eq!(hooked["extra"], "Atmos does not compare these sections");
    for name in ["base", "off"] {
        let item = item(&items, "dev", name);
        assert_eq!(item["deployable"], false, "{name}");
        assert!(
            item["extra"].as_str().unwrap().contains(if name == "off" { "disabled" } else { "abstract" }),
            "{item}"
        );
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
fn the_matrix_has_what_can_be_deployed_and_what_is_gone() {
    let jobs = matrix(&repo(), "HEAD~1..HEAD");
    let names: Vec<&str> = jobs.iter().map(|j| j["component"].as_str().unwrap()).collect();
    assert_eq!(names, ["app/web", "new", "old", "vpc"]);
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
        let configured = report["components"].as_array().unwrap().iter();
        let coded = report["code"].as_array().unwrap().iter().flat_map(|c| c["components"].as_array().unwrap());
        let differs: BTreeSet<_> = configured.chain(coded).map(|c| key(c, "type")).collect();
        let run = repo.run(&["diff", range, "--format", "affected", "--exit-zero"]).json();
        validate(&schema("affected.json"), &run);
        let items: BTreeSet<_> = run.as_array().unwrap().iter().map(|c| key(c, "component_type")).collect();
        // Atmos also lists components with a change only in documents beside their code.
        assert!(items.is_superset(&differs), "{range}: {items:?} {differs:?}");
        assert_eq!(items.is_empty(), range == "base..base");
    }
}

/// Components with code, modules, and files that they depend on.
fn coded() -> Repo {
    let repo = Repo::atmos();
    let stack = "
vars: {stage: dev}
components:
  terraform:
    vpc: {vars: {a: 1}}
    app: {dependencies: {components: [{component: vpc}], files: [configs/a.json]}}
    far: {settings: {depends_on: {1: {component: app}}}}
    off: {metadata: {component: vpc, enabled: false}}
    locked: {metadata: {component: vpc, locked: true}}
";
    repo.write("stacks/deploy/dev.yaml", stack)
        .write("components/terraform/vpc/main.tf", "variable \"a\" {}\n")
        .write("components/terraform/app/main.tf", "module \"m\" {\n  source = \"../../../modules/m\"\n}\n")
        .write("components/terraform/far/main.tf", "module \"near\" {\n  source = \"../near\"\n}\n")
        .write("components/terraform/near/main.tf", "# a module\n")
        .write("modules/m/main.tf", "# a module outside\n")
        .write("configs/a.json", "1\n")
        .commit("base");
    repo
}

/// `component: reasons (extra)` of every item of the last commit.
fn reasons(repo: &Repo, flags: &[&str]) -> Vec<String> {
    let arguments = [&["diff", "HEAD~1..HEAD", "--format", "affected"], flags].concat();
    let json = repo.run(&arguments).ends_with(0).json();
    validate(&schema("affected.json"), &json);
    let line = |item: &Value| {
        let all: Vec<&str> = item["affected_all"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
        let extra = item.get("extra").map(|_| " (extra)").unwrap_or_default();
        format!("{}: {}{extra}", item["component"].as_str().unwrap(), all.join(" "))
    };
    json.as_array().unwrap().iter().map(line).collect()
}

#[test]
fn code_affects_the_components_that_run_it() {
    let repo = coded();
    repo.write("components/terraform/vpc/main.tf", "variable \"b\" {}\n").commit("code");
    assert_eq!(reasons(&repo, &[]), ["locked: component", "vpc: component"]);
    assert_eq!(reasons(&repo, &["--exclude-locked"]), ["vpc: component"]);
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json", "--exit-zero"]).json();
    validate(&schema("report-v1.json"), &report);
    let names = |i: usize| report["code"][0]["components"][i]["component"].clone();
    assert_eq!(report["code"][0]["folder"], "components/terraform/vpc");
    assert_eq!((names(0), names(1), names(2)), (json!("locked"), json!("vpc"), Value::Null));
    let text = repo.run(&["diff", "HEAD~1..HEAD", "--exit-zero"]);
    assert!(
        text.stdout.contains("components/terraform/vpc changed (main.tf): 2 components in 1 stack run different code"),
        "{text}"
    );
    assert!(text.stdout.contains("No change of configuration; 2 components in 1 stack run different code"), "{text}");
    let markdown = repo.run(&["diff", "HEAD~1..HEAD", "--format", "markdown", "--exit-zero"]);
    assert!(
        markdown.stdout.contains("- `components/terraform/vpc` changed: 2 components in 1 stack run"),
        "{markdown}"
    );
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code", "--fail-on", "never"]).ends_with(3);
}

#[test]
fn modules_and_files_affect_components() {
    let repo = coded();
    repo.write("components/terraform/near/main.tf", "# changed\n").write("configs/a.json", "2\n").commit("near");
    assert_eq!(reasons(&repo, &[]), ["app: file", "far: component.module"]);
    repo.write("modules/m/main.tf", "locals {\n  a = 1\n}\n").commit("outside");
    assert_eq!(reasons(&repo, &[]), ["app: component.module (extra)"]);
    assert_eq!(matrix(&repo, "HEAD~1..HEAD").len(), 1);
}

#[test]
fn dependents_are_followed() {
    let repo = coded();
    repo.write("components/terraform/vpc/main.tf", "variable \"b\" {}\n").commit("code");
    let arguments = ["diff", "HEAD~1..HEAD", "--format", "affected", "--include-dependents", "--include-settings"];
    let json = repo.run(&arguments).ends_with(0).json();
    validate(&schema("affected.json"), &json);
    let vpc = item(json.as_array().unwrap(), "dev", "vpc");
    assert_eq!(vpc["dependents"][0]["component"], "app");
    assert_eq!(vpc["dependents"][0]["dependents"][0]["component"], "far");
    assert_eq!(vpc["dependents"][0]["dependents"][0]["dependents"], json!([]));
    assert_eq!((&vpc["settings"], &vpc["included_in_dependents"]), (&json!({}), &json!(false)));
}

#[test]
fn dependencies_that_lead_back_end() {
    let repo = Repo::atmos();
    let stack = |a: u32| {
        format!(
            "vars: {{stage: dev}}\ncomponents:\n  terraform:\n    \
             a: {{vars: {{a: {a}}}, dependencies: {{components: [{{component: b}}]}}}}\n    \
             b: {{dependencies: {{components: [{{component: a}}]}}}}\n"
        )
    };
    repo.write("stacks/deploy/dev.yaml", stack(1)).commit("base");
    repo.write("stacks/deploy/dev.yaml", stack(2)).commit("head");
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected", "--include-dependents"]).ends_with(0).json();
    assert_eq!(json[0]["dependents"][0]["component"], "b");
    assert_eq!(json[0]["dependents"][0]["dependents"], json!([]));
}

#[test]
fn a_list_that_may_lack_something_fails() {
    let repo = coded();
    repo.write("components/terraform/vpc/main.tf", "variable \"b\" {\n").commit("broken code");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]).ends_with(1);
    run.complains("components/terraform/vpc/main.tf");
    repo.write("components/terraform/vpc/main.tf", "")
        .write("stacks/deploy/prod.yaml", "a: [\n")
        .commit("broken stack");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "matrix"]).ends_with(1).complains("deploy/prod");
}

#[test]
fn both_revisions_are_read_with_the_configuration_of_the_head() {
    let repo = coded();
    let config = std::fs::read_to_string(repo.root().join("atmos.yaml")).unwrap();
    repo.write("atmos.yaml", config + "env: {A: b}\n").commit("config");
    assert!(reasons(&repo, &[]).iter().all(|line| line.ends_with("stack.env (extra)")));
}

#[test]
fn one_state_affects_nothing_and_that_is_said() {
    for format in ["affected", "matrix"] {
        Repo::review()
            .run(&["check", "--format", format])
            .ends_with(2)
            .complains("[possible values: text, concise, json");
    }
}
