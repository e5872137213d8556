//! Which units a comparison has to resolve: those that an edit reaches, or all.

use super::compare::{CompareRun, is_out_of_scope};
use crate::diagnostic::{Diagnostic, may_have_comments};
use crate::resolution::{Resolution, State};
use crate::source::differences;
use crate::terraform::Modules;
use crate::text::{FastSet, Text};
use crate::threads;
use crate::unit::{UnitInterface, interfaces};
use crate::value::FileId;
use std::collections::{BTreeSet, HashSet};

impl CompareRun<'_> {
    /// Whether units that no edit reaches count, given both sides of those that one reaches: something outside of a unit can see
    /// that it differs. Then all units are resolved, and rules over all units are run. Otherwise these find the same on both
    /// sides, and the interfaces of the units are returned. The answer depends on the edit alone, not on how many units there are.
    pub(super) fn same_interfaces(
        &self,
        sides: [&Resolution; 2],
        modules: [&Modules<'_>; 2],
    ) -> Option<[Vec<UnitInterface>; 2]> {
        // Whoever wants to know everything, or would learn nothing, has everything resolved.
        let concerns_all = self.settings.strict.value
            || self.request.overrides.expect.is_some() && sides.iter().any(|side| may_read_more(side))
            || sides.iter().any(|side| side.units.iter().all(is_out_of_scope))
            || self.may_change_code(sides)
            || self.differs_in_shared_files(sides)
            || self.edits_comments(sides)
            || self.request.filter.misses(sides)
            || self.settings.policies.asks_for_all(|rule| self.rules.iter().any(|(on, _)| *on == rule))
            || has_other_units(sides);
        if concerns_all {
            return None;
        }
        let [old, new] = [0, 1].map(|side| interfaces(sides[side], modules[side]));
        let pairs = threads::map(&old.iter().zip(&new).collect::<Vec<_>>(), |(old, new)| {
            (old.state == State::OutOfScope && new.state == old.state) || old.is_same(new)
        });
        pairs.into_iter().all(|is_same| is_same).then_some([old, new])
    }

    /// Whether a file changed that no unit reads: code, or commands that name components.
    fn may_change_code(&self, sides: [&Resolution; 2]) -> bool {
        let units = sides.iter().flat_map(|side| &side.units);
        let read: FastSet<FileId> = units.flat_map(|unit| unit.files.iter().copied()).collect();
        let is_read = |path: &str| self.files.versions(path).iter().any(|file| read.contains(file));
        let [base, head] = self.sources;
        differences(base.listing(), head.listing()).iter().any(|pair| !is_read(pair.path()))
    }

    /// Whether something is found in an unchanged file on one side only: a unit that no edit reaches may have it too.
    fn differs_in_shared_files(&self, [base, head]: [&Resolution; 2]) -> bool {
        let identity = |f: &Diagnostic| (f.primary.file, f.primary.start, f.rule.clone(), f.message.clone());
        let found = |side: &Resolution| -> HashSet<_> {
            let unchanged = |f: &&Diagnostic| !self.touched.contains(&*self.files.get(f.primary.file).path);
            side.findings.iter().filter(unchanged).map(identity).collect()
        };
        found(base) != found(head)
    }

    /// Whether an edited file has comments that suppress findings: those of rules over all units may be among them.
    fn edits_comments(&self, sides: [&Resolution; 2]) -> bool {
        let mut edited = sides.iter().flat_map(|side| self.edited_files(side));
        edited.any(|file| may_have_comments(&self.files.get(file).text))
    }

    /// The edited files that had a part in a state.
    pub(super) fn edited_files(&self, side: &Resolution) -> BTreeSet<FileId> {
        let edited: FastSet<FileId> = self.touched.iter().flat_map(|path| self.files.versions(path)).collect();
        side.all_files().filter(|file| edited.contains(file)).collect()
    }
}

/// Whether it is not certain that all units that no edit reaches are the same on both sides.
fn may_read_more(side: &Resolution) -> bool {
    side.units.iter().any(|unit| unit.may_read_more)
}

/// Whether a unit came or went, or what may hide some differs.
fn has_other_units([base, head]: [&Resolution; 2]) -> bool {
    let ids = |side: &Resolution| side.units.iter().map(|unit| Text::clone(&unit.id)).collect::<Vec<_>>();
    base.gap != head.gap || ids(base) != ids(head)
}
