//! The tests of rules, one for each page and for each planting in a project, named after the rule: `cargo test unknown-key`
//! runs all that is about it.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::disallowed_methods, reason = "these tests read fixtures, write files and run the binary")]
#![allow(dead_code, reason = "the helpers are shared with other tests")]

#[path = "../common/mod.rs"]
mod common;
mod index;
mod pages;
mod planting;
mod policies;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

/// A test that fails by a panic.
fn trial(name: impl Into<String>, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// A test that has something to say if it fails.
fn judged(name: impl Into<String>, test: impl FnOnce() -> Result<(), String> + Send + 'static) -> Trial {
    Trial::test(name, move || test().map_err(Failed::from))
}

fn main() -> std::process::ExitCode {
    let trials =
        [index::trials(), pages::trials(), planting::trials(), policies::trials()].into_iter().flatten().collect();
    let conclusion: Conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    conclusion.exit_code()
}
