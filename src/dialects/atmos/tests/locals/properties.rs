//! Locals of random files against a naive evaluator.

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
