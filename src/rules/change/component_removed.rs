//! `component-removed` and `stack-removed`: a deployed component is removed from the configuration.

use super::{Changed, Changes, FindingGroup, Phrase, Place, count_of, index_shift, is_deployed, nouns, place, status};
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::{Cause, Status};
use crate::resolution::{Component, Doubtful, RemovalEffect};
use crate::rules::rule;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

rule!(
    COMPONENT_REMOVED,
    "component-removed",
    Change,
    "0.1.0",
    "a component is removed from the configuration, though it may be deployed",
    Some(Level::Danger)
);
rule!(STACK_REMOVED, "stack-removed", Change, "0.1.0", "a stack is removed", Some(Level::Danger));

const UNREAD: &str = "the next run destroys what the code does not have any more";
const NOTE: &str = "its resources stay deployed, unmanaged";

pub(super) fn components(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let mut found = removed(changes, RemovalEffect::Destroyed, None);
    let helps: BTreeSet<&str> = changes.components.iter().map(|c| c.vocabulary().removal_help).collect();
    for help in helps {
        let orphaned = removed(changes, RemovalEffect::Orphaned, Some(help));
        found.extend(orphaned.into_iter().map(|f| f.note(NOTE).help(help)));
    }
    found.extend(without_code(changes));
    found.extend(unread(changes));
    found
}

/// The components that have no code any more: no run deploys them.
fn without_code(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&COMPONENT_REMOVED, &changes.components, |changed| {
        let lacks = [changed.before, changed.after].map(|side| side.map(|component| component.metadata.lacks_code));
        let is_lost =
            lacks == [Some(false), Some(true)] && changed.before.is_some_and(|c| is_deployed(c) && has_effect(c));
        let text = || Phrase::new("has no code any more", "have no code any more", "");
        is_lost.then(|| (&changed.change.causes[..], text())).into_iter().collect()
    });
    found.into_iter().map(|finding| finding.note(NOTE)).collect()
}

/// The components that were known, and may be gone: what makes them now is elsewhere, or not known.
fn unread(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let doubtful = changes.context.resolution.doubtful(changes.base);
    let is_kept = |component: &Component| changes.released.keeps(component);
    let is_lost =
        |one: &Doubtful<'_>| is_deployed(one.component) && has_effect(one.component) && !is_kept(one.component);
    let found = doubtful.into_iter().filter(is_lost).map(|Doubtful { component, part, origin }| {
        let text = |its: &str| match *part == component.stack {
            true => format!("may be removed: {its} code is elsewhere, or not known"),
            false => format!("may be removed: the code of `{part}` is elsewhere, or not known"),
        };
        let (one, several) = (text("its"), text("their"));
        let message = format!("`{}` in `{}` {one}", component.name, component.stack);
        let nouns = component.language.vocabulary.counted.unwrap_or(nouns(&[]));
        let label = Label::new(origin.file, origin.key, origin.end, "");
        let finding = Diagnostic::new(&COMPONENT_REMOVED, message, label).token(&*component.name);
        let mut finding = finding.subject(&component.stack, &component.name);
        finding = finding.together(FindingGroup::Components { one, several, nouns });
        finding.address = Some(format!("{}/{}", component.stack, component.name));
        finding.stacks = vec![Text::clone(&component.stack)];
        finding.note(UNREAD)
    });
    found.collect()
}

/// Whether something is deployed that its removal leaves behind or destroys.
fn has_effect(component: &Component) -> bool {
    !matches!(component.removal, RemovalEffect::Nothing | RemovalEffect::Relocated)
}

/// Finds removed components with this removal effect, and adds `help` if set.
fn removed(changes: &Changes<'_>, removal: RemovalEffect, help: Option<&str>) -> Vec<Diagnostic> {
    let (gone_stacks, shifted) = (removed_stacks(changes), index_shift::gone(changes));
    changes.by_cause(&COMPONENT_REMOVED, &changes.components, |changed| {
        let change = changed.change;
        let has_effect = changed.before.is_some_and(|c| c.removal == removal);
        let has_help = help.is_none_or(|help| changed.vocabulary().removal_help == help);
        if shifted.contains(&change.address())
            || !has_effect
            || !has_help
            || !is_undeployed(changes, changed)
            || gone_stacks.contains(&change.stack)
        {
            return Vec::new();
        }
        let text = match removal {
            RemovalEffect::Destroyed => Phrase::new(
                "is removed, and the next run destroys it",
                "are removed, and the next run destroys them",
                "",
            ),
            _ => Phrase::new("is removed", "are removed", ""),
        };
        vec![(&change.causes[..], text)]
    })
}

pub(super) fn stacks(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let removed_stacks = removed_stacks(changes);
    let mut by_stack: BTreeMap<&Text, Vec<&Changed<'_>>> = BTreeMap::new();
    let of_these = changes.components.iter().filter(|c| removed_stacks.contains(&c.change.stack));
    for changed in of_these.filter(|changed| is_undeployed(changes, changed)) {
        by_stack.entry(&changed.change.stack).or_default().push(changed);
    }
    let mut found = Vec::new();
    for (stack, members) in by_stack {
        let Some(first) = members.first() else { continue };
        let help = match first.before.map(|c| c.removal) {
            Some(RemovalEffect::Destroyed) => "destroy it first",
            _ => first.vocabulary().removal_help,
        };
        let message = format!("stack `{stack}` is removed, with {}", count_of(members.len(), "component"));
        let mut finding = Diagnostic::new(&STACK_REMOVED, message, changes.label(deciding(&members), first.file))
            .token(&**stack)
            .address(&**stack)
            .note(NOTE)
            .help(help);
        finding.stacks = vec![Text::clone(stack)];
        found.push(changes.placed_at_head(finding));
    }
    found
}

/// The causes of the removal that most components share.
fn deciding<'a>(members: &[&Changed<'a>]) -> &'a [Cause] {
    let mut counts: BTreeMap<Place, (usize, usize)> = BTreeMap::new();
    for (i, cause) in members.iter().enumerate().filter_map(|(i, m)| Some((i, m.change.causes.first()?))) {
        counts.entry(place(cause)).or_insert((0, i)).0 += 1;
    }
    let most = counts.into_values().max_by_key(|(number, first)| (*number, std::cmp::Reverse(*first)));
    most.map_or(&[], |(_, first)| &members[first].change.causes)
}

/// Whether a component was deployed and is neither there nor renamed.
fn is_undeployed(changes: &Changes<'_>, changed: &Changed<'_>) -> bool {
    status(changed, Status::Removed)
        && changed.before.is_some_and(|c| is_deployed(c) && has_effect(c) && !c.metadata.lacks_code)
        && changes.renamed(changed).is_none()
        && !changed.before.is_some_and(|component| changes.released.keeps(component))
}

/// The stacks that lose every component that they had, have none that may only be broken, and are not renamed.
fn removed_stacks(changes: &Changes<'_>) -> BTreeSet<Text> {
    let renamed: BTreeSet<&str> = changes
        .diff
        .renames
        .iter()
        .map(|r| (&changes.diff.components[r.from].stack, &changes.diff.components[r.to].stack))
        .filter_map(|(old, new)| (old != new).then_some(&**old))
        .collect();
    let removed_stacks =
        changes.components.iter().filter(|c| is_undeployed(changes, c)).map(|c| Text::clone(&c.change.stack));
    removed_stacks.filter(|stack| changes.diff.removed_stacks.contains(stack) && !renamed.contains(&**stack)).collect()
}
