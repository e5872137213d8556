//! Invariants for any input.

use super::{ATMOS, Atmos, World};
use crate::dialects::atmos::merge::deferred::merge_deferred;
use crate::dialects::atmos::merge::{ListStrategy, merge};
use crate::dialects::{Dialect, Project, Scope};
use crate::diff;
use crate::files::Files;
use crate::resolution::Resolution;
use crate::source::Memory;
use crate::value::{Data, Key, Map, Value};
use proptest::prelude::*;
use serde_json::{Value as Json, to_value};
use std::collections::BTreeMap;
use std::sync::Arc;

fn scalar() -> impl Strategy<Value = Data> {
    prop_oneof![
        Just(Data::Null),
        any::<bool>().prop_map(Data::Bool),
        (0i64..5).prop_map(Data::Int),
        "[a-c]{0,2}".prop_map(|s| Data::Str(s.into())),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_map(Value::new).prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::list),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|m| Value::map(m.into_iter().map(|(k, v)| (Key::from(k), v)).collect())),
        ]
    })
}

fn tree() -> impl Strategy<Value = Arc<Map>> {
    prop::collection::btree_map("[a-d]", value(), 0..4)
        .prop_map(|m| Arc::new(m.into_iter().map(|(k, v)| (Key::from(k), v)).collect()))
}

fn strategy() -> impl Strategy<Value = ListStrategy> {
    prop_oneof![Just(ListStrategy::Replace), Just(ListStrategy::Append), Just(ListStrategy::Merge)]
}

/// A tree in which every key has one kind: maps under `m`, lists of scalars under `l`, of maps under `o`, else scalars.
fn kinded() -> impl Strategy<Value = Arc<Map>> {
    let scalars = || prop::collection::vec(scalar().prop_map(Value::new), 0..3);
    let leaf = prop::collection::btree_map("[s-u]", scalar().prop_map(Value::new), 0..3).prop_map(to_map);
    let inner = leaf.prop_recursive(3, 12, 3, move |inner| {
        let lists = prop::collection::vec(inner.clone(), 0..3).prop_map(Value::list);
        let entry = prop_oneof![
            ("[s-u]", scalar().prop_map(Value::new)),
            ("l[12]", scalars().prop_map(Value::list)),
            ("m[12]", inner),
            ("o[12]", lists),
        ];
        prop::collection::vec(entry, 0..4).prop_map(|entries| to_map(entries.into_iter().collect()))
    });
    inner.prop_map(|v| v.as_map().cloned().unwrap_or_default())
}

fn to_map(entries: BTreeMap<String, Value>) -> Value {
    Value::map(entries.into_iter().map(|(k, v)| (Key::from(k), v)).collect())
}

/// A tree with YAML functions among its scalars.
fn calling() -> impl Strategy<Value = Arc<Map>> {
    let leaf = prop_oneof![
        scalar().prop_map(Value::new),
        prop::sample::select(vec!["!env A", "!template [1]", "!terraform.state a b", "!cwd"]).prop_map(Value::str),
    ];
    prop::collection::btree_map("[a-d]", leaf, 0..4).prop_map(|m| to_map(m).as_map().cloned().unwrap_or_default())
}

fn shown(map: &Arc<Map>) -> Json {
    to_value(&**map).expect("JSON")
}

