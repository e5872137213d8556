//! The findings of one state.

use super::coverage::{self, Coverage};
use super::judge::{Judge, Judged, idle_patterns, judge};
use super::resolve::report_empty;
use super::selection::{FindingScope, Selection};
use super::{Error, Request, Review, Revision, Workspace, phase};
use crate::diagnostic::{Side, together};
use crate::dialects::Scope;
use crate::files::Files;
use crate::policies;
use crate::resolution::Resolution;
use crate::rules::{self, Rule};
use crate::settings::Load;
use crate::source::Source;
use crate::terraform::Modules;

/// Analyzes one state.
///
/// # Errors
/// There is no project in it, or it cannot be judged.
pub(crate) fn check(source: &dyn Source, workspace: &Workspace<'_>, request: &Request<'_>) -> Result<Review, Error> {
    let files = Files::default();
    let load = request.overrides.load(source, workspace, &files)?;
    request.filter.finds_files(&[source])?;
    let host = workspace.host;
    host.limits(&load.settings.work);
    let dialects = workspace.dialects(&load.settings);
    let projects = workspace.find(&dialects, &[source], &load.settings)?;
    let (mut coverage, mut resolutions, mut found) = (Coverage::default(), Vec::new(), Side::default());
    let enabled = load.settings.enabled();
    let is_on = |rule: &Rule| enabled.iter().any(|(on, _)| *on == rule);
    let policies = policies::Run::new(&load.settings.policies, &files, &load.settings.work, &is_on);
    for part in projects.parts() {
        let resolved = phase(host, "resolve", || part.resolve(source, &files, Scope::All));
        let mut resolution = resolved.unwrap_or_default();
        report_empty(&mut resolution);
        phase(host, "rules", || examine(&mut resolution, &load, source, &policies, workspace));
        coverage.projects.push(coverage::of(part.dialect().name(), part.folder(), None, &resolution, &files));
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
    let by = Judge {
        files: &files,
        settings: &load.settings,
        overrides: request.overrides,
        source,
        other: None,
        trusted: None,
    };
    let Judged { mut findings, suppressed, .. } = phase(host, "judge", || judge(&by, found, None))?;
    request.filter.matched(&resolutions)?;
    coverage.narrowed = request.filter.description();
    let mut asked = FindingScope::new(&request.filter);
    for resolution in &resolutions {
        let selection = Selection::new(&request.filter, &[(resolution, source)], &files, &host.code());
        asked.add(&selection, resolution);
    }
    asked.retain(&mut findings, &files);
    Ok(Review {
        files,
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

/// Adds to what resolving a state found what the rules find.
fn examine(
    resolution: &mut Resolution,
    load: &Load,
    source: &dyn Source,
    policies: &policies::Run<'_>,
    workspace: &Workspace<'_>,
) {
    let files = policies.files();
    let code = workspace.host.code();
    let modules = Modules::new(source, files, &code);
    let withheld = rules::Withheld::default();
    let context = rules::Context::new(files, resolution, &|_| true, &load.settings.limits, &withheld);
    let found = rules::check_state(&context, &modules, &load.settings.enabled());
    resolution.findings.extend(found);
    let found = policies.components(resolution, &modules);
    resolution.findings.extend(found);
}

/// Adds what is wrong with the settings themselves.
pub(super) fn add_settings(side: &mut Side, load: &Load) {
    side.diagnostics.extend(load.findings.iter().cloned());
    side.files.extend(load.file.as_ref().map(|f| f.id));
}
