//! `stacklint refactor`: edits of manifests that are proved to have no effect.

mod make;
mod plan;
mod rename;
mod working;

pub(super) use working::WorkingState;

use crate::cli::open::Invocation;
use crate::cli::options::functions::Functions;
use crate::cli::{Failure, Global, Outcome, output};
use crate::refactor::{Hoist, Refactoring, Texts};
use clap::{Args, Subcommand};
use rename::Rename;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Change manifests without changing what they mean: every stack is resolved before and after, in memory.
///
/// Prints a patch for `git apply`, or changes the worktree with --write, if it is proved that no value of any stack differs. Otherwise
/// nothing is changed, the smallest difference is named, and the exit code is 1.
#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Move a value that all files repeat into the file that they import, or into the component that they inherit from
    Hoist(HoistOptions),
    /// Move a value from a file into the files that import it, or the value of a local to where it is read
    Inline(InlineOptions),
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
pub(super) struct InlineOptions {
    /// The path of the value in the file: `vars.region`, `components.terraform.vpc.vars.size`, `locals.size`
    #[arg(value_name = "PATH")]
    path: String,
    /// The file that loses the value [default: the only one that can]
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
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

impl What {
    fn common(&self) -> &Common {
        match self {
            What::Hoist(options) => &options.common,
            What::Inline(options) => &options.common,
            What::Prune(options) => &options.common,
            What::Rename(what) => what.common(),
        }
    }

    fn refactoring(&self, place: &Invocation) -> Result<Refactoring, Failure> {
        let inside = |path: &Option<PathBuf>| path.as_ref().map(|path| place.inside(path)).transpose();
        Ok(match self {
            What::Hoist(HoistOptions { path, into, base, .. }) => {
                Refactoring::Hoist(Hoist { path: path.clone(), into: inside(into)?, base: base.clone() })
            }
            What::Inline(InlineOptions { path, from, .. }) => {
                Refactoring::Inline { path: path.clone(), from: inside(from)? }
            }
            What::Prune(options) => Refactoring::Prune { paths: place.all_inside(&options.paths)? },
            What::Rename(what) => what.refactoring(place)?,
        })
    }
}

pub(super) fn run(what: &What, global: &Global) -> Result<Outcome, Failure> {
    let common = what.common();
    let mut place = Invocation::find(global)?;
    common.functions.apply(&[], &mut place)?;
    let refactoring = what.refactoring(&place)?;
    let state = WorkingState { place: &place, workspace: place.workspace(), buffers: &BTreeMap::new() };
    let plan = match make::plan(&refactoring, &state)? {
        Ok(plan) => plan,
        Err(why) => return Ok(Outcome::Fails(why)),
    };
    if plan.texts.is_empty() {
        output::eprint(&format!("stacklint: {}", plan.what));
        return Ok(Outcome::Clean);
    }
    let judged = plan.judged(&state)?;
    judged.lines.iter().for_each(|line| output::eprint(&format!("stacklint: {line}")));
    if let Some(why) = judged.refused {
        return Ok(Outcome::Fails(why));
    }
    match common.write {
        true => plan.write(&place)?,
        false => plan.print(common.show_secrets)?,
    }
    output::eprint(&format!("stacklint: {}", plan.what));
    Ok(Outcome::Clean)
}

/// The files that a refactoring changes, if it is proved that everything else stays as it is.
///
/// # Errors
/// Why it is not: a message for the user.
pub(super) fn proved(what: &Refactoring, state: &WorkingState<'_>) -> Result<Texts, String> {
    let message = |failure: Failure| failure.message().unwrap_or_default().to_owned();
    let plan = make::plan(what, state).map_err(message)??;
    if plan.texts.is_empty() {
        return Err(plan.what);
    }
    let judged = plan.judged(state).map_err(message)?;
    match judged.refused {
        Some(why) => Err(judged.lines.into_iter().chain([why]).collect::<Vec<_>>().join("\n")),
        None => Ok(plan.texts),
    }
}
