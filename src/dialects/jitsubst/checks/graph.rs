//! Who depends on whom: names that are there once, dependencies that exist, no circles.

use super::Subject;
use super::parts::Parts;
use crate::diagnostic::Rule;
use crate::diagnostic::{Diagnostic, Label};
use crate::diagnostic::{Diagnostics, value_label};
use crate::dialects::jitsubst::Stack;
use crate::dialects::jitsubst::defer::Planned;
use crate::dialects::jitsubst::overlay::Resource;
use crate::dialects::jitsubst::rules;
use crate::files::Files;
use crate::graph::{CycleStep, Graph};
use crate::resolution::Needed;
use crate::text::Text;
use crate::value::{FileId, Origin, Value};
use std::collections::{BTreeSet, HashSet};

/// The reason why one resource depends on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Where it is written.
    place: Label,
    /// Whether it is a reference, not an item of `depends_on`.
    is_reference: bool,
}

/// The resources that a resource needs, with their types.
pub(crate) fn needed(stack: &Stack, name: &str) -> Vec<Needed> {
    let one = |(to, edge): (&String, &Edge)| {
        let resource = &stack.resource(to)?.resource;
        let place = &edge.place;
        let origin = Origin { file: place.file, key: place.start, start: place.start, end: place.end };
        let (kind, name) = (Text::clone(&resource.kind), Text::clone(&resource.name));
        Some(Needed { kind, name, origin: Some(origin), is_read: edge.is_reference })
    };
    stack.needs.edges(&name.to_owned()).filter_map(one).collect()
}

pub(super) fn check(subject: &Subject<'_>, diagnostics: &Diagnostics) {
    for stack in subject.stacks {
        duplicates(stack, diagnostics);
        undefined(subject, stack, diagnostics);
        cycles(stack, diagnostics);
    }
}

/// The graph of `depends_on` alone.
pub(crate) fn depends(resources: &[Planned]) -> Graph<String, Edge> {
    let names: BTreeSet<&str> = resources.iter().map(|p| &*p.resource.name).collect();
    let mut graph = Graph::new();
    for planned in resources {
        graph.add_node(planned.resource.name.to_string());
        for (name, prov) in planned.depends_on().unwrap_or_default() {
            if names.contains(&*name) {
                let place = value_label(&prov, planned.resource.file, "");
                graph.add_edge(
                    planned.resource.name.to_string(),
                    name.to_string(),
                    Edge { place, is_reference: false },
                );
            }
        }
    }
    graph
}

/// Adds the references to other resources to that graph.
pub(crate) fn needs(resources: &[Planned], depends: &Graph<String, Edge>, files: &Files) -> Graph<String, Edge> {
    let mut all = depends.clone();
    let names: BTreeSet<&str> = resources.iter().map(|p| &*p.resource.name).collect();
    let mut parts = Parts::of(files);
    for planned in resources {
        let own = &planned.resource.name;
        let mut linked: HashSet<(&str, Option<Origin>)> = HashSet::new();
        for used in &planned.uses {
            let Some(module) = used.class.module().filter(|m| **m != **own && names.contains(m)) else { continue };
            // One of those in a text is enough.
            if !linked.insert((module, used.prov.origin)) {
                continue;
            }
            let place = parts.place((&used.prov, planned.resource.file), &used.written, used.nth);
            all.add_edge(own.to_string(), module.to_owned(), Edge { place, is_reference: true });
        }
    }
    all
}

fn duplicates(stack: &Stack, diagnostics: &Diagnostics) {
    let provider = |r: &Resource| r.config.get("provider").and_then(Value::as_str).unwrap_or_default().to_owned();
    for resource in &stack.duplicates {
        let name = &resource.name;
        let Some(first) = stack.resource(name).map(|p| &p.resource) else { continue };
        let alike = first.kind == resource.kind && provider(first) == provider(resource);
        let message = match alike {
            true => format!("two resources are called `{name}`"),
            false if first.kind == resource.kind => {
                format!("two resources of different providers share the name `{name}`, which must name one resource")
            }
            false => {
                format!(
                    "a `{}` and a `{}` share the name `{name}`, which must name one resource",
                    first.kind, resource.kind
                )
            }
        };
        let place = value_label(&resource.prov, resource.file, "");
        let finding = Diagnostic::new(&rules::JIT_DUPLICATE_RESOURCE, message, place)
            .related(value_label(&first.prov, first.file, "the first one"))
            .token(&**name)
            .breaking();
        diagnostics.report_in(&stack.name, finding);
    }
}

fn undefined(subject: &Subject<'_>, stack: &Stack, diagnostics: &Diagnostics) {
    for planned in &stack.resources {
        for (name, prov) in planned.depends_on().unwrap_or_default() {
            if stack.resource(&name).is_some() {
                continue;
            }
            let renamed = stack.resources.iter().find(|p| p.resource.module == name);
            // A dependency that is excluded, or is not a resource, has no effect.
            if renamed.is_none() && subject.modules.contains(&*name) {
                continue;
            }
            let place = value_label(&prov, planned.resource.file, "");
            let finding = match renamed {
                Some(renamed) => {
                    let words = format!("`{name}` is called `{}` in `{}`", renamed.resource.name, stack.name);
                    let message =
                        format!("`depends_on` names `{name}`, but the resource has another name in its environment");
                    Diagnostic::new(&rules::UNDEFINED_DEPENDENCY, message, place)
                        .related(value_label(&renamed.resource.prov, renamed.resource.file, &words))
                        .note("the deployment tool skips names that it does not find")
                }
                None => {
                    let message = format!("`depends_on` names `{name}`, which does not exist");
                    let names = stack.resources.iter().map(|p| &*p.resource.name);
                    let mut finding = Diagnostic::new(&rules::UNDEFINED_DEPENDENCY, message, place);
                    finding.help = crate::text::nearest(&name, names).map(|n| format!("did you mean `{n}`?"));
                    finding
                }
            };
            diagnostics.report_in(&stack.name, finding.token(&*name));
        }
    }
}

fn cycles(stack: &Stack, diagnostics: &Diagnostics) {
    for cycle in stack.depends.cycles() {
        diagnostics.report_in(
            &stack.name,
            circle(&rules::DEPENDENCY_CYCLE, "resources depend on each other", &cycle).breaking(),
        );
    }
    for cycle in stack.needs.cycles() {
        if cycle.iter().any(|s| s.edge.is_reference) {
            diagnostics
                .report_in(&stack.name, circle(&rules::REFERENCE_CYCLE, "resources refer to each other", &cycle));
        }
    }
}

fn circle(rule: &'static Rule, what: &str, cycle: &[CycleStep<'_, String, Edge>]) -> Diagnostic {
    let Some(first) = cycle.first() else {
        return Diagnostic::new(rule, what, Label::new(FileId::new(0), 0, 0, ""));
    };
    let names: Vec<String> = cycle.iter().chain([first]).map(|s| format!("`{}`", s.from)).collect();
    let message = match cycle.len() {
        1 => format!("`{}` depends on itself", first.from),
        _ => format!("{what}: {}", names.join(" → ")),
    };
    let mut finding = Diagnostic::new(rule, message, first.edge.place.clone()).token(first.from.as_str());
    if cycle.len() > 1 {
        for (i, step) in cycle.iter().enumerate() {
            let next = cycle.get(i + 1).unwrap_or(first).from;
            let verb = if step.edge.is_reference { "needs an output of" } else { "depends on" };
            let words = format!("`{}` {verb} `{next}`", step.from);
            finding = finding.related(Label { message: words, ..step.edge.place.clone() });
        }
        finding = finding.chain();
    }
    finding
}
