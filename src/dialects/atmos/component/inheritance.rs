//! Findings about components that inherit from each other.

use crate::diagnostic::Rule;
use crate::diagnostic::{Diagnostic, Label};
use crate::value::{Key, Origin};

/// An inheritance between components, and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct InheritanceStep {
    pub from: Key,
    pub to: Key,
    pub site: Option<Origin>,
}

/// Returns the finding about a cycle, starting at its first member in order of names, so that it is the same from every
/// member.
pub(in crate::dialects::atmos) fn cycle(
    rule: &'static Rule,
    mut steps: Vec<InheritanceStep>,
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
    finding.help("remove one of the bases: a cycle has no merge order")
}
