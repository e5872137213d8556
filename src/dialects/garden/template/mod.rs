//! Garden's template language: strings with `${…}` in them and structural operators, evaluated lazily.
//!
//! `syntax` (from text to the syntax tree) → `node` (the values) → `structure` (data with templates in it) →
//! `evaluation` (their values in a context). `uses` lists the contents of a value. The language is that of Garden 0.14;
//! differences in 0.13 depend on the [era](syntax::ast::LanguageVersion).

pub(crate) mod evaluation;
pub(crate) mod failure;
pub(crate) mod node;
pub(crate) mod structure;
pub(crate) mod syntax;
#[cfg(test)]
mod tests;
pub(crate) mod uses;
