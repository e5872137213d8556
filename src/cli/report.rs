//! `stacklint report`: a page to look around in, of one state or of a change.

use super::open::{self, Invocation};
use super::options::functions::Merging;
use super::reporting::JudgeOptions;
use super::{Failure, Global, Outcome, output};
use crate::diff::Status;
use crate::query::graphs::{About, Context, Differences, Graph, graph, unresolved};
use crate::report::Report;
use crate::report::page::{self, Commit, Page};
use crate::resolution::{Address, Resolution, Unit};
use crate::review::{self, Completeness, Filter, Request, Review};
use crate::source::{Source, Spec, beside};
use crate::terraform::{Cache, Modules};
use clap::Args;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most commits that are read for the head of a page.
const MAX_COMMITS: usize = 500;

/// Write an HTML page that shows a change, or all components of one state.
///
/// REVISIONS is `A..B`, `A...B` (from the merge base of both), or one revision, which is compared with the worktree.
/// Without it, the page shows the worktree. The page is self-contained: it can be opened from the disk, or kept as an
/// artifact.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// The revisions to compare
    #[arg(value_name = "REVISIONS")]
    revisions: Option<String>,
    /// The file to write
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Only stacks whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    stack: Option<String>,
    /// Only components whose name matches this pattern
    #[arg(short, long, value_name = "GLOB")]
    component: Option<String>,
    #[command(flatten)]
    judging: JudgeOptions,
    #[command(flatten)]
    merging: Merging,
}

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let mut place = Invocation::find(global)?;
    options.merging.apply(options.judging.env_files(), &mut place)?;
    place.project.inputs.stack.clone_from(&options.stack);
    let filter = Filter::new(options.stack.as_deref(), options.component.as_deref())?;
    let overrides = options.judging.overrides(&place)?;
    let request = Request { filter, overrides: &overrides, affected: None };
    let (review, sources) = match &options.revisions {
        Some(revisions) => {
            let (base, head) = sources(revisions, &place)?;
            (review::compare(&*base, &*head, &place.workspace(), &request)?, vec![base, head])
        }
        None => {
            let source = place.open(&place.default_state())?;
            (review::check(&*source, &place.workspace(), &request)?, vec![source])
        }
    };
    write(&review, &sources, &place, &options.out)?;
    let demand = if options.revisions.is_some() { Completeness::default() } else { Completeness::Any };
    options.judging.finish(review, &overrides, &place, demand, |report| {
        output::eprint(&format!("stacklint: wrote {}", options.out.display()));
        let mut out = output::stdout();
        crate::report::text::write_brief(&mut out, report, &output::options(global))?;
        Ok(out.flush()?)
    })
}

/// Writes the page of a review of one or two states.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write(
    review: &Review,
    sources: &[Box<dyn Source>],
    place: &Invocation,
    out: &Path,
) -> Result<(), Failure> {
    let cache = Cache::default();
    let of = |about: About, resolutions: &[&Resolution], source: &dyn Source| {
        let modules = Modules::new(source, &review.files, &cache);
        let mut all = Graph::default();
        for resolution in resolutions {
            let context = Context { resolution, modules: &modules, files: &review.files, keep: &|_| true };
            all.unite(graph(about, &context));
        }
        all
    };
    let (bases, heads) = (review.bases(), review.heads());
    let shown = match (sources, &review.comparison) {
        ([base, head], Some(comparison)) => {
            let modified = comparison.diff.components.iter().filter(|c| c.status == Status::Modified);
            let changed: BTreeSet<String> = modified.map(|c| format!("{}/{}/{}", c.stack, c.kind, c.name)).collect();
            let (a, b) = (of(About::Dependencies, &bases, &**base), of(About::Dependencies, &heads, &**head));
            let (lost, gained) = (unresolved(&bases, &heads, &review.files), unresolved(&heads, &bases, &review.files));
            let differences = Differences { changed: &|name| changed.contains(name), lost: &lost, gained: &gained };
            let mut shown = Graph::changed(a, b, &differences);
            shown.keep_changes();
            shown
        }
        (sources, _) => sources.last().map_or_else(Graph::default, |source| of(About::Imports, &heads, &**source)),
    };
    let remote = place.repository.as_ref().and_then(crate::source::Repository::remote_url);
    let report = Report::of(review, remote.as_deref());
    let mut text = Vec::new();
    let ids = review.comparison.as_ref().and_then(|c| c.base.commit.as_ref()).zip(review.head.commit.as_ref());
    let commits = ids.zip(place.repository.as_ref()).map(|((base, head), repository)| {
        let found = repository.commits_between(base, head, MAX_COMMITS);
        found.into_iter().map(|(subject, author)| Commit { subject, author }).collect()
    });
    let commits: Vec<Commit> = commits.unwrap_or_default();
    let failed = Cell::new(None);
    let made = || match (sources, &review.comparison) {
        ([source], None) => made(&**source, review, place).map_err(|why| failed.set(Some(why))).ok(),
        _ => Some(Vec::new()),
    };
    let page = Page { report: &report, bases: &bases, heads: &heads, made: &made, graph: &shown, commits: &commits };
    place.timings.phase("report", || page::write(&mut text, &page))?;
    if let Some(why) = failed.take() {
        return Err(why);
    }
    crate::source::write_file(&place.beside(out), &text)
        .map_err(|e| Failure::Message(format!("cannot write {}: {e}", out.display())))
}

/// What the code of all components of a state makes, where it is not one of the components itself.
fn made(source: &dyn Source, review: &Review, place: &Invocation) -> Result<Vec<Arc<Unit>>, Failure> {
    let (workspace, settings) = (place.workspace(), place.settings(source)?);
    let dialects = workspace.dialects(&settings);
    let mut found = Vec::new();
    for resolution in review.heads() {
        let all: BTreeSet<Address> = resolution.components().into_keys().collect();
        let state = (source, &*review.files, &dialects);
        found.extend(review::make(state, resolution, &all, (&workspace, &settings))?);
    }
    Ok(found)
}

/// Base and head.
type Sides = (Box<dyn Source>, Box<dyn Source>);

fn sources(revisions: &str, place: &Invocation) -> Result<Sides, Failure> {
    let repository = place.repository()?;
    if Spec::parse(revisions).is_range() {
        let range = repository.range(revisions)?;
        return Ok((repository.at(&range.base)?, repository.at(&range.head)?));
    }
    let head = place.open(&open::State::Worktree)?;
    Ok((beside(repository.revision(revisions)?, &*head), head))
}
