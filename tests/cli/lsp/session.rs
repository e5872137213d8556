//! The lifecycle of a connection: start, requests, shutdown.

use super::client::{Client, position};
use super::{CATALOG, STACK, repo};
use crate::common::Repo;
use serde_json::{Value, json};

#[test]
fn positions_are_counted_as_agreed() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let text = STACK.replace("{{ .vars.stage }}", "{{ .locals.nothing }}").replace('\n', "\r\n");
    for (encodings, name) in [(json!(["utf-8", "utf-16"]), "utf-8"), (json!(["utf-16"]), "utf-16")] {
        let mut client = Client::silent(repo.root());
        let capabilities = json!({"general": {"positionEncodings": encodings}});
        let uri = format!("file://{}", repo.root().display());
        let begun = client.request("initialize", json!({"rootUri": uri, "capabilities": capabilities}));
        assert_eq!(begun["capabilities"]["positionEncoding"], name);
        client.notify("initialized", json!({}));
        client.open(path, &text);
        client.wait_until_idle();
        let found = &client.shown[&client.uri(path)];
        let line = text.lines().nth(7).unwrap();
        let before = &line[..line.find("nothing").unwrap()];
        let columns = if name == "utf-8" { before.len() } else { before.encode_utf16().count() };
        let is_there = |d: &&Value| {
            let (start, end) = (&d["range"]["start"], &d["range"]["end"]);
            let columns = columns as u64;
            start["line"] == 7
                && start["character"].as_u64() <= Some(columns)
                && end["character"].as_u64() > Some(columns)
        };
        assert!(found.iter().any(|d| is_there(&d)), "{name}: {found:?}");
        client.shut_down();
    }
}

#[test]
fn edits_of_ranges_apply() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    let start = position(STACK, "cidr: 10.1", 4);
    let document = json!({"uri": client.uri(path), "version": 2});
    let edit = json!({"range": {"start": start, "end": start}, "text": "r"});
    client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": [edit]}));
    client.wait_until_idle();
    assert!(client.found(path).contains(&("undeclared-variable".to_owned(), 6)), "{:?}", client.found(path));
    client.shut_down();
}

#[test]
fn files_on_the_disk_are_read_again_when_the_client_says_so() {
    let repo = repo();
    let capabilities = json!({
        "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}},
        "window": {"workDoneProgress": true},
    });
    let mut client = Client::with(&repo, capabilities);
    client.wait_until_idle();
    repo.write("stacks/catalog/vpc.yaml", CATALOG.replace("zones", "zoness"));
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": []}));
    client.wait_until_idle();
    assert_eq!(client.found("stacks/catalog/vpc.yaml"), [("undeclared-variable".to_owned(), 5)]);
    let methods: Vec<&str> = client.sent.iter().filter_map(|m| m["method"].as_str()).collect();
    for method in ["client/registerCapability", "window/workDoneProgress/create", "$/progress"] {
        assert!(methods.contains(&method), "{methods:?}");
    }
    client.shut_down();
}

#[test]
fn nothing_to_analyze_is_said() {
    let repo = Repo::new();
    let mut client = Client::start(&repo);
    client.wait_until_idle();
    let said: Vec<&Value> = client.sent.iter().filter(|m| m["method"] == "window/logMessage").collect();
    assert!(said[0]["params"]["message"].as_str().unwrap().contains("no "), "{said:?}");
    // Answers are empty, not errors.
    client.open("a.yaml", "a: 1\n");
    assert_eq!(client.at("textDocument/hover", "a.yaml", "a: 1\n", "a", 0), Value::Null);
    client.shut_down();
}

#[test]
fn files_outside_of_the_workspace_have_no_answers() {
    let repo = repo();
    let mut client = Client::start(&repo);
    for uri in ["untitled:Untitled-1", "file:///nowhere/a.yaml", "https://example.com/a.yaml"] {
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": "a: 1\n"});
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let params = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}});
        assert_eq!(client.request("textDocument/hover", params), Value::Null, "{uri}");
    }
    client.shut_down();
}

#[test]
fn only_what_is_new_since_the_last_commit_is_shown_if_asked_for() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let old = STACK.replace("cidr: 10.1.0.0/16", "cidrr: 10.1.0.0/16");
    repo.write(path, &old);
    repo.commit("first");
    let mut client = Client::options(&repo, json!({"onlyNew": true}));
    client.open(path, &old);
    client.wait_until_idle();
    assert_eq!(client.found(path), []);
    // Lines move, and something is wrong that was not.
    let new = format!("# one line more\n{}", old.replace("label: app", "labell: app"));
    client.change(path, 2, &new);
    client.wait_until_idle();
    assert_eq!(client.found(path), [("undeclared-variable".to_owned(), 13)], "{:?}", client.shown);
    // All of it again.
    let settings = |only_new: bool| json!({"settings": {"stacklint": {"onlyNew": only_new}}});
    client.notify("workspace/didChangeConfiguration", settings(false));
    client.wait_until_idle();
    assert_eq!(client.found(path).len(), 2, "{:?}", client.shown);
    client.notify("workspace/didChangeConfiguration", settings(true));
    repo.write(path, &new);
    repo.commit("second");
    client.notify("workspace/didChangeWatchedFiles", json!({"changes": []}));
    client.wait_until_idle();
    assert_eq!(client.found(path), []);
    client.shut_down();
}

