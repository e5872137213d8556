//! Resolves actions as Garden does before it executes any: parts that need an executed action stay as written.

use super::dependencies::{Dependency, DependencyKind, links};
use super::files::ActionFiles;
use super::prepare::{Graph, Prepared};
use super::redundant::needed_outputs;
use super::sources::Key;
use super::types;
use crate::diagnostic::{Diagnostic, rules};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::environment::variables::{Layers, is_empty, variables};
use crate::dialects::garden::environment::{Part, Stage, as_written, field};
use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{Shape, check_shape};
use crate::dialects::garden::rules::GARDEN_DISABLED_OUTPUT;
use crate::dialects::garden::template::evaluation::{Lookup, Roots, Scope, captured, word};
use crate::dialects::garden::template::node::{ContextId, Data, Node};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::dialects::garden::template::syntax::path::Segment;
use crate::text::Text;
use crate::value::{Origin, Prov};
use arcstr::literal;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// An action that was resolved as far as possible.
pub(crate) struct Resolved {
    pub part: Part,
    /// Whether all of it has a value, or waits for one.
    pub is_complete: bool,
}

/// The contexts of an action.
struct Contexts {
    /// For its inputs, if it is rendered.
    inputs: Option<ContextId>,
    spec: ContextId,
    variables: ContextId,
}

/// Resolves all actions of a graph.
pub(crate) fn resolve(stage: &Stage<'_>, graph: &Graph, diagnostics: &Diagnostics) -> Vec<Resolved> {
    let actions = stage.evaluator.reserve();
    let shared = shared_roots(stage, actions);
    let contexts: Vec<Contexts> = graph.actions.iter().map(|action| contexts_of(stage, action, &shared)).collect();
    let mut keys: BTreeSet<Key> = graph.actions.iter().map(|action| action.source.key()).collect();
    keys.extend(graph.possible.iter().cloned());
    // A missing key is reported once, not again where its value would be.
    let read = graph.actions.iter().flat_map(|action| &action.dependencies).map(|dependency| dependency.on.clone());
    let unknown: BTreeSet<Key> = read.filter(|on| !keys.contains(on)).chain(graph.possible.iter().cloned()).collect();
    let known = action_references(graph, &contexts, &unknown);
    let data = stage.evaluator.data(known);
    stage.evaluator.fill(actions, vec![data]);
    // A disabled Build is executed for what depends on it; other disabled actions are skipped.
    let skipped = graph.actions.iter().filter(|action| action.is_disabled && action.source.kind != ActionKind::Build);
    let skipped: BTreeSet<Key> = skipped.map(|action| action.source.key()).collect();
    let executed = executed(graph);
    let all = graph.actions.iter().zip(&contexts);
    let resolved = all.map(|(action, contexts)| {
        let is_executed = executed.contains(&action.source.key());
        let mut resolved = one(stage, action, (contexts, is_executed), &keys, diagnostics);
        if is_executed {
            check_disabled(action, &skipped, diagnostics);
            let is_known = |on: &Key| keys.contains(on) && !graph.possible.contains(on);
            resolved.part.links = links(&action.uses, is_known, |on| skipped.contains(on));
            resolved.part.files = ActionFiles::of(action);
        }
        resolved
    });
    resolved.collect()
}

/// The actions that are executed: those that are enabled, and disabled Builds that these need.
fn executed(graph: &Graph) -> BTreeSet<Key> {
    let by_key: BTreeMap<Key, &Prepared> = graph.actions.iter().map(|action| (action.source.key(), action)).collect();
    let enabled = graph.actions.iter().filter(|action| !action.is_disabled);
    let mut open: Vec<&Prepared> = enabled.collect();
    let mut found: BTreeSet<Key> = open.iter().map(|action| action.source.key()).collect();
    while let Some(action) = open.pop() {
        let builds = action.dependencies.iter().filter_map(|dependency| by_key.get(&dependency.on).copied());
        let builds = builds.filter(|on| on.source.kind == ActionKind::Build);
        open.extend(builds.filter(|on| found.insert(on.source.key())));
    }
    found
}

