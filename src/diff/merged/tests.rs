use super::*;
use crate::value::Read;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::sync::Arc;

fn value(json: &Json) -> Value {
    Value::new(match json {
        Json::Null => Data::Null,
        Json::Bool(b) => Data::Bool(*b),
        Json::Number(n) => n.as_i64().map_or_else(|| Data::Float(n.as_f64().unwrap()), Data::Int),
        // A stand-in for what is known only at run time.
        Json::String(s) if s.starts_with('?') => Data::Unknown(Arc::new(Unknown::new(s.as_str(), ""))),
        Json::String(s) => Data::Str(s.as_str().into()),
        Json::Array(items) => Data::List(Arc::new(items.iter().map(value).collect())),
        Json::Object(map) => Data::Map(Arc::new(map.iter().map(|(k, v)| (k.as_str().into(), value(v))).collect())),
    })
}

/// The listed values as `PATH EFFECT`; a version that is absent is `Json::Null` at the top.
fn listed(versions: [Json; 4]) -> Vec<String> {
    let values = versions.map(|json| (!json.is_null()).then(|| value(&json)));
    let found = compare(values.each_ref().map(Option::as_ref), [&[]; 4]);
    let winner = |effect| match effect {
        Effect::Contested(Some(winner)) => format!(" {}", winner.name()),
        _ => String::new(),
    };
    found.iter().map(|one| format!("{} {}{}", one.path, one.effect.name(), winner(one.effect))).collect()
}

/// The listed effect of one scalar; `null` is absent.
fn of_leaf(versions: [Json; 4]) -> String {
    let component = |leaf: Json| if leaf.is_null() { json!({}) } else { json!({ "a": leaf }) };
    let found = listed(versions.map(component));
    assert!(found.len() < 2);
    found.concat().trim_start_matches("/a").trim().to_owned()
}

#[test]
fn what_each_side_did_decides_what_is_expected() {
    for (versions, expected) in [
        ([json!(1), json!(1), json!(1), json!(1)], ""),
        ([json!(1), json!(1), json!(1), json!(2)], "emergent"),
        ([json!(1), json!(2), json!(2), json!(2)], ""),
        ([json!(1), json!(2), json!(2), json!(1)], "emergent"),
        ([json!(1), json!(2), json!(1), json!(2)], ""),
        ([json!(1), json!(2), json!(1), json!(1)], "lost-ours"),
        ([json!(1), json!(2), json!(1), json!(3)], "emergent"),
        ([json!(1), json!(1), json!(2), json!(2)], ""),
        ([json!(1), json!(1), json!(2), json!(1)], "lost-theirs"),
        ([json!(1), json!(1), json!(2), json!(3)], "emergent"),
        ([json!(1), json!(2), json!(3), json!(2)], "contested ours"),
        ([json!(1), json!(2), json!(3), json!(3)], "contested theirs"),
        ([json!(1), json!(2), json!(3), json!(1)], "contested neither"),
        ([Json::Null, json!(2), Json::Null, Json::Null], "lost-ours"),
        ([json!(1), json!(2), Json::Null, Json::Null], "contested theirs"),
        ([json!(1), json!(1.0), json!(true), json!(true)], ""),
        ([json!([1, 2]), json!([2, 1]), json!([1, 2]), json!([1, 2])], "lost-ours"),
    ] {
        assert_eq!(of_leaf(versions.clone()), expected, "{versions:?}");
    }
}

#[test]
fn what_is_not_known_is_neither_equal_nor_different() {
    for (versions, expected) in [
        ([json!("?x"), json!("?x"), json!("?x"), json!("?x")], ""),
        ([json!(1), json!("?x"), json!(1), json!("?x")], ""),
        ([json!(1), json!(1), json!(1), json!("?x")], "unknown"),
        ([json!(1), json!(2), json!("?x"), json!("?x")], "unknown"),
        ([json!("?x"), json!(1), json!(2), json!(2)], "unknown"),
        ([json!(1), json!(2), json!(3), json!("?x")], "contested"),
        ([json!([1, "?x"]), json!([1]), json!([1, 2, 3]), json!([1])], "contested ours"),
        // Not even whether it is there.
        ([Json::Null, Json::Null, Json::Null, json!("?x")], "unknown"),
    ] {
        assert_eq!(of_leaf(versions.clone()), expected, "{versions:?}");
    }
    // A map that is not known may have any entries.
    let versions = [json!({"a": {"b": 1}}), json!({"a": "?x"}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})];
    assert_eq!(listed(versions), ["/a/b unknown"]);
}

