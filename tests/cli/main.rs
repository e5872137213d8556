//! The built binary in real repositories.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::disallowed_methods, reason = "these tests write files, run git and the binary")]

mod affected;
mod broken;
mod causes;
mod code_changes;
#[path = "../common/mod.rs"]
mod common;
mod completion;
mod contracts;
mod coverage;
mod damage;
mod danger;
mod demo;
mod describe;
mod docs;
mod eval;
mod formats;
mod functions;
mod garden;
mod garden_hook;
mod graphs;
mod hook;
mod hostile;
mod infra;
mod judging;
mod locals;
mod lsp;
mod narrowed;
mod not_in_git;
mod odd_files;
mod other_components;
mod outcomes;
mod page;
mod places;
mod planted;
mod policies;
mod progress;
mod projects;
mod questions;
mod reading;
mod renames;
mod revisions;
mod snapshots;
mod terragrunt;
mod text;
mod tofu;
mod tofu_affected;
mod tofu_coverage;
mod tofu_declarations;
mod tofu_plan;
mod tofu_static;
mod tofu_syntax;
mod unknown_values;
mod validation;
mod workflows;
