//! The findings of one state.

use super::coverage::{self, Coverage};
use super::judge::{Judge, Judged, idle_patterns, judge};
use super::resolve::report_empty;
use super::selection::{FindingScope, Selection};
use super::session::{Session, Start};
use super::{Error, Request, Review, Revision, Workspace, phase};
use crate::diagnostic::{Side, together};
use crate::policies;
use crate::resolution::Resolution;
use crate::rules::{self, Rule, UnitResults};
use crate::settings::Load;
use crate::source::Source;
use crate::terraform::{self, Modules};
use std::sync::Arc;

/// Analyzes one state.
///
/// # Errors
/// There is no project in it, or it cannot be judged.
pub(crate) fn check(source: &dyn Source, workspace: &Workspace<'_>, request: &Request<'_>) -> Result<Review, Error> {
    let start = Start::alone();
    check_from(&start, &start.code(workspace.host), source, workspace, request)
}

/// Analyzes a state of a worktree, reusing an analysis of an earlier state in the same session. The result is that of
/// [`check`].
///
/// # Errors
/// There is no project in it, it cannot be judged, or the review is canceled.
pub(crate) fn check_again(
    session: &Session,
    source: &dyn Source,
    workspace: &Workspace<'_>,
    request: &Request<'_>,
) -> Result<Review, Error> {
    let start = session.start(source);
    let code = start.code(workspace.host);
    let review = check_from(&start, &code, source, workspace, request)?;
    start.kept.results.retain(review.resolved.1.iter().flat_map(|resolution| &resolution.units));
    session.end(start.kept, &review, code, source);
    Ok(review)
}

fn check_from(
    start: &Start,
    code: &terraform::Cache,
    source: &dyn Source,
    workspace: &Workspace<'_>,
    request: &Request<'_>,
) -> Result<Review, Error> {
    let files = &*start.kept.files;
    let load = request.overrides.load(source, workspace, files)?;
    request.filter.finds_files(&[source])?;
    let (host, cancel) = (workspace.host, &workspace.project.cancel);
    host.limits(&load.settings.work);
    let dialects = start.kept.dialects.clone().unwrap_or_else(|| Arc::new(workspace.dialects(&load.settings)));
    let projects = workspace.find(&dialects, &[source], &load.settings)?;
    let (mut coverage, mut resolutions, mut found) = (Coverage::default(), Vec::new(), Side::default());
    let enabled = load.settings.enabled();
    let is_on = |rule: &Rule| enabled.iter().any(|(on, _)| *on == rule);
    let policies = policies::Run::new(&load.settings.policies, files, &load.settings.work, &is_on);
    for (number, part) in projects.parts().iter().enumerate() {
        let resolved = phase(host, "resolve", || part.resolve(source, files, start.scope()));
        let mut resolution = resolved.unwrap_or_default();
        if cancel.is_canceled() {
            return Err(Error::Canceled);
        }
        report_empty(&mut resolution);
        start.compare(number, &resolution.units);
        let examining =
            Examining { load: &load, source, policies: &policies, workspace, code, results: start.results() };
        phase(host, "rules", || examining.run(&mut resolution));
        if cancel.is_canceled() {
            return Err(Error::Canceled);
        }
        coverage.projects.push(coverage::of(part.dialect().name(), part.folder(), None, &resolution, files));
        found.extend(Side { files: resolution.files(), diagnostics: std::mem::take(&mut resolution.findings) });
        resolutions.push(resolution);
    }
    add_settings(&mut found, &load);
    coverage.not_analyzed = projects.inside().iter().cloned().collect();
    // A policy may apply to components that are not selected, or could not be resolved.
    let is_narrowed = !workspace.folders.is_empty() || workspace.dialect.is_some() || !coverage.not_analyzed.is_empty();
    let saw_all = !is_narrowed && resolutions.iter().all(rules::is_whole);
    found.diagnostics.extend(policies.finish(saw_all));
    coverage.warnings = idle_patterns(&load.settings, source, &resolutions.iter().collect::<Vec<_>>());
    let has_defect = found.diagnostics.iter().any(|d| d.is_defect());
    let by =
        Judge { files, settings: &load.settings, overrides: request.overrides, source, other: None, trusted: None };
    let Judged { mut findings, suppressed, .. } = phase(host, "judge", || judge(&by, found, None))?;
    request.filter.matched(&resolutions)?;
    coverage.narrowed = request.filter.description();
    let mut asked = FindingScope::new(&request.filter);
    for resolution in &resolutions {
        let selection = Selection::new(&request.filter, &[(resolution, source)], files, code);
        asked.add(&selection, resolution);
    }
    asked.retain(&mut findings, files);
    drop(projects);
    Ok(Review {
        files: Arc::clone(&start.kept.files),
        head: Revision::of(source),
        comparison: None,
        findings: together::unite(findings),
        suppressed,
        rules: load.settings.enabled(),
        settings: load.settings,
        unreadable: source.unreadable().to_vec(),
        has_defect,
        coverage,
        resolved: (dialects, resolutions),
    })
}

/// The context for running rules and policies.
struct Examining<'a> {
    load: &'a Load,
    source: &'a dyn Source,
    policies: &'a policies::Run<'a>,
    workspace: &'a Workspace<'a>,
    code: &'a terraform::Cache,
    results: Option<&'a UnitResults>,
}

impl Examining<'_> {
    /// Adds to what resolving a state found what rules and policies find.
    fn run(&self, resolution: &mut Resolution) {
        let files = self.policies.files();
        let modules = Modules::new(self.source, files, self.code);
        let withheld = rules::Withheld::default();
        let settings = &self.load.settings;
        let context = rules::Context::new(files, resolution, &|_| true, &settings.limits, &withheld);
        let context = rules::Context { results: self.results, cancel: &self.workspace.project.cancel, ..context };
        let found = rules::check_state(&context, &modules, &settings.enabled());
        resolution.findings.extend(found);
        if self.workspace.project.cancel.is_canceled() {
            return;
        }
        let found = self.policies.components(resolution, &modules);
        resolution.findings.extend(found);
    }
}

/// Adds what is wrong with the settings themselves.
pub(super) fn add_settings(side: &mut Side, load: &Load) {
    side.diagnostics.extend(load.findings.iter().cloned());
    side.files.extend(load.file.as_ref().map(|f| f.id));
}
