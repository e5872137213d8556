//! Merging of included files into the file that includes them.

use super::file::{Included, Strategy};
use super::rules;
use super::session::{At, Session};
use crate::hcl::ast::Span;
use crate::reads::made_of;
use crate::value::{Data, Map, Origin, Value};
use std::sync::Arc;

/// Why two values cannot be merged.
type Wrong = Option<String>;

/// Merges the included files, from the last to the first, below what a file has itself.
pub(super) fn includes(session: &Session<'_>, parts: &mut Map, includes: &[Included], file: Origin) {
    for included in includes.iter().rev() {
        let Some(strategy) = included.strategy else { continue };
        let at = (file.file, Span { start: included.at.start, end: included.at.end });
        below(session, parts, strategy, &included.config.parts, at);
    }
}

/// Merges the parts of one file below those of another one. Each file keeps its locals for itself.
pub(super) fn below(session: &Session<'_>, parts: &mut Map, strategy: Strategy, low: &Map, at: At) {
    for entry in low.iter().filter(|entry| *entry.key != *"locals") {
        let mut wrong = None;
        let own = parts.get(&entry.key);
        let merged = match own {
            Some(own) => part(&entry.key, strategy, &entry.value, own, &mut wrong),
            None => entry.value.clone(),
        };
        parts.set(entry.key.clone(), merged);
        if let Some(message) = wrong {
            session.error(&rules::INVALID_BLOCK, message, at);
        }
    }
}

/// Merges one part of included files, from the last to the first, below what a file has itself.
pub(super) fn parts_of<'m>(
    name: &str,
    included: impl Iterator<Item = (Strategy, &'m Map)>,
    own: Option<&Value>,
) -> Option<Value> {
    let all: Vec<(Strategy, &Map)> = included.collect();
    let mut merged = own.cloned();
    for (strategy, parts) in all.into_iter().rev() {
        let Some(low) = parts.get(name) else { continue };
        merged = Some(match &merged {
            Some(own) => part(name, strategy, low, own, &mut None),
            None => low.clone(),
        });
    }
    merged
}

/// A part of a file below the same part of one that is merged over it.
pub(super) fn over(name: &str, low: Option<&Value>, high: Option<&Value>) -> Option<Value> {
    match (low, high) {
        (Some(low), Some(high)) => Some(part(name, Strategy::Shallow, low, high, &mut None)),
        (low, high) => high.or(low).cloned(),
    }
}

/// One part: `low` of the included file, `high` of the file that includes it.
fn part(name: &str, strategy: Strategy, low: &Value, high: &Value, wrong: &mut Wrong) -> Value {
    let is_deep = strategy == Strategy::Deep;
    match name {
        "inputs" if is_deep => deep(low, high, wrong),
        "inputs" => by_name(low, high, &mut |_, _, high| high),
        "terraform" => terraform(strategy, low, high),
        "generate" => by_name(low, high, &mut |key, _, high| {
            if !is_deep {
                *wrong = Some(format!("detected generate blocks with the same name: [{key}]"));
            }
            high
        }),
        "dependency" => by_name(low, high, &mut |_, low, high| if is_deep { dependency(low, &high) } else { high }),
        "dependencies" => {
            let join = |a: &[Value], b: &[Value]| {
                let more = b.iter().filter(|path| is_deep || !a.contains(path));
                a.iter().chain(more).cloned().collect()
            };
            by_name(low, high, &mut |_, low, high| joined(low, &high, join))
        }
        "feature" => by_name(low, high, &mut |key, low, high| {
            if !is_deep {
                return high;
            }
            match (low.get("default"), high.get("default")) {
                (Some(a), Some(b)) if ![a, b].iter().all(|value| value.as_map().is_some() || is_unknown(value)) => {
                    *wrong = Some(format!("the defaults of feature {key} in two files cannot be merged deeply"));
                    high
                }
                _ => deep(low, &high, &mut None),
            }
        }),
        "errors" if is_deep => errors(low, high),
        "engine" if is_deep => by_name(low, high, &mut |_, _, high| high),
        "remote_state"
        | "exclude"
        | "errors"
        | "engine"
        | "catalog"
        | "prevent_destroy"
        | "iam_assume_role_duration" => replaced(low, high),
        _ => unless_empty(low, &replaced(low, high)),
    }
}

/// The upper text, if it is not empty.
fn unless_empty(low: &Value, high: &Value) -> Value {
    match &high.data {
        Data::Unknown(_) => with_unknown(low, high),
        Data::Str(text) if text.is_empty() => low.clone(),
        _ => high.clone(),
    }
}

