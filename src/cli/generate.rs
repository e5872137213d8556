//! `stacklint completions` and `man`: files for shells and `man`, generated from the definition of the command line.

use super::{Cli, Failure, Outcome, complete, output};
use crate::report::log::OutputKind;
use clap::{Args, CommandFactory};
use std::io::Write;

/// Print a shell completion script for commands, options, stacks, components and paths.
#[derive(Args, Debug)]
pub(super) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

/// Print the manual page.
#[derive(Args, Debug)]
pub(super) struct Man {
    /// The page of this command instead of that of stacklint as a whole
    command: Option<String>,
}

pub(super) fn completions(options: &Completions) -> Result<Outcome, Failure> {
    let mut text = Vec::new();
    complete::write_script(&options.shell.to_string(), &mut text)?;
    let mut out = output::stdout_of(OutputKind::Raw);
    out.write_all(&text)?;
    out.flush()?;
    Ok(Outcome::Clean)
}

pub(super) fn man(options: &Man) -> Result<Outcome, Failure> {
    let mut whole = Cli::command();
    // Names the pages of the commands after the whole: stacklint-diff(1).
    whole.build();
    let command = match &options.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(command) => command.clone(),
            None => return Err(Failure::Message(format!("there is no command `{name}`"))),
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    let mut out = output::stdout_of(OutputKind::Raw);
    out.write_all(&text)?;
    out.flush()?;
    Ok(Outcome::Clean)
}
