//! `stacklint refactor rename`: another name for something, everywhere.

use super::plan::{Moved, Plan};
use super::{Common, Planned, resolved};
use crate::cli::Failure;
use crate::cli::open::{Invocation, State};
use crate::refactor::rename;
use crate::review::Expectation;
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
            Rename::Local(options) => &options.common,
        }
    }

    pub(super) fn plan(&self, place: &Invocation) -> Result<Planned, Failure> {
        match self {
            Rename::Component(options) => options.plan(place),
            Rename::File(options) => options.plan(place),
            Rename::Local(options) => options.plan(place),
        }
    }
}

impl ComponentOptions {
    fn plan(&self, place: &Invocation) -> Result<Planned, Failure> {
        let mut expectation = Expectation::Nothing;
        let planned = resolved(place, &mut |resolution, files| {
            let (edits, renaming, what) = rename::component([&self.old, &self.new], resolution, files)?;
            expectation = Expectation::Renamed(Arc::new(renaming));
            Ok((edits, what))
        })?;
        Ok(planned.map(|plan| Plan { expectation, ..plan }))
    }
}

impl FileOptions {
    fn plan(&self, place: &Invocation) -> Result<Planned, Failure> {
        let [from, to] = [place.inside(&self.old)?, place.inside(&self.new)?];
        let source = place.open(&State::Worktree)?;
        let entry = match source.listing().resolve(&from) {
            Ok(entry) if *entry.path == *from => entry,
            _ => return Ok(Err(format!("{from} is no file"))),
        };
        if source.listing().resolve(&to).is_ok() || source.listing().is_dir(&to) {
            return Ok(Err(format!("{to} exists already")));
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
