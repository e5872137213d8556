//! The files that files import, directly and indirectly.

use crate::resolution::{Import, Resolution};
use crate::value::FileId;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// The imports of a resolution by the file that contains them.
pub(super) struct ImportIndex<'a> {
    items: &'a [Import],
    by_file: HashMap<FileId, Vec<usize>>,
}

impl<'a> ImportIndex<'a> {
    pub(super) fn new(resolution: &'a Resolution) -> Self {
        let items = &resolution.imports.items[..];
        let mut by_file: HashMap<FileId, Vec<usize>> = HashMap::new();
        for (i, import) in items.iter().enumerate() {
            by_file.entry(import.item.file).or_default().push(i);
        }
        ImportIndex { items, by_file }
    }

    pub(super) fn of(&self, file: FileId) -> impl Iterator<Item = (usize, &'a Import)> + '_ {
        self.by_file.get(&file).into_iter().flatten().map(|i| (*i, &self.items[*i]))
    }

    /// Returns the imports that lead to a file.
    pub(super) fn to(&self, file: FileId) -> impl Iterator<Item = &'a Import> {
        self.items.iter().filter(move |import| import.targets.contains(&file))
    }

    /// Returns the files that a file imports, itself included, without some imports (sorted).
    fn reached(&self, from: FileId, without: &[usize]) -> BTreeSet<FileId> {
        let mut seen = BTreeSet::from([from]);
        let mut todo = vec![from];
        while let Some(file) = todo.pop() {
            for (i, import) in self.of(file) {
                if without.binary_search(&i).is_err() {
                    todo.extend(import.targets.iter().filter(|target| seen.insert(**target)));
                }
            }
        }
        seen
    }

    /// Returns the files that a file imports only through some imports (sorted).
    pub(super) fn only_by(&self, from: FileId, imports: &[usize]) -> BTreeSet<FileId> {
        let without = self.reached(from, imports);
        let mut all = self.reached(from, &[]);
        all.retain(|file| !without.contains(file));
        all
    }

    /// By file, a shortest chain of imports that leads there from `from`, the first import first.
    pub(super) fn chains(&self, from: FileId) -> HashMap<FileId, (FileId, &'a Import)> {
        let mut found: HashMap<FileId, (FileId, &Import)> = HashMap::new();
        let mut todo = VecDeque::from([from]);
        while let Some(file) = todo.pop_front() {
            for (_, import) in self.of(file) {
                for target in &import.targets {
                    if *target != from && !found.contains_key(target) {
                        found.insert(*target, (file, import));
                        todo.push_back(*target);
                    }
                }
            }
        }
        found
    }
}
