//! The syntax tree of a template. Every node has its byte range in the text (`span`) and the position that Go reports
//! for it (`pos`).

use super::text::Number;
use shared_text::Text;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::ops::Range;
use traced_value::Value;

/// A sequence of nodes.
pub(super) type List = Vec<Node>;

/// The bodies that `define` and `block` gave names to.
pub(super) type Definitions = BTreeMap<String, List>;

/// One piece of a template.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Text outside of actions, without what trim markers took away.
    Text(Range<usize>),
    /// `{{ pipeline }}`.
    Action { pipe: Pipe, span: Range<usize> },
    /// `if`, `with` or `range`.
    Branch(Box<Branch>),
    /// `template` or `block`.
    Template { name: String, pipe: Option<Pipe>, pos: usize },
    /// `break`.
    Break,
    /// `continue`.
    Continue,
}

impl Node {
    /// The path of the field, if the node only puts its value into the output.
    pub(super) fn field(&self) -> Option<&[Text]> {
        match self {
            Node::Action { pipe, .. } if pipe.variables.is_empty() => match pipe.commands.as_slice() {
                [Command { words, .. }] => match words.as_slice() {
                    [Expr { kind: ExprKind::Field(path), .. }] => Some(path),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// Which construct a [`Branch`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchKind {
    /// `if`.
    If,
    /// `with`.
    With,
    /// `range`.
    Range,
}

/// A construct with a body and perhaps an alternative.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) kind: BranchKind,
    pub(super) pipe: Pipe,
    pub(super) body: List,
    pub(super) alternative: Option<List>,
    /// From the delimiter (or, for `else if`, from the second keyword) to the end of `{{end}}`.
    pub(super) span: Range<usize>,
    /// It continues an `else`, so its span lacks the left delimiter.
    pub(super) chained: bool,
}

/// Commands, each fed into the next, with the variables that take the result.
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    pub(super) variables: Vec<String>,
    /// `=` rather than `:=`.
    pub(super) assigns: bool,
    pub(super) commands: Vec<Command>,
    pub(super) pos: usize,
}

/// A function, field or value with its arguments; never empty.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) words: Vec<Expr>,
    pub(super) pos: usize,
}

impl Command {
    /// From the first to the last word.
    pub(super) fn span(&self) -> Range<usize> {
        match (self.words.first(), self.words.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => self.pos..self.pos,
        }
    }
}

/// One word of a command.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Range<usize>,
    pub(super) pos: usize,
}

/// The kind of a word.
#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    /// `true` or `false`.
    Bool(bool),
    /// `.`.
    Dot,
    /// `nil`.
    Nil,
    /// A number or a character constant.
    Number { number: Number, text: Box<str> },
    /// A string, read and as written.
    Str { value: Value, source: Box<str> },
    /// `.a.b`.
    Field(Vec<Text>),
    /// `$x.a.b`.
    Variable { name: Box<str>, fields: Vec<Text> },
    /// The name of a function.
    Function(Box<str>),
    /// `(…)`.
    Pipe(Box<Pipe>),
    /// `(…).a.b` or `name.a.b`.
    Chain { base: Box<Expr>, fields: Vec<Text> },
}

/// Whether a body is empty but for space, so that it does not count as a second definition.
pub(super) fn is_blank(list: &List, text: &str) -> bool {
    list.iter().all(|n| matches!(n, Node::Text(span) if text[span.clone()].trim().is_empty()))
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.variables.is_empty() {
            f.write_str(&self.variables.join(", "))?;
            f.write_str(if self.assigns { " = " } else { " := " })?;
        }
        for (i, command) in self.commands.iter().enumerate() {
            if i > 0 {
                f.write_str(" | ")?;
            }
            command.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, word) in self.words.iter().enumerate() {
            if i > 0 {
                f.write_char(' ')?;
            }
            if let ExprKind::Pipe(pipe) = &word.kind {
                write!(f, "({pipe})")?;
            } else {
                word.fmt(f)?;
            }
        }
        Ok(())
    }
}

/// As Go prints it in error messages: a pipeline in parentheses comes without them.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields =
            |f: &mut fmt::Formatter<'_>, fields: &[Text]| fields.iter().try_for_each(|field| write!(f, ".{field}"));
        match &self.kind {
            ExprKind::Bool(b) => b.fmt(f),
            ExprKind::Dot => f.write_char('.'),
            ExprKind::Nil => f.write_str("nil"),
            ExprKind::Number { text, .. } => f.write_str(text),
            ExprKind::Str { source, .. } => f.write_str(source),
            ExprKind::Field(names) => fields(f, names),
            ExprKind::Variable { name, fields: names } => {
                f.write_str(name)?;
                fields(f, names)
            }
            ExprKind::Function(name) => f.write_str(name),
            ExprKind::Pipe(pipe) => pipe.fmt(f),
            ExprKind::Chain { base, fields: names } => {
                if let ExprKind::Pipe(pipe) = &base.kind {
                    write!(f, "({pipe})")?;
                } else {
                    base.fmt(f)?;
                }
                fields(f, names)
            }
        }
    }
}

impl Pipe {
    /// Whether it declares or assigns a variable that outlives it.
    pub(super) fn declares(&self) -> bool {
        fn inside(expr: &Expr) -> bool {
            match &expr.kind {
                ExprKind::Pipe(pipe) => pipe.declares(),
                ExprKind::Chain { base, .. } => inside(base),
                _ => false,
            }
        }
        !self.variables.is_empty() || self.commands.iter().any(|c| c.words.iter().any(inside))
    }
}