/// The upper value, which knows what it replaced.
fn replaced(low: &Value, high: &Value) -> Value {
    Value { data: high.data.clone(), prov: high.prov.overriding(low) }
}

/// Entries of both maps; `both` decides about those of one name.
fn by_name(low: &Value, high: &Value, both: &mut dyn FnMut(&str, &Value, Value) -> Value) -> Value {
    let (Some(a), Some(b)) = (low.as_map(), high.as_map()) else { return with_unknown(low, high) };
    let mut merged: Map = (**a).clone();
    for entry in b.iter() {
        let value = match a.get(&entry.key) {
            Some(known) => both(&entry.key, known, replaced(known, &entry.value)),
            None => entry.value.clone(),
        };
        merged.set(entry.key.clone(), value);
    }
    Value { data: Data::Map(Arc::new(merged)), prov: high.prov.clone() }
}

/// Two values of which one is not a map: if one is unknown, so is the result.
fn with_unknown(low: &Value, high: &Value) -> Value {
    let (unknown, other) = match (is_unknown(high), is_unknown(low)) {
        (true, _) => (high, low),
        (false, true) => (low, high),
        _ => return replaced(low, high),
    };
    let Data::Unknown(known) = &unknown.data else { return high.clone() };
    let mut merged = (**known).clone();
    merged.add_reads([made_of::value("what it is merged with", other)]);
    Value { data: Data::Unknown(Arc::new(merged)), prov: unknown.prov.with_inputs([other.prov.clone()]) }
}

fn is_unknown(value: &Value) -> bool {
    matches!(value.data, Data::Unknown(_))
}

/// Two lists as one; if one of them is not known, so is the result.
fn joined(low: &Value, high: &Value, join: impl FnOnce(&[Value], &[Value]) -> Vec<Value>) -> Value {
    if is_unknown(low) || is_unknown(high) {
        return with_unknown(low, high);
    }
    let items = |value: &Value| value.as_list().cloned().unwrap_or_default();
    Value { data: Data::List(Arc::new(join(&items(low), &items(high)))), prov: high.prov.clone() }
}

/// Maps at any depth, lists joined, so that an empty one in `high` changes nothing. A list is only joined with a list.
fn deep(low: &Value, high: &Value, wrong: &mut Wrong) -> Value {
    match (&low.data, &high.data) {
        (Data::Map(_), Data::Map(_)) => by_name(low, high, &mut |_, low, high| deep(low, &high, wrong)),
        (Data::List(a), Data::List(b)) => {
            if b.is_empty() {
                return low.clone();
            }
            let items = a.iter().chain(b.iter()).cloned().collect();
            let prov = high.prov.with_inputs([low.prov.clone()]);
            Value { data: Data::List(Arc::new(items)), prov }
        }
        (Data::Unknown(_), Data::Map(_) | Data::List(_) | Data::Unknown(_))
        | (Data::Map(_) | Data::List(_), Data::Unknown(_)) => with_unknown(low, high),
        (Data::Null, _) => replaced(low, high),
        (_, Data::List(_)) => {
            *wrong = Some(
                "cannot append two slices with different type: a list in a deep merge with something else".to_owned(),
            );
            replaced(low, high)
        }
        _ => replaced(low, high),
    }
}

/// Sets an entry of a map, or takes it out.
fn edit(value: &mut Value, key: &'static str, with: Option<Value>) {
    let Data::Map(map) = &mut value.data else { return };
    let map = Arc::make_mut(map);
    match with {
        Some(with) => map.set(key, with),
        None => drop(map.remove(key)),
    }
}

fn terraform(strategy: Strategy, low: &Value, high: &Value) -> Value {
    let mut merged = by_name(low, high, &mut |key, low, high| match key {
        "extra_arguments" | "before_hook" | "after_hook" | "error_hook" => by_name(low, &high, &mut |_, _, high| high),
        _ => high,
    });
    for key in ["include_in_copy", "exclude_from_copy"] {
        let nothing = Value::list(Vec::new());
        let (a, b) = (low.get(key).unwrap_or(&nothing), high.get(key).unwrap_or(&nothing));
        let paths = match strategy {
            Strategy::Deep => joined(a, b, |a, b| [b, a].concat()),
            _ => a.clone(),
        };
        edit(&mut merged, key, Some(paths).filter(|paths| paths.as_list().is_none_or(|paths| !paths.is_empty())));
    }
    merged
}

