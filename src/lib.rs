//! stacklint reviews changes of stack configuration: what changes in every component, and which line causes it.
//!
//! # Data flow
//! `source` (bytes of a revision) → `yaml` (spanned documents) → `dialects` (a system's own rules; they use
//! `template` and make `value`s) → `resolution` (stacks and components, every value with its provenance) → `diff` and
//! `rules` (which also ask `terraform` what the code of a component declares) → `diagnostic` → `report`. `review` runs
//! these stages for one revision or two; `cli` parses arguments and writes the result.
//!
//! # Invariants
//! 1. Modules depend only on what is to their left in that flow: `CONTRIBUTING.md` has the table, `tests/architecture`
//!    enforces it. Nothing right of `source` does I/O or reads the clock or the environment: `clippy.toml` enforces it.
//! 2. A mistake in the user's files is a finding with a place, never an `Err`: a broken file invalidates its dependents,
//!    and everything else is still resolved. `Err` is for what stacklint itself could not do.
//! 3. Nothing is executed or fetched. A value that is known only at run time is unknown, with the reason.
//! 4. One cause, one finding: reported at the authored line, with the affected stacks, never once per stack.
//! 5. Both revisions go through the same code; the side is data. The same input gives the same bytes at any thread count.
//! 6. Work is shared by identity: a blob is parsed once, equal imports are merged once, unchanged values are shared. The
//!    cost of comparing two revisions depends on what changed.
//! 7. Every cache has an owner and is dropped with it; only [`main`] skips drops. `tests/architecture` enforces it.
//!
//! # Public API
//! The crate is a program: [`main`] runs it. [`testing`] is for its benchmarks and integration tests. Everything else is
//! private to the crate, so that the compiler finds what is unused.

#![recursion_limit = "256"]

mod affected;
mod cli;
mod code;
mod diagnostic;
mod dialects;
mod diff;
mod environments;
mod files;
#[cfg(test)]
mod fuzz;
mod graph;
mod limits;
mod lsp;
mod manifests;
mod paths;
mod policies;
mod query;
mod reads;
mod refactor;
mod report;
mod resolution;
mod review;
mod rules;
mod settings;
mod source;
mod syntax;
mod terraform;
pub mod testing;
mod threads;
mod unit;
mod validation;
mod value;

pub use cli::main;

// Crates of the workspace by the names of the table in `CONTRIBUTING.md`.
use ::hcl;
use go_compat as go;
use go_template as template;
use shared_text as text;
use spanned_yaml as yaml;
