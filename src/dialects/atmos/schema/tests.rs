//! Consistency of the description: the checker and the exported schema accept the same values.

use super::{check, manifest::MANIFEST};
use crate::dialects::atmos::document::Decoder;
use crate::dialects::atmos::shapes::shape::{Condition, Map, Rest, Shape};
use crate::value::{Prov, Value};
use crate::yaml::{self, Span};
use proptest::prelude::*;
use serde_json::{Map as Object, Value as Json, json};
use std::cell::Cell;
use std::sync::LazyLock;

static EXPORTED: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    jsonschema::validator_for(&crate::dialects::atmos::shapes::export::to_json_schema(
        "Atmos stack manifest",
        super::MANIFEST,
    ))
    .expect("a JSON Schema")
});

fn value(text: &str) -> Value {
    let doc = yaml::parse(text.as_bytes()).expect("YAML");
    let place = |_: u32, _: Span| Prov::default();
    Decoder { place: &place, include: None, delimiter: None, limits: Default::default() }.decode(&doc).expect("a value")
}

/// Why a manifest is rejected, by path.
fn refused(value: &Value) -> Vec<String> {
    let found = check::check(&MANIFEST, value);
    found
        .iter()
        .filter(|v| !matches!(v.wrong, check::Wrong::Typo(..) | check::Wrong::Deprecated(..)))
        .map(|v| format!("{}: {:?}", v.path, v.wrong))
        .collect()
}

#[track_caller]
fn agree(manifest: &Json) -> bool {
    let own = refused(&value(&manifest.to_string()));
    let exported: Vec<String> = EXPORTED.iter_errors(manifest).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert_eq!(own.is_empty(), exported.is_empty(), "{manifest:#}\nchecker: {own:#?}\nexport: {exported:#?}");
    own.is_empty()
}

#[test]
fn accepts_and_refuses() {
    let accepted = [
        "{}",
        "name: dev\nimport: [a, {path: b, context: {x: 1}}]\nvars: {a: [1]}\nx-anchors: 5",
        "import: '!include x'",
        "components: {terraform: {'a b/{c}.d-e_f': {metadata: {type: abstract, inherits: [a, b]}}}, mytype: 5}",
        "terraform: {backend_type: s3, backend: {s3: {bucket: b}}, retry: {multiplier: 0.5}}",
        "components: {terraform: {a: {secrets: {vars: {'any name': {store: s}}}, source: github.com/x}}}",
        "dependencies: {components: [{name: a}, {kind: file, path: p}], workflows: [a, {name: b}]}",
        "workflows: {deploy: {steps: [{prompt: {text: hm}, type: simulate, when: {not: ci}}, {steps: [{}]}]}}",
        "settings: {depends_on: {1: {component: a}}, spacelift: {terraform_version: 1.5, more: 1}}",
    ];
    for text in accepted {
        let found = value(text);
        assert_eq!(refused(&found), [""; 0], "{text}");
        assert!(agree(&serde_json::to_value(&found).expect("JSON")));
    }
    let refused_ones = [
        ("5", ": Kind"),
        ("vars: [1]", "vars: Kind"),
        ("vars:", "vars: Kind"),
        ("import: a", "import: Kind"),
        ("import: [[a]]", "import[0]: Kind"),
        ("import: [{path: a, paths: b}]", "import[0].paths: Key"),
        ("import: [{context: {}}]", "import[0]: Lacks"),
        (
            "components: {terraform: {a: {metadata: {inherits: [a, b, a]}}}}",
            "components.terraform.a.metadata.inherits[2]: Repeated",
        ),
        ("components: {terraform: {a$: {}}}", "components.terraform.a$: Name"),
        ("components: {terraform: {a: {overrides: {}}}}", "components.terraform.a.overrides: Key"),
        ("components: {terraform: {a: {source: '!include x'}}}", "components.terraform.a.source: Call"),
        ("terraform: {backend_type: s4}", "terraform.backend_type: Word"),
        ("terraform: {retry: {max_attempts: 0}}", "terraform.retry.max_attempts: Range"),
        ("terraform: {retry: {multiplier: 0}}", "terraform.retry.multiplier: Range"),
        ("terraform: {retry: {max_attempts: 1.5}}", "terraform.retry.max_attempts: Range"),
        ("settings: {depends_on: {1: {}}}", "settings.depends_on.1: ExactlyOne"),
        ("settings: {depends_on: {1: {file: a, folder: b}}}", "settings.depends_on.1: ExactlyOne"),
        ("dependencies: {components: [{kind: stack, path: p}]}", "dependencies.components[0]: OneGroup"),
        ("compositions: {a: {services: []}}", "compositions.a.services: Empty"),
        ("workflows: {deploy: {steps: [{prompt: {}}]}}", "workflows.deploy.steps[0]: Demands"),
        ("workflows: {name: x}", "workflows.name: Kind"),
    ];
    for (text, wanted) in refused_ones {
        let found = value(text);
        let all = refused(&found);
        assert!(all.len() == 1 && all[0].starts_with(wanted), "{text}: {all:#?}");
        assert!(!agree(&serde_json::to_value(&found).expect("JSON")));
    }
}

