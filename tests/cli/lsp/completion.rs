//! What may stand at a place, also in files that cannot be read while they are typed.

use super::client::Client;
use super::{CODE, STACK, labels, repo, typed};
use crate::common::Repo;
use serde_json::{Value, json};

/// The labels behind a new text (see [`typed`]).
fn after(client: &mut Client, path: &str, (text, old): (&str, &str), new: &str) -> Vec<String> {
    labels(&typed(client, path, (text, old), new))
}

fn has(found: &[String], names: &[&str]) {
    for name in names {
        assert!(found.iter().any(|label| label == name), "{name} is not in {found:?}");
    }
}

#[test]
fn names_of_files_components_locals_and_rules() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    let complete = "textDocument/completion";
    has(&labels(&client.at(complete, path, STACK, "catalog/vpc", 4)), &["catalog/vpc", "deploy/prod"]);
    assert_eq!(labels(&client.at(complete, path, STACK, "inherits: [vpc]", 12)), ["app", "vpc"]);
    let typed = format!("locals: {{zone: a}}\n{}", STACK.replace("label: app", "label: '{{ .locals.z }}'"));
    client.change(path, 4, &typed);
    assert_eq!(labels(&client.at(complete, path, &typed, ".locals.z ", 9)), ["zone"]);
    let typed = format!("# stacklint: ignore-file[unu] reason\n{STACK}");
    client.change(path, 5, &typed);
    has(&labels(&client.at(complete, path, &typed, "unu", 3)), &["unused-local"]);
    client.shut_down();
}

#[test]
fn keys_come_from_the_description_of_the_file() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    // Half a key breaks the file.
    let found = after(&mut client, path, (STACK, "      metadata:"), "      me¦\n      metadata:");
    assert!(!found.contains(&"metadata".to_owned()), "{found:?}: it is there already");
    let found = after(&mut client, path, (STACK, "        cidr: 10.1.0.0/16\n"), "        cidr: 1\n      set");
    has(&found, &["settings", "metadata", "backend_type"]);
    assert!(!found.contains(&"vars".to_owned()), "{found:?}");
    has(&after(&mut client, path, (STACK, "vars: {stage: dev}"), "vars: {stage: dev}\nset"), &["settings", "locals"]);
    let found = after(&mut client, path, (STACK, "metadata: {component: vpc, "), "metadata: {component: vpc, ty");
    has(&found, &["type", "enabled"]);
    assert!(!found.contains(&"stage".to_owned()));
    let found = after(&mut client, path, (STACK, "inherits: [vpc]}"), "inherits: [vpc], type: ");
    has(&found, &["abstract", "real"]);
    // With a colon where none follows.
    let found = typed(&mut client, path, (STACK, "vars: {stage: dev}"), "vars: {stage: dev}\nset");
    let settings = found.as_array().unwrap().iter().find(|item| item["label"] == "settings").unwrap();
    assert_eq!(settings["textEdit"]["newText"], "settings:");
    assert_eq!(settings["textEdit"]["range"]["start"]["character"], 0);
    let found = typed(&mut client, path, (STACK, "vars: {stage: dev}"), "settings:\n  dep");
    let old = found.as_array().unwrap().iter().find(|item| item["label"] == "depends_on").unwrap();
    assert_eq!(
        (&old["tags"][0], &old["detail"]),
        (&Value::from(1), &Value::from("deprecated: use dependencies.components"))
    );
    client.shut_down();
}

#[test]
fn variables_of_code_with_their_types_and_descriptions() {
    let repo = repo();
    let code = CODE.replace(
        "variable \"extra\" { default = 1 }",
        "variable \"extra\" {\n  type        = list(string)\n  description = \"More of it.\"\n}",
    );
    repo.write("components/terraform/vpc/main.tf", code);
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    client.wait_until_idle();
    let found = typed(&mut client, path, (STACK, "        label: 'net"), "        ex¦\n        label: 'net");
    let found: Vec<Value> = found.as_array().unwrap().clone();
    let extra = found.iter().find(|item| item["label"] == "extra").unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(extra["detail"], "required list(string), of components/terraform/vpc");
    assert_eq!(extra["documentation"], "More of it.");
    assert!(!found.iter().any(|item| item["label"] == "cidr"), "it is there already");
    client.shut_down();
}