/// The data for all specs, except the parts that belong to an action.
fn shared_roots(stage: &Stage<'_>, actions: ContextId) -> Roots {
    let actions = Node::new(Data::Context(actions));
    stage
        .roots
        .clone()
        .with("providers", Node::unknown("`providers` have outputs only after Garden has started them"))
        .with("modules", Node::unknown("`modules` are resolved when Garden runs"))
        .with("actions", actions.clone())
        .with("runtime", actions)
        .with("inputs", Node::map([]))
        .shared()
}

fn contexts_of(stage: &Stage<'_>, action: &Prepared, shared: &Roots) -> Contexts {
    let evaluator = &stage.evaluator;
    let this = |variables: ContextId| reference(action, variables, None);
    let early = shared.clone().with("this", this(stage.variables));
    let (roots, inputs) = match &action.source.rendered {
        Some(rendered) => {
            let inputs = evaluator.roots(early.clone());
            let given = evaluator.data(captured(&rendered.inputs, inputs, true));
            (rendered.roots_with(evaluator, early, given), Some(inputs))
        }
        None => (early, None),
    };
    let mut scopes = vec![field(&action.source.tree, "variables")];
    scopes.extend(action.varfiles.iter().cloned());
    if scopes.iter().all(is_empty) {
        return Contexts { inputs, spec: evaluator.roots(roots), variables: stage.variables };
    }
    let layers = Layers {
        context: evaluator.roots(roots.clone()),
        base: Some(stage.variables),
        scopes: &scopes,
        overrides: stage.overrides(),
        is_final: true,
    };
    let own = variables(evaluator, &layers);
    let spec = evaluator.roots(roots.with("this", this(own)).with_variables(own));
    Contexts { inputs, spec, variables: own }
}

/// The folder in which an action is built, which it can read.
static OWN_BUILD_PATH: LazyLock<Node> =
    LazyLock::new(|| Node::unknown("`this.buildPath` is known when Garden runs the action"));

/// Returns what others may read of an action, by the path that they use; without a path, what the action may read of
/// itself. Its outputs and version are known after it has been executed.
fn reference(action: &Prepared, variables: ContextId, path: Option<&str>) -> Node {
    let unknown = |what: &str| match path {
        Some(path) => Node::unknown(format!("`{path}.{what}` is known when Garden runs the action")),
        None => OWN_BUILD_PATH.clone(),
    };
    let name = action.builtin.get("name").map(|node| node.prov.clone()).unwrap_or_default();
    let mut entries = Vec::with_capacity(8);
    entries.extend([
        ("name", Node::at(Data::Text(Text::clone(&action.source.name)), name)),
        ("disabled", disabled(action)),
        ("buildPath", unknown("buildPath")),
        ("sourcePath", Node::text(Text::clone(&action.source_path))),
        ("mode", Node::text(literal!("default"))),
        ("var", Node::new(Data::Context(variables))),
    ]);
    if path.is_some() {
        entries.push(("outputs", unknown("outputs")));
        entries.push(("version", unknown("version")));
    }
    Node::record(entries.into_iter().map(|(key, node)| (word(key), node)).collect())
}

/// The `actions` of templates: by kind and name.
fn action_references(graph: &Graph, contexts: &[Contexts], unknown: &BTreeSet<Key>) -> Node {
    let of_kind = |kind: ActionKind| {
        let all = graph.actions.iter().zip(contexts).filter(|(action, _)| action.source.kind == kind);
        let own = all.map(|(action, contexts)| {
            let path = format!("actions.{}.{}", kind.lower(), action.source.name);
            (Text::clone(&action.source.name), reference(action, contexts.variables, Some(&path)))
        });
        let possible = unknown.iter().filter(|(of, _)| *of == kind);
        let possible = possible.map(|(_, name)| {
            let path = format!("actions.{}.{name}", kind.lower());
            (
                Text::clone(name),
                Node::unknown(format!("`{path}` is not in the project, or a plugin makes it from a module")),
            )
        });
        Node::map(possible.chain(own))
    };
    let mut entries: Vec<(Text, Node)> =
        ActionKind::ALL.into_iter().map(|kind| (Text::from(kind.lower()), of_kind(kind))).collect();
    for (alias, kind) in [("services", ActionKind::Deploy), ("tasks", ActionKind::Run)] {
        let known = entries.iter().find(|(key, _)| *key == *kind.lower()).map(|(_, node)| node.clone());
        entries.extend(known.map(|node| (Text::from(alias), node)));
    }
    Node::map(entries)
}

