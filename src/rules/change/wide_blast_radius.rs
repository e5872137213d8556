//! `wide-blast-radius`: one edited line changes many components, or one in a protected stack.

use super::{Changed, Changes, cause_label, names};
use crate::diagnostic::Diagnostic;
use crate::diff::{Cause, Side};
use crate::rules::rule;
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeMap;

rule!(
    WIDE_BLAST_RADIUS,
    "wide-blast-radius",
    Change,
    "0.1.0",
    "one edited line changes many components, or a component of a protected stack"
);

/// The components that a line changes.
type Reached<'a> = (Cause, Vec<Changed<'a>>);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let limits = changes.context.limits;
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
    let mut reported: Vec<Vec<*const crate::diff::ComponentChange>> = Vec::new();
    let mut found = Vec::new();
    // A line of the newer state is more useful than the one that it replaced.
    let mut lines: Vec<Reached<'_>> = lines.into_values().collect();
    lines.sort_by_key(|(cause, _)| cause.side == Side::Base);
    for (cause, members) in lines {
        let guarded: Vec<&Changed<'_>> =
            members.iter().filter(|m| limits.protected.iter().any(|glob| glob.matches(&m.change.stack))).collect();
        let text = if members.len() > limits.max_components {
            format!("this line changes {} components", members.len())
        } else if let Some(first) = guarded.first() {
            let number = guarded.len();
            let which = if number == 1 { "a component".to_owned() } else { format!("{number} components") };
            format!("this line changes {which} in protected stacks, for example `{}`", first.change.stack)
        } else {
            continue;
        };
        // Lines that change the very same components are one edit.
        let same: Vec<_> = members.iter().map(|m| std::ptr::from_ref(m.change)).collect();
        if reported.contains(&same) {
            continue;
        }
        reported.push(same);
        let mut finding =
            Diagnostic::new(&WIDE_BLAST_RADIUS, text, cause_label(&cause, changes.context.files)).note(names(&members));
        finding.stacks = members.iter().map(|m| Text::clone(&m.change.stack)).collect();
        finding.stacks.sort();
        finding.stacks.dedup();
        found.push(finding);
    }
    found
}
