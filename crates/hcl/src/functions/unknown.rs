//! What is known of the results of functions although not all of their arguments are.

use crate::functions::regexes;
use crate::types::Type;
use crate::val::unknown::Facts;
use crate::val::{Data, Val};
use shared_text::Text;

/// Returns the value of a call with arguments that are not known, as far as it is known; `None` if nothing is.
pub(super) fn result(name: &str, arguments: &[Val], reason: &Text) -> Option<Val> {
    let text = |prefix: String| {
        let facts = Facts { prefix, ..Facts::default() };
        Some(Val::partly_unknown(Type::Str, Text::clone(reason), facts))
    };
    match (name, arguments) {
        ("startswith", [text, prefix]) => {
            let (known, prefix) = (&text.facts()?.prefix, prefix.as_str()?);
            match known.starts_with(&**prefix) {
                true => Some(Val::bool(true)),
                false => (!prefix.starts_with(&**known)).then(|| Val::bool(false)),
            }
        }
        ("format", [pattern, ..]) => text(pattern.as_str()?.split('%').next().unwrap_or_default().to_owned()),
        ("jsonencode", [value]) => match &value.data {
            Data::List(..) | Data::Set(..) | Data::Tuple(_) => text("[".to_owned()),
            Data::Map(..) | Data::Object(_) | Data::Partial(..) => text("{".to_owned()),
            _ => None,
        },
        ("regex" | "regexall", [pattern, _]) => {
            let ty = regexes::type_of_match(pattern.as_str()?)?;
            let ty = if name == "regex" { ty } else { Type::list(ty) };
            Some(Val::partly_unknown(ty, Text::clone(reason), Facts::default()))
        }
        _ => None,
    }
}

/// A result of a function that is not known: it has the type that all results of the function have, and is not null.
pub(super) fn typed(name: &str, reason: Text) -> Val {
    match result_type(name) {
        // After a mistake, nothing is said about what follows from it.
        Some(ty) if !reason.is_empty() => Val::partly_unknown(ty, reason, Facts::default()),
        _ => Val::unknown(Type::Dynamic, reason),
    }
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
        "alltrue" | "anytrue" | "contains" | "endswith" | "fileexists" | "startswith" | "strcontains" => Type::Bool,
        "cidrsubnets" | "compact" | "formatlist" | "split" => Type::list(Type::Str),
        "range" => Type::list(Type::Number),
        "fileset" => Type::set(Type::Str),
        "transpose" => Type::map(Type::list(Type::Str)),
        _ => return None,
    })
}
