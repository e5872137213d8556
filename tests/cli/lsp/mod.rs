//! The language server.

pub(crate) mod client;
mod code;
mod completion;
mod protocol;
mod refactorings;
mod session;
mod tokens;

use crate::common::Repo;
use client::{Client, position};
use serde_json::{Value, json};

const STACK: &str = "\
import: [catalog/vpc]
vars: {stage: dev}
components:
  terraform:
    vpc:
      vars:
        cidr: 10.1.0.0/16
        label: 'net 😀 {{ .vars.stage }}'
    app:
      metadata: {component: vpc, inherits: [vpc]}
      vars:
        cidr: 10.2.0.0/16
        label: app
";

const CATALOG: &str = "\
components:
  terraform:
    vpc:
      vars:
        cidr: 10.0.0.0/16
        zones: 2
";

const CODE: &str = "\
variable \"cidr\" {}
variable \"label\" {}
variable \"stage\" { default = \"\" }
variable \"zones\" { default = 1 }
variable \"extra\" { default = 1 }
";

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", STACK)
        .write("stacks/deploy/prod.yaml", STACK.replace("dev", "prod"))
        .write("stacks/catalog/vpc.yaml", CATALOG)
        .write("components/terraform/vpc/main.tf", CODE);
    repo
}

fn text(hover: &Value) -> &str {
    hover["contents"]["value"].as_str().unwrap_or_default()
}

/// The labels of items of a completion.
fn labels(items: &Value) -> Vec<String> {
    items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

/// The completion behind a new text, which replaces `old` in a text, or where `¦` stands in it.
fn typed(client: &mut Client, path: &str, (text, old): (&str, &str), new: &str) -> Value {
    assert!(text.contains(old), "{text:?} has no {old:?}");
    let new = if new.contains('¦') { new.to_owned() } else { format!("{new}¦") };
    let marked = text.replacen(old, &new, 1);
    let text = marked.replace('¦', "");
    client.change(path, 2, &text);
    let before = &marked[..marked.find('¦').unwrap()];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
    let document = json!({"uri": client.uri(path)});
    let params = json!({"textDocument": document, "position": {"line": line, "character": column}});
    client.request("textDocument/completion", params)
}

/// The file names and lines (from 0) of locations.
fn places(locations: &Value) -> Vec<(String, u64)> {
    let one = |l: &Value| {
        let name = l["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        (name, l["range"]["start"]["line"].as_u64().unwrap())
    };
    locations.as_array().unwrap_or(&Vec::new()).iter().map(one).collect()
}

fn place(name: &str, line: u64) -> (String, u64) {
    (name.to_owned(), line)
}

#[test]
fn findings_follow_what_is_typed_and_are_those_of_check() {
    let repo = repo();
    let mut client = Client::start(&repo);
    client.wait_until_idle();
    assert_eq!(client.shown.values().map(Vec::len).sum::<usize>(), 0, "{:?}", client.shown);
    // The file on the disk stays as it is.
    let path = "stacks/deploy/dev.yaml";
    client.open(path, STACK);
    let broken = STACK.replace("cidr: 10.1.0.0/16", "cidrr: 10.1.0.0/16").replace(".vars.stage", ".vars.stag");
    client.change(path, 2, &broken);
    client.wait_until_idle();
    let found = client.found(path);
    assert!(found.contains(&("undeclared-variable".to_owned(), 6)), "{found:?}");
    // The same as `check` of the same text.
    repo.write(path, &broken);
    let check = repo.run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&check.stdout).unwrap();
    let mut expected: Vec<(String, u64)> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            assert_eq!(f["file"], path, "{f}");
            (f["rule"].as_str().unwrap().to_owned(), f["line"].as_u64().unwrap() - 1)
        })
        .collect();
    expected.sort();
    assert_eq!(found, expected);
    let first = &client.shown[&client.uri(path)][0];
    assert_eq!(first["source"], "stacklint");
    assert!(first["codeDescription"]["href"].as_str().unwrap().contains("docs/rules/"), "{first}");
    // And back again.
    client.change(path, 3, STACK);
    client.wait_until_idle();
    assert_eq!(client.found(path), []);
    assert_eq!(client.shut_down(), (0, String::new()));
}

