//! The values of variables from their inputs.

use crate::hcl::types::convert::convert;
use crate::hcl::val::Val;
use crate::hcl::val::export::export;
use crate::terraform::evaluation::statics::Found;
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::block::Declared;
use crate::terraform::module::variable::Variable;
use crate::terraform::rules;

/// Returns the failure about a variable that `init` needs, and that a call does not set.
pub(crate) fn needed(name: &str, call: &Declared) -> Failure {
    let message = format!("missing required variable in module call: \"{name}\" has no default and is not set");
    Failure::new(&rules::MODULE_ARGUMENT, message, call.brace)
}

/// Returns the value of a variable from its input: defaults of attributes, conversion, the meaning of null, marks.
/// `argument` is the value of the argument in the module call, if that sets it.
pub(crate) fn effective(name: &str, variable: &Variable, actual: Option<Val>, argument: Option<Place>) -> Found {
    let wrong = |rule, message: String, place: Option<Place>| match argument {
        Some(argument) => Failure::new(rule, message, argument).declared(variable.place),
        None => Failure::new(rule, message, place.unwrap_or(variable.place)),
    };
    let Some(actual) = actual else {
        return match &variable.default {
            Some(default) => Ok(default.clone().marked(variable.marks)),
            None => {
                let message = format!("var.{name} has no value: it has no default and is not set");
                Err(vec![Failure::new(&rules::MISSING_VALUE, message, variable.place).open()])
            }
        };
    };
    let (value, own) = (variable.defaults.apply(&actual), actual.prov.clone());
    let converted = convert(&value, &variable.ty).map_err(|why| {
        let message = format!("the value given to var.{name} does not fit its type: {}", why.text());
        let place = own.origin.map(|o| (o.file, crate::hcl::ast::Span { start: o.start, end: o.end }));
        vec![wrong(&rules::INVALID_VALUE, message, place)]
    })?;
    if converted.is_null() && !variable.is_nullable {
        return match &variable.default {
            Some(default) => Ok(default.clone().marked(variable.marks)),
            None => {
                let message = format!("required variable not set: var.{name} is null, which it cannot be");
                Err(vec![wrong(&rules::MISSING_VALUE, message, None)])
            }
        };
    }
    let prov = match &variable.default {
        Some(default) if !default.is_failed() => converted.prov.overriding(&export(default)),
        _ => converted.prov.clone(),
    };
    Ok(converted.marked(variable.marks).with_prov(prov))
}
