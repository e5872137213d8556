//! Why a text is not a template.

use super::ast::Span;
use crate::text::Text;

/// Why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParseError {
    /// The text that was parsed: the template, or a string literal in it.
    pub raw: Text,
    pub message: &'static str,
    /// Where, in that text.
    pub span: Span,
}

/// The message for text that is not a template.
pub(crate) const UNPARSABLE: &str = "Unable to parse as valid template string.";
/// The message for text that nests too deeply for the parser.
pub(crate) const TOO_DEEP: &str = "The template string is nested too deeply.";