#[test]
fn an_edit_shows_what_it_breaks_in_other_files() {
    let repo = repo();
    let mut client = Client::start(&repo);
    let path = "stacks/catalog/vpc.yaml";
    client.open(path, CATALOG);
    client.change(path, 2, &CATALOG.replace("vars:", "vars: &a"));
    client.change(path, 3, "components: {terraform: {vpc: {vars: [1]}}}\n");
    client.wait_until_idle();
    let broken: Vec<&String> = client.shown.iter().filter(|(_, all)| !all.is_empty()).map(|(uri, _)| uri).collect();
    assert!(!broken.is_empty());
    let document = json!({"uri": client.uri(path)});
    client.notify("textDocument/didClose", json!({ "textDocument": document }));
    client.wait_until_idle();
    assert!(client.shown.values().all(Vec::is_empty), "{:?}", client.shown);
    client.shut_down();
}

#[test]
fn hover_shows_values_with_their_history() {
    let repo = repo();
    let mut client = Client::start(&repo);
    client.open("stacks/deploy/dev.yaml", STACK);
    client.open("stacks/catalog/vpc.yaml", CATALOG);
    let hover = client.at("textDocument/hover", "stacks/deploy/dev.yaml", STACK, "cidr: 10.1", 7);
    let shown = text(&hover);
    let [stack, catalog] = ["stacks/deploy/dev.yaml", "stacks/catalog/vpc.yaml"].map(|path| client.uri(path));
    for part in [
        "reaches 1 component in 1 stack",
        "`vars.cidr` = `\"10.1.0.0/16\"` in `dev`",
        &format!("set at [`stacks/deploy/dev.yaml:7`]({stack}#L7)"),
        &format!("replaces [`stacks/catalog/vpc.yaml:5`]({catalog}#L5) (`\"10.0.0.0/16\"`)"),
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    // Behind a template, and behind characters of two units.
    let hover = client.at("textDocument/hover", "stacks/deploy/dev.yaml", STACK, ".vars.stage", 2);
    assert!(text(&hover).contains("`vars.label` = `\"net 😀 dev\"` in `dev`"), "{hover}");
    // Values that several inherit, and values that are overridden everywhere.
    let hover = client.at("textDocument/hover", "stacks/catalog/vpc.yaml", CATALOG, "zones", 1);
    assert!(text(&hover).contains("reaches 4 components in 2 stacks"), "{hover}");
    let hover = client.at("textDocument/hover", "stacks/catalog/vpc.yaml", CATALOG, "cidr", 1);
    assert!(text(&hover).contains(&format!("replaced by [`stacks/deploy/dev.yaml:7`]({stack}#L7)")), "{hover}");
    let hover = client.at("textDocument/hover", "stacks/deploy/dev.yaml", STACK, "catalog/vpc", 3);
    assert!(
        text(&hover).contains(&format!(
            "leads to 1 file\n- [`stacks/catalog/vpc.yaml`]({catalog}), part of 2 stacks\n  - sets `vars.zones` of 4 components"
        )),
        "{hover}"
    );
    let commented = format!("# stacklint: ignore-file[unused-local] reason\n{STACK}");
    client.change("stacks/deploy/dev.yaml", 2, &commented);
    let hover = client.at("textDocument/hover", "stacks/deploy/dev.yaml", &commented, "unused-local", 3);
    assert!(text(&hover).starts_with("# unused-local"), "{hover}");
    let hover = client.at("textDocument/hover", "stacks/deploy/dev.yaml", &commented, "import", 0);
    assert!(!text(&hover).contains("panicked"));
    client.shut_down();
}

#[test]
fn hover_masks_secrets() {
    let repo = repo();
    let stack = STACK.replace("label: app", "db_password: hunter2-and-more");
    let mut client = Client::start(&repo);
    client.open("stacks/deploy/dev.yaml", &stack);
    let hover = client.at("textDocument/hover", "stacks/deploy/dev.yaml", &stack, "db_password", 2);
    assert!(text(&hover).contains("vars.db_password") && !text(&hover).contains("hunter2"), "{hover}");
    client.shut_down();
}

#[test]
fn definitions_and_references() {
    let locals = format!("locals: {{zone: a}}\n{}", STACK.replace("label: app", "label: '{{ .locals.zone }}'"));
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, &locals);
    let definition = "textDocument/definition";
    assert_eq!(places(&client.at(definition, path, &locals, "catalog/vpc", 2)), [place("vpc.yaml", 0)]);
    assert_eq!(places(&client.at(definition, path, &locals, ".locals.zone", 9)), [place("dev.yaml", 0)]);
    assert_eq!(places(&client.at(definition, path, &locals, "inherits: [vpc]", 12)), [place("vpc.yaml", 2)]);
    assert_eq!(places(&client.at(definition, path, &locals, "cidr: 10.1", 1)), [place("main.tf", 0)]);
    let references = "textDocument/references";
    let both = [place("dev.yaml", 0), place("dev.yaml", 13)];
    assert_eq!(places(&client.at(references, path, &locals, ".locals.zone", 9)), both);
    assert_eq!(places(&client.at(references, path, &locals, "zone: a", 1)), both);
    let importers = [place("dev.yaml", 1), place("prod.yaml", 0)];
    assert_eq!(places(&client.at(references, path, &locals, "catalog/vpc", 2)), importers);
    let named = places(&client.at(references, path, &locals, "    vpc:", 5));
    assert!(named.contains(&place("vpc.yaml", 2)) && named.contains(&place("dev.yaml", 10)), "{named:?}");
    let links = client.at("textDocument/documentLink", path, &locals, "import", 0);
    assert!(links[0]["target"].as_str().unwrap().ends_with("stacks/catalog/vpc.yaml"), "{links}");
    assert_eq!(links[0]["range"]["start"], position(&locals, "catalog/vpc", 0));
    client.shut_down();
}