proptest! {
    #![proptest_config(crate::fuzz::cases(256))]

    #[test]
    fn an_empty_layer_changes_nothing(tree in tree(), strategy in strategy()) {
        let empty = Arc::default();
        prop_assert_eq!(shown(&merge(strategy, [&tree, &empty])), shown(&tree));
        prop_assert_eq!(shown(&merge(strategy, [&empty, &tree])), shown(&tree));
        prop_assert_eq!(shown(&merge(strategy, [&empty, &tree, &empty, &empty])), shown(&tree));
    }

    #[test]
    fn a_layer_without_a_key_does_not_change_it(a in tree(), b in tree(), strategy in strategy()) {
        let merged = shown(&merge(strategy, [&a, &b]));
        for entry in a.iter().filter(|e| !b.has(&e.key)) {
            prop_assert_eq!(&merged[&*entry.key], &to_value(&entry.value).expect("JSON"));
        }
        for entry in b.iter().filter(|e| !a.has(&e.key)) {
            prop_assert_eq!(&merged[&*entry.key], &to_value(&entry.value).expect("JSON"));
        }
        prop_assert!(merged.as_object().is_some_and(|m| m.keys().all(|k| a.has(k) || b.has(k))));
    }

    #[test]
    fn merging_is_associative_where_kinds_agree(a in kinded(), b in kinded(), c in kinded(), strategy in strategy()) {
        let left = merge(strategy, [&merge(strategy, [&a, &b]), &c]);
        let right = merge(strategy, [&a, &merge(strategy, [&b, &c])]);
        prop_assert_eq!(shown(&left), shown(&right));
        prop_assert_eq!(shown(&left), shown(&merge(strategy, [&a, &b, &c])));
    }

    #[test]
    fn a_layer_without_the_path_changes_nothing_of_a_function(
        layers in prop::collection::vec(calling(), 1..4), other in calling(), at in any::<prop::sample::Index>(), strategy in strategy()
    ) {
        let other = Arc::new(Map::from_iter([(Key::from("z"), Value { data: Data::Map(other), prov: Default::default() })]));
        let mut more: Vec<_> = layers.iter().collect();
        more.insert(at.index(layers.len() + 1), &other);
        let (mut found, mut with) = (Vec::new(), Vec::new());
        let without = merge_deferred(strategy, None, &layers.iter().collect::<Vec<_>>(), &mut found).expect("flat");
        let merged = merge_deferred(strategy, None, &more, &mut with).expect("flat");
        let mut merged = (*merged).clone();
        merged.remove("z");
        prop_assert_eq!(shown(&without), shown(&Arc::new(merged)));
        with.retain(|d| &*d.path[0] != "z");
        prop_assert_eq!(found.len(), with.len());
        for (a, b) in found.iter().zip(&with) {
            prop_assert_eq!((&a.path, &a.values), (&b.path, &b.values));
        }
    }

    #[test]
    fn replacing_is_associative_and_idempotent(a in tree(), b in tree(), c in tree()) {
        let m = |x: &Arc<Map>, y: &Arc<Map>| merge(ListStrategy::Replace, [x, y]);
        let all = merge(ListStrategy::Replace, [&a, &b, &c]);
        prop_assert_eq!(shown(&m(&m(&a, &b), &c)), shown(&all));
        // A value between that hides a map from another is the one thing order matters for.
        if !hides(&a, &b, &c) {
            prop_assert_eq!(shown(&m(&a, &m(&b, &c))), shown(&all));
        }
        prop_assert_eq!(shown(&m(&a, &a)), shown(&a));
    }
}

/// Whether somewhere a map of `a` and a map of `c` have something else between them.
fn hides(a: &Map, b: &Map, c: &Map) -> bool {
    a.iter().any(|x| match (&x.value.data, b.get(&x.key).map(|v| &v.data), c.get(&x.key).map(|v| &v.data)) {
        (Data::Map(x), Some(Data::Map(y)), Some(Data::Map(z))) => hides(x, y, z),
        (Data::Map(_), Some(_), Some(Data::Map(_))) => true,
        _ => false,
    })
}

/// Lines that a random manifest is made of.
const PARTS: [&str; 16] = [
    "vars: {stage: dev, n: 1, l: [1, 2, 3]}\n",
    "vars: {stage: dev, n: 2, l: [3, 1], m: {a: {b: 1}}}\n",
    "vars: {stage: qa}\n",
    "settings: {s: x, t: 'a-{{ .vars.stage }}'}\n",
    "settings: {s: [a, {b: c}, d], list_merge_strategy: append}\n",
    "env: {E: e}\n",
    "terraform: {vars: {l: [7]}, backend_type: s3, backend: {s3: {bucket: b}}}\n",
    "terraform: {overrides: {vars: {n: 9}}}\n",
    "locals: {p: q}\n",
    "components: {terraform: {box: {vars: {x: 1, l: [{a: 1}, {a: 2}]}}}}\n",
    "components: {terraform: {box: {vars: {x: 2, l: [{a: 2}, {b: 3}, {a: 1}]}}, bag: {}}}\n",
    "components: {terraform: {bag: {metadata: {inherits: [box]}}, box: {}}}\n",
    "components: {terraform: {bag: {metadata: {inherits: [ghost]}}, box: {vars: {'a/b~c': 'x{{ .locals.p }}'}}}}\n",
    "components: {helmfile: {app: {vars: {t: '{{ .settings.s }}'}}}}\n",
    "import: [catalog/one]\n",
    "import: [catalog/two, catalog/one]\n",
];

