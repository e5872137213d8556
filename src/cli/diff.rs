//! `stacklint diff`: what will be different, and because of which line.

use super::open::{Place, State};
use super::reporting::{self, Judging, Seen, Sink};
use super::{Failure, Global, Outcome, functions};
use crate::diagnostic::{Diagnostic, Side};
use crate::dialects::Scope;
use crate::diff;
use crate::files::Files;
use crate::resolution::{self, Address, Resolution, Unit};
use crate::rules;
use crate::source::{Source, Spec, changed, glob::Glob};
use crate::terraform::{self, Modules};
use crate::value::FileId;
use clap::Args;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Show what changes in the configuration of every component between two states.
///
/// REVISIONS is `A..B`, `A...B` (from the merge base of both), or one revision, which is compared with the worktree.
/// Without it, HEAD is compared with the worktree.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// What to compare
    #[arg(value_name = "REVISIONS")]
    revisions: Option<String>,
    /// Compare with what is staged for commit
    #[arg(long, conflicts_with = "worktree")]
    staged: bool,
    /// Compare with the worktree
    #[arg(long)]
    worktree: bool,
    /// Only stacks whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    stack: Option<String>,
    /// Only components whose name matches this pattern
    #[arg(long, value_name = "GLOB")]
    component: Option<String>,
    /// Exit with 3 if something changes and nothing is wrong
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    reporting: reporting::Options,
    #[command(flatten)]
    merging: functions::Merging,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let mut place = Place::find(global)?;
    options.merging.apply(options.reporting.judging.env_files(), &mut place)?;
    run_at(&place, options, global)
}

/// What the command does in a place.
pub(super) fn run_at(place: &Place, options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let (base, head) = place.timings.phase("open", || sources(options, place))?;
    let asked = Asked {
        stack: options.stack.as_deref(),
        component: options.component.as_deref(),
        judging: &options.reporting.judging,
    };
    let mut changes = false;
    let outcome = compare(&*base, &*head, place, &asked, &mut |report| {
        changes = report.comparison.is_some_and(|c| !c.diff.components.is_empty());
        options.reporting.write(report, global)
    })?;
    Ok(if outcome == Outcome::Clean && options.exit_code && changes { Outcome::Changes } else { outcome })
}

/// What of a comparison is looked at, and how it is judged.
pub(super) struct Asked<'a> {
    /// The pattern that names of stacks are to match.
    pub(super) stack: Option<&'a str>,
    /// The pattern that names of components are to match.
    pub(super) component: Option<&'a str>,
    /// How findings are judged.
    pub(super) judging: &'a Judging,
}

/// Base and head.
type Sides = (Box<dyn Source>, Box<dyn Source>);

/// The two states that are meant.
fn sources(options: &Options, place: &Place) -> Result<Sides, Failure> {
    let repository = place.repository()?;
    let text = options.revisions.as_deref().unwrap_or("HEAD");
    if let Spec::TwoDot(..) | Spec::ThreeDot(..) = Spec::parse(text) {
        if options.staged || options.worktree {
            return Err(Failure::Message(format!("`{text}` names both sides: leave --staged and --worktree out")));
        }
        let range = repository.range(text)?;
        return Ok((repository.at(&range.base)?, repository.at(&range.head)?));
    }
    let head = if options.staged { State::Index } else { State::Worktree };
    Ok((repository.revision(text)?, place.open(&head)?))
}

