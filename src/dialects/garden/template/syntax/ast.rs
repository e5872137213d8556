//! The syntax tree of a template string. Spans are byte ranges of the string that was parsed.

use super::number::number_text;
use super::path::{Segment, joined};
use crate::text::Text;
use std::ops::Range;
use std::sync::Arc;

/// The maximum number of segments of a path whose ends are prepared.
const MOST_PREPARED: usize = 8;

/// A range of bytes in the raw text of a template.
pub(crate) type Span = Range<u32>;

/// Which version of the language a project is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum LanguageVersion {
    /// Garden 0.14, `apiVersion: garden.io/v2`.
    #[default]
    Cedar,
    /// Garden 0.12 and 0.13, `garden.io/v0` and `garden.io/v1`.
    Bonsai,
}

/// A parsed template string.
#[derive(Debug)]
pub(crate) struct Template {
    /// The text as it is written.
    pub raw: Text,
    /// Where it is in its document, for messages: `spec.command.0`.
    pub path: Text,
    /// Its parts.
    pub block: Block,
}

/// Parts that follow each other. Without parts it is the empty text; a single part keeps its type.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub parts: Vec<Part>,
}

/// A part of a template string.
#[derive(Debug)]
pub(crate) enum Part {
    /// Text that stays.
    Text(Text),
    /// `$${…}`, which loses its first dollar.
    Escaped(Text),
    Format(Format),
    /// `${if …}…${else}…${endif}`.
    If(Box<IfBlock>),
}

/// An expression between braces.
#[derive(Debug)]
pub(crate) struct Format {
    pub expr: Expr,
    /// From the dollar to behind the brace (and the optional suffix).
    pub span: Span,
    /// Whether a `?` follows, which only [`LanguageVersion::Bonsai`] supports.
    pub optional: bool,
}

/// A conditional block.
#[derive(Debug)]
pub(crate) struct IfBlock {
    pub condition: Format,
    /// The branches, if the block is closed: the text for a true condition, and for a false one.
    pub branches: Option<(Block, Block)>,
    pub span: Span,
}

/// An expression with its place.
#[derive(Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// An expression.
#[derive(Debug)]
pub(crate) enum ExprKind {
    Null,
    /// `true`, `false`.
    Bool(bool),
    Number(f64),
    /// Text without templates in it.
    Text(Text),
    /// A string literal with templates in it: its content and the parts.
    Nested(Arc<Template>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `name(a, b)`.
    Call {
        /// The name of the function.
        name: Text,
        arguments: Vec<Expr>,
    },
    /// `a.b["c"]`.
    Lookup(KeyPath),
    Not(Box<Expr>),
    /// `typeof a`.
    TypeOf(Box<Expr>),
    /// `a contains b`.
    Contains(Box<Expr>, Box<Expr>),
    /// `a + b - c`: operators of one level, from left to right.
    Chain(Box<Expr>, Vec<(Operator, Expr)>),
    /// `a || b || c`.
    Or(Vec<Expr>),
    /// `a && b && c`.
    And(Vec<Expr>),
    /// `a ? b : c`.
    Ternary(Box<[Expr; 3]>),
}

/// A segment of a key path.
#[derive(Debug)]
pub(crate) enum Key {
    /// A name: `.b`.
    Name(Text),
    /// An integer: `.1`.
    Index(f64),
    /// An expression in brackets.
    Computed(Expr),
}

/// A key path as it is written: `a.b["c"]`.
#[derive(Debug)]
pub(crate) struct KeyPath {
    pub keys: Vec<Key>,
    /// Its segments, if none of them needs evaluation.
    pub(crate) segments: Option<Vec<Segment>>,
    /// See [`joined`]: the text of the whole path, of the path without its first segment, and so on. Only of short paths.
    pub(crate) joined: Vec<Text>,
}

impl KeyPath {
    pub(super) fn new(keys: Vec<Key>) -> KeyPath {
        let segments: Option<Vec<Segment>> = keys.iter().map(segment).collect();
        let short = segments.as_deref().filter(|segments| segments.len() <= MOST_PREPARED).unwrap_or_default();
        let joined = (0..short.len()).map(|first| joined(&short[first..])).collect();
        KeyPath { keys, segments, joined }
    }
}

/// The segment that a key is, if it need not be evaluated.
fn segment(key: &Key) -> Option<Segment> {
    match key {
        Key::Name(name) => Some(Segment { text: Text::clone(name), is_number: false }),
        Key::Index(n) => Some(Segment { text: number_text(*n).into(), is_number: true }),
        Key::Computed(_) => None,
    }
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl Operator {
    /// As it is written.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::LessEqual => "<=",
            Operator::GreaterEqual => ">=",
            Operator::Less => "<",
            Operator::Greater => ">",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
        }
    }
}
