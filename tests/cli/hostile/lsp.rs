//! The language server in a repository that somebody else wrote.

use crate::common::Repo;
use crate::lsp::client::Client;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const STACK: &str = "vars: {stage: dev}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        name: VALUE\n";

/// Requests about a file.
const OF_FILE: [&str; 5] = ["documentSymbol", "codeLens", "inlayHint", "documentLink", "semanticTokens/full"];
/// Requests about a place of a file.
const OF_PLACE: [&str; 6] = ["hover", "completion", "prepareRename", "definition", "references", "codeAction"];

/// Asks everything about places of a file.
fn ask_all(client: &mut Client, path: &str, places: &[Value]) {
    let first = OF_FILE.iter().filter_map(|method| Some((*method, places.first()?)));
    let all = places.iter().flat_map(|place| OF_PLACE.map(|method| (method, place)));
    for (method, place) in first.chain(all) {
        let range = json!({"start": place, "end": {"line": 4_000_000_000_u32, "character": 0}});
        let params = json!({
            "textDocument": {"uri": client.uri(path)}, "position": place, "range": range,
            "context": {"includeDeclaration": true, "diagnostics": [], "triggerKind": 1},
        });
        let method = format!("textDocument/{method}");
        let response = client.response(&method, params);
        assert!(response.get("error").is_none_or(Value::is_null), "{method}: {response}");
    }
}

/// An edit to a text for which no request takes the square of its size.
fn is_answered(_: &str, text: String) {
    let repo = Repo::atmos();
    let path = "stacks/deploy/dev.yaml";
    repo.write(path, STACK);
    let mut client = Client::start(&repo);
    client.open(path, STACK);
    client.change(path, 2, &text);
    let last = text.lines().count().saturating_sub(1);
    let width = text.lines().last().map_or(0, |line| line.encode_utf16().count());
    ask_all(&mut client, path, &[json!({"line": 0, "character": 4}), json!({"line": last, "character": width})]);
    client.change(path, 3, STACK);
    client.wait_until_idle();
    assert_eq!(client.found(path), []);
    assert_eq!(client.shut_down(), (0, String::new()));
}

const MANY: usize = 5_000;

cases! {
    is_answered:
    // None of them closed, on one line and on many.
    open_templates_on_one_line => format!("vars: {{stage: dev}}\na: {}", "{{ .a ".repeat(MANY));
    open_templates_on_many_lines => format!("vars: {{stage: dev}}\na: |\n{}", "  {{ .a\n".repeat(MANY));
    quotes_that_do_not_end => format!("a: {{{{ {}", "\"x ".repeat(MANY));
    escapes_that_do_not_end => format!("a: {{{{ \"{}", "\\\"".repeat(MANY));
    a_path_of_many_names => format!("a: '{{{{ {}", ".a".repeat(MANY));
    deep_keys => (0..2_000).map(|i| format!("{}k:\n", " ".repeat(i))).collect();
    lists_in_lists => format!("vars:\n{}", "  - - - k:\n".repeat(MANY));
    // Beyond the limit of nesting; `what_is_deep_or_large_ends_the_session_for_nobody` nests as deep as anything is read.
    lists_of_maps => format!("a: {}", "[{a: ".repeat(1_500));
    maps_without_values => format!("a: {}", "{a, ".repeat(1_500));
    dashes => "- ".repeat(MANY);
}

