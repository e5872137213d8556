//! `stacklint refactor`: edits of manifests that are proved to have no effect.

mod plan;
mod rename;

use crate::cli::open::{Invocation, State};
use crate::cli::options::functions::Functions;
use crate::cli::{Failure, Global, Outcome, output};
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::refactor::{self, Hoist, Texts};
use crate::resolution::Resolution;
use crate::review::{self, BaselineFile, Filter, Overrides, Request, Review};
use crate::rules::{self, Group};
use crate::text::count;
use crate::value::FileId;
use clap::{Args, Subcommand};
use plan::Plan;
use rename::Rename;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is removed may make something else redundant; more rounds than this are not made.
const MAX_ROUNDS: usize = 10;
/// The maximum number of places that are named.
const MAX_PLACES: usize = 5;

/// Change manifests without changing what they mean: every stack is resolved before and after, in memory.
///
/// Prints a patch for `git apply`, or changes the worktree with --write, if it is proved that no value of any stack differs. Otherwise
/// nothing is changed, the smallest difference is named, and the exit code is 1.
#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Move a value that all files repeat into the file that they import, or into the component that they inherit from
    Hoist(HoistOptions),
    /// Remove values that repeat what they override, and values that every stack overrides
    Prune(PruneOptions),
    /// Give a component, a stack, a file or a local another name, where it is defined and where it is named
    #[command(subcommand)]
    Rename(Rename),
}

#[derive(Args, Debug)]
pub(super) struct HoistOptions {
    /// The path of the value in the files: `vars.region`, `components.terraform.vpc.vars.size`; with --base its path in components
    #[arg(value_name = "PATH")]
    path: String,
    /// The file that takes the value [default: the only one that can]
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Move it from the components that inherit from this one
    #[arg(long, value_name = "COMPONENT")]
    base: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct PruneOptions {
    /// Only in these files, or below these folders
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Common {
    /// Change the files of the worktree instead of printing a patch
    #[arg(long)]
    write: bool,
    /// Print the patch also if it has keys or tokens of well-known services in it
    #[arg(long)]
    show_secrets: bool,
    #[command(flatten)]
    functions: Functions,
}

pub(super) fn run(what: &What, global: &Global) -> Result<Outcome, Failure> {
    let common = match what {
        What::Hoist(options) => &options.common,
        What::Prune(options) => &options.common,
        What::Rename(what) => what.common(),
    };
    let mut place = Invocation::find(global)?;
    common.functions.apply(&[], &mut place)?;
    let planned = match what {
        What::Hoist(options) => options.plan(&place)?,
        What::Prune(options) => options.plan(&place)?,
        What::Rename(what) => what.plan(&place)?,
    };
    let plan = match planned {
        Ok(plan) => plan,
        Err(why) => return Ok(Outcome::Fails(why)),
    };
    if plan.texts.is_empty() {
        output::eprint(&format!("stacklint: {}", plan.what));
        return Ok(Outcome::Clean);
    }
    if let Some(why) = plan.refuted(&place)? {
        return Ok(Outcome::Fails(why));
    }
    match common.write {
        true => plan.write(&place)?,
        false => plan.print(common.show_secrets)?,
    }
    output::eprint(&format!("stacklint: {}", plan.what));
    Ok(Outcome::Clean)
}

/// What is to be changed, or why that cannot be done.
type Planned = Result<Plan, String>;

impl HoistOptions {
    fn plan(&self, place: &Invocation) -> Result<Planned, Failure> {
        let into = self.into.as_ref().map(|path| place.inside(path)).transpose()?;
        let hoist = Hoist { path: &self.path, into: into.as_deref(), base: self.base.as_deref() };
        let planned = resolved(place, &mut |resolution, files| refactor::hoist(&hoist, resolution, files))?;
        Ok(planned.map(|plan| Plan { base: self.base.clone(), ..plan }))
    }
}

/// Edits and what they do, or why there are none.
type Edits = Result<(Vec<Edit>, String), String>;

/// Makes edits of the worktree as it is.
fn resolved(place: &Invocation, make: &mut dyn FnMut(&Resolution, &Files) -> Edits) -> Result<Planned, Failure> {
    let source = place.open(&State::Worktree)?;
    let settings = place.settings(&*source)?;
    let found = review::resolve(&*source, &place.workspace(), &settings, Files::default())?;
    let planned = make(&found.resolution, &found.files)
        .and_then(|(edits, what)| Ok(Plan::new(refactor::applied(edits, &found.files)?, what)));
    place.leftovers.leave((found.resolution, found.files, found.dialects));
    Ok(planned)
}

impl PruneOptions {
    fn plan(&self, place: &Invocation) -> Result<Planned, Failure> {
        let paths = place.all_inside(&self.paths)?;
        let is_meant = |path: &str| {
            let within = |folder: &String| path.strip_prefix(&**folder).is_some_and(|rest| rest.starts_with('/'));
            paths.is_empty() || paths.iter().any(|one| one.is_empty() || one == path || within(one))
        };
        let mut texts = Texts::new();
        let (mut entries, mut kept) = (0, Vec::new());
        for _ in 0..MAX_ROUNDS {
            let review = redundant(place, &texts)?;
            let places = review.findings.iter().filter(|finding| rules::is_redundant(&finding.diagnostic.rule));
            let places = places.map(|finding| &finding.diagnostic.primary);
            let places = places.filter(|label| is_meant(&review.files.get(label.file).path));
            let mut keys: BTreeSet<_> = places.map(|label| (label.file, label.start)).collect();
            let (mut edits, mut count) = (Vec::new(), 0);
            kept.clear();
            for resolution in review.heads() {
                // Projects may share files.
                let is_read = |(file, _): &(FileId, u32)| resolution.documents.iter().any(|(id, _)| id == file);
                let (own, others) = keys.into_iter().partition(is_read);
                keys = others;
                let one = refactor::removed(&own, resolution, &review.files);
                edits.extend(one.edits);
                count += one.entries;
                kept.extend(one.kept);
            }
            if count == 0 {
                break;
            }
            entries += count;
            match refactor::applied(edits, &review.files) {
                Ok(changed) => refactor::join(&mut texts, changed),
                Err(why) => return Ok(Err(why)),
            }
        }
        let mut what = match entries {
            0 => "nothing redundant can be removed".to_owned(),
            _ => format!("{} removed from {}", values(entries), count(texts.len(), "file")),
        };
        if !kept.is_empty() {
            let shown = kept.iter().take(MAX_PLACES).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if kept.len() > MAX_PLACES { ", …" } else { "" };
            what.push_str(&format!("; {} kept: {shown}{more}", values(kept.len())));
        }
        Ok(Ok(Plan::new(texts, what)))
    }
}

/// `1 redundant value is`.
fn values(number: usize) -> String {
    format!("{} {}", count(number, "redundant value"), if number == 1 { "is" } else { "are" })
}

/// The findings in the worktree with some files changed.
fn redundant(place: &Invocation, texts: &Texts) -> Result<Review, Failure> {
    let overrides = Overrides { groups: vec![Group::Hygiene], baseline: BaselineFile::Nowhere, ..Overrides::default() };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let source = plan::edited(place, texts, None)?;
    Ok(review::check(&*source, &place.workspace(), &request)?)
}
