//! Every rule finds its mistake wherever it is: it is planted into five good projects of different make, and found in each
//! of them, with nothing else but what a reviewed file expects. A rule without a planting fails the test.

mod changes;
mod components;
mod edit;
mod expected;
mod files;
mod garden;
mod infra;
mod names;
mod plant;
mod terragrunt;
mod tofu;
mod values;

use crate::{judged, trial};
use libtest_mimic::Trial;
use plant::{GARDEN, INFRA, Plant, TERRAGRUNT, TOFU, TREES, Tree};
use std::collections::BTreeSet;

/// A rule, and what plants its mistake. It marks the line where it must be found.
type Planting = (&'static str, fn(&mut Plant));

/// The plantings with the projects that they are made for; a rule of several systems can have one for each.
fn plantings() -> Vec<(&'static [Tree], Planting)> {
    let stacks = [files::ALL, values::ALL, names::ALL, components::ALL, changes::ALL].into_iter().flatten();
    let stacks = stacks.map(|planting| (&TREES[..], *planting));
    let others: [(&[Tree], &[Planting]); 4] =
        [(&INFRA, infra::ALL), (&GARDEN, garden::ALL), (&TERRAGRUNT, terragrunt::ALL), (&TOFU, tofu::ALL)];
    stacks.chain(others.into_iter().flat_map(|(trees, all)| all.iter().map(move |p| (trees, *p)))).collect()
}

/// One test for each planting in each project, and those of all of them.
pub(crate) fn trials() -> Vec<Trial> {
    let clean = TREES.iter().chain(&INFRA).chain(&GARDEN).chain(&TERRAGRUNT).chain(&TOFU).map(|tree| {
        trial(format!("planting::nothing_is_found_in::{}", tree.name), || assert_eq!(Plant::new(tree).output(), ""))
    });
    let planted = plantings().into_iter().flat_map(|(trees, (rule, planting))| {
        trees
            .iter()
            .map(move |tree| judged(format!("planting::{rule}::{}", tree.name), move || is_found(rule, planting, tree)))
    });
    let about_all = [
        trial("planting::every_rule_is_planted_once", every_rule_is_planted_once),
        trial("planting::what_is_expected_is_planted", what_is_expected_is_planted),
    ];
    about_all.into_iter().chain(clean).chain(planted).collect()
}

fn every_rule_is_planted_once() {
    let planted: Vec<(&str, &str)> = plantings().iter().map(|(trees, p)| (trees[0].name, p.0)).collect();
    let once: BTreeSet<(&str, &str)> = planted.iter().copied().collect();
    let unique: BTreeSet<&str> = planted.iter().map(|(_, rule)| *rule).collect();
    let rules: BTreeSet<&str> = stacklint::testing::rule_ids().into_iter().collect();
    assert_eq!(planted.len(), once.len(), "a rule is planted twice in the same projects");
    let missing: Vec<_> = rules.difference(&unique).collect();
    let unknown: Vec<_> = unique.difference(&rules).collect();
    assert!(missing.is_empty(), "no planting in tests/rules/planting for {missing:?}");
    assert!(unknown.is_empty(), "there are no such rules: {unknown:?}");
}

fn what_is_expected_is_planted() {
    let planted =
        |(trees, p): (&'static [Tree], Planting)| trees.iter().map(move |t| (p.0.to_owned(), t.name.to_owned()));
    let planted: BTreeSet<(String, String)> = plantings().into_iter().flat_map(planted).collect();
    let expected: BTreeSet<(String, String)> = expected::all().into_iter().collect();
    let left: Vec<_> = expected.difference(&planted).collect();
    assert!(left.is_empty(), "tests/rules/planting/expected has what is no longer planted: {left:?}");
}

/// Plants a mistake in a project: it must be found at the marked line, and all of the output must be as expected.
fn is_found(rule: &str, planting: fn(&mut Plant), tree: &'static Tree) -> Result<(), String> {
    let mut plant = Plant::new(tree);
    planting(&mut plant);
    let output = plant.output();
    let mut findings =
        output.lines().filter(|line| line.contains(&format!("[{rule}]: ")) && !line.ends_with("(fixed)"));
    if !findings.any(|line| plant.is_marked(line)) {
        return Err(format!("{rule} is not found at {:?}:\n{output}", plant.mark()));
    }
    expected::compare(rule, tree.name, &output)
}
