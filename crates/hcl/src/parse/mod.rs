//! The parser of the native syntax. Every node has its byte range; errors are collected, and the rest of the file is
//! still parsed.

mod body;
mod expr;
pub mod json;
mod outline;
mod scan;
mod template;

use crate::ast::{Body, Expr, ExprKind, Span, SyntaxError};
pub use outline::parse_outline;
use shared_text::Text;

/// How deep blocks and expressions nest. Each level takes some stack.
const MAX_DEPTH: usize = 150;
/// How high the tree of an expression grows: nesting, and the operators, computed indexes and splats of one chain
/// (`a + b + c`). Whatever walks the tree recurses as deep.
const MAX_HEIGHT: usize = 1000;
/// The digits and decimal exponents of all numbers of a file. A large exponent takes little text and much time.
const MAX_DIGITS: usize = 4_000_000;
/// Most errors that are reported of one file.
const MAX_ERRORS: usize = 50;

/// A file as far as it could be read.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// What could be read; errors do not end the reading.
    pub body: Body,
    /// The syntax errors; none if all could be read.
    pub errors: Vec<SyntaxError>,
}

/// The expression could not be read; the error is noted.
#[derive(Clone, Copy, Debug)]
struct Broken;

type Read<T> = Result<T, Broken>;

/// How strictly the content of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As the language defines it.
    Strict,
    /// A block may begin on the line of its opening brace and end on the line of its last item, whatever it contains:
    /// `variable "x" { type = string` and more lines. Its meaning is clear.
    Lenient,
}

/// The length of the line that `rest` begins with, without its line end, if it ends a heredoc: it has nothing but the marker and white
/// space around it.
pub fn end_of_heredoc(rest: &str, marker: &str) -> Option<usize> {
    let line = rest.split('\n').next().unwrap_or_default();
    (line.trim() == marker).then(|| line.strip_suffix('\r').unwrap_or(line).len())
}

/// Reads the content of a file. A byte order mark counts as white space.
pub fn parse_body(text: &str, layout: Layout) -> Parsed {
    let mut parser = Parser { layout, ..Parser::of_file(text) };
    let body = parser.file();
    Parsed { body, errors: parser.errors }
}

/// Reads one expression.
///
/// # Errors
/// What is wrong with it, or that something follows it.
pub fn parse_expression(text: &str) -> Result<Expr, Vec<SyntaxError>> {
    let mut parser = Parser::new(text);
    parser.free = true;
    let Ok(expr) = parser.expression() else { return Err(parser.errors) };
    parser.blank();
    if parser.pos < text.len() {
        let detail = "An expression was successfully parsed, but extra characters were found after it.";
        parser.error("Extra characters after expression", detail, parser.next_span());
    }
    if parser.errors.is_empty() { Ok(expr) } else { Err(parser.errors) }
}

/// Reads a text as a template without quotes.
///
/// # Errors
/// What is wrong with it.
pub fn parse_template(text: &str) -> Result<Expr, Vec<SyntaxError>> {
    let mut parser = Parser::new(text);
    match parser.bare_template() {
        Ok(expr) if parser.errors.is_empty() => Ok(expr),
        _ => Err(parser.errors),
    }
}

/// A string in a JSON file is a template whose text has no position of its own: all of it gets the place of the string.
pub fn parse_template_at(text: &str, span: Span) -> Result<Expr, Vec<SyntaxError>> {
    let place = |mut error: SyntaxError| {
        error.span = span;
        error
    };
    let found = parse_template(text).map_err(|errors| errors.into_iter().map(place).collect::<Vec<_>>())?;
    Ok(crate::ast::walk::placed(found, span))
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
    /// Whether line ends mean nothing here.
    free: bool,
    depth: usize,
    /// The most that the trees made at this level of nesting can have grown to.
    height: usize,
    /// The remaining part of [`MAX_DIGITS`].
    digits_left: usize,
    layout: Layout,
    /// The expressions to parse; `None` for all.
    outline: Option<outline::Wanted>,
    errors: Vec<SyntaxError>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Parser {
            text,
            pos: 0,
            free: false,
            depth: 0,
            height: 0,
            digits_left: MAX_DIGITS,
            layout: Layout::Strict,
            outline: None,
            errors: Vec::new(),
        }
    }

    /// A parser behind the byte order mark, if there is one.
    fn of_file(text: &'a str) -> Self {
        let pos = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Parser { pos, ..Parser::new(text) }
    }

    fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    fn error(&mut self, summary: &'static str, detail: impl Into<String>, span: Span) -> Broken {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(SyntaxError { summary, detail: detail.into(), span });
        }
        Broken
    }

    /// Runs a part of the parser one level deeper.
    fn nested<T>(&mut self, run: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.next_span();
            let detail = format!("Blocks and expressions can nest {MAX_DEPTH} levels deep.");
            return Err(self.error("Too deep nesting", detail, span));
        }
        self.depth += 1;
        let beside = std::mem::take(&mut self.height);
        let result = run(self);
        self.depth -= 1;
        self.height = beside.max(self.height + 1);
        result
    }

    /// Notes that a tree becomes a part of a new one at the same level of nesting, as the left side of an operator does.
    fn grow(&mut self) -> Read<()> {
        self.height += 1;
        if self.height <= MAX_HEIGHT {
            return Ok(());
        }
        let span = self.next_span();
        let detail = format!("An expression can have {MAX_HEIGHT} operators, indexes and splats in a row.");
        Err(self.error("Too long expression", detail, span))
    }

    /// Runs a part of the parser where line ends mean nothing, or something.
    fn with_lines<T>(&mut self, free: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.free, free);
        let result = run(self);
        self.free = before;
        result
    }
}

/// An expression that is a constant text.
fn text_expr(text: Text, span: Span) -> Expr {
    let parts = if text.is_empty() { Vec::new() } else { vec![crate::ast::Part::Text(text)] };
    Expr { span, kind: ExprKind::Template(parts) }
}
