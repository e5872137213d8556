//! Determines which edited imports can affect a value: those that lead to the file that contains it.

use super::Side;
use crate::resolution::{Import, Resolution};
use crate::value::{FileId, Origin};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The imports of both sides.
pub(super) struct Leads {
    sides: [Imports; 2],
}

/// The imports of one side.
#[derive(Default)]
struct Imports {
    items: Vec<Item>,
    /// The items of a file.
    of_file: HashMap<FileId, Vec<usize>>,
    /// The items that lead to a file.
    into: HashMap<FileId, Vec<usize>>,
    known: HashMap<BTreeSet<FileId>, Rc<HashSet<FileId>>>,
}

struct Item {
    place: Origin,
    targets: Vec<FileId>,
    /// It may lead to more files than these.
    is_open: bool,
}

impl Leads {
    /// The imports of two resolutions.
    pub(super) fn new(base: &Resolution, head: &Resolution) -> Self {
        Leads { sides: [base, head].map(|resolution| Imports::of(&resolution.imports.items)) }
    }

    /// Whether a place is an import that leads to none of these files.
    pub(super) fn is_beside(&mut self, side: Side, place: Origin, files: &BTreeSet<FileId>) -> bool {
        let imports = &mut self.sides[side as usize];
        let Some(at) = imports.item(place) else { return false };
        if imports.items[at].is_open {
            return false;
        }
        let closure = imports.closure(files);
        !imports.items[at].targets.iter().any(|target| closure.contains(target))
    }
}

impl Imports {
    fn of(list: &[Import]) -> Self {
        let mut imports = Imports::default();
        for (i, import) in list.iter().enumerate() {
            let is_open = import.is_open || import.is_computed || import.targets.is_empty();
            imports.items.push(Item { place: import.item, targets: import.targets.clone(), is_open });
            imports.of_file.entry(import.item.file).or_default().push(i);
            for target in &import.targets {
                imports.into.entry(*target).or_default().push(i);
            }
        }
        imports
    }

    /// The item at a place.
    fn item(&self, place: Origin) -> Option<usize> {
        let overlaps = |item: &Origin| item.key < place.end.max(place.key + 1) && place.key < item.end;
        self.of_file.get(&place.file)?.iter().copied().find(|i| overlaps(&self.items[*i].place))
    }

    /// These files, and all that take in one of them.
    fn closure(&mut self, files: &BTreeSet<FileId>) -> Rc<HashSet<FileId>> {
        if let Some(known) = self.known.get(files) {
            return Rc::clone(known);
        }
        let mut found: HashSet<FileId> = files.iter().copied().collect();
        let mut todo: Vec<FileId> = files.iter().copied().collect();
        while let Some(file) = todo.pop() {
            for item in self.into.get(&file).into_iter().flatten() {
                let importer = self.items[*item].place.file;
                if found.insert(importer) {
                    todo.push(importer);
                }
            }
        }
        let found = Rc::new(found);
        self.known.insert(files.clone(), Rc::clone(&found));
        found
    }
}
