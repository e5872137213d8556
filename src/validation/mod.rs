//! Validation with a repository's own rules: JSON Schemas and Rego policies. Only certain violations are reported: if
//! the verdict could depend on something unknown, it is withheld, and what it depends on is returned.

mod budget;
mod certain;
pub(crate) mod cidr;
mod fold;
mod json_schema;
mod package;
mod rego;
mod rego_guard;
mod rego_heads;
mod rego_memory;
mod rego_text;
mod schema_cost;

pub(crate) use budget::Budget;
pub(crate) use json_schema::JsonSchema;
pub(crate) use package::{Denial, Package};
pub(crate) use rego::{Module, Policy, Ruling};
pub(crate) use rego_memory::publish_on_demand as publish_memory_on_demand;

use crate::value::{Data, Value};
use std::fmt;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathStep {
    /// Into a map.
    Key(String),
    /// Into a list.
    Item(usize),
}

/// The way to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(pub Vec<PathStep>);

impl Path {
    /// The value at its end, if it is there and known that far.
    pub(crate) fn of<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            PathStep::Key(key) => value.get(key),
            PathStep::Item(i) => value.as_list()?.get(*i),
        })
    }

    /// The values on the way, the root first; it ends where there is nothing more.
    pub(crate) fn along<'v>(&self, root: &'v Value) -> Vec<&'v Value> {
        let mut out = vec![root];
        for length in 1..=self.0.len() {
            match Path(self.0[..length].to_vec()).of(root) {
                Some(value) => out.push(value),
                None => break,
            }
        }
        out
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Key(key) if i == 0 => f.write_str(key)?,
                PathStep::Key(key) => write!(f, ".{key}")?,
                PathStep::Item(item) => write!(f, "[{item}]")?,
            }
        }
        Ok(())
    }
}

/// Something that a schema rejects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    /// The value at fault.
    pub path: Path,
    /// The key of that value that is at fault, if it is a key.
    pub key: Option<String>,
    /// The problem, as a phrase after the name of the value: `must be a string, not a number`. With a key, as a phrase
    /// after the key: `is not allowed in`.
    pub words: String,
    /// Advice.
    pub help: Option<String>,
}

/// The verdict of a schema about a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The certain violations.
    pub violations: Vec<Violation>,
    /// The unknown values that more depends on, sorted.
    pub open: Vec<Path>,
}

/// Why a schema or a policy is of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// It is wrong in itself.
    Wrong(String),
    /// It needs what stacklint does not have.
    Unsupported(String),
    /// It exceeds a limit.
    Exceeded(String),
}

impl Unusable {
    fn stopped(stopped: budget::Stopped) -> Self {
        match stopped {
            budget::Stopped::OutOfTime => Unusable::Exceeded(format!(
                "all schemas and policies together may take {} seconds",
                budget::TIME.as_secs()
            )),
            budget::Stopped::Defect => Unusable::Unsupported("the evaluator fails on it".to_owned()),
        }
    }
}

/// Calls `f` for everything unknown in a value.
pub(crate) fn each_unknown(value: &Value, f: &mut dyn FnMut(Path)) {
    fn walk(value: &Value, path: &mut Vec<PathStep>, f: &mut dyn FnMut(Path)) {
        match &value.data {
            Data::Unknown(_) => f(Path(path.clone())),
            Data::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    path.push(PathStep::Item(i));
                    walk(item, path, f);
                    path.pop();
                }
            }
            Data::Map(map) if map.flags().has(crate::value::Flags::UNKNOWN) => {
                for entry in map.iter() {
                    path.push(PathStep::Key(entry.key.to_string()));
                    walk(&entry.value, path, f);
                    path.pop();
                }
            }
            _ => {}
        }
    }
    walk(value, &mut Vec::new(), f);
}

/// How deep a value may nest to be checked against a schema or a policy.
const MAX_DEPTH: usize = 200;

/// Converts a value to JSON. Unknown values are replaced by the result of `fill`; without it, keys are omitted, and
/// items of lists are `null`. `None` if it is nested too deeply.
fn to_json(value: &Value, fill: Option<&serde_json::Value>) -> Option<serde_json::Value> {
    fn walk(value: &Value, fill: Option<&serde_json::Value>, depth: usize) -> Option<serde_json::Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match &value.data {
            Data::Unknown(_) => fill.cloned().unwrap_or_default(),
            Data::List(items) => {
                serde_json::Value::Array(items.iter().map(|v| walk(v, fill, depth + 1)).collect::<Option<_>>()?)
            }
            Data::Map(map) => {
                let kept = map.iter().filter(|e| fill.is_some() || !matches!(e.value.data, Data::Unknown(_)));
                let entries = kept.map(|e| Some((e.key.to_string(), walk(&e.value, fill, depth + 1)?)));
                serde_json::Value::Object(entries.collect::<Option<_>>()?)
            }
            _ => serde_json::to_value(value).ok()?,
        })
    }
    walk(value, fill, 0)
}
