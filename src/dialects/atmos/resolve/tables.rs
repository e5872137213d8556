//! What has been resolved before: units and manifests, found by what they were made from.

use super::ProjectKey;
use crate::dialects::atmos::manifest::{MemoKey, Processed};
use crate::dialects::atmos::reader::{Deps, Loaded, Reader};
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::stack::{ResolvedManifest, VendoredFolders};
use crate::reads::{Answer, Answers, Listed, Reads, Table};
use crate::source::{ResolveError, Source};
use crate::text::Text;
use parking_lot::Mutex;
use std::sync::Arc;

/// Of how many configurations of a project the tables are kept: those of the base, both sides and the result of a merge.
const CONFIGURATIONS: usize = 4;

/// A unit with all that resolving it recorded.
pub(super) struct ResolvedUnit {
    /// The unit and its merged manifest.
    pub(super) manifest: ResolvedManifest,
    /// The records made on the way.
    pub(super) recorder: Arc<Recorder>,
    /// Whether some of its components inherit from each other.
    pub(super) has_cycle: bool,
    /// The files that it was made from.
    pub(super) loaded: Vec<Arc<Loaded>>,
    /// What it depends on; `None` if that is not known.
    pub(super) deps: Option<Deps>,
}

/// What has been resolved of a project under one configuration.
#[derive(Default)]
pub(super) struct Tables {
    /// Units by the path of their manifest.
    pub(super) units: Table<Text, ResolvedUnit>,
    /// Manifests with what they import.
    pub(super) manifests: Table<MemoKey, Processed>,
}

/// The tables of all projects. A unit also depends on its configuration, so each configuration has tables of its own.
#[derive(Default)]
pub(super) struct ProjectTables {
    /// The latest ones last.
    known: Mutex<Vec<(ProjectKey, Reads, Arc<Tables>)>>,
}

impl ProjectTables {
    /// Returns the tables of a project under a configuration that was made from `configuration`.
    pub(super) fn of(&self, project: &ProjectKey, configuration: Reads) -> Arc<Tables> {
        let mut known = self.known.lock();
        let is_wanted = |(key, reads, _): &(ProjectKey, Reads, _)| key == project && *reads == configuration;
        let found = known.iter().position(is_wanted).map(|at| known.remove(at));
        let found = found.unwrap_or_else(|| (project.clone(), configuration, Arc::default()));
        let tables = Arc::clone(&found.2);
        known.push(found);
        let of_project = known.iter().filter(|(key, ..)| key == project);
        if of_project.count() > CONFIGURATIONS
            && let Some(oldest) = known.iter().position(|(key, ..)| key == project)
        {
            known.remove(oldest);
        }
        tables
    }

    /// Drops what a revision does not have.
    pub(super) fn retain(&self, source: &dyn Source) {
        let answers = Answers::new(source);
        let mut known = self.known.lock();
        known.retain(|(_, configuration, _)| answers.has(configuration));
        for (_, _, tables) in &*known {
            tables.units.retain(&answers);
            tables.manifests.retain(&answers);
        }
    }
}

/// Returns the reads of what depends on these files, paths and patterns.
pub(super) fn reads(deps: &Deps, answers: &Answers<'_>) -> Reads {
    let mut reads = answers.reads(deps.paths.iter().cloned(), deps.globs.iter().cloned().map(Listed::Matching));
    let is_folder = |answer: &Answer| matches!(answer, Answer::None(ResolveError::IsDirectory));
    let folders = reads.files.iter().filter(|(_, answer)| is_folder(answer)).map(|(folder, _)| Text::clone(folder));
    let below = answers.reads([], folders.map(|folder| Listed::Below { folder, ending: Text::default() }));
    reads.add(&below);
    reads
}

/// Returns the reads of a configuration that was read from `shared`. Vendor manifests count too: they say which folders of code
/// are filled from elsewhere.
pub(super) fn configuration_reads(shared: &Deps, reader: &Reader<'_>, answers: &Answers<'_>) -> Reads {
    let mut deps = shared.clone();
    let entries = reader.source.listing().iter();
    let vendored = entries.filter(|entry| VendoredFolders::is_read_from(&entry.path));
    deps.paths.extend(vendored.map(|entry| Text::from(&*entry.path)));
    reads(&deps, answers)
}
