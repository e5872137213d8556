//! Syntax trees of files and expressions, with the bytes that each part was written in.

pub mod walk;

use crate::val::number::Number;
use shared_text::Text;
use std::sync::Arc;

/// A range of bytes in the text of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Byte offset of its start in the file.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range of bytes.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end.max(start) as u32 }
    }

    /// From the start of this one to the end of another one.
    #[must_use]
    pub fn to(self, end: Span) -> Self {
        Span { start: self.start, end: end.end.max(self.start) }
    }
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its text, without quotes.
    pub text: Text,
    /// The bytes that it covers in the file.
    pub span: Span,
}

/// The content of a file or a block.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Arguments in the order of the text; a name can come twice.
    pub attributes: Vec<Attribute>,
    /// Blocks in the order of the text.
    pub blocks: Vec<Block>,
    /// Its place, including braces.
    pub span: Span,
}

impl Body {
    /// The first argument of a name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| *a.name.text == *name)
    }

    /// The blocks of a type.
    pub fn blocks_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Block> + Clone {
        self.blocks.iter().filter(move |b| *b.kind.text == *kind)
    }
}

/// An argument: `name = expression`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name before the `=`.
    pub name: Name,
    /// The expression behind the `=`, shared so that evaluation may keep it.
    pub expr: Arc<Expr>,
}

impl Attribute {
    /// The place of name and value.
    pub fn span(&self) -> Span {
        self.name.span.to(self.expr.span)
    }
}

/// A block: `kind "label" { … }`.
#[derive(Clone, Debug)]
pub struct Block {
    /// The word that it begins with: `resource`.
    pub kind: Name,
    /// The words between its type and the `{`, without quotes.
    pub labels: Vec<Name>,
    /// The attributes and blocks between its braces.
    pub body: Body,
}

impl Block {
    /// Where its type and labels were written.
    pub fn header(&self) -> Span {
        self.labels.last().map_or(self.kind.span, |last| self.kind.span.to(last.span))
    }

    /// The label at an index, from 0.
    pub fn label(&self, index: usize) -> Option<&Text> {
        self.labels.get(index).map(|l| &l.text)
    }
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The bytes that it covers in the file.
    pub span: Span,
    /// What it is made of.
    pub kind: ExprKind,
}

/// The kind of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A literal number, exact.
    Number(Number),
    /// A string or a heredoc.
    Template(Vec<Part>),
    /// A string that is exactly one interpolation, and keeps the type of its value.
    Wrapped(Box<Expr>),
    /// A reference: a name and the steps from it that need no evaluation.
    Traversal(Name, Vec<TraversalStep>),
    /// Steps from another expression.
    Access(Box<Expr>, Vec<TraversalStep>),
    /// An element whose key is computed.
    Index(Box<Expr>, Box<Expr>),
    /// An expression for each element; inside, [`ExprKind::Element`] is the element.
    Splat(Box<Expr>, Box<Expr>),
    /// The element of the splat around it.
    Element,
    /// A call of a function.
    Call(Call),
    /// An operation on one value.
    Unary(UnaryOp, Box<Expr>),
    /// An operation on two values.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? first : second`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `[a, b]`.
    Tuple(Vec<Expr>),
    /// `{a = b}`; a key that is a bare name is that text.
    Object(Vec<(Expr, Expr)>),
    /// `[for …]` or `{for …}`.
    For(Box<For>),
    /// An expression in parentheses.
    Paren(Box<Expr>),
}

/// A part of a template.
#[derive(Clone, Debug)]
pub enum Part {
    /// Text, with escapes resolved.
    Text(Text),
    /// `${expression}`.
    Value(Expr),
    /// `%{if condition}…%{else}…%{endif}`.
    If(Expr, Vec<Part>, Vec<Part>),
    /// A part for each element.
    For(Box<TemplateFor>),
}

/// A `for` directive of a template.
#[derive(Clone, Debug)]
pub struct TemplateFor {
    /// The name of the key, if there is one.
    pub key: Option<Name>,
    /// The name of the element.
    pub value: Name,
    /// The expression behind `in`.
    pub collection: Expr,
    /// The body, rendered for each element.
    pub body: Vec<Part>,
}

/// A step from a value to something inside of it.
#[derive(Clone, Debug)]
pub enum TraversalStep {
    /// `.name`
    Attribute(Name),
    /// `[0]`, `["key"]`, or the old `.0`
    Index(Key, Span),
}

impl TraversalStep {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            TraversalStep::Attribute(name) => name.span,
            TraversalStep::Index(_, span) => *span,
        }
    }
}

/// A key in brackets that is a literal.
#[derive(Clone, Debug)]
pub enum Key {
    /// `[0]`.
    Number(Number),
    /// `["name"]`.
    Text(Text),
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The name, namespaces included.
    pub name: Name,
    /// The arguments in the order of the call.
    pub arguments: Vec<Expr>,
    /// Whether the last argument is expanded (`...`).
    pub expands: bool,
}

/// Operations on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
}

/// Operations on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// A `for` expression.
#[derive(Clone, Debug)]
pub struct For {
    /// The name of the key, if there is one.
    pub key_name: Option<Name>,
    /// The name of the element.
    pub value_name: Name,
    /// The expression behind `in`.
    pub collection: Expr,
    /// The key of each element, where the result is an object.
    pub key: Option<Expr>,
    /// The value of each element.
    pub value: Expr,
    /// Whether elements of the same key are put together (`...`).
    pub groups: bool,
    /// The expression behind `if`: elements for which it is false are left out.
    pub condition: Option<Expr>,
}

/// A syntax error with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What, in a few words.
    pub summary: &'static str,
    /// What, in a sentence.
    pub detail: String,
    /// The bytes that it covers in the file.
    pub span: Span,
}
