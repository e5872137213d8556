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

/// The components of a unit that name bases: a cycle leads only through those.
fn heirs(unit: &Unit) -> impl Iterator<Item = &Arc<Component>> {
    unit.components.iter().filter(|c| named(c).next().is_some())
}

/// Components by type and name, with their numbers.
type Numbers<'a> = FastMap<(&'a str, &'a str), u32>;

fn numbers(unit: &Unit) -> Numbers<'_> {
    heirs(unit).map(|c| (&*c.kind, &*c.name)).zip(0..).collect()
}

/// Whether components of a unit inherit from each other.
pub(in crate::dialects::atmos) fn has_cycle_of_bases(unit: &Unit) -> bool {
    let numbers = numbers(unit);
    let number = |kind: &str, name: &str| numbers.get(&(kind, name)).copied();
    has_cycle(heirs(unit).flat_map(|c| {
        let from = number(&c.kind, &c.name);
        named(c).filter_map(move |base| Some((from?, number(&c.kind, &base.name)?)))
    }))
}

/// Reports the cycles of bases among the components of units that have any, which Atmos cut, except those that it rejected
/// elsewhere.
pub(in crate::dialects::atmos) fn check(units: &[Arc<Unit>], diagnostics: &Diagnostics) {
    for unit in units {
        let numbers = numbers(unit);
        let mut graph: Graph<(&str, &Key), InheritanceStep> = Graph::new();
        for component in heirs(unit) {
            for base in named(component).filter(|b| numbers.contains_key(&(&*component.kind, &*b.name))) {
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
