//! HCL: a parser of both syntaxes with the place of everything, and an evaluator with the types, conversions and functions of
//! the language. It knows nothing of any system: names are given a meaning by a [`Scope`](eval::Scope), files are read
//! through [`Files`](functions::Files).

pub(crate) mod ast;
pub(crate) mod eval;
pub(crate) mod functions;
pub(crate) mod parse;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
pub(crate) mod types;
pub(crate) mod val;

use crate::text::Text;
use ast::{Expr, ExprKind, Part, Span};

/// A constant text as an expression.
pub(crate) fn parse_text(text: &Text, span: Span) -> Expr {
    let parts = if text.is_empty() { Vec::new() } else { vec![Part::Text(Text::clone(text))] };
    Expr { span, kind: ExprKind::Template(parts) }
}
