//! `dependency-dropped`: a component no longer declares that it needs another one, and still reads from it.

use super::Changes;
use crate::diagnostic::{Diagnostic, Label};
use crate::resolution::{Component, Link, LinkKind, StackSelector};
use crate::rules::places::{Findings, at_name};
use crate::rules::rule;
use crate::text::Text;

rule!(
    DEPENDENCY_DROPPED,
    "dependency-dropped",
    Change,
    "0.1.0",
    "a component no longer declares a dependency that it still has"
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let files = changes.context.files;
    let mut findings = Findings::default();
    for changed in &changes.components {
        let (Some(before), Some(after)) = (changed.before, changed.after) else { continue };
        if !after.metadata.is_deployed() {
            continue;
        }
        for dropped in dropped(before, after) {
            let reads = after.metadata.links.iter().filter(|l| l.how == LinkKind::Reads);
            let Some(read) = reads.filter(|l| is_same(after, l, before, dropped)).find(|l| l.origin.is_some()) else {
                continue;
            };
            let Some(origin) = *read.origin else { continue };
            let message = format!(
                "`{}` no longer declares that it depends on `{}`, but still reads from it with `{}`",
                after.name, read.component, read.by
            );
            let mut finding =
                Diagnostic::new(&DEPENDENCY_DROPPED, message, at_name(files, origin, &read.component, ""))
                    .token(format!("{} {}", after.name, read.component))
                    .address(format!("{}/{}", after.stack, after.name))
                    .help(format!("declare `{}` again, so that it is deployed first", read.component));
            if let Some(origin) = *dropped.origin {
                finding = finding.related(Label {
                    message: "it was declared here".to_owned(),
                    ..at_name(files, origin, &dropped.component, "")
                });
            }
            findings.add(&after.stack, finding);
        }
    }
    findings.finish()
}

/// Returns the dependencies that a component no longer declares.
fn dropped<'a>(before: &'a Component, after: &Component) -> Vec<&'a Link> {
    let declared = |component: &'a Component| component.metadata.links.iter().filter(|l| l.how == LinkKind::Declared);
    let is_kept = |link: &Link| {
        let still = after.metadata.links.iter().filter(|l| l.how == LinkKind::Declared);
        // A dependency in an unknown stack may be the same.
        still
            .into_iter()
            .any(|l| l.component == link.component && l.kind == link.kind && l.stack != StackSelector::Unknown)
            || after.metadata.links.iter().any(|l| l.how == LinkKind::Declared && l.stack == StackSelector::Unknown)
    };
    declared(before).filter(|link| !is_kept(link)).collect()
}

/// Whether two links lead to the same component, as far as it is known without resolving them.
fn is_same(reader: &Component, read: &Link, declarer: &Component, declared: &Link) -> bool {
    let stack = |of: &Component, link: &Link| match &link.stack {
        StackSelector::Here => Some(Text::clone(&of.stack)),
        StackSelector::Stack(stack) => Some(Text::clone(stack)),
        StackSelector::Having(_) | StackSelector::Unknown => None,
    };
    let (here, there) = (stack(reader, read), stack(declarer, declared));
    // A component identified by variables is usually in the same stack.
    read.component == declared.component
        && read.kind == declared.kind
        && here.is_some()
        && there.is_none_or(|there| Some(there) == here)
}
