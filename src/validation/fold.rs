//! Converts errors to messages. A failed alternative has an error for each branch: the branch that was most likely
//! meant is reported.

use super::certain::path;
use super::{Path, PathStep, Violation};
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value as Json;

/// The maximum number of characters of a value that are shown.
const SHOWN: usize = 60;

/// Converts an error.
pub(super) fn fold(error: &ValidationError<'_>) -> Vec<Violation> {
    let at = path(error.instance_path());
    let instance = error.instance();
    let one = |words: String| vec![Violation { path: at.clone(), key: None, words, help: None }];
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => alternatives(context, &at, instance),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let key = |key: &String| Violation {
                path: at.clone(),
                key: Some(key.clone()),
                words: "is not allowed in".to_owned(),
                help: None,
            };
            unexpected.iter().map(key).collect()
        }
        // Reported at the map if no key is allowed.
        Kind::FalseSchema if error.schema_path().to_string().ends_with("Properties") => {
            one("must have no keys".to_owned())
        }
        // No value is allowed under this key.
        Kind::FalseSchema if matches!(at.0.last(), Some(PathStep::Key(_))) => {
            let mut path = at;
            let key = path.0.pop().map(|step| match step {
                PathStep::Key(key) => key,
                PathStep::Item(i) => i.to_string(),
            });
            vec![Violation { path, key, words: "is not allowed in".to_owned(), help: None }]
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default().to_owned();
            let why: Vec<String> = fold(error).into_iter().map(|v| v.words).collect();
            let help = Some(format!("a name here {}", why.join(", ")));
            vec![Violation { path: at, key: Some(name), words: "cannot be a name in".to_owned(), help }]
        }
        kind => one(words(kind, instance)),
    }
}

