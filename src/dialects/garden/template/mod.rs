//! Garden's template language: strings with `${…}` in them and structural operators, evaluated lazily.
//!
//! `syntax` (from text to the syntax tree) → `node` (the values) → `structure` (data with templates in it) → `evaluation` (what
//! it comes to in a context). `uses` says what is written in a value. The language is that of Garden 0.14; where 0.13 differs, the
//! [era](syntax::ast::Era) says so.

pub(crate) mod evaluation;
pub(crate) mod failure;
pub(crate) mod node;
pub(crate) mod structure;
pub(crate) mod syntax;
#[cfg(test)]
mod tests;
pub(crate) mod uses;
