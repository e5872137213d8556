//! Components that inherit from each other. Atmos refuses only circles that do not lead through the component that it looks
//! at, and cuts the others without a word.

use crate::diagnostic::Rule;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::findings::Sink;
use crate::dialects::atmos::rules;
use crate::graph::Graph;
use crate::resolution::Unit;
use crate::text::Text;
use crate::value::{Key, Origin};
use std::collections::HashSet;
use std::sync::Arc;

/// That a component inherits from another one, and where that is written.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub from: Key,
    pub to: Key,
    pub site: Option<Origin>,
}

/// The finding of a rule about a circle, told from its first member in the order of names, so that every way into it gives
/// the same.
pub(in crate::dialects::atmos) fn cycle(
    rule: &'static Rule,
    mut steps: Vec<Step>,
    place: impl Fn(Option<Origin>, &str) -> Label,
) -> Diagnostic {
    let first = steps.iter().enumerate().min_by(|a, b| a.1.from.cmp(&b.1.from)).map_or(0, |(i, _)| i);
    steps.rotate_left(first);
    let names: Vec<String> = steps.iter().map(|s| format!("`{}`", s.from)).collect();
    let primary = place(steps.first().and_then(|s| s.site), "");
    let (message, is_chain) = match &names[..] {
        [only] => (format!("{only} inherits from itself"), false),
        all => (format!("these components inherit from each other: {} → {}", all.join(" → "), all[0]), true),
    };
    let mut finding = Diagnostic::new(rule, message, primary).token(names.join(" "));
    if is_chain {
        for step in &steps {
            finding = finding.related(place(step.site, &format!("`{}` inherits from `{}`", step.from, step.to)));
        }
        finding = finding.chain();
    }
    finding.help("take one of the bases away: there is no order to merge them in")
}

/// Reports the circles of bases among resolved components, which Atmos cut, but for those that it refused somewhere else.
pub(in crate::dialects::atmos) fn check(units: &[Arc<Unit>], sink: &Sink) {
    for unit in units {
        // A circle leads only through components that have bases themselves.
        let heirs = || unit.components.iter().filter(|c| c.metadata.bases.iter().any(|b| b.origin.is_some()));
        let names: HashSet<(&str, &str)> = heirs().map(|c| (&*c.kind, &*c.name)).collect();
        let mut graph: Graph<(&str, &Key), Step> = Graph::new();
        for component in heirs() {
            let named = component.metadata.bases.iter().filter(|b| b.origin.is_some());
            for base in named.filter(|b| names.contains(&(&component.kind, &b.name))) {
                let step = Step { from: Text::clone(&component.name), to: Text::clone(&base.name), site: base.origin };
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
            if !sink.has(&rules::INHERITANCE_CYCLE, &finding.primary) {
                let note = "Atmos cuts the circle without a word: what wins depends on the component that is looked at";
                sink.report(finding.note(note));
            }
        }
    }
}
