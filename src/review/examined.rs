//! The part of a state that a check examines: all of it, or what belongs to a shard.

use super::coverage::{self, Coverage, ProjectCoverage};
use super::judge::idle_patterns;
use super::resolve::report_empty;
use super::session::Start;
use super::shard::Plan;
use super::{Error, Workspace, phase};
use crate::diagnostic::Side;
use crate::dialects::{Part, Scope};
use crate::files::Files;
use crate::policies;
use crate::resolution::Resolution;
use crate::rules;
use crate::settings::Load;
use crate::source::Source;
use crate::terraform::{self, Modules};
use crate::unit::interfaces;
use std::collections::BTreeSet;

/// What a check examines, and what with.
pub(super) struct Examined<'a> {
    pub(super) start: &'a Start,
    pub(super) source: &'a dyn Source,
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) load: &'a Load,
    pub(super) code: &'a terraform::Cache,
    pub(super) policies: &'a policies::Run<'a>,
    /// `None` if all is examined.
    pub(super) plan: Option<&'a Plan>,
}

impl Examined<'_> {
    /// Whether all units are resolved, so that rules about the whole state can be run.
    pub(super) fn sees_all(&self) -> bool {
        self.plan.is_none_or(Plan::sees_all)
    }

    fn files(&self) -> &Files {
        self.policies.files()
    }

    /// Resolves and examines all projects. Adds what is covered and found.
    ///
    /// # Errors
    /// The review is canceled.
    pub(super) fn projects(
        &self,
        projects: &[Part<'_>],
        coverage: &mut Coverage,
        found: &mut Side,
    ) -> Result<Vec<Resolution>, Error> {
        let (host, cancel) = (self.workspace.host, &self.workspace.project.cancel);
        let mut resolutions = Vec::new();
        for (number, project) in projects.iter().enumerate() {
            let mut resolution = phase(host, "resolve", || self.resolve(number, project));
            if cancel.is_canceled() {
                return Err(Error::Canceled);
            }
            phase(host, "rules", || self.examine(number, &mut resolution));
            if cancel.is_canceled() {
                return Err(Error::Canceled);
            }
            coverage.projects.push(self.covered(number, project, &mut resolution));
            found.extend(self.take_findings(&mut resolution));
            resolutions.push(resolution);
        }
        Ok(resolutions)
    }

    /// Adds what is wrong with the settings and the policies, which only the whole state shows.
    pub(super) fn about_settings(&self, resolutions: &[Resolution], coverage: &mut Coverage, found: &mut Side) {
        let (load, workspace) = (self.load, self.workspace);
        add_settings(found, load);
        // A policy may apply to components that are not selected, or could not be resolved.
        let is_narrowed =
            !workspace.folders.is_empty() || workspace.dialect.is_some() || !coverage.not_analyzed.is_empty();
        found.diagnostics.extend(self.policies.finish(!is_narrowed && resolutions.iter().all(rules::is_whole)));
        coverage.warnings = idle_patterns(&load.settings, self.source, &resolutions.iter().collect::<Vec<_>>());
    }

    /// Resolves as much of a project (by number) as has to be examined.
    fn resolve(&self, number: usize, project: &Part<'_>) -> Resolution {
        let changes = self.plan.filter(|plan| !plan.sees_all()).map(|plan| plan.changes(number));
        let scope = changes.as_ref().map_or(self.start.scope(), |changes| Scope::Touched(changes));
        let mut resolution = project.resolve(self.source, self.files(), scope).unwrap_or_default();
        if self.sees_all() {
            report_empty(&mut resolution);
        }
        resolution
    }

    /// Adds the findings of rules and policies to those of resolving a project (by number).
    fn examine(&self, number: usize, resolution: &mut Resolution) {
        let (files, settings, cancel) = (self.files(), &self.load.settings, &self.workspace.project.cancel);
        let modules = Modules::new(self.source, files, self.code);
        let withheld = rules::Withheld::default();
        let (sees_all, plan) = (self.sees_all(), self.plan);
        let is_own = |path: &str| sees_all || plan.is_some_and(|plan| plan.has_file(path));
        let context = rules::Context::new(files, resolution, &is_own, &settings.limits, &withheld);
        let mut enabled = settings.enabled();
        enabled.retain(|(rule, _)| sees_all || rules::is_decided_by_file(rule));
        let units = interfaces(resolution, &modules);
        let results = self.start.results(number, &units);
        let context = rules::Context { results: results.as_deref(), cancel, ..context };
        let examined = rules::Examined { modules: &modules, units: &units, with_all_units: sees_all };
        let found = rules::check_state(&context, examined, &enabled);
        self.start.keep_interfaces(units);
        resolution.findings.extend(found);
        if !sees_all || cancel.is_canceled() {
            return;
        }
        let found = self.policies.components(resolution, &modules);
        resolution.findings.extend(found);
    }

    /// Returns the coverage of a project (by number).
    fn covered(&self, number: usize, project: &Part<'_>, resolution: &mut Resolution) -> ProjectCoverage {
        let of = |resolution: &Resolution| {
            coverage::of(project.dialect().name(), project.folder(), None, resolution, self.files())
        };
        let Some(plan) = self.plan else { return of(resolution) };
        let all_unresolved = plan.sees_all().then(|| of(resolution).head.unresolved);
        let own = plan.own_units(number, &resolution.units);
        let all = std::mem::replace(&mut resolution.units, own);
        let mut covered = of(resolution);
        plan.narrow(number, &mut covered, resolution);
        resolution.units = all;
        ProjectCoverage { all_unresolved, ..covered }
    }

    /// Takes the findings that are judged. Only the shard that sees all knows which comments suppress nothing.
    fn take_findings(&self, resolution: &mut Resolution) -> Side {
        let files = if self.sees_all() { resolution.files() } else { BTreeSet::new() };
        let mut diagnostics = std::mem::take(&mut resolution.findings);
        if let Some(plan) = self.plan.filter(|plan| !plan.sees_all()) {
            diagnostics.retain(|found| plan.has(found, self.files()));
        }
        Side { files, diagnostics }
    }
}

/// Adds what is wrong with the settings themselves.
pub(super) fn add_settings(side: &mut Side, load: &Load) {
    side.diagnostics.extend(load.findings.iter().cloned());
    side.files.extend(load.file.as_ref().map(|f| f.id));
}
