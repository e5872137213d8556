//! What was known of units before they broke: while a file is typed it can often not be read, and names in it are wanted then.

use super::Analysis;
use crate::resolution::{Component, LocalScope, Unit};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Units that are broken now, as they were when they were last whole.
#[derive(Default)]
pub(super) struct Remembered {
    units: BTreeMap<Text, Kept>,
}

/// A unit with the paths of its files, and the local names of those. The places in them are those of files that are gone.
struct Kept {
    unit: Arc<Unit>,
    files: BTreeSet<Text>,
    scopes: Vec<(Text, Arc<LocalScope>)>,
}

impl Remembered {
    /// Takes over from an analysis what a newer one could not resolve, and forgets what it could.
    pub(super) fn update(&mut self, old: Option<&Analysis>, new: &Analysis) {
        let mut kept = std::mem::take(&mut self.units);
        for unit in new.review.heads().into_iter().flat_map(|resolution| &resolution.units) {
            if !unit.is_incomplete() {
                continue;
            }
            let known = kept.remove(&unit.name).or_else(|| old.and_then(|old| find(old, &unit.name)));
            if let Some(known) = known {
                self.units.insert(Text::clone(&unit.name), known);
            }
        }
    }

    /// Whether one of the units has the file at a path.
    pub(super) fn reads(&self, path: &str) -> bool {
        self.units.values().any(|kept| kept.files.contains(path))
    }

    /// The components of the units that have the file at a path.
    pub(super) fn components(&self, path: &str) -> impl Iterator<Item = &Component> {
        let units = self.units.values().filter(move |kept| kept.files.contains(path));
        units.flat_map(|kept| kept.unit.components.iter().map(|component| &**component))
    }

    /// The local names of the file at a path.
    pub(super) fn scopes(&self, path: &str) -> impl Iterator<Item = &LocalScope> {
        let scopes = self.units.values().flat_map(|kept| &kept.scopes);
        scopes.filter(move |(of, _)| **of == *path).map(|(_, scope)| &**scope)
    }
}

/// A unit of an analysis, if it is whole there.
fn find(analysis: &Analysis, name: &Text) -> Option<Kept> {
    let path = |id| Text::clone(&analysis.review.files.get(id).path);
    for resolution in analysis.review.heads() {
        let Some(unit) = resolution.units.iter().find(|unit| unit.name == *name && !unit.is_incomplete()) else {
            continue;
        };
        let files: BTreeSet<Text> = unit.files.iter().map(|id| path(*id)).collect();
        let scopes = resolution.locals.scopes.iter().filter(|scope| unit.files.contains(&scope.file));
        let scopes = scopes.map(|scope| (path(scope.file), Arc::clone(scope))).collect();
        return Some(Kept { unit: Arc::clone(unit), files, scopes });
    }
    None
}
