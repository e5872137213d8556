//! Functions evaluated with inputs: `reference: atmos.md` sections 8.2 and 8.4, the column "functions on".

use super::{Json, World, dev, json};
use crate::dialects::EvalInputs;

/// A component with the given base and own variables, resolved with functions on.
fn world(strategy: &str, base: &str, own: &str) -> World {
    let mut world = dev(&format!(
        "settings: {{list_merge_strategy: {strategy}}}
components:
  terraform:
    base:
      metadata: {{type: abstract}}
      vars:
        m: {base}
    box:
      metadata: {{inherits: [base]}}
      vars:
        m: {own}
"
    ));
    let mut given = EvalInputs::default();
    given.env.insert("X".into(), "x".into());
    given
        .add_values(
            r#"{"vpc": {"dev": {"id": "vpc-1", "ids": ["a", "b"], "map": {"a": 1}}, "prod": {"id": "vpc-2"}},
               "!exec date": {"from": "file"}}"#,
        )
        .unwrap();
    world.project.eval_inputs = Some(given);
    world
}

#[track_caller]
fn merged(strategy: &str, base: &str, own: &str) -> Json {
    world(strategy, base, own).get("box")["vars"]["m"].clone()
}

#[test]
fn the_worked_examples() {
    for (strategy, base, own, expected) in [
        ("replace", r#"!template '{"a":1,"b":{"c":2}}'"#, "{d: 4, b: {e: 5}}", "{a: 1, b: {c: 2, e: 5}, d: 4}"),
        ("replace", "{x: 1, y: true}", r#"!template '{"w":2,"y":false}'"#, "{x: 1, y: false, w: 2}"),
        ("replace", "!template '[1,2]'", "[7]", "[7]"),
        ("append", "!template '[1,2]'", "[7]", "[1, 2, 7]"),
        ("append", "[9]", "!template '[8]'", "[9, 8]"),
        ("merge", "[9, {a: 1}]", r#"!template '[8,{"b":2},3]'"#, "[8, {a: 1, b: 2}, 3]"),
        ("replace", "!env X d", "over", "over"),
        ("replace", "plain", "!env X q", "x"),
        ("replace", r#"!template '{"a":1}'"#, "null", "{a: 1}"),
        ("replace", "{k: !env X q}", "{k2: 1}", "{k: x, k2: 1}"),
        ("replace", "[{k: !env X q}]", "[{k: !env X}, 2]", "[{k: x}, 2]"),
        ("replace", "{a: 1}", "!template text", "text"),
    ] {
        assert_eq!(merged(strategy, base, own), json(expected), "{strategy}: {base} < {own}");
    }
}

#[test]
fn what_is_given_is_known() {
    for (own, expected) in [
        ("!terraform.state vpc id", "vpc-1"),
        ("!terraform.output vpc .id", "vpc-1"),
        ("!terraform.state vpc prod id", "vpc-2"),
        ("!terraform.state vpc '.ids[1]'", "b"),
        ("!terraform.state vpc ids", "[a, b]"),
        ("!terraform.state vpc '.none // \"x\"'", "x"),
        ("!exec date", "{from: file}"),
        ("!env  'X'", "x"),
        ("!template 12", "12"),
        ("!template '{{ toJson .settings.list_merge_strategy }}'", "replace"),
        ("!cwd", "'!cwd'"),
        // Rejected and unknown ones stay as they are written.
        ("!terraform.state vpc none", "!terraform.state vpc none"),
        ("!terraform.state other id", "!terraform.state other id"),
        ("!terraform.state vpc", "!terraform.state vpc"),
        ("!env Y default", "!env Y default"),
        ("!aws.region", "!aws.region"),
    ] {
        let expected = if expected.starts_with("!t") || expected.starts_with("!e") || expected.starts_with("!a") {
            Json::String(expected.to_owned())
        } else {
            json(expected)
        };
        assert_eq!(merged("replace", "0", own), expected, "{own}");
    }
}

#[test]
fn unset_takes_the_key_away() {
    assert_eq!(world("replace", "1", "!unset").get("box")["vars"], json("{stage: dev}"));
    assert_eq!(merged("replace", "1", "[a, !unset , b]"), json("[a, b]"));
}

#[test]
fn metadata_and_the_environment_of_the_component_are_known() {
    let mut world = dev("\
components:
  terraform:
    box:
      metadata: {labels: {b: y, a: x}, tags: [t]}
      env: {X: own}
      vars: {keys: !labels.keys , values: !labels.values , all: !labels , tags: !tags , x: !env X , root: !repo-root }
");
    world.project.eval_inputs = Some(EvalInputs::default());
    world.project.root = "/work".to_owned();
    let vars = world.get("box")["vars"].clone();
    let expected = "{keys: [a, b], values: [x, y], all: {a: x, b: y}, tags: [t], x: own, root: /work, stage: dev}";
    assert_eq!(vars, json(expected));
}

#[test]
fn what_hangs_on_something_unknown_is_unknown() {
    let unknown = |strategy: &str, base: &str, own: &str| {
        let resolution = world(strategy, base, own).resolution();
        let components = resolution.components();
        let (_, placed) = components.iter().find(|(a, _)| &*a.2 == "box").unwrap();
        let value = placed.component.value.at_path(["vars", "m"]).unwrap();
        matches!(value.data, crate::value::Data::Unknown(_))
    };
    assert!(unknown("replace", "!aws.region", "!env Y"));
    assert!(unknown("replace", "!exec ls", "{a: 1}"));
    assert!(unknown("append", "!exec ls", "[1]"));
    assert!(unknown("append", "[1]", "!exec ls"));
    assert!(unknown("replace", "{a: 1}", "!exec ls"));
    assert!(!unknown("replace", "!exec ls", "[1]"));
    assert!(!unknown("replace", "!exec ls", "text"));
    assert!(!unknown("replace", "!exec date", "{a: 1}"));
}

#[test]
fn without_anything_given_functions_stay() {
    let mut world = world("replace", "1", "!env X");
    world.project.eval_inputs = None;
    assert_eq!(world.get("box")["vars"]["m"], "!env X");
}
