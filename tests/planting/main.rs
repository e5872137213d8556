//! Every rule finds its mistake wherever it is: it is planted into five good projects of different make, and found in each
//! of them. A rule without a planting fails the test.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::disallowed_methods, reason = "these tests read fixtures, write files and run the binary")]
#![allow(dead_code, reason = "the helpers are shared with other tests")]

mod changes;
#[path = "../common/mod.rs"]
mod common;
mod components;
#[path = "../common/cores.rs"]
mod cores;
mod edit;
mod files;
mod garden;
mod infra;
mod names;
mod plant;
mod tofu;
mod values;

use plant::{GARDEN, INFRA, Plant, TOFU, TREES, Tree};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// A rule, and what plants its mistake. It marks the line where it must be found.
type Planting = (&'static str, fn(&mut Plant));

/// The plantings with the projects that they are made for; a rule of several systems can have one for each.
fn plantings() -> Vec<(&'static [Tree], Planting)> {
    let stacks = [files::ALL, values::ALL, names::ALL, components::ALL, changes::ALL].into_iter().flatten();
    let stacks = stacks.map(|planting| (&TREES[..], *planting));
    let others: [(&[Tree], &[Planting]); 3] = [(&INFRA, infra::ALL), (&GARDEN, garden::ALL), (&TOFU, tofu::ALL)];
    stacks.chain(others.into_iter().flat_map(|(trees, all)| all.iter().map(move |p| (trees, *p)))).collect()
}

#[test]
fn every_rule_is_planted_once() {
    let planted: Vec<(&str, &str)> = plantings().iter().map(|(trees, p)| (trees[0].name, p.0)).collect();
    let once: BTreeSet<(&str, &str)> = planted.iter().copied().collect();
    let unique: BTreeSet<&str> = planted.iter().map(|(_, rule)| *rule).collect();
    let rules: BTreeSet<&str> = stacklint::testing::rule_ids().into_iter().collect();
    assert_eq!(planted.len(), once.len(), "a rule is planted twice in the same projects");
    let missing: Vec<_> = rules.difference(&unique).collect();
    let unknown: Vec<_> = unique.difference(&rules).collect();
    assert!(missing.is_empty(), "no planting in tests/planting for {missing:?}");
    assert!(unknown.is_empty(), "there are no such rules: {unknown:?}");
}

#[test]
fn nothing_is_found_in_good_projects() {
    for tree in TREES.iter().chain(&INFRA).chain(&GARDEN).chain(&TOFU) {
        assert_eq!(Plant::new(tree).findings(), [""; 0], "{}", tree.name);
    }
}

#[test]
fn planted_mistakes_are_found_wherever_they_are() {
    let only = std::env::var("RULE").ok();
    let wanted = plantings().into_iter().filter(|(_, (rule, _))| only.as_ref().is_none_or(|o| o == rule));
    let work: Vec<(Planting, &Tree)> = wanted.flat_map(|(trees, p)| trees.iter().map(move |tree| (p, tree))).collect();
    let missed = Mutex::new(Vec::new());
    cores::on_all_cores(&work, |((rule, planting), tree)| {
        let mut plant = Plant::new(tree);
        planting(&mut plant);
        let found = plant.findings();
        if !found.iter().any(|line| line.contains(&format!("[{rule}]: ")) && plant.is_marked(line)) {
            missed.lock().unwrap().push(format!(
                "{rule} in {} (at {:?}):\n{}",
                tree.name,
                plant.mark(),
                found.join("\n")
            ));
        }
    });
    let mut missed = missed.into_inner().unwrap();
    missed.sort();
    assert!(missed.is_empty(), "{} of {} were missed:\n\n{}", missed.len(), work.len(), missed.join("\n\n"));
}
