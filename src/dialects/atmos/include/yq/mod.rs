//! Queries in the language of `yq` (version 4) on one document, with its own rules.
//!
//! Two oddities shape all results. The answer is printed and read back as YAML, so text may turn into a number or a map,
//! and several results melt into whatever their lines mean together. And a slice applies to the nodes that the bracket's
//! left side started from.

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

use crate::value::{Data, Value};
use std::fmt;

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QueryError {
    /// The real evaluator rejects it too; its reason in similar words.
    Bad(String),
    /// It is beyond what is evaluated here; what exactly, to follow "stacklint does not evaluate".
    Unsupported(String),
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::Bad(reason) => f.write_str(reason),
            QueryError::Unsupported(what) => write!(f, "stacklint does not evaluate {what}"),
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

/// Returns the output of the evaluator for an expression on a document.
///
/// # Errors
/// See [`QueryError`].
fn print(value: &Value, expression: &str) -> R<String> {
    let parsed = parse::parse(expression)?;
    let mut engine = engine::Engine::new(eval::apply);
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

/// Evaluates an expression as Atmos does: the document is written as YAML, the answer is read as YAML.
///
/// # Errors
/// See [`QueryError`].
pub(crate) fn query(value: &Value, expression: &str, yaml: &dyn Fn(&str) -> Result<Value, String>) -> R<Value> {
    let embedded = super::embed::embed(value).map_err(QueryError::Bad)?;
    let printed = print(&embedded, expression)?;
    let text = printed.trim();
    if text.is_empty() {
        return Ok(Value::new(Data::Null));
    }
    if is_bare_text(text) {
        return Ok(Value::str(text));
    }
    match yaml(&printed) {
        Ok(read) if is_mistaken_map(&read, text) => Ok(Value::str(text)),
        Ok(read) => Ok(read),
        // Output that is not valid YAML is returned as text, if it is a single line.
        Err(_) if !text.contains('\n') => Ok(Value::str(text)),
        Err(error) => Err(QueryError::Bad(format!("failed to unmarshal result: {error}"))),
    }
}

/// Whether a line would be read as a YAML comment or a key without a value.
fn is_bare_text(text: &str) -> bool {
    if text.contains('\n') {
        return false;
    }
    text.starts_with('#') || !text.starts_with(['{', '[']) && text.ends_with(':') && !text.contains(": ")
}

fn is_mistaken_map(read: &Value, text: &str) -> bool {
    let Some(map) = read.as_map().filter(|m| m.len() == 1) else { return false };
    map.iter().all(|e| e.value.is_null() && (format!("{}:", e.key) == text || format!("{}::", e.key) == text))
}

#[cfg(test)]
mod tests;
