//! What differs between two states, and what is wrong in them.

use super::check::add_settings;
use super::judge::{Judged, judge};
use super::{Comparison, Error, Request, Review, Revision, Workspace, phase};
use crate::diagnostic::{Diagnostic, Side};
use crate::dialects::{Found, Scope};
use crate::diff::{self, Diff};
use crate::files::Files;
use crate::resolution::{Resolution, State, Unit};
use crate::rules::{self, Rule};
use crate::source::{Change, Source, changed};
use crate::terraform::{self, Modules};
use crate::value::FileId;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Compares two states.
///
/// # Errors
/// Neither holds a project, or they cannot be judged.
pub fn compare(
    base: &dyn Source,
    head: &dyn Source,
    workspace: &Workspace<'_>,
    request: &Request<'_>,
) -> Result<Review, Error> {
    let changes = changed(base.listing(), head.listing());
    let touched: HashSet<&str> = changes.iter().map(|c| &*c.path).collect();
    let files = Files::default();
    let load = request.overrides.load(head, workspace, &files)?;
    workspace.named_config_exists(&[base, head])?;
    // A change must not lift its own limits.
    let before = request.overrides.load(base, workspace, &files).ok();
    let trusted = before.as_ref().map(|b| b.settings.clone()).unwrap_or_default();
    workspace.host.limits(&trusted.work);
    let dialects = workspace.dialects(&trusted);
    let projects = dialects.detect(&[base, head], &workspace.project(&load.settings));
    if projects.is_empty() {
        return Err(workspace.no_project(head));
    }
    let rules = load.settings.enabled();
    let comparing = Comparing { workspace, request, projects, files: &files, changes: &changes, touched: &touched };
    let (mut old, mut new, found) = comparing.resolve(base, head, &rules);
    let (nothing, withheld) = (Resolution::default(), rules::Withheld::default());
    let is_touched = |path: &str| touched.contains(path);
    let shared = rules::Context::new(&files, &nothing, &is_touched, &load.settings.limits, &withheld);
    let mut of_change = phase(workspace.host, "rules", || {
        rules::check_change(&rules::Context { resolution: &new, ..shared }, &old, &found, &rules)
    });
    let code = workspace.host.code();
    // Only what the edit touches was examined in full, on both sides.
    let side = |resolution: &mut Resolution, source: &dyn Source| {
        let modules = Modules::new(source, &files, &code);
        let context = rules::Context { resolution: &*resolution, ..shared };
        let found = phase(workspace.host, "rules", || rules::check_state(&context, &modules, &rules));
        resolution.findings.extend(found);
        let mut own = resolution.files();
        own.retain(|id| touched.contains(&*files.get(*id).path));
        Side { files: own, diagnostics: std::mem::take(&mut resolution.findings) }
    };
    let (mut in_head, mut in_base) = (side(&mut new, head), side(&mut old, base));
    in_head.diagnostics.append(&mut of_change);
    add_settings(&mut in_head, &load);
    if let Some(before) = &before {
        add_settings(&mut in_base, before);
    }
    let has_defect = in_head.diagnostics.iter().chain(&in_base.diagnostics).any(|d| d.is_defect());
    let Judged { findings, suppressed } = phase(workspace.host, "judge", || {
        judge(&files, head, &load.settings, request.overrides, in_head, Some(in_base))
    })?;
    drop(comparing);
    Ok(Review {
        files,
        head: Revision::of(head),
        comparison: Some(Comparison { base: Revision::of(base), diff: found }),
        findings,
        suppressed,
        rules,
        settings: load.settings,
        unreadable: head.unreadable().to_vec(),
        has_defect,
        resolved: (dialects, vec![old, new]),
    })
}

/// What a comparison is made of.
struct Comparing<'a> {
    workspace: &'a Workspace<'a>,
    request: &'a Request<'a>,
    projects: Found<'a>,
    files: &'a Files,
    changes: &'a [Change],
    touched: &'a HashSet<&'a str>,
}

impl Comparing<'_> {
    /// Resolves as much of both states as has to be compared, and compares it.
    fn resolve(
        &self,
        base: &dyn Source,
        head: &dyn Source,
        rules: &[(&'static Rule, crate::diagnostic::Level)],
    ) -> (Resolution, Resolution, Diff) {
        let resolve = |scope: Scope<'_>| {
            let one = |source: &dyn Source| {
                phase(self.workspace.host, "resolve", || self.projects.resolve(source, self.files, scope))
            };
            (one(base), one(head))
        };
        let (mut old, mut new) = resolve(Scope::Touched(self.changes));
        if self.sees_more(&old, &new) || self.sees_more(&new, &old) {
            // What is wrong in a file that was there before is known, also where only an untouched manifest used it.
            (old, new) = resolve(Scope::All);
        }
        let mut found = self.compare(&old, &new);
        let one_sided = found.components.iter().any(|c| c.status != diff::Status::Modified);
        // Another manifest, untouched, may define the same component of the same stack; and what is said of a component
        // may depend on all others.
        let all_count =
            one_sided || self.changes.iter().any(|c| terraform::is_code(&c.path)) || rules::asks_for_all(&found, rules);
        if all_count && [&old, &new].iter().any(|r| r.units.iter().any(|u| u.state == State::OutOfScope)) {
            (old, new) = resolve(Scope::All);
            found = self.compare(&old, &new);
        }
        (old, new, found)
    }

    fn compare(&self, old: &Resolution, new: &Resolution) -> Diff {
        let is_touched = |path: &str| self.touched.contains(path);
        let filter = |address: &_| self.request.filter.matches(address);
        let options = diff::Options { filter: &filter, touched: Some(&is_touched) };
        phase(self.workspace.host, "compare", || diff::diff(old, new, self.files, &options))
    }

    /// Whether one side knows something of an untouched file that the other side has too, but did not analyze.
    fn sees_more(&self, one: &Resolution, other: &Resolution) -> bool {
        let identity = |f: &Diagnostic| (f.primary.file, f.primary.start, f.rule.id, f.message.clone());
        let known: HashSet<_> = other.findings.iter().map(identity).collect();
        let suspects = one.findings.iter().filter(|f| !self.touched.contains(&*self.files.get(f.primary.file).path));
        let suspects: BTreeSet<FileId> =
            suspects.filter(|f| !known.contains(&identity(f))).map(|f| f.primary.file).collect();
        let (named, analyzed): (Vec<_>, Vec<_>) = other.units.iter().partition(|unit| unit.state == State::OutOfScope);
        let uses = |units: &[&Arc<Unit>], file: &FileId| units.iter().any(|u| u.files.binary_search(file).is_ok());
        suspects.iter().any(|file| uses(&named, file) && !uses(&analyzed, file))
    }
}

impl Workspace<'_> {
    /// Whether one of some states has the configuration files that the user names.
    fn named_config_exists(&self, sources: &[&dyn Source]) -> Result<(), Error> {
        let is_there =
            |path: &str| sources.iter().any(|s| s.listing().is_dir(path) || s.listing().resolve(path).is_ok());
        match self.project.config.iter().find(|path| !is_there(path)) {
            Some(path) => Err(Error::Message(format!("{path}, which --config names, is on neither side"))),
            None => Ok(()),
        }
    }
}