/// Selects the error to report of several alternatives that all fail.
fn alternatives(context: &[Vec<ValidationError<'static>>], at: &Path, instance: &Json) -> Vec<Violation> {
    let here = |e: &ValidationError<'_>| path(e.instance_path()) == *at;
    let is_of_other_kind =
        |branch: &[ValidationError<'_>]| branch.iter().any(|e| here(e) && matches!(e.kind(), Kind::Type { .. }));
    let (other, fitting): (Vec<_>, Vec<_>) = context.iter().partition(|b| is_of_other_kind(b));
    let kinds = |branches: &[&Vec<ValidationError<'static>>]| {
        let mut all: Vec<JsonType> = Vec::new();
        for error in branches.iter().flat_map(|b| b.iter()).filter(|e| here(e)) {
            let Kind::Type { kind } = error.kind() else { continue };
            for kind in types(kind) {
                if !all.contains(&kind) {
                    all.push(kind);
                }
            }
        }
        all
    };
    if fitting.is_empty() {
        let words = format!("must be {}, not {}", kind_words(&kinds(&other)), a_kind(instance));
        return vec![Violation { path: at.clone(), key: None, words, help: None }];
    }
    let all: Vec<Vec<Violation>> = fitting.iter().map(|branch| unique(branch.iter().flat_map(fold))).collect();
    let is_plain_here =
        |violations: &[Violation]| matches!(violations, [only] if only.path == *at && only.key.is_none());
    let depth = |violations: &[Violation]| violations.iter().map(|v| v.path.0.len()).max().unwrap_or_default();
    // All of them are about this value, so they can be reported together.
    if all.iter().all(|v| is_plain_here(v)) && all.len() + other.len() <= 4 {
        let mut parts: Vec<String> = Vec::new();
        if !other.is_empty() {
            parts.push(format!("must be {}", kind_words(&kinds(&other))));
        }
        for words in all.into_iter().flatten().map(|v| v.words) {
            if !parts.contains(&words) {
                parts.push(words);
            }
        }
        return vec![Violation { path: at.clone(), key: None, words: parts.join(", or "), help: None }];
    }
    let best = all.into_iter().min_by_key(|v| (std::cmp::Reverse(depth(v)), v.len()));
    best.unwrap_or_default()
}

fn unique(violations: impl Iterator<Item = Violation>) -> Vec<Violation> {
    let mut all: Vec<Violation> = violations.collect();
    all.sort();
    all.dedup();
    all
}

fn words(kind: &Kind, instance: &Json) -> String {
    let shown = || show(instance);
    match kind {
        Kind::Type { kind } => format!("must be {}, not {}", kind_words(&types(kind)), a_kind(instance)),
        Kind::Required { property } => format!("lacks the required key {}", show(property)),
        Kind::Enum { options } => {
            let all = options.as_array().map(Vec::as_slice).unwrap_or_default();
            format!("must be one of {}, not {}", all.iter().map(show).collect::<Vec<_>>().join(", "), shown())
        }
        Kind::Constant { expected_value } => format!("must be {}, not {}", show(expected_value), shown()),
        Kind::Pattern { pattern } => format!("must match `{pattern}`, but {} does not", shown()),
        Kind::Format { format } => format!("must have the format `{format}`, but {} does not", shown()),
        Kind::Minimum { limit } => format!("must be at least {limit}, not {instance}"),
        Kind::Maximum { limit } => format!("must be at most {limit}, not {instance}"),
        Kind::ExclusiveMinimum { limit } => format!("must be greater than {limit}, not {instance}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}, not {instance}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}, not {instance}"),
        Kind::MinLength { limit } => sized("at least", *limit, "character", length(instance)),
        Kind::MaxLength { limit } => sized("at most", *limit, "character", length(instance)),
        Kind::MinItems { limit } => sized("at least", *limit, "item", length(instance)),
        Kind::MaxItems { limit } => sized("at most", *limit, "item", length(instance)),
        Kind::AdditionalItems { limit } => sized("at most", *limit as u64, "item", length(instance)),
        Kind::MinProperties { limit } => sized("at least", *limit, "key", length(instance)),
        Kind::MaxProperties { limit } => sized("at most", *limit, "key", length(instance)),
        Kind::UniqueItems => "must not contain the same item twice".to_owned(),
        Kind::Contains => "lacks an item that the schema requires (`contains`)".to_owned(),
        Kind::UnevaluatedItems { .. } => "has more items than the schema allows".to_owned(),
        Kind::Not { .. } => "is what the schema excludes (`not`)".to_owned(),
        Kind::OneOfMultipleValid { .. } => "matches several alternatives, where exactly one is allowed".to_owned(),
        Kind::FalseSchema => "must not be here".to_owned(),
        other => format!("does not match the schema (`{}`)", other.keyword()),
    }
}

fn length(instance: &Json) -> usize {
    match instance {
        Json::String(s) => s.chars().count(),
        Json::Array(items) => items.len(),
        Json::Object(map) => map.len(),
        _ => 0,
    }
}

fn sized(how: &str, limit: u64, what: &str, found: usize) -> String {
    let s = if limit == 1 { "" } else { "s" };
    format!("must have {how} {limit} {what}{s}, and has {found}")
}

/// A value as it is shown: text in backticks, anything larger by its kind.
fn show(value: &Json) -> String {
    match value {
        Json::Object(map) if !map.is_empty() => "this map".to_owned(),
        Json::Array(items) if !items.is_empty() => "this list".to_owned(),
        Json::String(s) if s.chars().count() > SHOWN => format!("`{}…`", s.chars().take(SHOWN).collect::<String>()),
        Json::String(s) => format!("`{s}`"),
        other => format!("`{other}`"),
    }
}

fn types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(set) => set.iter().collect(),
    }
}

fn kind_words(kinds: &[JsonType]) -> String {
    let words: Vec<&str> = kinds
        .iter()
        .map(|kind| match kind {
            JsonType::Null => "null",
            JsonType::Boolean => "a boolean",
            JsonType::Integer => "a whole number",
            JsonType::Number => "a number",
            JsonType::String => "a string",
            JsonType::Array => "a list",
            JsonType::Object => "a map",
        })
        .collect();
    match words.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        words => words.concat(),
    }
}

fn a_kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "a map",
    }
}
