//! `stacklint diff`: what will be different, and because of which line.

use super::open::{Place, State};
use super::{FailOn, Failure, Global, Outcome, output};
use crate::dialects::{Dialect, Scope, atmos::Atmos};
use crate::diff;
use crate::estate::{self, Address, Estate};
use crate::files::Files;
use crate::report::{Finding, Novelty, Revision, json, text};
use crate::source::{Source, Spec, changed, glob::Glob};
use clap::{Args, ValueEnum};
use std::collections::HashSet;
use std::io::Write;

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
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Show all components and whole values
    #[arg(long)]
    all: bool,
    /// Show values whose keys look secret
    #[arg(long)]
    show_secrets: bool,
    /// Exit with 3 if something changes and nothing is wrong
    #[arg(long)]
    exit_code: bool,
    /// Exit with 1 from this severity of new findings on
    #[arg(long, value_name = "LEVEL", default_value = "error")]
    fail_on: FailOn,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    run_at(&Place::find(global)?, options, global)
}

/// What the command does in a place.
pub(super) fn run_at(place: &Place, options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let (base, head) = sources(options, place)?;
    compare(&*base, &*head, place, options, global)
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

fn compare(
    base: &dyn Source,
    head: &dyn Source,
    place: &Place,
    options: &Options,
    global: &Global,
) -> Result<Outcome, Failure> {
    let changes = changed(base.listing(), head.listing());
    let touched: HashSet<&str> = changes.iter().map(|c| &*c.path).collect();
    let files = Files::default();
    let dialect = Atmos::new();
    let there = |source: &dyn Source| dialect.detect(source, &place.project);
    if !there(base) && !there(head) {
        return Err(super::open::no_project(head, place));
    }
    // A project that one side does not have yet, or no more, is an empty one there.
    let resolve = |source: &dyn Source, scope: Scope<'_>| match there(source) {
        true => dialect.resolve(source, &place.project, &files, scope),
        false => Estate::default(),
    };
    let mut old = resolve(base, Scope::Touched(&changes));
    let mut new = resolve(head, Scope::Touched(&changes));
    let keep = filter(options.stack.as_deref(), options.component.as_deref())?;
    let is_touched = |path: &str| touched.contains(path);
    let how = diff::Options { filter: &keep, touched: Some(&is_touched) };
    let mut found = diff::diff(&old, &new, &files, &how);
    let one_sided = found.components.iter().any(|c| c.status != diff::Status::Modified);
    if one_sided && [&old, &new].iter().any(|e| e.units.iter().any(|u| u.state == estate::State::OutOfScope)) {
        // Another manifest, untouched, may define the same component of the same stack.
        old = resolve(base, Scope::All);
        new = resolve(head, Scope::All);
        found = diff::diff(&old, &new, &files, &how);
    }
    let findings = novelty(&old, &new, &files);
    let mut out = output::stdout();
    match options.format {
        Format::Text => {
            let mut text_options = output::text_options(global);
            text_options.all = options.all;
            text_options.show_secrets = options.show_secrets;
            text::write_diff(&mut out, &found, &files, &text_options)?;
            let shown: Vec<Finding<'_>> =
                findings.iter().filter(|f| f.novelty != Some(Novelty::Known)).copied().collect();
            if !shown.is_empty() {
                writeln!(out)?;
                text::write_findings(&mut out, &shown, &files, &text_options)?;
            }
        }
        Format::Json => {
            let side = |s: &dyn Source| Revision { rev: s.name().to_owned(), commit: s.commit() };
            json::write_diff(&mut out, &side(base), &side(head), &found, &findings, &files)?;
        }
    }
    out.flush()?;
    let failed = findings.iter().any(|f| f.novelty == Some(Novelty::New) && options.fail_on.fails(f.level));
    Ok(match (failed, options.exit_code && !found.components.is_empty()) {
        (true, _) => Outcome::Findings,
        (false, true) => Outcome::Changes,
        (false, false) => Outcome::Clean,
    })
}

/// The findings of both sides, each marked as new, known or fixed. Those that are equal pair off one by one.
fn novelty<'a>(old: &'a Estate, new: &'a Estate, files: &Files) -> Vec<Finding<'a>> {
    let mut before: Vec<(String, bool)> = old.findings.iter().map(|d| (json::fingerprint(d, files), false)).collect();
    let mut out: Vec<Finding<'a>> = Vec::new();
    for diagnostic in &new.findings {
        let print = json::fingerprint(diagnostic, files);
        let known = before.iter_mut().find(|(p, used)| *p == print && !used);
        let novelty = match known {
            Some(entry) => {
                entry.1 = true;
                Novelty::Known
            }
            None => Novelty::New,
        };
        out.push(Finding { novelty: Some(novelty), ..super::open::finding(diagnostic) });
    }
    for (diagnostic, (_, used)) in old.findings.iter().zip(&before) {
        if !used {
            out.push(Finding { novelty: Some(Novelty::Fixed), ..super::open::finding(diagnostic) });
        }
    }
    out
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
