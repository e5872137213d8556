//! The content of a plan: expanded variables, deferred references, the order, the version.

use super::*;
use crate::value::Data;

const SECRETS: &str = "secrets:
  generate: [{key: TOKEN, type: random_hex}, {key: NET_ID, type: infra_output, source: net.id}]
  entries: [{name: ENTRY}]
";

fn app(config: &str) -> World {
    World::new(&format!(
        "{SECRETS}modules:\n  - name: net\n    type: infra.vpc\n  - name: app\n    type: infra.container_service\n    config: {config}\n"
    ))
}

#[track_caller]
fn planned(config: &str, expected: Json) {
    assert_eq!(app(config).config("default", "app"), expected, "{config}");
}

#[test]
fn variables_are_expanded_outside_of_the_maps_that_keep_them() {
    planned(r#"{image: "a:$TAG", n: 1, l: ["${TAG}", 2]}"#, json!({"image": "a:${TAG}", "n": 1, "l": ["${TAG}", 2]}));
    let kept =
        r#"{env_vars: {A: "$TAG ${TAG}"}, deep: [{env_vars_secret: {B: "$X"}, secret_env_vars: ["$Y"], c: "$Z"}]}"#;
    let expected = json!({
        "env_vars": {"A": "$TAG ${TAG}"},
        "deep": [{"env_vars_secret": {"B": "$X"}, "secret_env_vars": ["$Y"], "c": "${Z}"}],
    });
    planned(kept, expected);
    planned(r#"{x: "$$ $ ${} $1 a$A"}"#, json!({"x": " $   a${A}"}));
}

#[test]
fn secrets_stay_however_they_are_written() {
    planned(
        r#"{user_data: "echo $TOKEN ${ENTRY} ${NET_ID}"}"#,
        json!({"user_data": "echo ${TOKEN} ${ENTRY} ${NET_ID}"}),
    );
    let required = World::new(
        "modules:
  - {name: needs, type: secrets.requires, config: {requires: [{key: KEY}], generate: [{key: OTHER, type: random_hex}]}}
  - {name: app, type: infra.vpc, config: {x: '$KEY $OTHER $PLAIN'}}
",
    );
    let stacks = required.stacks();
    assert_eq!(
        stacks["default"]["app"]["references"],
        json!(["KEY (secret)", "OTHER (secret)", "PLAIN (environment)"])
    );
}

#[test]
fn a_module_reference_outside_of_them_is_lost() {
    planned(
        r#"{vpc: "${net.id}", deep: [{env_vars: {X: "${net.id}"}, y: "a-${net.id}-b"}]}"#,
        json!({"vpc": "", "deep": [{"env_vars": {"X": "${net.id}"}, "y": "a--b"}]}),
    );
}

#[test]
fn references_are_reported_by_class() {
    let world = app(r#"{env_vars: {A: "${net.id} ${net.cidr} ${TOKEN}", B: "${X} ${}", C: "secret://TOKEN"}}"#);
    let references = json!(["TOKEN (secret)", "X (environment)", "net.cidr (output)", "net.id (id)"]);
    assert_eq!(world.stacks()["default"]["app"]["references"], references);
    let resolution = world.resolve(&Files::default());
    let all = resolution.components();
    let app = all.values().find(|p| &*p.component.name == "app").unwrap();
    let value = app.component.value.at_path(["config", "env_vars", "A"]).unwrap();
    let Data::Unknown(unknown) = &value.data else { panic!("{value:?}") };
    assert_eq!(&*unknown.text, "${net.id} ${net.cidr} ${TOKEN}");
    let reasons: Vec<&str> = unknown.reasons.iter().map(|r| &**r).collect();
    let id = "`net` has an id only after it is deployed";
    let output = "`cidr` is an output of `net`, known only after it is deployed";
    assert_eq!(reasons, [id, output, "`TOKEN` is a secret"]);
}

#[test]
fn resources_follow_what_they_depend_on() {
    let order =
        |modules: &str| World::new(&format!("modules:\n{modules}")).stacks()["default"]["plan"]["order"].clone();
    let module = |name: &str, on: &str| format!("  - {{name: {name}, type: infra.x, config: {{depends_on: {on}}}}}\n");
    let text = |list: &[(&str, &str)]| list.iter().map(|(n, d)| module(n, d)).collect::<String>();
    assert_eq!(order(&text(&[("c", "[]"), ("a", "[b]"), ("b", "[]")])), json!(["c", "b", "a"]));
    assert_eq!(order(&text(&[("a", "[c, b]"), ("b", "[]"), ("c", "[b]")])), json!(["b", "c", "a"]));
    // Missing entries, entries that are not lists of strings, and references have no effect.
    assert_eq!(order(&text(&[("a", "[x, 1]"), ("b", "a")])), json!(["a", "b"]));
    assert_eq!(order(&text(&[("a", "[b]"), ("b", "[a]")])), Json::Null);
    assert_eq!(order(&text(&[("a", "['$X']"), ("b", "[]")])), Json::Null);
    let reference = "  - {name: a, type: infra.x, config: {env_vars: {H: '${b.h}'}}}\n  - {name: b, type: infra.x}\n";
    assert_eq!(order(reference), json!(["a", "b"]));
}

#[test]
fn long_chains_of_dependencies_do_not_overflow() {
    let mut modules = String::new();
    for i in 0..3_000 {
        modules.push_str(&format!("  - {{name: m{i}, type: infra.x, config: {{depends_on: [m{}]}}}}\n", i + 1));
    }
    let stacks = World::new(&format!("modules:\n{modules}  - {{name: m3000, type: infra.x}}\n")).stacks();
    assert_eq!(stacks["default"]["plan"]["order"][0], "m3000");
}

#[test]
fn the_version_of_the_plan_tells_whether_it_can_be_saved() {
    let version = |config: &str| app(config).stacks()["default"]["plan"]["schema_version"].clone();
    for (config, expected) in [
        (r#"{env_vars: {URL: "postgres://u:${PASSWORD}@h"}}"#, 1),
        (r#"{env_vars: {H: "${net.cidr}"}}"#, 2),
        (r#"{env_vars: {H: "${net.id}"}}"#, 2),
        // It does not survive expansion.
        (r#"{vpc: "${net.id}"}"#, 1),
        (r#"{env_vars: {"${net.id}": x, B: "${.x}"}}"#, 1),
    ] {
        assert_eq!(version(config), json!(expected), "{config}");
    }
}
