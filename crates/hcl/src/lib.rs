#![doc = include_str!("../README.md")]

pub mod ast;
pub mod eval;
pub mod functions;
pub mod items;
pub mod parse;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
pub mod types;
#[cfg(test)]
mod unknown_tests;
pub mod val;

use ast::{Expr, ExprKind, Part, Span};
use shared_text::Text;

/// A constant text as an expression.
pub fn parse_text(text: &Text, span: Span) -> Expr {
    let parts = if text.is_empty() { Vec::new() } else { vec![Part::Text(Text::clone(text))] };
    Expr { span, kind: ExprKind::Template(parts) }
}
