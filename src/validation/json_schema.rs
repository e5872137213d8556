//! Holds values against JSON Schemas. Nothing is fetched: a schema that refers to the network is of no use here.

use super::{Budget, Path, Unusable, Verdict, certain, each_unknown, fold, schema_cost, to_json};
use crate::go::escape::percent;
use crate::go::path::within;
use crate::value::{Flags, Value};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError, Validator};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The address of files of the repository in references of schemas.
const SCHEME: &str = "repository:///";

/// How many files one schema may be made of.
const MAX_FILES: usize = 200;

/// The texts of other files that a schema refers to, by their paths from the root of the repository.
pub(super) type References<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// A schema that is ready. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct JsonSchema {
    validator: Arc<Validator>,
}

/// Further errors are not distinguished.
const MAX_ERRORS: usize = 10_000;

/// Schemas of the repository; others are not available.
struct Local(BTreeMap<String, Json>);

impl Retrieve for Local {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Json, Box<dyn std::error::Error + Send + Sync>> {
        self.0.get(uri.as_str()).cloned().ok_or_else(|| "it is not in the repository".into())
    }
}

impl JsonSchema {
    /// Reads a schema (draft 2020-12 unless it names another one) from the file at `path`. Other files that it refers
    /// to are read with `read`.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub(crate) fn read(
        text: &str,
        path: &str,
        read: &mut References<'_>,
        budget: &Budget,
    ) -> Result<JsonSchema, Unusable> {
        let schema: Json =
            serde_json::from_str(text).map_err(|e| Unusable::Wrong(format!("it is not valid JSON: {}", place(&e))))?;
        let local = referenced(&schema, path, read);
        let base = uri(path);
        let build = move || {
            if schema_cost::circle(&schema) || local.values().any(schema_cost::circle) {
                return Err(Unusable::Wrong("a part of it refers to itself in an infinite loop".to_owned()));
            }
            if let Some(why) = schema_cost::excess(&schema, &local) {
                return Err(Unusable::Exceeded(why));
            }
            let options = jsonschema::options()
                .with_base_uri(base)
                .with_retriever(Local(local))
                .with_pattern_options(PatternOptions::regex());
            match options.build(&schema) {
                Ok(validator) => Ok(JsonSchema { validator: Arc::new(validator) }),
                Err(error) => Err(unusable(&error)),
            }
        };
        budget.run(build).map_err(Unusable::stopped)?
    }

    /// Whether a schema allows a value. With `is_open`, the value may have more keys than are known at its top.
    ///
    /// # Errors
    /// It takes too long.
    pub(crate) fn check(&self, value: &Value, is_open: bool, budget: &Budget) -> Result<Verdict, Unusable> {
        let (schema, value) = (self.clone(), value.clone());
        budget.run(move || schema.verdict(&value, is_open)).map_err(Unusable::stopped)
    }

    fn verdict(&self, value: &Value, is_open: bool) -> Verdict {
        if !value.flags().has(Flags::UNKNOWN) && !is_open {
            let Some(json) = to_json(value, Some(&Json::Null)) else { return unknown_as_a_whole() };
            if self.validator.is_valid(&json) {
                return Verdict::default();
            }
            let mut violations = self.violations(&json);
            violations.dedup();
            return Verdict { violations, open: Vec::new() };
        }
        self.check_open(value, is_open)
    }

    fn violations(&self, json: &Json) -> Vec<super::Violation> {
        let mut found: Vec<_> =
            self.validator.iter_errors(json).take(MAX_ERRORS).flat_map(|e| fold::fold(&e)).collect();
        found.sort();
        found
    }

    /// The same for a value with unknown parts: a violation is reported if it occurs for any values of these. Otherwise
    /// values of each kind are tried; if they make a difference, the verdict is open.
    fn check_open(&self, value: &Value, is_open: bool) -> Verdict {
        let mut unknown = Vec::new();
        each_unknown(value, &mut |path| unknown.push(path));
        let tries = [
            Json::Null,
            Json::Bool(true),
            Json::from(0.5),
            Json::from("?"),
            Json::Array(Vec::new()),
            Json::Object(serde_json::Map::new()),
        ];
        let (mut violations, mut open) = (None, BTreeSet::new());
        for fill in &tries {
            let Some(json) = to_json(value, Some(fill)) else { return unknown_as_a_whole() };
            let mut certain = Vec::new();
            for error in self.validator.iter_errors(&json).take(MAX_ERRORS) {
                let blamed = certain::depends_on(&error, value, is_open);
                match blamed {
                    None => certain.extend(fold::fold(&error)),
                    Some(at) => {
                        let inside = unknown.iter().filter(|p| p.0.starts_with(&at.0) || at.0.starts_with(&p.0));
                        let before = open.len();
                        open.extend(inside.cloned());
                        if open.len() == before && unknown.is_empty() {
                            open.insert(at);
                        }
                    }
                }
            }
            certain.sort();
            certain.dedup();
            // A certain violation occurs with all of them.
            violations = Some(match violations.take() {
                None => certain,
                Some(before) => {
                    let kept: Vec<super::Violation> = before;
                    kept.into_iter().filter(|v| certain.contains(v)).collect()
                }
            });
        }
        Verdict { violations: violations.unwrap_or_default(), open: open.into_iter().collect() }
    }
}

