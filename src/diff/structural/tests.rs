use super::*;
use crate::value::Language;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn value(json: &Json) -> Value {
    Value::new(match json {
        Json::Null => Data::Null,
        Json::Bool(b) => Data::Bool(*b),
        Json::Number(n) => n.as_i64().map_or_else(|| Data::Float(n.as_f64().unwrap()), Data::Int),
        Json::String(s) => Data::Str(s.as_str().into()),
        Json::Array(items) => Data::List(Arc::new(items.iter().map(value).collect())),
        Json::Object(map) => Data::Map(Arc::new(map.iter().map(|(k, v)| (k.as_str().into(), value(v))).collect())),
    })
}

/// RFC 6902 as far as it is needed, strict about what must be there.
fn apply(base: &Json, steps: &[Step]) -> Json {
    let mut doc = base.clone();
    for step in steps {
        let after = step.after.map(|v| serde_json::to_value(v).unwrap());
        let before = step.before.map(|v| serde_json::to_value(v).unwrap());
        if step.path.is_empty() {
            assert_eq!(doc, before.unwrap());
            doc = after.unwrap();
            continue;
        }
        let (parent, last) = step.path.rsplit_once('/').unwrap();
        let last = last.replace("~1", "/").replace("~0", "~");
        if step.kind != ChangeKind::Added {
            assert_eq!(doc.pointer(&step.path), before.as_ref(), "{}", step.path);
        }
        match (doc.pointer_mut(parent).unwrap(), step.kind) {
            (Json::Object(map), ChangeKind::Removed) => drop(map.remove(&last).unwrap()),
            (Json::Object(map), kind) => {
                assert_eq!(map.insert(last, after.unwrap()).is_none(), kind == ChangeKind::Added);
            }
            (Json::Array(list), ChangeKind::Removed) => drop(list.remove(last.parse().unwrap())),
            (Json::Array(list), ChangeKind::Added) => list.insert(last.parse().unwrap(), after.unwrap()),
            (Json::Array(list), ChangeKind::Changed) => list[last.parse::<usize>().unwrap()] = after.unwrap(),
            (other, _) => panic!("no container: {other}"),
        }
    }
    doc
}

fn summary(a: &Json, b: &Json) -> Vec<String> {
    let (x, y) = (value(a), value(b));
    let steps = compare(&x, &y, &Language::default());
    assert_eq!(&apply(a, &steps), b);
    steps.iter().map(|s| format!("{} {}", s.kind.sign(), s.path)).collect()
}

#[test]
fn one_edit_is_one_step() {
    for (a, b, steps) in [
        (json!({"a": 1}), json!({"a": 2}), vec!["~ /a"]),
        (json!({"a": {"b": 1}}), json!({"a": {"b": 1, "c": {"d": 1}}}), vec!["+ /a/c"]),
        (json!({"a/b": {"~": 1}}), json!({"a/b": {}}), vec!["- /a~1b/~0"]),
        (json!({"a": {"b": 1}}), json!({"a": [1]}), vec!["~ /a"]),
        (json!([1, 2, 3]), json!([0, 1, 2, 3]), vec!["+ /0"]),
        (json!([1, 2, 3]), json!([1, 3]), vec!["- /1"]),
        (json!([1, 2, 3]), json!([1, 4, 3]), vec!["~ /1"]),
        (json!([1, 2, 3, 4]), json!([2, 9, 4, 5]), vec!["- /0", "~ /1", "+ /3"]),
        (
            json!([{"name": "a", "x": 1}, {"name": "b"}]),
            json!([{"name": "b"}, {"name": "a", "x": 2}]),
            vec!["- /0", "+ /1"],
        ),
        (
            json!([{"id": 1, "x": 1}, {"id": 2, "x": 1}]),
            json!([{"id": 3, "x": 1}, {"id": 1, "x": 2}, {"id": 2, "x": 1}]),
            vec!["+ /0", "~ /1/x"],
        ),
        (json!([{"x": 1}]), json!([{"x": 2}]), vec!["~ /0/x"]),
        (json!([[1], [2]]), json!([[1], [2, 3]]), vec!["+ /1/1"]),
        (json!([]), json!([1, 2]), vec!["+ /0", "+ /1"]),
        (json!([1, 2]), json!([]), vec!["- /0", "- /0"]),
        (json!(1), json!("1"), vec!["~ "]),
    ] {
        assert_eq!(summary(&a, &b), steps, "{a} {b}");
    }
}

#[test]
fn long_lists_are_bounded() {
    let numbers = |from: i64, to: i64| Json::from((from..to).collect::<Vec<_>>());
    let shuffled = |n: i64, by: i64| Json::from((0..n).map(|i| i * by % n).collect::<Vec<_>>());
    assert_eq!(summary(&numbers(0, 50_000), &numbers(1, 50_000)), ["- /0"]);
    assert_eq!(summary(&json!({"a": shuffled(5_003, 7)}), &json!({"a": shuffled(5_003, 11)})), ["~ /a"]);
}

#[test]
fn deep_values_do_not_overflow() {
    let deep = |last: i64| {
        (0..3_000).fold(Value::new(Data::Int(last)), |v, _| Value::map(std::iter::once(("a".into(), v)).collect()))
    };
    let (a, b) = (deep(1), deep(2));
    assert_eq!(compare(&a, &b, &Language::default()).len(), 1);
    assert_eq!(compare(&a, &deep(1), &Language::default()).len(), 0);
}

fn tree() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (0i64..4).prop_map(Json::from),
        "[ab/~]{0,2}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            prop::collection::btree_map("[ab/~]|name", inner, 0..5).prop_map(|m| Json::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(crate::fuzz::cases(256))]

    #[test]
    fn steps_turn_base_into_head(a in tree(), b in tree()) {
        summary(&a, &b);
    }

    #[test]
    fn equal_trees_have_no_steps(a in tree()) {
        prop_assert!(summary(&a, &a).is_empty());
    }
}
