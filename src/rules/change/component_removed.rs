//! `component-removed` and `stack-removed`: what was deployed is no longer described.

use super::{Changed, Changes, is_deployed, status};
use crate::diagnostic::Diagnostic;
use crate::diff::Status;
use crate::resolution::{Component, RemovalEffect};
use crate::rules::rule;
use crate::text::Text;
use crate::value::{Data, Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

rule!(
    COMPONENT_REMOVED,
    "component-removed",
    Change,
    "0.1.0",
    "a component is no longer described, though it may be deployed"
);
rule!(STACK_REMOVED, "stack-removed", Change, "0.1.0", "a whole stack is no longer described");

const NOTE: &str = "what is deployed stays, and nobody looks after it any more";

pub(super) fn components(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let mut found = removed(changes, RemovalEffect::Destroyed, None);
    let helps: BTreeSet<&str> = changes.components.iter().map(|c| c.vocabulary().removal_help).collect();
    for help in helps {
        let orphaned = removed(changes, RemovalEffect::Orphaned, Some(help));
        found.extend(orphaned.into_iter().map(|f| f.note(NOTE).help(help)));
    }
    found
}

/// Removed components with this removal effect, and this help if one is given.
fn removed(changes: &Changes<'_>, removal: RemovalEffect, help: Option<&str>) -> Vec<Diagnostic> {
    let (gone_stacks, renamed) = (stacks_gone(changes), renames(changes));
    changes.by_cause(&COMPONENT_REMOVED, |changed| {
        let change = changed.change;
        let becomes = changed.before.is_some_and(|c| c.removal == removal);
        let has_help = help.is_none_or(|help| changed.vocabulary().removal_help == help);
        if !becomes || !has_help || !is_gone(changed) || gone_stacks.contains(&change.stack) {
            return Vec::new();
        }
        let text = match (renamed.get(&change.address()), removal) {
            (Some(name), RemovalEffect::Destroyed) => {
                format!("is called `{name}` now: the next run destroys it and creates another one")
            }
            (Some(name), _) => format!("is called `{name}` now: its state stays under the old name"),
            (None, RemovalEffect::Destroyed) => "is taken away: the next run destroys it".to_owned(),
            (None, _) => "is taken away".to_owned(),
        };
        vec![(&change.causes[..], text)]
    })
}

pub(super) fn stacks(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let gone = stacks_gone(changes);
    let mut found = Vec::new();
    for stack in gone {
        let mut members = changes.components.iter().filter(|c| is_gone(c) && c.change.stack == stack).peekable();
        let Some(first) = members.peek() else { continue };
        let label = first
            .key(changes.context.files)
            .unwrap_or_else(|| super::label(&first.change.causes, first.file, changes.context.files));
        let help = match first.before.map(|c| c.removal) {
            Some(RemovalEffect::Destroyed) => "destroy it first",
            _ => first.vocabulary().removal_help,
        };
        let number = members.count();
        let message = format!("stack `{stack}` is taken away, with {}", count(number));
        let mut finding =
            Diagnostic::new(&STACK_REMOVED, message, label).token(&*stack).address(&*stack).note(NOTE).help(help);
        finding.stacks = vec![stack];
        found.push(finding);
    }
    found
}

fn count(components: usize) -> String {
    if components == 1 { "1 component".to_owned() } else { format!("{components} components") }
}

fn is_gone(changed: &Changed<'_>) -> bool {
    status(changed, Status::Removed)
        && changed.before.is_some_and(|c| is_deployed(c) && c.removal != RemovalEffect::Nothing)
}

/// The stacks that lose every component that they had.
fn stacks_gone(changes: &Changes<'_>) -> BTreeSet<Text> {
    let left: BTreeSet<&str> =
        changes.context.resolution.units.iter().flat_map(|u| u.components.iter().map(|c| &*c.stack)).collect();
    let gone = changes.components.iter().filter(|c| is_gone(c)).map(|c| Text::clone(&c.change.stack));
    gone.filter(|stack| !left.contains(&**stack)).collect()
}

/// Components that are gone, with the name of the one in the same stack that took over their configuration.
fn renames<'a>(changes: &Changes<'a>) -> HashMap<crate::resolution::Address, &'a str> {
    let mut new: BTreeMap<(&str, &str), Vec<(&Component, Value)>> = BTreeMap::new();
    for changed in changes.components.iter().filter(|c| status(c, Status::Added)) {
        if let Some(component) = changed.after {
            let list = new.entry((&component.stack, &component.kind)).or_default();
            list.push((component, nameless(component)));
        }
    }
    let mut found = HashMap::new();
    for changed in changes.components.iter().filter(|c| is_gone(c)) {
        let Some(component) = changed.before else { continue };
        let Some(candidates) = new.get_mut(&(&*component.stack, &*component.kind)) else { continue };
        let old = nameless(component);
        let declared = candidates.iter().position(|(new, _)| new.declared() == component.declared());
        let alike = || candidates.iter().position(|(_, value)| crate::diff::same::same(value, &old));
        if let Some(at) = declared.or_else(alike) {
            let (new, _) = candidates.remove(at);
            found.insert(component.address(), &*new.name);
        }
    }
    found
}

/// The configuration of a component without what only says its name.
fn nameless(component: &Component) -> Value {
    let Data::Map(map) = &component.value.data else { return component.value.clone() };
    let words = component.language.vocabulary;
    let own: Map = map
        .iter()
        .filter(|e| !words.named_after.contains(&&*e.key))
        // Where nothing else is said, the folder of the code is the name.
        .filter(|e| !(&*e.key == words.code && e.value.as_str() == Some(&component.name)))
        .map(|e| (Text::clone(&e.key), e.value.clone()))
        .collect();
    Value::map(own)
}
