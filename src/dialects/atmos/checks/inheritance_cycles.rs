//! Components that inherit from each other. Atmos rejects only cycles that do not include the component being resolved,
//! and silently cuts the others.

use crate::diagnostic::Label;
use crate::dialects::atmos::component::inheritance::{InheritanceStep, cycle};
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::rules;
use crate::graph::{Graph, has_cycle};
use crate::resolution::{Base, Component, Unit};
use crate::text::{FastMap, Text};
use crate::value::{Key, Origin};
use std::sync::Arc;

/// The bases that a component names itself.
fn named(component: &Component) -> impl Iterator<Item = &Base> {
    component.metadata.bases.iter().filter(|base| base.origin.is_some())
}

/// Reports the cycles of bases among resolved components, which Atmos cut, except those that it rejected elsewhere.
pub(in crate::dialects::atmos) fn check(units: &[Arc<Unit>], diagnostics: &Diagnostics) {
    for unit in units {
        // A circle leads only through components that have bases themselves.
        let heirs = || unit.components.iter().filter(|c| named(c).next().is_some());
        let numbers: FastMap<(&str, &str), u32> = heirs().map(|c| (&*c.kind, &*c.name)).zip(0..).collect();
        let number = |kind: &str, name: &str| numbers.get(&(kind, name)).copied();
        let edges = heirs().flat_map(|c| {
            let from = number(&c.kind, &c.name);
            named(c).filter_map(move |base| Some((from?, number(&c.kind, &base.name)?)))
        });
        if !has_cycle(edges) {
            continue;
        }
        let mut graph: Graph<(&str, &Key), InheritanceStep> = Graph::new();
        for component in heirs() {
            for base in named(component).filter(|b| number(&component.kind, &b.name).is_some()) {
                let step = InheritanceStep {
                    from: Text::clone(&component.name),
                    to: Text::clone(&base.name),
                    site: base.origin,
                };
                graph.add_edge((&component.kind, &component.name), (&component.kind, &base.name), step);
            }
        }
        for found in graph.cycles() {
            let steps = found.iter().map(|s| s.edge.clone());
            let place = |site: Option<Origin>, words: &str| match site {
                Some(site) => Label::at(site, words),
                None => Label::new(unit.file, 0, 0, words),
            };
            let finding = cycle(&rules::SELF_INHERITANCE, steps.collect(), place);
            if !diagnostics.has(&rules::INHERITANCE_CYCLE, &finding.primary) {
                let note = "Atmos silently cuts the cycle: which value wins depends on the component";
                diagnostics.report(finding.note(note));
            }
        }
    }
}
