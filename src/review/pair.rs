//! Two states, resolved and compared, for commands that only show what differs.

use super::{Error, Filter, Workspace, phase};
use crate::dialects::{Dialects, Scope};
use crate::diff::{self, Diff};
use crate::files::Files;
use crate::resolution::Resolution;
use crate::settings::Settings;
use crate::source::{Source, changed};
use std::collections::BTreeSet;

/// Two states, resolved, and what differs.
pub(crate) struct ResolvedPair {
    /// The files of both.
    pub files: Files,
    /// The resolution of the older state.
    pub base: Resolution,
    /// The resolution of the newer state.
    pub head: Resolution,
    /// The changes.
    pub diff: Diff,
    /// The paths of the files that differ.
    pub touched: BTreeSet<String>,
    /// The systems of its projects, with what they keep.
    pub dialects: Dialects,
}

/// Resolves two states within a scope, and compares the components that a filter lets through.
///
/// # Errors
/// Neither holds a project.
pub(crate) fn resolve_pair(
    base: &dyn Source,
    head: &dyn Source,
    workspace: &Workspace<'_>,
    settings: &Settings,
    (filter, scope): (&Filter, Scope<'_>),
) -> Result<ResolvedPair, Error> {
    let files = Files::default();
    workspace.host.limits(&settings.work);
    let dialects = workspace.dialects(settings);
    let found = workspace.find(&dialects, &[base, head], settings)?;
    let resolve = |source| phase(workspace.host, "resolve", || found.resolve(source, &files, scope));
    let (base_resolution, head_resolution) = (resolve(base), resolve(head));
    drop(found);
    let touched: BTreeSet<String> =
        changed(base.listing(), head.listing()).into_iter().map(|change| change.path.to_string()).collect();
    let is_touched = |path: &str| touched.contains(path);
    let keep = |address: &_| filter.matches(address);
    let options = diff::DiffOptions { filter: Some(&keep), touched: Some(&is_touched) };
    let diff = phase(workspace.host, "compare", || diff::diff(&base_resolution, &head_resolution, &files, &options));
    Ok(ResolvedPair { files, base: base_resolution, head: head_resolution, diff, touched, dialects })
}