fn one(
    stage: &Stage<'_>,
    action: &Prepared,
    (contexts, is_executed): (&Contexts, bool),
    keys: &BTreeSet<Key>,
    diagnostics: &Diagnostics,
) -> Resolved {
    let source = &action.source;
    let shaping: Vec<Origin> = source.shaping.iter().copied().chain(source.tree.prov.origin).collect();
    let kind = source.kind.word();
    let builtin = |key: &str| action.builtin.get(key).cloned();
    let mut entries: Vec<(Text, Node)> = Vec::new();
    entries.extend(builtin("type").map(|node| (literal!("type"), node)));
    entries.push((literal!("disabled"), disabled(action)));
    if !is_executed {
        // Garden skips it: whatever else is in it has no effect.
        let value = stage.value_of(&Node::at(Node::map(entries).data, source.tree.prov.clone()));
        let part = Part { is_disabled: true, ..Part::new(kind, Text::clone(&source.name), value, shaping) };
        return Resolved { part, is_complete: true };
    }
    let before = diagnostics.breaking();
    let inputs = inputs(stage, action, contexts, diagnostics);
    let variables = own_variables(stage, action, contexts, diagnostics);
    let (spec, _) = stage.deep(&field(&source.tree, "spec"), contexts.spec, diagnostics);
    if stage.is_closed() {
        check_dependencies(action, keys, diagnostics);
    }
    if let Some(of_type) =
        action.builtin.get("type").and_then(Node::as_text).filter(|_| diagnostics.breaking() == before)
    {
        // Garden takes what is nothing for an empty mapping.
        let spec = if spec.is_truthy() || spec.is_unknown() {
            spec.clone()
        } else {
            Node::at(Node::map([]).data, source.tree.prov.clone())
        };
        let is_old = stage.input.project.era != LanguageVersion::Cedar;
        types::check(source.kind, of_type, &source.name, &spec, is_old, diagnostics);
    }
    let is_complete = diagnostics.breaking() == before && stage.is_complete;
    let skipped = ["apiVersion", "kind", "name", "type", "disabled", "dependencies", "internal", "path"];
    let others = action.builtin.as_map().into_iter().flat_map(|map| map.iter());
    let others = others.filter(|(key, _)| !skipped.contains(&key.as_str()));
    entries.extend(others.map(|(key, value)| (Text::clone(key), value.clone())));
    entries.push((literal!("spec"), spec));
    entries.extend(inputs.map(|inputs| (literal!("inputs"), inputs)));
    entries.push((literal!("variables"), variables));
    entries.push((literal!("dependsOn"), depends_on(action)));
    let value = stage.value_of(&Node::at(Node::record(entries).data, source.tree.prov.clone()));
    let part = Part::new(kind, Text::clone(&source.name), value, shaping);
    Resolved { part, is_complete }
}

/// Whether an action is disabled, with the line that disables it; unknown if only a running Garden knows.
fn disabled(action: &Prepared) -> Node {
    let flag = action.builtin.get("disabled").filter(|flag| flag.is_unknown() && !action.is_disabled);
    if let Some(flag) = flag {
        return flag.clone();
    }
    let written = |key: &str| action.builtin.get(key).map(|node| node.prov.clone());
    let prov = written("disabled").or_else(|| written("environments")).unwrap_or_default();
    Node::at(Data::Bool(action.is_disabled), prov)
}

/// The names of actions that an action depends on, sorted, and then the dependencies that are not known.
fn depends_on(action: &Prepared) -> Node {
    let given = action.builtin.get("dependencies");
    let items =
        given.map_or(&[][..], |list| list.as_list().map_or(std::slice::from_ref(list), |items| items.as_slice()));
    let unknown = items.iter().filter(|item| item.is_unknown()).cloned();
    let mut all: Vec<(String, Prov)> = action
        .dependencies
        .iter()
        .map(|d| (format!("{}.{}", d.on.0.lower(), d.on.1), Prov { origin: d.place.origin, trail: None }))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let known = all.into_iter().map(|(name, prov)| Node::at(Data::Text(name.into()), prov));
    Node::list(known.chain(unknown).collect())
}