fn unknown_as_a_whole() -> Verdict {
    Verdict { violations: Vec::new(), open: vec![Path::default()] }
}

/// The files that a schema refers to, and those that they refer to, by their addresses.
fn referenced(schema: &Json, path: &str, read: &mut References<'_>) -> BTreeMap<String, Json> {
    let mut found = BTreeMap::new();
    let mut next: Vec<String> = Vec::new();
    let gather = |json: &Json, path: &str, next: &mut Vec<String>| {
        let mut inner = vec![json];
        while let Some(json) = inner.pop() {
            match json {
                Json::Object(map) => {
                    if let Some(Json::String(target)) = map.get("$ref") {
                        next.extend(local_path(path, target));
                    }
                    inner.extend(map.values());
                }
                Json::Array(items) => inner.extend(items),
                _ => {}
            }
        }
    };
    gather(schema, path, &mut next);
    while let Some(path) = next.pop() {
        if found.len() >= MAX_FILES || found.contains_key(&uri(&path)) {
            continue;
        }
        let Some(json) = read(&path).and_then(|text| serde_json::from_str::<Json>(&text).ok()) else { continue };
        gather(&json, &path, &mut next);
        found.insert(uri(&path), json);
    }
    found
}

/// The path of a file that another one at `path` refers to; `None` for a place in the same file or one elsewhere.
fn local_path(path: &str, target: &str) -> Option<String> {
    let file = target.split('#').next().filter(|f| !f.is_empty() && !f.contains(':'))?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    within(if file.starts_with('/') { "" } else { folder }, file)
}

/// The address of a file of the repository.
fn uri(path: &str) -> String {
    SCHEME.to_owned() + &percent(path, "-._~/")
}

fn place(error: &serde_json::Error) -> String {
    error.to_string()
}

