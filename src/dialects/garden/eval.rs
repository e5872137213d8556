//! `eval`: evaluates a value with templates in a given context.

use super::actions::{Refusal, read_action};
use super::template::evaluation::functions::names;
use super::template::evaluation::references::{self, Reference, ReferenceKey};
use super::template::evaluation::{Evaluator, Lookup, Scope};
use super::template::failure::Failure;
use super::template::node::convert::to_text;
use super::template::node::{ContextId, Data, Node};
use super::template::structure::parse_tree;
use super::template::syntax::ast::LanguageVersion;
use super::template::syntax::path::Segment;
use crate::dialects::{EvalError, EvalMode, Evaluated, LookedUp, texts};
use crate::limits::Limits;
use crate::text::Text;
use crate::value::{Prov, Value};

/// A template and a context, both parsed.
struct Parsed {
    evaluator: Evaluator,
    tree: Node,
    context: ContextId,
    /// The texts in the template, among which mistakes are shown.
    texts: Vec<Text>,
}

/// Parses a template and its context. Strings in the context may be templates themselves. `apiVersion` in it, which no context
/// of Garden has, selects the version of the language.
///
/// # Errors
/// What cannot be parsed.
fn parsed(template: &Value, context: &Value, limits: Limits) -> Result<Parsed, EvalError> {
    let era = match context.get("apiVersion").and_then(Value::as_str) {
        Some("garden.io/v0" | "garden.io/v1") => LanguageVersion::Bonsai,
        _ => LanguageVersion::Cedar,
    };
    let texts = texts(template);
    let parse = |node: &Node, texts: &[Text]| {
        let mut failures = Vec::new();
        let tree = parse_tree(node, era, &[], &mut failures);
        failures.first().map_or(Ok(tree), |failure| Err(error(failure, texts)))
    };
    let tree = parse(&without_places(&Node::from_value(template)), &texts)?;
    let evaluator = Evaluator::new(era, limits);
    let context = evaluator.data(parse(&known(&Node::from_value(context)), &[])?);
    Ok(Parsed { evaluator, tree, context, texts })
}

/// Evaluates a template in a context, see [`parsed`].
///
/// # Errors
/// What has no value. With `partial` that stays as it is written.
pub(crate) fn eval(template: &Value, context: &Value, mode: EvalMode, limits: Limits) -> Result<Evaluated, EvalError> {
    let Parsed { mut evaluator, tree, context, texts } = parsed(template, context, limits)?;
    if mode.partial {
        evaluator = evaluator.partial();
    }
    // Garden 0.13 takes the dollars of escapes away in a later stage.
    let keeps_escapes = mode.keeps_escapes.unwrap_or(evaluator.era() == LanguageVersion::Bonsai);
    let scope = Scope { keeps_escapes, ..Scope::new(context) };
    let mut unresolved: Vec<(String, String)> = Vec::new();
    let done = match mode.partial {
        false => evaluator.deep(&tree, scope),
        true => evaluator.deep_or(&tree, scope, &mut |node, failure| {
            let source = node.as_lazy().map(|lazy| lazy.source()).unwrap_or_else(|| node.clone());
            unresolved.push((to_text(&source), failure.message.clone()));
            Ok(source)
        }),
    };
    let node = done.map_err(|failure| error(&failure, &texts))?;
    unresolved.sort();
    unresolved.dedup();
    let (unresolved, reasons) = unresolved.into_iter().unzip();
    Ok(Evaluated { value: shown(&node).to_value(), unresolved, reasons })
}

/// The key paths that a template looks up in a context, see [`parsed`], with the actions that they read.
///
/// # Errors
/// A condition cannot be evaluated, or a key path begins like one of an action and names none.
pub(crate) fn references(template: &Value, context: &Value, limits: Limits) -> Result<Vec<LookedUp>, EvalError> {
    let Parsed { evaluator, tree, context, texts } = parsed(template, context, limits)?;
    let scope = Scope::new(context);
    let found = references::references(&evaluator, &tree, scope).map_err(|failure| error(&failure, &texts))?;
    let looked_up = |reference: &Reference| {
        let action = read_action(reference).map_err(|refusal| match refusal {
            Refusal::Message(message) => EvalError::new(at_path(&message, &reference.at)),
            Refusal::Failure(failure) => error(failure, &texts),
        })?;
        let segment = |key: &ReferenceKey| match key {
            ReferenceKey::Known(segment) if segment.is_number => number(&segment.text),
            ReferenceKey::Known(segment) => Value::str(segment.text.as_str()),
            ReferenceKey::Failed(_) | ReferenceKey::Unknown => Value::default(),
        };
        Ok(LookedUp {
            path: reference.path.iter().map(segment).collect(),
            at: reference.at.to_string(),
            component: action.map(|action| (action.on.0.word(), action.on.1)),
            is_missing: is_missing(&evaluator, reference, scope),
        })
    };
    found.iter().map(looked_up).collect()
}

/// Adds the place of its template to a message.
fn at_path(message: &str, at: &str) -> String {
    if at.is_empty() { message.to_owned() } else { format!("{message} (at {at})") }
}

/// Whether a context has nothing under a key path. One that cannot be evaluated is there.
fn is_missing(evaluator: &Evaluator, reference: &Reference, scope: Scope) -> bool {
    let segments = reference.path.iter().map(|key| match key {
        ReferenceKey::Known(segment) => Some(segment.clone()),
        ReferenceKey::Failed(_) | ReferenceKey::Unknown => None,
    });
    let Some(segments) = segments.collect::<Option<Vec<Segment>>>() else { return true };
    matches!(evaluator.lookup(scope.context, &segments, scope), Ok(Lookup::Missing(_)))
}

/// The number that a segment of a key path is written as.
fn number(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::str(text), |n| Node::new(Data::Number(n)).to_value())
}

fn error(failure: &Failure, texts: &[Text]) -> EvalError {
    let mut message = failure.message.clone();
    let unknown = message.split_once("Could not find helper function '").and_then(|(_, rest)| rest.split_once('\''));
    let near = unknown.and_then(|(name, _)| crate::text::nearest(name, names(LanguageVersion::Cedar)));
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

/// Data from the caller: its values are not in a file.
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
