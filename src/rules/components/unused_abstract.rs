//! `unused-abstract-component`: there is a component to inherit from, and none does.

use crate::diagnostic::Diagnostic;
use crate::resolution::State;
use crate::rules::places::at_key;
use crate::rules::{AllUnits, Target, rule};
use crate::text::Text;
use crate::value::Origin;
use std::collections::{BTreeMap, BTreeSet, HashSet};

rule!(
    UNUSED_ABSTRACT_COMPONENT,
    "unused-abstract-component",
    Hygiene,
    "0.1.0",
    "nothing inherits from an abstract component"
);

/// An abstract component at its definition, over all stacks.
struct Base {
    name: Text,
    stacks: BTreeSet<Text>,
    is_used: bool,
    is_open: bool,
}

pub(super) fn check(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let mut found: BTreeMap<Origin, Base> = BTreeMap::new();
    // A component that is read by something else is also used.
    let mut read: HashSet<(&str, &str)> = HashSet::new();
    let all = context.index.components();
    let abstracts: HashSet<&str> = all.filter(|c| c.is_abstract).map(|c| &*c.name).collect();
    for need in context.index.needs() {
        if let Target::Found(targets) = &need.target {
            read.extend(targets.iter().map(|c| (&*c.stack, &*c.name)).filter(|(_, name)| abstracts.contains(name)));
        }
    }
    for unit in context.index.units() {
        let bases: HashSet<(&str, &str)> =
            unit.components.iter().flat_map(|c| c.bases.iter().map(|base| (&*c.kind, &**base))).collect();
        for component in unit.components.iter().filter(|c| c.is_abstract) {
            let Some(origin) = *component.origin else { continue };
            let base = found.entry(origin).or_insert_with(|| Base {
                name: Text::clone(&component.name),
                stacks: BTreeSet::new(),
                is_used: false,
                is_open: false,
            });
            base.stacks.insert(Text::clone(&component.stack));
            base.is_used |= bases.contains(&(&*component.kind, &*component.name))
                || read.contains(&(&*component.stack, &*component.name));
            base.is_open |= !unit.broken.is_empty();
        }
    }
    // A stack that cannot be resolved may inherit from it.
    for unit in context.index.units().iter().filter(|u| u.state != State::Resolved) {
        for (origin, base) in found.iter_mut() {
            base.is_open |= unit.files.binary_search(&origin.file).is_ok();
        }
    }
    let mut findings = Vec::new();
    for (origin, base) in found.into_iter().filter(|(_, b)| !b.is_used) {
        if base.is_open {
            context.withheld.record(&UNUSED_ABSTRACT_COMPONENT);
            continue;
        }
        let message = format!("nothing inherits from the abstract component `{}`", base.name);
        let mut finding = Diagnostic::new(&UNUSED_ABSTRACT_COMPONENT, message, at_key(context.files, origin, ""))
            .token(&*base.name)
            .help("inherit from it, remove it, or make it one that is deployed");
        finding.stacks = base.stacks.into_iter().collect();
        findings.push(finding);
    }
    findings
}
