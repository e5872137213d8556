//! The functions and operators of expressions, on known values: those of the standard, the string extensions, and our
//! own `cidrContains` and `cidrOverlaps`. If an argument is unknown, so is the result.

use super::compare::{compare, equal};
use super::outcome::{Failure, Steps, unknown, wrong};
use super::patterns::Patterns;
use super::text;
use super::value::Val;
use crate::validation::cidr::Range;
use cel::common::ast::operators;
use std::rc::Rc;

/// Operators, which the parser makes.
const OPERATORS: [&str; 18] = [
    operators::CONDITIONAL,
    operators::LOGICAL_AND,
    operators::LOGICAL_OR,
    operators::LOGICAL_NOT,
    operators::SUBSTRACT,
    operators::ADD,
    operators::MULTIPLY,
    operators::DIVIDE,
    operators::MODULO,
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::GREATER_EQUALS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::LESS,
    operators::NEGATE,
    operators::INDEX,
    operators::IN,
];

/// The steps for an item that is copied into another list.
const ITEM: u64 = 16;

/// Functions with the least and the most arguments that they take; the value before the dot is one.
const FUNCTIONS: [(&str, usize, usize); 26] = [
    ("bool", 1, 1),
    ("charAt", 2, 2),
    ("cidrContains", 2, 2),
    ("cidrOverlaps", 2, 2),
    ("contains", 2, 2),
    ("distinct", 1, 1),
    ("double", 1, 1),
    ("dyn", 1, 1),
    ("endsWith", 2, 2),
    ("indexOf", 2, 2),
    ("int", 1, 1),
    ("join", 1, 2),
    ("lastIndexOf", 2, 2),
    ("lowerAscii", 1, 1),
    ("matches", 2, 2),
    ("replace", 3, 3),
    ("size", 1, 1),
    ("split", 2, 2),
    ("startsWith", 2, 2),
    ("string", 1, 1),
    ("substring", 2, 3),
    ("trim", 1, 1),
    ("type", 1, 1),
    ("uint", 1, 1),
    ("upperAscii", 1, 1),
    (operators::NOT_STRICTLY_FALSE, 1, 1),
];

/// Whether there is a function of this name with so many arguments.
///
/// # Errors
/// There is none: what to tell the user.
pub(super) fn exists(name: &str, has_target: bool, arguments: usize) -> Result<(), String> {
    if OPERATORS.contains(&name) {
        return Ok(());
    }
    let given = arguments + usize::from(has_target);
    match FUNCTIONS.iter().find(|(known, ..)| *known == name) {
        Some((_, least, most)) if (*least..=*most).contains(&given) => Ok(()),
        Some(_) => Err(format!("`{name}` is called with a wrong number of arguments")),
        None => {
            let near = crate::text::nearest(name, FUNCTIONS.iter().map(|f| f.0));
            let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            Err(format!("there is no function `{name}`{hint}"))
        }
    }
}

