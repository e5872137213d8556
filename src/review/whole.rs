//! The entry points of the analysis. Each ends with an error if the object of a file that was read is damaged, or not in the
//! clone: what it would have said is neither absent nor broken.

use super::{Error, Filter, MergeReview, Request, Resolved, ResolvedPair, Review, Workspace};
use crate::dialects::Scope;
use crate::files::Files;
use crate::settings::Settings;
use crate::source::{Source, Supplied};

/// Analyzes one state.
///
/// # Errors
/// There is no project in it, it cannot be judged, or the clone lacks files of it.
pub(crate) fn check(source: &dyn Source, workspace: &Workspace<'_>, request: &Request<'_>) -> Result<Review, Error> {
    whole(&[source], super::check::check(source, workspace, request))
}

/// Compares two states.
///
/// # Errors
/// Neither holds a project, nothing matches the filter, they cannot be judged, or the clone lacks files of them.
pub(crate) fn compare(
    base: &dyn Source,
    head: &dyn Source,
    workspace: &Workspace<'_>,
    request: &Request<'_>,
) -> Result<Review, Error> {
    let found = super::compare::compare(base, head, workspace, request);
    ask_for_differing([base, head]);
    whole(&[base, head], found)
}

/// Compares a merge with its base and both sides: base, ours, theirs and the merge.
///
/// # Errors
/// None of them holds a project, they cannot be judged, or the clone lacks files of them.
pub(crate) fn merge(
    sources: [&dyn Source; 4],
    workspace: &Workspace<'_>,
    request: &Request<'_>,
) -> Result<MergeReview, Error> {
    whole(&sources, super::merge::merge(sources, workspace, request))
}

/// Reads what is lost of the data that differ: of what both sides have alike it is enough that it is not known.
fn ask_for_differing(sides: [&dyn Source; 2]) {
    let id = |side: &dyn Source, path: &str| side.listing().get(path).map(|entry| entry.id);
    for side in sides {
        for path in side.lost().iter().filter(|path| id(sides[0], path) != id(sides[1], path)) {
            side.listing().get(path).into_iter().for_each(|entry| drop(side.read(entry)));
        }
    }
}

/// Resolves one state, within a scope.
///
/// # Errors
/// There is no project in it, or the clone lacks files of it.
pub(crate) fn resolve(
    source: &dyn Source,
    workspace: &Workspace<'_>,
    settings: &Settings,
    files: Files,
    scope: Scope<'_>,
) -> Result<Resolved, Error> {
    let supplied = Supplied::new(source, &settings.inputs);
    let source = supplied.as_ref().map_or(source, |supplied| supplied);
    whole(&[source], super::resolve::resolve(source, workspace, settings, files, scope))
}

/// Resolves two states within a scope, and compares the components that a filter lets through.
///
/// # Errors
/// Neither holds a project, or the clone lacks files of them.
pub(crate) fn resolve_pair(
    base: &dyn Source,
    head: &dyn Source,
    workspace: &Workspace<'_>,
    settings: &Settings,
    (filter, scope): (&Filter, Scope<'_>),
) -> Result<ResolvedPair, Error> {
    let supplied = [base, head].map(|source| Supplied::new(source, &settings.inputs));
    let base = supplied[0].as_ref().map_or(base, |supplied| supplied);
    let head = supplied[1].as_ref().map_or(head, |supplied| supplied);
    whole(&[base, head], super::pair::resolve_pair(base, head, workspace, settings, (filter, scope)))
}

/// A result, unless the clone lacks files that were read for it, or has them damaged.
pub(super) fn whole<T>(sources: &[&dyn Source], result: Result<T, Error>) -> Result<T, Error> {
    sources.iter().try_for_each(|source| source.lacking())?;
    result
}
