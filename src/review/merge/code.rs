//! What code makes of components whose configuration and code the two sides of a merge changed.

use crate::code::Runs;
use crate::code::made::Evaluator;
use crate::dialects::{ProjectHandle, State};
use crate::diff::merged::{BASE, MERGED, MergedProject, OURS, THEIRS, has_one_change};
use crate::diff::same::same;
use crate::files::Files;
use crate::resolution::{Address, Component, Placed, Resolution, made_stack};
use crate::source::{Source, changed};
use crate::terraform::module::modules::Cache;
use crate::threads;
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The four versions of a project.
pub(super) struct Versions<'a> {
    pub(super) part: &'a ProjectHandle<'a>,
    pub(super) files: &'a Files,
    pub(super) sources: [&'a dyn Source; 4],
    pub(super) resolutions: [&'a Resolution; 4],
}

impl Versions<'_> {
    /// What a merge brings to what the code makes of each component to which both sides did something, one of them to its code. Of
    /// other components, the configuration alone says whether the merge is what the sides lead to expect. What code makes may be
    /// much, so no more of it is kept than what is found.
    pub(super) fn made(
        &self,
        cache: &Cache,
        compare: &(dyn Fn([&Resolution; 4]) -> MergedProject + Sync),
    ) -> Vec<MergedProject> {
        let state = |version: usize| State { source: self.sources[version], files: self.files, cache };
        let runs = [0, 1, 2, 3].map(|version| self.part.runs(self.resolutions[version], state(version)));
        let components = self.resolutions.map(Resolution::components);
        let wanted: Vec<Address> = self.wanted(&runs, &components).into_iter().collect();
        let modules = [0, 1, 2, 3].map(|version| self.part.modules(state(version)));
        let run_inputs = |component: &Component| self.part.run_inputs(component);
        threads::map(&wanted, |address| {
            let made = [0, 1, 2, 3].map(|version| {
                let evaluator = Evaluator { modules: &modules[version], run_inputs: &run_inputs };
                let unit = components[version].get(address).and_then(|placed| evaluator.unit(placed));
                let config = self.resolutions[version].config.clone();
                Resolution { units: unit.into_iter().collect(), config, ..Resolution::default() }
            });
            compare(made.each_ref())
        })
    }

    fn wanted(&self, runs: &[Runs; 4], components: &[BTreeMap<Address, Placed>; 4]) -> BTreeSet<Address> {
        // What code makes is there already, where a system shows it beside its components.
        let stacks: BTreeSet<_> = components.iter().flat_map(BTreeMap::keys).map(|address| address.0.clone()).collect();
        let touched = |a: usize, b: usize| -> BTreeSet<&Address> {
            let paths = changed(self.sources[a].listing(), self.sources[b].listing());
            let mut found = BTreeSet::new();
            for (change, version) in paths.iter().flat_map(|change| [(change, a), (change, b)]) {
                found.extend(runs[version].touched_by(&change.path).map(|run| &run.address));
            }
            found
        };
        let mut pairs: BTreeMap<(usize, usize), BTreeSet<&Address>> = BTreeMap::new();
        let mut of_code: BTreeSet<&Address> = BTreeSet::new();
        for (a, b) in [(OURS, MERGED), (BASE, THEIRS), (THEIRS, MERGED), (BASE, OURS)] {
            let found = touched(a, b);
            of_code.extend(&found);
            pairs.insert((a, b), found);
        }
        let is_equal = |address: &Address, a: usize, b: usize| {
            let component = |version: usize| components[version].get(address).map(|placed| &*placed.component);
            let is_same = match (component(a), component(b)) {
                (Some(a), Some(b)) => same(&a.value, &b.value) && is_same_list(&a.metadata.calls, &b.metadata.calls),
                (a, b) => a.is_none() && b.is_none(),
            };
            is_same && !pairs.get(&(a, b)).is_some_and(|touched| touched.contains(address))
        };
        let all = of_code.into_iter().filter(|address| !stacks.contains(&made_stack(address)));
        all.filter(|address| !has_one_change(|a, b| is_equal(address, a, b))).cloned().collect()
    }
}

fn is_same_list(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}
