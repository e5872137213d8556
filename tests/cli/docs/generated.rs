//! Pages that are generated: the command line, the settings, the JSON schemas. `UPDATE_PAGES=1` writes them.

use super::blocks::{read, root};
use crate::common::Repo;
use serde_json::Value;
use std::fmt::Write as _;

/// The first lines of a generated page.
fn start(title: &str) -> String {
    format!("<!-- Generated: UPDATE_PAGES=1 cargo test --test cli docs -->\n\n# {title}\n\n")
}

/// Compares a page with what it is to be, or writes it.
fn compare(page: &str, text: &str) {
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(root().join(page), text).expect("a written page");
    }
    assert!(read(page) == text, "{page} is stale: UPDATE_PAGES=1 cargo test --test cli docs");
}

/// The help of a command without the options of a block that `common` has, too.
fn own(help: &str, common: &str) -> String {
    let is_start = |line: &str| line.trim_start().starts_with('-') && line.len() - line.trim_start().len() < 8;
    let (mut result, mut is_left_out) = (String::new(), false);
    for line in help.lines() {
        if is_start(line) || (!line.is_empty() && !line.starts_with(' ')) {
            is_left_out = is_start(line) && common.lines().any(|other| other == line);
        }
        if !is_left_out {
            writeln!(result, "{}", line.trim_end()).unwrap();
        }
    }
    result.trim_end().to_owned().trim_end_matches("Options:").trim_end().to_owned()
}

/// The subcommands that a help lists.
fn subcommands(help: &str) -> Vec<&str> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

#[test]
fn the_command_line_is_described() {
    let folder = Repo::plain();
    let help = |path: &[&str]| {
        let arguments: Vec<&str> = path.iter().copied().chain(["--help"]).collect();
        // On Windows the program has another name.
        folder.run(&arguments).ends_with(0).stdout.replace("stacklint.exe", "stacklint")
    };
    let main = help(&[]);
    let mut page = start("Command line");
    let introduction = "What `stacklint --help` and the help of each command print. The options of all commands are listed once, at the \
        beginning. `stacklint man` writes this as a manual page, `stacklint completions bash` a script for Bash, Zsh or Fish that \
        completes stacks, components, paths of values and files.";
    writeln!(page, "{introduction}\n\n## stacklint\n\n```text\n{}\n```", own(&main, "")).unwrap();
    let lists = main
        .split("\n\n")
        .filter(|part| ["Review:", "Explore:", "Set up:", "More:"].iter().any(|g| part.starts_with(g)));
    let commands = lists.flat_map(|list| list.lines().skip(1)).filter_map(|line| line.split_whitespace().next());
    for command in commands {
        let text = help(&[command]);
        writeln!(page, "\n## {command}\n\n```text\n{}\n```", own(&text, &main)).unwrap();
        for below in subcommands(&text) {
            let text = help(&[command, below]);
            writeln!(page, "\n### {command} {below}\n\n```text\n{}\n```", own(&text, &main)).unwrap();
        }
    }
    compare("docs/command-line.md", &page);
}

/// The definition that a schema refers to, or itself.
fn target<'a>(schema: &'a Value, of: &'a Value) -> &'a Value {
    let reference = of["$ref"].as_str().and_then(|path| schema.pointer(path.strip_prefix('#')?));
    reference.unwrap_or(of)
}