fn unusable(error: &ValidationError<'_>) -> Unusable {
    match error.kind() {
        ValidationErrorKind::Referencing(inner) => {
            let text = inner.to_string().replace(SCHEME, "");
            Unusable::Unsupported(format!("it refers to something outside of the repository ({text})"))
        }
        _ => {
            let at = error.instance_path().to_string();
            let words: Vec<String> = fold::fold(error).into_iter().map(|v| v.words).collect();
            let at = if at.is_empty() { String::new() } else { format!("`{at}` ") };
            Unusable::Wrong(format!("{at}{}", words.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Data, Unknown};
    use std::sync::Arc;

    fn value(text: &str) -> Value {
        fn unknowns(value: Value) -> Value {
            match &value.data {
                Data::Str(s) if &**s == "?" => Value::new(Data::Unknown(Arc::new(Unknown::new("?", "a test")))),
                Data::Map(m) => Value::map(m.iter().map(|e| (e.key.clone(), unknowns(e.value.clone()))).collect()),
                Data::List(l) => Value::list(l.iter().cloned().map(unknowns).collect()),
                _ => value,
            }
        }
        unknowns(crate::value::json::parse(text).expect("JSON"))
    }

    fn check(schema: &str, instance: &str) -> Vec<String> {
        let schema = JsonSchema::read(schema, "schemas/a.json", &mut |_| None, &Budget::default()).expect("a schema");
        let verdict = schema.check(&value(instance), false, &Budget::default()).expect("a verdict");
        let violation = |v: &super::super::Violation| match &v.key {
            Some(key) => format!("{key} {} {}", v.words, v.path),
            None => format!("{} {}", v.path, v.words),
        };
        let open = verdict.open.iter().map(|p| format!("open: {p}"));
        verdict.violations.iter().map(violation).chain(open).collect()
    }

    #[test]
    fn words() {
        for (schema, instance, wanted) in [
            (r#"{"properties":{"a":{"type":"string"}}}"#, r#"{"a":1}"#, "a must be a string, not a number"),
            (r#"{"type":["array","null"]}"#, r#"{}"#, " must be null or a list, not a map"),
            (r#"{"required":["a"]}"#, r#"{}"#, " lacks the required key `a`"),
            (r#"{"additionalProperties":false}"#, r#"{"a":1}"#, " must have no keys"),
            (r#"{"properties":{"b":{}},"additionalProperties":false}"#, r#"{"a":1}"#, "a is not allowed in "),
            (r#"{"properties":{"b":false}}"#, r#"{"b":1}"#, "b is not allowed in "),
            (r#"{"items":{"enum":["x",2]}}"#, r#"["x","y"]"#, "[1] must be one of `x`, `2`, not `y`"),
            (r#"{"const":"x"}"#, r#""y""#, " must be `x`, not `y`"),
            (r#"{"minimum":3}"#, "2", " must be at least 3, not 2"),
            (r#"{"pattern":"^a"}"#, r#""b""#, " must match `^a`, but `b` does not"),
            (r#"{"minItems":1}"#, "[]", " must have at least 1 item, and has 0"),
            (r#"{"uniqueItems":true}"#, "[1,1]", " must not contain the same item twice"),
            (r#"{"maxLength":1}"#, r#""bb""#, " must have at most 1 character, and has 2"),
            (r#"{"not":{"type":"string"}}"#, r#""b""#, " is what the schema excludes (`not`)"),
        ] {
            assert_eq!(check(schema, instance), [wanted], "{schema}");
        }
    }

    #[test]
    fn alternatives_are_folded_to_the_best_one() {
        let section = r#"{"properties":{"vars":{"oneOf":[{"type":"string","pattern":"^!include"},
            {"type":"object","properties":{"n":{"type":"number"}},"additionalProperties":false}]}}}"#;
        for (instance, wanted) in [
            (r#"{"vars":{"n":"x"}}"#, "vars.n must be a number, not a string"),
            (r#"{"vars":{"m":1}}"#, "m is not allowed in vars"),
            (r#"{"vars":3}"#, "vars must be a string or a map, not a number"),
            (r#"{"vars":"x"}"#, "vars must be a map, or must match `^!include`, but `x` does not"),
        ] {
            assert_eq!(check(section, instance), [wanted], "{instance}");
        }
        assert_eq!(
            check(r#"{"oneOf":[{"required":["a"]},{"required":["b"]}]}"#, r#"{"a":1,"b":1}"#),
            [" matches several alternatives, where exactly one is allowed"]
        );
        assert_eq!(
            check(r#"{"anyOf":[{"required":["a"]},{"required":["b"]}]}"#, r#"{}"#),
            [" lacks the required key `a`, or lacks the required key `b`"]
        );
    }

    #[test]
    fn what_is_unknown_decides_nothing() {
        let typed = r#"{"properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["c"]}"#;
        assert_eq!(
            check(typed, r#"{"a":"?","b":"x"}"#),
            [" lacks the required key `c`", "b must be a number, not a string", "open: a"]
        );
        let conditional = r#"{"if":{"properties":{"stage":{"const":"prod"}}},"then":{"required":["owner"]},
            "else":{"required":["expires"]}}"#;
        assert_eq!(check(conditional, r#"{"stage":"?"}"#), ["open: stage"]);
        assert_eq!(check(conditional, r#"{"stage":"prod"}"#), [" lacks the required key `owner`"]);
        let either = r#"{"properties":{"a":{"anyOf":[{"required":["x"]},{"properties":{"y":{"const":1}}}]}}}"#;
        assert_eq!(check(either, r#"{"a":{"y":"?"}}"#), ["open: a.y"]);
        assert_eq!(check(either, r#"{"a":{"y":2}}"#).len(), 1);
        assert_eq!(check(r#"{"uniqueItems":true}"#, r#"["?","?"]"#), ["open: [0]", "open: [1]"]);
        assert_eq!(check(r#"{"properties":{"a":{}}}"#, r#"{"a":"?"}"#), [""; 0]);
        assert_eq!(
            check(r#"{"properties":{"a":{"required":["x"]}}}"#, r#"{"a":{"y":"?"}}"#),
            ["a lacks the required key `x`"]
        );
    }

    #[test]
    fn references_stay_in_the_repository() {
        let text = r##"{"properties":{"a":{"$ref":"../b.json#/$defs/x"},"b":{"$ref":"#/$defs/y"}},"$defs":{"y":{"type":"null"}}}"##;
        let mut read = |path: &str| (path == "b.json").then(|| r#"{"$defs":{"x":{"type":"string"}}}"#.to_owned());
        let schema = JsonSchema::read(text, "schemas/a.json", &mut read, &Budget::default()).expect("a schema");
        assert_eq!(schema.verdict(&value(r#"{"a":1,"b":1}"#), false).violations.len(), 2);
        for (text, wanted) in [
            (text, "not in the repository"),
            (r#"{"$ref":"https://example.com/s.json"}"#, "https://example.com/s.json"),
            (r#"{"$schema":"https://example.com/draft"}"#, "https://example.com/draft"),
        ] {
            let Err(Unusable::Unsupported(why)) =
                JsonSchema::read(text, "schemas/a.json", &mut |_| None, &Budget::default())
            else {
                panic!("{text} is taken")
            };
            assert!(why.contains(wanted), "{why}");
        }
        for text in ["a: 1", r#"{"type":"strin"}"#, r#"{"pattern":"("}"#] {
            let result = JsonSchema::read(text, "a.json", &mut |_| None, &Budget::default());
            assert!(matches!(result, Err(Unusable::Wrong(_))), "{text}: {result:?}");
        }
    }

    #[test]
    fn schemas_and_values_that_go_in_circles() {
        let schema = r##"{"additionalProperties":{"$ref":"#"},"type":"object"}"##;
        let deep = |n: usize| format!("{}1{}", r#"{"a":"#.repeat(n), "}".repeat(n));
        assert_eq!(check(schema, &deep(100)).len(), 1);
        let read = JsonSchema::read(r##"{"$ref":"#"}"##, "a.json", &mut |_| None, &Budget::default());
        if let Ok(schema) = read {
            schema.verdict(&value("{}"), false);
        }
    }
}
