//! The code that components run, in a comparison: which of it differs, and what differs in what it makes.

use super::compare::CompareRun;
use super::phase;
use super::selection::Selection;
use crate::affected::{Affected, Item};
use crate::code::made::{self, Evaluator};
use crate::code::{self, CodeChanges, Runs};
use crate::dialects;
use crate::diff::{self, Diff};
use crate::resolution::{Address, Component, Resolution};
use crate::source::differences;
use crate::terraform::module::modules::{Cache, Modules};
use crate::text::Text;
use std::collections::BTreeSet;

/// The code that runs in base and head.
pub(super) struct CodeRun<'a> {
    run: &'a CompareRun<'a>,
    runs: [Runs; 2],
    modules: [Modules<'a>; 2],
}

impl<'a> CodeRun<'a> {
    pub(super) fn new(run: &'a CompareRun<'a>, resolutions: [&Resolution; 2], cache: &'a Cache) -> Self {
        phase(run.workspace.host, "code", || {
            let state = |side: usize| dialects::State { source: run.sources[side], files: run.files, cache };
            let runs = [0, 1].map(|side| run.part.runs(resolutions[side], state(side)));
            CodeRun { run, runs, modules: [0, 1].map(|side| run.part.modules(state(side))) }
        })
    }

    /// What runs in base and head.
    pub(super) fn runs(&self) -> &[Runs; 2] {
        &self.runs
    }

    /// The code that differs, as far as changes of the configuration do not say so.
    pub(super) fn changes(&self, diff: &Diff, selection: &Selection<'_>) -> CodeChanges {
        let CompareRun { sources, files, workspace, .. } = *self.run;
        let differing = differences(sources[0].listing(), sources[1].listing());
        let filter = |address: &Address| selection.matches(address);
        let [old, new] = &self.runs;
        let compared = code::Compared { sources, runs: [old, new], differing: &differing, diff, files };
        phase(workspace.host, "code", || code::changes(&compared, &filter))
    }

    /// Evaluates the code of components that differ, and adds what differs in what it makes. Returns the components that were
    /// evaluated.
    pub(super) fn evaluate(
        &self,
        [base, head]: [&mut Resolution; 2],
        diff: &mut Diff,
        code: &CodeChanges,
    ) -> made::Compared {
        let CompareRun { files, workspace, touched, part, .. } = *self.run;
        let run_inputs = |component: &Component| part.run_inputs(component);
        let evaluators = self.modules.each_ref().map(|modules| Evaluator { modules, run_inputs: &run_inputs });
        phase(workspace.host, "evaluate", || {
            let is_read = self.run.policies.iter().any(|policies| policies.reads_resources());
            let extent = if is_read { made::Extent::Whole } else { made::Extent::Differing };
            let evaluated = made::compare(evaluators, [base, head], (diff, code), extent);
            let is_touched = |path: &str| touched.contains(path);
            let options = diff::DiffOptions { touched: Some(&is_touched), ..diff::DiffOptions::default() };
            let found = diff::diff(&made::alone(base), &made::alone(head), files, &options);
            diff.extend_components(&found);
            diff.unresolved.extend(found.unresolved);
            evaluated
        })
    }

    /// The listed components of which nothing differs that a run would apply.
    pub(super) fn equal(
        &self,
        list: &Affected,
        diff: &Diff,
        code: &CodeChanges,
        evaluated: &made::Compared,
    ) -> BTreeSet<Address> {
        let of_code = list.items.iter().filter(|item| item.is_of_code()).map(Item::address);
        made::equal((diff, code), evaluated, of_code, self.runs.each_ref())
    }

    /// Evaluates the code of all other components too, for policies.
    pub(super) fn complete(&self, resolutions: [&mut Resolution; 2]) {
        let run_inputs = |component: &Component| self.run.part.run_inputs(component);
        phase(self.run.workspace.host, "evaluate", || {
            for (modules, resolution) in self.modules.iter().zip(resolutions) {
                Evaluator { modules, run_inputs: &run_inputs }.complete(resolution);
            }
        });
    }

    /// The names of components that differ and whose code is not in the repository, so that it is not evaluated.
    pub(super) fn not_evaluated(&self, diff: &Diff) -> BTreeSet<Text> {
        let run_inputs = |component: &Component| self.run.part.run_inputs(component);
        let evaluator = Evaluator { modules: &self.modules[1], run_inputs: &run_inputs };
        let differing = diff.components.iter().filter_map(|change| change.after.as_ref());
        differing.filter(|component| evaluator.lacks_code(component)).map(|c| Text::clone(&c.name)).collect()
    }
}
