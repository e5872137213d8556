#![doc = include_str!("../README.md")]

mod assign;
mod build;
mod engine;
mod eval;
mod lex;
mod lists;
mod math;
mod node;
mod op;
mod parse;
mod path;
mod print;
mod scalar;
mod structure;
mod texts;

use std::fmt;
use traced_value::Value;

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// The real evaluator rejects it too; its reason in similar words.
    Bad(String),
    /// It is beyond what is evaluated here: what exactly.
    Unsupported(String),
    /// It takes more steps than are left.
    TooMuch,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::Bad(reason) => f.write_str(reason),
            QueryError::Unsupported(what) => write!(f, "{what} is not evaluated"),
            QueryError::TooMuch => f.write_str("it takes too many steps"),
        }
    }
}

impl std::error::Error for QueryError {}

type R<T> = Result<T, QueryError>;

/// The name of an operator in messages.
fn name(op: &op::Op) -> String {
    use op::Op;
    match op {
        Op::Pipe | Op::ShortPipe => "|".to_owned(),
        Op::Union => ",".to_owned(),
        Op::Add => "+".to_owned(),
        Op::Subtract => "-".to_owned(),
        Op::Multiply(_) => "*".to_owned(),
        Op::Divide => "/".to_owned(),
        Op::Modulo => "%".to_owned(),
        Op::Alternative => "//".to_owned(),
        Op::Equals { flip: false } => "==".to_owned(),
        Op::Equals { flip: true } => "!=".to_owned(),
        Op::Assign { update: false, .. } => "=".to_owned(),
        Op::Assign { update: true, .. } => "|=".to_owned(),
        Op::CreateMap => ":".to_owned(),
        Op::Unsupported(name, _) | Op::UnsupportedSetter(name) => (*name).to_owned(),
        other => {
            let text = format!("{other:?}");
            text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
        }
    }
}

/// Returns what `yq EXPRESSION` prints for a document: the results as YAML, one after the other. It may take so many steps as
/// `left` says, and those that it took are no longer there afterwards, also if it fails.
///
/// # Errors
/// See [`QueryError`].
pub fn print(value: &Value, expression: &str, left: &mut u64) -> Result<String, QueryError> {
    let mut engine = engine::Engine::new(eval::apply, *left);
    let printed = results(&mut engine, value, expression);
    *left = engine.arena.left();
    printed
}

fn results(engine: &mut engine::Engine, value: &Value, expression: &str) -> Result<String, QueryError> {
    let parsed = engine.parse(expression)?;
    let root = engine.arena.document(value, 0)?;
    let results = engine.eval(&engine.root(root), parsed.as_ref())?;
    let mut out = String::new();
    for &id in results.nodes.iter() {
        out.push_str(&print::yaml(&engine.arena, id)?);
        if out.len() > node::MAX_TEXT {
            return node::too_much();
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
