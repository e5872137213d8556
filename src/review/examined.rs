//! The examination of a state by a check.

use super::coverage::{self, Coverage, ProjectCoverage};
use super::judge::idle_patterns;
use super::resolve::report_empty;
use super::session::ReviewInputs;
use super::{Error, Workspace, phase};
use crate::code::made::Evaluator;
use crate::diagnostic::Side;
use crate::dialects::{self, ProjectHandle, Scope};
use crate::files::Files;
use crate::policies;
use crate::resolution::{Component, Resolution};
use crate::rules;
use crate::settings::Load;
use crate::source::Source;
use crate::terraform::module::modules;
use crate::terraform::{self, Modules};
use crate::unit::interfaces;

/// What a check examines, and what with.
pub(super) struct Examined<'a> {
    pub(super) start: &'a ReviewInputs,
    pub(super) source: &'a dyn Source,
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) load: &'a Load,
    pub(super) code: &'a terraform::Cache,
    pub(super) policies: &'a policies::Run<'a>,
}

impl Examined<'_> {
    fn files(&self) -> &Files {
        self.policies.files()
    }

    /// Resolves and examines all projects. Adds what is covered and found.
    ///
    /// # Errors
    /// The review is canceled.
    pub(super) fn projects(
        &self,
        projects: &[ProjectHandle<'_>],
        coverage: &mut Coverage,
        found: &mut Side,
    ) -> Result<Vec<Resolution>, Error> {
        let (host, cancel) = (self.workspace.host, &self.workspace.project.cancel);
        let mut resolutions = Vec::new();
        for (number, project) in projects.iter().enumerate() {
            let mut resolution = phase(host, "resolve", || self.resolve(project));
            if cancel.is_canceled() {
                return Err(Error::Canceled);
            }
            phase(host, "evaluate", || self.evaluate(project, &mut resolution));
            phase(host, "rules", || self.examine(number, &mut resolution));
            if cancel.is_canceled() {
                return Err(Error::Canceled);
            }
            coverage.projects.push(self.covered(project, &resolution));
            let diagnostics = std::mem::take(&mut resolution.findings);
            found.extend(Side { files: resolution.files(), diagnostics });
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

    fn resolve(&self, project: &ProjectHandle<'_>) -> Resolution {
        let mut resolution = project.resolve(self.source, self.files(), Scope::All).unwrap_or_default();
        report_empty(&mut resolution);
        resolution
    }

    /// Adds what is found in the code of components when it is evaluated.
    fn evaluate(&self, project: &ProjectHandle<'_>, resolution: &mut Resolution) {
        let cache = modules::Cache::new(self.load.settings.work);
        let state = dialects::State { source: self.source, files: self.files(), cache: &cache };
        let (modules, run_inputs) = (project.modules(state), |component: &Component| project.run_inputs(component));
        let evaluator = Evaluator { modules: &modules, run_inputs: &run_inputs };
        evaluator.check(resolution);
        if self.policies.reads_resources() {
            evaluator.complete(resolution);
        }
    }

    /// Adds the findings of rules and policies to those of resolving a project (by number).
    fn examine(&self, number: usize, resolution: &mut Resolution) {
        let (files, settings, cancel) = (self.files(), &self.load.settings, &self.workspace.project.cancel);
        let modules = Modules::new(self.source, files, self.code);
        let withheld = rules::SkippedRules::default();
        let context = rules::Context::new(files, resolution, &|_| true, &settings.limits, &withheld);
        let units = interfaces(resolution, &modules);
        let results = self.start.results(number, &units);
        let context = rules::Context { results: results.as_deref(), cancel, ..context };
        let examined = rules::Examined { modules: &modules, units: &units, with_all_units: true };
        let found = rules::check_state(&context, examined, &settings.enabled());
        self.start.keep_interfaces(units);
        resolution.findings.extend(found);
        if cancel.is_canceled() {
            return;
        }
        let found = self.policies.components(resolution, &modules);
        resolution.findings.extend(found);
        resolution.made.clear();
    }

    fn covered(&self, project: &ProjectHandle<'_>, resolution: &Resolution) -> ProjectCoverage {
        coverage::of(project.dialect().name(), project.folder(), None, resolution, self.files(), &|_| false)
    }
}

/// Adds what is wrong with the settings themselves.
pub(super) fn add_settings(side: &mut Side, load: &Load) {
    side.diagnostics.extend(load.findings.iter().cloned());
    side.files.extend(load.file.as_ref().map(|f| f.id));
}
