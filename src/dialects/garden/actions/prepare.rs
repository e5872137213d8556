//! The graph of an environment: its actions with their built-in fields evaluated, and what they depend on.

use super::dependencies::{self, Dependency};
use super::modules::Module;
use super::render::WorkflowSource;
use super::sources::{ActionSource, Key, collect, is_among, source_path};
use super::{fields, modules, plugins};
use crate::diagnostic::rules;
use crate::dialects::garden::diagnostics::{Diagnostics, place_of};
use crate::dialects::garden::environment::variables::{Layers, is_empty, variables};
use crate::dialects::garden::environment::{Stage, field};
use crate::dialects::garden::project::schema::check_fields;
use crate::dialects::garden::project::varfile::{self, Varfile, load};
use crate::dialects::garden::template::evaluation::references::references;
use crate::dialects::garden::template::evaluation::{Roots, Scope, word};
use crate::dialects::garden::template::node::{ContextId, Data, Node};
use crate::text::Text;
use crate::value::Prov;
use arcstr::literal;
use std::collections::{BTreeMap, BTreeSet};

/// The actions of an environment before they are resolved.
pub(crate) struct Graph {
    pub(super) actions: Vec<Prepared>,
    pub(crate) workflows: Vec<WorkflowSource>,
    /// Actions that plugins may make from modules.
    pub(super) possible: BTreeSet<Key>,
    /// The modules that only plugins convert.
    pub(super) modules: Vec<Module>,
}

impl Graph {
    /// Returns the trees of enabled actions and workflows.
    pub(crate) fn enabled_trees(&self) -> impl Iterator<Item = &Node> {
        let actions = self.actions.iter().filter(|action| !action.is_disabled).map(|action| &action.source.tree);
        actions.chain(self.workflows.iter().map(|workflow| &workflow.tree))
    }
}

/// An action with its built-in fields evaluated.
pub(super) struct Prepared {
    /// As it is written.
    pub source: ActionSource,
    /// Its fields but for `spec` and `variables`.
    pub builtin: Node,
    /// Whether it is disabled in this environment.
    pub is_disabled: bool,
    /// Its dependencies, in the order of the text, each action once.
    pub dependencies: Vec<Dependency>,
    /// The same with all ways in which each action is named and read.
    pub uses: Vec<Dependency>,
    /// Its files of variables, in order.
    pub varfiles: Vec<Node>,
    /// The path of its files, seen from the project.
    pub source_path: Text,
}

/// Builds the graph of an environment. `None` after an error, which is reported.
pub(crate) fn graph(stage: &Stage<'_>, diagnostics: &Diagnostics) -> Option<Graph> {
    let before = diagnostics.breaking();
    let mut sources = collect(stage, diagnostics);
    let modules = modules::convert(stage, &sources.modules, diagnostics);
    if diagnostics.breaking() > before {
        return None;
    }
    add_module_actions(&mut sources.actions, modules.actions, diagnostics);
    let mut keys: BTreeSet<Key> = sources.actions.iter().map(ActionSource::key).collect();
    keys.extend(modules.possible.iter().cloned());
    let actions: Vec<Prepared> =
        sources.actions.into_iter().filter_map(|action| prepare(stage, action, &keys, diagnostics)).collect();
    check_types(stage, &actions, diagnostics);
    let (possible, modules) = (modules.possible, modules.others);
    (diagnostics.breaking() == before).then_some(Graph { actions, workflows: sources.workflows, possible, modules })
}

/// Adds the actions of modules; duplicates are reported.
fn add_module_actions(actions: &mut Vec<ActionSource>, made: Vec<ActionSource>, diagnostics: &Diagnostics) {
    let known: BTreeSet<Key> = actions.iter().map(ActionSource::key).collect();
    for action in made {
        if known.contains(&action.key()) {
            let (kind, name) = (action.kind.title(), &action.name);
            let message = format!("there is another {kind} action `{name}` besides the one of this module");
            diagnostics.error(&rules::DUPLICATE_COMPONENT, message, place_of(&action.tree, "name"));
        } else {
            actions.push(action);
        }
    }
}

/// The context of the built-in fields of an action, except its own variables.
fn builtin_roots(stage: &Stage<'_>, action: &ActionSource) -> Roots {
    let this = Node::record(vec![
        (word("name"), Node::text(Text::clone(&action.name))),
        (word("mode"), Node::text(literal!("default"))),
    ]);
    let roots = stage.roots.clone().with("inputs", Node::map([])).with("this", this);
    match &action.rendered {
        Some(rendered) => rendered.roots(&stage.evaluator, roots),
        None => roots,
    }
}

