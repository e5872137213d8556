//! `duplicate-import`: one file taken in twice by one list.

use super::{ByFile, stacks, written};
use crate::diagnostic::{Applicability, Diagnostic};
use crate::resolution::Import;
use crate::rules::edit::item_removal;
use crate::rules::places::at_value;
use crate::rules::{Context, rule};
use crate::value::FileId;
use crate::yaml::{Document, NodeKind};
use std::collections::{BTreeSet, HashMap};

rule!(DUPLICATE_IMPORT, "duplicate-import", Suspicious, "0.1.0", "a file imports another file twice");

/// The most repetitions in one file that are reported: what a file imports again and again is clear by then, and each needs a look
/// at all that is between.
const MAX_REPEATED: usize = 500;

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let all = ByFile::new(context.resolution);
    let mut found = Vec::new();
    for (file, items) in all.examined(context) {
        let mut last: HashMap<FileId, usize> = HashMap::new();
        let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (later, item) in items.iter().enumerate() {
            for target in &item.targets {
                pairs.extend(last.insert(*target, later).filter(|i| *i != later).map(|earlier| (earlier, later)));
            }
        }
        for (earlier, later) in pairs.into_iter().take(MAX_REPEATED) {
            let Some(mut finding) = repeated(context, &all, items, earlier, later) else { continue };
            finding.stacks = stacks(context.resolution, file);
            found.push(finding);
        }
    }
    found
}

/// A finding, if one of two imports is superfluous.
fn repeated(
    context: &Context<'_>,
    all: &ByFile<'_>,
    items: &[&Import],
    earlier: usize,
    later: usize,
) -> Option<Diagnostic> {
    let (first, second) = (items[earlier], items[later]);
    let is_same = first.context == second.context && first.is_special == second.is_special;
    if !is_same || first.is_computed || second.is_computed {
        return None;
    }
    // The last import wins, so the earlier one of two is redundant. The later one is redundant only if no import
    // between them sets any of the same values.
    let superfluous = if is_covered(first, second) {
        first
    } else if is_covered(second, first) && !is_order_relevant(context, all, items, earlier, later) {
        second
    } else {
        return None;
    };
    let (place, other) = if second.is_pattern && !first.is_pattern { (first, second) } else { (second, first) };
    let (path, by) = (written(context.files, place), written(context.files, other));
    let message = match other.is_pattern && path != by {
        true => format!("`{path}` is imported twice: `{by}` imports it as well"),
        false => format!("`{path}` is imported twice"),
    };
    let related = at_value(context.files, other.path, "it is also imported here");
    let mut finding = Diagnostic::new(&DUPLICATE_IMPORT, message, at_value(context.files, place.path, ""))
        .related(related)
        .token(path)
        .help("remove one of the two; where both set a value, the last one wins");
    // If lists are appended, or paths are computed from earlier imports, importing twice differs from importing once.
    let is_safe = !superfluous.is_additive
        && !context.resolution.imports.items.iter().any(|i| i.is_computed)
        && !all.closure(superfluous.targets.iter().copied()).iter().any(|file| appends(context, *file));
    let applicability = if is_safe { Applicability::Safe } else { Applicability::Unsafe };
    let title = format!("remove `{}`", written(context.files, superfluous));
    finding.fix = item_removal(context.files, superfluous.item, &title, applicability);
    Some(finding)
}

/// Whether all targets of an import are also targets of another one.
fn is_covered(inner: &Import, outer: &Import) -> bool {
    let outer: BTreeSet<&FileId> = outer.targets.iter().collect();
    inner.targets.iter().all(|t| outer.contains(t))
}

/// Whether what is taken in between two times of the same sets something that this sets too: the second time puts it back.
fn is_order_relevant(context: &Context<'_>, all: &ByFile<'_>, items: &[&Import], earlier: usize, later: usize) -> bool {
    let again: BTreeSet<FileId> = items[later].targets.iter().copied().collect();
    let first = items[earlier].targets.iter().position(|t| again.contains(t)).unwrap_or(0);
    let rest = items[earlier].targets[first..].iter();
    let between = rest.chain(items[earlier + 1..later].iter().flat_map(|i| &i.targets)).copied();
    let between: BTreeSet<FileId> = between.filter(|t| !again.contains(t)).collect();
    let paths = |files: BTreeSet<FileId>| leaves_of(context, all, all.closure(files));
    // A file that cannot be read may set anything.
    let (Some(own), Some(theirs)) = (paths(again), paths(between)) else { return true };
    !own.is_disjoint(&theirs)
}

/// Returns the paths of all values of some files except their imports; `None` if one of them cannot be read.
pub(super) fn leaves_of(context: &Context<'_>, all: &ByFile<'_>, files: BTreeSet<FileId>) -> Option<BTreeSet<String>> {
    let documents = &context.resolution.documents;
    let mut paths = BTreeSet::new();
    for file in files {
        let place = documents.binary_search_by_key(&file, |d| d.0).ok()?;
        leaves(&documents[place].1, &all.files, file, &mut paths);
    }
    Some(paths)
}

/// Whether lists of a file continue those of lower layers, so that it matters how often it is taken in.
pub(super) fn appends(context: &Context<'_>, file: FileId) -> bool {
    let mut tags = context.resolution.vocabularies.iter().map(|words| words.append).filter(|tag| !tag.is_empty());
    tags.any(|tag| context.files.get(file).text.contains(tag))
}

/// The paths of all values of a file but its imports.
fn leaves(
    document: &Document,
    imports: &std::collections::BTreeMap<FileId, Vec<&Import>>,
    file: FileId,
    into: &mut BTreeSet<String>,
) {
    let items = imports.get(&file).map(|items| &items[..]).unwrap_or_default();
    let mut todo: Vec<(String, _)> = document.root().map(|root| (String::new(), root)).into_iter().collect();
    while let Some((path, id)) = todo.pop() {
        let node = document.node(document.target(id));
        match &node.kind {
            NodeKind::Mapping(pairs) => {
                for (key, value) in pairs {
                    let name = document.scalar(*key).map_or("<<", |k| &**k);
                    todo.push((format!("{path}/{name}"), *value));
                }
            }
            _ if items.iter().any(|i| node.span.start <= i.item.start && i.item.start < node.span.end) => {}
            _ => drop(into.insert(path)),
        }
    }
}
