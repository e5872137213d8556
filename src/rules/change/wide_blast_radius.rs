//! `wide-blast-radius` and `protected-stack-changed`: one edited line changes many components, or one in a protected stack.

use super::{Changed, Changes, cause_label, names};
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::{Cause, Side};
use crate::rules::rule;
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};

rule!(WIDE_BLAST_RADIUS, "wide-blast-radius", Change, "0.1.0", "one edited line changes many components");
rule!(
    PROTECTED_STACK_CHANGED,
    "protected-stack-changed",
    Change,
    "0.1.0",
    "an edit changes a component of a protected stack",
    Some(Level::Danger)
);

/// The components that a line changes.
type Reached<'a> = (Cause, Vec<Changed<'a>>);

/// Lines that change many components.
pub(super) fn wide(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let most = changes.context.limits.max_components;
    let gone = &changes.diff.removed_stacks;
    let is_wide = |(cause, mut members): Reached<'_>| {
        // A stack that is removed is reported as a whole, and what code makes counts with its component.
        members.retain(|member| !gone.contains(&member.change.stack) && !member.change.is_made());
        let text = format!("this line changes {} components", members.len());
        (members.len() > most)
            .then(|| finding(Diagnostic::new(&WIDE_BLAST_RADIUS, text, label(changes, &cause)), &members))
    };
    lines(changes).into_iter().filter_map(is_wide).collect()
}

/// Lines that change components of protected stacks.
pub(super) fn protected(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let is_protected = |stack: &Text| changes.context.limits.protected.iter().any(|glob| glob.matches(stack));
    let reaches = |(cause, mut members): Reached<'_>| {
        members.retain(|member| is_protected(member.change.deployed_stack()));
        // What code makes counts with its component.
        if members.iter().any(|member| !member.change.is_made()) {
            members.retain(|member| !member.change.is_made());
        }
        let first = members.first()?;
        let number = members.len();
        let which = if number == 1 { "a component".to_owned() } else { format!("{number} components") };
        let text = format!("this line changes {which} in protected stacks, for example `{}`", first.change.stack);
        Some(finding(Diagnostic::new(&PROTECTED_STACK_CHANGED, text, label(changes, &cause)), &members))
    };
    lines(changes).into_iter().filter_map(reaches).collect()
}

fn label(changes: &Changes<'_>, cause: &Cause) -> Label {
    cause_label(cause, changes.context.files)
}

/// Adds what a line changes.
fn finding(found: Diagnostic, members: &[Changed<'_>]) -> Diagnostic {
    let mut stacks: Vec<Text> = members.iter().map(|m| Text::clone(&m.change.stack)).collect();
    stacks.sort();
    stacks.dedup();
    Diagnostic { stacks, ..found.note(names(members)) }
}

/// The lines that change components which are deployed, with these. Lines that change the very same ones are one edit.
fn lines<'a>(changes: &'a Changes<'_>) -> Vec<Reached<'a>> {
    let mut lines: BTreeMap<(FileId, u32), Reached<'_>> = BTreeMap::new();
    // A renamed component counts once, under its new name.
    let counts = |c: &&Changed<'_>| c.was_or_is_deployed() && changes.renamed(c).is_none();
    for changed in changes.components.iter().filter(counts) {
        let mut seen = Vec::new();
        for cause in &changed.change.causes {
            let key = (cause.file, cause.line);
            if !seen.contains(&key) {
                seen.push(key);
                lines.entry(key).or_insert_with(|| (*cause, Vec::new())).1.push(*changed);
            }
        }
    }
    // A line of the newer state is more useful than the one that it replaced.
    let mut lines: Vec<Reached<'_>> = lines.into_values().collect();
    lines.sort_by_key(|(cause, _)| cause.side == Side::Base);
    let mut known: BTreeSet<Vec<(&Text, &Text, &Text)>> = BTreeSet::new();
    lines.retain(|(_, members)| {
        known.insert(members.iter().map(|m| (&m.change.stack, &m.change.kind, &m.change.name)).collect())
    });
    lines
}
