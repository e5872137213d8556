//! Questions about one state, answered from the provenance that resolving leaves: where a value comes from ([`why`]), and
//! what a line of a file ([`impact`]) or files ([`reach`]) reach.
//!
//! This module is independent of any system, and neither resolves nor reads files.

mod code;
pub(crate) mod graphs;
pub(crate) mod impact;
mod imports;
pub(crate) mod path;
pub(crate) mod reach;
mod spans;
pub(crate) mod why;

pub(crate) use spans::Lines;
