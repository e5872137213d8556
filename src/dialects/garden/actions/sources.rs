//! Where actions come from.

use super::render::{Rendered, WorkflowSource, render, templates};
use crate::diagnostic::rules;
use crate::dialects::garden::diagnostics::{Diagnostics, place_of};
use crate::dialects::garden::environment::Stage;
use crate::dialects::garden::project::{ActionKind, first_line};
use crate::dialects::garden::template::evaluation::Scope;
use crate::dialects::garden::template::node::{Data, Node};
use crate::paths::{join, parent, resolve, seen_from};
use crate::text::Text;
use crate::value::Origin;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An action as it is written.
#[derive(Clone, Debug)]
pub(super) struct ActionSource {
    pub kind: ActionKind,
    pub name: Text,
    /// Its fields, with templates parsed.
    pub tree: Node,
    /// How it was rendered, if it was.
    pub rendered: Option<Arc<Rendered>>,
    /// Lines that shaped it.
    pub shaping: Vec<Origin>,
    pub path: Text,
}

impl ActionSource {
    /// An action with how it was rendered, lines that shaped it and the path of its file.
    pub(super) fn new(
        kind: ActionKind,
        name: Text,
        tree: Node,
        (rendered, shaping, path): (Option<Arc<Rendered>>, Vec<Origin>, Text),
    ) -> Self {
        ActionSource { kind, name, tree, rendered, shaping, path }
    }

    /// Its key: `build.api`.
    pub(super) fn key(&self) -> Key {
        (self.kind, Text::clone(&self.name))
    }

    /// The folder that its paths start from.
    pub(super) fn dir(&self) -> &str {
        parent(&self.path)
    }
}

/// The kind and the name of an action.
pub(super) type Key = (ActionKind, Text);

/// Everything from files and templates.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub actions: Vec<ActionSource>,
    pub workflows: Vec<WorkflowSource>,
    /// Modules; their kind means nothing.
    pub modules: Vec<ActionSource>,
    /// Whether there were more than are kept.
    pub is_full: bool,
}

impl Sources {
    /// How many there are of all kinds.
    pub(super) fn count(&self) -> usize {
        self.actions.len() + self.workflows.len() + self.modules.len()
    }
}

/// Collects what a project has in an environment.
pub(super) fn collect(stage: &Stage<'_>, diagnostics: &Diagnostics) -> Sources {
    let resources = &stage.input.loaded.resources;
    let templates = templates(stage, resources, diagnostics);
    let mut out = Sources::default();
    let mut rendered = Sources::default();
    for resource in resources {
        let source = || (None, Vec::new(), Text::clone(&resource.path));
        let is_templated = resource.tree.get("type").and_then(Node::as_text).is_some_and(|t| *t == *"templated");
        match resource.kind.as_str() {
            "RenderTemplate" => render(stage, resource, &templates, &mut rendered, diagnostics),
            "Module" if is_templated => render(stage, resource, &templates, &mut rendered, diagnostics),
            "Workflow" | "Module" => {
                let Some(name) = resource.name() else {
                    let message = format!("a {} needs a `name`", resource.kind);
                    diagnostics.error(&rules::INVALID_CONFIG, message, &first_line(&resource.tree.prov));
                    continue;
                };
                let (name, tree) = (Text::clone(name), resource.tree.clone());
                if *resource.kind == *"Module" {
                    out.modules.push(ActionSource::new(ActionKind::Build, name, tree, source()));
                } else {
                    let (rendered, shaping, path) = source();
                    out.workflows.push(WorkflowSource { name, tree, rendered, shaping, path });
                }
            }
            kind => {
                let Some(kind) = ActionKind::of_title(kind) else { continue };
                let name = resource.name().cloned().unwrap_or_default();
                out.actions.push(ActionSource::new(kind, name, resource.tree.clone(), source()));
            }
        }
    }
    out.actions.sort_by_key(|action| action.kind);
    out.actions.append(&mut rendered.actions);
    out.workflows.append(&mut rendered.workflows);
    out.modules.append(&mut rendered.modules);
    out.actions = unique_actions(stage, out.actions, diagnostics);
    unique(stage, out.workflows.iter().map(|w| (&w.name, &w.tree, &w.path)), "workflow", diagnostics);
    unique(stage, out.modules.iter().map(|m| (&m.name, &m.tree, &m.path)), "module", diagnostics);
    out
}

