//! Whether a violation is one whatever the unknown parts of a value are.

use super::{Path, PathStep};
use crate::value::{Data, Flags, Value};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::{Location, LocationSegment};

/// The value that an error depends on, if parts of that are unknown; `None` if it is an error whatever they are.
pub(super) fn depends_on(error: &ValidationError<'_>, root: &Value, is_open: bool) -> Option<Path> {
    let path = path(error.instance_path());
    let Some(value) = path.of(root).filter(|v| !matches!(v.data, Data::Unknown(_))) else { return Some(path) };
    if let Some(at) = conditions(error, &path).into_iter().find(|at| is_unknown_inside(at.of(root))) {
        return Some(at);
    }
    let is_about_keys = matches!(
        error.kind(),
        Kind::AdditionalProperties { .. }
            | Kind::UnevaluatedProperties { .. }
            | Kind::PropertyNames { .. }
            | Kind::MinProperties { .. }
            | Kind::MaxProperties { .. }
            | Kind::Required { .. }
            | Kind::FalseSchema
    );
    if is_open && is_about_keys && path.0.is_empty() {
        return Some(path);
    }
    match error.kind() {
        // The values inside do not matter.
        Kind::Type { .. }
        | Kind::Required { .. }
        | Kind::AdditionalProperties { .. }
        | Kind::PropertyNames { .. }
        | Kind::MinProperties { .. }
        | Kind::MaxProperties { .. }
        | Kind::AdditionalItems { .. }
        | Kind::MinItems { .. }
        | Kind::MaxItems { .. }
        | Kind::FalseSchema => None,
        // Every alternative must fail for sure.
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let mut open = None;
            for branch in context {
                let blamed: Vec<Option<Path>> = branch.iter().map(|e| depends_on(e, root, is_open)).collect();
                if !blamed.contains(&None) {
                    open = Some(blamed.into_iter().flatten().next().unwrap_or_else(|| path.clone()));
                }
            }
            // A difference inside could also select another alternative.
            open.map(|_| path)
        }
        _ => is_unknown_inside(Some(value)).then_some(path),
    }
}

fn is_unknown_inside(value: Option<&Value>) -> bool {
    value.is_none_or(|v| v.flags().has(Flags::UNKNOWN))
}

/// The values that conditions on the way to an error were about (`if`, and keywords that examine what others have seen).
fn conditions(error: &ValidationError<'_>, instance: &Path) -> Vec<Path> {
    let mut depth = 0;
    let mut found = Vec::new();
    let segments: Vec<String> = error.evaluation_path().iter().map(|s| s.to_string()).collect();
    let mut rest = segments.iter();
    while let Some(keyword) = rest.next() {
        match keyword.as_str() {
            "properties" | "patternProperties" => {
                rest.next();
                depth += 1;
            }
            "prefixItems" => {
                rest.next();
                depth += 1;
            }
            "items" | "additionalProperties" | "additionalItems" | "contains" => {
                // A list of schemas for items is followed by the number of one.
                let numbered = rest.clone().next().is_some_and(|s| s.bytes().all(|b| b.is_ascii_digit()));
                if keyword == "items" && numbered {
                    rest.next();
                }
                depth += 1;
            }
            "$defs" | "definitions" | "dependentSchemas" | "dependencies" | "allOf" | "anyOf" | "oneOf" => {
                rest.next();
            }
            "if" | "then" | "else" | "unevaluatedProperties" | "unevaluatedItems" | "not" => {
                let length = depth.min(instance.0.len());
                found.push(Path(instance.0[..length].to_vec()));
                if keyword.starts_with("unevaluated") {
                    depth += 1;
                }
            }
            _ => {}
        }
    }
    found
}

/// The path of an instance.
pub(super) fn path(location: &Location) -> Path {
    let step = |segment: LocationSegment<'_>| match segment {
        LocationSegment::Property(name) => PathStep::Key(name.into_owned()),
        LocationSegment::Index(i) => PathStep::Item(i),
    };
    Path(location.iter().map(step).collect())
}
