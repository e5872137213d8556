//! Semantic tokens of templates.

use super::client::Client;
use super::{STACK, repo};
use crate::common::Repo;
use serde_json::{Value, json};

/// The tokens with their types, as text.
fn shown(client: &mut Client, path: &str, text: &str, range: Option<Value>) -> Vec<(String, String)> {
    const TYPES: [&str; 9] =
        ["operator", "keyword", "variable", "property", "function", "namespace", "string", "number", "comment"];
    let document = json!({"uri": client.uri(path)});
    let answer = match range {
        None => client.request("textDocument/semanticTokens/full", json!({"textDocument": document})),
        Some(range) => {
            client.request("textDocument/semanticTokens/range", json!({"textDocument": document, "range": range}))
        }
    };
    let data: Vec<usize> = answer["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let lines: Vec<Vec<u16>> = text.lines().map(|line| line.encode_utf16().collect()).collect();
    let (mut line, mut column) = (0, 0);
    let mut found = Vec::new();
    for token in data.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let word = String::from_utf16(&lines[line][column..column + token[2]]).unwrap();
        found.push((TYPES[token[3]].to_owned(), word));
    }
    found
}

fn words<'a>(found: &'a [(String, String)], kind: &str) -> Vec<&'a str> {
    found.iter().filter(|(of, _)| of == kind).map(|(_, word)| word.as_str()).collect()
}

#[test]
fn words_of_templates_have_types() {
    let repo = repo();
    let path = "stacks/deploy/dev.yaml";
    let text = STACK.replace(".vars.stage }}", "upper .vars.stage | printf \"%s\" }}").replace('\n', "\r\n");
    let mut client = Client::start(&repo);
    client.open(path, &text);
    let found = shown(&mut client, path, &text, None);
    assert_eq!(words(&found, "function"), ["upper", "printf"]);
    assert_eq!(words(&found, "property"), [".vars", ".stage"]);
    assert_eq!(words(&found, "string"), ["\"%s\""]);
    let none = json!({"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}});
    assert_eq!(shown(&mut client, path, &text, Some(none)), []);
    // A text that is no YAML, and what looks like a template in a comment of one that is.
    let broken = text.replace("vars: {stage", "vars: {{ .x }} {stage");
    client.change(path, 2, &broken);
    assert_eq!(words(&shown(&mut client, path, &broken, None), "property"), [".x", ".vars", ".stage"]);
    let commented = format!("# {{{{ .x }}}}\n{STACK}");
    client.change(path, 3, &commented);
    assert_eq!(words(&shown(&mut client, path, &commented, None), "property"), [".vars", ".stage"]);
    client.shut_down();
}

#[test]
fn templates_of_other_systems_and_files_of_none() {
    let repo = Repo::new();
    let project = "apiVersion: garden.io/v2\nkind: Project\nname: demo\nenvironments: [{name: dev}]\nvariables: {a: '${environment.name}', b: \"${upper(var.a) || 'x'}\"}\n";
    repo.write("project.garden.yml", project).write(".github/workflows/a.yml", "a: ${{ b }}\n");
    let mut client = Client::start(&repo);
    client.open("project.garden.yml", project);
    let found = shown(&mut client, "project.garden.yml", project, None);
    assert_eq!(words(&found, "variable"), ["environment", "var"]);
    assert_eq!(words(&found, "function"), ["upper"]);
    client.open(".github/workflows/a.yml", "a: ${{ b }}\n");
    assert_eq!(shown(&mut client, ".github/workflows/a.yml", "a: ${{ b }}\n", None), []);
    client.shut_down();
}
