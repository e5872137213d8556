//! The findings of one state.

use super::coverage::Coverage;
use super::examined::Examined;
use super::judge::Judged;
use super::selection::{FindingScope, Selection};
use super::session::{Session, Start};
use super::shard::Plan;
use super::{Error, Request, Review, Revision, Workspace, phase};
use crate::diagnostic::{Side, together};
use crate::policies;
use crate::rules::Rule;
use crate::source::Source;
use crate::terraform;
use std::sync::Arc;

/// Analyzes one state, or the part of it that belongs to a shard.
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
    session.end(start, &review, code, source);
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
    let host = workspace.host;
    host.limits(&load.settings.work);
    let dialects = start.kept.dialects.clone().unwrap_or_else(|| Arc::new(workspace.dialects(&load.settings)));
    let projects = workspace.find(&dialects, &[source], &load.settings)?;
    let plan = |shard| phase(host, "plan", || Plan::new(shard, source, workspace, &load.settings));
    let plan = request.shard.map(plan).transpose()?;
    let enabled = load.settings.enabled();
    let is_on = |rule: &Rule| enabled.iter().any(|(on, _)| *on == rule);
    let policies = policies::Run::new(&load.settings.policies, files, &load.settings.work, &is_on);
    let part = Examined { start, source, workspace, load: &load, code, policies: &policies, plan: plan.as_ref() };
    let (mut coverage, mut found) = (Coverage::default(), Side::default());
    let resolutions = part.projects(projects.parts(), &mut coverage, &mut found)?;
    coverage.not_analyzed = projects.inside().iter().cloned().collect();
    if part.sees_all() {
        part.about_settings(&resolutions, &mut coverage, &mut found);
    }
    let has_defect = found.diagnostics.iter().any(|d| d.is_defect());
    let Judged { mut findings, mut suppressed, .. } = phase(host, "judge", || part.judge(found, request.overrides))?;
    request.filter.matched(&resolutions)?;
    coverage.narrowed = request.filter.description();
    if let Some(plan) = plan {
        findings.retain(|finding| plan.has(&finding.diagnostic, files));
        suppressed.retain(|one| plan.has(&one.finding.diagnostic, files));
        plan.finish(&mut coverage, source, &load.settings, request.overrides);
    }
    let mut scope = FindingScope::new(&request.filter);
    for resolution in &resolutions {
        let selection = Selection::new(&request.filter, &[(resolution, source)], files, code);
        scope.add(&selection, resolution);
    }
    scope.retain(&mut findings, files);
    drop(projects);
    Ok(Review {
        files: Arc::clone(&start.kept.files),
        head: Revision::of(source),
        comparison: None,
        findings: together::unite(findings),
        suppressed,
        rules: enabled,
        settings: load.settings,
        unreadable: source.unreadable().to_vec(),
        has_defect,
        coverage,
        resolved: (dialects, resolutions),
    })
}
