//! `unused-import`: without the import, all components would be what they are.

use super::{ByFile, stacks, written};
use crate::diagnostic::{Applicability, Diagnostic};
use crate::resolution::{State, Unit};
use crate::rules::edit::item_removal;
use crate::rules::places::at_value;
use crate::rules::{Context, rule};
use crate::text::ByAddress;
use crate::value::{Data, FileId, Map, Origin, Prov, Trail, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

rule!(UNUSED_IMPORT, "unused-import", Hygiene, "0.1.0", "an import adds nothing to any component of any stack");

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let resolution = context.resolution;
    let all = ByFile::new(resolution);
    let items: HashSet<Origin> = resolution.imports.items.iter().map(|i| i.item).collect();
    let mut used: HashMap<*const Unit, BTreeSet<FileId>> = HashMap::new();
    let mut found = Vec::new();
    for (file, imports) in all.examined(context) {
        let units: Vec<&Unit> =
            resolution.units.iter().map(|u| &**u).filter(|u| u.files.binary_search(&file).is_ok()).collect();
        let is_open = |u: &&Unit| u.state != State::Resolved || u.is_incomplete() || !u.unlisted.is_empty();
        for import in imports.iter().filter(|i| !i.is_open) {
            let closure = all.closure(import.targets.iter().copied());
            // A removed key leaves no trace in the result.
            let tags = || resolution.vocabularies.iter().map(|words| words.unset).filter(|tag| !tag.is_empty());
            let takes_away = |file: &FileId| tags().any(|tag| context.files.get(*file).text.contains(tag));
            let mut adds = |unit: &Unit, closure: &BTreeSet<FileId>| {
                let used = used.entry(std::ptr::from_ref(unit)).or_insert_with(|| sources(unit, &items));
                !used.is_disjoint(closure)
            };
            let known = units.iter().filter(|u| !is_open(u));
            // Without components, nothing can be used.
            if units.iter().all(|u| u.components.is_empty() && !is_open(u))
                || closure.iter().any(takes_away)
                || known.clone().any(|u| adds(u, &closure))
            {
                continue;
            }
            if units.iter().any(is_open) {
                context.withheld.record(&UNUSED_IMPORT);
                continue;
            }
            // If the importing file is unused as well, that is reported where it is imported.
            let own = all.closure([file]);
            if units.iter().all(|u| u.file != file) && !units.iter().any(|u| adds(u, &own)) {
                continue;
            }
            let path = written(context.files, import);
            let message = format!("import `{path}` contributes nothing to any component");
            let mut finding = Diagnostic::new(&UNUSED_IMPORT, message, at_value(context.files, import.path, ""))
                .token(&*path)
                .help("remove the import");
            finding.fix = item_removal(context.files, import.item, &format!("remove `{path}`"), Applicability::Unsafe);
            finding.stacks = stacks(resolution, file);
            found.push(finding);
        }
    }
    found
}

/// Returns the files that contribute to the components of a unit: values, what they replaced, what they were computed
/// from, and lines that shaped them, except `imports`.
fn sources(unit: &Unit, imports: &HashSet<Origin>) -> BTreeSet<FileId> {
    let mut walk = UsageWalk::default();
    for component in &unit.components {
        walk.value(&component.value);
        component.locals.iter().for_each(|locals| walk.value(locals));
        walk.files.extend(component.shaping_origins.iter().filter(|o| !imports.contains(o)).map(|o| o.file));
    }
    walk.files
}

#[derive(Default)]
struct UsageWalk<'a> {
    files: BTreeSet<FileId>,
    maps: HashSet<ByAddress<&'a Arc<Map>>>,
    trails: HashSet<ByAddress<&'a Arc<Trail>>>,
}

impl<'a> UsageWalk<'a> {
    fn value(&mut self, value: &'a Value) {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            self.prov(&value.prov);
            match &value.data {
                Data::Map(map) if self.maps.insert(ByAddress(map)) => {
                    todo.extend(map.iter().map(|e| &e.value));
                }
                Data::List(items) => todo.extend(items.iter()),
                _ => {}
            }
        }
    }

    fn prov(&mut self, prov: &'a Prov) {
        let mut todo = vec![prov];
        while let Some(prov) = todo.pop() {
            self.files.extend(prov.origin.map(|o| o.file));
            let Some(trail) = prov.trail.as_ref().filter(|t| self.trails.insert(ByAddress(t))) else { continue };
            todo.extend(trail.inputs());
            todo.extend(trail.overrode().map(|v| &v.prov));
            todo.extend(trail.layers().iter().map(|l| &l.value.prov));
        }
    }
}
