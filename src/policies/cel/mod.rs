//! CEL, the Common Expression Language, over resolved values. The parser is that of the crate `cel`; the evaluation is
//! our own, because that of the crate has neither limits nor unknown values. Every expression terminates: each step is
//! counted, and there are no functions that access the network, the clock, files or the environment.

mod blame;
mod compare;
mod eval;
mod functions;
mod macros;
mod names;
mod outcome;
mod patterns;
mod reads;
mod text;
mod value;

pub(crate) use blame::Blamed;
pub(crate) use eval::Scope;
pub(crate) use outcome::Failure;
pub(crate) use reads::Chain;

pub(crate) use value::{Blank, Link, Node, Root, Val};

use crate::text::Text;
use crate::threads;
use cel::parser::{Expression as Ast, Parser};
use patterns::Patterns;
use std::collections::BTreeSet;

/// The maximum number of bytes of an expression. What people write has a few hundred.
pub(crate) const MAX_BYTES: usize = 4_096;

/// How deep an expression may nest.
const MAX_DEPTH: u16 = 48;

/// Expressions of at most this many bytes cannot be deep.
const SHORT: usize = 128;

/// The maximum number of brackets that may be open, which the parser takes long for, before it counts the depth itself.
const MAX_BRACKETS: usize = 24;

/// An expression that was read.
pub(crate) struct Expression {
    ast: Ast,
    /// As it is written.
    pub(crate) text: Text,
    /// The variables that it reads.
    names: BTreeSet<String>,
    patterns: Patterns,
}

impl std::fmt::Debug for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Expression({})", self.text)
    }
}

impl Expression {
    /// Reads an expression over some variables.
    ///
    /// # Errors
    /// What is wrong with it, for the user.
    pub(crate) fn parse(text: &str, variables: &[&str]) -> Result<Expression, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("an expression has at most {MAX_BYTES} bytes, and this one has {}", text.len()));
        }
        if brackets(text) > MAX_BRACKETS {
            return Err(format!("brackets in an expression can nest at most {MAX_BRACKETS} levels deep"));
        }
        // Longer expressions may be deep, until checked.
        let (ast, names) = match text.len() > SHORT {
            true => threads::with_deep_stack(|| read(text, variables)),
            false => read(text, variables),
        }?;
        Ok(Expression { ast, text: Text::from(text), names, patterns: Patterns::default() })
    }

    /// Whether it reads a variable.
    pub(crate) fn reads(&self, variable: &str) -> bool {
        self.names.contains(variable)
    }

    /// Whether its text has a name.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.text.contains(name)
    }

    /// Returns the values of the component that it reads; `None` if its text does not show them.
    pub(crate) fn chains(&self) -> Option<BTreeSet<Chain>> {
        reads::of(&self.ast)
    }

    /// Evaluates the expression. Unknown is a value, too: [`Val::Unknown`].
    ///
    /// # Errors
    /// It reads what is not there, mixes types, or takes too many steps.
    pub(crate) fn eval<'a>(&'a self, scope: &mut Scope<'a>) -> Result<Val<'a>, Failure> {
        scope.patterns = Some(&self.patterns);
        scope.eval(&self.ast)
    }

    /// Returns the values that made it false, the nearest first; evaluates it again.
    pub(crate) fn blame<'a>(&'a self, scope: &mut Scope<'a>) -> Vec<Blamed<'a>> {
        scope.patterns = Some(&self.patterns);
        blame::of(&self.ast, scope)
    }
}

/// The way to a variable.
pub(crate) fn root<'a>(root: Root) -> Link<'a> {
    Link::Root(root)
}

fn read(text: &str, variables: &[&str]) -> Result<(Ast, BTreeSet<String>), String> {
    let parse = || Parser::default().max_recursion_depth(MAX_DEPTH).enable_ident_escape_syntax(true).parse(text);
    let parsed = threads::catch_panic("an expression", parse).map_err(|_| "the parser fails on it".to_owned())?;
    let ast = parsed.map_err(|errors| {
        let first = errors.errors.first();
        first.map_or_else(|| "it cannot be read".to_owned(), |e| format!("column {}: {}", e.pos.1, e.msg.trim()))
    })?;
    let names = names::check(&ast, variables)?;
    Ok((ast, names))
}

/// The most brackets that are open at once, those in texts counted as well.
fn brackets(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

#[cfg(test)]
mod tests;
