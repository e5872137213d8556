//! Calls: the arguments are converted as the function declares them, marks and unknown values are kept away from functions that
//! have nothing to do with them, and what is wrong is reported.

use super::{Args, Fail, Function, Host, HostError, Passes, SPECIAL, all, conversion, unknown};
use crate::ast::{Call, Expr, Span};
use crate::eval::Evaluator;
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::{Data, Marks, Val};
use shared_text::Text;

/// The value of a call.
pub(crate) fn call(evaluator: &mut Evaluator<'_>, call: &Call, span: Span) -> Val {
    let host = evaluator.host;
    let name = match host {
        Some(_) => &call.name.text,
        None => call.name.text.strip_prefix("core::").unwrap_or(&call.name.text),
    };
    match name {
        "try" => return conversion::attempt(evaluator, call, span),
        "can" => return conversion::can(evaluator, call, span),
        _ => {}
    }
    if let Some(host) = host.filter(|host| host.has_own(name)) {
        return hosted(evaluator, host, call, span);
    }
    // Systems with functions of their own have no providers.
    if host.is_none() && name.starts_with("provider::") {
        let arguments: Vec<Val> = call.arguments.iter().map(|argument| evaluator.eval(argument)).collect();
        let marks = arguments.iter().fold(Marks::NONE, |marks, argument| marks | argument.all_marks());
        let prov = evaluator.derived(span, &arguments);
        return Val::unknown(Type::Dynamic, format!("{name}()")).marked(marks).with_prov(prov);
    }
    let is_there = |f: &&Function| host.is_none_or(|host| host.has(f.name));
    let Some(function) = all().filter(is_there).find(|f| f.name == name) else {
        let near = shared_text::nearest(name, all().filter(is_there).map(|f| f.name).chain(SPECIAL));
        let hint = near.map_or_else(String::new, |n| format!(" Did you mean \"{n}\"?"));
        let detail = format!("There is no function named \"{name}\".{hint}");
        // The arguments may be wrong as well.
        call.arguments.iter().for_each(|a| drop(evaluator.eval(a)));
        return evaluator.problem("Call to unknown function", detail, call.name.span);
    };
    let before = evaluator.problems.len();
    let (values, spans) = match arguments(evaluator, call) {
        Ok(found) => found,
        Err(value) => return value,
    };
    if evaluator.problems.len() > before {
        return Val::failed();
    }
    if !evaluator.budget.take(pattern(name, &values).map_or(0, |pattern| 10 * go_compat::regexp::cost(pattern) as u64))
    {
        return evaluator.exhausted(span);
    }
    if !evaluator.reads(&values) || !evaluator.budget.take(decoding(name, &values)) {
        return evaluator.exhausted(span);
    }
    let read = values.clone();
    let value = run(evaluator, function, call, (values, spans), span);
    traced(evaluator, value, &read, span)
}

/// The value of a call of a function of the system.
fn hosted(evaluator: &mut Evaluator<'_>, host: &dyn Host, call: &Call, span: Span) -> Val {
    let before = evaluator.problems.len();
    let (values, spans) = match arguments(evaluator, call) {
        Ok(found) => found,
        Err(value) => return value,
    };
    if evaluator.problems.len() > before {
        return Val::failed();
    }
    let name = &call.name.text;
    let value = match host.call(name, &values) {
        Ok(value) => value,
        Err(HostError::Call(message)) => {
            let detail = format!("Call to function \"{name}\" failed: {message}.");
            evaluator.problem("Error in function call", detail, span)
        }
        Err(HostError::Argument(index, message)) => {
            let place = spans.get(index).copied().unwrap_or(span);
            let detail = format!("Invalid value for argument {} of \"{name}\": {message}.", index + 1);
            evaluator.problem("Invalid function argument", detail, place)
        }
    };
    traced(evaluator, value, &values, span)
}