/// Which parts the files of a project are made of.
type Plan = Vec<Vec<usize>>;

const PATHS: [&str; 4] =
    ["stacks/deploy/a.yaml", "stacks/deploy/b.yaml", "stacks/catalog/one.yaml", "stacks/catalog/two.yaml"];

fn plan() -> impl Strategy<Value = Plan> {
    prop::collection::vec(prop::collection::btree_set(0..PARTS.len(), 0..5), PATHS.len())
        .prop_map(|files| files.into_iter().map(|f| f.into_iter().collect()).collect())
}

fn files(plan: &Plan) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::from([("atmos.yaml".to_owned(), ATMOS.as_bytes().to_vec())]);
    for (path, parts) in PATHS.iter().zip(plan) {
        let mut keys = std::collections::BTreeSet::new();
        let fresh = parts.iter().map(|p| PARTS[*p]).filter(|t| keys.insert(t.split(':').next()));
        let text: String = fresh.filter(|t| !path.contains("one") || !t.starts_with("import")).collect();
        out.insert((*path).to_owned(), text.into_bytes());
    }
    out
}

type Shown = BTreeMap<[String; 3], Json>;

fn components(resolution: &Resolution) -> Shown {
    let all = resolution.components();
    all.into_iter()
        .map(|((s, k, n), placed)| {
            ([s.to_string(), k.to_string(), n.to_string()], to_value(&placed.component.value).expect("JSON"))
        })
        .collect()
}

fn apply(base: &Shown, diff: &diff::Diff, head: &Shown) -> Shown {
    let mut out = base.clone();
    for change in &diff.components {
        let address = [&change.stack, &change.kind, &change.name].map(|s| s.to_string());
        match change.status {
            diff::Status::Added => {
                out.insert(address.clone(), head[&address].clone());
            }
            diff::Status::Removed => {
                out.remove(&address).expect("a component to remove");
            }
            diff::Status::Modified => {
                let target = out.get_mut(&address).expect("a component to change");
                change.changes.iter().for_each(|c| patch(target, c));
            }
        }
    }
    out
}

fn patch(target: &mut Json, change: &diff::Change) {
    let (parent, key) = change.path.rsplit_once('/').expect("a path");
    let key = key.replace("~1", "/").replace("~0", "~");
    let after = change.after.as_ref().map(|v| to_value(v).expect("JSON"));
    match (target.pointer_mut(parent).expect("a parent"), after) {
        (Json::Object(map), Some(after)) => {
            let was = map.insert(key, after);
            assert_eq!(was.is_some(), change.before.is_some());
        }
        (Json::Object(map), None) => assert!(map.remove(&key).is_some()),
        (Json::Array(list), Some(after)) => {
            let at: usize = key.parse().expect("an index");
            if change.before.is_some() {
                list[at] = after;
            } else {
                list.insert(at, after);
            }
        }
        (Json::Array(list), None) => {
            list.remove(key.parse().expect("an index"));
        }
        (other, _) => panic!("{} leads into {other}", change.path),
    }
}

