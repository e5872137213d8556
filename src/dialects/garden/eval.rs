//! `eval`: a value with templates against a context that the caller knows.

use super::template::ast::Era;
use super::template::convert::to_text;
use super::template::error::Failure;
use super::template::eval::{Evaluator, Scope};
use super::template::functions::names;
use super::template::node::{Data, Node};
use super::template::structure::parse_tree;
use crate::dialects::{EvalError, EvalMode, Evaluated, texts};
use crate::limits::Limits;
use crate::text::Text;
use crate::value::{Prov, Value};

/// Evaluates a template. Strings in the context may be templates themselves. `apiVersion` in it, which no context of Garden
/// has, selects the version of the language.
///
/// # Errors
/// What has no value. With `partial` that stays as it is written.
pub(crate) fn eval(template: &Value, context: &Value, mode: EvalMode, limits: Limits) -> Result<Evaluated, EvalError> {
    let partial = mode.partial;
    let era = match context.get("apiVersion").and_then(Value::as_str) {
        Some("garden.io/v0" | "garden.io/v1") => Era::Bonsai,
        _ => Era::Cedar,
    };
    let mut failures = Vec::new();
    let all = texts(template);
    let template = without_places(&Node::from_value(template));
    let tree = parse_tree(&template, era, &[], &mut failures);
    if let Some(failure) = failures.first() {
        return Err(error(failure, &all));
    }
    let mut evaluator = Evaluator::new(era, limits);
    if partial {
        evaluator = evaluator.partial();
    }
    let context = parse_tree(&known(&Node::from_value(context)), era, &[], &mut failures);
    if let Some(failure) = failures.first() {
        return Err(error(failure, &[]));
    }
    // Garden 0.13 takes the dollars of escapes away in a later stage.
    let scope = Scope {
        keeps_escapes: mode.keeps_escapes.unwrap_or(era == Era::Bonsai),
        ..Scope::new(evaluator.data(context))
    };
    let mut unresolved: Vec<(String, String)> = Vec::new();
    let done = match partial {
        false => evaluator.deep(&tree, scope),
        true => evaluator.deep_or(&tree, scope, &mut |node, failure| {
            let source = node.as_lazy().map(|lazy| lazy.source()).unwrap_or_else(|| node.clone());
            unresolved.push((to_text(&source), failure.message.clone()));
            Ok(source)
        }),
    };
    let node = done.map_err(|failure| error(&failure, &all))?;
    unresolved.sort();
    unresolved.dedup();
    let (unresolved, reasons) = unresolved.into_iter().unzip();
    Ok(Evaluated { value: shown(&node).to_value(), unresolved, reasons })
}

fn error(failure: &Failure, texts: &[Text]) -> EvalError {
    let mut message = failure.message.clone();
    let unknown = message.split_once("Could not find helper function '").and_then(|(_, rest)| rest.split_once('\''));
    let near = unknown.and_then(|(name, _)| crate::text::nearest(name, names(Era::Cedar)));
    if let Some(near) = near {
        message.push_str(&format!("; did you mean `{near}`?"));
    }
    // The span belongs to the innermost template, which is one of the texts only if no other template led to it.
    let is_alone = message.matches(" template string (").count() == 1;
    let own = texts.iter().find(|text| is_alone && message.contains(&format!(" template string ({text}): ")));
    let error = EvalError::new(message.clone());
    match (own, &failure.span) {
        (Some(text), Some(span)) => error.at(text, span.start as usize..span.end as usize),
        _ => error,
    }
}

/// Data of the caller: there is no file that its values are written in.
fn without_places(node: &Node) -> Node {
    mapped(node, &|data| data)
}

/// The context without entries that are marked as having no value, and without what selects the version.
fn known(node: &Node) -> Node {
    let Data::Map(map) = &node.data else { return without_places(node) };
    let entries = map.iter().filter(|(key, _)| *key != "apiVersion");
    let own = Node::map(entries.map(|(key, value)| (Text::clone(key), value.clone())));
    mapped(&own, &|data| match &data {
        Data::Map(map) if map.len() == 1 && map.get(UNDEFINED).is_some() => Data::Undefined,
        _ => data,
    })
}

/// The result with values that JSON lacks marked: `{"$undefined": true}`.
fn shown(node: &Node) -> Node {
    mapped(node, &|data| match data {
        Data::Undefined => marked(UNDEFINED, Node::bool(true)),
        Data::Number(n) if !n.is_finite() => marked("$number", Node::text(to_text(&Node::new(Data::Number(n))))),
        other => other,
    })
}

/// How values that JSON lacks are written.
const UNDEFINED: &str = "$undefined";

fn marked(key: &'static str, value: Node) -> Data {
    Node::map([(Text::from(key), value)]).data
}

/// A value with all data in it changed, outermost first, and no provenance.
fn mapped(node: &Node, change: &dyn Fn(Data) -> Data) -> Node {
    let data = match change(node.data.clone()) {
        Data::List(items) => Data::List(items.iter().map(|item| mapped(item, change)).collect::<Vec<_>>().into()),
        Data::Map(map) => Data::Map(std::sync::Arc::new(
            map.iter().map(|(key, value)| (Text::clone(key), mapped(value, change))).collect(),
        )),
        other => other,
    };
    Node::at(data, Prov::default())
}
