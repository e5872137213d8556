//! `stacklint refactor rename`: another name for something, everywhere.

use super::Common;
use crate::cli::Failure;
use crate::cli::open::Invocation;
use crate::refactor::{Named, Refactoring};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Give something another name, where it is defined and where it is named: every stack is resolved before and after, in memory.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Rename {
    /// Rename a component of all stacks; what keeps its code and its state in place is added. Of a unit, the folder moves
    Component(ComponentOptions),
    /// Move a file, and change the paths by which others import it
    File(FileOptions),
    /// Rename a stack; what keeps the states of its components in place is added
    Stack(Names),
    /// Rename a local of a file, where it is defined and where it is read
    Local(LocalOptions),
}

#[derive(Args, Debug)]
pub(in crate::cli) struct Names {
    /// What it is called
    #[arg(value_name = "OLD")]
    old: String,
    /// Its new name
    #[arg(value_name = "NEW")]
    new: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ComponentOptions {
    #[command(flatten)]
    names: Names,
    /// Rename it also if its state is searched elsewhere afterwards, and say where it has to move
    #[arg(long)]
    move_state: bool,
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
    #[command(flatten)]
    names: Names,
    /// The file that defines it [default: the only one that does]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Rename {
    pub(super) fn common(&self) -> &Common {
        match self {
            Rename::Component(options) => &options.names.common,
            Rename::Stack(names) => &names.common,
            Rename::File(options) => &options.common,
            Rename::Local(options) => &options.names.common,
        }
    }

    pub(super) fn refactoring(&self, place: &Invocation) -> Result<Refactoring, Failure> {
        let of = |what, names: &Names| Refactoring::Rename { what, old: names.old.clone(), new: names.new.clone() };
        Ok(match self {
            Rename::Component(options) => of(Named::Component { moves_state: options.move_state }, &options.names),
            Rename::Stack(names) => of(Named::Stack, names),
            Rename::File(options) => Refactoring::Rename {
                what: Named::File,
                old: place.inside(&options.old)?,
                new: place.inside(&options.new)?,
            },
            Rename::Local(options) => {
                let file = options.file.as_ref().map(|path| place.inside(path)).transpose()?;
                of(Named::Local(file), &options.names)
            }
        })
    }
}