/// The inputs of a rendered action.
fn inputs(stage: &Stage<'_>, action: &Prepared, contexts: &Contexts, diagnostics: &Diagnostics) -> Option<Node> {
    let rendered = action.source.rendered.as_ref()?;
    let (given, is_complete) = stage.deep(&rendered.inputs, contexts.inputs?, diagnostics);
    let schema = &rendered.template.schema;
    let all = schema.complete(&given);
    if is_complete {
        let what = format!(
            "the template `{}` for {}.{}",
            rendered.template.name,
            action.source.kind.lower(),
            action.source.name
        );
        schema.check(&all, &what, diagnostics);
    }
    Some(all)
}

/// Returns the action's own variables.
fn own_variables(stage: &Stage<'_>, action: &Prepared, contexts: &Contexts, diagnostics: &Diagnostics) -> Node {
    let mut names: indexmap::IndexMap<Text, Node> = indexmap::IndexMap::new();
    let own = field(&action.source.tree, "variables");
    let scope = Scope::new(contexts.spec);
    for node in [&own].into_iter().chain(&action.varfiles) {
        let evaluated = match stage.evaluator.evaluate(node, scope) {
            Ok(evaluated) => evaluated,
            Err(failure) => {
                diagnostics.failure(&failure);
                continue;
            }
        };
        // Garden takes an empty text for none.
        let is_none =
            matches!(evaluated.data, Data::Null | Data::Undefined) || evaluated.as_text().is_some_and(|t| t.is_empty());
        if !is_none {
            let what = format!("`variables` of {}.{}", action.source.kind.lower(), action.source.name);
            check_shape(&evaluated, &Shape::Map, &what, diagnostics);
        }
        let map = evaluated.as_map().into_iter().flat_map(|map| map.iter());
        names.extend(map.map(|(key, value)| (Text::clone(key), value.clone())));
    }
    let all = names.into_iter().map(|(name, written)| {
        let key = [Text::from("var"), Text::clone(&name)].map(|text| Segment { text, is_number: false });
        stage.evaluator.start();
        let node = match stage.evaluator.lookup(contexts.spec, &key, scope) {
            Ok(Lookup::Found(node)) => node,
            Ok(Lookup::Missing(_)) => return (name, Node::default()),
            Err(failure) => {
                diagnostics.failure(&failure);
                as_written(&written, &failure.plain)
            }
        };
        (name, node)
    });
    Node::map(all.collect::<Vec<_>>())
}

/// Outputs that are needed and never made, because their action is disabled.
fn check_disabled(action: &Prepared, skipped: &BTreeSet<Key>, diagnostics: &Diagnostics) {
    let is_skipped = |used: &&Dependency| matches!(used.kind, DependencyKind::Output(_)) && skipped.contains(&used.on);
    if !action.uses.iter().any(|used| is_skipped(&used)) {
        return;
    }
    let tree = &action.source.tree;
    let needed = ["spec", "variables"].into_iter().filter_map(|key| tree.get(key)).flat_map(needed_outputs);
    let needed: BTreeSet<Origin> = needed.collect();
    let in_any_case = |used: &&Dependency| used.place.origin.is_some_and(|origin| needed.contains(&origin));
    for used in action.uses.iter().filter(is_skipped).filter(in_any_case) {
        let (DependencyKind::Output(output), (kind, name)) = (&used.kind, &used.on) else { continue };
        let other = format!("{}.{name}", kind.lower());
        let message = format!("{other} is disabled in this environment, so it has no output `{output}`");
        let label = diagnostics.label(&used.place);
        let help = format!("provide a value for that case: `${{{} || …}}`, or disable this action as well", used.by);
        diagnostics.report(Diagnostic::new(&GARDEN_DISABLED_OUTPUT, message, label).help(help).token(other));
    }
}

/// Actions that are read and do not exist, and an action that reads itself.
fn check_dependencies(action: &Prepared, keys: &BTreeSet<Key>, diagnostics: &Diagnostics) {
    for dependency in action.dependencies.iter().filter(|d| !d.is_explicit()) {
        let (kind, name) = &dependency.on;
        if !keys.contains(&dependency.on) {
            let message = format!("there is no {} action `{name}` to refer to", kind.title());
            diagnostics.error(&rules::UNDEFINED_DEPENDENCY, message, &dependency.place);
        }
    }
}
