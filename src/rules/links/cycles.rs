//! `dependency-cycle` and `reference-cycle`: components that need each other.

use crate::diagnostic::Rule;
use crate::diagnostic::rules::DEPENDENCY_CYCLE;
use crate::diagnostic::rules::REFERENCE_CYCLE;
use crate::diagnostic::{Diagnostic, Label};
use crate::graph::{CycleStep, Graph};
use crate::resolution::{Link, LinkKind};
use crate::rules::places::{Findings, at_name};
use crate::rules::{AllUnits, ResolvedLink, Target};
use crate::text::Text;
use crate::unit::Interface;
use crate::value::Origin;

/// A component: its stack, name and type.
type Node = (Text, Text, Text);

/// Why a component needs another one.
struct Edge<'a> {
    from: &'a Interface,
    to: &'a Interface,
    link: &'a Link,
}

impl Edge<'_> {
    fn origin(&self) -> Option<Origin> {
        self.link.origin.or(*self.from.origin)
    }
}

/// Builds the graph of the links of some kinds; empty if no link is on a cycle.
fn graph<'a>(context: &AllUnits<'a>, with: &[LinkKind]) -> Graph<Node, Edge<'a>> {
    let mut graph = Graph::new();
    if context.index.is_acyclic() {
        return graph;
    }
    // Of several edges between two nodes the first is reported: declared dependencies come first in the links of a
    // component.
    for ResolvedLink { from, link, target, .. } in
        context.index.needs_of_deployed().filter(|need| with.contains(&need.link.how))
    {
        if let Target::Found(targets) = target {
            for to in targets.iter() {
                let node = |c: &Interface| (Text::clone(&c.stack), Text::clone(&c.name), Text::clone(&c.kind));
                graph.add_edge(node(from), node(to), Edge { from, to, link });
            }
        }
    }
    graph
}

pub(super) fn dependencies(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let graph = graph(context, &[LinkKind::Declared]);
    let mut findings = Findings::default();
    for cycle in graph.cycles() {
        let help = "remove one of these dependencies: a cycle has no order of deployment";
        report(context, &mut findings, &DEPENDENCY_CYCLE, &cycle, help);
    }
    findings.finish()
}

pub(super) fn references(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let graph = graph(context, &[LinkKind::Declared, LinkKind::Reads]);
    let mut findings = Findings::default();
    for cycle in graph.cycles() {
        if cycle.iter().any(|step| step.edge.link.how == LinkKind::Reads) {
            let help = "remove one of these references: none of the components can be resolved before the others";
            report(context, &mut findings, &REFERENCE_CYCLE, &cycle, help);
        }
    }
    findings.finish()
}

fn report(
    context: &AllUnits<'_>,
    findings: &mut Findings,
    rule: &'static Rule,
    cycle: &[CycleStep<'_, Node, Edge<'_>>],
    help: &str,
) {
    let Some(first) = cycle.first().map(|step| step.edge) else { return };
    let one_stack = cycle.iter().all(|step| step.edge.from.stack == first.from.stack);
    let one_kind = cycle.iter().all(|step| step.edge.from.kind == first.from.kind);
    let named = |c: &Interface| if one_kind { c.name.to_string() } else { format!("{}.{}", c.kind, c.name) };
    let name = |c: &Interface| match one_stack {
        true => format!("`{}`", named(c)),
        false => format!("`{}` of `{}`", named(c), c.stack),
    };
    let mut labels = cycle.iter().filter_map(|step| {
        let edge = step.edge;
        let words = format!("{} needs {} (`{}`)", name(edge.from), name(edge.to), edge.link.by);
        Some(at_name(context.files, edge.origin()?, &edge.link.component, words))
    });
    let Some(primary) = labels.next() else { return };
    let path: Vec<String> = cycle.iter().map(|s| name(s.edge.from)).chain([name(first.from)]).collect();
    let message = match cycle.len() {
        1 if first.link.how == LinkKind::Reads => format!("{} reads from itself", path[0]),
        1 => format!("{} depends on itself", path[0]),
        _ => format!("dependency cycle: {}", path.join(" → ")),
    };
    let mut finding = Diagnostic::new(rule, message, Label { message: String::new(), ..primary.clone() })
        .token(path.join(" "))
        .address(format!("{}/{}", first.from.stack, first.from.name))
        .help(help);
    if cycle.len() > 1 {
        finding = labels.fold(finding.related(primary), Diagnostic::related).chain();
    }
    for step in cycle {
        findings.add(&step.edge.from.stack, finding.clone());
    }
}
