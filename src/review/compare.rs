//! The changes between two states, and their findings.

use super::align::{Aligned, absent, align, mark_unresolved, misnamed, without_doubtful, without_lost};
use super::code_run::CodeRun;
use super::coverage::{self, Coverage, ProjectCoverage};
use super::examined::add_settings;
use super::expect::{ComparedProject, Open, Proof, Unseen, run_settings};
use super::jobs::{JobInputs, complete_list};
use super::judge::{JudgeInputs, Judged, SettingsFrom, accept, idle_patterns};
use super::resolve::report_empty;
use super::selection::{self, Selection};
use super::{Comparison, Error, Request, Review, Revision, Workspace, fixed, phase, renamed};
use crate::affected::{self, Affected};
use crate::code::made;
use crate::code::{CodeChange, CodeChanges};
use crate::diagnostic::rules::INVALID_CONFIG;
use crate::diagnostic::{self, Diagnostic, Label, Level, RuleRef, Side, together};
use crate::dialects::{ProjectHandle, Scope, lies_below, steering};
use crate::diff::{self, Diff};
use crate::files::Files;
use crate::policies;
use crate::resolution::{Address, Gap, Resolution, State, Unit};
use crate::rules::{self, Rule};
use crate::settings::Settings;
use crate::source::{Change, Source, Supplied, Without, changed};
use crate::terraform::module::modules;
use crate::terraform::{Cache, Modules};
use crate::text::{self, Text};
use crate::threads;
use crate::unit::{UnitInterface, interfaces};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Compares two states.
///
/// # Errors
/// Neither holds a project, nothing matches the filter, or they cannot be judged.
pub(crate) fn compare(
    base: &dyn Source,
    head: &dyn Source,
    workspace: &Workspace<'_>,
    request: &Request<'_>,
) -> Result<Review, Error> {
    let without = Without::what_is_deleted(base, head);
    let head = without.as_ref().map_or(head, |without| without);
    let files = Files::default();
    let load = request.overrides.load(head, workspace, &files)?;
    workspace.named_config_exists(&[base, head])?;
    request.filter.finds_files(&[base, head])?;
    // A change must not configure its own review. A base without any file contains nothing that was reviewed.
    let before = request.overrides.load(base, workspace, &files).ok();
    let is_first = base.listing().iter().next().is_none();
    let trusted = match (request.overrides.settings_from, &before) {
        (SettingsFrom::Base, Some(before)) if !is_first => before.settings.clone(),
        (SettingsFrom::Base, None) => request.overrides.over(Settings::default()),
        (SettingsFrom::Base, Some(_)) | (SettingsFrom::Head, _) => load.settings.clone(),
    };
    let of_base = request.overrides.settings_from == SettingsFrom::Base && !is_first;
    let supplied = [base, head].map(|source| Supplied::new(source, &trusted.inputs));
    let base = supplied[0].as_ref().map_or(base, |supplied| supplied);
    let head = supplied[1].as_ref().map_or(head, |supplied| supplied);
    let changes = changed(base.listing(), head.listing());
    let touched: HashSet<&str> = changes.iter().map(|c| &*c.path).collect();
    workspace.host.limits(&trusted.work);
    let dialects = workspace.dialects(&trusted);
    let projects = workspace.find(&dialects, &[base, head], &trusted)?;
    let rules = trusted.enabled();
    let is_on = |rule: &Rule| rules.iter().any(|(on, _)| *on == rule);
    let evaluation = || policies::Run::new(&trusted.policies, &files, &trusted.work, &is_on);
    let policies = [evaluation(), evaluation(), evaluation()];
    let mut compared = Vec::new();
    for part in projects.parts() {
        let (changes, touched, rules, files) = (&changes, &touched, &rules, &files);
        let (settings, sources, policies) = (&trusted, [base, head], &policies);
        let comparing =
            CompareRun { workspace, request, part, files, changes, touched, rules, settings, policies, sources };
        compared.push(comparing.run());
    }
    let folders: Vec<&str> = projects.parts().iter().map(ProjectHandle::folder).collect();
    let is_compared = |path: &str| {
        let is_code = |change: &CodeChange| change.files.iter().any(|file| **file == *path);
        !files.versions(path).is_empty() || compared.iter().any(|one| one.code.iter().any(is_code))
    };
    let run_files = steering::differing([base, head], &folders, is_compared);
    let mut in_head = Side::default();
    let mut in_base = Side::default();
    for one in &mut compared {
        in_base.extend(std::mem::take(&mut one.sides.0));
        in_head.extend(std::mem::take(&mut one.sides.1));
    }
    add_settings(&mut in_head, &load);
    if let Some(before) = &before {
        add_settings(&mut in_base, before);
    }
    let [of_base_side, of_head_side, of_change] = policies;
    in_base.diagnostics.extend(of_base_side.finish(false));
    in_head.diagnostics.extend(of_head_side.finish(false));
    in_head.diagnostics.extend(of_change.finish(false));
    // Projects may share files.
    if compared.len() > 1 {
        [&mut in_base, &mut in_head].into_iter().for_each(|side| diagnostic::unite(&mut side.diagnostics));
    }
    let has_defect = in_head.diagnostics.iter().chain(&in_base.diagnostics).any(|d| d.is_defect());
    let judging = JudgeInputs { request, files: &files, sides: (base, head), loads: (before.as_ref(), &load), of_base };
    let Judged { mut findings, suppressed, .. } =
        phase(workspace.host, "judge", || judging.judge(&trusted, in_head, in_base))?;
    let sides: Vec<_> = compared.iter().map(|one| (&one.base, &one.head)).collect();
    fixed::judge_fixed(&mut findings, &sides);
    renamed::match_renamed(&mut findings, compared.iter().map(|one| &one.diff), &files);
    let mut scope = selection::FindingScope::new(&request.filter);
    for Compared { base: old, head: new, .. } in &compared {
        let states = [(old, base), (new, head)];
        let selection = Selection::new(&request.filter, &states, &files, &Cache::default());
        states.iter().for_each(|(resolution, _)| scope.add(&selection, resolution));
    }
    scope.retain(&mut findings, &files);
    let mut findings = together::attach(together::unite(findings), &files);
    let idle = accept(&mut findings, request.overrides.accepted.iter().chain(&trusted.accept));
    let mut review = Review {
        files: Arc::new(files),
        head: Revision::of(head),
        comparison: None,
        findings,
        suppressed,
        rules,
        settings: trusted,
        unreadable: head.unreadable().to_vec(),
        has_defect,
        coverage: Coverage::default(),
        resolved: (Arc::new(dialects), Vec::new()),
    };
    let both: Vec<&Resolution> = compared.iter().flat_map(|one| [&one.base, &one.head]).collect();
    review.coverage.warnings = idle_patterns(&review.settings, head, &both);
    review.coverage.warnings.extend(idle);
    review.coverage.narrowed = request.filter.description();
    let (mut diffs, mut code, mut affected) = (Vec::new(), Vec::new(), Affected::default());
    let is_whole =
        request.filter.description().is_none() && workspace.dialect.is_none() && workspace.folders.is_empty();
    if let (true, Some(first)) = (is_whole, compared.first()) {
        let is_unread = |path: &&Text| {
            lies_below(path, &workspace.project.start) && compared.iter().all(|one| one.unread.contains(*path))
        };
        review.coverage.unread = first.unread.iter().filter(is_unread).cloned().collect();
    }
    let settings: BTreeSet<&String> = compared.iter().flat_map(|one| &one.run_settings).collect();
    review.coverage.run_settings = settings.into_iter().cloned().collect();
    review.coverage.run_files = run_files;
    let mut unseen: Option<Unseen> = None;
    for one in compared {
        unseen = Some(match unseen {
            Some(all) => all.and(one.unseen),
            None => one.unseen,
        });
        review.coverage.projects.push(one.coverage);
        review.resolved.1.extend([one.base, one.head]);
        let mut diff = one.diff;
        // After the code was evaluated, which declares some values to be secret.
        diff.mask(&review.files);
        diffs.push(diff);
        let new: Vec<CodeChange> = one.code.into_iter().filter(|change| !code.contains(change)).collect();
        code.extend(new);
        affected.extend(one.affected);
    }
    let comparison = Comparison::new(Revision::of(base), diffs, &review.coverage);
    let protected = comparison.protected_stacks(&review.settings);
    let mut comparison = Comparison { code, affected, protected, ..comparison };
    comparison.proof = request.overrides.expect.as_ref().map(|expectation| {
        let sides = [0, 1].map(|side| review.resolved.1.iter().skip(side).step_by(2).collect::<Vec<_>>());
        let [bases, heads] = sides.each_ref().map(Vec::as_slice);
        let mut unseen = unseen.unwrap_or_default();
        unseen.files.extend(review.unreadable.iter().map(|path| Text::from(path.as_str())));
        unseen.open.extend(review.rejected(expectation).map(Open::Part));
        let strict = review.settings.strict.value;
        Proof::of(expectation, &comparison, &review.coverage, unseen, ([bases, heads], strict))
    });
    review.comparison = Some(comparison);
    request.filter.matched(&review.resolved.1)?;
    Ok(review)
}

