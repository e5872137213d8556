//! What a merge of two revisions brings that neither of them has.

mod code;

use super::align::{Aligned, absent, align};
use super::compare::CompareRun;
use super::coverage::{self, Coverage};
use super::examined::add_settings;
use super::judge::{Judge, accept, judge, trust};
use super::resolve::report_empty;
use super::{Error, Request, Review, Revision, SettingsFrom, Workspace, phase};
use crate::code::made::Evaluator;
use crate::diagnostic::{self, Finding, Novelty, Side, together};
use crate::dialects::{self, ProjectHandle, Scope};
use crate::diff::merged::{self, BASE, MERGED, MergedProject, OURS, THEIRS};
use crate::files::Files;
use crate::policies;
use crate::resolution::{Component, Resolution};
use crate::rules::{self, Rule};
use crate::settings::Settings;
use crate::source::{Change, Renames, Source, Supplied, changed};
use crate::terraform::module::modules;
use crate::terraform::{Cache, Modules};
use crate::text::Text;
use crate::unit::interfaces;
use code::Versions;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A merge, compared with both sides.
pub(crate) struct MergeReview {
    /// The merge base, our side, and their side.
    pub versions: [Revision; 3],
    /// The review of the merge. Its findings are those that neither side has.
    pub review: Review,
    /// What the merge brings, by project, in the order of the coverage.
    pub projects: Vec<MergedProject>,
}

/// Compares a merge with its base and both sides: base, ours, theirs and the merge.
///
/// # Errors
/// None of them holds a project, or they cannot be judged.
pub(super) fn merge(
    sources: [&dyn Source; 4],
    workspace: &Workspace<'_>,
    request: &Request<'_>,
) -> Result<MergeReview, Error> {
    let files = Files::default();
    let overrides = request.overrides;
    let load = overrides.load(sources[MERGED], workspace, &files)?;
    // What is merged must not configure its own review.
    let trusted_source = if overrides.settings_from == SettingsFrom::Base { OURS } else { MERGED };
    let trusted = overrides.load(sources[trusted_source], workspace, &files)?.settings;
    let supplied = sources.map(|source| Supplied::new(source, &trusted.inputs));
    let sources = [0, 1, 2, 3].map(|i| supplied[i].as_ref().map_or(sources[i], |supplied| supplied as &dyn Source));
    let changes = changes(sources);
    let touched: HashSet<&str> = changes.iter().map(|change| &*change.path).collect();
    workspace.host.limits(&trusted.work);
    let dialects = workspace.dialects(&trusted);
    let found = workspace.find(&dialects, &sources, &trusted)?;
    let rules = trusted.enabled();
    let is_on = |rule: &Rule| rules.iter().any(|(on, _)| *on == rule);
    let policies = [(); 3].map(|()| policies::Run::new(&trusted.policies, &files, &trusted.work, &is_on));
    let mut sides: [Side; 3] = Default::default();
    let (mut coverage, mut projects, mut resolutions) = (Coverage::default(), Vec::new(), Vec::new());
    for part in found.parts() {
        let run = MergeRun {
            workspace,
            request,
            part,
            files: &files,
            changes: &changes,
            touched: &touched,
            settings: &trusted,
            policies: &policies,
            sources,
        };
        let compared = run.run();
        coverage.projects.push(compared.coverage);
        projects.push(compared.project);
        sides.iter_mut().zip(compared.sides).for_each(|(side, found)| side.extend(found));
        resolutions.push(compared.merged);
    }
    drop(found);
    if projects.len() > 1 {
        for (project, covered) in projects.iter_mut().zip(&coverage.projects) {
            project.project = coverage.name(covered).into();
        }
        sides.iter_mut().for_each(|side| diagnostic::unite(&mut side.diagnostics));
    }
    for (side, policies) in sides.iter_mut().zip(policies) {
        side.diagnostics.extend(policies.finish(false));
    }
    let [ours, theirs, mut merged] = sides;
    add_settings(&mut merged, &load);
    let has_defect = merged.diagnostics.iter().any(|diagnostic| diagnostic.is_defect());
    let judging = Judging { request, files: &files, settings: &trusted, sources };
    let mut findings = phase(workspace.host, "judge", || judging.new_findings([ours, theirs], merged))?;
    coverage.warnings = accept(&mut findings, overrides.accepted.iter().chain(&trusted.accept));
    let revision = |version: usize| Revision::of(sources[version]);
    let review = Review {
        files: Arc::new(files),
        head: revision(MERGED),
        comparison: None,
        findings,
        suppressed: Vec::new(),
        rules,
        settings: trusted,
        unreadable: sources[MERGED].unreadable().to_vec(),
        has_defect,
        coverage,
        resolved: (Arc::new(dialects), resolutions),
    };
    Ok(MergeReview { versions: [BASE, OURS, THEIRS].map(revision), review, projects })
}