/// The result of a call, if it is not too large, with what it was computed from.
fn traced(evaluator: &mut Evaluator<'_>, value: Val, read: &[Val], span: Span) -> Val {
    let prov = evaluator.derived(span, read);
    let value = evaluator.made(value, span);
    match value.prov.origin {
        Some(_) => {
            let own = value.prov.clone();
            value.with_prov(prov.with_inputs([own]))
        }
        None => value.with_prov(prov),
    }
}

/// The steps of parsing the text that a function takes: YAML takes the longest.
fn decoding(name: &str, values: &[Val]) -> u64 {
    let length = values.first().and_then(Val::as_str).map_or(0, |text| text.len() as u64);
    match name {
        "yamldecode" => 2 * length,
        "jsondecode" | "csvdecode" => length,
        _ => 0,
    }
}

/// The pattern that a function compiles.
fn pattern<'v>(name: &str, values: &'v [Val]) -> Option<&'v str> {
    match name {
        "regex" | "regexall" => values.first()?.as_str().map(|text| &**text),
        "replace" => values.get(1)?.as_str()?.strip_prefix('/')?.strip_suffix('/'),
        _ => None,
    }
}

/// Returns the values of the arguments with their places; the value of the call if the last one cannot be expanded.
fn arguments(evaluator: &mut Evaluator<'_>, call: &Call) -> Result<(Vec<Val>, Vec<Span>), Val> {
    let mut values: Vec<Val> = Vec::new();
    let mut spans: Vec<Span> = Vec::new();
    for (index, expr) in call.arguments.iter().enumerate() {
        if call.expands && index + 1 == call.arguments.len() {
            let (more, places) = expanded(evaluator, expr)?;
            values.extend(more);
            spans.extend(places);
        } else {
            values.push(evaluator.eval(expr));
            spans.push(expr.span);
        }
    }
    Ok((values, spans))
}

/// The arguments that an expanded one stands for, with their places; the value of the call if it cannot be expanded.
pub(super) fn expanded(evaluator: &mut Evaluator<'_>, expr: &Expr) -> Result<(Vec<Val>, Vec<Span>), Val> {
    let before = evaluator.problems.len();
    let value = evaluator.eval(expr);
    if evaluator.problems.len() > before {
        return Err(Val::failed());
    }
    if let Some(items) = value.as_items() {
        let values: Vec<Val> = items.iter().map(|item| item.clone().marked(value.marks)).collect();
        let spans = vec![expr.span; values.len()];
        return Ok((values, spans));
    }
    match &value.data {
        Data::Unknown(Type::Dynamic | Type::List(_) | Type::Set(_) | Type::Tuple(_), reason) => {
            Err(Val::unknown(Type::Dynamic, Text::clone(reason)))
        }
        _ => {
            let detail = "The expanding argument (indicated by ...) must be of a tuple, list, or set type.";
            Err(evaluator.problem("Invalid expanding argument value", detail, expr.span))
        }
    }
}

