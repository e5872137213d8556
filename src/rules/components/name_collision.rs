//! `stack-name-collision`: two manifests define one stack by mistake.

use crate::diagnostic::Diagnostic;
use crate::rules::places::at_value;
use crate::rules::{AllUnits, rule};
use crate::text::Text;
use crate::unit::{Interface, UnitInterface};
use crate::value::{FileId, Origin};
use std::collections::{BTreeMap, BTreeSet};

rule!(STACK_NAME_COLLISION, "stack-name-collision", Suspicious, "0.1.0", "two manifests produce the same stack name");

/// A manifest that defines a stack.
struct Part<'a> {
    unit: &'a UnitInterface,
    /// The inputs that it writes itself and that are part of the name of the stack, by their names.
    own: BTreeMap<&'a str, (&'a str, Origin)>,
}

impl Part<'_> {
    /// Whether the manifest is called by what it writes itself for an input; `None` if it writes nothing for it.
    fn is_called_by(&self, input: &str) -> Option<bool> {
        let (text, _) = self.own.get(input)?;
        let path: BTreeSet<&str> = words(&self.unit.name).collect();
        Some(words(text).all(|word| path.contains(word)))
    }
}

pub(super) fn check(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let mut stacks: BTreeMap<&Text, BTreeMap<FileId, Part<'_>>> = BTreeMap::new();
    let parts = context
        .index
        .units()
        .iter()
        .flat_map(|unit| unit.components.chunk_by(|a, b| a.stack == b.stack).map(move |part| (unit, &part[0])));
    for (unit, component) in parts {
        // All components of a stack have the same stack name; the first one shows where it comes from.
        stacks.entry(&component.stack).or_default().entry(*unit.file).or_insert_with(|| {
            let named: BTreeSet<&str> = words(&component.stack).collect();
            let own = component.selectors.iter().filter_map(|input| {
                let origin = input.origin.filter(|o| o.file == *unit.file)?;
                let text = input.text.as_deref().filter(|t| words(t).all(|w| named.contains(w)) && !t.is_empty())?;
                Some((input.name, (text, origin)))
            });
            Part { unit, own: own.collect() }
        });
    }
    let all: Vec<&Part<'_>> = stacks.values().flat_map(|parts| parts.values()).collect();
    let mut findings = Vec::new();
    for (stack, parts) in stacks.iter().filter(|(_, parts)| parts.len() > 1) {
        let inputs: BTreeSet<&str> = parts.values().flat_map(|p| p.own.keys().copied()).collect();
        for input in inputs {
            let odd: Vec<&Part<'_>> = parts.values().filter(|p| p.is_called_by(input) == Some(false)).collect();
            let [odd] = &odd[..] else { continue };
            // Parts of a stack that is split on purpose have different components; a copy has those of its original.
            let called = parts.values().filter(|p| p.is_called_by(input) == Some(true));
            let common = |p: &Part<'_>| odd.unit.components.iter().find(|c| has(p.unit, c));
            let Some((other, common)) = called.into_iter().find_map(|p| Some((p, common(p)?))) else { continue };
            // Only if manifests are named after their stacks, one that is not defines an unintended stack.
            let rest = all.iter().filter(|p| *p.unit.file != *odd.unit.file);
            if rest.into_iter().any(|p| p.is_called_by(input) == Some(false)) || context.colliding.contains(stack) {
                continue;
            }
            let (text, origin) = odd.own[input];
            let message = format!("`{}` defines stack `{stack}`, as `{}` does", odd.unit.name, other.unit.name);
            let mut finding = Diagnostic::new(&STACK_NAME_COLLISION, message, at_value(context.files, origin, ""))
                .token(text)
                .related(at_value(context.files, other.own[input].1, "the other manifest"))
                .note(format!("both have the component `{}`", common.name))
                .note("the other manifests have the names of the stacks that they define")
                .help("correct the name, or call the manifest as its stack if the two are meant to be one");
            finding.stacks = vec![Text::clone(stack)];
            findings.push(finding);
            break;
        }
    }
    findings
}

/// Whether a unit has a component of the same stack, type and name.
fn has(unit: &UnitInterface, component: &Interface) -> bool {
    unit.components.iter().any(|c| c.name == component.name && c.kind == component.kind && c.stack == component.stack)
}

/// The words of a name or path.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
}
