//! Modules, the older way to describe what to build, deploy, run and test. Modules of type `exec` are converted to
//! actions like in Garden. What plugins make of other modules is unknown, except for the possible names of actions: they are
//! components themselves.

use super::render::Rendered;
use super::sources::{ActionSource, Key};
use super::types;
use crate::diagnostic::rules;
use crate::dialects::garden::diagnostics::{Diagnostics, place_of};
use crate::dialects::garden::environment::Stage;
use crate::dialects::garden::project::schema::check_fields;
use crate::dialects::garden::project::{ActionKind, first_line};
use crate::dialects::garden::template::evaluation::Scope;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::graph::Graph;
use crate::paths::seen_from;
use crate::text::Text;
use crate::value::{Origin, Prov};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The result of converting modules.
#[derive(Default)]
pub(super) struct Converted {
    pub actions: Vec<ActionSource>,
    /// Actions that plugins may make from modules.
    pub possible: BTreeSet<Key>,
    /// The modules that only plugins convert.
    pub others: Vec<Module>,
}

/// A module with its lists evaluated.
pub(super) struct Module {
    pub source: ActionSource,
    module_type: Text,
    fields: IndexMap<Text, Node>,
    pub is_disabled: bool,
    /// The modules that it builds on.
    pub builds: Vec<(Text, Prov)>,
}

impl Module {
    fn list(&self, key: &str) -> Vec<Node> {
        self.fields.get(key).and_then(Node::as_list).map(|items| items.to_vec()).unwrap_or_default()
    }

    /// The entries of a list with their names.
    fn named(&self, key: &str) -> Vec<(Text, Node)> {
        let name = |node: &Node| node.get("name").and_then(Node::as_text).cloned();
        self.list(key).into_iter().filter_map(|node| Some((name(&node)?, node))).collect()
    }
}

/// Makes actions of modules.
pub(super) fn convert(stage: &Stage<'_>, all: &[ActionSource], diagnostics: &Diagnostics) -> Converted {
    let modules: Vec<Module> = all.iter().filter_map(|source| read(stage, source, diagnostics)).collect();
    check(stage, &modules, diagnostics);
    let mut services = BTreeMap::new();
    for module in &modules {
        services.extend(module.named("services").into_iter().map(|(name, _)| (name, ActionKind::Deploy)));
        services.extend(module.named("tasks").into_iter().map(|(name, _)| (name, ActionKind::Run)));
    }
    let mut out = Converted::default();
    for module in modules {
        match module.module_type.as_str() {
            "exec" => out.actions.extend(exec(&module, &services)),
            _ => {
                out.possible.extend(possible(&module));
                // One that a template makes renders nothing.
                out.others.extend(Some(module).filter(|module| *module.module_type != *"templated"));
            }
        }
    }
    out
}

fn read(stage: &Stage<'_>, source: &ActionSource, diagnostics: &Diagnostics) -> Option<Module> {
    let mut roots = stage.roots.clone().with("modules", Node::unknown("`modules` are resolved when Garden runs"));
    if let Some(rendered) = &source.rendered {
        roots = rendered.roots(&stage.evaluator, roots);
    }
    let scope = Scope::new(stage.context(&roots));
    let mut fields = IndexMap::new();
    for (key, node) in source.tree.as_map()?.iter() {
        match stage.evaluator.evaluate(node, scope) {
            Ok(node) => fields.insert(Text::clone(key), node),
            Err(failure) => {
                diagnostics.failure(&failure);
                return None;
            }
        };
    }
    let deep = |node: &Node| stage.evaluator.deep(node, scope).unwrap_or_default();
    let Some(module_type) = fields.get("type").and_then(Node::as_text).cloned() else {
        diagnostics.error(&rules::INVALID_CONFIG, "a Module needs a `type`", &first_line(&source.tree.prov));
        return None;
    };
    if *module_type == *"exec" && stage.input.project.era == LanguageVersion::Cedar {
        // What cannot be evaluated is reported with the actions that are made of it.
        let (whole, _) = stage.deep_with(&source.tree, scope.context, &mut |_| {});
        let what = format!("the module `{}`", source.name);
        if !check_fields(&whole, &[types::modules::FIELDS], &what, diagnostics) {
            return None;
        }
    }
    let is_disabled = fields.get("disabled").is_some_and(|node| deep(node).is_truthy());
    let builds = fields.get("build").and_then(|build| build.get("dependencies").cloned()).unwrap_or_default();
    let builds = deep(&builds).as_list().cloned().unwrap_or_default();
    let builds = builds.iter().filter_map(|entry| {
        let name = entry.as_text().or_else(|| entry.get("name").and_then(Node::as_text))?;
        Some((Text::clone(name), entry.prov.clone()))
    });
    let builds = builds.collect();
    Some(Module { source: source.clone(), module_type, fields, is_disabled, builds })
}

