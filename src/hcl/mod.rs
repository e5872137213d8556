//! HCL: a parser of both syntaxes with places, and an evaluator with the types, conversions and functions of the
//! language. It is independent of any system: a [`Scope`](eval::Scope) resolves names, and [`Files`](functions::Files)
//! reads files.

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
