//! Something gets another name, where it is defined and where it is named.

mod component;
mod file;
mod folder;
mod local;
mod stack;

pub(crate) use component::component;
pub(crate) use file::file;
pub(crate) use folder::folder;
pub(crate) use local::{LocalNames, is_local, local, occurrences};
pub(super) use local::{defining, sections, the_only};
pub(crate) use stack::stack;

use crate::diagnostic::Edit;
use crate::files::Files;
use crate::manifests::Manifest;
use crate::value::Origin;
use crate::yaml::NodeKind;
use std::collections::BTreeSet;

/// The maximum number of places that are named.
const MAX_PLACES: usize = 5;

/// Whether a name has only plain characters, and as a path no empty part, `.` or `..`.
fn is_plain(name: &str) -> bool {
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    name.chars().all(is_plain) && name.split('/').all(is_part)
}

/// `stacks/dev.yaml:7`.
fn place(origin: Origin, files: &Files) -> String {
    let file = files.get(origin.file);
    format!("{}:{}", file.path, file.line(origin.start))
}

/// A clause about the values that look like what gets another name, and are not edited; empty if there are none.
fn others(manifests: &[Manifest<'_>], edits: &BTreeSet<Edit>, is_it: &dyn Fn(&str) -> bool) -> String {
    let mut found = Vec::new();
    for manifest in manifests {
        let mut open: Vec<_> = manifest.document.root().into_iter().collect();
        while let Some(id) = open.pop() {
            let node = manifest.document.node(id);
            let (start, end) = (node.span.start, node.span.end);
            match &node.kind {
                NodeKind::Sequence(items) => open.extend(&**items),
                NodeKind::Mapping(pairs) => open.extend(pairs.iter().map(|(_, value)| *value)),
                NodeKind::Scalar { value, .. } => {
                    let edited = |one: &Edit| one.file == manifest.id && (start..=end).contains(&one.start);
                    if is_it(value) && !edits.iter().any(edited) {
                        found.push(manifest.place(start as usize));
                    }
                }
                NodeKind::Alias { .. } => {}
            }
        }
    }
    match found.is_empty() {
        true => String::new(),
        false => format!("; other texts stay: {}", list(found)),
    }
}

/// Some places, each once: not more than a few.
pub(super) fn list(mut places: Vec<String>) -> String {
    places.sort();
    places.dedup();
    let more = if places.len() > MAX_PLACES { ", …" } else { "" };
    places.truncate(MAX_PLACES);
    format!("{}{more}", places.join(", "))
}
