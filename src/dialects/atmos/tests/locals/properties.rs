//! Locals of random files against a naive evaluator, and how the work grows.

use crate::dialects::atmos::locals::refs;
use crate::dialects::atmos::locals::resolve;
use crate::dialects::atmos::templates::engine::Templates;
use crate::dialects::atmos::tests::{World, dev, json};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The parts of one local: text, and references to locals with lower numbers, or any if cycles are allowed.
type Parts = Vec<(String, Vec<usize>)>;

fn parts(names: usize, acyclic: bool) -> impl Strategy<Value = Parts> {
    let one = ("[a-z]{1,3}", proptest::collection::vec(0..names, 0..3));
    let raw = proptest::collection::vec(one, names);
    (raw, Just((0..names).collect::<Vec<usize>>()).prop_shuffle()).prop_map(move |(raw, ranks)| {
        let keep = |(i, (text, needs)): (usize, (String, Vec<usize>))| {
            let needs = needs.into_iter().filter(|n| !acyclic || ranks[*n] < ranks[i]).collect();
            (text, needs)
        };
        raw.into_iter().enumerate().map(keep).collect()
    })
}

/// The file, each reference written in one of the ways in which Atmos sees it.
fn written(parts: &Parts) -> String {
    let mut text = String::from("locals:\n");
    for (i, (own, needs)) in parts.iter().enumerate() {
        let reference = |(at, n): (usize, &usize)| match (i + at) % 4 {
            0 => format!("{{{{ .locals.l{n} }}}}"),
            1 => format!("{{{{ if true }}}}{{{{ .locals.l{n} }}}}{{{{ end }}}}"),
            2 => format!("{{{{ (.locals.l{n}) }}}}"),
            _ => format!("{{{{ printf \"%s\" .locals.l{n} }}}}"),
        };
        let needs: String = needs.iter().enumerate().map(reference).collect();
        text.push_str(&format!("  l{i}: '{own}-{needs}'\n"));
    }
    text
}

/// The value of a local, by looking up what it needs.
fn naive(parts: &Parts, i: usize) -> String {
    let (own, needs) = &parts[i];
    needs.iter().fold(format!("{own}-"), |text, n| text + &naive(parts, *n))
}

proptest! {
    #![proptest_config(crate::fuzz::cases(96))]

    #[test]
    fn acyclic_locals_have_the_values_of_a_naive_evaluator(parts in parts(9, true)) {
        let uses: String = (0..parts.len()).map(|i| format!("v{i}: '{{{{ .locals.l{i} }}}}', ")).collect();
        let world = dev(&format!("{}components: {{terraform: {{box: {{vars: {{{uses}}}}}}}}}\n", written(&parts)));
        let found = world.get("box");
        for i in 0..parts.len() {
            prop_assert_eq!(&found["vars"][format!("v{i}")], &json(&format!("'{}'", naive(&parts, i))));
        }
    }

    #[test]
    fn a_cycle_that_is_reported_is_one(parts in parts(7, false)) {
        let world: World = dev(&written(&parts));
        let findings = world.findings();
        let cycles: Vec<Vec<usize>> = findings
            .iter()
            .filter(|f| f.starts_with("local-cycle"))
            .map(|f| {
                let (_, names) = f.rsplit_once(": ").unwrap();
                names.split(" → ").map(|n| n.trim_start_matches('l').parse().unwrap()).collect()
            })
            .collect();
        for cycle in &cycles {
            prop_assert_eq!(cycle.first(), cycle.last());
            prop_assert!(cycle.len() > 1 && cycle.windows(2).all(|w| parts[w[0]].1.contains(&w[1])), "{:?}", cycle);
        }
        prop_assert_eq!(!cycles.is_empty(), has_cycle(&parts), "{:?}", findings);
    }
}

/// Whether taking away what needs nothing that is left never ends with nothing.
fn has_cycle(parts: &Parts) -> bool {
    let mut left: BTreeMap<usize, &Vec<usize>> = parts.iter().map(|(_, n)| n).enumerate().collect();
    loop {
        let free: Vec<usize> =
            left.iter().filter(|(_, needs)| needs.iter().all(|n| !left.contains_key(n))).map(|(i, _)| *i).collect();
        if free.is_empty() {
            return !left.is_empty();
        }
        free.iter().for_each(|i| {
            left.remove(i);
        });
    }
}

/// The shortest of some runs, in seconds, of resolving a chain of so many locals.
fn seconds(locals: usize) -> f64 {
    let mut text = String::from("locals:\n  l0000: start\n");
    for i in 1..locals {
        text.push_str(&format!("  l{i:04}: '{{{{ .locals.l{:04} }}}}'\n", i - 1));
    }
    let file = crate::dialects::atmos::tests::map(&text);
    let run = || {
        let templates = Templates::default();
        #[allow(clippy::disallowed_methods, reason = "it is about time")]
        let start = std::time::Instant::now();
        let found = resolve(&file, &refs::engine(&templates));
        assert_eq!((found.flat.len(), found.problems.len()), (locals, 0));
        start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| run()).fold(f64::INFINITY, f64::min)
}

#[test]
fn chained_locals_take_time_in_proportion() {
    // Sixteen times as many: in proportion to their square it would be 256 times the time. Machines are busy, so one
    // quiet moment is enough.
    let ratio = || seconds(2_000) / seconds(125);
    let ratios: Vec<f64> = (0..5).map(|_| ratio()).take_while(|r| *r > 64.0).collect();
    assert!(ratios.len() < 5, "{ratios:?}");
}

/// Measured: 0.3 ms without optimization on a busy machine, where the limit leaves room for worse days.
#[test]
fn twenty_locals_take_less_than_a_millisecond() {
    let limit = if cfg!(debug_assertions) { 0.003 } else { 0.001 };
    let taken = (0..20).map(|_| seconds(20)).fold(f64::INFINITY, f64::min);
    assert!(taken < limit, "{taken} s");
}

#[test]
fn very_long_chains_do_not_overflow() {
    let mut text = String::from("locals:\n  l00000: start\n");
    for i in 1..5_000 {
        text.push_str(&format!(
            "  l{i:05}: 'x{{{{ .locals.l00000 }}}}{{{{ if false }}}}{{{{ .locals.l{:05} }}}}{{{{ end }}}}'\n",
            i - 1
        ));
    }
    let templates = Templates::default();
    let found = resolve(&crate::dialects::atmos::tests::map(&text), &refs::engine(&templates));
    assert_eq!(found.flat.len(), 5_000);
}