/// The files that differ between any two of some states.
fn changes(sources: [&dyn Source; 4]) -> Vec<Change> {
    let from_base = |version: usize| changed(sources[BASE].listing(), sources[version].listing());
    let all = [OURS, THEIRS, MERGED].into_iter().flat_map(from_base).map(|change| (change.path.clone(), change));
    all.collect::<BTreeMap<_, _>>().into_values().collect()
}

/// The merge of one project.
struct MergeRun<'a> {
    workspace: &'a Workspace<'a>,
    request: &'a Request<'a>,
    part: &'a ProjectHandle<'a>,
    files: &'a Files,
    changes: &'a [Change],
    touched: &'a HashSet<&'a str>,
    settings: &'a Settings,
    /// The policies over our side, their side, and the merge.
    policies: &'a [policies::Run<'a>; 3],
    sources: [&'a dyn Source; 4],
}

/// One project of a merge, compared.
struct Compared {
    merged: Resolution,
    project: MergedProject,
    coverage: coverage::ProjectCoverage,
    /// What is wrong with our side, their side, and the merge.
    sides: [Side; 3],
}

impl MergeRun<'_> {
    fn run(&self) -> Compared {
        let cache = Cache::default();
        let modules = self.sources.map(|source| Modules::new(source, self.files, &cache));
        let (mut versions, is_whole) = self.resolve(&modules);
        versions[OURS..].iter_mut().for_each(report_empty);
        let is_touched = |path: &str| self.touched.contains(path);
        let mut project =
            phase(self.workspace.host, "compare", || merged::project(versions.each_ref(), self.files, &is_touched));
        let made = phase(self.workspace.host, "evaluate", || {
            let cache = modules::Cache::new(self.settings.work);
            let (part, files, sources) = (self.part, self.files, self.sources);
            let versions = Versions { part, files, sources, resolutions: versions.each_ref() };
            versions.made(&cache, &|made| merged::project(made, files, &is_touched))
        });
        project.extend(made);
        let (dialect, folder) = (self.part.dialect().name(), self.part.folder());
        let coverage = coverage::of(dialect, folder, None, &versions[MERGED], self.files, &|_| true);
        let mut sides: [Side; 3] = Default::default();
        for (i, side) in sides.iter_mut().enumerate() {
            if self.policies[i].reads_resources() {
                self.evaluate(&mut versions[OURS + i], self.sources[OURS + i]);
            }
            *side = self.check(&mut versions[OURS + i], &modules[OURS + i], &self.policies[i], is_whole);
        }
        let [_, _, _, merged] = versions;
        Compared { merged, project, coverage, sides }
    }

    /// Resolves all versions as far as the merge needs. Returns whether rules over all units count.
    fn resolve(&self, modules: &[Modules<'_>; 4]) -> ([Resolution; 4], bool) {
        let mut versions = self.versions(Scope::Touched(self.changes));
        let is_whole = [BASE, OURS, THEIRS].iter().any(|version| {
            let sides = [&versions[*version], &versions[MERGED]];
            self.pair(*version).same_interfaces(sides, [&modules[*version], &modules[MERGED]]).is_none()
        });
        if is_whole {
            versions = self.versions(Scope::All);
        }
        for (a, b) in [(OURS, MERGED), (THEIRS, MERGED), (BASE, MERGED), (BASE, OURS), (BASE, THEIRS), (OURS, THEIRS)] {
            let (first, second) = versions.split_at_mut(b);
            let mut old = Aligned { resolution: &mut first[a], source: self.sources[a] };
            let mut new = Aligned { resolution: &mut second[0], source: self.sources[b] };
            align(&mut old, &mut new, self.files);
        }
        (versions, is_whole)
    }

    /// The comparison of a version with the merge.
    fn pair(&self, version: usize) -> CompareRun<'_> {
        let MergeRun { workspace, request, part, files, changes, touched, settings, policies, sources } = *self;
        let sources = [sources[version], sources[MERGED]];
        CompareRun { workspace, request, part, files, changes, touched, rules: &[], settings, policies, sources }
    }

    /// All versions, resolved. One that does not have the project lacks what it configures.
    fn versions(&self, scope: Scope<'_>) -> [Resolution; 4] {
        let one = |source| phase(self.workspace.host, "resolve", || self.part.resolve(source, self.files, scope));
        let mut found = self.sources.map(one);
        let is_assumed = |resolution: &Resolution| resolution.config.is_empty() && !resolution.assumptions.is_empty();
        // If only some versions are configured, the defaults of the others say nothing about the intention.
        if found.iter().flatten().any(|resolution| !is_assumed(resolution)) {
            found.iter_mut().for_each(|one| *one = one.take().filter(|resolution| !is_assumed(resolution)));
        }
        let missing: Vec<Option<Resolution>> = (0..found.len())
            .map(|version| match &found[version] {
                Some(_) => None,
                None => {
                    let other = found.iter().flatten().next()?;
                    Some(absent(self.pair(version).lost(other, self.sources[version]), other))
                }
            })
            .collect();
        let mut missing = missing.into_iter();
        found.map(|one| one.or(missing.next().flatten()).unwrap_or_default())
    }

    /// Adds what the code of all components of a version makes.
    fn evaluate(&self, resolution: &mut Resolution, source: &dyn Source) {
        let cache = modules::Cache::new(self.settings.work);
        let modules = self.part.modules(dialects::State { source, files: self.files, cache: &cache });
        let run_inputs = |component: &Component| self.part.run_inputs(component);
        Evaluator { modules: &modules, run_inputs: &run_inputs }.complete(resolution);
    }

    /// Takes the findings of a version, those of rules and policies included.
    fn check(
        &self,
        resolution: &mut Resolution,
        modules: &Modules<'_>,
        policies: &policies::Run<'_>,
        is_whole: bool,
    ) -> Side {
        let host = self.workspace.host;
        let is_touched = |path: &str| self.touched.contains(path);
        let withheld = rules::SkippedRules::default();
        let context = rules::Context::new(self.files, resolution, &is_touched, &self.settings.limits, &withheld);
        let units = interfaces(resolution, modules);
        let examined = rules::Examined { modules, units: &units, with_all_units: is_whole };
        let mut diagnostics = phase(host, "rules", || rules::check_state(&context, examined, &self.settings.enabled()));
        diagnostics.extend(phase(host, "policies", || policies.components(resolution, modules)));
        diagnostics.append(&mut resolution.findings);
        let mut files = resolution.files();
        files.retain(|id| is_touched(&self.files.get(*id).path));
        Side { files, diagnostics }
    }
}

