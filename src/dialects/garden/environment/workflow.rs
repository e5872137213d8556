//! Workflows: steps that are evaluated when they run, and may read the steps before them.

use super::{Part, Stage};
use crate::diagnostic::rules;
use crate::dialects::garden::actions::WorkflowSource;
use crate::dialects::garden::diagnostics::{Diagnostics, place_of};
use crate::dialects::garden::project::schema::{
    ENV, Field, Format, INNER_PATH, NUMBER, Rule, Shape, TEXT, at_least, check_shape, optional, required,
};
use crate::dialects::garden::template::evaluation::references::references;
use crate::dialects::garden::template::evaluation::{Roots, Scope};
use crate::dialects::garden::template::node::{ContextId, Data, Node};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::text::Text;
use crate::value::Value;

const STEP: Shape = Shape::Fields(&[
    optional("name", Shape::Text(Format::Name)),
    // Garden looks at these two when the step runs.
    optional("command", Shape::Any),
    optional("script", Shape::Any),
    optional("description", TEXT),
    optional("envVars", ENV),
    optional("skip", Shape::Bool),
    optional("when", TEXT),
    optional("continueOnError", Shape::Bool),
]);
const FILE: Shape =
    Shape::Fields(&[optional("path", INNER_PATH), optional("data", TEXT), optional("secretName", TEXT)]);
const LIMITS: Shape = Shape::Fields(&[optional("cpu", at_least(100.0)), optional("memory", at_least(64.0))]);
const RESOURCES: Shape = Shape::Fields(&[
    optional("requests", Shape::Fields(&[optional("cpu", at_least(50.0)), optional("memory", at_least(64.0))])),
    optional("limits", LIMITS),
]);
const EVENTS: [&str; 7] = [
    "pull-request",
    "pull-request-closed",
    "pull-request-merged",
    "pull-request-opened",
    "pull-request-reopened",
    "pull-request-updated",
    "push",
];
const TRIGGER: Shape = Shape::Fields(&[
    required("environment", TEXT),
    optional("namespace", TEXT),
    optional("events", Shape::List(&Shape::Text(Format::Words(&EVENTS)))),
    optional("branches", Shape::Sparse(&TEXT)),
    optional("baseBranches", Shape::Sparse(&TEXT)),
    optional("ignoreBranches", Shape::Sparse(&TEXT)),
    optional("ignoreBaseBranches", Shape::Sparse(&TEXT)),
]);
const FIELDS: &[Field] = &[
    optional("apiVersion", Shape::Text(Format::Words(&["garden.io/v0"]))),
    optional("kind", Shape::Any),
    required("name", Shape::Text(Format::Identifier)),
    optional("description", TEXT),
    optional("envVars", ENV),
    optional("files", Shape::Sparse(&Shape::With(&FILE, Rule::OneKey(&["data", "secretName"])))),
    optional("keepAliveHours", NUMBER),
    optional("resources", RESOURCES),
    optional("limits", LIMITS),
    required(
        "steps",
        Shape::With(&Shape::Sparse(&Shape::With(&STEP, Rule::SomeKey(&["command", "script"]))), Rule::HasItem),
    ),
    optional("triggers", Shape::Literal(&Shape::Nullable(&Shape::List(&TRIGGER)))),
];
/// The fields of workflows.
pub(crate) fn fields() -> &'static [Field] {
    FIELDS
}

/// Adds the workflows of an environment.
pub(super) fn resolve(stage: &Stage<'_>, all: &[WorkflowSource], parts: &mut Vec<Part>, diagnostics: &Diagnostics) {
    for workflow in all {
        let value = one(stage, workflow, diagnostics);
        let shaping = workflow.shaping.clone();
        let name = Text::clone(&workflow.name);
        parts.push(Part::new("workflow".into(), name, value, shaping));
    }
}