fn run(
    evaluator: &mut Evaluator<'_>,
    function: &Function,
    call: &Call,
    (values, spans): (Vec<Val>, Vec<Span>),
    span: Span,
) -> Val {
    let wanted = function.params.len();
    if values.len() < wanted {
        let detail =
            format!("Function \"{}\" expects {wanted} argument(s); {} are given.", function.name, values.len());
        let end = Span { start: span.end.saturating_sub(1), end: span.end };
        return evaluator.problem("Not enough function arguments", detail, end);
    }
    if values.len() > wanted && function.rest.is_none() {
        let detail = format!("Function \"{}\" expects only {wanted} argument(s).", function.name);
        let place = spans.get(wanted).copied().unwrap_or(span);
        return evaluator.problem("Too many function arguments", detail, place);
    }
    let is_hidden = values.iter().any(|value| value.all_marks().has(Marks::SENSITIVE));
    let is_unknown = values.iter().any(Val::is_unknown);
    let mut marks = Marks::NONE;
    let mut unknown: Option<Text> = None;
    // Why an argument is not known of which not even the type is: it decides the type of the result.
    let mut open: Option<Text> = None;
    let mut misfit = None;
    let mut converted: Vec<Val> = Vec::with_capacity(values.len());
    for (index, value) in values.into_iter().enumerate() {
        let Some(param) = function.params.get(index).copied().or(function.rest) else { break };
        let place = spans.get(index).copied().unwrap_or(span);
        let invalid = "Invalid function argument";
        let argument =
            |message: &str| format!("Invalid value for argument {} of \"{}\": {message}.", index + 1, function.name);
        if value.is_null() && !param.takes_null && open.is_none() {
            return evaluator.problem(invalid, argument("argument must not be null"), place);
        }
        let value = match convert(&value, &param.ty()) {
            Ok(value) => value,
            Err(why) => return evaluator.problem(invalid, argument(&why.text()), place),
        };
        match &value.data {
            Data::Unknown(Type::Dynamic, reason) if !param.takes_null => {
                open.get_or_insert_with(|| Text::clone(reason));
            }
            _ if param.is_lenient && is_unknown => {}
            _ if function.stops_at_unknown && converted.iter().any(Val::is_unknown) => {}
            _ => {
                misfit = misfit.or_else(|| param.kind.rejects(&value).map(|what| (argument(what), place)));
            }
        }
        let (value, own) = if function.spreads_marks { value.unmark_deep() } else { (value, Marks::NONE) };
        marks = match param.passes_marks {
            Passes::Always => marks | own | value.marks,
            Passes::IfKnown if is_unknown => marks,
            _ => marks | own,
        };
        if function.is_shallow {
            // What else is in an object that is not completely known is open.
            let value = match value.data {
                Data::Partial(_, name) if !matches!(function.name, "sensitive" | "nonsensitive" | "issensitive") => {
                    Val { data: Data::Unknown(Type::Dynamic, name.into()), ..value }
                }
                _ => value,
            };
            converted.push(value);
            continue;
        }
        if let Some(reason) = value.unknown_reason() {
            unknown.get_or_insert_with(|| Text::clone(reason));
        }
        converted.push(value);
    }
    if let Some(reason) = open {
        return Val::unknown(Type::Dynamic, reason).marked(marks);
    }
    if let Some((detail, place)) = misfit {
        return evaluator.problem("Invalid function argument", detail, place);
    }
    let (outcome, values, spans) = match unknown {
        Some(reason) => {
            let known = unknown::result(function.name, &converted, &reason);
            (known.and_then(|known| known.ok_or_else(|| Fail::Unknown(reason.to_string()))), converted, spans)
        }
        None => {
            let mut args = Args { values: converted, spans, evaluator };
            let outcome = (function.run)(&mut args);
            (outcome, args.values, args.spans)
        }
    };
    let (index, message) = match outcome {
        Ok(value) => return value.marked(marks),
        Err(Fail::Unknown(reason)) => return unknown::typed(function.name, &values, reason.into()).marked(marks),
        // What is read for its path may write it.
        Err(Fail::Missing(index, _)) if call.arguments.get(index).is_some_and(|path| evaluator.writes(path)) => {
            let reason = "the file is not there, and what its path is made of may write it";
            return unknown::typed(function.name, &values, reason.into()).marked(marks);
        }
        Err(Fail::Missing(index, message) | Fail::Argument(index, message)) => (Some(index), message),
        Err(Fail::Call(message)) => (None, message),
    };
    // Functions quote what they reject.
    let message = if is_hidden { "it cannot take this sensitive value".to_owned() } else { message };
    failed(evaluator, function, call, (index, &message), (&spans, span))
}

/// Reports why a call failed, at the argument that is the reason if there is one.
fn failed(
    evaluator: &mut Evaluator<'_>,
    function: &Function,
    call: &Call,
    (index, message): (Option<usize>, &str),
    (spans, span): (&[Span], Span),
) -> Val {
    let Some(index) = index else {
        let detail = format!("Call to function \"{}\" failed: {message}.", call.name.text);
        return evaluator.problem("Error in function call", detail, span);
    };
    let place = spans.get(index).copied().unwrap_or(span);
    let detail = format!("Invalid value for argument {} of \"{}\": {message}.", index + 1, function.name);
    evaluator.problem("Invalid function argument", detail, place)
}