/// Modules that build on ones that are not there or on each other, or that share a folder.
fn check(stage: &Stage<'_>, modules: &[Module], diagnostics: &Diagnostics) {
    let names: BTreeSet<&Text> = modules.iter().map(|module| &module.source.name).collect();
    let mut edges: Graph<Text, Prov> = Graph::new();
    for module in modules {
        for (name, place) in &module.builds {
            if names.contains(name) {
                edges.add_edge(Text::clone(&module.source.name), Text::clone(name), place.clone());
            } else if !module.is_disabled && stage.is_closed() {
                diagnostics.error(
                    &rules::UNDEFINED_DEPENDENCY,
                    format!("there is no module `{name}` to build on"),
                    place,
                );
            }
        }
    }
    for cycle in edges.cycles() {
        let names: Vec<&str> = cycle.iter().map(|step| step.from.as_str()).collect();
        let message = format!("modules build on each other: {}", names.join(" needs "));
        if let Some(first) = cycle.first() {
            diagnostics.error(&rules::DEPENDENCY_CYCLE, message, first.edge);
        }
    }
    let mut folders: BTreeMap<&str, &Module> = BTreeMap::new();
    let unbounded = |module: &&Module| {
        !module.is_disabled && !module.fields.contains_key("include") && !module.fields.contains_key("exclude")
    };
    for module in modules.iter().filter(unbounded) {
        if module.fields.contains_key("path") {
            continue;
        }
        if let Some(other) = folders.insert(module.source.dir(), module) {
            let path = seen_from(&stage.input.project.dir, &other.source.path);
            let message = format!(
                "the module `{}` of {path} is in the same folder: one of the two needs `include` or `exclude`",
                other.source.name
            );
            diagnostics.error(&rules::INVALID_CONFIG, message, place_of(&module.source.tree, "name"));
        }
    }
}

/// Actions that there may be.
fn possible(module: &Module) -> Vec<Key> {
    let name = &module.source.name;
    let mut all = vec![(ActionKind::Build, Text::clone(name)), (ActionKind::Deploy, Text::clone(name))];
    all.extend(module.named("services").into_iter().map(|(name, _)| (ActionKind::Deploy, name)));
    all.extend(module.named("tasks").into_iter().map(|(name, _)| (ActionKind::Run, name)));
    let tests = module.named("tests").into_iter();
    all.extend(tests.map(|(test, _)| (ActionKind::Test, format!("{name}-{test}").into())));
    all
}

