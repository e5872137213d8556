//! Changed components that Atmos does not list, each with the reason.

use super::changed::Unnoticed;
use super::reasons;
use super::reasons::SECTIONS;
use super::{Comparison, Items, KINDS};
use crate::affected::{self, Request};
use crate::code::CodeChange;
use crate::diff::{ComponentChange, Status};
use crate::resolution::Component;
use crate::value::Value;

/// Adds an item for each component whose code or configuration differs and that has none yet.
pub(super) fn add(comparison: &Comparison<'_>, request: &Request<'_>, items: &mut Items) {
    for change in &request.code.folders {
        for address in change.components.iter().filter(|address| (comparison.filter)(address)) {
            if items.contains_key(address) {
                continue;
            }
            let Some(component) = super::counterpart(&comparison.head, address) else { continue };
            if comparison.options.exclude_locked && component.metadata.is_locked {
                continue;
            }
            let is_own = component.metadata.code.as_ref().is_some_and(|code| code.folder == change.folder);
            let mut item = affected::of_code(address);
            item.component_path = comparison.component_path(component);
            item.settings = comparison.settings(component);
            item.affected = if is_own { "component" } else { "component.module" }.to_owned();
            item.affected_all = vec![item.affected.clone()];
            item.extra = Some(why_unnoticed(comparison, change, component, is_own));
            items.insert(address.clone(), item);
        }
    }
    for change in &request.diff.components {
        let address = change.address();
        let locked = change.after.as_ref().is_some_and(|c| c.metadata.is_locked);
        if items.contains_key(&address) || comparison.options.exclude_locked && locked {
            continue;
        }
        let mut item = affected::of_change(change, request.diff);
        let component = change.after.as_deref().or(change.before.as_deref());
        item.component_path = component.map(|one| comparison.component_path(one)).unwrap_or_default();
        let is_compared = |reason: &String| {
            let section = reason.strip_prefix("stack.").unwrap_or(reason);
            SECTIONS.contains(&section) || matches!(section, "metadata" | "settings" | "deleted" | "deleted.stack")
        };
        item.is_job = item.deployable && item.affected_all.iter().any(is_compared);
        item.extra = Some(why_unlisted(comparison, change));
        items.insert(address, item);
    }
}

fn why_unnoticed(comparison: &Comparison<'_>, change: &CodeChange, component: &Component, is_own: bool) -> String {
    let first = &change.files[0];
    let why = change.files.iter().find_map(|file| comparison.changed.unnoticed.get(&**file));
    match why {
        Some(Unnoticed::Binary) => return format!("Atmos ignores binary files: {first}"),
        Some(Unnoticed::Empty) => return format!("Atmos ignores empty files: {first}"),
        Some(Unnoticed::MovedTo(to)) => {
            return format!("Atmos reports a moved file only under its new path: {first}, now {to}");
        }
        Some(Unnoticed::NoFile) => return format!("Atmos ignores submodules: {first}"),
        None => {}
    }
    if !KINDS.contains(&&*component.kind) {
        return format!("Atmos lists no components of type {}", component.kind);
    }
    if is_own {
        return format!("Atmos looks for the code in another folder than {}", change.folder);
    }
    format!("Atmos ignores the module {}: another module calls it, or it is outside", change.folder)
}

fn why_unlisted(comparison: &Comparison<'_>, change: &ComponentChange) -> String {
    let component = change.after.as_deref().or(change.before.as_deref());
    let metadata = component.map(|c| &c.metadata);
    if !KINDS.contains(&&*change.kind) {
        return format!("Atmos lists no components of type {}", change.kind);
    }
    if metadata.is_some_and(|m| m.is_abstract) {
        return "Atmos does not list abstract components".to_owned();
    }
    if change.status != Status::Removed && metadata.is_some_and(|m| m.is_disabled) {
        return "Atmos does not list disabled components".to_owned();
    }
    let sections = reasons::sections(comparison, &change.kind);
    let is_compared = |section: &str| sections.contains(&section) || matches!(section, "metadata" | "settings");
    let has =
        |section: &str| change.after.as_ref().and_then(|c| c.value.get(section)).is_some_and(|v: &Value| !v.is_null());
    let first = change.changes.iter().filter_map(|c| c.path.split('/').nth(1)).find(|section| is_compared(section));
    match first {
        Some(section) if !has(section) => format!("Atmos does not notice that `{section}` is removed"),
        None if change.status == Status::Modified => "Atmos does not compare these sections".to_owned(),
        _ => "Atmos reads both revisions with the `atmos.yaml` of the head".to_owned(),
    }
}