#[test]
fn code_of_any_size_and_depth_has_answers() {
    let repo = Repo::new();
    let path = "main.tf";
    let plain = "terraform {\n  backend \"local\" {}\n}\n";
    repo.write(path, plain);
    let many = 3_000;
    // Many files that call each other, and a name that all of them have.
    for i in 0..30 {
        let next = (i + 1) % 30;
        let calls: String =
            (0..40).map(|n| format!("module \"m{n}\" {{\n  source = \"../m{next}\"\n  x = var.x\n}}\n")).collect();
        repo.write(&format!("m{i}/main.tf"), format!("variable \"x\" {{}}\noutput \"x\" {{ value = var.x }}\n{calls}"));
    }
    let mut client = Client::start(&repo);
    client.open(path, plain);
    let texts = [
        format!("locals {{\n{}}}\n", (0..many).map(|i| format!("  a{i} = local.a{}\n", i + 1)).collect::<String>()),
        (0..many).map(|i| format!("module \"m{i}\" {{ source = \"./m1\" }}\n")).collect(),
        format!("locals {{ a = {}", "(".repeat(many)),
        "a {\n".repeat(many),
        format!("locals {{ a = {} }}", "var.x.".repeat(many)),
        format!("locals {{ a = \"{} }}", "${var.x".repeat(many)),
        "module \"../../..\" {\n  source = \"../../../../etc\"\n}\n".to_owned(),
    ];
    for (version, text) in texts.iter().enumerate() {
        client.change(path, version as i64 + 2, text);
        let last = text.lines().count().saturating_sub(1);
        let width = text.lines().last().map_or(0, |line| line.encode_utf16().count());
        let places = [
            json!({"line": 0, "character": 8}),
            json!({"line": 1, "character": 12}),
            json!({"line": last, "character": width}),
        ];
        ask_all(&mut client, path, &places);
    }
    let called = "variable \"x\" {}\n";
    client.open("m3/main.tf", called);
    ask_all(&mut client, "m3/main.tf", &[json!({"line": 0, "character": 10})]);
    assert_eq!(client.shut_down(), (0, String::new()));
}

#[test]
fn nothing_outside_of_the_worktree_is_linked_or_offered() {
    let repo = Repo::new();
    let text = "apiVersion: garden.io/v2\nkind: Project\nname: demo\nvarfile: ../../../../etc/passwd\nenvironments:\n  - {name: dev, varfile: /etc/passwd}\n";
    repo.write("project.garden.yml", text);
    repo.write("main.tf", "module \"a\" { source = \"../../../../../etc\" }\n");
    let mut client = Client::start(&repo);
    client.open("project.garden.yml", text);
    let links = client.at("textDocument/documentLink", "project.garden.yml", text, "kind", 0);
    assert_eq!(links, json!([]));
    for needle in ["../../../../etc", "/etc/passwd}"] {
        let found = client.at("textDocument/definition", "project.garden.yml", text, needle, 3);
        assert!(found.as_array().is_none_or(Vec::is_empty), "{found}");
    }
    let code = "module \"a\" { source = \"../../../../../etc\" }\n";
    client.open("main.tf", code);
    assert_eq!(client.at("textDocument/documentLink", "main.tf", code, "module", 0), json!([]));
    assert_eq!(client.shut_down(), (0, String::new()));
}

#[test]
fn secrets_are_masked_in_what_is_offered() {
    let repo = Repo::atmos();
    let path = "stacks/deploy/dev.yaml";
    let text = "locals: {db_password: hunter2-and-more}\nvars:\n  stage: dev\n  api_token: hunter2-and-more\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        name: '{{ .vars.a }} {{ .locals.d }}'\n";
    repo.write(path, text);
    let mut client = Client::start(&repo);
    client.open(path, text);
    for (needle, by, name) in [(".vars.a", 7, "api_token"), (".locals.d", 9, "db_password")] {
        let found = client.at("textDocument/completion", path, text, needle, by);
        assert!(found.to_string().contains(name) && !found.to_string().contains("hunter2"), "{found}");
    }
    client.shut_down();
}

