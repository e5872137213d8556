//! Regular expressions.

use super::{Args, Fail, Function, Outcome, S, function};
use crate::types::{Attribute, Type};
use crate::val::{Data, Entries, Val};
use go_compat::regexp::compile;
use regex::{Captures, Regex};
use shared_text::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const ALL: &[Function] = &[function("regex", &[S, S], first), function("regexall", &[S, S], every)];

fn pattern(text: &str) -> Result<Regex, Fail> {
    compile(text).map_err(|_| Fail::Argument(0, format!("invalid regexp pattern: {text}")))
}

/// Returns the result of a match: its text without groups, an object of named groups, or a tuple.
fn found(regex: &Regex, captures: &Captures<'_>) -> Val {
    let group = |m: Option<regex::Match<'_>>| match m {
        Some(m) => Val::str(m.as_str()),
        None => Data::Null(Type::Str).into(),
    };
    let names: Vec<&str> = regex.capture_names().flatten().collect();
    match (regex.captures_len(), names.is_empty()) {
        (1, _) => group(captures.get(0)),
        (_, false) => {
            let all: Entries = names.iter().map(|n| (Text::from(*n), group(captures.name(n)))).collect();
            Val::object(all)
        }
        (count, true) => Val::tuple((1..count).map(|i| group(captures.get(i))).collect()),
    }
}

/// The type of the result of each match.
fn found_type(regex: &Regex) -> Type {
    let attribute = |name: &str| (Text::from(name), Attribute { ty: Type::Str, is_optional: false });
    let names: BTreeMap<Text, Attribute> = regex.capture_names().flatten().map(attribute).collect();
    match regex.captures_len() {
        1 => Type::Str,
        _ if !names.is_empty() => Type::Object(Arc::new(names)),
        count => Type::Tuple(Arc::new(vec![Type::Str; count - 1])),
    }
}

/// The type of what a pattern finds.
pub(super) fn type_of_match(text: &str) -> Result<Type, Fail> {
    let regex = compile(text)?;
    check(&regex)?;
    Ok(found_type(&regex))
}

/// Named and unnamed groups cannot be mixed.
fn check(regex: &Regex) -> Result<(), Fail> {
    let named = regex.capture_names().flatten().count();
    match named > 0 && named + 1 < regex.captures_len() {
        true => {
            Err(Fail::Argument(0, "cannot mix both named and unnamed capture groups in the same pattern".to_owned()))
        }
        false => Ok(()),
    }
}

fn first(args: &mut Args<'_, '_>) -> Outcome {
    let regex = pattern(args.str(0))?;
    check(&regex)?;
    match regex.captures(args.str(1)) {
        Some(captures) => Ok(found(&regex, &captures)),
        None => Err(Fail::Call("pattern did not match any part of the given string".to_owned())),
    }
}

fn every(args: &mut Args<'_, '_>) -> Outcome {
    let regex = pattern(args.str(0))?;
    check(&regex)?;
    let all: Vec<Val> = regex.captures_iter(args.str(1)).map(|c| found(&regex, &c)).collect();
    Ok(Val::list(found_type(&regex), all))
}

/// `replace`: a pattern between slashes is a regular expression.
pub(super) fn replace(args: &mut Args<'_, '_>) -> Outcome {
    let (text, search, with) = (args.str(0), args.str(1), args.str(2));
    if text.len().saturating_add(1).saturating_mul(with.len()) > 1 << 26 {
        return Err(Fail::Call("the text would be too long".to_owned()));
    }
    let inner = search.strip_prefix('/').and_then(|s| s.strip_suffix('/')).filter(|_| search.len() > 1);
    match inner {
        Some(inner) => {
            let regex = compile(inner).map_err(|_| Fail::Argument(1, format!("invalid regexp pattern: {inner}")))?;
            Ok(Val::str(regex.replace_all(text, with).into_owned()))
        }
        None => Ok(Val::str(text.replace(search, with))),
    }
}
