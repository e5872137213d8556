//! Components that could not be resolved, so that Atmos lists nothing at all: they are listed with that reason if they may be affected.

use super::{Comparison, Items, code_root};
use crate::affected::{self, Request};
use crate::dialects::atmos::paths;
use crate::resolution::{Resolution, Unit};
use crate::source::differences;
use crate::text::Text;
use std::collections::BTreeSet;

/// Adds an item for each component that the head could not resolve, if the base could, or if a file that may have a part in it
/// differs.
pub(super) fn add(comparison: &Comparison<'_>, request: &Request<'_>, items: &mut Items) {
    let [base, head] = request.resolutions;
    for (address, mut item) in affected::lost(base, head, comparison.filter) {
        item.component_path = comparison
            .base
            .get(&address)
            .map(|placed| comparison.component_path(&placed.component))
            .unwrap_or_default();
        items.entry(address).or_insert(item);
    }
    let differing = differences(request.base.listing(), request.head.listing());
    let paths: BTreeSet<&str> = differing.iter().map(|pair| pair.path()).collect();
    for unit in head.units.iter().filter(|unit| !unit.broken.is_empty()) {
        let is_touched = unit.files.iter().any(|file| paths.contains(&*request.files.get(*file).path));
        for (kind, name) in &unit.broken {
            let root = code_root(comparison.config, kind).map(|(root, _)| root);
            let is_code = |path: &&str| root.as_ref().is_some_and(|root| paths::relative(path, root).is_some());
            if !is_touched && !paths.iter().any(is_code) {
                continue;
            }
            for stack in stacks(unit, head, base) {
                let address = (stack, kind.clone(), name.clone());
                if !(comparison.filter)(&address) || items.contains_key(&address) {
                    continue;
                }
                let mut item = affected::of_code(&address);
                let folder = root.as_ref().and_then(|root| paths::join(root, name));
                let folder = folder.filter(|folder| request.head.listing().is_dir(folder));
                item.component_path = folder.map(Text::from).unwrap_or_default();
                item.mark_unresolved("Atmos stops with an error");
                items.insert(address, item);
            }
        }
    }
}

/// The names that the stack of a component may have: those of other components of its manifest, or what is said of it.
fn stacks(unit: &Unit, head: &Resolution, base: &Resolution) -> BTreeSet<Text> {
    let units = [head, base].into_iter().flat_map(|side| &side.units).filter(|other| other.id == unit.id);
    let mut names: BTreeSet<Text> =
        units.flat_map(|unit| &unit.components).map(|component| component.stack.clone()).collect();
    let of_unit = head.findings.iter().filter(|finding| unit.files.contains(&finding.primary.file));
    names.extend(of_unit.filter(|finding| finding.is_breaking).flat_map(|finding| finding.stacks.iter().cloned()));
    names.extend(head.locals.stacks.get(&unit.file).cloned());
    if names.is_empty() {
        names.insert(unit.name.clone());
    }
    names
}
