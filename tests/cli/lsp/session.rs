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
fn what_is_no_request_is_refused_and_the_session_goes_on() {
    let repo = repo();
    let mut client = Client::start(&repo);
    assert_eq!(client.response("textDocument/unknown", json!({}))["error"]["code"], -32601);
    let bad = client.response("textDocument/hover", json!({"textDocument": {"uri": client.uri("a.yaml")}}));
    assert_eq!(bad["error"]["code"], -32602, "{bad}");
    client.notify("textDocument/didChange", json!({"nonsense": true}));
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": client.uri("closed.yaml"), "version": 1}, "contentChanges": [{"text": "x"}]}),
    );
    client.notify("$/unknown", json!({}));
    client.wait_until_idle();
    let huge = json!({"line": 4_000_000_000_u32, "character": 4_000_000_000_u32});
    client.open("stacks/deploy/dev.yaml", STACK);
    let params = json!({"textDocument": {"uri": client.uri("stacks/deploy/dev.yaml")}, "position": huge});
    client.request("textDocument/hover", params.clone());
    client.request("textDocument/completion", params);
    assert_eq!(client.shut_down(), (0, String::new()));
}

#[test]
fn ends_that_are_not_orderly() {
    let repo = repo();
    let mut client = Client::start(&repo);
    client.wait_until_idle();
    client.notify("exit", Value::Null);
    let (status, said) = client.end();
    assert_eq!((status, said.as_str()), (2, "stacklint: the client exited without a shutdown request\n"));
    let mut client = Client::start(&repo);
    client.raw(b"Content-Length: 9\r\n\r\nno json!!");
    let (status, said) = client.end();
    assert!(status == 2 && said.contains("stacklint: the client"), "{status} {said}");
    let client = Client::silent(repo.root());
    let (status, said) = client.end();
    assert!(status == 2 && !said.contains("panicked"), "{status} {said}");
}
