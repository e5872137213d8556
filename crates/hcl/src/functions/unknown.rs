//! What is known of the results of functions although not all of their arguments are.

use super::{Fail, regexes};
use crate::types::{Type, unify};
use crate::val::unknown::Facts;
use crate::val::{Data, Val};
use shared_text::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Functions whose results are never null, which OpenTofu does not know.
const MAY_BE_NULL: [&str; 4] = ["cidrcontains", "strcontains", "timeadd", "yamlencode"];

/// Returns the value of a call with arguments that are not known, as far as it is known; `None` if nothing is.
pub(super) fn result(name: &str, arguments: &[Val], reason: &Text) -> Result<Option<Val>, Fail> {
    let partly = |ty: Type, facts: Facts| Some(Val::partly_unknown(ty, Text::clone(reason), facts));
    let text = |prefix: &str| partly(Type::Str, Facts::starting_with(prefix));
    Ok(match (name, arguments) {
        ("startswith", [text, prefix]) => match (text.facts(), prefix.as_str()) {
            (Some(Facts { prefix: known, .. }), Some(prefix)) if known.starts_with(&**prefix) => Some(Val::bool(true)),
            (Some(Facts { prefix: known, .. }), Some(prefix)) if !prefix.starts_with(&**known) => {
                Some(Val::bool(false))
            }
            _ => None,
        },
        ("format", [pattern, ..]) => pattern.as_str().and_then(|pattern| text(pattern.split('%').next()?)),
        ("jsonencode", [value]) => match &value.data {
            Data::List(..) | Data::Set(..) | Data::Tuple(_) => text("["),
            Data::Map(..) | Data::Object(_) | Data::Partial(..) => text("{"),
            _ => None,
        },
        ("regex" | "regexall", [pattern, _]) => match pattern.as_str() {
            Some(pattern) => {
                let ty = regexes::type_of_match(pattern)?;
                partly(if name == "regex" { ty } else { Type::list(ty) }, Facts::default())
            }
            None => None,
        },
        _ => None,
    })
}

/// A result of a function that is not known: it has the type that all results of the function have, or those of such arguments.
pub(super) fn typed(name: &str, arguments: &[Val], reason: Text) -> Val {
    if let Some(element) = element_type(name, arguments) {
        return Val::unknown(element, reason);
    }
    match result_type(name).or_else(|| type_by_arguments(name, arguments)) {
        // After a mistake, nothing is said about what follows from it.
        Some(ty) if !reason.is_empty() && MAY_BE_NULL.contains(&name) => Val::unknown(ty, reason),
        Some(ty) if !reason.is_empty() => Val::not_null(ty, reason),
        _ => Val::unknown(Type::Dynamic, reason),
    }
}

/// The type of the results of functions that return what is in their first argument, which can be null.
fn element_type(name: &str, arguments: &[Val]) -> Option<Type> {
    match (name, Type::of(arguments.first()?)) {
        ("element", Type::List(element))
        | ("one", Type::List(element) | Type::Set(element))
        | ("lookup", Type::Map(element)) => Some((*element).clone()),
        ("element", Type::Tuple(types)) => match &arguments.get(1)?.data {
            Data::Number(index) => types.get(index.as_i64()?.checked_rem_euclid(types.len() as i64)? as usize).cloned(),
            _ => None,
        },
        _ => None,
    }
}

