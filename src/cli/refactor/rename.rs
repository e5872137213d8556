//! `stacklint refactor rename`: another name for something, everywhere.

use super::plan::{Moved, Plan};
use super::{Common, Planned, resolved};
use crate::cli::Failure;
use crate::cli::open::{Invocation, State};
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::refactor::rename;
use crate::resolution::Resolution;
use crate::review::{Expectation, Renaming};
use crate::source::ResolveError;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::sync::Arc;

/// Give something another name, where it is defined and where it is named: every stack is resolved before and after, in memory.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Rename {
    /// Rename a component of all stacks; what keeps its code and its state in place is added
    Component(ComponentOptions),
    /// Move a file, and change the paths by which others import it
    File(FileOptions),
    /// Rename a stack; what keeps the states of its components in place is added
    Stack(StackOptions),
    /// Rename a local of a file, where it is defined and where it is read
    Local(LocalOptions),
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ComponentOptions {
    /// The name of the component
    #[arg(value_name = "OLD")]
    old: String,
    /// Its new name
    #[arg(value_name = "NEW")]
    new: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct StackOptions {
    /// The name of the stack
    #[arg(value_name = "OLD")]
    old: String,
    /// Its new name
    #[arg(value_name = "NEW")]
    new: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct FileOptions {
    /// The file
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// Its new path
    #[arg(value_name = "NEW")]
    new: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct LocalOptions {
    /// The name of the local
    #[arg(value_name = "OLD")]
    old: String,
    /// Its new name
    #[arg(value_name = "NEW")]
    new: String,
    /// The file that defines it [default: the only one that does]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Rename {
    pub(super) fn common(&self) -> &Common {
        match self {
            Rename::Component(options) => &options.common,
            Rename::File(options) => &options.common,
            Rename::Stack(options) => &options.common,
            Rename::Local(options) => &options.common,
        }
    }

    pub(super) fn plan(&self, place: &Invocation) -> Result<Planned, Failure> {
        match self {
            Rename::Component(options) => {
                renaming(place, &|resolution, files| rename::component([&options.old, &options.new], resolution, files))
            }
            Rename::File(options) => options.plan(place),
            Rename::Stack(options) => {
                renaming(place, &|resolution, files| rename::stack([&options.old, &options.new], resolution, files))
            }
            Rename::Local(options) => options.plan(place),
        }
    }
}

/// Edits, the map under which both states are the same, and what they do; or why there are none.
type Renamed = Result<(Vec<Edit>, Renaming, String), String>;

/// Makes edits after which everything is the same but for a name.
fn renaming(place: &Invocation, make: &dyn Fn(&Resolution, &Files) -> Renamed) -> Result<Planned, Failure> {
    let mut expectation = Expectation::Nothing;
    let planned = resolved(place, &mut |resolution, files| {
        let (edits, renaming, what) = make(resolution, files)?;
        expectation = Expectation::Renamed(Arc::new(renaming));
        Ok((edits, what))
    })?;
    Ok(planned.map(|plan| Plan { expectation, ..plan }))
}

impl FileOptions {
    fn plan(&self, place: &Invocation) -> Result<Planned, Failure> {
        let [from, to] = [place.inside(&self.old)?, place.inside(&self.new)?];
        let source = place.open(&State::Worktree)?;
        let entry = match source.listing().resolve(&from) {
            Ok(entry) if *entry.path == *from => entry,
            _ => return Ok(Err(format!("{from} is no file"))),
        };
        match source.listing().resolve(&to) {
            Ok(_) => return Ok(Err(format!("{to} exists already"))),
            // A commit would not have it.
            Err(ResolveError::Unavailable(why)) => return Ok(Err(format!("{to} cannot be its path: {why}"))),
            Err(_) if source.listing().is_dir(&to) => return Ok(Err(format!("{to} exists already"))),
            Err(_) => {}
        }
        let Ok(text) = String::from_utf8(source.read(entry)?.to_vec()) else {
            return Ok(Err(format!("{from} is not valid UTF-8")));
        };
        let planned = resolved(place, &mut |resolution, files| rename::file([&from, &to], resolution, files))?;
        Ok(planned.map(|mut plan| {
            plan.texts.entry(from.clone()).or_insert_with(|| [text.clone(), text]);
            Plan { moved: Some(Moved { from, to }), expectation: Expectation::Moves, ..plan }
        }))
    }
}

impl LocalOptions {
    fn plan(&self, place: &Invocation) -> Result<Planned, Failure> {
        let file = self.file.as_ref().map(|path| place.inside(path)).transpose()?;
        resolved(place, &mut |resolution, files| {
            rename::local([&self.old, &self.new], file.as_deref(), resolution, files)
        })
    }
}