proptest! {
    #![proptest_config(crate::fuzz::cases(96))]

    #[test]
    fn changes_turn_the_base_into_the_head(base in plan(), file in 0..4usize, parts in prop::collection::btree_set(0..PARTS.len(), 0..5), other in plan(), far: bool) {
        let mut head = if far { other } else { base.clone() };
        head[file] = parts.into_iter().collect();
        let table = Files::default();
        let atmos = Atmos::new();
        let resolve = |plan: &Plan, scope: Scope<'_>| {
            atmos.resolve(&Memory::new("memory", files(plan)), &Project::default(), &table, scope)
        };
        let (old, new) = (resolve(&base, Scope::All), resolve(&head, Scope::All));
        let found = diff::diff(&old, &new, &table, &diff::DiffOptions::default());
        // Two manifests that define one component: only seen together.
        let defined = |d: &Resolution| d.units.iter().map(|u| u.components.len()).sum::<usize>();
        let twice = [&old, &new].iter().any(|d| defined(d) != d.components().len());
        // Parts that one side could not resolve are not compared. The address does not show which of two manifests they
        // come from.
        let unresolved: Vec<String> = found.unresolved.clone();
        prop_assume!(!twice || unresolved.is_empty());
        let compared = |resolution: &Resolution| {
            let mut all = components(resolution);
            for placed in resolution.components().into_values() {
                let whole = placed.unit.name.to_string();
                let single = format!("{whole}: {}", placed.component.name);
                let stack = format!("{whole}: {}", placed.component.stack);
                if [&whole, &single, &stack].iter().any(|name| unresolved.contains(name)) {
                    let (stack, kind, name) = placed.component.address();
                    all.remove(&[stack.to_string(), kind.to_string(), name.to_string()]);
                }
            }
            all
        };
        let (before, after) = (compared(&old), compared(&new));
        prop_assert_eq!(apply(&before, &found, &after), after);
        // Parts that the changes cannot affect need not be resolved for the same result.
        let changes = crate::source::changed(
            crate::source::Source::listing(&Memory::new("base", files(&base))),
            crate::source::Source::listing(&Memory::new("head", files(&head))),
        );
        let (old, new) = (resolve(&base, Scope::Touched(&changes)), resolve(&head, Scope::Touched(&changes)));
        let narrow = diff::diff(&old, &new, &table, &diff::DiffOptions::default());
        let modified = |d: &diff::Diff| -> Vec<String> {
            let only = d.components.iter().filter(|c| c.status == diff::Status::Modified);
            only.map(|c| format!("{}/{} {:?}", c.stack, c.name, c.changes.iter().map(|c| &c.path).collect::<Vec<_>>())).collect()
        };
        if !twice && narrow.components.iter().all(|c| c.status == diff::Status::Modified) {
            prop_assert_eq!(modified(&narrow), modified(&found));
        }
    }
}

/// A project with something of everything.
fn rich() -> World {
    World::new()
        .stack(
            "catalog/net.yaml",
            "components:\n  terraform:\n    net:\n      metadata: {type: abstract}\n      vars:\n        cidr: 10.0.0.0/16\n        zones: &zones [a, b]\n        more: !append [x]\n        when: 2024-01-02\n        secret: !env SECRET d\n",
        )
        .stack("catalog/tmpl.yaml.tmpl", "vars:\n  {{ .key }}: {{ .value | quote }}\n{{ if .on }}settings: {on: true}{{ end }}\n")
        .stack(
            "deploy/dev.yaml",
            "locals:\n  a: \"{{ .locals.b }}-x\"\n  b: 1\nimport:\n  - catalog/net\n  - path: catalog/tmpl\n    context: {key: k, value: v, on: true}\nvars:\n  stage: dev\n  text: |\n    several\n    lines\noverrides:\n  vars: {o: 1}\ncomponents:\n  terraform:\n    box:\n      metadata:\n        inherits: [net]\n      vars:\n        a: \"{{ .locals.a }}\"\n        merged: {<<: {x: 1}, y: '{{ .vars.stage | upper }}'}\n  helmfile:\n    app: {vars: {n: 1.50}}\n",
        )
}

#[test]
fn the_rich_project_resolves() {
    assert_eq!(rich().names(), ["dev/app", "dev/box", "dev/net"]);
}

proptest! {
    #![proptest_config(crate::fuzz::cases(64))]

    #[test]
    fn mutilated_manifests_never_panic(which in 0..4usize, cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..12usize, prop::sample::select(vec!["", "\n", " ", ":", "- ", "{", "}", "[", "{{", "}}", "'", "\"", "!append ", "&a ", "*a", "|\n", "#", "\t", "\u{0}", "<<: ", "null", "~", "\u{feff}", "..", "/", ",", "%", "é"])), 1..5)) {
        let mut world = rich();
        let path = world.files.keys().nth(which).expect("a file").clone();
        let mut text = String::from_utf8(world.files[&path].clone()).expect("text");
        for (at, length, insert) in cuts {
            let boundary = |mut i: usize, text: &str| { while !text.is_char_boundary(i) { i -= 1; } i };
            let start = boundary(at.index(text.len() + 1), &text);
            let end = boundary((start + length).min(text.len()), &text).max(start);
            text.replace_range(start..end, insert);
        }
        world = world.file(&path, &text);
        let (resolution, findings) = (world.resolution(), world.findings());
        // The same twice, and nothing is lost silently.
        prop_assert_eq!(resolution.findings.len(), findings.len());
        prop_assert_eq!(world.stacks(), world.stacks());
    }
}
