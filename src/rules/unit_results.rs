//! A cache of the findings of rules in single units, valid as long as the units are unchanged.

use super::Rule;
use crate::resolution::Unit;
use crate::text::FastMap;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

/// The results of rules by unit.
#[derive(Default)]
pub(crate) struct UnitResults {
    known: Mutex<FastMap<(&'static str, usize), Known>>,
}

/// A result with its unit, whose address in memory is valid as long as it is cached.
struct Known {
    unit: Arc<Unit>,
    result: Arc<dyn Any + Send + Sync>,
}

impl UnitResults {
    /// Returns the result of a rule for a unit: the cached one, or that of `find`. All results of a rule have one type.
    fn of<T: Send + Sync + 'static>(&self, rule: &'static Rule, unit: &Arc<Unit>, find: impl FnOnce() -> T) -> Arc<T> {
        let key = (rule.id(), Arc::as_ptr(unit).addr());
        let known = self.known.lock().get(&key).map(|known| Arc::clone(&known.result));
        if let Some(result) = known.and_then(|known| known.downcast().ok()) {
            return result;
        }
        let result = Arc::new(find());
        let kept = Known { unit: Arc::clone(unit), result: Arc::clone(&result) as Arc<dyn Any + Send + Sync> };
        self.known.lock().insert(key, kept);
        result
    }

    /// Drops what was found in other units.
    pub(crate) fn retain<'u>(&self, units: impl Iterator<Item = &'u Arc<Unit>>) {
        let units: HashSet<*const Unit> = units.map(Arc::as_ptr).collect();
        self.known.lock().retain(|_, known| units.contains(&Arc::as_ptr(&known.unit)));
    }
}

/// Returns the findings of a rule in units: with a cache of `kept` results, in each unit separately; otherwise in all
/// of them together, which takes less work. `find` must return the same findings either way, after its results are
/// combined.
pub(super) fn by_unit<T: Send + Sync + 'static>(
    kept: Option<&UnitResults>,
    rule: &'static Rule,
    units: &[Arc<Unit>],
    find: impl Fn(&[Arc<Unit>]) -> T,
) -> Vec<Arc<T>> {
    match kept {
        Some(kept) => units.iter().map(|unit| kept.of(rule, unit, || find(std::slice::from_ref(unit)))).collect(),
        None => vec![Arc::new(find(units))],
    }
}
