//! What code makes of components whose configuration and code the two sides of a merge changed.

use crate::code::Runs;
use crate::code::made::{self, Evaluator};
use crate::dialects::{ProjectHandle, State};
use crate::diff::merged::{BASE, MERGED, OURS, THEIRS, has_one_change};
use crate::diff::same::same;
use crate::files::Files;
use crate::resolution::{Address, Component, Placed, Resolution, made_stack};
use crate::source::{Source, changed};
use crate::terraform::module::modules::Cache;
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
    /// What the code makes of each component to which both sides did something, one of them to its code, in all versions; `None`
    /// if there is none. Of other components, the configuration alone says whether the merge is what the sides lead to expect.
    pub(super) fn made(&self, cache: &Cache) -> Option<[Resolution; 4]> {
        let state = |version: usize| State { source: self.sources[version], files: self.files, cache };
        let runs = [0, 1, 2, 3].map(|version| self.part.runs(self.resolutions[version], state(version)));
        let wanted = self.wanted(&runs);
        if wanted.is_empty() {
            return None;
        }
        let run_inputs = |component: &Component| self.part.run_inputs(component);
        Some([0, 1, 2, 3].map(|version| {
            let modules = self.part.modules(state(version));
            let evaluator = Evaluator { modules: &modules, run_inputs: &run_inputs };
            let own = self.resolutions[version];
            let units = evaluator.units(own, &wanted);
            made::alone(&Resolution { made: units, config: own.config.clone(), ..Resolution::default() })
        }))
    }

    fn wanted(&self, runs: &[Runs; 4]) -> BTreeSet<Address> {
        let components: [BTreeMap<Address, Placed>; 4] = self.resolutions.map(Resolution::components);
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