#[test]
fn descriptions_of_code_are_no_markdown() {
    let repo = Repo::new();
    let text = "terraform {\n  backend \"local\" {}\n}\nvariable \"a\" {\n  description = \"[x](command:run) <img> ``` \\n# Title\"\n  default = 1\n}\nlocals { b = var.a }\n";
    repo.write("main.tf", text);
    let mut client = Client::start(&repo);
    client.open("main.tf", text);
    let hover = client.at("textDocument/hover", "main.tf", text, "= var.a", 6);
    let shown = hover["contents"]["value"].as_str().unwrap();
    let line = shown.lines().find(|line| line.contains("command:run")).unwrap();
    assert!(line.contains("```` ") && !shown.contains("\n# Title"), "{shown:?}");
    let found = client.at("textDocument/completion", "main.tf", text, "= var.a", 6);
    // Without a kind of markup it is plain text.
    assert!(found[0]["documentation"].is_string(), "{found}");
    client.shut_down();
}

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
    let symbols = |client: &mut Client, path: &str| {
        client.open(path, "vars: {a: 1}\n");
        let document = json!({"textDocument": {"uri": client.uri(path)}});
        client.response("textDocument/documentSymbol", document)["result"].as_array().map_or(0, Vec::len)
    };
    assert!(symbols(&mut client, "stacks/deploy/new.yaml") > 0);
    let elsewhere = ["../outside.yaml", "stacks/../../outside.yaml", ".git/config.yaml", "a%2f..%2f..%2fb.yaml"];
    for path in elsewhere {
        assert_eq!(symbols(&mut client, path), 0, "{path}");
        client.change(path, 2, "vars: [\n");
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
    let wide = format!("a: {{{}}}\n", (0..10_000).map(|i| format!("k{i}: {{}}, ")).collect::<String>());
    let aliases = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n".to_owned();
    let texts = ["[".repeat(50_000), "{a: ".repeat(10_000), wide, aliases, "\u{feff}\r\r\n\u{2028}".repeat(1_000)];
    for (version, text) in texts.iter().enumerate() {
        client.change(path, version as i64 + 2, text);
        ask_all(&mut client, path, &[json!({"line": 0, "character": 3})]);
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
    let vars = format!("vars:\n  stage: dev\n  x: '{{{{ .locals.a }}}} {}'\n", "a".repeat(500_000));
    let text = format!("locals: {{a: 1}}\n{vars}components: {{terraform: {{vpc: {{}}}}}}\n");
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

#[test]
fn steps_of_all_files_together_end_an_analysis() {
    let repo = Repo::atmos();
    let text = |i: usize| {
        let loops = "'{{ range until 2000 }}{{ end }}'";
        format!("vars: {{stage: s{i}}}\ncomponents: {{terraform: {{b: {{vars: {{a: {loops}}}}}}}}}\n")
    };
    let path = |i: usize| format!("stacks/deploy/bad{i}.yaml");
    (0..20).for_each(|i| _ = repo.write(&path(i), text(i)));
    repo.write("stacklint.toml", "[limits]\nrun-steps = 20000\n");
    let mut client = Client::start(&repo);
    client.open(&path(0), &text(0));
    client.wait_until_idle();
    let told = |client: &Client| client.sent.iter().filter(|sent| sent.to_string().contains("`run-steps`")).count();
    assert_eq!(told(&client), 1, "{:?}", client.sent);
    assert_eq!(client.found(&path(0)), []);
    // One of them has enough, and nothing is left of the time when it had not.
    (1..20).for_each(|i| _ = repo.remove(&path(i)));
    client.change(&path(0), 2, &format!("{}# changed\n", text(0)));
    client.wait_until_idle();
    assert_eq!(client.found(&path(0)), []);
    let symbols =
        client.response("textDocument/documentSymbol", json!({"textDocument": {"uri": client.uri(&path(0))}}));
    assert!(symbols["result"].as_array().is_some_and(|all| !all.is_empty()), "{symbols}");
    assert_eq!(told(&client), 1);
    client.shut_down();
}

/// The lines of the file are counted once, not for each link.
#[test]
fn many_links_of_a_file_are_made_quickly() {
    let repo = Repo::atmos();
    let path = "stacks/deploy/dev.yaml";
    let text = format!("import:\n{}{STACK}", "- catalog/a\n".repeat(15_000));
    repo.write("stacks/catalog/a.yaml", "vars: {a: 1}\n").write(path, &text);
    let mut client = Client::start(&repo);
    client.open(path, &text);
    client.wait_until_idle();
    let start = Instant::now();
    let links = client.response("textDocument/documentLink", json!({"textDocument": {"uri": client.uri(path)}}));
    assert_eq!(links["result"].as_array().map(Vec::len), Some(15_000));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert_eq!(client.shut_down(), (0, String::new()));
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