/// Whether one of some changes is below a folder.
fn touches(changes: &[Change], folder: &str) -> bool {
    changes.iter().any(|change| lies_below(&change.path, folder))
}

/// The comparison of one project, and what it is made of.
pub(super) struct CompareRun<'a> {
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) request: &'a Request<'a>,
    pub(super) part: &'a ProjectHandle<'a>,
    pub(super) files: &'a Files,
    pub(super) changes: &'a [Change],
    pub(super) touched: &'a HashSet<&'a str>,
    pub(super) rules: &'a [(RuleRef, Level)],
    pub(super) settings: &'a Settings,
    /// The policies over the base, the head, and the change.
    pub(super) policies: &'a [policies::Run<'a>; 3],
    /// Base and head.
    pub(super) sources: [&'a dyn Source; 2],
}

/// Both sides of a project, resolved as far as a comparison needs.
struct ComparedSides {
    base: Resolution,
    head: Resolution,
    diff: Diff,
    /// What the units of base and head show to others.
    interfaces: [Vec<UnitInterface>; 2],
    /// Whether all units count, see [`CompareRun::same_interfaces`].
    is_whole: bool,
}

/// One project, compared.
struct Compared {
    base: Resolution,
    head: Resolution,
    diff: Diff,
    code: Vec<CodeChange>,
    /// The files of code that differ and that it does not run.
    unread: BTreeSet<Text>,
    /// The settings of runs that differ and that no component shows.
    run_settings: Vec<String>,
    /// What differs and is not compared, if a proof needs that.
    unseen: Unseen,
    affected: Affected,
    coverage: ProjectCoverage,
    /// The findings of base and head.
    sides: (Side, Side),
}

