//! Components that inherit from each other. Atmos refuses only circles that do not lead through the component that it looks
//! at, and cuts the others silently.

use crate::diagnostic::Label;
use crate::dialects::atmos::component::inheritance::{InheritanceStep, cycle};
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::rules;
use crate::graph::Graph;
use crate::resolution::Unit;
use crate::text::Text;
use crate::value::{Key, Origin};
use std::collections::HashSet;
use std::sync::Arc;

/// Reports the circles of bases among resolved components, which Atmos cut, but for those that it refused somewhere else.
pub(in crate::dialects::atmos) fn check(units: &[Arc<Unit>], diagnostics: &Diagnostics) {
    for unit in units {
        // A circle leads only through components that have bases themselves.
        let heirs = || unit.components.iter().filter(|c| c.metadata.bases.iter().any(|b| b.origin.is_some()));
        let names: HashSet<(&str, &str)> = heirs().map(|c| (&*c.kind, &*c.name)).collect();
        let mut graph: Graph<(&str, &Key), InheritanceStep> = Graph::new();
        for component in heirs() {
            let named = component.metadata.bases.iter().filter(|b| b.origin.is_some());
            for base in named.filter(|b| names.contains(&(&component.kind, &b.name))) {
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
