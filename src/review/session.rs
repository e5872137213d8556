//! Data kept between the reviews of one worktree, so that the next one costs only what changed.

use super::{Host, Review};
use crate::dialects::{Dialects, Scope};
use crate::files::Files;
use crate::resolution::{Component, State, Unit};
use crate::rules::UnitResults;
use crate::settings::FILE_NAME;
use crate::source::{Change, Listing, Source, changed};
use crate::terraform;
use parking_lot::Mutex;
use std::sync::Arc;

/// How many reviews share one table of files. It keeps the text of every version of a file that was analyzed, so it is dropped
/// after that many.
const MAX_REVIEWS: usize = 256;

/// Reviews of one worktree, one after the other.
#[derive(Default)]
pub(crate) struct Session {
    last: Mutex<Option<Kept>>,
}

/// The data kept of a review.
#[derive(Clone, Default)]
pub(super) struct Kept {
    /// All files that were read.
    pub(super) files: Arc<Files>,
    /// The systems, with what they keep; `None` for the first review.
    pub(super) dialects: Option<Arc<Dialects>>,
    /// The findings of rules in units.
    results: Arc<UnitResults>,
    /// The Terraform code that was parsed; `None` for the first review.
    code: Option<terraform::Cache>,
    listing: Arc<Listing>,
    /// The units of each project.
    units: Vec<Vec<Arc<Unit>>>,
    reviews: usize,
}

/// The state in which a review begins.
pub(super) struct Start {
    /// The data kept of the last review.
    pub(super) kept: Kept,
    /// The changes since then; `None` if the review is not part of a session.
    changes: Option<Vec<Change>>,
    /// The findings of rules in units that count for the new state. They become those of the session when the review ends: if it
    /// is canceled, those of the last state still count.
    results: Mutex<Arc<UnitResults>>,
}

impl Start {
    fn new(kept: Kept, changes: Option<Vec<Change>>) -> Self {
        let results = Mutex::new(Arc::clone(&kept.results));
        Start { kept, changes, results }
    }

    /// A review that is not part of a session.
    pub(super) fn alone() -> Self {
        Start::new(Kept::default(), None)
    }

    /// How much the dialects resolve.
    pub(super) fn scope(&self) -> Scope<'_> {
        self.changes.as_deref().map_or(Scope::All, Scope::Since)
    }

    /// Ignores the results of rules if a unit of a project (by number) looks different to other units than before.
    pub(super) fn compare(&self, project: usize, units: &[Arc<Unit>]) {
        let before = self.kept.units.get(project).map_or(&[][..], Vec::as_slice);
        let is_same =
            before.len() == units.len() && before.iter().zip(units).all(|(old, new)| is_same_to_others(old, new));
        if !is_same {
            *self.results.lock() = Arc::default();
        }
    }

    /// The Terraform code that was parsed before.
    pub(super) fn code(&self, host: &dyn Host) -> terraform::Cache {
        self.kept.code.clone().unwrap_or_else(|| host.code())
    }

    /// Returns the findings of rules in units, if they are kept.
    pub(super) fn results(&self) -> Option<Arc<UnitResults>> {
        self.changes.is_some().then(|| Arc::clone(&self.results.lock()))
    }
}

impl Session {
    /// Begins a review of a state. Nothing of the last one is used if settings may have changed.
    pub(super) fn start(&self, source: &dyn Source) -> Start {
        let last = self.last.lock().clone().filter(|last| last.reviews < MAX_REVIEWS);
        let since = last.map(|kept| (changed(&kept.listing, source.listing()), kept));
        let is_settings = |change: &Change| change.path.rsplit('/').next() == Some(FILE_NAME);
        match since.filter(|(changes, _)| !changes.iter().any(is_settings)) {
            Some((changes, kept)) => {
                let is_manifest = |change: &Change| [".yaml", ".yml"].iter().any(|end| change.path.ends_with(end));
                // The findings of rules in a unit also depend on the code of its components.
                let has_same_code = changes.iter().all(is_manifest);
                let results = if has_same_code { Arc::clone(&kept.results) } else { Arc::default() };
                Start { results: Mutex::new(results), ..Start::new(kept, Some(changes)) }
            }
            None => Start::new(Kept::default(), Some(Vec::new())),
        }
    }

    /// Keeps what a review of a state that has ended leaves.
    pub(super) fn end(&self, start: Start, review: &Review, code: terraform::Cache, source: &dyn Source) {
        let Start { kept, results, .. } = start;
        let results = results.into_inner();
        results.retain(review.resolved.1.iter().flat_map(|resolution| &resolution.units));
        let (dialects, code) = (Some(Arc::clone(&review.resolved.0)), Some(code));
        let listing = Arc::new(source.listing().clone());
        let units = review.resolved.1.iter().map(|resolution| resolution.units.clone()).collect();
        let (files, reviews) = (kept.files, kept.reviews + 1);
        *self.last.lock() = Some(Kept { files, dialects, results, code, listing, units, reviews });
    }
}

/// Whether two states of a unit look the same to other units: they have the same components, which say the same of themselves.
fn is_same_to_others(old: &Arc<Unit>, new: &Arc<Unit>) -> bool {
    let is_same = |(old, new): (&Arc<Component>, &Arc<Component>)| {
        old.stack == new.stack
            && old.kind == new.kind
            && old.name == new.name
            && old.metadata.is_same_to_others(&new.metadata)
            && old.metadata.known_module().is_some() == new.metadata.known_module().is_some()
    };
    Arc::ptr_eq(old, new)
        || old.name == new.name
            && [old, new].iter().all(|unit| unit.state == State::Resolved && !unit.is_incomplete())
            && old.unlisted == new.unlisted
            && old.components.len() == new.components.len()
            && old.components.iter().zip(&new.components).all(is_same)
}
