//! The parts of a resolution that are kept, so that the next one of the same project resolves only what changed.

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::manifest::KnownManifests;
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::dialects::atmos::recorder::{Collected, Recorder};
use crate::dialects::atmos::stack::{ResolvedManifest, VendoredFolders};
use crate::source::{BlobId, Change, ResolveError};
use crate::text::{FastMap, Text};
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet, HashSet};
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
    /// What building its components recorded.
    pub(super) building: Arc<Recorder>,
    /// What building its components read besides its merged manifest.
    pub(super) reads: BuildReads,
}

/// What building components read besides their merged manifest.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildReads {
    /// As dependencies.
    pub(super) deps: Deps,
    /// What is at each of their paths.
    found: Vec<Found>,
}

/// What is at a path: the content of the file, and whether there is a folder.
type Found = (Result<BlobId, ResolveError>, bool);

fn found(path: &str, reader: &Reader<'_>) -> Found {
    let listing = reader.source.listing();
    (listing.resolve(path).map(|entry| entry.id), listing.is_dir(path))
}

impl BuildReads {
    /// What is at the paths of some dependencies.
    pub(super) fn of(deps: Deps, reader: &Reader<'_>) -> Self {
        let found = deps.paths.iter().map(|path| found(path, reader)).collect();
        BuildReads { deps, found }
    }

    /// Whether reading it again gives the same.
    pub(super) fn are_same(&self, reader: &Reader<'_>) -> bool {
        let is_same = |(path, known): (&Text, &Found)| found(path, reader) == *known;
        self.deps.globs.is_empty() && self.deps.paths.iter().zip(&self.found).all(is_same)
    }
}

/// The last resolution of a project.
#[derive(Clone, Default)]
pub(super) struct LastResolution {
    /// Units by the path of their manifest.
    pub(super) units: FastMap<Text, Arc<ResolvedUnit>>,
    /// Units that have to be resolved again, by the path of their manifest.
    pub(super) outdated: FastMap<Text, Arc<ResolvedUnit>>,
    /// The configuration, and the files that it was read from.
    pub(super) config: Option<(Config, BTreeSet<FileId>)>,
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
        let outdated = self.units.extract_if(|_, unit| unit.deps.as_ref().is_none_or(&is_touched));
        self.outdated = outdated.collect();
        self.manifests.processed.retain(|_, manifest| !manifest.is_outdated() && !is_touched(&manifest.deps));
        self
    }

    /// The units of a resolution that need not be the one before this one, if it had the same configuration. All of them have to
    /// be resolved again.
    pub(super) fn under(self, config: &Config, shared: &Deps) -> Self {
        let is_same = |(known, files): &(Config, _)| known == config && *files == shared.files;
        match self.config.as_ref().is_some_and(is_same) {
            true => LastResolution { outdated: self.outdated, loaded: self.loaded, ..LastResolution::default() },
            false => LastResolution::default(),
        }
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
        self.see(&unit.manifest.unit.files, reader);
        Some(Arc::clone(unit))
    }

    /// Counts files as read.
    pub(super) fn see<'f>(&self, files: impl IntoIterator<Item = &'f FileId>, reader: &Reader<'_>) {
        reader.see(files.into_iter().filter_map(|file| self.loaded.get(file)));
    }
}
