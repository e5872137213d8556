//! stacklint reviews changes of stack configuration: what will be different in every component, because of which line.
//!
//! # The way of the data
//! [`source`] (bytes of a revision) → [`yaml`] (spanned documents) → [`dialects`] (a system's own rules; they use
//! [`template`] and make [`value`]s) → [`resolution`] (stacks and components, every value with its provenance) → [`diff`] and
//! [`rules`] (which also ask [`terraform`] what the code of a component declares) → [`diagnostic`] → [`report`]. [`review`] runs
//! that way for two revisions or one; [`cli`] is what was typed.
//!
//! # Invariants
//! 1. Modules depend only to the left of that flow, as the table in `CONTRIBUTING.md` says and `tests/architecture` enforces. Nothing right of `source` does I/O, reads the clock or the environment;
//!    `clippy.toml` enforces it.
//! 2. A mistake in the user's files is a finding with a place, never an `Err`: a broken file poisons what depends on it,
//!    and all the rest is still resolved. `Err` is for what stacklint itself could not do.
//! 3. Nothing is executed or fetched. What only a running system knows is unknown, with the reason.
//! 4. One cause, one finding: reported at the authored line, with the stacks that it reaches, never once a stack.
//! 5. Both revisions go through the same code; the side is data. The same input gives the same bytes at any thread count.
//! 6. Work is shared by identity: a blob is parsed once, equal imports are merged once, unchanged values are shared, so
//!    that comparing two revisions costs what changed.

pub mod affected;
pub mod cli;
pub mod code;
pub mod diagnostic;
pub mod dialects;
pub mod diff;
pub mod files;
#[cfg(test)]
mod fuzz;
mod go;
pub mod graph;
mod hcl;
pub mod limits;
pub mod lsp;
pub mod policies;
pub mod query;
pub mod report;
pub mod resolution;
pub mod review;
pub mod rules;
pub mod settings;
pub mod source;
mod syntax;
pub mod template;
pub mod terraform;
mod text;
mod threads;
mod validation;
pub mod value;
pub mod yaml;
