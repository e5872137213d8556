//! Contracts with other programs: the JSON, and repeatable output.

use crate::common::{Repo, fixture};
use serde_json::Value;

/// The schema of this name.
pub(super) fn schema(name: &str) -> jsonschema::Validator {
    let path = fixture("").join("../schemas").join(name);
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).expect("a valid schema")
}

#[track_caller]
pub(super) fn validate(schema: &jsonschema::Validator, json: &Value) {
    let errors: Vec<String> = schema.iter_errors(json).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn json_follows_its_schema() {
    let repo = Repo::review();
    let report = schema("report-v1.json");
    for arguments in [&["diff", "base..head"][..], &["diff", "head..base"], &["diff", "base"], &["diff", "base..base"]]
    {
        validate(&report, &repo.run(&[arguments, &["--format", "json"]].concat()).json());
    }
    for arguments in [&["check"][..], &["check", "--rev", "base"]] {
        validate(&report, &repo.run(&[arguments, &["--format", "json"]].concat()).json());
    }
    let stacks = schema("describe-stacks.json");
    for rev in ["base", "head"] {
        validate(&stacks, &repo.run(&["describe", "stacks", "--rev", rev, "--format", "json"]).json());
    }
}

#[test]
fn a_diff_names_its_revisions() {
    let repo = Repo::review();
    let json = repo.run(&["diff", "base..head", "--format", "json"]).json();
    assert_eq!(json["schema"], "stacklint/report/v1");
    assert_eq!(json["base"]["rev"], "base");
    assert_eq!(json["head"]["commit"], repo.git(&["rev-parse", "head"]).trim());
    let json = repo.run(&["diff", "base", "--format", "json"]).json();
    assert_eq!(json["head"]["rev"], "worktree");
    assert_eq!(json["head"]["commit"], Value::Null);
    let json = repo.run(&["diff", "base", "--staged", "--format", "json"]).json();
    assert_eq!(json["head"]["rev"], "index");
}

/// Applies the changes of a report to what `describe stacks` printed of the base.
fn apply(mut stacks: Value, diff: &Value, head: &Value) -> Value {
    for component in diff["components"].as_array().unwrap() {
        let key = |k: &str| component[k].as_str().unwrap().to_owned();
        let (stack, kind, name) = (key("stack"), key("type"), key("component"));
        let at = |v: &Value| v[&stack]["components"][&kind][&name].clone();
        match component["status"].as_str().unwrap() {
            "added" => stacks[&stack]["components"][&kind][&name] = at(head),
            "removed" => {
                stacks[&stack]["components"][&kind].as_object_mut().unwrap().remove(&name).unwrap();
            }
            _ => {
                for change in component["changes"].as_array().unwrap() {
                    patch(&mut stacks[&stack]["components"][&kind][&name], change);
                }
            }
        }
    }
    // A stack without components is not printed.
    let stacks = stacks.as_object_mut().unwrap();
    for stack in stacks.values_mut() {
        stack["components"].as_object_mut().unwrap().retain(|_, c| !c.as_object().unwrap().is_empty());
    }
    stacks.retain(|_, s| !s["components"].as_object().unwrap().is_empty());
    Value::Object(stacks.clone())
}

/// One change, as RFC 6902 applies add, remove and replace.
fn patch(target: &mut Value, change: &Value) {
    let path = change["path"].as_str().unwrap();
    let (parent, key) = path.rsplit_once('/').unwrap();
    let key = key.replace("~1", "/").replace("~0", "~");
    let parent = target.pointer_mut(parent).unwrap_or_else(|| panic!("no {path}"));
    match (parent, change["kind"].as_str().unwrap()) {
        (Value::Object(map), "added") => assert!(map.insert(key, change["after"].clone()).is_none(), "{path}"),
        (Value::Object(map), "removed") => assert_eq!(map.remove(&key).as_ref(), Some(&change["before"]), "{path}"),
        (Value::Object(map), _) => {
            assert_eq!(map.insert(key, change["after"].clone()).as_ref(), Some(&change["before"]), "{path}");
        }
        (Value::Array(list), "added") => list.insert(key.parse().unwrap(), change["after"].clone()),
        (Value::Array(list), "removed") => assert_eq!(list.remove(key.parse::<usize>().unwrap()), change["before"]),
        (Value::Array(list), _) => {
            let slot = &mut list[key.parse::<usize>().unwrap()];
            assert_eq!(std::mem::replace(slot, change["after"].clone()), change["before"], "{path}");
        }
        (other, _) => panic!("{path} leads into {other}"),
    }
}

#[test]
fn the_changes_turn_the_base_into_the_head() {
    let repo = Repo::review();
    // Without the stack that the head cannot resolve.
    repo.edit("stacks/deploy/shop/sandbox.yaml", "  - catalog/quota\n", "").commit("repaired");
    repo.tag("head");
    let stacks = |rev: &str| repo.run(&["describe", "stacks", "--rev", rev, "--format", "json"]).ends_with(0).json();
    let (base, head) = (stacks("base"), stacks("head"));
    let diff = |range: &str| repo.run(&["diff", range, "--format", "json", "--fail-on", "never"]).ends_with(0).json();
    assert_eq!(apply(base.clone(), &diff("base..head"), &head), head);
    assert_eq!(apply(head.clone(), &diff("head..base"), &base), base);
}

#[test]
fn the_number_of_threads_does_not_show() {
    let repo = Repo::review();
    for arguments in [
        &["diff", "base..head"][..],
        &["diff", "base..head", "--format", "json"],
        &["diff", "head..base", "--all"],
        &["check"],
        &["check", "--format", "json"],
        &["describe", "stacks", "--format", "json"],
        &["describe", "stacks", "--format", "yaml"],
        &["describe", "component", "orders-db", "-s", "shop-eu-prod"],
    ] {
        let one = repo.run_with(arguments, &[("RAYON_NUM_THREADS", "1")]);
        for threads in ["2", "7"] {
            assert_eq!(repo.run_with(arguments, &[("RAYON_NUM_THREADS", threads)]), one, "{arguments:?}");
        }
        assert_eq!(repo.run(arguments), one, "{arguments:?}");
    }
}

#[test]
fn yaml_and_json_of_a_description_agree() {
    let repo = Repo::review();
    let json = repo.run(&["describe", "stacks", "--rev", "base", "--format", "json"]).json();
    let yaml = repo.run(&["describe", "stacks", "--rev", "base", "--format", "yaml"]).stdout;
    let read: Value = yaml_serde::from_str(&yaml).unwrap();
    assert_eq!(read, json);
}

#[test]
fn a_component_is_what_its_stack_says() {
    let repo = Repo::review();
    let stacks = repo.run(&["describe", "stacks", "--rev", "base", "--format", "json"]).json();
    let describe = ["describe", "component", "users-db", "--rev", "base", "--format", "json", "-s"];
    let by_name = repo.run(&[&describe[..], &["shop-eu-dev"]].concat()).ends_with(0);
    assert_eq!(by_name.json(), stacks["shop-eu-dev"]["components"]["terraform"]["users-db"]);
    let by_file = repo.run(&[&describe[..], &["deploy/shop/dev"]].concat()).ends_with(0);
    assert_eq!(by_file, by_name);
}