fn dependency(low: &Value, high: &Value) -> Value {
    let mut merged = by_name(low, high, &mut |key, low, high| match key {
        "config_path" => unless_empty(low, &high),
        "mock_outputs" => deep(low, &high, &mut None),
        "mock_outputs_merge_strategy_with_state" | "mock_outputs_merge_with_state" => low.clone(),
        _ => high,
    });
    let key = "mock_outputs_allowed_terraform_commands";
    if let (Some(a), Some(b)) = (low.get(key), high.get(key)) {
        edit(&mut merged, key, Some(joined(a, b, |a, b| [a, b].concat())));
    }
    // These stay as they were in the included file, also if it had none.
    for key in ["mock_outputs_merge_strategy_with_state", "mock_outputs_merge_with_state"] {
        if low.get(key).is_none() {
            edit(&mut merged, key, None);
        }
    }
    merged
}

/// Blocks of retries and of ignored errors by label.
fn errors(low: &Value, high: &Value) -> Value {
    let is_more_than_zero = |value: &Value| match value.data {
        Data::Int(i) => i > 0,
        _ => true,
    };
    by_name(low, high, &mut |_, low, high| {
        by_name(low, &high, &mut |_, low, high| {
            by_name(low, &high, &mut |key, low, high| match key {
                "retryable_errors" | "ignorable_errors" => {
                    joined(low, &high, |a, b| a.iter().chain(b.iter().filter(|p| !a.contains(p))).cloned().collect())
                }
                "signals" => by_name(low, &high, &mut |_, _, high| high),
                "message" => unless_empty(low, &high),
                _ if is_unknown(&high) => with_unknown(low, &high),
                _ if is_more_than_zero(&high) => high,
                _ => low.clone(),
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Key;

    fn entry(key: &str, value: Value) -> Value {
        Value::map([(Key::from(key), value)].into_iter().collect())
    }

    fn list(items: &[i64]) -> Value {
        Value::list(items.iter().map(|i| Value::new(Data::Int(*i))).collect())
    }

    #[test]
    fn a_deep_merge_joins_lists_with_lists_only() {
        let merged = |low: Value, high: Value| {
            let mut wrong = None;
            (
                part("inputs", Strategy::Deep, &entry("a", low), &entry("a", high), &mut wrong)
                    .get("a")
                    .cloned()
                    .unwrap(),
                wrong,
            )
        };
        assert_eq!(merged(list(&[1]), list(&[2])).0, list(&[1, 2]));
        assert_eq!(merged(list(&[1]), list(&[])).0, list(&[1]));
        assert_eq!(merged(Value::str("x"), Value::map(Map::new())).0, Value::map(Map::new()));
        assert_eq!(merged(Value::new(Data::Null), list(&[1])), (list(&[1]), None));
        assert_eq!(merged(Value::str("x"), Value::str("")).0, Value::str(""));
        for low in [Value::str("x"), Value::map(Map::new())] {
            assert!(merged(low.clone(), list(&[1])).1.is_some() && merged(low, list(&[])).1.is_some());
        }
    }

    #[test]
    fn what_is_unknown_above_leaves_what_is_below_in_the_result() {
        let unknown = |text: &str| Value::new(Data::Unknown(Arc::new(crate::value::Unknown::new(text, ""))));
        let merged = |low: &Value, high: &Value| deep(low, high, &mut None);
        let above = unknown("x");
        let results = [list(&[1]), list(&[2]), entry("a", list(&[1])), unknown("y")].map(|low| merged(&low, &above));
        for (i, result) in results.iter().enumerate() {
            assert!(is_unknown(result) && *result != above, "{result:?}");
            assert!(results[..i].iter().all(|other| other != result), "{result:?}");
        }
        // No list or map is below: the upper value replaces it.
        assert_eq!(merged(&Value::str("z"), &above), above);
    }

    #[test]
    fn joined_lists_are_unknown_if_one_of_them_is() {
        let unknown = Value::new(Data::Unknown(Arc::new(crate::value::Unknown::new("x", ""))));
        let lists = [
            ("dependencies", Strategy::Shallow, vec!["paths"]),
            ("dependency", Strategy::Deep, vec!["d", "mock_outputs_allowed_terraform_commands"]),
            ("terraform", Strategy::Deep, vec!["include_in_copy"]),
            ("errors", Strategy::Deep, vec!["retry", "r", "retryable_errors"]),
        ];
        for (name, strategy, path) in lists {
            let within = |value: Value| path.iter().rev().fold(value, |value, key| entry(key, value));
            for (low, high) in [(list(&[1]), unknown.clone()), (unknown.clone(), list(&[1]))] {
                let merged = part(name, strategy, &within(low), &within(high), &mut None);
                let found = path.iter().try_fold(&merged, |value, key| value.get(key));
                assert!(found.is_some_and(is_unknown), "{name}: {merged:?}");
            }
        }
    }
}
