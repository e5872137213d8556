//! Refactorings in the editor: they are listed at once, and their edits come only if it is proved that nothing differs.

use super::client::{Client, position};
use crate::common::Repo;
use serde_json::{Value, json};

const CATALOG: &str = "components:\n  terraform:\n    vpc:\n      vars:\n        owner: net\n";

/// A stack; that of development has a local, and what has templates is not pruned.
fn stack(stage: &str) -> String {
    let [local, zone] = match stage {
        "dev" => ["locals:\n  zone: a\n", "'{{ .locals.zone }}'"],
        _ => ["", "b"],
    };
    format!(
        "import:\n  - catalog/vpc\n{local}vars:\n  stage: {stage}\n  zone: {zone}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        \
         size: 5 # GB\n        owner: net\n"
    )
}

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", CATALOG)
        .write("stacks/deploy/dev.yaml", stack("dev"))
        .write("stacks/deploy/prod.yaml", stack("prod"))
        .commit("base");
    repo
}

fn capabilities() -> Value {
    json!({"textDocument": {"codeAction": {"dataSupport": true, "resolveSupport": {"properties": ["edit"]}}}})
}

const DEV: &str = "stacks/deploy/dev.yaml";

/// The refactorings at a place of a text, by their titles.
fn offered(client: &mut Client, path: &str, text: &str, needle: &str) -> Vec<Value> {
    let at = position(text, needle, 1);
    let params = json!({
        "textDocument": {"uri": client.uri(path)}, "range": {"start": at, "end": at},
        "context": {"diagnostics": [], "only": ["refactor"], "triggerKind": 1},
    });
    let actions = client.request("textDocument/codeAction", params);
    let is_refactoring = |action: &&Value| action["kind"].as_str().is_some_and(|kind| kind.starts_with("refactor"));
    actions.as_array().unwrap().iter().filter(is_refactoring).cloned().collect()
}

fn titled(actions: &[Value], start: &str) -> Value {
    let found = actions.iter().find(|action| action["title"].as_str().unwrap().starts_with(start));
    found.unwrap_or_else(|| panic!("no {start}: {actions:?}")).clone()
}

/// A text after edits.
fn edited(text: &str, answer: &Value, uri: &str) -> String {
    let edits = answer["changes"][uri].as_array().cloned().unwrap_or_else(|| panic!("nothing for {uri}: {answer}"));
    let at = |place: &Value| -> usize {
        let (line, column) = (place["line"].as_u64().unwrap() as usize, place["character"].as_u64().unwrap() as usize);
        text.split_inclusive('\n').take(line).map(str::len).sum::<usize>() + column
    };
    let mut result = text.to_owned();
    for edit in edits.iter().rev() {
        let range = at(&edit["range"]["start"])..at(&edit["range"]["end"]);
        result.replace_range(range, edit["newText"].as_str().unwrap());
    }
    result
}

#[test]
fn what_is_chosen_is_edited_if_it_has_no_effect() {
    let repo = repo();
    let mut client = Client::with(&repo, capabilities());
    client.open(DEV, &stack("dev"));
    let actions = offered(&mut client, DEV, &stack("dev"), "size: 5");
    let hoist = titled(&actions, "Move `components.terraform.vpc.vars.size` from 2 files into stacks/catalog/vpc.yaml");
    assert_eq!(hoist.get("edit"), None, "listing proves nothing");
    let resolved = client.request("codeAction/resolve", hoist);
    let edit = &resolved["edit"];
    let catalog = edited(CATALOG, edit, &client.uri("stacks/catalog/vpc.yaml"));
    assert_eq!(catalog, format!("{CATALOG}        size: 5 # GB\n"));
    for stage in ["dev", "prod"] {
        let uri = client.uri(&format!("stacks/deploy/{stage}.yaml"));
        assert_eq!(edited(&stack(stage), edit, &uri), stack(stage).replace("        size: 5 # GB\n", ""));
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "the editor edits, not the server");
    let prod = "stacks/deploy/prod.yaml";
    client.open(prod, &stack("prod"));
    let prune = titled(&offered(&mut client, prod, &stack("prod"), "owner"), "Remove redundant values of this file");
    let resolved = client.request("codeAction/resolve", prune);
    let pruned = edited(&stack("prod"), &resolved["edit"], &client.uri(prod));
    assert_eq!(pruned, stack("prod").replace("        owner: net\n", ""));
    let inline = titled(&offered(&mut client, DEV, &stack("dev"), "zone: a"), "Write the value of `zone`");
    let resolved = client.request("codeAction/resolve", inline);
    let expected = stack("dev").replace("locals:\n  zone: a\n", "").replace("'{{ .locals.zone }}'", "'a'");
    assert_eq!(edited(&stack("dev"), &resolved["edit"], &client.uri(DEV)), expected);
    // The opposite of the first one, in the file that others import.
    client.open("stacks/catalog/vpc.yaml", &catalog);
    let without = |stage| stack(stage).replace("        size: 5 # GB\n", "");
    client.change(DEV, 2, &without("dev"));
    client.change(prod, 2, &without("prod"));
    let actions = offered(&mut client, "stacks/catalog/vpc.yaml", &catalog, "size");
    let inline = titled(&actions, "Move `components.terraform.vpc.vars.size` into 2 files that import this one");
    let resolved = client.request("codeAction/resolve", inline);
    let dev = edited(&without("dev"), &resolved["edit"], &client.uri(DEV));
    assert_eq!(dev, format!("{}        size: 5 # GB\n", without("dev")));
    client.shut_down();
}