/// The values that a schema accepts, in words.
fn kind(schema: &Value, of: &Value) -> String {
    let of = target(schema, of);
    if let Some(values) = of["enum"].as_array() {
        return values.iter().map(|v| format!("`{}`", v.as_str().unwrap_or_default())).collect::<Vec<_>>().join(", ");
    }
    match &of["type"] {
        Value::String(name) if name == "array" && of["items"]["type"] == "object" => "a list of tables".to_owned(),
        Value::String(name) if name == "array" => format!("a list, each: {}", kind(schema, &of["items"])),
        Value::String(name) if name == "object" => "a table".to_owned(),
        Value::String(name) if name == "integer" && of["maximum"].is_number() => {
            format!("a number from {} to {}", of["minimum"], of["maximum"])
        }
        Value::String(name) if name == "integer" => "a number".to_owned(),
        Value::String(name) if name == "string" => "text".to_owned(),
        Value::String(name) if name == "boolean" => "`true` or `false`".to_owned(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        other => panic!("a setting of type {other}"),
    }
}

/// A table of the keys of an object.
fn keys(schema: &Value, of: &Value, names: &str) -> String {
    let mut table = format!("| {names} | | default |\n|---|---|---|\n");
    for (name, key) in of["properties"].as_object().expect("keys") {
        let is_required = of["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let words = key["description"].as_str().or(target(schema, key)["description"].as_str()).unwrap_or_default();
        let default = if is_required { "required".to_owned() } else { default(key) };
        let words = words.replace('|', "\\|");
        writeln!(table, "| `{name}` | {words} {} | {default} |", sentence(&kind(schema, key))).unwrap();
    }
    table
}

/// Text with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// The default of a setting, as code.
fn default(of: &Value) -> String {
    if of["default"].is_null() { String::new() } else { format!("`{}`", of["default"]) }
}

/// A value as TOML in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let pairs: Vec<String> =
                map.iter().map(|(key, value)| format!("{} = {}", quoted(key), inline(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// A key as TOML.
fn quoted(key: &str) -> String {
    let is_bare = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_bare { key.to_owned() } else { Value::from(key).to_string() }
}

/// A setting as TOML: a table, a list of tables, or one line.
fn setting_of(name: &str, value: &Value) -> String {
    let lines = |map: &serde_json::Map<String, Value>| {
        map.iter().map(|(key, value)| format!("{} = {}\n", quoted(key), inline(value))).collect::<String>()
    };
    match value {
        Value::Object(map) => format!("[{name}]\n{}", lines(map)),
        Value::Array(items) if items.iter().all(Value::is_object) => {
            let tables = items.iter().filter_map(Value::as_object).map(|map| format!("[[{name}]]\n{}", lines(map)));
            tables.collect::<Vec<_>>().join("\n")
        }
        other => format!("{name} = {}\n", inline(other)),
    }
}

#[test]
fn the_settings_are_described() {
    let schema: Value = serde_json::from_str(&read("schemas/stacklint.json")).unwrap();
    let mut page = start("Settings");
    let introduction = "`stacklint.toml` in the folder of the project or a parent folder. A comparison reads it from the base revision, so that a \
        change cannot configure its own review. `stacklint config` shows the effective settings and where each is set; \
        [`schemas/stacklint.json`](../schemas/stacklint.json) is this page for editors.";
    writeln!(page, "{introduction}").unwrap();
    for (name, setting) in schema["properties"].as_object().unwrap() {
        let words = setting["description"].as_str().expect("a description");
        let words = words.replace("see docs/policies.md", "see [policies](policies.md)");
        writeln!(page, "\n## {name}\n\n{words}\n").unwrap();
        let object = if setting["type"] == "array" { &setting["items"] } else { setting };
        match name.as_str() {
            "rules" => writeln!(page, "A table of the [rules](rules.md) and of policies by id, each `off`, `note`, `warning`, `error` or `danger`.").unwrap(),
            "groups" => writeln!(page, "{}", keys(&schema, object, "group").trim_end()).unwrap(),
            "limits" => writeln!(page, "{}", keys(&schema, object, "limit").trim_end()).unwrap(),
            _ if object["properties"].is_object() => writeln!(page, "{}", keys(&schema, object, "key").trim_end()).unwrap(),
            _ => {
                let default = default(setting);
                let default = if default.is_empty() { default } else { format!(" Default: {default}.") };
                writeln!(page, "{}{default}", sentence(&kind(&schema, setting))).unwrap();
            }
        }
        for example in setting["examples"].as_array().into_iter().flatten() {
            writeln!(page, "\n```toml\n{}```", setting_of(name, example)).unwrap();
        }
        assert!(setting["examples"].is_array(), "{name} has no example");
    }
    compare("docs/settings.md", &page);
}

#[test]
fn the_schemas_are_described() {
    let mut page = start("JSON schemas");
    writeln!(
        page,
        "JSON that stacklint writes or reads is described by JSON Schemas. Tests compare them with real output.\n"
    )
    .unwrap();
    writeln!(page, "| schema | describes |\n|---|---|").unwrap();
    let names = std::fs::read_dir(root().join("schemas")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    for name in names {
        let schema: Value = serde_json::from_str(&read(&format!("schemas/{name}"))).unwrap();
        let words = schema["description"].as_str().or(schema["title"].as_str()).expect("a description or a title");
        writeln!(page, "| [`{name}`](../schemas/{name}) | {} |", words.replace('|', "\\|")).unwrap();
    }
    compare("docs/schemas.md", &page);
}