/// Compares two states.
///
/// # Errors
/// Neither holds a project, or they cannot be judged or written.
pub(super) fn compare(
    base: &dyn Source,
    head: &dyn Source,
    place: &Place,
    asked: &Asked<'_>,
    write: Sink<'_>,
) -> Result<Outcome, Failure> {
    let changes = changed(base.listing(), head.listing());
    let touched: HashSet<&str> = changes.iter().map(|c| &*c.path).collect();
    let files = Files::default();
    let load = asked.judging.load(head, place, &files)?;
    let is_there =
        |path: &str| [base, head].iter().any(|s| s.listing().is_dir(path) || s.listing().resolve(path).is_ok());
    if let Some(path) = place.project.config.iter().find(|path| !is_there(path)) {
        return Err(Failure::Message(format!("{path}, which --config names, is on neither side")));
    }
    // A change must not lift its own limits.
    let before = asked.judging.load(base, place, &files).ok();
    let trusted = before.as_ref().map(|b| b.settings.clone()).unwrap_or_default();
    super::watch::set(&trusted.work);
    let dialects = place.dialects(&trusted);
    let projects = dialects.detect(&[base, head], &place.project(&load.settings));
    if projects.is_empty() {
        return Err(super::open::no_project(head, place));
    }
    let resolve = |source: &dyn Source, scope: Scope<'_>| {
        place.timings.phase("resolve", || projects.resolve(source, &files, scope))
    };
    let mut old = resolve(base, Scope::Touched(&changes));
    let mut new = resolve(head, Scope::Touched(&changes));
    let keep = filter(asked.stack, asked.component)?;
    let is_touched = |path: &str| touched.contains(path);
    let how = diff::Options { filter: &keep, touched: Some(&is_touched) };
    let compare =
        |old: &Resolution, new: &Resolution| place.timings.phase("compare", || diff::diff(old, new, &files, &how));
    if sees_more(&old, &new, &files, &is_touched) || sees_more(&new, &old, &files, &is_touched) {
        // What is wrong in a file that was there before is known, also where only an untouched manifest used it.
        old = resolve(base, Scope::All);
        new = resolve(head, Scope::All);
    }
    let mut found = compare(&old, &new);
    let one_sided = found.components.iter().any(|c| c.status != diff::Status::Modified);
    let rules = load.settings.enabled();
    // Another manifest, untouched, may define the same component of the same stack; and what is said of a component may
    // depend on all others.
    let all_count =
        one_sided || changes.iter().any(|c| terraform::is_code(&c.path)) || rules::asks_for_all(&found, &rules);
    if all_count && [&old, &new].iter().any(|e| e.units.iter().any(|u| u.state == resolution::State::OutOfScope)) {
        old = resolve(base, Scope::All);
        new = resolve(head, Scope::All);
        found = compare(&old, &new);
    }
    let (nothing, withheld) = (Resolution::default(), rules::Withheld::default());
    let shared = rules::Context::new(&files, &nothing, &is_touched, &load.settings.limits, &withheld);
    let mut changed = place
        .timings
        .phase("rules", || rules::check_change(&rules::Context { resolution: &new, ..shared }, &old, &found, &rules));
    // Only what the edit touches was examined in full, on both sides.
    let cache = place.code();
    let side = |mut resolution: Resolution, source: &dyn Source| {
        let modules = Modules::new(source, &files, &cache);
        let context = rules::Context { resolution: &resolution, ..shared };
        let found = place.timings.phase("rules", || rules::check_state(&context, &modules, &rules));
        resolution.findings.extend(found);
        let mut own = resolution.files();
        own.retain(|id| touched.contains(&*files.get(*id).path));
        Side { files: own, diagnostics: resolution.into_findings() }
    };
    let (mut new, mut old) = (side(new, head), side(old, base));
    new.diagnostics.append(&mut changed);
    reporting::add_settings(&mut new, &load);
    if let Some(before) = before {
        reporting::add_settings(&mut old, &before);
    }
    let seen = Seen { files: &files, head, comparison: Some((base, &found)) };
    let outcome = asked.judging.finish(&seen, &load.settings, (new, Some(old)), place, write)?;
    // Left to the end of the process, which is near.
    std::mem::forget((found, dialects));
    Ok(outcome)
}

/// Whether one side knows something of an untouched file that the other side has too, but did not look at.
fn sees_more(one: &Resolution, other: &Resolution, files: &Files, touched: &dyn Fn(&str) -> bool) -> bool {
    let identity = |f: &Diagnostic| (f.primary.file, f.primary.start, f.rule.id, f.message.clone());
    let known: HashSet<_> = other.findings.iter().map(identity).collect();
    let suspects = one.findings.iter().filter(|f| !touched(&files.get(f.primary.file).path));
    let suspects: BTreeSet<FileId> =
        suspects.filter(|f| !known.contains(&identity(f))).map(|f| f.primary.file).collect();
    let (named, looked): (Vec<_>, Vec<_>) =
        other.units.iter().partition(|unit| unit.state == resolution::State::OutOfScope);
    let uses = |units: &[&Arc<Unit>], file: &FileId| units.iter().any(|u| u.files.binary_search(file).is_ok());
    suspects.iter().any(|file| uses(&named, file) && !uses(&looked, file))
}

/// Whether an address is asked for.
pub(super) fn filter(stack: Option<&str>, component: Option<&str>) -> Result<impl Fn(&Address) -> bool, Failure> {
    let glob = |pattern: Option<&str>| -> Result<Option<Glob>, Failure> {
        pattern.map(|p| Glob::new(p).map_err(|e| Failure::Message(format!("`{p}` is no pattern: {e}")))).transpose()
    };
    let (stack, component) = (glob(stack)?, glob(component)?);
    Ok(move |address: &Address| {
        stack.as_ref().is_none_or(|g| g.matches(&address.0)) && component.as_ref().is_none_or(|g| g.matches(&address.2))
    })
}