/// The actions of an `exec` module: a Build, and one action for each service, task and test.
fn exec(module: &Module, kinds: &BTreeMap<Text, ActionKind>) -> Vec<ActionSource> {
    let build = module.fields.get("build").cloned().unwrap_or_default();
    let builds: Vec<Node> = module.builds.iter().map(|(name, place)| reference("build", name, place)).collect();
    let spec = [
        ("command", build.get("command").cloned()),
        ("statusCommand", build.get("statusCommand").cloned()),
        ("env", module.fields.get("env").cloned()),
    ];
    let mut out = vec![action(module, ActionKind::Build, &module.source.name, spec.into_iter(), builds, None)];
    let runtime = [
        (ActionKind::Deploy, module.named("services")),
        (ActionKind::Run, module.named("tasks")),
        (ActionKind::Test, module.named("tests")),
    ];
    for (kind, entries) in runtime {
        for (name, entry) in entries {
            let name = if kind == ActionKind::Test { format!("{}-{name}", module.source.name).into() } else { name };
            let named = entry.get("dependencies").and_then(Node::as_list).cloned().unwrap_or_default();
            let dependencies = named.iter().filter_map(|node| {
                let name = node.as_text()?;
                Some(reference(kinds.get(name)?.lower(), name, &node.prov))
            });
            let dependencies = dependencies.collect();
            let keys: &[&'static str] = match kind {
                ActionKind::Deploy => &["cleanupCommand", "deployCommand", "statusCommand"],
                _ => &["command", "statusCommand", "artifacts"],
            };
            let mut spec: Vec<_> = keys.iter().map(|key| (*key, entry.get(key).cloned())).collect();
            spec.push(("env", merged(module.fields.get("env"), entry.get("env"))));
            if kind == ActionKind::Deploy {
                spec.push(("statusTimeout", Some(Node::new(Data::Number(10.0)))));
            }
            let build = Some(Node::text(Text::clone(&module.source.name)));
            let extra =
                Extra { build, disabled: entry.get("disabled").cloned(), timeout: entry.get("timeout").cloned() };
            out.push(action(module, kind, &name, spec.into_iter(), dependencies, Some(extra)));
        }
    }
    out
}

/// Parts of an action besides its spec, if the module defines them.
struct Extra {
    build: Option<Node>,
    disabled: Option<Node>,
    timeout: Option<Node>,
}

fn reference(kind: &str, name: &str, place: &Prov) -> Node {
    Node::at(Data::Text(format!("{kind}.{name}").into()), place.clone())
}

fn merged(below: Option<&Node>, above: Option<&Node>) -> Option<Node> {
    match (below.and_then(Node::as_map), above.and_then(Node::as_map)) {
        (Some(lower), Some(upper)) => {
            let all = lower.iter().chain(upper.iter()).map(|(key, value)| (Text::clone(key), value.clone()));
            Some(Node::map(all))
        }
        _ => above.or(below).cloned(),
    }
}

fn action(
    module: &Module,
    kind: ActionKind,
    name: &Text,
    spec: impl Iterator<Item = (&'static str, Option<Node>)>,
    dependencies: Vec<Node>,
    extra: Option<Extra>,
) -> ActionSource {
    let spec = spec.filter_map(|(key, node)| Some((Text::from(key), node?)));
    let spec = [(Text::from("shell"), Node::bool(true))].into_iter().chain(spec).collect::<Vec<_>>();
    let name_prov = module.source.tree.get("name").map(|node| node.prov.clone()).unwrap_or_default();
    let extra = extra.unwrap_or(Extra { build: None, disabled: None, timeout: None });
    let disabled = match module.is_disabled {
        true => module.fields.get("disabled").cloned(),
        false => extra.disabled,
    };
    let entries = [
        ("kind", Some(Node::text(kind.title()))),
        ("type", Some(Node::text("exec"))),
        ("name", Some(Node::at(Data::Text(Text::clone(name)), name_prov))),
        ("build", extra.build),
        ("disabled", disabled),
        ("timeout", extra.timeout),
        ("dependencies", Some(Node::list(dependencies))),
        ("variables", module.source.tree.get("variables").cloned()),
        ("varfiles", module.source.tree.get("varfile").map(|varfile| Node::list(vec![varfile.clone()]))),
        ("spec", Some(Node::map(spec))),
    ];
    let entries = entries.into_iter().filter_map(|(key, node)| Some((Text::from(key), node?)));
    let tree = Node::at(Node::map(entries).data, module.source.tree.prov.clone());
    let rendered: Option<Arc<Rendered>> = module.source.rendered.clone();
    let shaping: Vec<Origin> = module.source.shaping.clone();
    ActionSource::new(kind, Text::clone(name), tree, (rendered, shaping, Text::clone(&module.source.path)))
}
