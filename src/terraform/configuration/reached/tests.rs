#![allow(clippy::unwrap_used, reason = "a test may fail")]
use crate::diff::keep_differing;
use crate::files::Files;
use crate::fuzz::Dice;
use crate::resolution::{Address, Component};
use crate::source::Memory;
use crate::terraform::components::backend::Workspace;
use crate::terraform::configuration::Wanted;
use crate::terraform::configuration::random::VALUES;
use crate::terraform::evaluation::given::{Given, VariableInput};
use crate::terraform::load::Runner;
use crate::terraform::module::modules::{Cache, Modules};
use crate::terraform::root;
use crate::text::Text;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Two sides: the components that differ, and what is wrong with each.
type Sides = ([Vec<(Address, String)>; 2], [BTreeSet<String>; 2]);

/// Evaluates a root module with two sets of inputs, and keeps what differs. `only_reached` evaluates no more than the inputs that differ
/// reach. Returns how many components were evaluated, too.
fn sides(texts: &[(String, String)], inputs: [&[VariableInput]; 2], only_reached: bool) -> (Sides, usize) {
    let bytes: BTreeMap<_, _> = texts.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let source = Memory::new("memory", bytes);
    let (files, cache) = (Files::default(), Cache::default());
    let modules = Modules::new(&source, &files, &cache, Runner::default());
    let differing: BTreeSet<Text> = ["a", "b"].into_iter().map(Text::from).collect();
    let differing = differing.into_iter().filter(|name| {
        let of = |all: &[VariableInput]| {
            let is_meant = |one: &&VariableInput| match one {
                VariableInput::Value { name: own, .. } => *own == **name,
                VariableInput::Unknown { name: own, .. } => own.as_deref() == Some(&**name),
                _ => false,
            };
            all.iter().find(is_meant).cloned()
        };
        of(inputs[0]) != of(inputs[1])
    });
    let differing = differing.collect();
    let entered = inputs
        .map(|variables| root::enter("m", Given { variables, workspace: Some("w"), ..Given::default() }, &modules));
    assert!(entered[0].number().is_some() && entered[0].number() == entered[1].number());
    let reached = entered[0].reached(&differing).filter(|_| only_reached).map(Arc::new);
    let mut failures = [BTreeSet::new(), BTreeSet::new()];
    let mut made = [Vec::new(), Vec::new()];
    for (side, entered) in entered.into_iter().enumerate() {
        let mut evaluated = entered.evaluate(Wanted::Values, reached.clone());
        let (stack, workspace) = (Text::from("s"), Workspace { name: Some("w"), is_assumed: false });
        let mut found = Vec::new();
        let settings = evaluated.settings(&stack, workspace, (Wanted::Values, true), &mut found);
        let found = evaluated.take_failures(found).into_iter();
        failures[side] = found.map(|f| format!("{:?} {}", f.place.map(|(_, span)| span), f.message)).collect();
        made[side] = evaluated.made(&stack, &Arc::new(("s".into(), "c".into(), "n".into())), settings);
    }
    let count = made.iter().map(Vec::len).sum();
    let [mut before, mut after] = made;
    keep_differing([&mut before, &mut after]);
    let shown = |all: Vec<Arc<Component>>| {
        all.iter().map(|one| (one.address(), serde_json::to_string(&one.value).unwrap())).collect()
    };
    let [old, new] = failures;
    let (fixed, found) = (old.difference(&new).cloned().collect(), new.difference(&old).cloned().collect());
    (([shown(before), shown(after)], [fixed, found]), count)
}

/// Evaluates a random root module with inputs of which some differ, whole and as far as these reach. Returns how many components were
/// not evaluated.
fn compare(seed: u64) -> Result<usize, String> {
    let mut dice = Dice(seed);
    let texts = dice.modules();
    let rows = [(); 2].map(|()| dice.below(VALUES.len()));
    let mut left_out = 0;
    for _ in 0..8 {
        let (before, other) = (dice.inputs(rows), dice.inputs(rows));
        let after: Vec<VariableInput> = match dice.below(3) {
            0 => other,
            kept => vec![[&before, &other][kept - 1][0].clone(), [&other, &before][kept - 1][1].clone()],
        };
        let inputs = [&before[..], &after[..]];
        let ((whole, all), (reached, some)) = (sides(&texts, inputs, false), sides(&texts, inputs, true));
        if whole != reached {
            let [root, child] = texts.map(|(_, text)| text);
            return Err(format!("seed {seed}\n{inputs:?}\n{root}\n{child}\n{whole:#?}\n{reached:#?}"));
        }
        left_out += all - some;
    }
    Ok(left_out)
}

proptest! {
    #![proptest_config(crate::fuzz::cases(200))]

    /// What differs is the same whether everything is evaluated, or only what the inputs that differ reach.
    #[test]
    fn what_is_not_reached_is_the_same(seed in any::<u64>()) {
        prop_assert_eq!(compare(seed).err(), None);
    }
}

#[test]
fn random_modules_are_not_evaluated_whole() {
    let left_out: usize = (0..200).map(|seed| compare(seed).unwrap()).sum();
    assert!(left_out > 500, "{left_out}");
}