#[test]
fn templates_that_are_not_closed_have_members() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    client.wait_until_idle();
    let label = "label: 'net 😀 {{ .vars.stage }}'";
    let found = after(&mut client, path, (STACK, label), "label: 'net 😀 {{ .vars.");
    has(&found, &["stage", "cidr", "zones"]);
    let found = typed(&mut client, path, (STACK, label), "label: 'net 😀 {{ .vars.st");
    let stage = found.as_array().unwrap().iter().find(|item| item["label"] == "stage").unwrap();
    assert_eq!(stage["detail"], "\"dev\"");
    has(&after(&mut client, path, (STACK, label), "label: '{{ ."), &["vars", "settings", "metadata"]);
    let found = after(&mut client, path, (STACK, label), "label: '{{ up");
    has(&found, &["upper", "printf", "strings", "atmos"]);
    has(&after(&mut client, path, (STACK, label), "label: '{{ strings.To"), &["ToUpper"]);
    has(&after(&mut client, path, (STACK, label), "label: '{{ (atmos.Component \"v"), &["vpc", "app"]);
    has(&after(&mut client, path, (STACK, label), "label: '{{ (atmos.Component \"vpc\" \"p"), &["dev", "prod"]);
    // Locals of a file that is broken now.
    let with_locals = format!("locals: {{zone: a}}\n{STACK}");
    client.change(path, 8, &with_locals);
    client.wait_until_idle();
    assert_eq!(after(&mut client, path, (&with_locals, label), "label: '{{ .locals."), ["zone"]);
    client.shut_down();
}

#[test]
fn functions_and_their_arguments() {
    let repo = repo();
    repo.write("components/terraform/vpc/outputs.tf", "output \"vpc_id\" { value = 1 }\n");
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    client.wait_until_idle();
    let label = "label: app";
    let found = typed(&mut client, path, (STACK, label), "label: !ter");
    let state = found.as_array().unwrap().iter().find(|item| item["label"] == "!terraform.state").unwrap();
    assert_eq!(state["detail"], "COMPONENT [STACK] OUTPUT");
    assert_eq!(state["textEdit"]["range"]["start"]["character"], 15);
    has(&after(&mut client, path, (STACK, label), "label: !terraform.state v"), &["vpc", "app"]);
    has(&after(&mut client, path, (STACK, label), "label: !terraform.state vpc v"), &["vpc_id", "dev", "prod"]);
    assert_eq!(after(&mut client, path, (STACK, label), "label: !terraform.state vpc dev "), ["vpc_id"]);
    client.shut_down();
}

#[test]
fn settings_of_the_project_have_keys() {
    let repo = repo();
    let mut client = Client::start(&repo);
    let text = std::fs::read_to_string(repo.root().join("atmos.yaml")).unwrap();
    client.open("atmos.yaml", &text);
    client.wait_until_idle();
    let typed = format!("{text}\nlo");
    client.change("atmos.yaml", 2, &typed);
    let line = typed.lines().count() - 1;
    let document = json!({"uri": client.uri("atmos.yaml")});
    let position = json!({"line": line, "character": 2});
    let params = json!({"textDocument": document, "position": position});
    has(&labels(&client.request("textDocument/completion", params)), &["logs", "workflows"]);
    client.shut_down();
}

#[test]
fn files_of_garden() {
    let repo = Repo::new();
    let project = "apiVersion: garden.io/v2\nkind: Project\nname: demo\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\nvariables: {region: eu, db: {size: 3}}\n";
    let action = "kind: Build\ntype: exec\nname: api\nspec: {command: [make]}\n---\nkind: Run\ntype: exec\nname: db\ndependencies: [build.api]\nspec:\n  command: [echo, '${var.region}']\n";
    repo.write("project.garden.yml", project).write("api/garden.yml", action);
    let path = "api/garden.yml";
    let mut client = Client::start(&repo);
    client.open(path, action);
    client.wait_until_idle();
    let text = "${var.region}'";
    has(&after(&mut client, path, (action, text), "${var."), &["region", "db"]);
    assert_eq!(after(&mut client, path, (action, text), "${var.db."), ["size"]);
    has(&after(&mut client, path, (action, text), "${a"), &["actions", "environment", "base64Encode"]);
    assert_eq!(after(&mut client, path, (action, text), "${actions.build."), ["api"]);
    has(&after(&mut client, path, (action, "name: db\n"), "name: db\ndis"), &["disabled", "timeout"]);
    has(&after(&mut client, path, (action, "[build.api]"), "[bu"), &["build.api", "run.db"]);
    has(&after(&mut client, path, (action, "kind: Run"), "kind: "), &["Deploy", "Workflow"]);
    client.shut_down();
}