#[test]
fn settings_are_asked_for_where_the_client_answers() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let old = STACK.replace("cidr: 10.1.0.0/16", "cidrr: 10.1.0.0/16");
    repo.write(path, &old);
    repo.commit("first");
    let mut client = Client::with(&repo, json!({"workspace": {"configuration": true}}));
    client.answers.insert("workspace/configuration".to_owned(), json!([{"onlyNew": true}]));
    client.wait_until_idle();
    client.open(path, &old);
    client.wait_until_idle();
    assert_eq!(client.found(path), []);
    client.answers.insert("workspace/configuration".to_owned(), json!([{"onlyNew": false}]));
    client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    client.wait_until_idle();
    client.wait_until_idle();
    assert_eq!(client.found(path).len(), 1);
    assert!(
        client
            .sent
            .iter()
            .any(|m| m["method"] == "workspace/configuration" && m["params"]["items"][0]["section"] == "stacklint")
    );
    client.shut_down();
}

#[test]
fn folders_come_and_go() {
    let (first, second) = (repo(), repo());
    let path = "stacks/deploy/dev.yaml";
    let broken = STACK.replace("cidr: 10.1.0.0/16", "cidrr: 10.1.0.0/16");
    second.write(path, &broken);
    let mut client = Client::start(&first);
    client.wait_until_idle();
    assert!(client.shown.values().all(Vec::is_empty));
    let uri = format!("file://{}", second.root().display());
    let folder = json!([{"uri": uri, "name": "second"}]);
    let none = json!([]);
    let symbols = |client: &mut Client| {
        let found = client.request("workspace/symbol", json!({"query": "app"}));
        found.as_array().unwrap().len()
    };
    assert_eq!(symbols(&mut client), 2);
    let change = |added: &Value, removed: &Value| json!({"event": {"added": added, "removed": removed}});
    client.notify("workspace/didChangeWorkspaceFolders", change(&folder, &none));
    client.wait_until_idle();
    assert_eq!(client.shown[&format!("{uri}/{path}")].len(), 1, "{:?}", client.shown);
    assert_eq!(symbols(&mut client), 4, "those of both folders");
    client.notify("workspace/didChangeWorkspaceFolders", change(&none, &folder));
    client.wait_until_idle();
    assert!(client.shown.values().all(Vec::is_empty), "{:?}", client.shown);
    assert_eq!(symbols(&mut client), 2);
    // Again, twice, and a folder that does not exist.
    client.notify("workspace/didChangeWorkspaceFolders", change(&folder, &none));
    client.notify("workspace/didChangeWorkspaceFolders", change(&folder, &none));
    let nowhere = json!([{"uri": "file:///nowhere/at/all", "name": "nowhere"}, {"uri": "untitled:x", "name": "x"}]);
    client.notify("workspace/didChangeWorkspaceFolders", change(&nowhere, &nowhere));
    client.wait_until_idle();
    assert_eq!(symbols(&mut client), 4);
    assert_eq!(client.shut_down(), (0, String::new()));
}

#[test]
fn crlf_and_emoji_in_every_answer() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let text = STACK.replace('\n', "\r\n");
    for encoding in ["utf-8", "utf-16"] {
        let mut client = Client::with(&repo, json!({"general": {"positionEncodings": [encoding]}}));
        client.open(path, &text);
        let line = text.lines().nth(7).unwrap();
        let units = |at: usize| match encoding {
            "utf-8" => at,
            _ => line[..at].encode_utf16().count(),
        };
        let at = line.find(".stage").unwrap() + 2;
        let document = json!({"uri": client.uri(path)});
        let params = json!({"textDocument": document, "position": {"line": 7, "character": units(at)}});
        let hover = client.request("textDocument/hover", params.clone());
        assert!(hover["contents"]["value"].as_str().unwrap().contains("net 😀 dev"), "{encoding}: {hover}");
        let found = client.request("textDocument/completion", params);
        let item = found.as_array().unwrap().iter().find(|item| item["label"] == "stage").unwrap().clone();
        let start = units(line.find("stage").unwrap());
        assert_eq!(item["textEdit"]["range"]["start"], json!({"line": 7, "character": start}), "{encoding}");
        let tokens = client.request("textDocument/semanticTokens/full", json!({"textDocument": document}));
        let first: Vec<u64> = tokens["data"].as_array().unwrap()[..3].iter().map(|n| n.as_u64().unwrap()).collect();
        assert_eq!(first, [7, units(line.find("{{").unwrap()) as u64, 2], "{encoding}");
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
        let hints = client.request("textDocument/inlayHint", json!({"textDocument": document, "range": range}));
        assert_eq!(hints[0]["position"], json!({"line": 7, "character": units(line.len())}), "{encoding}: {hints}");
        client.shut_down();
    }
}
