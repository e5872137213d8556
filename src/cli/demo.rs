//! `stacklint demo`.

use super::{Failure, Global, Outcome};
use clap::Args;

/// Show the main job on a small built-in repository.
#[derive(Args, Debug)]
pub(super) struct Options {}

pub(super) fn run(_options: &Options, _global: &Global) -> Result<Outcome, Failure> {
    Ok(Outcome::Clean)
}
