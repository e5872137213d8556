//! The findings of one state.

use super::coverage::Coverage;
use super::examined::Examined;
use super::judge::{Judge, Judged, judge};
use super::selection::{FindingScope, Selection};
use super::session::{ReviewInputs, Session};
use super::{Error, Request, Review, Revision, Workspace, phase};
use crate::diagnostic::{self, Side, together};
use crate::dialects::Dialects;
use crate::policies;
use crate::resolution::Resolution;
use crate::rules::Rule;
use crate::settings::Load;
use crate::source::{Source, Supplied};
use crate::terraform;
use std::sync::Arc;

/// Analyzes one state.
///
/// # Errors
/// There is no project in it, or it cannot be judged.
pub(crate) fn check(source: &dyn Source, workspace: &Workspace<'_>, request: &Request<'_>) -> Result<Review, Error> {
    let start = ReviewInputs::alone();
    let checking = CheckRun { start: &start, code: &start.code(), source, workspace, request };
    checking.run()
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
    let code = start.code();
    let review = CheckRun { start: &start, code: &code, source, workspace, request }.run()?;
    session.end(start, &review, code, source);
    Ok(review)
}

/// A check of one state.
struct CheckRun<'a> {
    start: &'a ReviewInputs,
    code: &'a terraform::Cache,
    source: &'a dyn Source,
    workspace: &'a Workspace<'a>,
    request: &'a Request<'a>,
}

/// What was examined, and what it was examined with.
struct Examination {
    /// The findings, and the files that were examined.
    side: Side,
    coverage: Coverage,
    dialects: Arc<Dialects>,
    resolutions: Vec<Resolution>,
}

impl CheckRun<'_> {
    fn run(&self) -> Result<Review, Error> {
        let load = self.load()?;
        let supplied = Supplied::new(self.source, &load.settings.inputs);
        let source = supplied.as_ref().map_or(self.source, |supplied| supplied);
        let run = CheckRun { source, ..*self };
        let examination = run.examine(&load)?;
        run.judge(load, examination)
    }

    /// The settings of the state.
    fn load(&self) -> Result<Load, Error> {
        let load = self.request.overrides.load(self.source, self.workspace, &self.start.kept.files)?;
        self.request.filter.finds_files(&[self.source])?;
        self.workspace.host.limits(&load.settings.work);
        Ok(load)
    }

    /// Resolves the state and runs rules and policies.
    fn examine(&self, load: &Load) -> Result<Examination, Error> {
        let CheckRun { start, code, source, workspace, .. } = *self;
        let (settings, files) = (&load.settings, &*start.kept.files);
        let dialects = start.kept.dialects.clone().unwrap_or_else(|| Arc::new(workspace.dialects(settings)));
        let projects = workspace.find(&dialects, &[source], settings)?;
        let enabled = settings.enabled();
        let is_on = |rule: &Rule| enabled.iter().any(|(on, _)| *on == rule);
        let policies = policies::Run::new(&settings.policies, files, &settings.work, &is_on);
        let part = Examined { start, source, workspace, load, code, policies: &policies };
        let (mut coverage, mut side) = (Coverage::default(), Side::default());
        let resolutions = part.projects(projects.parts(), &mut coverage, &mut side)?;
        part.about_settings(&resolutions, &mut coverage, &mut side);
        drop(projects);
        Ok(Examination { side, coverage, dialects, resolutions })
    }

    /// Decides what is reported.
    fn judge(&self, load: Load, examination: Examination) -> Result<Review, Error> {
        let CheckRun { start, code, source, workspace, request } = *self;
        let Examination { mut side, mut coverage, dialects, resolutions } = examination;
        // Projects may share files.
        if resolutions.len() > 1 {
            diagnostic::unite(&mut side.diagnostics);
        }
        let (settings, files) = (&load.settings, &*start.kept.files);
        let has_defect = side.diagnostics.iter().any(|d| d.is_defect());
        let overrides = request.overrides;
        let by = Judge { files, settings, overrides, source, other: None, trusted: None, renames: None };
        let Judged { mut findings, suppressed, .. } = phase(workspace.host, "judge", || judge(&by, side, None))?;
        request.filter.matched(&resolutions)?;
        coverage.narrowed = request.filter.description();
        let mut scope = FindingScope::new(&request.filter);
        for resolution in &resolutions {
            let selection = Selection::new(&request.filter, &[(resolution, source)], files, code);
            scope.add(&selection, resolution);
        }
        scope.retain(&mut findings, files);
        Ok(Review {
            files: Arc::clone(&start.kept.files),
            head: Revision::of(source),
            comparison: None,
            findings: together::attach(together::unite(findings), files),
            suppressed,
            rules: settings.enabled(),
            settings: load.settings,
            unreadable: source.unreadable().to_vec(),
            has_defect,
            coverage,
            resolved: (dialects, resolutions),
        })
    }
}
