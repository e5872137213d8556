//! Questions about one state, answered from the provenance that resolving leaves: where a value comes from ([`why`]), and
//! what a line of a file ([`impact`]) or files ([`reach`]) reach.
//!
//! Nothing here knows a system, resolves anything again or reads a file.

mod code;
pub mod graphs;
pub mod impact;
mod imports;
pub mod path;
pub mod reach;
mod spans;
pub mod why;

pub use spans::{Lines, opened_by};