#[test]
fn symbols_and_lenses() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    let outline = client.at("textDocument/documentSymbol", path, STACK, "import", 0);
    assert_eq!(outline[2]["name"], "components");
    assert_eq!(outline[2]["children"][0]["children"][1]["name"], "app");
    let found = client.request("workspace/symbol", json!({"query": "AP"}));
    let names: Vec<&str> = found.as_array().unwrap().iter().map(|s| s["containerName"].as_str().unwrap()).collect();
    assert_eq!(names, ["dev", "prod"], "{found}");
    let lenses = client.at("textDocument/codeLens", path, STACK, "import", 0);
    let line = |name: &str| position(STACK, name, 0)["line"].clone();
    let lens = lenses.as_array().unwrap().iter().find(|l| l["range"]["start"]["line"] == line("    app:")).unwrap();
    let resolved = client.request("codeLens/resolve", lens.clone());
    assert_eq!(resolved["command"]["title"], "1 component in 1 stack");
    client.shut_down();
}

#[test]
fn fixes_and_comments() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let stack = STACK.replace("cidr: 10.1.0.0/16", "cidrr: 10.1.0.0/16");
    let mut client = Client::start(&repo);
    client.open(path, &stack);
    let at = position(&stack, "cidrr", 1);
    let document = json!({"uri": client.uri(path)});
    let params = json!({"textDocument": document, "range": {"start": at, "end": at}, "context": {"diagnostics": []}});
    let actions = client.request("textDocument/codeAction", params);
    let titled = |start: &str| {
        let all = actions.as_array().unwrap();
        let action = all.iter().find(|a| a["title"].as_str().unwrap().starts_with(start));
        action.unwrap_or_else(|| panic!("no {start} in {actions}")).clone()
    };
    let edit = titled("Ignore `undeclared-variable`")["edit"]["changes"][client.uri(path)][0].clone();
    assert_eq!(edit["newText"], "        # stacklint: ignore[undeclared-variable] reason\n");
    assert_eq!(edit["range"]["start"], json!({"line": 6, "character": 0}));
    // The comment works.
    let ignored =
        stack.replace("        cidrr", "        # stacklint: ignore[undeclared-variable] reason\n        cidrr");
    client.change(path, 2, &ignored);
    client.wait_until_idle();
    assert!(client.found(path).iter().all(|(rule, _)| rule != "undeclared-variable"), "{:?}", client.found(path));
    client.shut_down();
}