#[test]
fn near_misses_where_others_are_passed_over() {
    let found =
        value("imports: []\nvras: {}\nx-vars: 1\n.vars: 1\ncomponents: {terrafrom: {}, mine: {}}\nvars: {vras: 1}");
    let typos: Vec<String> =
        check::check(&MANIFEST, &found).iter().map(|v| format!("{} {:?}", v.path, v.wrong)).collect();
    let wanted = [
        "components.terrafrom Typo(\"terrafrom\", \"terraform\")",
        "imports Typo(\"imports\", \"import\")",
        "vras Typo(\"vras\", \"vars\")",
    ];
    assert_eq!(typos, wanted);
}

/// Numbers that look random.
struct Dice(Cell<u64>, u64);

impl Dice {
    fn below(&self, n: u64) -> u64 {
        let mut x = self.0.get();
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0.set(x);
        (x >> 11) % n
    }

    /// One in as many as this manifest has faults.
    fn fault(&self) -> bool {
        self.1 > 0 && self.below(self.1) == 0
    }

    fn pick<'a, T>(&self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    fn any(&self) -> Json {
        let all = [
            json!(null),
            json!(true),
            json!(-1),
            json!(0),
            json!(0.5),
            json!(7),
            json!("text"),
            json!("!include x"),
            json!("file"),
            json!([]),
            json!(["a", "a"]),
            json!([{}]),
            json!({}),
            json!({"name": "x"}),
            json!({"kind": 1}),
        ];
        self.pick(&all).clone()
    }
}

fn some(shape: &'static Shape, dice: &Dice, depth: usize) -> Json {
    if dice.fault() {
        return dice.any();
    }
    match shape {
        Shape::Any => dice.any(),
        Shape::Text => json!(dice.pick(&["a", "b", "!include y", ""])),
        Shape::OwnText => json!("own"),
        Shape::Call => json!("!include z"),
        Shape::Words(words) | Shape::AnyCase(words) => json!(dice.pick::<&str>(words)),
        Shape::Flag => json!(dice.below(2) == 0),
        Shape::Number(range) => {
            let low = range.min.or(range.above.map(|a| a + 1)).unwrap_or(-3);
            json!(low + dice.below(range.max.map_or(5, |m| (m - low + 1) as u64)) as i64)
        }
        Shape::List(list) => {
            let length = u64::from(list.filled) + dice.below(if depth == 0 || list.unique { 1 } else { 3 });
            Json::Array((0..length).map(|_| some(list.item, dice, depth.saturating_sub(1))).collect())
        }
        Shape::Map(map) => Json::Object(entries(map, dice, depth)),
        Shape::Included(_) if dice.below(10) == 0 => json!("!include w"),
        Shape::Included(inner) | Shape::Named(_, inner) => some(inner, dice, depth),
        // The plainest one comes first.
        Shape::Either(all) => some(if depth == 0 { all[0] } else { dice.pick::<&Shape>(all) }, dice, depth),
    }
}

fn entries(map: &'static Map, dice: &Dice, depth: usize) -> Object<String, Json> {
    let mut out = Object::new();
    let deeper = depth.saturating_sub(1);
    let mut wanted: Vec<&str> = Vec::new();
    let mut unwanted: Vec<&str> = Vec::new();
    for condition in map.conditions {
        match condition {
            Condition::Needs(key) => wanted.push(key),
            Condition::ExactlyOne(keys) => {
                wanted.push(dice.pick::<&str>(keys));
                unwanted.extend_from_slice(keys);
            }
            Condition::OneGroup(groups) => wanted.extend(dice.pick(groups).iter().map(|(k, _)| *k)),
            Condition::MapDemands(key, ..) => unwanted.push(key),
        }
    }
    for key in map.keys {
        let likely = if wanted.contains(&key.name) {
            !dice.fault()
        } else {
            depth > 0 && dice.below(6) == 0 && (!unwanted.contains(&key.name) || dice.fault())
        };
        if likely {
            out.insert(key.name.to_owned(), some(key.shape, dice, deeper));
        }
    }
    let (extra, bad) = (depth > 0 && dice.below(3) > 0, dice.fault());
    match &map.rest {
        Rest::Free | Rest::Ignored if extra => {
            out.insert("extra".to_owned(), dice.any());
        }
        Rest::Closed if bad => {
            out.insert("extra".to_owned(), dice.any());
        }
        Rest::Each(inner) if extra => {
            out.insert("entry".to_owned(), some(inner, dice, deeper));
        }
        Rest::Entries(_, inner) if extra => {
            let name = dice.pick(if bad { &["a$b", "ä", "", "a.b/c"] } else { &["a", "b", "c-d", "E_9"] });
            out.insert((*name).to_owned(), some(inner, dice, deeper));
        }
        _ => {}
    }
    out
}

proptest! {
    #![proptest_config(crate::fuzz::cases(400))]

    #[test]
    fn the_checker_and_the_exported_schema_agree(seed in 1..u64::MAX, faults in prop::sample::select(vec![0u64, 10, 60])) {
        let dice = Dice(Cell::new(seed), faults);
        agree(&some(&MANIFEST, &dice, 7));
    }

    #[test]
    fn what_is_made_without_faults_is_mostly_accepted(seed in 1..u64::MAX) {
        // The words of a group may be missed; nothing else.
        let dice = Dice(Cell::new(seed), 0);
        let manifest = some(&MANIFEST, &dice, 7);
        let found = refused(&value(&manifest.to_string()));
        prop_assert!(found.iter().all(|f| f.contains("OneGroup")), "{found:#?}");
    }
}
