use super::*;
use crate::value::Data;

fn no_yaml(_: &str) -> Result<Value, String> {
    Err("no YAML here".to_owned())
}

#[test]
fn formats_by_name() {
    for (path, format) in [
        ("a/b.json", Format::Json),
        ("U.JSON", Format::Json),
        ("a.backup.yml", Format::Yaml),
        ("x.YAML", Format::Yaml),
        ("main.tf", Format::Hcl),
        ("v.tfvars", Format::Hcl),
        ("v.auto.hcl", Format::Hcl),
        (".env", Format::Dotenv),
        ("dir/.env.prod", Format::Dotenv),
        ("app.env", Format::Dotenv),
        (".ENV.local.json", Format::Dotenv),
        ("noext", Format::Text),
        ("a.md", Format::Text),
        ("dir.json/file", Format::Text),
        ("trailing.", Format::Text),
        (".gitignore", Format::Text),
        (".json", Format::Json),
        ("https://h/x.json?v=1#top", Format::Json),
    ] {
        assert_eq!(format_of(path), format, "{path}");
    }
}

fn include(format: Format, bytes: &[u8], expression: Option<&str>) -> Result<Value, QueryError> {
    let content = decode(format, bytes, &no_yaml).map_err(QueryError::Bad)?;
    included(&content, expression, &no_yaml, &mut 1_000)
}

#[test]
fn floats_without_fraction_become_integers() {
    let value =
        include(Format::Json, br#"{"a": 2.0, "b": 1e3, "c": 1000000, "d": 0.5, "e": 12345678901234567890}"#, None);
    let value = value.unwrap();
    let want =
        [Data::Int(2), Data::Int(1000), Data::Float(1e6), Data::Float(0.5), Data::Float(12_345_678_901_234_567_890.0)];
    for (key, want) in ["a", "b", "c", "d", "e"].into_iter().zip(want) {
        assert_eq!(value.get(key).unwrap().data, want, "{key}");
    }
}

#[test]
fn text_loses_one_line_break_at_its_start() {
    for (text, want) in
        [("\n\nab", Some("\nab")), ("\n", Some("")), ("a\n", Some("a\n")), ("\n \nx", Some("\n \nx")), ("\t\n", None)]
    {
        let got = embed(&Value::str(text)).ok();
        assert_eq!(got.as_ref().and_then(Value::as_str), want, "{text:?}");
    }
    let commented = include(Format::Text, b"# head\n", None).unwrap();
    assert_eq!(commented.as_str(), Some("# head\n"));
}

#[test]
fn queries_of_text_give_null() {
    let got = include(Format::Text, b"num: 5\n", Some(".num")).unwrap();
    assert!(got.is_null());
}

#[test]
fn dotenv_values_are_text() {
    let got = include(Format::Dotenv, b"A=1\nB=\"two words\"\n", None).unwrap();
    assert_eq!(got.get("A").and_then(Value::as_str), Some("1"));
    assert_eq!(got.get("B").and_then(Value::as_str), Some("two words"));
}

#[test]
fn arguments() {
    assert_eq!(parse_arguments("a.json .x[1]").unwrap(), ["a.json", ".x[1]"]);
    assert_eq!(parse_arguments("a.json '.x | length'").unwrap(), ["a.json", ".x | length"]);
    assert!(parse_arguments("").is_err());
}
