//! The parts of a resolution that are kept, so that the next one of the same project resolves only what changed.

use crate::dialects::atmos::manifest::MemoKey;
use crate::dialects::atmos::manifest::Processed;
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::stack::{ResolvedManifest, VendoredFolders};
use crate::source::Change;
use crate::text::{FastMap, Text};
use crate::value::FileId;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A unit with all that resolving it recorded.
pub(super) struct ResolvedUnit {
    /// The unit and its merged manifest.
    pub(super) manifest: ResolvedManifest,
    /// The records made on the way.
    pub(super) recorder: Arc<Recorder>,
    /// Its dependencies; `None` if they are unknown, because it reads other components, or was not resolved at all.
    pub(super) deps: Option<Deps>,
}

/// The last resolution of a project.
#[derive(Clone, Default)]
pub(super) struct LastResolution {
    /// Units by the path of their manifest.
    pub(super) units: FastMap<Text, Arc<ResolvedUnit>>,
    /// Manifests with what they import.
    pub(super) manifests: HashMap<MemoKey, Arc<Processed>>,
    /// The merged manifests of units that are not kept.
    pub(super) tops: Vec<Arc<Processed>>,
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
        self.manifests.retain(|_, manifest| !is_touched(&manifest.deps));
        self
    }

    /// The unit of a manifest, if it is as it was. The files that it was made of count as read.
    pub(super) fn unit(&self, path: &str, reader: &Reader<'_>) -> Option<Arc<ResolvedUnit>> {
        let unit = self.units.get(path)?;
        reader.see(unit.manifest.unit.files.iter().filter_map(|file| self.loaded.get(file)));
        Some(Arc::clone(unit))
    }
}
