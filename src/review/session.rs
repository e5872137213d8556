//! Data kept between the reviews of one worktree, so that the next one costs only what changed.

use super::Review;
use crate::dialects::Dialects;
use crate::files::Files;
use crate::rules::UnitResults;
use crate::settings::FILE_NAME;
use crate::source::{Change, ChangeKind, Listing, Source, changed};
use crate::terraform;
use crate::unit::UnitInterface;
use parking_lot::Mutex;
use std::sync::Arc;

/// After how many reviews what belongs to earlier versions of files is dropped.
pub(super) const MAX_VERSIONS: usize = if cfg!(test) { 2 } else { 64 };

/// Reviews of one worktree, one after the other.
#[derive(Default)]
pub(crate) struct Session {
    last: Mutex<Option<SessionState>>,
}

/// The data kept of a review.
#[derive(Clone, Default)]
pub(super) struct SessionState {
    /// All files that were read.
    pub(super) files: Arc<Files>,
    /// The systems, with what they keep; `None` for the first review.
    pub(super) dialects: Option<Arc<Dialects>>,
    /// The findings of rules in the units and files of each project.
    results: Vec<Arc<UnitResults>>,
    /// The Terraform code that was parsed; `None` for the first review.
    code: Option<terraform::Cache>,
    /// The files of the last review that ended.
    listing: Arc<Listing>,
    /// The interfaces of the units of each project.
    units: Arc<Vec<Vec<UnitInterface>>>,
    reviews: usize,
}

/// The state in which a review begins.
pub(super) struct ReviewInputs {
    /// The data kept of the last review.
    pub(super) kept: SessionState,
    /// Whether the review is part of a session.
    is_kept: bool,
    /// The findings of rules that count for the new state, by project. They become those of the session when the review ends: if
    /// it is canceled, those of the last state still count.
    results: Mutex<Vec<Arc<UnitResults>>>,
    /// The interfaces of the units of the new state, by project.
    units: Mutex<Vec<Vec<UnitInterface>>>,
}

impl ReviewInputs {
    fn new(kept: SessionState, is_kept: bool) -> Self {
        let results = Mutex::new(kept.results.clone());
        ReviewInputs { kept, is_kept, results, units: Mutex::default() }
    }

    /// A review that is not part of a session.
    pub(super) fn alone() -> Self {
        ReviewInputs::new(SessionState::default(), false)
    }

    /// Keeps the interfaces of the units of the next project.
    pub(super) fn keep_interfaces(&self, units: Vec<UnitInterface>) {
        self.units.lock().push(units);
    }

    /// The Terraform code that was parsed before.
    pub(super) fn code(&self) -> terraform::Cache {
        self.kept.code.clone().unwrap_or_default()
    }

    /// Returns the findings of rules in a project (by number), if they are kept. Those in units count only if no interface differs
    /// from before.
    pub(super) fn results(&self, project: usize, units: &[UnitInterface]) -> Option<Arc<UnitResults>> {
        if !self.is_kept {
            return None;
        }
        let before = self.kept.units.get(project).map_or(&[][..], Vec::as_slice);
        let is_same = before.len() == units.len() && before.iter().zip(units).all(|(old, new)| old.is_same(new));
        let mut results = self.results.lock();
        if results.len() <= project {
            results.resize_with(project + 1, Arc::default);
        }
        if !is_same {
            results[project] = Arc::new(results[project].without_units());
        }
        results.get(project).cloned()
    }
}

impl Session {
    /// Begins a review of a state. Nothing of the last one is used if settings may have changed.
    pub(super) fn start(&self, source: &dyn Source) -> ReviewInputs {
        let last = self.last.lock().clone();
        let changes = last.as_ref().map(|kept| changed(&kept.listing, source.listing())).unwrap_or_default();
        let is_settings = |change: &Change| change.path.rsplit('/').next() == Some(FILE_NAME);
        match last.filter(|_| !changes.iter().any(is_settings)) {
            Some(kept) => {
                let is_edit = |change: &Change| {
                    let is_manifest = [".yaml", ".yml"].iter().any(|end| change.path.ends_with(end));
                    is_manifest && change.kind == ChangeKind::Modified
                };
                // The findings of rules in a unit also depend on the code of its components, and on which folders there are.
                let has_same_code = changes.iter().all(is_edit);
                let start = ReviewInputs::new(kept, true);
                if !has_same_code {
                    start.results.lock().iter_mut().for_each(|results| *results = Arc::new(results.without_units()));
                }
                start
            }
            None => ReviewInputs::new(SessionState::default(), true),
        }
    }

    /// Drops what is kept. A review that had too little for all of its work may have added to it.
    pub(crate) fn forget(&self) {
        *self.last.lock() = None;
    }

    /// The texts of a file that are kept.
    #[cfg(test)]
    pub(super) fn texts(&self, path: &str) -> Vec<crate::text::Text> {
        self.last.lock().as_ref().map_or_else(Vec::new, |kept| kept.files.texts(path))
    }

    /// Keeps what a review of a state that has ended leaves.
    pub(super) fn end(&self, start: ReviewInputs, review: &Review, code: terraform::Cache, source: &dyn Source) {
        let ReviewInputs { kept, results, units, .. } = start;
        let mut results = results.into_inner();
        results.truncate(review.resolved.1.len());
        results.iter().zip(&review.resolved.1).for_each(|(results, resolution)| results.retain(resolution));
        let dialects = Some(Arc::clone(&review.resolved.0));
        let listing = Arc::new(source.listing().clone());
        let units = Arc::new(units.into_inner());
        let (mut files, reviews) = (kept.files, kept.reviews + 1);
        if reviews.is_multiple_of(MAX_VERSIONS) {
            let content = |path: &str| listing.resolve(path).ok().map(|entry| entry.id.to_string());
            files = Arc::new(files.without_earlier_versions(content));
            review.resolved.0.forget(source);
            code.retain(&listing);
        }
        let code = Some(code);
        *self.last.lock() = Some(SessionState { files, dialects, results, code, listing, units, reviews });
    }
}
