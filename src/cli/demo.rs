//! `stacklint demo`: the main job on a small built-in repository.

use super::open::Place;
use super::{Cli, Command, Failure, Global, Outcome, diff, output};
use crate::source::{Commit, Scratch};
use clap::{Args, Parser};
use std::collections::BTreeMap;
use std::io::Write;

/// Show the main job on a small built-in repository.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Keep the repository and say where it is
    #[arg(long)]
    keep: bool,
}

/// What the demonstration stands for, as one would type it.
const COMMAND: [&str; 3] = ["stacklint", "diff", "HEAD~1..HEAD"];

/// Paths and contents of files below `fixtures/demo`.
macro_rules! files {
    ($side:literal: $($path:literal)*) => {
        [$(($path, include_str!(concat!("../../fixtures/demo/", $side, "/", $path)))),*]
    };
}

const BASE: [(&str, &str); 11] = files!("base":
    "atmos.yaml"
    "stacks/catalog/backup.yaml"
    "stacks/catalog/database.yaml"
    "stacks/catalog/defaults.yaml"
    "stacks/catalog/services.yaml"
    "stacks/deploy/core/dev.yaml"
    "stacks/deploy/core/prod.yaml"
    "stacks/deploy/core/staging.yaml"
    "stacks/deploy/plat/dev.yaml"
    "stacks/deploy/plat/prod.yaml"
    "stacks/deploy/plat/staging.yaml"
);

/// Only what the second commit changes.
const HEAD: [(&str, &str); 5] = files!("head":
    "stacks/catalog/database.yaml"
    "stacks/catalog/services.yaml"
    "stacks/deploy/core/prod.yaml"
    "stacks/deploy/plat/prod.yaml"
    "stacks/deploy/plat/staging.yaml"
);

pub(super) fn run(options: &Options, global: &Global) -> Result<Outcome, Failure> {
    let base = Commit { message: "Two tenants with three stages each", files: BTreeMap::from(BASE) };
    let files = BASE.into_iter().chain(HEAD).collect();
    let head = Commit { message: "Keep logs longer, and some smaller changes", files };
    let scratch = Scratch::new(&[base, head])?;
    let Ok(Cli { command: Command::Diff(diff), .. }) = Cli::try_parse_from(COMMAND) else {
        return Err(Failure::Message("the demonstration has no diff to show".to_owned()));
    };
    {
        let mut out = output::stdout();
        writeln!(
            out,
            "An example with two commits, and what the second one changes in the configuration of every component:"
        )?;
        writeln!(out, "$ {}\n", COMMAND.join(" "))?;
        out.flush()?;
    }
    let outcome = diff::run_at(&Place::of(scratch.repository()?), &diff, global)?;
    let mut out = output::stdout();
    writeln!(out, "\nNext, in a repository of yours: `stacklint diff main...HEAD` or `stacklint check`.")?;
    if options.keep {
        writeln!(out, "The example is in {}", scratch.keep().display())?;
    } else {
        writeln!(out, "To look at the example itself: `stacklint demo --keep`.")?;
    }
    out.flush()?;
    Ok(outcome)
}
