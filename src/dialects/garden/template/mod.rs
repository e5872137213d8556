//! Garden's template language: strings with `${…}` in them and structural operators, evaluated lazily.
//!
//! `parse`, `expression`, `literals` over a `cursor` (from text to the syntax tree in `ast`) → `structure` (data with templates
//! in it) → `eval` with `expression_value`, `operators` and `functions` (what it comes to) in a `context`. `references` says
//! what a value looks up without evaluating it, `uses` what is written in it. The language is that of Garden 0.14; where 0.13 differs, the
//! [era](ast::Era) says so.

pub(crate) mod ast;
pub(crate) mod context;
pub(crate) mod convert;
mod cursor;
pub(crate) mod error;
pub(crate) mod eval;
mod expression;
mod expression_value;
pub(crate) mod functions;
pub(crate) mod json;
mod literals;
pub(crate) mod merge;
pub(crate) mod node;
mod operators;
pub(crate) mod parse;
pub(crate) mod path;
pub(crate) mod references;
pub(crate) mod structure;
#[cfg(test)]
mod tests;
pub(crate) mod uses;
