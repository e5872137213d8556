//! `stacklint hook`: checks what is staged before each commit.

mod install;
mod run;

use super::{Failure, Global, Outcome};
use clap::Subcommand;

/// Check what is staged before each commit.
#[derive(Debug, Subcommand)]
pub(super) enum What {
    Install(install::Install),
    Uninstall(install::Uninstall),
    Status(install::Status),
    Run(run::Options),
}

pub(super) fn run(what: &What, global: &Global) -> Result<Outcome, Failure> {
    match what {
        What::Install(options) => install::install(options, global),
        What::Uninstall(_) => install::uninstall(global),
        What::Status(_) => install::status(global),
        What::Run(options) => run::run(options, global),
    }
}
