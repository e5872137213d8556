//! Modules that only their plugins convert to actions: each is a component with what is written of it.

use super::files::ActionFiles;
use super::modules::Module;
use super::prepare::{Graph, varfile};
use super::resolve::Resolved;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::environment::variables::{Layers, is_empty, variables};
use crate::dialects::garden::environment::{Part, Stage, field};
use crate::dialects::garden::template::evaluation::{Roots, word};
use crate::dialects::garden::template::node::{ContextId, Node};
use crate::resolution::{Link, LinkKind, ReadTarget, StackSelector};
use crate::text::Text;
use arcstr::literal;
use std::collections::BTreeSet;

/// The type of these components.
pub(crate) const MODULE: Text = literal!("module");

/// Fields that say what the component is called, or that it shows otherwise.
const HIDDEN: [&str; 3] = ["apiVersion", "kind", "name"];

/// The components of the modules of a graph.
pub(crate) fn resolve(stage: &Stage<'_>, graph: &Graph, diagnostics: &Diagnostics) -> Vec<Resolved> {
    let names: BTreeSet<&Text> = graph.modules.iter().map(|module| &module.source.name).collect();
    graph.modules.iter().map(|module| one(stage, module, &names, diagnostics)).collect()
}

/// The component of a module; `others` are the names of all modules that become components.
fn one(stage: &Stage<'_>, module: &Module, others: &BTreeSet<&Text>, diagnostics: &Diagnostics) -> Resolved {
    let source = &module.source;
    let context = context(stage, module);
    let fields = source.tree.as_map().into_iter().flat_map(|map| map.iter());
    let fields = fields.filter(|(key, _)| !HIDDEN.contains(&key.as_str()));
    let fields = Node::record(fields.map(|(key, value)| (Text::clone(key), value.clone())).collect());
    let fields = Node::at(fields.data, source.tree.prov.clone());
    let (value, is_complete) = stage.deep(&fields, context, diagnostics);
    let builds = module.builds.iter().filter(|(name, _)| others.contains(name));
    let link = |(name, place): &(Text, crate::value::Prov)| Link {
        how: LinkKind::Declared,
        by: literal!("build.dependencies"),
        component: Text::clone(name),
        kind: Some(MODULE),
        stack: StackSelector::Here,
        reads: ReadTarget::Nothing,
        is_optional: false,
        origin: place.origin.into(),
        stack_origin: None.into(),
    };
    let links = builds.map(link).collect();
    let files = if module.is_disabled { None } else { ActionFiles::of_module(source, &value) };
    let part = Part::new(MODULE, Text::clone(&source.name), stage.value_of(&value), source.shaping.clone());
    Resolved { part: Part { is_disabled: module.is_disabled, links, files, ..part }, is_complete }
}

/// What the fields of a module may read, with its own variables.
fn context(stage: &Stage<'_>, module: &Module) -> ContextId {
    let source = &module.source;
    let roots = roots(stage, module);
    let context = stage.context(&roots);
    // A file that is wrong is reported where its plugin reads it.
    let quiet = Diagnostics::new(stage.input.project.file);
    let file = source.tree.get("varfile").and_then(|path| varfile(stage, source, path, &quiet));
    let scopes: Vec<Node> = [field(&source.tree, "variables")].into_iter().chain(file).collect();
    if scopes.iter().all(is_empty) {
        return context;
    }
    let layers =
        Layers { context, base: Some(stage.variables), scopes: &scopes, overrides: stage.overrides(), is_final: true };
    stage.context(&roots.with_variables(variables(&stage.evaluator, &layers)))
}

fn roots(stage: &Stage<'_>, module: &Module) -> Roots {
    let name = Node::text(Text::clone(&module.source.name));
    let build = Node::unknown("`this.buildPath` is known when Garden runs");
    let roots = stage.roots.clone();
    let roots = ["providers", "modules", "runtime"]
        .into_iter()
        .fold(roots, |roots, name| roots.with(name, Node::unknown(format!("`{name}` are resolved when Garden runs"))));
    let roots = roots
        .with("inputs", Node::map([]))
        .with("this", Node::record(vec![(word("name"), name), (word("buildPath"), build)]));
    match &module.source.rendered {
        Some(rendered) => rendered.roots(&stage.evaluator, roots),
        None => roots,
    }
}