#[test]
fn a_call_that_reads_other_files_may_be_another_value() {
    let component = value(&json!({"a": "!call f"}));
    let call = |content: &str| {
        let mut call = Unknown::new("!call f", "");
        call.add_reads([Read { name: "f".into(), content: Some(content.into()) }]);
        Value::new(Data::Unknown(Arc::new(call)))
    };
    let (old, new) = ([call("1")], [call("2")]);
    let versions = [None, None, Some(&component), Some(&component)];
    assert!(compare(versions, [&old, &old, &old, &old]).is_empty());
    let found = compare(versions, [&old, &new, &old, &new]);
    assert_eq!(found.iter().map(|one| one.effect).collect::<Vec<_>>(), [Effect::Unknown]);
}

#[test]
fn maps_are_descended_and_empty_beside_entries_only_absent() {
    // Both sides add the same map, one of them with an entry.
    assert_eq!(listed([json!({}), json!({"a": {}}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}})]), [""; 0]);
    assert_eq!(listed([json!({}), json!({"a": {}}), json!({}), json!({})]), ["/a lost-ours"]);
    // A scalar and the entries of a map at its path are compared separately.
    let versions = [json!({"a": 1}), json!({"a": {"b": 1}}), json!({"a": 2}), json!({"a": 2})];
    assert_eq!(listed(versions), ["/a contested theirs", "/a/b lost-ours"]);
    assert_eq!(
        listed([json!({"x/y": {"~": 1}}), json!({}), json!({"x/y": {"~": 1}}), json!({"x/y": {"~": 2}})]),
        ["/x~1y/~0 emergent"]
    );
    // A component that only one side adds.
    assert_eq!(
        listed([Json::Null, json!({"a": 1, "b": {}}), Json::Null, Json::Null]),
        ["/a lost-ours", "/b lost-ours"]
    );
}

fn leaf() -> impl Strategy<Value = Json> {
    prop_oneof![Just(Json::Null), (0..3).prop_map(|n| json!(n)), Just(json!({})), Just(json!([1]))]
}

fn component() -> impl Strategy<Value = Json> {
    let map = |entry: BoxedStrategy<Json>| {
        let entries = prop::collection::btree_map("[ab]", entry, 0..3);
        entries.prop_map(|map| Json::Object(map.into_iter().collect()))
    };
    map(prop_oneof![leaf(), map(leaf().boxed())].boxed())
}

/// The values by their paths as the definition has them: a map with entries is not one.
fn leaves(json: &Json, path: &str, found: &mut std::collections::BTreeMap<String, Json>) {
    match json {
        Json::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(key, below)| leaves(below, &format!("{path}/{key}"), found));
        }
        leaf => drop(found.insert(path.to_owned(), leaf.clone())),
    }
}

/// What the table of the definition says of the versions of a component, as `PATH EFFECT`; `Json::Null` is absent.
pub(crate) fn expected(versions: &[Json; 4]) -> Vec<String> {
    let each = versions.each_ref().map(|version| {
        let mut found = std::collections::BTreeMap::new();
        if !version.is_null() {
            leaves(version, "", &mut found);
        }
        found
    });
    let paths: BTreeSet<&String> = each.iter().flat_map(|leaves| leaves.keys()).collect();
    let has_entries = |path: &str| paths.iter().any(|other| other.starts_with(&format!("{path}/")));
    let mut expected = Vec::new();
    for path in &paths {
        let of = |leaves: &std::collections::BTreeMap<String, Json>| {
            leaves.get(*path).filter(|leaf| **leaf != json!({}) || !has_entries(path)).cloned()
        };
        let [b, o, t, m] = each.each_ref().map(of);
        let text = match (o == b, t == b) {
            (true, true) if m != b => "emergent",
            (false, false) if o == t && m != o => "emergent",
            (false, false) if o != t && m == o => "contested ours",
            (false, false) if o != t && m == t => "contested theirs",
            (false, false) if o != t => "contested neither",
            (false, true) if m == b => "lost-ours",
            (false, true) if m != o => "emergent",
            (true, false) if m == b => "lost-theirs",
            (true, false) if m != t => "emergent",
            _ => continue,
        };
        expected.push(format!("{path} {text}"));
    }
    expected
}

proptest! {
    #![proptest_config(crate::fuzz::cases(256))]

    /// A merge that keeps what one side did where the other did nothing is independent.
    #[test]
    fn a_merge_of_one_change_has_no_effect_of_its_own(base in component(), changed in component()) {
        prop_assert_eq!(listed([base.clone(), changed.clone(), base.clone(), changed.clone()]), [""; 0]);
        prop_assert_eq!(listed([base.clone(), base, changed.clone(), changed]), [""; 0]);
    }

    /// What is listed is what the table says of each path of any version, and nothing else.
    #[test]
    fn the_list_is_what_the_table_says_of_all_paths(versions in prop::array::uniform4(component())) {
        prop_assert_eq!(listed(versions.clone()), expected(&versions));
    }
}