/// A text of short lines after edits, the last one first.
fn edited(text: &str, edits: &[Value]) -> String {
    let mut lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    for edit in edits.iter().rev() {
        let of = |place: &str, part: &str| edit["range"][place][part].as_u64().unwrap() as usize;
        assert_eq!(of("start", "line"), of("end", "line"));
        let new = edit["newText"].as_str().unwrap().encode_utf16();
        lines[of("start", "line")].splice(of("start", "character")..of("end", "character"), new);
    }
    lines.iter().map(|line| String::from_utf16(line).unwrap()).collect::<Vec<_>>().join("\n")
}

const WITH_LOCALS: &str = "\
locals:
  region: us-east-1
  \"zone\": '{{ .locals.region }}a'
vars: {stage: dev}
components:
  terraform:
    vpc:
      vars:
        cidr: 10.1.0.0/16
        label: '😀 {{ .locals.zone }} {{ .locals.region }}'
";

#[test]
fn a_local_is_renamed_where_only_its_file_sees_it() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    repo.write(path, WITH_LOCALS);
    let mut client = Client::start(&repo);
    client.open(path, WITH_LOCALS);
    let prepared = client.at("textDocument/prepareRename", path, WITH_LOCALS, "region: us", 2);
    assert_eq!(prepared["placeholder"], "region", "{prepared}");
    let rename = |client: &mut Client, needle: &str, name: &str| {
        let position = position(WITH_LOCALS, needle, 2);
        let document = json!({"uri": client.uri(path)});
        client.response("textDocument/rename", json!({"textDocument": document, "position": position, "newName": name}))
    };
    for (needle, name, changed) in [("region: us", "place", 3), ("zone }} {{", "az", 2)] {
        let answer = rename(&mut client, needle, name);
        let edits =
            answer["result"]["changes"][client.uri(path)].as_array().cloned().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(edits.len(), changed, "{answer}");
        let renamed = edited(WITH_LOCALS, &edits);
        let old = if name == "place" { "region" } else { "zone" };
        assert_eq!(renamed, WITH_LOCALS.replace(old, name));
    }
    // A name that is already in use, or invalid, and something that is not a local.
    for (needle, name, why) in [
        ("region: us", "zone", "already defined"),
        ("region: us", "a-b", "cannot be the name"),
        ("stage: dev", "x", "only components, stacks and locals"),
    ] {
        let answer = rename(&mut client, needle, name);
        assert!(answer["error"]["message"].as_str().is_some_and(|m| m.contains(why)), "{why}: {answer}");
    }
    assert!(client.at("textDocument/prepareRename", path, WITH_LOCALS, "stage: dev", 2).is_null());
    let indexed = WITH_LOCALS.replace("label: '😀", "label: '{{ index .locals \"region\" }}");
    client.change(path, 2, &indexed);
    assert!(client.at("textDocument/prepareRename", path, &indexed, "region: us", 2).is_null());
    client.shut_down();
}

#[test]
fn hints_show_the_values_behind_templates() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    repo.write(path, WITH_LOCALS);
    let mut client = Client::start(&repo);
    client.open(path, WITH_LOCALS);
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let document = json!({"uri": client.uri(path)});
    let hints = client.request("textDocument/inlayHint", json!({"textDocument": document, "range": range}));
    let shown: Vec<(u64, &str)> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| (hint["position"]["line"].as_u64().unwrap(), hint["label"].as_str().unwrap()))
        .collect();
    assert_eq!(shown, [(9, "= \"😀 us-east-1a us-east-1\"")], "{hints}");
    let first = json!({"start": {"line": 0, "character": 0}, "end": {"line": 5, "character": 0}});
    let document = json!({"uri": client.uri(path)});
    let none = client.request("textDocument/inlayHint", json!({"textDocument": document, "range": first}));
    assert_eq!(none, json!([]));
    client.shut_down();
}