/// By what findings are judged.
struct Judging<'a> {
    request: &'a Request<'a>,
    files: &'a Files,
    settings: &'a Settings,
    sources: [&'a dyn Source; 4],
}

impl Judging<'_> {
    /// The findings of the merge that neither side has.
    fn new_findings(&self, sides: [Side; 2], merged: Side) -> Result<Vec<Finding>, Error> {
        let [ours, theirs] = sides;
        let new = self.since(OURS, ours, merged.clone())?;
        let other = self.since(THEIRS, theirs, merged)?;
        let other: HashSet<&Text> = other.iter().map(|finding| &finding.fingerprint).collect();
        let new = new.iter().filter(|finding| other.contains(&finding.fingerprint)).cloned().collect();
        Ok(together::attach(together::unite(new), self.files))
    }

    /// The findings of the merge that one side does not have.
    fn since(&self, version: usize, side: Side, merged: Side) -> Result<Vec<Finding>, Error> {
        let known = |path: &str| trust::file_in(self.sources[OURS], self.files, path);
        let renames = Renames::between(self.sources[version], self.sources[MERGED]);
        let is_trusted = self.request.overrides.settings_from == SettingsFrom::Base;
        let by = Judge {
            files: self.files,
            settings: self.settings,
            overrides: self.request.overrides,
            source: self.sources[if is_trusted { OURS } else { MERGED }],
            other: Some(self.sources[if is_trusted { MERGED } else { OURS }]),
            trusted: is_trusted.then_some(&known),
            renames: Some(&renames),
        };
        let mut findings = judge(&by, merged, Some(side))?.findings;
        findings.retain(|finding| finding.novelty == Some(Novelty::New));
        Ok(findings)
    }
}
