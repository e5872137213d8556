//! Strict and lenient substitution of values, and the values that a plan knows from the state.

use super::*;
use crate::value::json as values;

fn value(json: Json) -> Value {
    values::parse(&json.to_string()).unwrap()
}

fn eval(template: Json, context: Json, partial: bool) -> Result<(Json, Vec<String>), String> {
    let found = Jitsubst::new()
        .eval(&value(template), &value(context), EvalMode { partial, keeps_escapes: None })
        .map_err(|e| e.message)?;
    Ok((serde_json::to_value(&found.value).unwrap(), found.unresolved))
}

#[track_caller]
fn strict(template: Json, context: Json) -> Json {
    eval(template, context, false).unwrap().0
}

#[track_caller]
fn fails(template: Json, context: Json) -> String {
    eval(template, context, false).unwrap_err()
}

#[test]
fn only_strings_below_text_keys_are_resolved() {
    let env = json!({"env": {"HOST": "h", "EMPTY": ""}});
    let template = json!({"${HOST}": "${HOST}", "n": 1, "b": true, "z": null, "l": ["${HOST}", {"d": "a${EMPTY}b"}]});
    let expected = json!({"${HOST}": "h", "n": 1, "b": true, "z": null, "l": ["h", {"d": "ab"}]});
    assert_eq!(strict(template, env.clone()), expected);
    assert_eq!(strict(json!("${HOST}:${HOST}"), env), json!("h:h"));
    assert_eq!(strict(Json::Null, json!({})), Json::Null);
}

#[test]
fn the_new_id_of_a_replaced_resource_comes_first() {
    let both = json!({"replaced_ids": {"net": "new"}, "outputs": {"net": {"id": "old", "cidr": "c"}}});
    assert_eq!(strict(json!("${net.id} ${net.cidr}"), both), json!("new c"));
    let only_id = json!({"replaced_ids": {"net": "new"}});
    assert_eq!(strict(json!("${net.id}"), only_id.clone()), json!("new"));
    assert_eq!(
        fails(json!("${net.cidr}"), only_id),
        "unresolved reference ${net.cidr}: module \"net\" not found in syncedOutputs"
    );
}

#[test]
fn what_is_put_in_is_text_as_go_prints_it_and_not_read_again() {
    let context = json!({"env": {"A": "${B}", "B": "b"}, "outputs": {"m": {
        "million": 1_000_000, "big": 123_456_789, "port": 5432, "half": 0.5, "no": null, "map": {"z": 1, "a": [true, "x"]}
    }}});
    for (template, expected) in [
        ("${A}", "${B}"),
        ("${m.million}", "1e+06"),
        ("${m.big}", "1.23456789e+08"),
        ("${m.port}", "5432"),
        ("${m.half} ${m.no}", "0.5 <nil>"),
        ("${m.map}", "map[a:[true x] z:1]"),
    ] {
        assert_eq!(strict(json!(template), context.clone()), json!(expected), "{template}");
    }
}

#[test]
fn the_first_error_in_the_order_of_keys_is_reported() {
    let env = json!({"env": {}});
    let unset = |name: &str| format!("unresolved reference ${{{name}}}: env var not set");
    assert_eq!(fails(json!({"b": "${B}", "a": ["x", "${A1} ${A2}"]}), env.clone()), unset("A1"));
    assert_eq!(fails(json!({"Z": "${Z}", "a": "${A}"}), env.clone()), unset("Z"), "upper case sorts first");
    // In strict mode, unresolved references come first; in lenient mode, only malformed ones are errors.
    let mixed = json!("${A} ${.x}");
    assert_eq!(fails(mixed.clone(), env.clone()), unset("A"));
    let malformed = "malformed reference ${.x}: empty module or field";
    assert_eq!(eval(mixed, env.clone(), true).unwrap_err(), malformed);
    assert_eq!(fails(json!("${}"), env), "malformed reference ${}: empty body");
    assert_eq!(fails(json!("${A}"), json!({})), format!("{} (envLookup not configured)", unset("A")));
}

