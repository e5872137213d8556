//! `destroy-protection-removed`: nothing keeps a resource from being destroyed any more.

use super::{Changes, FindingGroup, nouns};
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::resolution::{Address, Component};
use crate::rules::rule;
use crate::text::Text;
use crate::value::Data;
use std::collections::HashMap;

rule!(
    DESTROY_PROTECTION_REMOVED,
    "destroy-protection-removed",
    Change,
    "0.1.0",
    "nothing keeps a resource from being destroyed any more",
    Some(Level::Danger)
);

/// What is said of one resource and of several: of those that are not protected, and of those of which that is not known.
const GONE: [&str; 2] =
    ["is no longer protected, and may be destroyed", "are no longer protected, and may be destroyed"];
const UNKNOWN: [&str; 2] = [
    "may no longer be protected: that is known only at run time",
    "may no longer be protected: that is known only at run time",
];

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let components = changes.base.with_made().flat_map(|unit| &unit.components);
    let protected: Vec<&Component> = components.map(|c| &**c).filter(|c| is_protected(c) == Some(true)).collect();
    if protected.is_empty() {
        return Vec::new();
    }
    let components = changes.context.resolution.with_made().flat_map(|unit| &unit.components);
    let at_head: HashMap<Address, &Component> = components.map(|c| (c.address(), &**c)).collect();
    let found = protected.into_iter().filter_map(|before| {
        let renamed = changes.renames.get(&before.address()).map(|rename| changes.diff.components[rename.to].address());
        // What is gone as a whole is reported as such.
        let after = *at_head.get(&renamed.unwrap_or_else(|| before.address()))?;
        let [one, several] = match is_protected(after) {
            Some(true) => return None,
            Some(false) => GONE,
            None => UNKNOWN,
        };
        let origin = after.value.prov.origin?;
        let message = format!("`{}` in `{}` {one}", after.name, after.stack);
        let nouns = after.language.vocabulary.counted.unwrap_or(nouns(&[]));
        let together = FindingGroup::Components { one: one.to_owned(), several: several.to_owned(), nouns };
        let label = Label::new(origin.file, origin.key, origin.end, "");
        let finding = Diagnostic::new(&DESTROY_PROTECTION_REMOVED, message, label).token(&*after.name);
        let mut finding = finding.subject(&after.stack, &after.name).together(together);
        finding.address = Some(format!("{}/{}", after.stack, after.name));
        finding.stacks = vec![Text::clone(&after.stack)];
        Some(finding)
    });
    found.collect()
}

/// Whether the deployment tool refuses to destroy it, if that is known.
fn is_protected(component: &Component) -> Option<bool> {
    match &component.metadata.protection.data {
        Data::Bool(protects) => Some(*protects),
        Data::Null => Some(false),
        _ => None,
    }
}
