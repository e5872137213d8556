//! JSONPath as gomplate evaluates it (`coll.JSONPath`), which is the dialect of Kubernetes: `$.items[0:2]`,
//! `..name`, `[?(@.kind == "web")]`, `['a','b']`.

mod evaluate;
mod parse;
#[cfg(test)]
mod tests;

use super::call::Args;
use crate::Val;

/// How often the values of an argument may be visited, on average; those of small ones may be visited more often.
const VISITS: usize = 8;
const MIN_VISITS: usize = 1000;

/// The values that may be in an argument.
const MAX_VALUES: usize = 1 << 20;

/// Why there is no result.
enum Stop {
    /// The expression or its evaluation fails, in the words of the library.
    Failed(String),
    /// The library panics here.
    Panicked(&'static str),
    /// The result is not known, for this reason.
    Unknown(&'static str),
}

type Outcome<T> = Result<T, Stop>;

fn fail<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Stop::Failed(message.into()))
}

/// Returns the values at a path: a single one as it is, others as a list without nulls.
///
/// # Errors
/// The expression is wrong, or leads to something that is not there.
pub(super) fn query(name: &'static str, args: &Args<'_>) -> Result<Val, String> {
    let path = args.s(0);
    let nodes = match parse::parse(path) {
        Ok(nodes) => nodes,
        Err(stop) => return answer(name, args, stop, &format!("couldn't parse JSONPath {path}")),
    };
    let root = args.value(1);
    let budget = root.count(MAX_VALUES).unwrap_or(0).saturating_mul(VISITS).saturating_add(MIN_VISITS);
    match evaluate::Evaluation::new(budget).run(&nodes, &root) {
        Ok(value) => Ok(value.into()),
        Err(stop) => answer(name, args, stop, "executing JSONPath failed"),
    }
}

fn answer(name: &str, args: &Args<'_>, stop: Stop, context: &str) -> Result<Val, String> {
    match stop {
        Stop::Failed(message) => Err(format!("{context}: {message}")),
        Stop::Panicked(message) => Err(message.to_owned()),
        Stop::Unknown(reason) => Ok(super::call::unknown_call(name, &format!("`{name}` {reason}"), args.all)),
    }
}