impl CompareRun<'_> {
    fn run(&self) -> Compared {
        let cache = Cache::default();
        let modules = self.sources.map(|source| Modules::new(source, self.files, &cache));
        let ComparedSides { mut base, mut head, mut diff, interfaces: units, is_whole } = self.resolve(&modules);
        let selection = self.selection(&base, &head);
        let code_cache = modules::Cache::new(self.settings.work);
        let run = CodeRun::new(self, [&base, &head], &code_cache);
        let mut code = run.changes(&diff, &selection);
        let mut affected = self.affected(&cache, [&base, &head], &diff, &code, &selection);
        without_lost(&mut affected, &base, &head);
        let evaluated = run.evaluate([&mut base, &mut head], &mut diff, &code);
        if self.policies.iter().any(|policies| policies.reads_resources()) {
            run.complete([&mut base, &mut head]);
        }
        if !evaluated.is_empty() {
            // What is told of resources is not told of files.
            code.folders = run.changes(&diff, &selection).folders;
            made::mark(&mut code.folders, &mut diff, &evaluated);
        }
        let run_settings = run_settings(self.sources, [&base, &head], self.files, self.part.dialect());
        let unseen = self.request.overrides.expect.as_ref().map(|expectation| {
            let (sources, resolutions, dialect) = (self.sources, [&base, &head], self.part.dialect());
            let (files, runs, code, evaluated) = (self.files, run.runs(), &code, &evaluated);
            let project = ComparedProject { expectation, sources, resolutions, files, dialect, runs, code, evaluated };
            project.unseen()
        });
        drop(selection);
        let (nothing, withheld) = (Resolution::default(), rules::SkippedRules::default());
        let is_touched = |path: &str| self.touched.contains(path);
        let shared = rules::Context::new(self.files, &nothing, &is_touched, &self.settings.limits, &withheld);
        let context = rules::Context { resolution: &head, ..shared };
        let [old, new] = &modules;
        let changes = rules::Changes::new(&context, &base, &diff, [old, new]);
        let mut of_change = phase(self.workspace.host, "rules", || rules::check_change(&changes, self.rules));
        // Only what the edit touches was examined in full, on both sides.
        let [of_base, of_head, of_changes] = self.policies;
        of_change.extend(phase(self.workspace.host, "policies", || of_changes.changes(&changes, [old, new])));
        drop(changes);
        report_empty(&mut head);
        report_empty(&mut base);
        let check = |resolution: &Resolution, modules: &Modules<'_>, units: &[UnitInterface]| {
            let withheld = rules::SkippedRules::default();
            let context = rules::Context { resolution, withheld: &withheld, ..shared };
            rules::check_state(&context, rules::Examined { modules, units, with_all_units: is_whole }, self.rules)
        };
        let (mut in_head, mut in_base) = (Vec::new(), Vec::new());
        phase(self.workspace.host, "rules", || {
            // Some rules take long: the processors would wait for these twice.
            threads::join(
                || in_head = check(&head, &modules[1], &units[1]),
                || in_base = check(&base, &modules[0], &units[0]),
            );
        });
        drop(units);
        head.findings.extend(in_head);
        base.findings.extend(in_base);
        for (resolution, policies, modules) in [(&mut head, of_head, &modules[1]), (&mut base, of_base, &modules[0])] {
            let found = phase(self.workspace.host, "policies", || policies.components(resolution, modules));
            resolution.findings.extend(found);
        }
        let part = self.part;
        let mut coverage =
            coverage::of(part.dialect().name(), part.folder(), Some(&base), &head, self.files, &is_touched);
        let doubtful = head.doubtful(&base).into_iter().chain(base.doubtful(&head));
        let parts: BTreeSet<Text> = doubtful.map(|one| Text::clone(one.part)).collect();
        coverage.not_evaluated = run.not_evaluated(&diff).into_iter().chain(parts).collect();
        coverage.is_touched = touches(self.changes, part.folder());
        if diff.unresolved.is_empty() {
            diff.unresolved = coverage.lacking().iter().map(|(_, one)| one.name()).collect();
        }
        mark_unresolved(&mut affected, &coverage);
        if self.request.affected.as_ref().is_some_and(|options| options.by_configuration) {
            affected.leave_out(&run.equal(&affected, &diff, &code, &evaluated));
        }
        if let Some(options) = self.request.affected.as_ref().filter(|options| options.jobs || options.dependents) {
            let selection = self.selection(&base, &head);
            let filter = |address: &Address| selection.matches(address);
            let (run, diff, code, base, head, filter) = (self, &diff, &code, &base, &head, &filter);
            let (modules, cache) = (&modules, &code_cache);
            let inputs = JobInputs { run, options, diff, code, base, head, filter, modules, cache };
            phase(self.workspace.host, "affected", || complete_list(&mut affected, &inputs));
        }
        let side = |resolution: &mut Resolution| Side {
            files: self.edited_files(resolution),
            diagnostics: std::mem::take(&mut resolution.findings),
        };
        let (in_base, mut in_head) = (side(&mut base), side(&mut head));
        in_head.diagnostics.append(&mut of_change);
        Compared {
            base,
            head,
            diff,
            code: code.folders,
            unread: code.unread,
            run_settings,
            unseen: unseen.unwrap_or_default(),
            affected,
            coverage,
            sides: (in_base, in_head),
        }
    }

    /// Resolves as much of both states as has to be compared, and compares it: the units that an edit reaches; all units if others
    /// can see a difference.
    fn resolve(&self, modules: &[Modules<'_>; 2]) -> ComparedSides {
        let (mut base, mut head) = self.both(Scope::Touched(self.changes));
        let same = self.same_interfaces([&base, &head], modules.each_ref());
        let same = same.filter(|_| !rules::need_all_units(self.rules, &self.settings.limits));
        let is_whole = same.is_none();
        // Commands that name components are looked for only where everything is resolved.
        if is_whole && !(base.is_all && head.is_all) {
            (base, head) = self.both(Scope::All);
        }
        let diff = self.compare(&mut base, &mut head);
        let interfaces = same.unwrap_or_else(|| [interfaces(&base, &modules[0]), interfaces(&head, &modules[1])]);
        ComparedSides { base, head, diff, interfaces, is_whole }
    }

    /// Returns the list of affected components, if requested.
    fn affected(
        &self,
        cache: &Cache,
        resolutions: [&Resolution; 2],
        diff: &Diff,
        code: &CodeChanges,
        selection: &Selection<'_>,
    ) -> Affected {
        let Some(options) = &self.request.affected else { return Affected::default() };
        let [base, head] = self.sources;
        let filter = |address: &Address| selection.matches(address);
        let stack_filter = |stack: &str| self.request.filter.matches_stack(stack);
        let request = affected::Request {
            base,
            head,
            files: self.files,
            cache,
            resolutions,
            diff,
            code,
            filter: &filter,
            stack_filter: &stack_filter,
            options,
        };
        let mut affected = phase(self.workspace.host, "affected", || self.part.affected(&request));
        affected.mark_renames(diff);
        affected
    }

    /// Returns the selected part of both states.
    fn selection(&self, base: &Resolution, head: &Resolution) -> Selection<'_> {
        let states = [(base, self.sources[0]), (head, self.sources[1])];
        Selection::new(&self.request.filter, &states, self.files, &Cache::default())
    }

    /// Resolves base and head.
    fn both(&self, scope: Scope<'_>) -> (Resolution, Resolution) {
        let one = |source: &dyn Source| {
            phase(self.workspace.host, "resolve", || self.part.resolve(source, self.files, scope))
        };
        let [base, head] = self.sources;
        let (old, new) = (one(base), one(head));
        let is_assumed = |r: &Resolution| r.config.is_empty() && !r.assumptions.is_empty();
        // If only one side is configured, the defaults of the other one say nothing about the intention.
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) if is_assumed(&old) && !is_assumed(&new) => (None, Some(new)),
            (Some(old), Some(new)) if is_assumed(&new) && !is_assumed(&old) => (Some(old), None),
            sides => sides,
        };
        match (old, new) {
            (Some(old), Some(new)) => (old, new),
            (None, Some(new)) => (absent(self.lost(&new, base), &new), new),
            (Some(old), None) => {
                let new = absent(self.lost(&old, head), &old);
                (old, new)
            }
            (None, None) => Default::default(),
        }
    }

    /// Returns the message for a side without the project.
    pub(super) fn lost(&self, other: &Resolution, source: &dyn Source) -> String {
        match other.config.first() {
            Some(file) => format!("{} is not in {}", self.files.get(*file).path, source.name()),
            None => format!("{} has no such project", source.name()),
        }
    }

    fn compare(&self, old: &mut Resolution, new: &mut Resolution) -> Diff {
        let [base, head] = self.sources;
        let is_missing = new.config.is_empty() && new.gap.is_some();
        align(
            &mut Aligned { resolution: old, source: base },
            &mut Aligned { resolution: new, source: head },
            self.files,
        );
        if let (true, Some(gap), Some(file)) = (is_missing, &new.gap, old.config.first())
            && !new.units.is_empty()
            && new.findings.is_empty()
        {
            let number = text::count(new.units.len(), "file");
            let message = format!("{}, but {number} that it configured are still there", gap.reason);
            let finding = Diagnostic::new(&INVALID_CONFIG, message, Label::new(*file, 0, 0, "")).breaking();
            new.findings.push(finding.help("restore it, or also remove what it configured"));
        }
        if let Some(Gap { reason, file: Some(file), .. }) = misnamed(new, old) {
            // A single state is valid as it is; a change that renames stacks in this way is a mistake.
            let message = format!("the names of stacks change: {reason}");
            new.findings.push(Diagnostic::new(&INVALID_CONFIG, message, Label::new(*file, 0, 0, "")));
        }
        let is_touched = |path: &str| self.touched.contains(path);
        let selection = self.selection(old, new);
        let filter = |address: &_| selection.matches(address);
        let options = diff::DiffOptions { filter: selection.narrows().then_some(&filter), touched: Some(&is_touched) };
        let mut found = phase(self.workspace.host, "compare", || diff::diff(old, new, self.files, &options));
        found.locals.retain(|local| selection.matches_file(&local.file));
        without_doubtful(&mut found, old, new, self.files);
        found
    }
}

pub(super) fn is_out_of_scope(unit: &Arc<Unit>) -> bool {
    unit.state == State::OutOfScope
}

impl Workspace<'_> {
    /// Whether one of some states has the configuration files that the user names.
    fn named_config_exists(&self, sources: &[&dyn Source]) -> Result<(), Error> {
        let is_there =
            |path: &str| sources.iter().any(|s| s.listing().is_dir(path) || s.listing().resolve(path).is_ok());
        match self.project.config.iter().find(|path| !is_there(path)) {
            Some(path) => Err(Error::Message(format!("{path}, named by --config, exists on neither side"))),
            None => Ok(()),
        }
    }
}