fn prepare(
    stage: &Stage<'_>,
    action: ActionSource,
    keys: &BTreeSet<Key>,
    diagnostics: &Diagnostics,
) -> Option<Prepared> {
    let roots = builtin_roots(stage, &action);
    let own = early_variables(stage, &action, &roots);
    let context = stage.evaluator.roots(roots.with_variables(own));
    let late = |key: &Text| matches!(key.as_str(), "spec" | "variables");
    let map = action.tree.as_map()?;
    let builtin = map.iter().filter(|(key, _)| !late(key)).map(|(key, value)| (Text::clone(key), value.clone()));
    let builtin = Node::at(Node::record(builtin.collect()).data, action.tree.prov.clone());
    let (builtin, is_complete) = stage.deep(&builtin, context, diagnostics);
    if is_complete {
        let what = format!("{}.{}", action.kind.lower(), action.name);
        let checked = if action.rendered.is_some() { without_path(&builtin) } else { builtin.clone() };
        let known = fields::fields_of(action.kind, stage.input.project.era);
        check_fields(&checked, &known, &what, diagnostics);
    }
    check_files(&builtin, &action, diagnostics);
    let is_disabled = is_disabled(&builtin, stage.environment());
    let varfiles = varfiles(stage, &action, &builtin, diagnostics);
    let uses = find_dependencies(stage, &action, &builtin, context, diagnostics);
    let mut seen = BTreeSet::new();
    let dependencies: Vec<Dependency> = uses.iter().filter(|used| seen.insert(&used.on)).cloned().collect();
    let is_missing = |d: &&Dependency| d.is_explicit() && !keys.contains(&d.on) && stage.is_closed();
    for dependency in dependencies.iter().filter(is_missing) {
        let (kind, name) = &dependency.on;
        let message = format!("there is no {} action `{name}` to depend on", kind.title());
        diagnostics.error(&rules::UNDEFINED_DEPENDENCY, message, &dependency.place);
    }
    let source_path = source_path(stage, &action, &builtin).into();
    Some(Prepared { source: action, builtin, is_disabled, dependencies, uses, varfiles, source_path })
}

/// The fields of a rendered action without the folder that its template names for it.
fn without_path(builtin: &Node) -> Node {
    let fields = builtin.as_map().into_iter().flat_map(|map| map.iter()).filter(|(key, _)| *key != "path");
    let fields = fields.map(|(key, value)| (Text::clone(key), value.clone())).collect();
    Node::at(Node::record(fields).data, builtin.prov.clone())
}

/// Whether built-in fields disable an action.
fn is_disabled(builtin: &Node, environment: &str) -> bool {
    let flag = match builtin.get("disabled").map(|node| &node.data) {
        Some(Data::Bool(b)) => *b,
        Some(Data::Text(text)) => *text == *"true",
        _ => false,
    };
    flag || builtin.get("environments").is_some_and(|list| !is_among(list, environment))
}

/// The variables of an action as far as they are known before other actions are.
fn early_variables(stage: &Stage<'_>, action: &ActionSource, roots: &Roots) -> ContextId {
    let plain = action.tree.get("varfiles").cloned().unwrap_or_default();
    let entries = plain.as_list().cloned().unwrap_or_default();
    let known: Vec<Node> = entries.iter().filter(|entry| varfile_path(entry).is_some()).cloned().collect();
    let mut scopes = vec![field(&action.tree, "variables")];
    // Mistakes in a file are reported when all files are read.
    let quiet = Diagnostics::new(stage.input.project.file);
    scopes.extend(known.iter().filter_map(|entry| varfile(stage, action, entry, &quiet)));
    if scopes.iter().all(is_empty) {
        return stage.variables;
    }
    let context = stage.context(roots);
    let layers =
        Layers { context, base: Some(stage.variables), scopes: &scopes, overrides: stage.overrides(), is_final: false };
    variables(&stage.evaluator, &layers)
}

/// The path of an entry of `varfiles`, and whether the file may be missing.
fn varfile_path(entry: &Node) -> Option<(&Text, bool)> {
    match &entry.data {
        Data::Text(path) => Some((path, false)),
        Data::Map(_) => {
            let optional = entry.get("optional").is_some_and(Node::is_truthy);
            Some((entry.get("path")?.as_text()?, optional))
        }
        _ => None,
    }
}

