use super::*;
use crate::value::{Language, Unknown};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::sync::Arc;

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
fn apply(base: &Json, steps: &[DiffStep]) -> Json {
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
    let steps = compare(&x, &y, &Language::default(), [&[], &[]]);
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
            vec!["+ /0", "~ /1/x", "- /2"],
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

/// The moves between two lists, as `from>to`, in the order of the steps that bring the items in.
fn moves(a: &Json, b: &Json) -> String {
    summary(a, b);
    let (x, y) = (value(a), value(b));
    let steps = compare(&x, &y, &Language::default(), [&[], &[]]);
    let added = steps.iter().filter(|step| step.kind == ChangeKind::Added).filter_map(|step| step.moved);
    added.map(|moved| format!("{}>{}", moved.from, moved.to)).collect::<Vec<_>>().join(" ")
}

#[test]
fn items_that_move() {
    for (a, b, expected) in [
        (json!(["a", "b", "c"]), json!(["c", "a", "b"]), "2>0"),
        (json!(["a", "b", "c"]), json!(["b", "c", "a"]), "0>2"),
        // Items that keep their index stay.
        (json!(["a", "b", "c"]), json!(["c", "b", "a"]), "2>0 0>2"),
        (json!(["a", "b", "c", "d"]), json!(["a", "c", "b", "d"]), "2>1"),
        // A moved item is not paired with one that takes its place.
        (json!(["a", "b", "c", "d"]), json!(["x", "b", "c", "a"]), "0>3"),
        (json!(["a", "b", "c", "d"]), json!(["d", "b", "c", "x"]), "3>0"),
        // Equal items move in their order.
        (json!(["x", "x", "a", "b", "c"]), json!(["a", "b", "c", "x", "x"]), "0>3 1>4"),
        (json!(["x", "a", "b", "c"]), json!(["a", "x", "b", "c", "x"]), "1>0"),
        // An item that keeps its index can still leave those around it.
        (json!(["a", "b", "c", "d", "e"]), json!(["d", "e", "c", "a", "b"]), "3>0 4>1 2>2"),
        // Maps move as a whole; one that is edited as well goes and comes.
        (json!([{"x": 1}, {"x": 2}, {"x": 3}]), json!([{"x": 3}, {"x": 1}, {"x": 2}]), "2>0"),
        (json!([{"id": 1, "x": 1}, {"id": 2}, {"id": 3}]), json!([{"id": 2}, {"id": 3}, {"id": 1, "x": 1}]), "0>2"),
        (json!([{"id": 1, "x": 1}, {"id": 2}, {"id": 3}]), json!([{"id": 2}, {"id": 3}, {"id": 1, "x": 2}]), ""),
        (json!(["a"]), json!(["b"]), ""),
    ] {
        assert_eq!(moves(&a, &b), expected, "{a} {b}");
    }
}

#[test]
fn what_is_unknown_moves_only_as_itself() {
    let unknown = |assumed: Option<&str>| {
        let assumed = assumed.map(|text| Box::new(Value::str(text)));
        Value::new(Data::Unknown(Arc::new(Unknown { assumed, ..Unknown::new("{{ env `A` }}", "") })))
    };
    let list = |items: [Value; 3]| Value::list(items.to_vec());
    let number = |a: &Value, b: &Value| {
        let steps = compare(a, b, &Language::default(), [&[], &[]]);
        steps.iter().filter(|step| step.moved.is_some()).count()
    };
    let (a, b) = (Value::str("a"), Value::str("b"));
    let base = list([unknown(Some("x")), a.clone(), b.clone()]);
    assert_eq!(number(&base, &list([a.clone(), b.clone(), unknown(Some("x"))])), 2);
    assert_eq!(number(&base, &list([a.clone(), b.clone(), Value::str("x")])), 0);
    assert_eq!(number(&base, &list([a, b, unknown(None)])), 0);
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
    assert_eq!(compare(&a, &b, &Language::default(), [&[], &[]]).len(), 1);
    assert_eq!(compare(&a, &deep(1), &Language::default(), [&[], &[]]).len(), 0);
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
    fn moves_are_of_equal_items(a in prop::collection::vec(0i64..8, 0..12), b in prop::collection::vec(0i64..8, 0..12)) {
        let (x, y) = (value(&Json::from(a.clone())), value(&Json::from(b.clone())));
        summary(&Json::from(a.clone()), &Json::from(b.clone()));
        let steps = compare(&x, &y, &Language::default(), [&[], &[]]);
        let of = |kind| steps.iter().filter(move |step| step.kind == kind);
        let sorted = |kind| {
            let mut pairs: Vec<_> = of(kind).filter_map(|step| step.moved).map(|m| (m.from, m.to)).collect();
            pairs.sort_unstable();
            pairs
        };
        let pairs = sorted(ChangeKind::Removed);
        prop_assert_eq!(&pairs, &sorted(ChangeKind::Added));
        for index in [|pair: &(usize, usize)| pair.0, |pair: &(usize, usize)| pair.1] {
            let distinct: std::collections::BTreeSet<usize> = pairs.iter().map(index).collect();
            prop_assert_eq!(distinct.len(), pairs.len());
        }
        prop_assert!(pairs.iter().all(|(from, to)| a[*from] == b[*to]));
        // Whatever goes and comes again has moved.
        let alone = |kind| of(kind).filter(|step| step.moved.is_none());
        for gone in alone(ChangeKind::Removed) {
            prop_assert!(alone(ChangeKind::Added).all(|new| !same(gone.before.unwrap(), new.after.unwrap())));
        }
    }

    #[test]
    fn equal_trees_have_no_steps(a in tree()) {
        prop_assert!(summary(&a, &a).is_empty());
    }
}