/// Calls a function; the value before the dot is the first argument.
pub(super) fn call<'a>(
    name: &str,
    args: &[Val<'a>],
    steps: &mut Steps,
    patterns: Option<&Patterns>,
) -> Result<Val<'a>, Failure> {
    if let Some(blank) = unknown(args) {
        return Ok(Val::Unknown(blank));
    }
    if name == "size" {
        steps.take(args.iter().filter_map(Val::len).sum::<usize>() as u64 / 16)?;
        if let Some(blank) = args.iter().find_map(Val::open) {
            return Ok(Val::Unknown(blank));
        }
    }
    match (name, args) {
        (operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS, [a, b]) => {
            compare(name, a, b)
        }
        (operators::ADD, [a, b]) if a.type_name() == "list" && b.type_name() == "list" => {
            let length = a.len().unwrap_or_default() + b.len().unwrap_or_default();
            steps.take(length as u64 * ITEM)?;
            let mut all = a.items().unwrap_or_default();
            all.extend(b.items().unwrap_or_default());
            Ok(Val::List(Rc::new(all)))
        }
        (operators::ADD, [a, b]) if a.as_str().is_some() && b.as_str().is_some() => text::join(&[a, b], "", steps),
        (operators::NEGATE, [a]) => match a {
            Val::Int(i) => i.checked_neg().map(Val::Int).ok_or_else(overflow),
            Val::Double(d) => Ok(Val::Double(-d)),
            other => Err(wrong("-", other)),
        },
        (
            operators::ADD | operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO,
            [a, b],
        ) => arithmetic(name, a, b),
        ("size", [a]) => match (a.as_str(), a.len()) {
            (Some(text), _) => {
                steps.take_bytes(text.len())?;
                Ok(Val::Int(text.chars().count() as i64))
            }
            (None, Some(len)) => Ok(Val::Int(len as i64)),
            _ => Err(wrong(name, a)),
        },
        ("type", [a]) => Ok(Val::Type(a.type_name())),
        ("dyn", [a]) => Ok(a.clone()),
        ("distinct", [a]) => distinct(a, steps),
        ("bool" | "int" | "uint" | "double" | "string", [a]) => text::convert(name, a, steps),
        ("cidrContains" | "cidrOverlaps", [a, b]) => {
            let range = |v: &Val<'_>| {
                let text = v.as_str().ok_or_else(|| wrong(name, v))?;
                Range::parse(text).ok_or_else(|| Failure::Wrong(format!("`{text}` is not an address range")))
            };
            let (a, b) = (range(a)?, range(b)?);
            Ok(Val::Bool(if name == "cidrContains" { a.contains(&b) } else { a.overlaps(&b) }))
        }
        ("join", [list, rest @ ..]) => {
            let items = list.items().ok_or_else(|| wrong(name, list))?;
            if let Some(blank) = unknown(&items) {
                return Ok(Val::Unknown(blank));
            }
            let between = rest.first().map_or(Some(""), Val::as_str).ok_or_else(|| wrong(name, list))?.to_owned();
            text::join(&items.iter().collect::<Vec<_>>(), &between, steps)
        }
        (name, args) => text::call(name, args, steps, patterns),
    }
}

/// A list without repetitions.
fn distinct<'a>(list: &Val<'a>, steps: &mut Steps) -> Result<Val<'a>, Failure> {
    let items = list.items().ok_or_else(|| wrong("distinct", list))?;
    let mut kept: Vec<Val<'a>> = Vec::new();
    'items: for item in items {
        for known in &kept {
            match equal(known, &item, steps)? {
                Ok(true) => continue 'items,
                Ok(false) => {}
                Err(blank) => return Ok(Val::Unknown(blank)),
            }
        }
        kept.push(item);
    }
    Ok(Val::List(Rc::new(kept)))
}

fn arithmetic<'a>(name: &str, a: &Val<'a>, b: &Val<'a>) -> Result<Val<'a>, Failure> {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => match name {
            operators::ADD => a.checked_add(*b),
            operators::SUBSTRACT => a.checked_sub(*b),
            operators::MULTIPLY => a.checked_mul(*b),
            operators::DIVIDE => a.checked_div(*b),
            _ => a.checked_rem(*b),
        }
        .map(Val::Int)
        .ok_or_else(overflow),
        (Val::Uint(a), Val::Uint(b)) => match name {
            operators::ADD => a.checked_add(*b),
            operators::SUBSTRACT => a.checked_sub(*b),
            operators::MULTIPLY => a.checked_mul(*b),
            operators::DIVIDE => a.checked_div(*b),
            _ => a.checked_rem(*b),
        }
        .map(Val::Uint)
        .ok_or_else(overflow),
        _ => match (a.number(), b.number()) {
            (Some(a), Some(b)) => Ok(Val::Double(match name {
                operators::ADD => a + b,
                operators::SUBSTRACT => a - b,
                operators::MULTIPLY => a * b,
                operators::DIVIDE => a / b,
                _ => a % b,
            })),
            _ => Err(Failure::Wrong(format!(
                "`{}` does not accept {} and {}",
                name.trim_matches('_'),
                a.type_name(),
                b.type_name()
            ))),
        },
    }
}

fn overflow() -> Failure {
    Failure::Wrong("a number is too large, or divided by zero".to_owned())
}
