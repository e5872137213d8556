//! Rules about what files take in: twice, too much, in vain, or not at all.

mod broad;
mod duplicate;
mod redundant;
mod unreachable;
mod unused;

use super::{Check, Checked};

use super::Context;
use crate::files::Files;
use crate::resolution::{Import, Resolution};
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};

/// The imports of an resolution by the file that has them, in the order of the text.
pub(super) struct ByFile<'a> {
    files: BTreeMap<FileId, Vec<&'a Import>>,
}

impl<'a> ByFile<'a> {
    pub(super) fn new(resolution: &'a Resolution) -> Self {
        let mut files: BTreeMap<FileId, Vec<&Import>> = BTreeMap::new();
        for import in &resolution.imports.items {
            files.entry(import.item.file).or_default().push(import);
        }
        ByFile { files }
    }

    pub(super) fn of(&self, file: FileId) -> &[&'a Import] {
        self.files.get(&file).map_or(&[], |items| items)
    }

    /// The files that are to be examined.
    fn examined(&self, context: &Context<'_>) -> impl Iterator<Item = (FileId, &[&'a Import])> {
        let is_examined = |id: &FileId| (context.is_examined)(&context.files.get(*id).path);
        self.files.iter().filter(move |(id, _)| is_examined(id)).map(|(id, items)| (*id, &items[..]))
    }

    /// Some files with all that they take in.
    pub(super) fn closure(&self, from: impl IntoIterator<Item = FileId>) -> BTreeSet<FileId> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<FileId> = from.into_iter().collect();
        while let Some(file) = next.pop() {
            if reached.insert(file) {
                next.extend(self.files.get(&file).into_iter().flatten().flat_map(|i| &i.targets));
            }
        }
        reached
    }
}

/// The path of an import as it is written.
pub(super) fn written(files: &Files, import: &Import) -> String {
    let file = files.get(import.path.file);
    let text = file.text.get(import.path.start as usize..import.path.end as usize).unwrap_or_default();
    text.trim().trim_matches(['"', '\'']).to_owned()
}

/// The stacks that a file has a part in.
fn stacks(resolution: &Resolution, file: FileId) -> Vec<Text> {
    let units = resolution.units.iter().filter(|u| u.files.binary_search(&file).is_ok());
    let names: BTreeSet<&Text> = units.flat_map(|u| &u.components).map(|c| &c.stack).collect();
    names.into_iter().cloned().collect()
}

/// The checks of this group.
pub(super) static CHECKS: &[Checked] = &[
    (&broad::BROAD_GLOB_IMPORT, Check::StateAndChange(broad::check, broad::grown)),
    (&duplicate::DUPLICATE_IMPORT, Check::State(duplicate::check)),
    (&redundant::REDUNDANT_IMPORT, Check::State(redundant::check)),
    (&unreachable::UNREACHABLE_FILE, Check::State(unreachable::check)),
    (&unused::UNUSED_IMPORT, Check::State(unused::check)),
];
