//! The parts of a resolution that are kept, so that the next one of the same project resolves only what changed.

use crate::dialects::atmos::manifest::KnownManifests;
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::dialects::atmos::recorder::{Collected, Recorder};
use crate::dialects::atmos::stack::{ResolvedManifest, VendoredFolders};
use crate::source::Change;
use crate::text::{FastMap, Text};
use crate::value::FileId;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A unit with all that resolving it recorded.
pub(super) struct ResolvedUnit {
    /// The unit and its merged manifest.
    pub(super) manifest: ResolvedManifest,
    /// The records made on the way.
    pub(super) recorder: Arc<Recorder>,
    /// Whether some of its components inherit from each other.
    pub(super) has_cycle: bool,
    /// Its dependencies; `None` if they are unknown, because it reads other components, or was not resolved at all.
    pub(super) deps: Option<Deps>,
}

/// The last resolution of a project.
#[derive(Clone, Default)]
pub(super) struct LastResolution {
    /// Units by the path of their manifest.
    pub(super) units: FastMap<Text, Arc<ResolvedUnit>>,
    /// Manifests with what they import.
    pub(super) manifests: KnownManifests,
    /// What the units recorded that the last edit did not reach.
    pub(super) collected: Arc<Collected>,
    /// The files that were read.
    pub(super) loaded: BTreeMap<FileId, Arc<Loaded>>,
}

impl LastResolution {
    /// Drops what a change reaches. `shared` is what all of it depends on.
    pub(super) fn retain_unchanged(mut self, changes: &[Change], shared: &Deps) -> Self {
        let is_touched = |deps: &Deps| changes.iter().any(|change| deps.touched(&change.path, change.kind));
        let is_vendored = || changes.iter().any(|change| VendoredFolders::is_read_from(&change.path));
        if is_touched(shared) || is_vendored() {
            return LastResolution::default();
        }
        self.units.retain(|_, unit| unit.deps.as_ref().is_some_and(|deps| !is_touched(deps)));
        self.manifests.processed.retain(|_, manifest| !manifest.is_outdated() && !is_touched(&manifest.deps));
        self
    }

    /// Collects what units recorded, and others. What those recorded that are as they were is only collected if the last edit
    /// reached other ones.
    pub(super) fn collect(&mut self, units: &[Arc<ResolvedUnit>], other: Arc<Recorder>) -> Recorder {
        let known: HashSet<*const ResolvedUnit> = self.units.values().map(Arc::as_ptr).collect();
        let (same, new): (Vec<_>, Vec<_>) = units.iter().partition(|unit| known.contains(&Arc::as_ptr(unit)));
        let recorder = |unit: &Arc<ResolvedUnit>| Arc::clone(&unit.recorder);
        let same: Vec<Arc<Recorder>> = same.into_iter().map(recorder).collect();
        if !self.collected.is_of(&same) {
            self.collected = Arc::new(Collected::of(same));
        }
        self.collected.with(new.into_iter().map(recorder).chain([other]))
    }

    /// The unit of a manifest, if it is as it was. The files that it was made of count as read.
    pub(super) fn unit(&self, path: &str, reader: &Reader<'_>) -> Option<Arc<ResolvedUnit>> {
        let unit = self.units.get(path)?;
        reader.see(unit.manifest.unit.files.iter().filter_map(|file| self.loaded.get(file)));
        Some(Arc::clone(unit))
    }
}
