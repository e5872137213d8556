#![allow(clippy::unwrap_used, reason = "a test may fail")]
use crate::files::Files;
use crate::fuzz::Dice;
use crate::source::Memory;
use crate::terraform::configuration::Wanted;
use crate::terraform::configuration::random::VALUES;
use crate::terraform::evaluation::given::{Given, VariableInput};
use crate::terraform::load::Runner;
use crate::terraform::module::modules::{Cache, Modules};
use crate::terraform::root;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What is wrong, as text.
fn failures(modules: &Modules<'_>, inputs: &[VariableInput], workspace: &str) -> Vec<String> {
    let given = Given { variables: inputs, workspace: Some(workspace), ..Given::default() };
    let mut evaluated = root::evaluate("m", given, modules, Wanted::Failures);
    let failures = evaluated.take_failures(Vec::new());
    failures
        .into_iter()
        .map(|failure| format!("{:?} {}", failure.place.map(|(_, span)| span), failure.message))
        .collect()
}

/// Evaluates a random root module with several inputs, alone and after each other. Returns how many of these needed no evaluation.
fn compare(seed: u64) -> Result<usize, String> {
    let mut dice = Dice(seed);
    let texts = dice.modules();
    let bytes: BTreeMap<_, _> = texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let source = Memory::new("memory", bytes);
    let (files, cache) = (Files::default(), Cache::default());
    let shared = Modules::new(&source, &files, &cache, Runner::default());
    let rows = [(); 2].map(|()| dice.below(VALUES.len()));
    let mut sound = 0;
    for _ in 0..16 {
        let (inputs, workspace) = (dice.inputs(rows), dice.one(&["w", "1", "true"]));
        let alone = Modules::new(&source, &files, &cache, Runner::default());
        let expected = failures(&alone, &inputs, workspace);
        let found = failures(&shared, &inputs, workspace);
        if found != expected {
            let [root, child] = texts.map(|(_, text)| text);
            return Err(format!("seed {seed}\n{inputs:?} {workspace}\n{root}\n{child}\n{expected:#?}\n{found:#?}"));
        }
        sound += usize::from(alone.sound_count() == 1);
    }
    Ok(sound - shared.sound_count())
}

proptest! {
    #![proptest_config(crate::fuzz::cases(200))]

    /// A root module has the same failures whether it is evaluated alone or after others with different inputs.
    #[test]
    fn what_does_not_decide_changes_no_failure(seed in any::<u64>()) {
        prop_assert_eq!(compare(seed).err(), None);
    }
}

#[test]
fn random_modules_are_evaluated_less_often_than_there_are_inputs() {
    let reused: usize = (0..200).map(|seed| compare(seed).unwrap()).sum();
    assert!(reused > 200, "{reused}");
}

/// How many of the inputs of a module are evaluated.
fn evaluated(text: &str, inputs: &[&str]) -> usize {
    let source = Memory::new("memory", BTreeMap::from([("m/main.tf".to_owned(), text.as_bytes().to_vec())]));
    let (files, cache) = (Files::default(), Cache::default());
    let modules = Modules::new(&source, &files, &cache, Runner::default());
    for input in inputs {
        let inputs = [VariableInput::Value { name: "a".to_owned(), text: (*input).to_owned() }];
        assert_eq!(failures(&modules, &inputs, "w"), Vec::<String>::new());
    }
    modules.sound_count()
}

#[test]
fn what_is_passed_on_decides_by_its_shape() {
    let texts = ["\"x\"", "\"y\"", "\"x\""];
    for (expression, expected) in [
        ("var.a", 1),
        ("\"n-${var.a}\"", 1),
        ("merge({ n = var.a }, { o = 1 })", 1),
        ("[for x in [var.a] : { y = upper(x) }]", 1),
        ("try(var.a.b, var.a)", 1),
        ("format(\"%s/%s\", var.a, \"z\")", 1),
        ("var.a == \"x\"", 2),
        ("coalesce(var.a, \"z\")", 2),
        ("format(var.a, [])", 2),
    ] {
        let text = format!("variable \"a\" {{}}\nresource \"x_y\" \"r\" {{\n  b = {expression}\n}}\n");
        let texts =
            if expected == 2 && expression.starts_with("format") { ["\"%v\"", "\"%#v\"", "\"%v\""] } else { texts };
        assert_eq!(evaluated(&text, &texts), expected, "{expression}");
    }
    let counted =
        "variable \"a\" {}\nlocals {\n  n = \"${var.a}\"\n}\nresource \"x_y\" \"r\" {\n  count = local.n\n}\n";
    assert_eq!(evaluated(counted, &["1", "2", "1"]), 2);
}

#[test]
fn what_a_provider_computes_is_decided_by_nothing() {
    for (expression, expected) in
        [("x_y.r.id", 1), ("one(x_y.r[*].id)", 1), ("x_y.r.b", 1), ("one([x_y.r.b])", 2), ("one(x_y.r[*].b)", 2)]
    {
        let text = format!(
            "variable \"a\" {{}}\nresource \"x_y\" \"r\" {{\n  b = var.a\n}}\noutput \"o\" {{\n  value = {expression}\n}}\n"
        );
        assert_eq!(evaluated(&text, &["\"x\"", "\"y\"", "\"x\""]), expected, "{expression}");
    }
}
