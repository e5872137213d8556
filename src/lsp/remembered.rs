//! The last known state of broken units: a file often cannot be parsed while it is edited, and completion needs its
//! names.

use super::Analysis;
use crate::resolution::{Component, LocalScope, Resolution, Unit};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The last complete state of units that are broken now.
#[derive(Default)]
pub(super) struct Remembered {
    units: BTreeMap<Text, LastGoodUnit>,
}

/// A unit, the paths of its files, and their local names. The file ids in them may no longer exist.
struct LastGoodUnit {
    unit: Arc<Unit>,
    files: BTreeSet<Text>,
    scopes: Vec<(Text, Arc<LocalScope>)>,
}

impl Remembered {
    /// Adds the units that broke between two analyses, and removes those that are complete again.
    pub(super) fn update(&mut self, old: Option<&Analysis>, new: &Analysis) {
        let mut kept = std::mem::take(&mut self.units);
        let mut before: Option<BTreeMap<&Text, (&Resolution, &Arc<Unit>)>> = None;
        for unit in new.review.heads().into_iter().flat_map(|resolution| &resolution.units) {
            if !unit.is_incomplete() {
                continue;
            }
            let known = kept.remove(&unit.id).or_else(|| {
                let (resolution, whole) = before.get_or_insert_with(|| complete(old)).get(&unit.id)?;
                old.map(|old| keep(old, resolution, whole))
            });
            if let Some(known) = known {
                self.units.insert(Text::clone(&unit.id), known);
            }
        }
    }

    /// Whether a file is part of one of the units.
    pub(super) fn reads(&self, path: &str) -> bool {
        self.units.values().any(|kept| kept.files.contains(path))
    }

    /// Returns the components of the units that a file is part of.
    pub(super) fn components(&self, path: &str) -> impl Iterator<Item = &Component> {
        let units = self.units.values().filter(move |kept| kept.files.contains(path));
        units.flat_map(|kept| kept.unit.components.iter().map(|component| &**component))
    }

    /// Returns the scopes of local names of a file.
    pub(super) fn scopes(&self, path: &str) -> impl Iterator<Item = &LocalScope> {
        let scopes = self.units.values().flat_map(|kept| &kept.scopes);
        scopes.filter(move |(of, _)| **of == *path).map(|(_, scope)| &**scope)
    }
}

/// Returns the complete units of an analysis by id, with their resolutions.
fn complete(analysis: Option<&Analysis>) -> BTreeMap<&Text, (&Resolution, &Arc<Unit>)> {
    let resolutions = analysis.into_iter().flat_map(|analysis| analysis.review.heads());
    let units = resolutions.flat_map(|resolution| resolution.units.iter().map(move |unit| (resolution, unit)));
    units.filter(|(_, unit)| !unit.is_incomplete()).map(|(resolution, unit)| (&unit.id, (resolution, unit))).collect()
}

fn keep(analysis: &Analysis, resolution: &Resolution, unit: &Arc<Unit>) -> LastGoodUnit {
    let path = |id| Text::clone(&analysis.review.files.get(id).path);
    let files = unit.files.iter().map(|id| path(*id)).collect();
    let scopes = resolution.locals.scopes.iter().filter(|scope| unit.files.binary_search(&scope.file).is_ok());
    let scopes = scopes.map(|scope| (path(scope.file), Arc::clone(scope))).collect();
    LastGoodUnit { unit: Arc::clone(unit), files, scopes }
}