fn unique<'a>(
    stage: &Stage<'_>,
    all: impl Iterator<Item = (&'a Text, &'a Node, &'a Text)>,
    what: &str,
    diagnostics: &Diagnostics,
) {
    let mut known: BTreeMap<&Text, &Text> = BTreeMap::new();
    for (name, tree, path) in all {
        if let Some(other) = known.insert(name, path) {
            let other = seen_from(&stage.input.project.dir, other);
            let message = format!("there is another {what} `{name}` in {other}");
            diagnostics.error(&rules::DUPLICATE_COMPONENT, message, place_of(tree, "name"));
        }
    }
}

/// Returns actions with unique kind and name: of several, disabled ones do not count.
fn unique_actions(stage: &Stage<'_>, all: Vec<ActionSource>, diagnostics: &Diagnostics) -> Vec<ActionSource> {
    let mut index: BTreeMap<Key, usize> = BTreeMap::new();
    let mut out: Vec<ActionSource> = Vec::new();
    for action in all {
        let Some(known) = index.get(&action.key()).copied() else {
            index.insert(action.key(), out.len());
            out.push(action);
            continue;
        };
        let (Some(is_disabled), Some(other)) =
            (early(stage, &action, diagnostics), early(stage, &out[known], diagnostics))
        else {
            continue;
        };
        match (is_disabled, other) {
            (true, _) => {}
            (false, true) => out[known] = action,
            (false, false) => {
                let other = seen_from(&stage.input.project.dir, &out[known].path);
                let message = format!(
                    "there is another {} action `{}` in {other}, and neither is disabled",
                    action.kind.title(),
                    action.name
                );
                let label = diagnostics.label(place_of(&out[known].tree, "name"));
                let mut label = label;
                label.message = "the other one".to_owned();
                let primary = diagnostics.label(place_of(&action.tree, "name"));
                let finding = crate::diagnostic::Diagnostic::new(&rules::DUPLICATE_COMPONENT, message, primary);
                diagnostics.report(finding.related(label).breaking());
            }
        }
    }
    out
}

/// Whether an action is disabled, as far as it is known before variables are resolved; `None` if it is not.
fn early(stage: &Stage<'_>, action: &ActionSource, diagnostics: &Diagnostics) -> Option<bool> {
    let message = "if two actions have the same name, `disabled` must not depend on variables";
    let refusal = stage.evaluator.refusal(message);
    let mut roots = stage.roots.clone().with_variables(refusal);
    if let Some(rendered) = &action.rendered {
        roots = rendered.roots(&stage.evaluator, roots);
    }
    let scope = Scope::new(stage.context(&roots));
    let flag = match action.tree.get("disabled").map(|node| stage.evaluator.deep(node, scope)) {
        Some(Ok(node)) => node.is_truthy(),
        Some(Err(failure)) => {
            diagnostics.failure(&failure);
            return None;
        }
        None => false,
    };
    let environments = action.tree.get("environments").map(|node| stage.evaluator.deep(node, scope));
    let elsewhere = match environments {
        Some(Ok(list)) => !is_among(&list, stage.environment()),
        _ => false,
    };
    Some(flag || elsewhere)
}

/// Whether a list names an environment. What is not known does not leave it out.
pub(crate) fn is_among(list: &Node, environment: &str) -> bool {
    match &list.data {
        Data::List(items) => items.iter().any(|item| match &item.data {
            Data::Text(name) => *name == *environment,
            Data::Unknown(_) => true,
            _ => false,
        }),
        _ => true,
    }
}

/// The path of the files of an action, seen from the project.
pub(super) fn source_path(stage: &Stage<'_>, action: &ActionSource, builtin: &Node) -> String {
    let own = builtin.get("source").and_then(|source| source.get("path")).and_then(Node::as_text);
    let dir = match own {
        Some(path) => resolve(action.dir(), path).unwrap_or_else(|| join(action.dir(), path)),
        None => action.dir().to_owned(),
    };
    let project = &stage.input.project.dir;
    if dir == project.as_str() { String::new() } else { seen_from(project, &dir).to_owned() }
}
