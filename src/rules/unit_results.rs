//! Caches of what rules found, kept between the reviews of a session: in single units, valid as long as the units are
//! unchanged and no other one looks different to them, and in single files.

use super::{AllUnits, Context, Rule};
use crate::diagnostic::Diagnostic;
use crate::resolution::{Resolution, Unit};
use crate::terraform::Modules;
use crate::text::{FastMap, Text};
use crate::threads;
use crate::value::{FileId, Vocabulary};
use crate::yaml::Document;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

/// The results of rules for the units and the files of one project.
#[derive(Default)]
pub(crate) struct UnitResults {
    known: Mutex<FastMap<(&'static str, usize), CacheEntry>>,
    /// The rules over all units that found nothing. They find nothing again as long as all interfaces are the same.
    quiet: Mutex<HashSet<&'static str>>,
    /// The folders that rules asked for code in vain: that it cannot be read is reported as often as a rule asks.
    without_code: Mutex<HashSet<Text>>,
    documents: Arc<DocumentResults>,
}

/// A result with its unit, whose address in memory is valid as long as it is cached.
struct CacheEntry {
    unit: Arc<Unit>,
    result: Arc<dyn Any + Send + Sync>,
}

/// Findings in a file, and the vocabularies that they were found with.
type OfFile = (Vec<&'static Vocabulary>, Arc<Vec<Diagnostic>>);

/// The findings of rules that read one file at a time.
#[derive(Default)]
struct DocumentResults {
    known: Mutex<FastMap<(&'static str, FileId), OfFile>>,
}

impl UnitResults {
    /// The results that are valid although units show something else to each other: those of files. Those of units would be valid,
    /// too, but not which code their rules asked for.
    pub(crate) fn without_units(&self) -> UnitResults {
        UnitResults { documents: Arc::clone(&self.documents), ..UnitResults::default() }
    }

    /// Returns the cached result of a rule for a unit.
    fn get<T: Send + Sync + 'static>(&self, rule: &'static Rule, unit: &Arc<Unit>) -> Option<Arc<T>> {
        let known = self.known.lock();
        Arc::clone(&known.get(&(rule.id(), Arc::as_ptr(unit).addr()))?.result).downcast().ok()
    }

    fn insert<T: Send + Sync + 'static>(&self, rule: &'static Rule, unit: &Arc<Unit>, result: Arc<T>) {
        let kept = CacheEntry { unit: Arc::clone(unit), result };
        self.known.lock().insert((rule.id(), Arc::as_ptr(unit).addr()), kept);
    }

    /// Returns the result of a rule for a unit: the cached one, or that of `find`. All results of a rule have one type.
    fn of<T: Send + Sync + 'static>(&self, rule: &'static Rule, unit: &Arc<Unit>, find: impl FnOnce() -> T) -> Arc<T> {
        if let Some(result) = self.get(rule, unit) {
            return result;
        }
        let result = Arc::new(find());
        self.insert(rule, unit, Arc::clone(&result));
        result
    }

    /// Asks for the code that rules asked for in vain; those that examine nothing again do not.
    pub(super) fn ask_again(&self, modules: &Modules<'_>) {
        self.without_code.lock().iter().for_each(|folder| drop(modules.get(folder)));
    }

    /// Remembers the code that rules asked for in vain.
    pub(super) fn asked(&self, modules: &Modules<'_>) {
        self.without_code.lock().extend(modules.without_code());
    }

    /// Drops what was found in units and files that are not part of a resolution.
    pub(crate) fn retain(&self, resolution: &Resolution) {
        let units: HashSet<*const Unit> = resolution.units.iter().map(Arc::as_ptr).collect();
        self.known.lock().retain(|_, known| units.contains(&Arc::as_ptr(&known.unit)));
        let documents = &resolution.documents;
        let is_there = |file: &FileId| documents.binary_search_by_key(file, |(known, _)| *known).is_ok();
        self.documents.known.lock().retain(|(_, file), _| is_there(file));
    }
}

/// How many units a thread examines at a time. In many together, what they share is examined once.
const EXAMINED_AT_ONCE: usize = 32;

/// Returns the findings of a rule in units: with `kept` results, in each unit separately; otherwise in many of them at once,
/// which takes less work. `find` must return the same findings either way. They may name places only in the files of the unit and in code.
pub(super) fn by_unit<T: Send + Sync + 'static>(
    kept: Option<&UnitResults>,
    rule: &'static Rule,
    units: &[Arc<Unit>],
    find: impl Fn(&[Arc<Unit>]) -> T + Sync + Send,
) -> Vec<Arc<T>> {
    match kept {
        Some(kept) => units.iter().map(|unit| kept.of(rule, unit, || find(std::slice::from_ref(unit)))).collect(),
        None => {
            let parts: Vec<&[Arc<Unit>]> = units.chunks(EXAMINED_AT_ONCE).collect();
            threads::map(&parts, |part| Arc::new(find(part)))
        }
    }
}

/// Returns the findings of a rule over all units. It is not run again if it found nothing and no interface has changed since.
pub(super) fn in_all_units(
    kept: Option<&UnitResults>,
    rule: &'static Rule,
    units: &AllUnits<'_>,
    check: fn(&AllUnits<'_>) -> Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    if kept.is_some_and(|kept| kept.quiet.lock().contains(rule.id())) {
        return Vec::new();
    }
    let found = check(units);
    if let Some(kept) = kept.filter(|_| found.is_empty() && !units.withheld.has(rule)) {
        kept.quiet.lock().insert(rule.id());
    }
    found
}

/// Returns the findings of a rule in the files that are to be examined. What it finds may depend on one file and the
/// vocabularies of the resolution.
pub(super) fn by_document<'a>(
    context: &Context<'a>,
    rule: &'static Rule,
    mut find: impl FnMut(FileId, &'a Document) -> Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let words = &context.resolution.vocabularies;
    let is_same = |known: &[&'static Vocabulary]| {
        known.len() == words.len() && known.iter().zip(words).all(|(known, word)| known == word)
    };
    let mut all = Vec::new();
    for (file, document) in context.documents() {
        let Some(kept) = context.results.map(|results| &results.documents.known) else {
            all.extend(find(file, document));
            continue;
        };
        let known = kept.lock().get(&(rule.id(), file)).filter(|(words, _)| is_same(words)).cloned();
        let found = match known {
            Some((_, found)) => found,
            None => {
                let found = Arc::new(find(file, document));
                kept.lock().insert((rule.id(), file), (words.clone(), Arc::clone(&found)));
                found
            }
        };
        all.extend(found.iter().cloned());
    }
    all
}
