//! Graphs whose nodes are components and the code that they run.

use super::{Context, Graph};
use crate::resolution::{CodeOrigin, Component, ComponentMetadata, LinkKind, ReadTarget};
use crate::rules::{ComponentIndex, Target};
use crate::terraform::called_folder;
use crate::unit::{Interface, interfaces};
use std::collections::BTreeSet;

/// The maximum number of folders of code that are followed.
const MAX_FOLDERS: usize = 10_000;

/// The node of a component: stack, type and name.
fn node(component: &Component) -> String {
    named(component, &component.name)
}

fn named(component: &Component, name: &str) -> String {
    format!("{}/{}/{name}", component.stack, component.kind)
}

fn shown<'a>(context: &Context<'a>) -> impl Iterator<Item = &'a Component> {
    let (units, keep) = (&context.resolution.units, context.keep);
    units.iter().flat_map(|unit| &unit.components).map(|c| &**c).filter(move |c| keep(&c.stack))
}

/// Components and those that they inherit from. A base that only follows from another one has no place.
pub(super) fn inheritance(context: &Context<'_>) -> Graph {
    let mut graph = Graph::default();
    let all: BTreeSet<String> = shown(context).map(node).collect();
    for component in shown(context) {
        let from = node(component);
        graph.add_node(&from);
        for base in &component.metadata.bases {
            let to = named(component, &base.name);
            graph.add_edge(&from, &to, "", context.place(base.origin));
            if let Some(target) = graph.nodes.get_mut(&to) {
                target.is_missing = !all.contains(&to);
            }
        }
    }
    graph
}

/// Components and those that they need, or only those that they read from.
pub(super) fn needs(context: &Context<'_>, only_read: bool) -> Graph {
    let mut graph = Graph::default();
    if !only_read {
        shown(context).for_each(|component| graph.add_node(&node(component)));
    }
    let units = interfaces(context.resolution, context.modules);
    let index = ComponentIndex::new(&units);
    let shown_as = |c: &Interface| format!("{}/{}/{}", c.stack, c.kind, c.name);
    let needed = index.needs().filter(|need| (context.keep)(&need.from.stack));
    for need in needed.filter(|need| !only_read || need.link.how == LinkKind::Reads) {
        let from = shown_as(need.from);
        let label = match &need.link.reads {
            ReadTarget::Output(name) | ReadTarget::Input(name) => format!("{}: {name}", need.link.by),
            ReadTarget::Nothing => need.link.by.to_string(),
        };
        let place = context.place(*need.link.origin);
        match &need.target {
            Target::Found(targets) => {
                targets.iter().for_each(|target| graph.add_edge(&from, &shown_as(target), &label, place.clone()));
            }
            Target::NoComponent(_) | Target::NoStack => {
                let to = format!("{} (not found)", need.link.component);
                graph.add_edge(&from, &to, &label, place);
                graph.nodes.entry(to).or_default().is_missing = true;
            }
            Target::Undecided | Target::Unknown => {
                graph.add_edge(&from, &format!("{} (unknown)", need.link.component), &label, place);
            }
        }
    }
    for component in shown(context) {
        for needed in component.metadata.needed.iter().filter(|needed| !only_read || needed.is_read) {
            let to = format!("{}/{}/{}", component.stack, needed.kind, needed.name);
            graph.add_edge(&node(component), &to, "", context.place(needed.origin));
        }
    }
    graph
}

/// Components, the folders of code that they run, and the folders and sources that this calls as modules.
pub(super) fn modules(context: &Context<'_>) -> Graph {
    let mut graph = Graph::default();
    let mut todo: Vec<String> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for component in shown(context) {
        let ComponentMetadata { code, called, .. } = &component.metadata;
        let code = code.as_ref().map(|code| {
            let label = if code.supply == CodeOrigin::Repository { "" } else { "fetched" };
            (&code.folder, label, code.origin)
        });
        let called = called.as_ref().map(|module| (&module.place, "", module.origin));
        for (folder, label, origin) in code.into_iter().chain(called) {
            graph.add_edge(&node(component), folder, label, context.place(origin));
            if seen.insert(folder.to_string()) {
                todo.push(folder.to_string());
            }
        }
    }
    while let Some(folder) = todo.pop() {
        let Some(module) = context.modules.get(&folder).filter(|_| seen.len() < MAX_FOLDERS) else { continue };
        for (name, call) in &module.calls {
            let Some(source) = &call.source else { continue };
            let to = called_folder(&folder, source).unwrap_or_else(|| source.clone());
            graph.add_edge(&folder, &to, name, context.place(Some(call.origin)));
            if seen.insert(to.clone()) {
                todo.push(to);
            }
        }
    }
    graph
}
