//! The language server in a repository that somebody else wrote.

use crate::common::Repo;
use crate::lsp::client::Client;
use serde_json::{Value, json};

const STACK: &str = "vars: {stage: dev}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        name: VALUE\n";

#[test]
fn values_are_no_markdown() {
    let repo = Repo::atmos();
    let value = "\"``` [x](command:run) ```\\n# Title\\n\\e]8;;http://x\\u202e<img src=x>\"";
    let text = STACK.replace("VALUE", value);
    repo.write("stacks/deploy/dev.yaml", &text);
    let mut client = Client::start(&repo);
    client.open("stacks/deploy/dev.yaml", &text);
    let hover = client.at("textDocument/hover", "stacks/deploy/dev.yaml", &text, "name", 1);
    let shown = hover["contents"]["value"].as_str().unwrap();
    let line = shown.lines().find(|line| line.contains("command:run")).unwrap();
    assert!(line.contains("```` ") && line.contains("img"), "the fence is longer than what it holds: {shown}");
    assert!(!shown.contains('\u{202e}') && !shown.contains('\u{1b}') && !shown.contains("\n# Title"), "{shown:?}");
    client.shut_down();
}

#[test]
fn paths_of_buffers_stay_in_the_worktree() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", STACK);
    let mut client = Client::start(&repo);
    client.wait_until_idle();
    for path in ["../outside.yaml", "stacks/../../outside.yaml", ".git/config", "a%2f..%2f..%2fb"] {
        client.open(path, "vars: [\n");
        let params = json!({"textDocument": {"uri": client.uri(path)}, "position": {"line": 0, "character": 0}});
        client.response("textDocument/hover", params);
    }
    client.wait_until_idle();
    assert!(client.shown.values().all(Vec::is_empty), "{:?}", client.shown);
    assert_eq!(client.shut_down(), (0, String::new()));
}

#[test]
fn what_is_deep_or_large_ends_the_session_for_nobody() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", STACK);
    let path = "stacks/deploy/dev.yaml";
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    let wide = format!("a: {{{}}}\n", (0..20_000).map(|i| format!("k{i}: {{}}, ")).collect::<String>());
    let aliases = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n".to_owned();
    let texts = ["[".repeat(100_000), "{a: ".repeat(20_000), wide, aliases, "\u{feff}\r\r\n\u{2028}".repeat(1_000)];
    for (version, text) in texts.iter().enumerate() {
        client.change(path, version as i64 + 2, text);
        for method in ["documentSymbol", "codeLens", "hover", "completion", "prepareRename", "inlayHint"] {
            let (method, start) = (format!("textDocument/{method}"), json!({"line": 0, "character": 0}));
            let range = json!({"start": start, "end": {"line": 4_000_000_000_u32, "character": 0}});
            let place = json!({"line": 0, "character": 3});
            let params = json!({"textDocument": {"uri": client.uri(path)}, "position": place, "range": range});
            let method = method.as_str();
            let response = client.response(method, params);
            assert!(response.get("error").is_none_or(Value::is_null), "{method}: {response}");
        }
    }
    client.change(path, 99, STACK);
    client.wait_until_idle();
    assert_eq!(client.found(path), []);
    assert_eq!(client.shut_down(), (0, String::new()));
}

#[test]
fn a_name_in_a_long_word_is_found_quickly() {
    let repo = Repo::atmos();
    let path = "stacks/deploy/dev.yaml";
    let text = format!("locals: {{a: 1}}\nvars:\n  stage: dev\n  x: '{{{{ .locals.a }}}} {}'\n", "a".repeat(500_000));
    repo.write(path, &text);
    let mut client = Client::start(&repo);
    client.open(path, &text);
    let found = client.at("textDocument/references", path, &text, "a: 1", 0);
    assert_eq!(found.as_array().map(Vec::len), Some(2));
    let document = json!({"uri": client.uri(path)});
    let params = json!({"textDocument": document, "position": {"line": 0, "character": 9}, "newName": "b"});
    let renamed = client.request("textDocument/rename", params);
    assert_eq!(renamed["changes"][client.uri(path)].as_array().map(Vec::len), Some(2), "{renamed}");
    client.shut_down();
}

#[cfg(unix)]
#[test]
fn a_root_behind_a_link_keeps_the_name_that_the_client_knows() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", STACK);
    std::os::unix::fs::symlink(repo.root(), repo.beside("linked")).unwrap();
    let linked = repo.beside("linked");
    let mut client = Client::silent(&linked);
    let uri = format!("file://{}", linked.display());
    client.request("initialize", json!({"rootUri": uri, "capabilities": {}}));
    client.notify("initialized", json!({}));
    client.open("stacks/deploy/dev.yaml", "vars: {stage: dev}\nimport: [nothing]\n");
    client.wait_until_idle();
    assert_eq!(client.found("stacks/deploy/dev.yaml"), [("unresolved-import".to_owned(), 1)], "{:?}", client.shown);
    client.shut_down();
}
