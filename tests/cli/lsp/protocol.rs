//! What is no message of the protocol, or none at that time.

use super::client::Client;
use super::{STACK, repo};
use serde_json::{Value, json};

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
    let empty = json!({"textDocument": {}, "position": {"line": 0, "character": 0}});
    assert_eq!(client.response("textDocument/hover", empty)["error"]["code"], -32602);
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
    assert_eq!((status, said.as_str()), (1, "stacklint: exit code 1: the client exited without a shutdown request\n"));
    let mut client = Client::start(&repo);
    client.raw(b"Content-Length: 9\r\n\r\nno json!!");
    let (status, said) = client.end();
    assert!(status == 2 && said.contains("stacklint: the client"), "{status} {said}");
    let client = Client::silent(repo.root());
    let (status, said) = client.end();
    assert!(status == 1 && !said.contains("panicked"), "{status} {said}");
}

#[test]
fn requests_before_the_first_one_are_refused() {
    let repo = repo();
    let mut client = Client::silent(repo.root());
    client.notify("textDocument/didOpen", json!({"textDocument": {}}));
    let early = client.response("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    let uri = format!("file://{}", repo.root().display());
    client.request("initialize", json!({"rootUri": uri, "capabilities": {}}));
    client.notify("initialized", json!({}));
    client.open("stacks/deploy/dev.yaml", STACK);
    client.wait_until_idle();
    let again = client.response("initialize", json!({"rootUri": uri, "capabilities": {}}));
    assert!(again.get("error").is_some(), "{again}");
    assert_eq!(client.shut_down(), (0, String::new()));
    // Parameters of another kind.
    let mut client = Client::silent(repo.root());
    let wrong = client.response("initialize", json!([1, 2]));
    assert!(wrong.get("error").is_some(), "{wrong}");
    let (status, said) = client.end();
    assert!(status == 2 && !said.contains("panicked"), "{status} {said}");
}

#[test]
fn exit_before_the_first_request_and_after_a_shutdown() {
    let repo = repo();
    let mut client = Client::silent(repo.root());
    client.notify("exit", Value::Null);
    let (status, said) = client.end();
    assert!(status == 1 && !said.contains("panicked"), "{status} {said}");
    let mut client = Client::start(&repo);
    client.request("shutdown", Value::Null);
    client.notify("textDocument/didChange", json!({}));
    client.notify("exit", Value::Null);
    assert_eq!(client.end(), (0, String::new()));
}

#[test]
fn headers_and_bodies_that_are_broken() {
    let repo = repo();
    let body = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    let broken = [
        "Content-Length: x\r\n\r\n{}".to_owned(),
        "Content-Length: -1\r\n\r\n{}".to_owned(),
        "Content-Length: 99999999999999999999\r\n\r\n{}".to_owned(),
        "Content-Length: 4000000000\r\n\r\n{}".to_owned(),
        "Content-Type: x\r\n\r\n{}".to_owned(),
        "no header at all\n\n".to_owned(),
        "\r\n\r\n".to_owned(),
        body("[]"),
        body("{\"jsonrpc\": \"2.0\"}"),
        body("{\"id\": {}, \"method\": 1}"),
        body(&"[".repeat(100_000)),
        body("\u{0}"),
    ];
    for text in broken {
        let mut client = Client::start(&repo);
        client.wait_until_idle();
        client.raw(text.as_bytes());
        let (status, said) = client.end();
        let shown: String = text.chars().take(60).collect();
        assert!(
            status == 2 && said.starts_with("stacklint: ") && !said.contains("panicked"),
            "{shown:?}: {status} {said}"
        );
    }
}