#[test]
fn an_output_is_a_flat_field() {
    let context = json!({"outputs": {"db": {"conn": {"host": "h"}, "conn.host": "flat"}}});
    assert_eq!(strict(json!("${db.conn.host}"), context.clone()), json!("flat"));
    let error = fails(json!("${db.conn.port}"), context.clone());
    assert_eq!(error, "unresolved reference ${db.conn.port}: module \"db\" has no field \"conn.port\"");
    let error = fails(json!("${db.id}"), context);
    assert_eq!(error, "unresolved reference ${db.id}: module \"db\" has no .id in replaceIDMap or syncedOutputs");
}

#[test]
fn leniently_the_rest_stays_and_is_listed_once() {
    let context = json!({"env": {"A": "1"}});
    let template = json!({"x": "${A} ${z.id} ${B}", "y": ["${B}", "${ A }"]});
    let (value, open) = eval(template, context, true).unwrap();
    assert_eq!(value, json!({"x": "1 ${z.id} ${B}", "y": ["${B}", "${ A }"]}));
    assert_eq!(open, [" A ", "B", "z.id"]);
}

#[test]
fn a_plan_knows_the_state() {
    let state = json!([{"name": "net", "provider_id": "real", "outputs": {"id": "stale", "cidr": "10.0.0.0/8"}}, {"name": "bare"}]);
    let context = json!({"env": {}, "state": state});
    assert_eq!(strict(json!("${net.id} ${net.cidr}"), context.clone()), json!("real 10.0.0.0/8"));
    let (value, open) = eval(json!({"id": "${new.id}", "n": 1}), context, true).unwrap();
    assert_eq!((value, open), (json!({"id": "${new.id}", "n": 1}), vec!["new.id".to_owned()]));
    let without_id = json!({"state": [{"name": "net", "provider_id": "", "outputs": {"id": "kept"}}]});
    assert_eq!(strict(json!("${net.id}"), without_id), json!("kept"));
}

#[test]
fn a_plan_knows_secrets_that_are_outputs_and_hides_the_others() {
    let config = json!({
        "secrets": {
            "generate": [
                {"key": "NET_ID", "type": "infra_output", "source": "net.id"},
                {"key": "COUNT", "type": "infra_output", "source": "net.count"},
                {"key": "TOKEN", "type": "random_hex"},
            ],
            "entries": [{"name": "ENTRY"}],
        },
        "modules": [
            {"name": "net", "type": "infra.vpc", "environments": {"prod": {"config": {"name": "net-live"}}, "off": null}},
            {"name": "needs", "type": "secrets.requires", "config": {"requires": [{"key": "REQUIRED"}]}},
        ],
    });
    let state = json!([
        {"name": "net", "outputs": {"id": "base", "count": 3}},
        {"name": "net-live", "outputs": {"id": "live"}},
    ]);
    let env = json!({"TOKEN": "t", "ENTRY": "e", "REQUIRED": "r", "PLAIN": "p"});
    let template = json!("${NET_ID} ${COUNT} ${TOKEN} ${ENTRY} ${REQUIRED} ${PLAIN}");
    let run = |environment: Option<&str>, partial| {
        let context = json!({"env": env, "state": state, "config": config, "environment": environment});
        eval(template.clone(), context, partial)
    };
    let (value, open) = run(None, true).unwrap();
    assert_eq!(value, json!("base ${COUNT} ${TOKEN} ${ENTRY} ${REQUIRED} p"));
    assert_eq!(open, ["COUNT", "ENTRY", "REQUIRED", "TOKEN"]);
    assert!(run(Some("prod"), true).unwrap().0.as_str().unwrap().starts_with("live "));
    assert!(run(Some("off"), true).unwrap().0.as_str().unwrap().starts_with("${NET_ID} "));
    // When the plan is applied, the environment is all there is.
    assert_eq!(run(None, false).unwrap_err(), "unresolved reference ${NET_ID}: env var not set");
}

#[test]
fn contexts_of_another_shape() {
    for (context, expected) in [
        (json!([]), "the context must be a map, not a list"),
        (json!({"env": []}), "`env` of the context must be a map"),
        (json!({"outputs": {"m": 1}}), "the outputs of `m` must be a map"),
        (json!({"state": {}}), "`state` of the context must be a list"),
        (json!({"state": [{}]}), "a resource of the state needs a `name`"),
    ] {
        assert_eq!(fails(json!("x"), context), expected);
    }
    let config = json!({"config": {"modules": {}}});
    let error = eval(json!("x"), config, true).unwrap_err();
    assert_eq!(error, "the `config` of the context: `modules` must be a list, not a map");
}
