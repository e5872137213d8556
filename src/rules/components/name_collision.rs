//! `stack-name-collision`: two manifests give one stack without meaning to.

use crate::diagnostic::Diagnostic;
use crate::estate::Unit;
use crate::rules::places::at_value;
use crate::rules::{Components, rule};
use crate::value::{FileId, Origin};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

rule!(
    STACK_NAME_COLLISION,
    "stack-name-collision",
    Suspicious,
    "0.1.0",
    "a manifest gives a stack that another one is called by",
    Whole(check)
);

/// A manifest that gives a stack, with the parts of the name that it writes itself.
struct Part<'a> {
    unit: &'a Unit,
    words: BTreeMap<Arc<str>, Origin>,
}

fn check(context: &Components<'_>) -> Vec<Diagnostic> {
    let mut stacks: BTreeMap<&Arc<str>, BTreeMap<FileId, Part<'_>>> = BTreeMap::new();
    for (unit, component) in context.world.components() {
        let part = stacks.entry(&component.stack).or_default().entry(unit.file);
        // All components of a stack have the same name; the first one tells where it comes from.
        part.or_insert_with(|| {
            let inputs = &component.facts.inputs;
            let named: BTreeSet<&str> = words(&component.stack).collect();
            let known = inputs.reserved.iter().filter_map(|name| inputs.all.get(name));
            let own = known.filter_map(|value| {
                let origin = value.prov.origin.filter(|o| o.file == unit.file)?;
                let text = value.as_str().filter(|t| words(t).all(|w| named.contains(w)) && !t.is_empty())?;
                Some((Arc::from(text), origin))
            });
            Part { unit, words: own.collect() }
        });
    }
    let is_called = |part: &Part<'_>| {
        let path: BTreeSet<&str> = words(&part.unit.name).collect();
        part.words.keys().all(|text| words(text).all(|w| path.contains(w)))
    };
    let authors = |parts: &&BTreeMap<FileId, Part<'_>>| parts.values().filter(|p| !p.words.is_empty()).count();
    let all = || stacks.values().flat_map(|parts| parts.values()).filter(|p| !p.words.is_empty());
    let mut findings = Vec::new();
    for (stack, parts) in stacks.iter().filter(|(_, parts)| authors(parts) > 1) {
        let own = || parts.values().filter(|p| !p.words.is_empty());
        let odd: Vec<&Part<'_>> = own().filter(|p| !is_called(p)).collect();
        // Only where manifests are called as their stacks are, one that is not gives another stack than it should.
        let ([odd], Some(other)) = (&odd[..], own().find(|p| is_called(p))) else { continue };
        if !all().filter(|p| p.unit.file != odd.unit.file).all(is_called) || is_told(context, stack) {
            continue;
        }
        let path: BTreeSet<&str> = words(&odd.unit.name).collect();
        let wrong = odd.words.iter().find(|(text, _)| !words(text).all(|w| path.contains(w)));
        let Some((text, origin)) = wrong else { continue };
        let message =
            format!("this makes `{}` a part of stack `{stack}`, which `{}` is", odd.unit.name, other.unit.name);
        let mut finding = Diagnostic::new(STACK_NAME_COLLISION.id, message, at_value(context.files, *origin, ""))
            .token(&**text)
            .note("the other manifests are called as the stacks that they give")
            .help("correct the name, or call the manifest as its stack if the two are meant to be one");
        if let Some(origin) = other.words.get(text) {
            finding = finding.related(at_value(context.files, *origin, "the other manifest"));
        }
        finding.stacks = vec![Arc::clone(stack)];
        findings.push(finding);
    }
    findings
}

/// Whether it is an error already that manifests of a stack have the same component.
fn is_told(context: &Components<'_>, stack: &Arc<str>) -> bool {
    context.world.findings().iter().any(|f| f.rule == "duplicate-component" && f.stacks.contains(stack))
}

/// The words of a name or path.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
}