/// The type of the results of a function that they have with arguments of these types; no such result is null.
fn type_by_arguments(name: &str, arguments: &[Val]) -> Option<Type> {
    let first = || arguments.first().map(Type::of);
    match name {
        "coalesce" => unify(&arguments.iter().map(Type::of).collect::<Vec<_>>()),
        "chunklist" => Some(Type::list(first()?)),
        "concat" => {
            let elements = arguments.iter().map(|value| match Type::of(value) {
                Type::List(element) => Some((*element).clone()),
                _ => None,
            });
            match elements.collect::<Option<Vec<_>>>() {
                Some(elements) => Some(Type::list(unify(&elements)?)),
                None => joined(arguments),
            }
        }
        "distinct" | "matchkeys" => first(),
        "keys" => matches!(first()?, Type::Map(_)).then(|| Type::list(Type::Str)),
        "merge" => {
            let ty = first()?;
            if matches!(ty, Type::Map(_)) {
                return arguments.iter().all(|value| Type::of(value) == ty).then_some(ty);
            }
            let mut merged = BTreeMap::new();
            for value in arguments {
                match Type::of(value) {
                    Type::Object(_) if value.is_null() => {}
                    Type::Object(attributes) => merged.extend((*attributes).clone()),
                    _ => return None,
                }
            }
            Some(Type::Object(Arc::new(merged)))
        }
        "reverse" => match first()? {
            Type::List(element) | Type::Set(element) => Some(Type::List(element)),
            Type::Tuple(types) => Some(Type::Tuple(Arc::new(types.iter().rev().cloned().collect()))),
            _ => None,
        },
        "slice" => match first()? {
            Type::Tuple(types) => {
                let index = |at: usize| match &arguments.get(at)?.data {
                    Data::Number(number) => usize::try_from(number.as_i64()?).ok(),
                    _ => None,
                };
                Some(Type::Tuple(Arc::new(types.get(index(1)?..index(2)?)?.to_vec())))
            }
            ty => Some(ty).filter(|ty| matches!(ty, Type::List(_))),
        },
        "values" => match first()? {
            Type::Map(element) => Some(Type::List(element)),
            Type::Object(attributes) => {
                Some(Type::Tuple(Arc::new(attributes.values().map(|attribute| attribute.ty.clone()).collect())))
            }
            _ => None,
        },
        "zipmap" => match Type::of(arguments.get(1)?) {
            Type::List(element) => Some(Type::Map(element)),
            _ => None,
        },
        _ => None,
    }
}

/// The type of the elements of several values in a row, if it is known how many there are.
fn joined(arguments: &[Val]) -> Option<Type> {
    let mut all = Vec::new();
    for value in arguments {
        match (Type::of(value), value.as_items()) {
            (Type::Tuple(types), _) => all.extend(types.iter().cloned()),
            (Type::List(element), Some(items)) => all.extend(vec![(*element).clone(); items.len()]),
            _ => return None,
        }
    }
    Some(Type::Tuple(Arc::new(all)))
}

/// The type of the results of a function; `None` if it depends on its arguments.
fn result_type(name: &str) -> Option<Type> {
    Some(match name {
        "abspath" | "base64decode" | "base64encode" | "base64gunzip" | "base64gzip" | "base64sha256"
        | "base64sha512" | "basename" | "bcrypt" | "chomp" | "cidrhost" | "cidrnetmask" | "cidrsubnet" | "dirname"
        | "file" | "filebase64" | "filebase64sha256" | "filebase64sha512" | "filemd5" | "filesha1" | "filesha256"
        | "filesha512" | "format" | "formatdate" | "indent" | "join" | "jsonencode" | "lower" | "md5"
        | "pathexpand" | "replace" | "rsadecrypt" | "sha1" | "sha256" | "sha512" | "strrev" | "substr"
        | "textdecodebase64" | "textencodebase64" | "timeadd" | "timestamp" | "title" | "trim" | "trimprefix"
        | "trimspace" | "trimsuffix" | "upper" | "urldecode" | "urlencode" | "uuid" | "uuidv5" | "yamlencode" => {
            Type::Str
        }
        "abs" | "ceil" | "floor" | "index" | "log" | "max" | "min" | "parseint" | "pow" | "signum" | "sum"
        | "timecmp" => Type::Number,
        "alltrue" | "anytrue" | "cidrcontains" | "contains" | "endswith" | "fileexists" | "startswith"
        | "strcontains" => Type::Bool,
        "cidrsubnets" | "compact" | "formatlist" | "sort" | "split" => Type::list(Type::Str),
        "range" => Type::list(Type::Number),
        "fileset" => Type::set(Type::Str),
        "transpose" => Type::map(Type::list(Type::Str)),
        _ => return None,
    })
}