#[test]
fn what_would_have_an_effect_is_refused_with_the_difference() {
    let repo = repo();
    repo.write("stacks/catalog/all.yaml", "import:\n  - catalog/vpc\n")
        .write("stacks/deploy/test.yaml", "import:\n  - catalog/all\nvars:\n  stage: test\n");
    let mut client = Client::with(&repo, capabilities());
    client.open(DEV, &stack("dev"));
    let actions = offered(&mut client, DEV, &stack("dev"), "size: 5");
    let names: Vec<&str> = actions.iter().map(|action| action["title"].as_str().unwrap()).collect();
    assert_eq!(names, ["Remove redundant values of this file"], "another stack imports the catalog");
    let hoist = json!({"Hoist": {"path": "components.terraform.vpc.vars.size", "into": "stacks/catalog/vpc.yaml", "base": null}});
    let action = json!({"title": "x", "data": {"uri": client.uri(DEV), "refactoring": hoist}});
    let answer = client.response("codeAction/resolve", action);
    let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(message.contains("for example vars.size of vpc in test: – → 5"), "{message}");
    // Clients that do not complete actions get none.
    client.shut_down();
    let mut client = Client::start(&repo);
    client.open(DEV, &stack("dev"));
    assert_eq!(offered(&mut client, DEV, &stack("dev"), "size: 5"), Vec::<Value>::new());
    client.shut_down();
}

#[test]
fn components_and_stacks_get_other_names() {
    let repo = repo();
    let mut client = Client::with(&repo, capabilities());
    let named = format!("{}name: first\n", stack("dev"));
    let text = stack("dev");
    client.open(DEV, &text);
    let rename = |client: &mut Client, text: &str, needle: &str, name: &str| {
        let document = json!({"uri": client.uri(DEV)});
        let position = position(text, needle, 1);
        client.response("textDocument/rename", json!({"textDocument": document, "position": position, "newName": name}))
    };
    let prepared = client.at("textDocument/prepareRename", DEV, &text, "vpc:", 1);
    assert_eq!(prepared["placeholder"], "vpc", "{prepared}");
    let answer = rename(&mut client, &text, "vpc:", "net/main");
    let expected = text.replace("    vpc:", "    net/main:");
    assert_eq!(edited(&text, &answer["result"], &client.uri(DEV)), expected);
    let catalog = edited(CATALOG, &answer["result"], &client.uri("stacks/catalog/vpc.yaml"));
    assert!(catalog.contains("    net/main:\n") && catalog.contains("component: vpc\n"), "{catalog}");
    client.change(DEV, 2, &named);
    let answer = rename(&mut client, &named, "irst", "second");
    assert!(edited(&named, &answer["result"], &client.uri(DEV)).contains("name: second\n"), "{answer}");
    let answer = rename(&mut client, &named, "irst", "prod");
    assert!(answer["error"]["message"].as_str().is_some_and(|m| m.contains("a stack `prod` already")), "{answer}");
    assert!(client.at("textDocument/prepareRename", DEV, &named, "size: 5", 1).is_null());
    client.shut_down();
}
