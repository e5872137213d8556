//! What several manifests write alike: who imports a file and writes a value, and who inherits from a component and sets it.

use super::{COMPONENT, Entry, Manifest};
use crate::resolution::Resolution;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};

/// The entries that some keys lead to, by file.
pub(crate) type Writers = BTreeMap<FileId, Entry>;

/// The files that import each file.
pub(crate) struct Importers {
    direct: BTreeMap<FileId, BTreeSet<FileId>>,
    /// By file: the files that it imports, and those that they import.
    reached: BTreeMap<FileId, BTreeSet<FileId>>,
}

impl Importers {
    pub(crate) fn of(resolution: &Resolution) -> Self {
        let mut direct: BTreeMap<FileId, BTreeSet<FileId>> = BTreeMap::new();
        let mut imported: BTreeMap<FileId, BTreeSet<FileId>> = BTreeMap::new();
        for item in &resolution.imports.items {
            let importer = item.path.file;
            for target in item.targets.iter().filter(|target| **target != importer) {
                direct.entry(*target).or_default().insert(importer);
                imported.entry(importer).or_default().insert(*target);
            }
        }
        let reached = |from: &FileId| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![*from]);
            while let Some(file) = open.pop() {
                open.extend(imported.get(&file).into_iter().flatten().filter(|target| seen.insert(**target)));
            }
            (*from, seen)
        };
        let reached = imported.keys().map(reached).collect();
        Importers { direct, reached }
    }

    /// The files that import a file directly.
    pub(crate) fn direct(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        self.direct.get(&file).into_iter().flatten().copied()
    }

    /// The writers that import a file, directly or through files that do not write; and whether all others that import it do so
    /// through these.
    pub(crate) fn nearest<E>(&self, target: FileId, writers: &BTreeMap<FileId, E>) -> (BTreeSet<FileId>, bool) {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([target]), vec![target]);
        let mut is_whole = true;
        while let Some(file) = open.pop() {
            let above = self.direct.get(&file);
            is_whole &= above.is_some();
            for importer in above.into_iter().flatten().copied() {
                if writers.contains_key(&importer) {
                    found.insert(importer);
                } else if seen.insert(importer) {
                    open.push(importer);
                }
            }
        }
        (found, is_whole)
    }

    /// The manifests that are imported only by files that write a value, several of them, and that do not write it themselves; if
    /// some of them have the section or the component of the value, only these. Each with the files that write it.
    pub(crate) fn targets<'m, 'a>(
        &self,
        keys: &[String],
        writers: &Writers,
        manifests: &'m [Manifest<'a>],
    ) -> Vec<(&'m Manifest<'a>, BTreeSet<FileId>)> {
        let mut reached: BTreeMap<FileId, usize> = BTreeMap::new();
        for target in writers.keys().filter_map(|writer| self.reached.get(writer)).flatten() {
            *reached.entry(*target).or_default() += 1;
        }
        let is_shared = |id: &FileId| reached.get(id).is_some_and(|number| *number > 1) && !writers.contains_key(id);
        let shared = manifests.iter().filter(|one| is_shared(&one.id));
        let mut found: Vec<(&Manifest<'_>, BTreeSet<FileId>)> = shared
            .filter_map(|one| {
                let (members, is_whole) = self.nearest(one.id, writers);
                (is_whole && members.len() > 1).then_some((one, members))
            })
            .collect();
        for length in (1..keys.len()).rev() {
            let has = |(manifest, _): &(&Manifest<'_>, BTreeSet<FileId>)| manifest.entry(&keys[..length]).is_some();
            if found.len() > 1 && found.iter().any(has) {
                found.retain(has);
            }
        }
        found
    }
}

/// By type and name of a component: the names of those that say that they inherit from it.
pub(crate) fn heirs(resolution: &Resolution) -> BTreeMap<(&str, &str), BTreeSet<&str>> {
    let mut heirs: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for component in resolution.units.iter().flat_map(|unit| &unit.components) {
        for base in component.metadata.bases.iter().filter(|base| base.origin.is_some()) {
            heirs.entry((&component.kind, &base.name)).or_default().insert(&component.name);
        }
    }
    heirs
}

/// Whether a file has the section of a value, or its component.
pub(crate) fn has_place(manifest: &Manifest<'_>, keys: &[String], sections: &[&str]) -> bool {
    let is_of_component = keys.first().is_some_and(|first| sections.contains(&&**first));
    let length = if is_of_component { COMPONENT } else { 1 };
    keys.len() > length && manifest.entry(&keys[..length]).is_some()
}
