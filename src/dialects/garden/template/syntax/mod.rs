//! From the text of a template to its syntax tree: `parse` (parts), `expression` and `literals` (what stands between braces),
//! over a `cursor`.

pub(crate) mod ast;
mod cursor;
pub(crate) mod error;
mod expression;
mod literals;
pub(crate) mod number;
pub(crate) mod parse;
pub(crate) mod path;
