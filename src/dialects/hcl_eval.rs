//! `eval` of systems that write HCL: evaluates templates with given names.

use crate::dialects::{EvalError, Evaluated};
use crate::hcl::ast::Span;
use crate::hcl::ast::{Name, TraversalStep};
use crate::hcl::eval::{Budget, Evaluator, Scope};
use crate::hcl::functions::NoFiles;
use crate::hcl::parse::parse_template;
use crate::hcl::val::Val;
use crate::hcl::val::export::export;
use crate::hcl::val::import::import;
use crate::text::Text;
use crate::value::{Data, FileId, Value};
use std::sync::Arc;

struct Context<'a>(&'a Value);

impl Scope for Context<'_> {
    fn get(&self, root: &Name, _: &[TraversalStep]) -> Option<(Val, usize)> {
        self.0.get(&root.text).map(|value| (import(value), 0))
    }
}

/// Resolves the strings of a value.
///
/// # Errors
/// The first one that cannot be resolved, unless it may stay as it is.
pub(crate) fn eval(template: &Value, context: &Value, partial: bool) -> Result<Evaluated, EvalError> {
    let mut found = Evaluated::default();
    let budget = Budget::new(5_000_000);
    found.value = node(template, context, partial, &budget, &mut found.unresolved, &mut found.reasons)?;
    found.unresolved.sort();
    found.unresolved.dedup();
    Ok(found)
}

fn node(
    template: &Value,
    context: &Value,
    partial: bool,
    budget: &Budget,
    unresolved: &mut Vec<String>,
    reasons: &mut Vec<String>,
) -> Result<Value, EvalError> {
    match &template.data {
        Data::Str(text) => {
            let why = match text_value(text, context, budget) {
                Ok(value) => return Ok(value),
                Err(why) => why,
            };
            if !partial {
                return Err(why);
            }
            unresolved.push(text.to_string());
            reasons.push(why.message);
            Ok(template.clone())
        }
        Data::List(items) => {
            let items: Result<Vec<Value>, EvalError> =
                items.iter().map(|i| node(i, context, partial, budget, unresolved, reasons)).collect();
            Ok(Value { data: Data::List(Arc::new(items?)), prov: template.prov.clone() })
        }
        Data::Map(map) => {
            let mut out = crate::value::Map::new();
            for entry in map.iter() {
                out.set(Text::clone(&entry.key), node(&entry.value, context, partial, budget, unresolved, reasons)?);
            }
            Ok(Value { data: Data::Map(Arc::new(out)), prov: template.prov.clone() })
        }
        _ => Ok(template.clone()),
    }
}

fn text_value(text: &str, context: &Value, budget: &Budget) -> Result<Value, EvalError> {
    let wrong = |summary: &str, detail: &str, span: Option<Span>| {
        let error = EvalError::new(format!("{summary}: {detail}"));
        match span {
            Some(span) => error.at(text, span.start as usize..span.end as usize),
            None => error,
        }
    };
    let expr = parse_template(text).map_err(|errors| match errors.first() {
        Some(e) => wrong(e.summary, &e.detail, Some(e.span)),
        None => EvalError::new(""),
    })?;
    let scope = Context(context);
    let mut evaluator = Evaluator::new(FileId::new(0), &scope, &NoFiles, budget);
    let value = evaluator.eval(&expr);
    match evaluator.problems.first() {
        Some(problem) => Err(wrong(&problem.summary, &problem.detail, problem.place.map(|(_, span)| span))),
        None => match value.unknown_reason() {
            Some(reason) => Err(EvalError::new(format!("`{text}` is not known: {reason}"))),
            None => {
                let mut value = export(&value);
                value.prov = crate::value::Prov::default();
                Ok(value)
            }
        },
    }
}
