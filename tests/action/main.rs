//! The action on a simulated runner: its steps are read from `action.yml` and run with the variables, files and events
//! that GitHub provides.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "these tests write files, run git, bash and the binary"
)]

mod comments;
#[allow(dead_code, reason = "other tests need the rest")]
#[path = "../common/mod.rs"]
mod common;
mod definition;
mod events;
mod garden;
mod hostile;
mod install;
mod runner;
mod supply;
