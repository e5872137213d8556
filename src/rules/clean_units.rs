//! Units and components in which rules found nothing, to be known with the next revision: what was made from these and differs
//! only in plain values of inputs need not be examined again.

use super::Rule;
use crate::resolution::{Resolution, Unit};
use crate::terraform::Modules;
use crate::text::{FastMap, Text};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// The id of a rule, and the address of a unit, which its resolution keeps in memory.
type RuleInUnit = (&'static str, usize);

/// Where rules found nothing and withheld nothing in one revision, and what else is known of it.
#[derive(Debug, Default)]
pub(crate) struct CleanUnits {
    /// The numbers of the components in which a rule found something.
    found: Mutex<FastMap<RuleInUnit, Arc<[u32]>>>,
    /// Facts about all units together that were found to be true.
    facts: Mutex<HashSet<&'static str>>,
    /// The folders that rules asked for code in vain: that it cannot be read is reported where a rule asks.
    without_code: Mutex<HashSet<Text>>,
}

/// What is known and collected while rules examine a revision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clean<'a> {
    /// Collects what is found out about this revision.
    pub collected: Option<&'a CleanUnits>,
    /// What was found out about the revision that this one was made from ([`is_made_from`]), which has the same code.
    pub before: Option<&'a CleanUnits>,
}

/// Whether each unit of `new` is the one of `old` at its place, or was made from it, so that they differ only in plain values of
/// inputs.
pub(crate) fn is_made_from(old: &Resolution, new: &Resolution) -> bool {
    let is_known = |(old, new): (&Arc<Unit>, &Arc<Unit>)| source(new) == Arc::as_ptr(old).addr();
    old.units.len() == new.units.len() && old.units.iter().zip(&new.units).all(is_known)
}

/// The address of the unit that a unit was made from, or of the unit itself.
fn source(unit: &Arc<Unit>) -> usize {
    unit.derived_from.as_ref().map_or(Arc::as_ptr(unit), |from| from.as_ptr()).addr()
}

impl Clean<'_> {
    /// Whether a rule found nothing in the unit that this one was made from.
    pub(super) fn has(&self, rule: &Rule, unit: &Arc<Unit>) -> bool {
        self.found_before(rule, unit).is_some_and(|found| found.is_empty())
    }

    /// Returns the numbers of the components in which a rule found something in the unit that this one was made from, sorted. Each
    /// component of this unit was made from the one with its number. `None` if that is not known.
    pub(super) fn found_before(&self, rule: &Rule, unit: &Arc<Unit>) -> Option<Arc<[u32]>> {
        self.before?.found.lock().get(&(rule.id(), source(unit))).cloned()
    }

    /// Collects the numbers of the components of units in which a rule found something, sorted.
    pub(super) fn collect<'u>(&self, rule: &'static Rule, found: impl IntoIterator<Item = (&'u Arc<Unit>, Vec<u32>)>) {
        if let Some(collected) = self.collected {
            let of_rule = |(unit, found): (&Arc<Unit>, Vec<u32>)| ((rule.id(), Arc::as_ptr(unit).addr()), found.into());
            collected.found.lock().extend(found.into_iter().map(of_rule));
        }
    }

    /// Whether something is true of all units together, according to the revision before or to `find`.
    pub(super) fn is_true(&self, fact: &'static str, find: impl FnOnce() -> bool) -> bool {
        let is_true = self.before.is_some_and(|before| before.facts.lock().contains(fact)) || find();
        if let Some(collected) = self.collected.filter(|_| is_true) {
            collected.facts.lock().insert(fact);
        }
        is_true
    }

    /// Asks for the code that rules asked for in vain in the revision before: those that do not examine units do not ask again.
    pub(super) fn ask_again(&self, modules: &Modules<'_>) {
        if let Some(before) = self.before {
            before.without_code.lock().iter().for_each(|folder| drop(modules.get(folder)));
        }
    }

    /// Collects the code that rules asked for in vain.
    pub(super) fn asked(&self, modules: &Modules<'_>) {
        if let Some(collected) = self.collected {
            collected.without_code.lock().extend(modules.without_code());
        }
    }
}