fn one(stage: &Stage<'_>, workflow: &WorkflowSource, diagnostics: &Diagnostics) -> Value {
    let mut roots = stage.roots.clone();
    if let Some(rendered) = &workflow.rendered {
        roots = rendered.roots(&stage.evaluator, roots);
    }
    let context = stage.context(&roots);
    let Some(map) = workflow.tree.as_map() else { return Value::default() };
    let plain = map.iter().filter(|(key, _)| !matches!(key.as_str(), "steps" | "triggers" | "kind" | "apiVersion"));
    let plain = Node::map(plain.map(|(key, value)| (Text::clone(key), value.clone())));
    let (fields, _) = stage.deep(&plain, context, diagnostics);
    let steps = match workflow.tree.get("steps").map(|steps| stage.evaluator.evaluate(steps, Scope::new(context))) {
        Some(Ok(steps)) => steps,
        Some(Err(failure)) => {
            diagnostics.failure(&failure);
            Node::default()
        }
        None => Node::default(),
    };
    let items = steps.as_list().cloned().unwrap_or_default();
    let names: Vec<Text> = items.iter().enumerate().map(|(i, step)| step_name(step, i)).collect();
    let evaluated = items.iter().enumerate().map(|(i, step)| {
        let (runtime, rest) = split(step);
        let (rest, _) = stage.deep(&rest, context, diagnostics);
        let later = step_roots(&names, i, roots.clone());
        let runtime_context = stage.context(&later);
        check_references(stage, &runtime, &names, i, runtime_context, diagnostics);
        let (runtime, _) = stage.deep_with(&runtime, runtime_context, &mut |_| {});
        let is_named = rest.get("name").is_some_and(|name| !name.is_undefined());
        let name = (!is_named).then(|| Node::at(Data::Text(Text::clone(&names[i])), rest.prov.clone()));
        let entries = [&rest, &runtime].into_iter().filter_map(Node::as_map).flat_map(|map| map.iter());
        let entries = entries.map(|(key, value)| (Text::clone(key), value.clone()));
        let when = Node::text("onSuccess");
        let defaults = [(Text::from("when"), when), ("skip".into(), Node::bool(false))];
        Node::at(
            Node::map(defaults.into_iter().chain(entries).chain(name.map(|name| ("name".into(), name)))).data,
            step.prov.clone(),
        )
    });
    let evaluated: Vec<Node> = evaluated.collect();
    let whole = fields.as_map().into_iter().flat_map(|map| map.iter()).map(|(k, v)| (Text::clone(k), v.clone()));
    let steps_node = workflow.tree.get("steps").map(|_| Node::at(Node::list(evaluated).data, steps.prov.clone()));
    let triggers = workflow.tree.get("triggers").cloned();
    let extra = [("steps", steps_node), ("triggers", triggers)];
    let extra = extra.into_iter().filter_map(|(key, node)| Some((Text::from(key), node?)));
    let node = Node::at(Node::map(whole.chain(extra)).data, workflow.tree.prov.clone());
    check(stage, workflow, &node, diagnostics);
    stage.value_of(&node)
}

/// The name of a step: its own, or its number from 1.
fn step_name(step: &Node, index: usize) -> Text {
    step.get("name").and_then(Node::as_text).cloned().unwrap_or_else(|| format!("step-{}", index + 1).into())
}

/// Splits a step into the part that is evaluated when it runs, and the rest.
fn split(step: &Node) -> (Node, Node) {
    let Some(map) = step.as_map() else { return (Node::default(), step.clone()) };
    let is_late = |key: &Text| matches!(key.as_str(), "command" | "script");
    let part = |late: bool| {
        let entries = map.iter().filter(|(key, _)| is_late(key) == late);
        Node::at(Node::map(entries.map(|(key, value)| (Text::clone(key), value.clone()))).data, step.prov.clone())
    };
    (part(true), part(false))
}

fn step_roots(names: &[Text], index: usize, roots: Roots) -> Roots {
    let known = names[..index]
        .iter()
        .map(|name| (Text::clone(name), Node::unknown(format!("`steps.{name}` has output when the step has run"))));
    roots.with("steps", Node::map(known))
}

/// Steps may only refer to steps before them.
fn check_references(
    stage: &Stage<'_>,
    runtime: &Node,
    names: &[Text],
    index: usize,
    context: ContextId,
    diagnostics: &Diagnostics,
) {
    let Ok(found) = references(&stage.evaluator, runtime, Scope::new(context)) else { return };
    for reference in found {
        let path = reference.known();
        let (Some(root), Some(name)) = (path.first(), path.get(1)) else { continue };
        if ***root != *"steps" {
            continue;
        }
        let message = match names.iter().position(|known| known == *name) {
            Some(at) if at == index => format!("the step `{name}` refers to itself: only steps before it have run"),
            Some(at) if at > index => {
                format!("the step `{name}` comes later than `{}`: only steps before a step have run", names[index])
            }
            Some(_) => continue,
            None => continue,
        };
        diagnostics.error(&rules::UNDEFINED_REFERENCE, message, &reference.place);
    }
}

fn check(stage: &Stage<'_>, workflow: &WorkflowSource, node: &Node, diagnostics: &Diagnostics) {
    let what = format!("the workflow `{}`", workflow.name);
    let shown = node.as_map().into_iter().flat_map(|map| map.iter());
    let shown = Node::at(Node::map(shown.map(|(k, v)| (Text::clone(k), v.clone()))).data, node.prov.clone());
    if stage.input.project.era == LanguageVersion::Cedar {
        check_shape(&shown, &Shape::Open(FIELDS), &what, diagnostics);
    }
    let environments = &stage.input.project.environments;
    for trigger in node.get("triggers").and_then(Node::as_list).cloned().unwrap_or_default().iter() {
        let Some(name) = trigger.get("environment").and_then(Node::as_text) else { continue };
        if !environments.iter().any(|environment| environment.name == *name) {
            let known: Vec<&str> = environments.iter().map(|environment| environment.name.as_str()).collect();
            let message = format!(
                "a trigger of {what} names an environment that does not exist: environments are {}",
                known.join(", ")
            );
            diagnostics.error(&rules::INVALID_CONFIG, message, place_of(trigger, "environment"));
        }
    }
}
