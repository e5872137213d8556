//! `redundant-import`: a file imports what another one of its imports takes in as well.

use super::duplicate::{appends, leaves_of};
use super::{ByFile, stacks, written};
use crate::diagnostic::{Applicability, Diagnostic};
use crate::resolution::Import;
use crate::rules::edit::item_removal;
use crate::rules::places::at_value;
use crate::rules::{Context, rule};
use crate::value::FileId;
use std::collections::{BTreeSet, HashMap};

rule!(
    REDUNDANT_IMPORT,
    "redundant-import",
    Hygiene,
    "0.1.0",
    "a file imports another one that one of its other imports includes"
);

/// How often it is looked in one file whether an import that follows another one changes anything.
const MAX_COMPARED: usize = 50;

pub(super) fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let all = ByFile::new(context.resolution);
    // A path that is computed from what was taken in before may depend on any of it.
    if context.resolution.imports.items.iter().any(|item| item.is_computed) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (file, items) in all.examined(context) {
        let covering = Covering::of(&all, items);
        let mut compared = 0;
        for (at, item) in items.iter().enumerate().filter(|(_, item)| is_plain(item)) {
            let other = match covering.around(at, item) {
                (_, Some(later)) => later,
                (Some(earlier), None) if compared < MAX_COMPARED => {
                    compared += 1;
                    if !is_redundant(context, &all, items, at, earlier) {
                        continue;
                    }
                    earlier
                }
                (_, None) => continue,
            };
            if item.is_additive || all.closure(item.targets.iter().copied()).iter().any(|file| appends(context, *file))
            {
                continue;
            }
            let mut finding = finding(context, item, items[other]);
            finding.stacks = stacks(context.resolution, file);
            found.push(finding);
        }
    }
    found
}

fn finding(context: &Context<'_>, item: &Import, other: &Import) -> Diagnostic {
    let (path, by) = (written(context.files, item), written(context.files, other));
    let message = format!("`{path}` is imported twice: `{by}` includes it");
    let mut finding = Diagnostic::new(&REDUNDANT_IMPORT, message, at_value(context.files, item.path, ""))
        .related(at_value(context.files, other.path, "this import also leads to it"))
        .token(&*path)
        .help("remove the import, unless it documents what the file needs");
    finding.fix = item_removal(context.files, item.item, &format!("remove `{path}`"), Applicability::Unsafe);
    finding
}

/// By file: the numbers of the imports of a list that it comes with, and of those that name it.
#[derive(Default)]
struct Covering {
    below: HashMap<FileId, BTreeSet<usize>>,
    direct: HashMap<FileId, BTreeSet<usize>>,
}

impl Covering {
    fn of(all: &ByFile<'_>, items: &[&Import]) -> Self {
        let mut covering = Covering::default();
        for (number, item) in items.iter().enumerate().filter(|(_, item)| is_plain(item)) {
            for file in below(all, item) {
                covering.below.entry(file).or_default().insert(number);
            }
            for file in &item.targets {
                covering.direct.entry(*file).or_default().insert(number);
            }
        }
        covering
    }

    /// Returns the nearest imports before and after one that include all of its files without naming them.
    fn around(&self, at: usize, item: &Import) -> (Option<usize>, Option<usize>) {
        let of = |files: &HashMap<FileId, BTreeSet<usize>>, file| files.get(&file).cloned().unwrap_or_default();
        let Some((first, rest)) = item.targets.split_first() else { return (None, None) };
        let mut numbers = of(&self.below, *first);
        for file in rest {
            numbers = numbers.intersection(&of(&self.below, *file)).copied().collect();
        }
        for number in item.targets.iter().flat_map(|file| of(&self.direct, *file)) {
            numbers.remove(&number);
        }
        (numbers.range(..at).next_back().copied(), numbers.range(at + 1..).next().copied())
    }
}

/// Whether an import takes in files as they are.
fn is_plain(item: &Import) -> bool {
    item.context.is_empty() && !item.is_special && !item.is_computed
}

/// The files that come with those of an import, as they are. Those of the import itself are not among them, unless they
/// come with each other.
fn below(all: &ByFile<'_>, item: &Import) -> BTreeSet<FileId> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<FileId> = item.targets.clone();
    let mut seen: BTreeSet<FileId> = next.iter().copied().collect();
    while let Some(file) = next.pop() {
        for target in all.of(file).iter().filter(|item| is_plain(item)).flat_map(|item| &item.targets) {
            reached.insert(*target);
            if seen.insert(*target) {
                next.push(*target);
            }
        }
    }
    reached
}

/// Whether an import that follows another one with the same targets changes nothing: no import in between sets any of
/// the same values.
fn is_redundant(context: &Context<'_>, all: &ByFile<'_>, items: &[&Import], later: usize, earlier: usize) -> bool {
    let again = all.closure(items[later].targets.iter().copied());
    let between = all.closure(items[earlier..later].iter().flat_map(|item| item.targets.iter().copied()));
    let between = between.difference(&again).copied().collect();
    let (Some(own), Some(theirs)) = (leaves_of(context, all, again), leaves_of(context, all, between)) else {
        return false;
    };
    own.is_disjoint(&theirs)
}
