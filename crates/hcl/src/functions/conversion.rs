//! Conversions, marks, and what is done about mistakes.

use super::{A, Args, Fail, Function, NULLABLE, Outcome, function};
use crate::ast::{Call, Span};
use crate::eval::{Evaluator, Problem};
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::{Data, Marks, Val};
use shared_text::Text;

pub(super) const ALL: &[Function] = &[
    function("convert", &[NULLABLE, NULLABLE], |_| {
        Err(Fail::Unknown("convert() takes a type, which no value is".to_owned()))
    }),
    function("ephemeralasnull", &[NULLABLE], |a| {
        Ok(a.values[0].transform(&mut |value| match &value.data {
            _ if value.marks.has(Marks::EPHEMERAL) => {
                Val::from(Data::Null(Type::of(&value))).marked(value.marks.without(Marks::EPHEMERAL))
            }
            // What is known of it beside the type is forgotten.
            Data::Unknown(ty, reason) => Val { data: Data::Unknown(ty.clone(), Text::clone(reason).into()), ..value },
            _ => value,
        }))
    })
    .shallow(),
    function("issensitive", &[NULLABLE], |a| match &a.values[0].data {
        // What it will be decides whether it is.
        Data::Unknown(_, reason) => Ok(Val::not_null(Type::Bool, Text::clone(reason))),
        _ => Ok(Val::bool(a.values[0].marks.has(Marks::SENSITIVE))),
    })
    .shallow(),
    function("nonsensitive", &[NULLABLE], |a| {
        let mut value = a.values[0].clone();
        value.marks = value.marks.without(Marks::SENSITIVE);
        Ok(value)
    })
    .shallow(),
    function("sensitive", &[NULLABLE], |a| Ok(a.values[0].clone().marked(Marks::SENSITIVE))).shallow(),
    function("tobool", &[NULLABLE], |a| to(a, &Type::Bool)).shallow(),
    function("tolist", &[NULLABLE], |a| to(a, &Type::list(Type::Dynamic))).shallow(),
    function("tomap", &[NULLABLE], |a| to(a, &Type::map(Type::Dynamic))).shallow(),
    function("tonumber", &[NULLABLE], |a| to(a, &Type::Number)).shallow(),
    function("toset", &[NULLABLE], |a| to(a, &Type::set(Type::Dynamic))).shallow(),
    function("tostring", &[NULLABLE], |a| to(a, &Type::Str)).shallow(),
    function("type", &[A], |a| Ok(Val::str(Type::of(&a.values[0]).name()))),
];

fn to(args: &mut Args<'_, '_>, ty: &Type) -> Outcome {
    let converted = convert(&args.values[0], ty);
    if let (Ok(_), Data::Unknown(_, reason)) = (&converted, &args.values[0].data) {
        // What is known of it beside the type is forgotten, also the type of its elements and its marks.
        return Ok(Val::unknown(ty.clone(), Text::clone(reason)));
    }
    converted.map_err(|_| {
        let what = match (&args.values[0].data, ty) {
            (Data::Str(text), Type::Number) => format!(
                "cannot convert \"{text}\" to number; given string must be a decimal representation of a number"
            ),
            (Data::Str(text), Type::Bool) => {
                format!("cannot convert \"{text}\" to bool; only the strings \"true\" or \"false\" are allowed")
            }
            (_, Type::List(_) | Type::Set(_) | Type::Map(_)) => {
                format!("cannot convert {} to {} of any single type", Type::of(&args.values[0]).name(), ty.short_name())
            }
            _ => format!("cannot convert {} to {}", Type::of(&args.values[0]).name(), ty.name()),
        };
        Fail::Argument(0, what)
    })
}

/// What `try` and `can` take: the value of each argument or what is wrong with it; the value of the call if the last one cannot
/// be expanded, which is no attempt.
fn attempts(evaluator: &mut Evaluator<'_>, call: &Call) -> Result<Vec<Result<Val, Vec<Problem>>>, Val> {
    let mut found = Vec::new();
    let expanded = call.arguments.last().filter(|_| call.expands);
    let single = call.arguments.len() - usize::from(expanded.is_some());
    for expr in &call.arguments[..single] {
        let attempt = evaluator.attempt(expr);
        // What follows a value is not evaluated, unless it decides how many arguments there are.
        let is_last = attempt.is_ok() && expanded.is_none();
        found.push(attempt);
        if is_last {
            return Ok(found);
        }
    }
    if let Some(expr) = expanded {
        let (values, _) = super::call::expanded(evaluator, expr)?;
        found.extend(values.into_iter().map(Ok));
    }
    Ok(found)
}

/// `try(a, b, …)`: the first argument without a mistake.
pub(super) fn attempt(evaluator: &mut Evaluator<'_>, call: &Call, span: Span) -> Val {
    let attempts = match attempts(evaluator, call) {
        Ok(found) => found,
        Err(value) => return value,
    };
    if attempts.is_empty() {
        return evaluator.problem(
            "Error in function call",
            "Call to function \"try\" failed: at least one argument is required.",
            span,
        );
    }
    let mut found = Vec::new();
    for attempt in attempts {
        match attempt {
            // Something unknown may turn out to be a mistake, or to be none.
            Ok(value) if value.is_failed() => return Val::failed(),
            Ok(value) if value.unknown_reason().is_some() => {
                let reason = value.unknown_reason().cloned().unwrap_or_default();
                return Val::unknown(Type::Dynamic, reason).with_prov(evaluator.derived(span, [&value]));
            }
            Ok(value) => {
                let prov = evaluator.derived(span, [&value]);
                let own = value.prov.clone();
                return value.with_prov(prov.with_inputs([own]));
            }
            Err(problems) => found.extend(problems),
        }
    }
    let all: Vec<String> = found.iter().map(|p| p.detail.clone()).collect();
    let detail = format!("Call to function \"try\" failed: no expression succeeded: {}", all.join(" "));
    evaluator.problem("Error in function call", detail, span)
}

/// `can(a)`: whether the argument has no mistake.
pub(super) fn can(evaluator: &mut Evaluator<'_>, call: &Call, span: Span) -> Val {
    let mut attempts = match attempts(evaluator, call) {
        Ok(found) => found,
        Err(value) => return value,
    };
    let (Some(attempt), true) = (attempts.pop(), attempts.is_empty() && (call.expands || call.arguments.len() == 1))
    else {
        return evaluator.problem("Error in function call", "Function \"can\" expects 1 argument.", span);
    };
    match attempt {
        // Something unknown may turn out to be a mistake.
        Ok(value) if value.unknown_reason().is_some() => {
            Val::unknown(Type::Bool, value.unknown_reason().cloned().unwrap_or_default())
        }
        Ok(value) => {
            let prov = evaluator.derived(span, [&value]);
            Val::bool(true).with_prov(prov)
        }
        Err(_) => Val::bool(false),
    }
}
