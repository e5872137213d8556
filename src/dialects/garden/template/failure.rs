//! Why a template has no value.

use super::syntax::ast::{LanguageVersion, Span};
use super::syntax::error::ParseError;
use crate::text::Text;
use crate::value::Prov;

/// A result of an evaluation. Failures are rare and large.
pub(crate) type Result<T> = std::result::Result<T, Box<Failure>>;

/// Why something has no value.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The message with the templates that led to it, as printed by Garden.
    pub message: String,
    /// The innermost message alone.
    pub plain: String,
    /// The key that is not there, and those that are, where that is the mistake. They may differ by environment.
    pub missing: Option<MissingKey>,
    pub kind: FailureKind,
    /// Whether a value that reads itself is behind it.
    pub circular: bool,
    /// Where the innermost template is written.
    pub place: Prov,
    /// The part of that template.
    pub span: Option<Span>,
}

/// A key that is not there.
#[derive(Clone, Debug)]
pub(crate) struct MissingKey {
    pub key: Text,
    /// The available keys.
    pub available: Vec<Text>,
    /// Whether it is the first one of its path: a context, not something in one.
    pub is_root: bool,
}

/// The kind of failure of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The text is not a template.
    Parse,
    /// A key that is not there.
    MissingKey,
    /// A lookup into a value that has no keys.
    NotIndexable,
    /// A value that reads itself.
    Circular,
    /// A function that is not there.
    UnknownFunction,
    /// Wrong arguments of a function, or one that fails.
    Function,
    /// An operand of the wrong type.
    Operand,
    /// A structural operator (`$merge`, `$if`, …) that is written or used wrongly.
    Structure,
    /// Rejected by a context.
    Refused,
    /// A limit is exceeded.
    Limit,
}

impl Failure {
    /// A failure outside of a template string.
    pub(crate) fn plain(kind: FailureKind, message: impl Into<String>, place: &Prov) -> Box<Failure> {
        let message = message.into();
        let circular = kind == FailureKind::Circular;
        Box::new(Failure {
            plain: message.clone(),
            message,
            kind,
            circular,
            place: place.clone(),
            span: None,
            missing: None,
        })
    }

    /// Text that cannot be parsed.
    pub(crate) fn parse(
        error: &ParseError,
        era: LanguageVersion,
        path: &str,
        place: &Prov,
        is_outermost: bool,
    ) -> Box<Failure> {
        let mut failure = Failure::plain(FailureKind::Parse, error.message, place);
        failure.message = enriched(era, &error.raw, path, error.message);
        failure.span = is_outermost.then(|| error.span.clone());
        failure
    }
}

/// A message with the template that it is about: `Invalid template string (${a}) at path b.0: …`.
pub(super) fn enriched(era: LanguageVersion, raw: &str, path: &str, message: &str) -> String {
    let (longest, dots) = match era {
        LanguageVersion::Cedar => (200, "..."),
        LanguageVersion::Bonsai => (35, "…"),
    };
    let mut shown = raw.to_owned();
    let units: Vec<u16> = raw.encode_utf16().collect();
    if units.len() > longest {
        shown = String::from_utf16_lossy(&units[..longest - dots.chars().count()]);
        shown.push_str(dots);
    }
    let shown = shown.replace('\n', "\\n");
    let at = if path.is_empty() || era == LanguageVersion::Bonsai { String::new() } else { format!(" at path {path}") };
    let prefix = format!("Invalid template string ({shown}){at}: ");
    if message.starts_with(&prefix) { message.to_owned() } else { format!("{prefix}{message}") }
}

/// "a, b and c".
pub(crate) fn natural_list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}