pub(super) fn varfile(
    stage: &Stage<'_>,
    action: &ActionSource,
    entry: &Node,
    diagnostics: &Diagnostics,
) -> Option<Node> {
    let path = entry.get("path").unwrap_or(entry);
    if let Data::Unknown(path) = &path.data {
        return Some(varfile::of_unknown_path(stage.input.loader, action.dir(), path, &entry.prov, diagnostics));
    }
    let (path, is_optional) = varfile_path(entry)?;
    let varfile = Varfile { dir: action.dir(), path, is_optional, place: Some(&entry.prov) };
    load(stage.input.loader, &varfile, stage.input.project.era, diagnostics)
}

fn varfiles(stage: &Stage<'_>, action: &ActionSource, builtin: &Node, diagnostics: &Diagnostics) -> Vec<Node> {
    let entries = builtin.get("varfiles").and_then(Node::as_list).cloned().unwrap_or_default();
    entries.iter().filter_map(|entry| varfile(stage, action, entry, diagnostics)).collect()
}

/// Finds all dependencies of an action, each kind once, at its first occurrence.
fn find_dependencies(
    stage: &Stage<'_>,
    action: &ActionSource,
    builtin: &Node,
    context: ContextId,
    diagnostics: &Diagnostics,
) -> Vec<Dependency> {
    let mut all = dependencies::explicit(builtin, diagnostics);
    let mut late = vec![field(&action.tree, "spec"), field(&action.tree, "variables")];
    late.extend(action.rendered.iter().map(|rendered| rendered.inputs.clone()));
    for node in &late {
        stage.evaluator.start();
        match references(&stage.evaluator, node, Scope::new(context)) {
            Ok(found) => {
                all.extend(found.iter().filter_map(|reference| dependencies::implicit(reference, diagnostics)))
            }
            Err(failure) => diagnostics.failure(&failure),
        }
    }
    let mut seen = BTreeSet::new();
    all.retain(|dependency| seen.insert((dependency.on.clone(), Text::clone(&dependency.by))));
    all
}

/// Files that are included although all are excluded.
fn check_files(builtin: &Node, action: &ActionSource, diagnostics: &Diagnostics) {
    let list = |key: &str| builtin.get(key).and_then(Node::as_list);
    let all = list("exclude").and_then(|list| list.iter().find(|item| item.as_text().is_some_and(|t| *t == *"**/*")));
    if let (Some(exclude), Some(include)) = (all, list("include"))
        && !include.is_empty()
    {
        let message = format!("{}.{} includes files and excludes all of them", action.kind.lower(), action.name);
        diagnostics.error(&rules::INVALID_CONFIG, message, &exclude.prov);
    }
}

/// Types of enabled actions that no provider of the environment brings.
fn check_types(stage: &Stage<'_>, actions: &[Prepared], diagnostics: &Diagnostics) {
    let providers = provider_names(stage);
    let names: Vec<&str> = providers.iter().map(Text::as_str).chain(plugins::FIXED).collect();
    let types = plugins::types(&names);
    let mut reported: BTreeMap<Text, Prov> = BTreeMap::new();
    for action in actions.iter().filter(|action| !action.is_disabled) {
        let Some(action_type) = action.builtin.get("type").and_then(Node::as_text) else { continue };
        if types.contains(&action_type.as_str()) {
            continue;
        }
        let place = place_of(&action.builtin, "type");
        reported.insert(Text::clone(action_type), place.clone());
        let message = format!(
            "no provider of this environment has actions of type `{action_type}`: types are {}",
            types.join(", ")
        );
        diagnostics.error(&rules::INVALID_CONFIG, message, place);
    }
}

/// The names of providers that are configured for the environment.
fn provider_names(stage: &Stage<'_>) -> Vec<Text> {
    let entries = stage.input.project.tree.get("providers").and_then(Node::as_list).cloned().unwrap_or_default();
    let scope = Scope::new(stage.provider_context);
    let of = |entry: &Node| {
        let entry = stage.evaluator.evaluate(entry, scope).ok()?;
        let deep = |key: &str| stage.evaluator.deep(entry.get(key)?, scope).ok();
        let is_elsewhere = deep("environments").is_some_and(|list| !is_among(&list, stage.environment()));
        deep("name")?.as_text().filter(|_| !is_elsewhere).cloned()
    };
    entries.iter().filter_map(of).collect()
}
